package builtins

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
)

// LastInsertIDFunctions returns LAST_INSERT_ID.
//
// go-mysql-server: LAST_INSERT_ID(NULL) panics. MySQL: it is LAST_INSERT_ID(0), and returns NULL.
func LastInsertIDFunctions() map[string]sql.Function {
	return map[string]sql.Function{"last_insert_id": sql.FunctionN{Name: "last_insert_id", Fn: func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if len(args) > 1 {
			return nil, sql.ErrInvalidArgumentNumber.New("last_insert_id", 1, len(args))
		}
		if len(args) == 1 {
			args = []sql.Expression{orZero{args[0]}}
		}
		return function.NewLastInsertId(ctx, args...)
	}}}
}

// orZero is an expression with 0 in the place of NULL.
type orZero struct{ sql.Expression }

// Children implements sql.Expression.
func (o orZero) Children() []sql.Expression { return []sql.Expression{o.Expression} }

// WithChildren implements sql.Expression.
func (o orZero) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(o, len(children), 1)
	}
	return orZero{children[0]}, nil
}

// Eval implements sql.Expression.
func (o orZero) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := o.Expression.Eval(ctx, row)
	if v == nil && err == nil {
		return int64(0), nil
	}
	return v, err
}
