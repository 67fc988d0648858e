package planning

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/mends"
)

// hashedJoins makes joins look up by what must be equal, where another condition must be met, too, and where it is not known how many rows there are.
//
// go-mysql-server: joins by a hash only if all conditions of the join are equalities. With another one, such as a BETWEEN, it tests all conditions
// on each pair of rows. So it does where it takes a side for one row, as it takes a derived table whose rows it cannot estimate. MySQL: finds the
// rows that are equal by a hash, and tests the other conditions on these.
func hashedJoins(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	if !mends.HashedJoins.On() {
		return n, transform.SameTree, nil
	}
	return transform.NodeWithOpaque(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		j, ok := n.(*plan.JoinNode)
		if !ok || j.Filter == nil {
			return n, transform.SameTree, nil
		}
		left, right, op := j.Left(), j.Right(), j.Op
		switch op {
		case plan.JoinTypeInner, plan.JoinTypeLeftOuter, plan.JoinTypeSemi:
		case plan.JoinTypeRangeHeap, plan.JoinTypeLeftOuterRangeHeap:
			heap, ok := right.(*plan.RangeHeap)
			if !ok {
				return n, transform.SameTree, nil
			}
			if right, op = heap.Child, plan.JoinTypeInner; j.Op == plan.JoinTypeLeftOuterRangeHeap {
				op = plan.JoinTypeLeftOuter
			}
		default:
			return n, transform.SameTree, nil
		}
		leftKey, rightKey, others := hashKeys(ctx, j.Filter, columnsOf(left), columnsOf(right))
		if len(leftKey) == 0 || readsItself(right) || !others && op == j.Op && !hasDerived(j) {
			return n, transform.SameTree, nil // of equalities of tables alone go-mysql-server has made what it takes for the best
		}
		op = op.AsHash()
		return plan.NewJoin(left, plan.NewHashLookup(ctx, right, rightKey, leftKey, op), op, j.Filter), transform.NewTree, nil
	})
}

// hashKeys returns what must be equal in the rows of the two sides of a join, and whether there are other conditions.
func hashKeys(ctx *sql.Context, filter sql.Expression, left, right sql.ColSet) (leftKey, rightKey expression.Tuple, others bool) {
	for _, c := range expression.SplitConjunction(ctx, filter) {
		e, ok := c.(*expression.Equals)
		if !ok {
			others = true
			continue
		}
		a, fixedA := neededBy(ctx, e.Left())
		b, fixedB := neededBy(ctx, e.Right())
		switch {
		case !fixedA || !fixedB || a.Empty() || b.Empty():
			others = true
		case a.SubsetOf(left) && b.SubsetOf(right):
			leftKey, rightKey = append(leftKey, e.Left()), append(rightKey, e.Right())
		case a.SubsetOf(right) && b.SubsetOf(left):
			leftKey, rightKey = append(leftKey, e.Right()), append(rightKey, e.Left())
		default:
			others = true
		}
	}
	return leftKey, rightKey, others
}
