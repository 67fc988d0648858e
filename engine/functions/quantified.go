package functions

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/sqlexpr"
	"pfsd/engine/syntax"
)

// quantified compares a value with those of a subquery. ANY is true if one comparison is true, ALL if all
// are. It is NULL if no comparison decides it and one is NULL. Safe for concurrent use.
type quantified struct {
	expression.NaryExpression
	operator string
	all      bool
}

var _ sql.FunctionExpression = (*quantified)(nil)

// NewQuantified makes a comparison from its arguments: the operator, ANY or ALL, the value and the subquery.
func NewQuantified(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
	if len(args) != 4 {
		return nil, sql.ErrInvalidArgumentNumber.New(syntax.Quantified, 4, len(args))
	}
	q := &quantified{expression.NaryExpression{ChildExpressions: args}, LiteralText(args[0]), LiteralText(args[1]) == "ALL"}
	if _, ok := args[3].(*plan.Subquery); !ok || comparer(q.operator, args[2], args[2]) == nil {
		return nil, sql.ErrFunctionNotFound.New(syntax.Quantified)
	}
	if n := types.NumColumns(args[3].Type(ctx)); n != 1 || types.NumColumns(args[2].Type(ctx)) != 1 {
		return nil, sql.ErrInvalidOperandColumns.New(1, n)
	}
	return q, nil
}

// comparer returns the comparison of two expressions by an operator; nil if the operator is unknown.
func comparer(operator string, left, right sql.Expression) sql.Expression {
	switch operator {
	case "=":
		return expression.NewEquals(left, right)
	case "<=>":
		return expression.NewNullSafeEquals(left, right)
	case "!=", "<>":
		return expression.NewNot(expression.NewEquals(left, right))
	case "<":
		return expression.NewLessThan(left, right)
	case "<=":
		return expression.NewLessThanOrEqual(left, right)
	case ">":
		return expression.NewGreaterThan(left, right)
	case ">=":
		return expression.NewGreaterThanOrEqual(left, right)
	}
	return nil
}

// Eval implements sql.Expression.
func (q *quantified) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	subquery := q.ChildExpressions[3].(*plan.Subquery)
	values, err := subquery.EvalMultiple(ctx, row)
	if err != nil {
		return nil, err
	}
	var outcome any = q.all
	for _, v := range values {
		c := comparer(q.operator, q.ChildExpressions[2], expression.NewLiteral(v, subquery.Type(ctx)))
		if c, err = sqlexpr.MendExpression(ctx, c); err != nil {
			return nil, err
		}
		is, err := sql.EvaluateCondition(ctx, c, row)
		switch {
		case err != nil:
			return nil, err
		case is == nil:
			outcome = nil
		case sql.IsTrue(is) != q.all:
			return !q.all, nil
		}
	}
	return outcome, nil
}

// Type implements sql.Expression.
func (*quantified) Type(*sql.Context) sql.Type { return types.Boolean }

// IsNullable implements sql.Expression.
func (*quantified) IsNullable(*sql.Context) bool { return true }

// FunctionName implements sql.FunctionExpression.
func (*quantified) FunctionName() string { return syntax.Quantified }

// Description implements sql.FunctionExpression.
func (*quantified) Description() string { return "compares a value with those of a subquery." }

// String implements sql.Expression.
func (q *quantified) String() string {
	return strings.ToLower(fmt.Sprintf("(%s %s %s %s)", q.ChildExpressions[2], q.operator, LiteralText(q.ChildExpressions[1]), q.ChildExpressions[3]))
}

// WithChildren implements sql.Expression.
func (q *quantified) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 4 {
		return nil, sql.ErrInvalidChildrenNumber.New(q, len(children), 4)
	}
	return &quantified{expression.NaryExpression{ChildExpressions: children}, q.operator, q.all}, nil
}

// LiteralText returns the text of a literal.
func LiteralText(e sql.Expression) string {
	l, ok := e.(*expression.Literal)
	if !ok {
		return ""
	}
	return fmt.Sprint(l.Value())
}
