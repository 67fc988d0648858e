package planning

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// withConditions returns the plan planned, which was made of n by choosing orders of joins, with all conditions that the inner joins
// of n have.
//
// go-mysql-server: drops a condition if it joins the tables in an order that the place of the condition in the statement does not
// allow, while another condition allows it. MySQL: tests each condition. The conditions of inner joins, as OuterJoins leaves them,
// can be tested on the rows of the whole join.
func withConditions(ctx *sql.Context, n, planned sql.Node) (sql.Node, error) {
	if _, ok := n.(sql.OpaqueNode); ok {
		return planned, nil
	}
	if j, ok := n.(*plan.JoinNode); ok {
		lost := lostConditions(ctx, j, planned)
		if len(lost) == 0 {
			return planned, nil
		}
		return plan.NewFilter(expression.JoinAnd(lost...), planned), nil
	}
	before, after := n.Children(), planned.Children()
	if len(before) != len(after) {
		return planned, nil
	}
	var changed []sql.Node
	for i := range before {
		c, err := withConditions(ctx, before[i], after[i])
		if err != nil {
			return planned, err
		}
		if c != after[i] {
			if changed == nil {
				changed = append(changed, after...)
			}
			changed[i] = c
		}
	}
	if changed == nil {
		return planned, nil
	}
	return planned.WithChildren(ctx, changed...)
}

// lostConditions returns the conditions of inner joins in j that planned does not have.
func lostConditions(ctx *sql.Context, j *plan.JoinNode, planned sql.Node) []sql.Expression {
	asked := innerConditions(ctx, j)
	if len(asked) < 2 {
		return nil
	}
	has := map[string]bool{}
	var looked []*plan.IndexedTableAccess
	transform.Inspect(planned, func(n sql.Node) bool {
		var e sql.Expression
		switch n := n.(type) {
		case *plan.JoinNode:
			e = n.Filter
		case *plan.Filter:
			e = n.Expression
		case *plan.IndexedTableAccess:
			looked = append(looked, n)
		}
		for _, c := range splitRows(ctx, expression.SplitConjunction(ctx, e)) {
			has[c.String()] = true
			if swapped := swappedEquality(ctx, c); swapped != nil {
				has[swapped.String()] = true
			}
		}
		return true
	})
	var lost []sql.Expression
next:
	for _, c := range asked {
		if has[c.String()] {
			continue
		}
		for _, l := range looked {
			if looksUp(ctx, l, c) {
				continue next
			}
		}
		lost = append(lost, c)
	}
	return lost
}

// innerConditions returns the conditions of the inner joins whose rows are part of the rows of n.
func innerConditions(ctx *sql.Context, n sql.Node) []sql.Expression {
	j, ok := n.(*plan.JoinNode)
	if !ok {
		return nil
	}
	conditions := innerConditions(ctx, j.Left())
	if j.Op == plan.JoinTypeInner || j.Op == plan.JoinTypeCross {
		conditions = append(conditions, innerConditions(ctx, j.Right())...)
		conditions = append(conditions, splitRows(ctx, expression.SplitConjunction(ctx, j.Filter))...)
	}
	return conditions
}

// swappedEquality returns the equality e with its sides swapped, nil if it is none.
func swappedEquality(ctx *sql.Context, e sql.Expression) sql.Expression {
	q, ok := e.(expression.Equality)
	if !ok || !q.RepresentsEquality() {
		return nil
	}
	swapped, err := q.SwapParameters(ctx)
	if err != nil {
		return nil
	}
	return swapped
}

// looksUp reports whether the rows that l finds are those that fulfil the condition c, because c compares a column of the table with a key.
func looksUp(ctx *sql.Context, l *plan.IndexedTableAccess, c sql.Expression) bool {
	switch c.(type) {
	case expression.Equality, *expression.NullSafeEquals:
	default:
		return false
	}
	sides := c.Children()
	_, nullSafe := c.(*expression.NullSafeEquals)
	for k, key := range l.Expressions() {
		if l.NullMask()[k] != nullSafe {
			continue // go-mysql-server takes = for <=> if there is a <=> before it
		}
		for i, side := range sides {
			column, is := sides[1-i].(*expression.GetField)
			if is && l.Columns().Contains(column.Id()) && side.String() == key.String() {
				return true
			}
		}
	}
	return false
}
