package planning

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/mends"
)

// SubqueryJoins returns the rule that makes joins of EXISTS, IN and comparisons with a subquery. join is go-mysql-server's rule.
//
// go-mysql-server: takes out of the subquery LIMIT, aggregates and HAVING, finds no NULL through an index, loses one of several
// conditions, and does not see that a scalar subquery has more than one row. MySQL: the join has the rows that the condition
// lets through.
//
// The rule sees only those conditions of which it makes a right join. The others are calculated for each row.
func SubqueryJoins(join analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if !mends.SubqueryJoins.On() || !flags.SubqueryIsSet() {
			return join(ctx, a, n, scope, sel, flags)
		}
		_, update := n.(*plan.Update)
		hide := func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
			return hideSubqueries(ctx, n, update)
		}
		return withHidden(ctx, a, n, scope, sel, flags, join, hide)
	}
}

// hideSubqueries hides the conditions of n and of its subqueries that must not become joins. update says that n is an UPDATE, whose rows
// must have the columns of its tables, and no others.
func hideSubqueries(ctx *sql.Context, n sql.Node, update bool) (sql.Node, transform.TreeIdentity, error) {
	return hideConditions(ctx, n, func(ctx *sql.Context, child sql.Node, conditions []sql.Expression) (bool, error) {
		hidden := false
		for i, c := range conditions {
			changed, same, err := hideSubquery(ctx, child, c, update)
			if err != nil {
				return false, err
			}
			conditions[i], hidden = changed, hidden || same == transform.NewTree
		}
		return hidden, nil
	})
}

// hideSubquery hides the condition c on the rows of n, if it has a subquery and must not become a join.
func hideSubquery(ctx *sql.Context, n sql.Node, c sql.Expression, update bool) (sql.Expression, transform.TreeIdentity, error) {
	condition := c
	not, negated := c.(*expression.Not)
	if negated {
		condition = not.Child
	}
	var subquery *plan.Subquery
	var left sql.Expression
	scalar := false
	switch e := condition.(type) {
	case *plan.ExistsSubquery:
		subquery = e.Query
	case *plan.InSubquery:
		subquery, _ = e.RightChild.(*plan.Subquery)
		left = e.LeftChild
	case expression.Comparer:
		subquery, _ = e.Right().(*plan.Subquery)
		left, scalar = e.Left(), true
	}
	if subquery == nil {
		return c, transform.SameTree, nil
	}
	joins := false
	switch {
	case left == nil:
		joins = existsJoins(ctx, subquery, negated) && !(update && subquery.Correlated().Empty())
	case scalar:
		joins = !negated && hasOneRow(subquery.Query) && calculable(ctx, left)
	default:
		joins = calculable(ctx, left) && rowsJoin(ctx, subquery.Query) && (!negated || !hasOuterJoin(n) && neverNull(ctx, left, subquery))
	}
	if !joins {
		return &hiddenCondition{expression.UnaryExpressionStub{Child: c}}, transform.NewTree, nil
	}
	query, same, err := hideSubqueries(ctx, subquery.Query, false)
	if err != nil || same == transform.SameTree {
		return c, transform.SameTree, err
	}
	changed, _, err := transform.Expr(ctx, c, func(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		if e == sql.Expression(subquery) {
			return subquery.WithQuery(query), transform.NewTree, nil
		}
		return e, transform.SameTree, nil
	})
	return changed, transform.NewTree, err
}

// calculable reports whether e can be calculated where a join tests its condition.
func calculable(ctx *sql.Context, e sql.Expression) bool {
	_, movable := neededBy(ctx, e)
	return movable
}

// existsJoins reports whether EXISTS of the subquery can become a join.
func existsJoins(ctx *sql.Context, s *plan.Subquery, negated bool) bool {
	n := s.Query
	for {
		switch top := n.(type) {
		case *plan.Project, *plan.Sort, *plan.Distinct:
			n = top.Children()[0]
			continue
		case *plan.GroupBy:
			if len(top.GroupByExprs) == 0 || isRollup(top) {
				return false // it has a row if there are none
			}
			n = top.Child
			continue
		case *plan.Limit:
			l, ok := top.Limit.(*expression.Literal)
			if !ok || !positive(l.Value()) {
				return false
			}
			n = top.Child
			continue
		}
		break
	}
	filters := 0
	return keepsConditions(ctx, n, s.Correlated(), &filters, false) && !(negated && hasOuterJoin(n))
}

// positive reports whether v is a number above 0.
func positive(v any) bool {
	switch v := v.(type) {
	case int8:
		return v > 0
	case int16:
		return v > 0
	case int32:
		return v > 0
	case int64:
		return v > 0
	case int:
		return v > 0
	case uint8:
		return v > 0
	case uint16:
		return v > 0
	case uint32:
		return v > 0
	case uint64:
		return v > 0
	}
	return false
}

// keepsConditions reports whether conditions with the columns outer can be taken out of n. filters counts the filters in n; optional
// says that n is the side of an outer join that can be NULL.
func keepsConditions(ctx *sql.Context, n sql.Node, outer sql.ColSet, filters *int, optional bool) bool {
	switch n := n.(type) {
	case *plan.Filter:
		*filters++
		return *filters == 1 && !optional && !isVolatile(ctx, n.Expression) && keepsConditions(ctx, n.Child, outer, filters, optional)
	case *plan.JoinNode:
		if n.Filter != nil {
			if needed, _ := neededBy(ctx, n.Filter); needed.Intersects(outer) {
				return false
			}
		}
		return keepsConditions(ctx, n.Left(), outer, filters, optional) &&
			keepsConditions(ctx, n.Right(), outer, filters, optional || n.Op != plan.JoinTypeInner && n.Op != plan.JoinTypeCross)
	case *plan.SubqueryAlias:
		return !n.Correlated.Intersects(outer) && !n.Volatile
	case *plan.TableAlias, *plan.ResolvedTable, *plan.ValueDerivedTable, *plan.EmptyTable, *plan.RecursiveTable:
		return true
	}
	return false
}

// rowsJoin reports whether the rows of the subquery n of an IN can be the side of a join.
func rowsJoin(ctx *sql.Context, n sql.Node) bool {
	switch n := n.(type) {
	case *plan.Project:
		for _, e := range n.Projections {
			if !calculable(ctx, e) {
				return false
			}
		}
		return rowsJoin(ctx, n.Child)
	case *plan.Sort, *plan.Distinct, *plan.Filter:
		return rowsJoin(ctx, n.Children()[0])
	case *plan.JoinNode:
		return rowsJoin(ctx, n.Left()) && (n.Op.IsPartial() || rowsJoin(ctx, n.Right()))
	case *plan.SubqueryAlias, *plan.TableAlias, *plan.ResolvedTable, *plan.ValueDerivedTable, *plan.EmptyTable, *plan.RecursiveTable:
		return true
	case *plan.GroupBy:
		return len(n.GroupByExprs) == 0 || !isRollup(n)
	case *plan.Having:
		return rowsJoin(ctx, n.Child)
	}
	return false
}

// hasOneRow reports whether the query n certainly has one row.
func hasOneRow(n sql.Node) bool {
	switch n := n.(type) {
	case *plan.Project, *plan.Sort, *plan.Distinct:
		return hasOneRow(n.Children()[0])
	case *plan.GroupBy:
		return len(n.GroupByExprs) == 0
	case *plan.ResolvedTable:
		return plan.IsDualTable(n.Table)
	}
	return false
}

// isRollup reports whether n is a GROUP BY WITH ROLLUP.
func isRollup(n *plan.GroupBy) bool {
	for _, e := range n.GroupByExprs {
		if marksRollup(e) {
			return true
		}
	}
	return false
}

// neverNull reports whether neither left nor a value of the subquery can be NULL.
func neverNull(ctx *sql.Context, left sql.Expression, s *plan.Subquery) bool {
	if left.IsNullable(ctx) || hasOuterJoin(s.Query) {
		return false
	}
	if t, ok := left.(expression.Tuple); ok {
		for _, e := range t {
			if e.IsNullable(ctx) {
				return false
			}
		}
	}
	for _, c := range s.Query.Schema(ctx) {
		if c.Nullable {
			return false
		}
	}
	aggregates := transform.InspectUp(ctx, s.Query, func(_ *sql.Context, n sql.Node) bool {
		_, is := n.(*plan.GroupBy)
		return is
	})
	return !aggregates
}

// hasOuterJoin reports whether n has columns that an outer join fills with NULLs.
func hasOuterJoin(n sql.Node) bool {
	if j, ok := n.(*plan.JoinNode); ok && j.Op.IsOuter() {
		return true
	}
	if _, ok := n.(*plan.SubqueryAlias); ok {
		return true // it may have one
	}
	for _, child := range n.Children() {
		if hasOuterJoin(child) {
			return true
		}
	}
	return false
}
