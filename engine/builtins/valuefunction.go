package builtins

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
)

// valueFunction is a function that is NULL if one of its arguments is. Safe for concurrent use.
type valueFunction struct {
	name string
	typ  sql.Type
	args []sql.Expression
	eval func(ctx *sql.Context, args []sql.Expression, values []any) (any, error)
}

var (
	_ sql.FunctionExpression = (*valueFunction)(nil)
	_ sql.CollationCoercible = (*valueFunction)(nil)
)

// newValueFunction returns a function of n arguments.
func newValueFunction(name string, n int, typ sql.Type, eval func(*sql.Context, []sql.Expression, []any) (any, error)) sql.Function {
	return sql.FunctionN{Name: name, Fn: func(_ *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if len(args) != n {
			return nil, sql.ErrInvalidArgumentNumber.New(name, n, len(args))
		}
		return &valueFunction{name, typ, args, eval}, nil
	}}
}

// FunctionName implements sql.FunctionExpression.
func (f *valueFunction) FunctionName() string { return f.name }

// Description implements sql.FunctionExpression.
func (f *valueFunction) Description() string { return f.name }

// Resolved implements sql.Expression.
func (f *valueFunction) Resolved() bool { return expression.ExpressionsResolved(f.args...) }

// String implements sql.Expression.
func (f *valueFunction) String() string {
	args := make([]string, len(f.args))
	for i, a := range f.args {
		args[i] = a.String()
	}
	return f.name + "(" + strings.Join(args, ",") + ")"
}

// Type implements sql.Expression.
func (f *valueFunction) Type(*sql.Context) sql.Type { return f.typ }

// IsNullable implements sql.Expression.
func (f *valueFunction) IsNullable(*sql.Context) bool { return true }

// CollationCoercibility implements sql.CollationCoercible.
func (f *valueFunction) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// Children implements sql.Expression.
func (f *valueFunction) Children() []sql.Expression { return f.args }

// WithChildren implements sql.Expression.
func (f *valueFunction) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(f.args) {
		return nil, sql.ErrInvalidChildrenNumber.New(f, len(children), len(f.args))
	}
	own := *f
	own.args = children
	return &own, nil
}

// Eval implements sql.Expression.
func (f *valueFunction) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	values := make([]any, len(f.args))
	for i, a := range f.args {
		v, err := a.Eval(ctx, row)
		if err != nil || v == nil {
			return nil, err
		}
		values[i] = v
	}
	return f.eval(ctx, f.args, values)
}
