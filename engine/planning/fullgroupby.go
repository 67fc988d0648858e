package planning

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends"
)

// fullGroupBy is go-mysql-server's rule for the SQL mode ONLY_FULL_GROUP_BY.
const fullGroupBy = "validateGroupBy"

// FullGroupBy makes the analyzer check ONLY_FULL_GROUP_BY as MySQL does.
//
// go-mysql-server: checks all columns of the rows that it sorts. So it refuses SELECT f(a), SUM(b)
// AS s ... GROUP BY f(a) ORDER BY s because of a. It also refuses expressions without columns, such
// as UTC_TIMESTAMP(), variables, and subqueries that read only other tables. MySQL: checks the
// select list. An expression without columns is a constant.
func FullGroupBy(a *analyzer.Analyzer) error {
	return ReplaceRule(a, fullGroupBy, func(r analyzer.Rule) []analyzer.Rule {
		apply := func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
			if flags.SubqueryIsSet() && mends.GroupByRule.On() {
				if err := refuseOuterAggregates(ctx, n); err != nil {
					return n, transform.SameTree, err
				}
			}
			_, _, err := r.Apply(ctx, a, n, scope, sel, flags)
			if err == nil || !mends.GroupByRule.On() {
				return n, transform.SameTree, err
			}
			if selected, same, failed := asSelected(ctx, n, scope.Correlated()); failed == nil && !same {
				_, _, err = r.Apply(ctx, a, selected, scope, sel, flags)
			}
			return n, transform.SameTree, err
		}
		return []analyzer.Rule{{Id: r.Id, Apply: apply}}
	})
}

// asSelected returns the plan that the rule checks. In this plan, the select list stands directly
// above the GROUP BY, and expressions without columns are constants, as are columns outside, those of queries around this one.
func asSelected(ctx *sql.Context, n sql.Node, outside sql.ColSet) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		switch n := n.(type) {
		case *plan.Project:
			var below sql.Node = n
			sorted, of := false, aggregates(n)
			for {
				child := below.Children()[0]
				switch c := child.(type) {
				case *plan.Sort:
					sorted = true
				case *plan.Having:
				case *plan.Project:
					if !sorted {
						return constants(ctx, n, of, outside)
					}
				case *plan.GroupBy:
					if !sorted {
						return constants(ctx, n, of, outside)
					}
					above, _, err := constants(ctx, n, of, outside)
					if err != nil {
						return nil, transform.SameTree, err
					}
					above, err = above.WithChildren(ctx, c)
					return above, transform.NewTree, err
				default:
					return constants(ctx, n, of, outside)
				}
				below = child
			}
		case *plan.GroupBy:
			selects, same, err := withConstants(ctx, n.SelectDeps, nil, outside)
			if err != nil || same == transform.SameTree {
				return n, transform.SameTree, err
			}
			changed := *n
			changed.SelectDeps = selects
			return &changed, transform.NewTree, nil
		}
		return n, transform.SameTree, nil
	})
}

// aggregates are the results of aggregate functions that the GROUP BY under a node has, if it has one. The rule of go-mysql-server knows
// them by their texts, and that of a subquery changes.
func aggregates(n sql.Node) map[sql.ColumnId]bool {
	of := map[sql.ColumnId]bool{}
	for {
		if g, ok := n.(*plan.GroupBy); ok {
			for _, e := range g.SelectDeps {
				if a, ok := e.(sql.Aggregation); ok {
					of[a.Id()] = true
				}
			}
			return of
		}
		children := n.Children()
		if len(children) != 1 {
			return of
		}
		n = children[0]
	}
}

// constants returns n with constants in the place of expressions without columns, and of the columns with these numbers.
func constants(ctx *sql.Context, n *plan.Project, of map[sql.ColumnId]bool, outside sql.ColSet) (sql.Node, transform.TreeIdentity, error) {
	exprs, same, err := withConstants(ctx, n.Projections, of, outside)
	if err != nil || same == transform.SameTree {
		return n, transform.SameTree, err
	}
	changed := *n
	changed.Projections = exprs
	return &changed, transform.NewTree, nil
}

// withConstants returns expressions with constants in the place of parts that depend on no column but those outside and those of.
func withConstants(ctx *sql.Context, all []sql.Expression, of map[sql.ColumnId]bool, outside sql.ColSet) ([]sql.Expression, transform.TreeIdentity, error) {
	same := transform.SameTree
	changed := slices.Clone(all)
	for i, e := range all {
		to, kept, err := withConstant(ctx, e, of, outside)
		if err != nil {
			return nil, transform.SameTree, err
		}
		changed[i], same = to, same && kept
	}
	return changed, same, nil
}

// withConstant is withConstants for one expression.
func withConstant(ctx *sql.Context, e sql.Expression, of map[sql.ColumnId]bool, outside sql.ColSet) (sql.Expression, transform.TreeIdentity, error) {
	one := expression.NewLiteral(int8(1), types.Int8)
	switch x := e.(type) {
	case *expression.GetField:
		if outside.Contains(x.Id()) || of[x.Id()] {
			return one, transform.NewTree, nil
		}
		return e, transform.SameTree, nil
	case *expression.Literal, sql.Aggregation:
		return e, transform.SameTree, nil
	case *plan.Subquery:
		if x.Correlated().Len() == 0 {
			return one, transform.NewTree, nil
		}
		return e, transform.SameTree, nil
	case *plan.ExistsSubquery:
		if x.Query.Correlated().Len() == 0 {
			return one, transform.NewTree, nil
		}
		return e, transform.SameTree, nil
	case *plan.InSubquery:
		if s, ok := x.Right().(*plan.Subquery); ok && s.Correlated().Len() == 0 {
			left, _, err := withConstant(ctx, x.Left(), of, outside)
			return left, transform.NewTree, err
		}
		return e, transform.SameTree, nil
	}
	children := e.Children()
	if len(children) == 0 {
		return one, transform.NewTree, nil
	}
	changed, same, err := withConstants(ctx, children, of, outside)
	if err != nil || same == transform.SameTree {
		return e, transform.SameTree, err
	}
	to, err := e.WithChildren(ctx, changed...)
	return to, transform.NewTree, err
}
