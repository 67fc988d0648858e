package planning

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/mends"
)

// mergedRows makes joins that merge two indexes of several columns test the columns of the rows that fit.
//
// go-mysql-server: takes NULL in a column behind the first one for equal to NULL. MySQL: NULL equals nothing.
func mergedRows(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	if !mends.MergedRows.On() {
		return n, transform.SameTree, nil
	}
	return transform.NodeWithOpaque(ctx, n, func(_ *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		j, ok := n.(*plan.JoinNode)
		if !ok || !j.Op.IsMerge() || j.Filter == nil {
			return n, transform.SameTree, nil
		}
		merged, ok := expression.SplitConjunction(ctx, j.Filter)[0].(expression.Comparer)
		if !ok {
			return n, transform.SameTree, nil
		}
		left, isRow := merged.Left().(expression.Tuple)
		right, areRows := merged.Right().(expression.Tuple)
		if !isRow || !areRows || len(left) != len(right) {
			return n, transform.SameTree, nil
		}
		filter := j.Filter
		for i := range left {
			filter = expression.NewAnd(filter, expression.NewEquals(left[i], right[i]))
		}
		return j.WithFilter(filter), transform.NewTree, nil
	})
}
