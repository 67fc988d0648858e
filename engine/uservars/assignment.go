package uservars

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/diagnostics"
	"pfsd/engine/syntax"
)

// userAssignment is @name := value in an expression: it gives the value to the user variable and is that
// value. Expressions of a row are calculated from left to right, and the rows one after the other, as in MySQL.
type userAssignment struct {
	expression.NaryExpression
}

var _ sql.FunctionExpression = (*userAssignment)(nil)

// newUserAssignment makes an assignment of the name and the value. A variable that there is not yet is NULL from now on, of
// the value's type, which is what is read of it in the rest of the statement.
func newUserAssignment(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
	if len(args) != 2 {
		return nil, sql.ErrInvalidArgumentNumber.New(syntax.Assign, 2, len(args))
	}
	a := &userAssignment{expression.NaryExpression{ChildExpressions: args}}
	if err := checkName(a.name()); err != nil {
		return nil, err
	}
	if kind, _, err := ctx.GetUserVariable(ctx, a.name()); err != nil || kind != nil && kind != types.Null || !a.value().Resolved() {
		return a, err
	}
	_, kind := widened(ctx, nil, a.Type(ctx))
	return a, ctx.SetUserVariable(ctx, a.name(), nil, kind)
}

// Assignment is the function of an assignment in the statement of ctx.
func Assignment(ctx *sql.Context) sql.Function {
	if d := diagnostics.Of(ctx); d != nil {
		d.Warn(ctx, deprecatedAssignment, nil)
	}
	return sql.FunctionN{Name: syntax.Assign, Fn: func(_ *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		return newUserAssignment(ctx, args...)
	}}
}

var deprecatedAssignment = mysql.NewSQLError(1287, "HY000", "%s", "Setting user variables within expressions is deprecated and will be removed in a future release. Consider alternatives: 'SET variable=expression, ...', or 'SELECT expression(s) INTO variables(s)'.")

// name is the variable's.
func (a *userAssignment) name() string {
	if l, ok := a.ChildExpressions[0].(*expression.Literal); ok {
		return fmt.Sprint(l.Value())
	}
	return ""
}

func (a *userAssignment) value() sql.Expression { return a.ChildExpressions[1] }

// FunctionName implements sql.FunctionExpression.
func (*userAssignment) FunctionName() string { return syntax.Assign }

// Description implements sql.FunctionExpression.
func (*userAssignment) Description() string { return "assigns a value to a user variable." }

// String implements sql.Expression.
func (a *userAssignment) String() string { return fmt.Sprintf("(@%s:=%s)", a.name(), a.value()) }

// Type implements sql.Expression.
func (a *userAssignment) Type(ctx *sql.Context) sql.Type { return a.value().Type(ctx) }

// IsNullable implements sql.Expression.
func (*userAssignment) IsNullable(*sql.Context) bool { return true }

// CollationCoercibility implements sql.CollationCoercible.
func (a *userAssignment) CollationCoercibility(ctx *sql.Context) (collation sql.CollationID, coercibility byte) {
	return sql.GetCoercibility(ctx, a.value())
}

// WithChildren implements sql.Expression.
func (a *userAssignment) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(a.ChildExpressions) {
		return nil, sql.ErrInvalidChildrenNumber.New(a, len(children), len(a.ChildExpressions))
	}
	return &userAssignment{expression.NaryExpression{ChildExpressions: children}}, nil
}

// Eval implements sql.Expression.
func (a *userAssignment) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := a.value().Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	kind := a.value().Type(ctx)
	if kind == nil || kind == types.Null {
		kind = types.ApproximateTypeFromValue(v)
	}
	if u := of(ctx); u != nil {
		return v, u.Set(ctx, a.name(), v, kind)
	}
	return v, ctx.SetUserVariable(ctx, a.name(), v, kind)
}
