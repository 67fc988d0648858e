package planning

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends"
)

// TopRows is an analyzer rule that runs after the choice of join orders. It finds the first rows of a statement with ORDER BY and LIMIT before it looks for
// what outer joins add to them, also if the LIMIT stands around a view or a derived table and the ORDER BY in it.
//
// go-mysql-server: joins all rows, calculates all columns of a view for all of them, and takes the first. MySQL: does so for views with ORDER BY, and
// sorts before it joins where the columns are those of the first table. An outer join leaves each row of its left side where it is, so that
// the first rows of the left side are those of the join.
func TopRows(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	if !mends.TopRows.On() || !n.Resolved() || plan.IsNoRowNode(n) {
		return n, transform.SameTree, nil
	}
	return transform.Node(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		limit, ok := n.(*plan.Limit)
		if !ok || limit.CalcFoundRows {
			return n, transform.SameTree, nil
		}
		rows, child := literalOf(limit.Limit), limit.Child
		if offset, ok := child.(*plan.Offset); ok {
			rows += literalOf(offset.Offset)
		}
		if rows == 0 || rows > mostTopRows {
			return n, transform.SameTree, nil
		}
		limited, err := firstRows(ctx, child, rows)
		if limited == nil || err != nil {
			return n, transform.SameTree, err
		}
		n, err = limit.WithChildren(ctx, limited)
		return n, transform.NewTree, err
	})
}

// mostTopRows is how many rows a LIMIT has at most that is looked at: more are not kept while others are read, but sorted.
const mostTopRows = 10_000

// literalOf is the number that e is, a large one if it is none.
func literalOf(e sql.Expression) int64 {
	if l, ok := e.(*expression.Literal); ok {
		if v, ok := l.Value().(int64); ok && v >= 0 {
			return min(v, mostTopRows+1)
		}
	}
	return mostTopRows + 1
}

// firstRows returns n with the first rows alone where they are sorted, nil if there is no such place.
func firstRows(ctx *sql.Context, n sql.Node, rows int64) (sql.Node, error) {
	switch n := n.(type) {
	case *plan.Offset, *plan.Project:
		child, err := firstRows(ctx, n.Children()[0], rows)
		if child == nil || err != nil {
			return nil, err
		}
		return n.WithChildren(ctx, child)
	case *plan.SubqueryAlias:
		if !isSorted(n.Child) || changesSomething(ctx, n.Child) {
			return nil, nil
		}
		return n.WithChild(firstOf(n.Child, rows)), nil
	case *plan.Sort:
		joined, err := sortedBefore(ctx, n.Child, n.SortFields, rows)
		if joined == nil || err != nil {
			return nil, err
		}
		return n.WithChildren(ctx, joined)
	}
	return nil, nil
}

// firstOf returns the first rows of n.
func firstOf(n sql.Node, rows int64) sql.Node {
	return plan.NewLimit(expression.NewLiteral(rows, types.Int64), n)
}

// isSorted reports whether n sorts its rows.
func isSorted(n sql.Node) bool {
	switch n := n.(type) {
	case *plan.Sort:
		return true
	case *plan.Project:
		return isSorted(n.Child)
	}
	return false
}

// sortedBefore returns the join n with the first rows of its left side alone, in the order of fields. It is nil if n is no join that leaves each row of
// the left side where it is, or if the order needs other columns.
func sortedBefore(ctx *sql.Context, n sql.Node, fields sql.SortFields, rows int64) (sql.Node, error) {
	j, ok := n.(*plan.JoinNode)
	if !ok {
		return nil, nil
	}
	switch j.Op {
	case plan.JoinTypeLeftOuter, plan.JoinTypeLeftOuterHash, plan.JoinTypeLeftOuterLookup:
	default:
		return nil, nil
	}
	columns := columnsOf(j.Left())
	for _, f := range fields {
		if needed, movable := neededBy(ctx, f.Column); !movable || needed.Empty() || !needed.SubsetOf(columns) {
			return nil, nil
		}
	}
	left, err := sortedBefore(ctx, j.Left(), fields, rows)
	if err != nil {
		return nil, err
	}
	if left == nil {
		left = firstOf(plan.NewSort(fields, j.Left()), rows)
	}
	return j.WithChildren(ctx, left, j.Right())
}
