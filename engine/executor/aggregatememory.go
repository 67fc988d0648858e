package executor

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
)

// chargedBuffer returns go-mysql-server's buffer for the aggregate a. The values that the buffer
// keeps are charged to hold.
//
// go-mysql-server: keeps all values in JSON_ARRAYAGG and JSON_OBJECTAGG, and one of any size in
// MAX, MIN and the like, and counts none of that. MySQL: counts them as memory of the connection.
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

// isSmall reports whether each buffer of an aggregate takes little memory, always about as much.
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

// keepsArguments reports whether an aggregate keeps values of its arguments, and not only a number
// that it calculates from them.
func keepsArguments(a sql.Aggregation) bool {
	switch a.(type) {
	case *aggregation.Count, *aggregation.Avg, *aggregation.Sum, *Sum, *aggregation.BitAnd, *aggregation.BitOr, *aggregation.BitXor,
		*aggregation.StdDevPop, *aggregation.StdDevSamp, *aggregation.VarPop, *aggregation.VarSamp:
		return false
	}
	return true
}

// sameSize reports whether each value of a type takes little memory, always about as much.
func sameSize(t sql.Type) bool {
	return t == types.Null || types.IsInteger(t) || types.IsFloat(t) || types.IsTime(t) || types.IsTimespan(t) || types.IsYear(t) || types.IsBit(t) ||
		types.IsDecimal(t) || types.IsEnum(t) || types.IsSet(t)
}

// chargedArgument is an argument of an aggregate. It charges each value that it calculates. Owned
// by one goroutine.
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

// argumentBytes is about how many bytes an entry in an aggregate's list of values takes, without
// the value.
const argumentBytes = 32

// WithChildren implements sql.Expression.
func (c *chargedArgument) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := c.Expression.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return &chargedArgument{Expression: e, hold: c.hold, all: c.all}, nil
}
