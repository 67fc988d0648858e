package compat

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
)

// chargedBuffer returns a buffer of the SQL engine's for a, what it keeps of its arguments charged to hold.
//
// go-mysql-server: keeps as many values as there are rows in JSON_ARRAYAGG and JSON_OBJECTAGG, and one of any size
// in MAX, MIN and the like. MySQL: counts them as the connection's memory.
func chargedBuffer(ctx *sql.Context, a sql.Aggregation, hold *budget.Hold) (sql.AggregationBuffer, error) {
	args, all := a.Children(), keepsAll(a)
	charged := make([]sql.Expression, len(args))
	for i, e := range args {
		charged[i] = &chargedArgument{Expression: e, hold: hold, all: all}
	}
	e, err := a.WithChildren(ctx, charged...)
	if err != nil {
		return nil, err
	}
	return e.(sql.Aggregation).NewBuffer(ctx)
}

// isSmall tells whether all buffers of an aggregate take about the same memory, which is little.
func isSmall(ctx *sql.Context, a sql.Aggregation) bool {
	if !keepsArguments(a) {
		return true
	}
	if keepsAll(a) {
		return false
	}
	for _, e := range a.Children() {
		if !sameSize(e.Type(ctx)) {
			return false
		}
	}
	return true
}

// keepsAll tells whether an aggregate keeps the arguments of all rows.
func keepsAll(a sql.Aggregation) bool {
	switch a.(type) {
	case *aggregation.JsonArray, *aggregation.JSONObjectAgg, argumentKeeper:
		return true
	}
	return false
}

// argumentKeeper is an aggregate of package mysqlfuncs that keeps the arguments of all rows.
type argumentKeeper interface{ KeepsArguments() }

// keepsArguments tells whether an aggregate keeps arguments at all, and not only a number that is worked out from them.
func keepsArguments(a sql.Aggregation) bool {
	switch a.(type) {
	case *aggregation.Count, *aggregation.Avg, *aggregation.Sum, *Sum, *aggregation.BitAnd, *aggregation.BitOr, *aggregation.BitXor,
		*aggregation.StdDevPop, *aggregation.StdDevSamp, *aggregation.VarPop, *aggregation.VarSamp:
		return false
	}
	return true
}

// sameSize tells whether all values of a type take about the same memory, which is little.
func sameSize(t sql.Type) bool {
	return t == types.Null || types.IsInteger(t) || types.IsFloat(t) || types.IsTime(t) || types.IsTimespan(t) || types.IsYear(t) || types.IsBit(t) ||
		types.IsDecimal(t) || types.IsEnum(t) || types.IsSet(t)
}

// chargedArgument is an argument of an aggregate, whose values are charged as they are worked out. Owned by one goroutine.
type chargedArgument struct {
	sql.Expression
	hold *budget.Hold
	all  bool  // the aggregate keeps all values, not one of them
	most int64 // the largest value, bytes
}

// Eval implements sql.Expression.
func (c *chargedArgument) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := c.Expression.Eval(ctx, row)
	if err != nil || v == nil {
		return v, err
	}
	n := charge.Size(v)
	if c.all {
		return v, c.hold.Charge(n + argumentBytes)
	}
	if n > c.most {
		if err := c.hold.Charge(n - c.most); err != nil {
			return nil, err
		}
		c.most = n
	}
	return v, nil
}

// argumentBytes is about what a value takes in the list of an aggregate, besides itself.
const argumentBytes = 32

// WithChildren implements sql.Expression.
func (c *chargedArgument) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := c.Expression.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return &chargedArgument{Expression: e, hold: c.hold, all: c.all}, nil
}
