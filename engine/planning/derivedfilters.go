package planning

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends"
	"pfsd/engine/syntax"
)

// DerivedFilters returns the rule that moves conditions on a derived table, a view or a common table expression into it. push is
// go-mysql-server's rule.
//
// go-mysql-server: moves a condition below window functions, below GROUP BY with other columns, and below whatever else has
// another result for fewer rows. MySQL: moves it only where the result stays the same: below a window function if the condition
// needs only columns of PARTITION BY, below GROUP BY if it needs only columns of GROUP BY, and never below LIMIT.
func DerivedFilters(push analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if !mends.DerivedFilters.On() {
			return push(ctx, a, n, scope, sel, flags)
		}
		if _, insert := n.(*plan.InsertInto); insert || !n.Resolved() || plan.IsNoRowNode(n) {
			return n, transform.SameTree, nil
		}
		s := sinker{outer: scope.Correlated()}
		return transform.Node(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
			f, ok := n.(*plan.Filter)
			if !ok {
				return n, transform.SameTree, nil
			}
			child, rest := f.Child, []sql.Expression(nil)
			conditions := expression.SplitConjunction(ctx, f.Expression)
			if isVolatile(ctx, f.Expression) {
				return n, transform.SameTree, nil
			}
			for _, c := range conditions {
				sunk, err := s.toDerived(ctx, child, c)
				if err != nil {
					return n, transform.SameTree, err
				}
				if sunk == nil {
					rest = append(rest, c)
				} else {
					child = sunk
				}
			}
			switch len(rest) {
			case len(conditions):
				return n, transform.SameTree, nil
			case 0:
				return child, transform.NewTree, nil
			}
			return plan.NewFilter(expression.JoinAnd(rest...), child), transform.NewTree, nil
		})
	}
}

// sinker moves conditions towards tables. Each method returns n with the condition in it, nil if it cannot be there.
type sinker struct {
	outer sql.ColSet // columns of the statements around this one, which have one value
}

// toDerived moves the condition c into the derived table below n that it needs columns of.
func (s sinker) toDerived(ctx *sql.Context, n sql.Node, c sql.Expression) (sql.Node, error) {
	switch n := n.(type) {
	case *plan.SubqueryAlias:
		return s.into(ctx, n, c)
	case *plan.JoinNode:
		return s.intoSide(ctx, n, c, s.toDerived)
	case *plan.Filter, *plan.Sort, *plan.Distinct, *plan.TableAlias:
		return s.below(ctx, n, c, s.toDerived)
	}
	return nil, nil
}

// into moves c into the derived table n.
func (s sinker) into(ctx *sql.Context, n *plan.SubqueryAlias, c sql.Expression) (sql.Node, error) {
	if _, recursive := n.Child.(*plan.RecursiveCte); recursive || n.ScopeMapping == nil || changesSomething(ctx, n.Child) {
		return nil, nil
	}
	needed, movable := neededBy(ctx, c)
	columns := n.Columns()
	if outer := needed.Difference(columns); !movable || !needed.Intersects(columns) || !outer.SubsetOf(s.outer.Union(n.Correlated)) {
		return nil, nil
	}
	inside, ok, err := replaced(ctx, c, columns, n.ScopeMapping)
	if !ok || err != nil {
		return nil, err
	}
	child, err := s.sink(ctx, n.Child, inside)
	if child == nil || err != nil {
		return nil, err
	}
	outer := needed.Difference(columns)
	derived := n.WithChild(child)
	if !outer.Empty() {
		derived = derived.WithCorrelated(n.Correlated.Union(outer))
		derived.IsLateral = true
	}
	return derived, nil
}

// sink moves c, which needs columns of n, as far towards the tables as it can be.
func (s sinker) sink(ctx *sql.Context, n sql.Node, c sql.Expression) (sql.Node, error) {
	switch n := n.(type) {
	case *plan.SubqueryAlias:
		return s.into(ctx, n, c)
	case *plan.Project:
		projected := map[sql.ColumnId]sql.Expression{}
		var columns sql.ColSet
		for _, e := range n.Projections {
			if a, ok := e.(*expression.Alias); ok {
				projected[a.Id()] = a.Child
				columns.Add(a.Id())
			}
		}
		if calculatedHere(ctx, c, n, columns) {
			return nil, nil
		}
		inside, ok, err := replaced(ctx, c, columns, projected)
		if !ok || err != nil {
			return nil, err
		}
		return s.below(ctx, n, inside, s.sink)
	case *plan.Sort:
		return s.below(ctx, n, c, s.sink)
	case *plan.Distinct:
		if len(n.DistinctOn()) > 0 || !sameForEquals(ctx, c) {
			return nil, nil
		}
		return s.below(ctx, n, c, s.sink)
	case *plan.Having:
		return s.below(ctx, n, c, s.sink)
	case *plan.GroupBy:
		if s.needsOnly(ctx, c, n.GroupByExprs) {
			return s.below(ctx, n, c, s.sink)
		}
		if s.needsCalculated(ctx, c) {
			return plan.NewFilter(c, n), nil
		}
		return nil, nil
	case *plan.Window:
		for _, e := range n.SelectExprs {
			if !s.movesBelow(ctx, c, e) {
				return nil, nil
			}
		}
		return s.below(ctx, n, c, s.sink)
	case *plan.Filter:
		if volatile := isVolatile(ctx, n.Expression); volatile {
			return nil, nil
		}
		child, err := s.sink(ctx, n.Child, c)
		if child == nil && err == nil {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return filtered(child, []sql.Expression{n.Expression}), nil
	case *plan.JoinNode:
		joined, err := s.intoSide(ctx, n, c, s.sink)
		if joined == nil && err == nil {
			return plan.NewFilter(c, n), nil
		}
		return joined, err
	case *plan.ResolvedTable, *plan.TableAlias, *plan.ValueDerivedTable, *plan.JSONTable:
		return plan.NewFilter(c, n), nil
	}
	return nil, nil
}

// calculatedHere reports whether c needs a column that n calculates, and that is not among columns: go-mysql-server gives the results of
// subqueries a number of their own, which only their names tell.
func calculatedHere(ctx *sql.Context, c sql.Expression, n *plan.Project, columns sql.ColSet) (found bool) {
	sql.Inspect(ctx, c, func(_ *sql.Context, e sql.Expression) bool {
		if f, ok := e.(*expression.GetField); ok && f.Table() == "" && !columns.Contains(f.Id()) {
			for _, p := range n.Projections {
				a, ok := p.(*expression.Alias)
				found = found || ok && strings.EqualFold(a.Name(), f.Name())
			}
		}
		return !found
	})
	return found
}

// below moves c below n, which has one child.
func (s sinker) below(ctx *sql.Context, n sql.Node, c sql.Expression, sink func(*sql.Context, sql.Node, sql.Expression) (sql.Node, error)) (sql.Node, error) {
	child, err := sink(ctx, n.Children()[0], c)
	if child == nil || err != nil {
		return nil, err
	}
	return n.WithChildren(ctx, child)
}

// intoSide moves c to the side of a join that has all columns that it needs.
func (s sinker) intoSide(ctx *sql.Context, n *plan.JoinNode, c sql.Expression, sink func(*sql.Context, sql.Node, sql.Expression) (sql.Node, error)) (sql.Node, error) {
	needed, movable := neededBy(ctx, c)
	if needed = needed.Difference(s.outer); !movable || needed.Empty() {
		return nil, nil
	}
	children := n.Children()
	switch {
	case n.Op.IsFullOuter() || n.Op.IsRightOuter():
		return nil, nil
	case needed.SubsetOf(columnsOf(n.Left())):
		left, err := sink(ctx, n.Left(), c)
		if left == nil || err != nil {
			return nil, err
		}
		return n.WithChildren(ctx, left, children[1])
	case (n.Op == plan.JoinTypeInner || n.Op == plan.JoinTypeCross) && needed.SubsetOf(columnsOf(n.Right())):
		right, err := sink(ctx, n.Right(), c)
		if right == nil || err != nil {
			return nil, err
		}
		return n.WithChildren(ctx, children[0], right)
	}
	return nil, nil
}

// needsCalculated reports whether c needs columns that are calculated, and no others, so that it stays where it is.
func (s sinker) needsCalculated(ctx *sql.Context, c sql.Expression) bool {
	needed, movable := neededBy(ctx, c)
	calculated := movable && !needed.Empty()
	sql.Inspect(ctx, c, func(_ *sql.Context, e sql.Expression) bool {
		if f, ok := e.(*expression.GetField); ok && f.Table() != "" {
			calculated = false
		}
		return calculated
	})
	return calculated && !needed.Intersects(s.outer)
}

// movesBelow reports whether the rows that the window functions in e have for a row stay the same if c is tested before.
func (s sinker) movesBelow(ctx *sql.Context, c, e sql.Expression) bool {
	moves := true
	sql.Inspect(ctx, e, func(ctx *sql.Context, e sql.Expression) bool {
		w, ok := e.(sql.WindowAdaptableExpression)
		if ok && (w.Window() == nil || !s.needsOnly(ctx, c, w.Window().PartitionBy)) {
			moves = false
		}
		return moves
	})
	return moves
}

// needsOnly reports whether c has one value for all rows in which these expressions are equal, because it needs no other columns.
func (s sinker) needsOnly(ctx *sql.Context, c sql.Expression, by []sql.Expression) bool {
	var columns sql.ColSet
	for _, e := range by {
		if f, ok := e.(*expression.GetField); ok {
			columns.Add(f.Id())
		} else if marksRollup(e) {
			return false
		}
	}
	needed, movable := neededBy(ctx, c)
	needed = needed.Difference(s.outer)
	return movable && !needed.Empty() && needed.SubsetOf(columns) && sameForEquals(ctx, c)
}

// marksRollup reports whether e marks a GROUP BY as WITH ROLLUP.
func marksRollup(e sql.Expression) bool {
	f, ok := e.(sql.FunctionExpression)
	return ok && f.FunctionName() == syntax.Rollup
}

// sameForEquals reports whether c has the same value for texts that are equal, such as 'a' and 'A'.
func sameForEquals(ctx *sql.Context, c sql.Expression) bool {
	switch c := c.(type) {
	case *expression.And, *expression.Or, *expression.Not:
		for _, child := range c.Children() {
			if !sameForEquals(ctx, child) {
				return false
			}
		}
		return true
	case sql.IsNullExpression, sql.IsNotNullExpression:
		return true
	}
	var collation sql.CollationID
	same := true
	sql.Inspect(ctx, c, func(ctx *sql.Context, e sql.Expression) bool {
		f, ok := e.(*expression.GetField)
		if !ok {
			return true
		}
		t, ok := f.Type(ctx).(sql.TypeWithCollation)
		switch {
		case !ok || t.Collation() == sql.Collation_binary || !types.IsText(f.Type(ctx)):
		case collation == 0 || collation == t.Collation():
			collation = t.Collation()
		default:
			same = false
		}
		return true
	})
	if collation == 0 || !same {
		return same
	}
	// The column itself is compared with values that bring no other collation.
	switch c := c.(type) {
	case *expression.Equals, *expression.NullSafeEquals, *expression.GreaterThan, *expression.GreaterThanOrEqual, *expression.LessThan, *expression.LessThanOrEqual, *expression.InTuple, *expression.HashInTuple:
		for _, operand := range c.Children() {
			if !comparedAsItIs(ctx, operand, collation) {
				return false
			}
		}
		return true
	}
	return false
}

// comparedAsItIs reports whether e is a column with the collation, a number, or a value without a collation of its own.
func comparedAsItIs(ctx *sql.Context, e sql.Expression, collation sql.CollationID) bool {
	switch e := e.(type) {
	case *expression.GetField, *expression.BindVar:
		return true
	case *expression.Literal:
		return !types.IsBinaryType(e.Type(ctx))
	case expression.Tuple:
		for _, of := range e {
			if !comparedAsItIs(ctx, of, collation) {
				return false
			}
		}
		return true
	}
	return false
}

// replaced returns c with columns replaced by the columns that stand for them. ok is false if something else stands for one.
func replaced(ctx *sql.Context, c sql.Expression, columns sql.ColSet, by map[sql.ColumnId]sql.Expression) (e sql.Expression, ok bool, err error) {
	ok = true
	e, _, err = transform.Expr(ctx, c, func(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		f, is := e.(*expression.GetField)
		if !is || !columns.Contains(f.Id()) {
			return e, transform.SameTree, nil
		}
		column, is := by[f.Id()].(*expression.GetField) // others have another type or collation than the column has
		if !is {
			ok = false
			return e, transform.SameTree, nil
		}
		return column, transform.NewTree, nil
	})
	return e, ok, err
}

// changesSomething reports whether the rows of n change something when they are calculated, such as a user variable.
func changesSomething(ctx *sql.Context, n sql.Node) (changes bool) {
	transform.InspectWithOpaque(ctx, n, func(ctx *sql.Context, n sql.Node) bool {
		if e, ok := n.(sql.Expressioner); ok {
			for _, e := range e.Expressions() {
				changes = changes || isVolatile(ctx, e)
			}
		}
		return !changes
	})
	return changes
}
