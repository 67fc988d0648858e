package planning

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends"
)

// placedConditions moves conditions in joins up to where all tables have been read that their subqueries refer to.
//
// go-mysql-server: may test a IN (SELECT b ...) where a has been read and b has not. MySQL: tests a condition when it has what that needs.
func placedConditions(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	if !mends.PlacedConditions.On() {
		return n, transform.SameTree, nil
	}
	if j, ok := n.(*plan.JoinNode); ok {
		p := placing{ctx: ctx, all: columnsOf(j)}
		placed, left, err := p.node(j)
		if err != nil || !p.moved {
			return n, transform.SameTree, err
		}
		return filtered(placed, left), transform.NewTree, nil
	}
	children, same := n.Children(), transform.SameTree
	changed := make([]sql.Node, len(children))
	for i, c := range children {
		to, kept, err := placedConditions(ctx, c)
		if err != nil {
			return n, transform.SameTree, err
		}
		changed[i], same = to, same && kept
	}
	if same {
		return n, transform.SameTree, nil
	}
	to, err := n.WithChildren(ctx, changed...)
	return to, transform.NewTree, err
}

// placing places the conditions of one join of several tables. Owned by one goroutine.
type placing struct {
	ctx   *sql.Context
	all   sql.ColSet // the columns of all tables
	moved bool
}

// node returns n without those of its conditions that need more columns than it has, and these.
func (p *placing) node(n sql.Node) (sql.Node, []sql.Expression, error) {
	switch n := n.(type) {
	case *plan.Filter:
		child, up, err := p.node(n.Child)
		if err != nil {
			return n, nil, err
		}
		here, above := p.split(expression.SplitConjunction(p.ctx, n.Expression), columnsOf(n))
		if len(above) == 0 && child == n.Child {
			return n, up, nil
		}
		return filtered(child, here), append(up, above...), nil
	case *plan.JoinNode:
		return p.join(n)
	case *plan.HashLookup, *plan.CachedResults:
		child, up, err := p.node(n.Children()[0])
		if err != nil || child == n.Children()[0] {
			return n, up, err
		}
		to, err := n.WithChildren(p.ctx, child)
		return to, up, err
	}
	return n, nil, nil
}

func (p *placing) join(n *plan.JoinNode) (sql.Node, []sql.Expression, error) {
	left, upLeft, err := p.node(n.Left())
	if err != nil {
		return n, nil, err
	}
	right, upRight, err := p.node(n.Right())
	if err != nil {
		return n, nil, err
	}
	inner := !n.Op.IsOuter() && !n.Op.IsPartial()
	var own, later []sql.Expression
	if inner && n.Filter != nil {
		own, later = p.split(expression.SplitConjunction(p.ctx, n.Filter), columnsOf(n))
	}
	if len(upLeft)+len(upRight)+len(later) == 0 && left == n.Left() && right == n.Right() {
		return n, nil, nil
	}
	to, err := n.WithChildren(p.ctx, left, right)
	if err != nil {
		return n, nil, err
	}
	j := to.(*plan.JoinNode)
	if len(later) > 0 {
		if len(own) == 0 {
			own = []sql.Expression{expression.NewLiteral(true, types.Boolean)}
		}
		j = j.WithFilter(expression.JoinAnd(own...))
	}
	if !inner { // a condition of the right side says which rows match
		here, above := p.split(upRight, columnsOf(n))
		if len(here) > 0 {
			if n.Filter != nil {
				here = append([]sql.Expression{n.Filter}, here...)
			}
			j = j.WithFilter(expression.JoinAnd(here...))
		}
		upRight = above
	}
	here, above := p.split(append(upLeft, upRight...), columnsOf(n))
	return filtered(j, here), append(above, later...), nil
}

// split returns those of the conditions that need no columns of the join but these, and the others.
func (p *placing) split(conditions []sql.Expression, columns sql.ColSet) (here, above []sql.Expression) {
	for _, c := range conditions {
		needed, _ := neededBy(p.ctx, c)
		if needed.Intersection(p.all).SubsetOf(columns) {
			here = append(here, c)
		} else {
			above, p.moved = append(above, c), true
		}
	}
	return here, above
}
