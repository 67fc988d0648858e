package compat

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// existsOfSets is e, as an expression that stays one if it is about a UNION or the like.
//
// go-mysql-server: makes of EXISTS a join with the rows of the set, and takes the columns of its parts for those of the set, with a panic. MySQL:
// carries it out. This can go when go-mysql-server joins with sets of several queries.
func existsOfSets(e *ast.ExistsExpr) ast.Expr {
	s := e.Subquery.Select
	for {
		p, ok := s.(*ast.ParenSelect)
		if !ok {
			break
		}
		s = p.Select
	}
	if _, ok := s.(*ast.SetOp); !ok {
		return e
	}
	return &ast.IsExpr{Operator: ast.IsTrueStr, Expr: e}
}

// KeepSemiJoins is a rule for the analyzer, before it chooses how to join.
//
// go-mysql-server: may make of EXISTS and IN a join with the distinct values of the other table's columns, whatever is asked
// of them, and so yields a row for each of them that fits: of few.a = t.a OR few.b = t.b, or of the texts '1' and '1.0' beside
// the number 1. MySQL: yields it once. With a condition that says again what is asked, in a way that the planner
// does not look through, EXISTS stays what it is.
func KeepSemiJoins(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	if !semiJoins.On() {
		return n, transform.SameTree, nil
	}
	return transform.Node(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		j, ok := n.(*plan.JoinNode)
		if !ok || !j.Op.IsSemi() || j.Filter == nil {
			return n, transform.SameTree, nil
		}
		asked := expression.SplitConjunction(ctx, j.Filter)
		i := slices.IndexFunc(asked, func(e sql.Expression) bool { return !fitsOnce(ctx, e) })
		if i < 0 {
			return n, transform.SameTree, nil
		}
		return j.WithFilter(expression.NewAnd(j.Filter, expression.NewIsTrue(asked[i]))), transform.NewTree, nil
	})
}

// fitsOnce tells whether of different values of a column no two fit the same value of the other: the condition is that
// columns are equal in the way that their own values are.
func fitsOnce(ctx *sql.Context, e sql.Expression) bool {
	equals, ok := e.(*expression.Equals)
	if !ok {
		return false
	}
	left, isColumn := equals.Left().(*expression.GetField)
	right, areColumns := equals.Right().(*expression.GetField)
	if !isColumn || !areColumns {
		return false
	}
	l, r := left.Type(ctx), right.Type(ctx)
	switch {
	case types.IsTextOnly(l) && types.IsTextOnly(r):
		return keySchema(ctx, []sql.Expression{left})[0].Type.(sql.TypeWithCollation).Collation() ==
			keySchema(ctx, []sql.Expression{right})[0].Type.(sql.TypeWithCollation).Collation()
	case types.IsNumber(l):
		return types.IsNumber(r)
	}
	return l.Type() == r.Type()
}

// WithCondition is j with a condition, nil if it needs none.
//
// go-mysql-server: gives the join that NOT EXISTS becomes no condition where the subquery has none, and panics where the other side is no table,
// as in SHOW. MySQL: any row of the subquery fits. This can go when go-mysql-server carries such a join out.
func WithCondition(j *plan.JoinNode) *plan.JoinNode {
	if j.Filter != nil || !j.Op.IsAnti() || !semiJoins.On() {
		return nil
	}
	return j.WithFilter(expression.NewLiteral(true, types.Boolean))
}
