package settypes

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/sqlexpr"
)

// setOp changes a set operation: the parts of a chain of one kind, as in a UNION b UNION c, are
// converted to the type of all of them.
func (s *setTypes) setOp(n *plan.SetOp) (sql.Node, bool) {
	parts := s.parts(n, nil)
	if s.err != nil {
		return n, false
	}
	width := len(parts[0].node.Schema(s.ctx))
	kinds := make([]sql.Type, width)
	for i := range kinds {
		column := make([]sql.Expression, len(parts))
		for j, p := range parts {
			if len(p.columns) != width {
				return n, false // go-mysql-server has an error for it
			}
			column[j] = p.columns[i]
		}
		t, err := sqlexpr.AggregatedType(s.ctx, column, "UNION")
		if err != nil {
			s.fail(err)
			return n, false
		}
		kinds[i] = t
	}
	changed := false
	for _, p := range parts {
		changed = changed || p.changed || p.differs(s.ctx, kinds)
	}
	if !changed {
		return n, false
	}
	to, _ := s.converted(n, parts, kinds)
	return to, true
}

// setPart is a part of a set operation. Owned by one goroutine.
type setPart struct {
	node    sql.Node
	ids     []sql.ColumnId
	columns []sql.Expression // what its columns are made of
	changed bool             // go-mysql-server had another node here
}

// differs reports whether the part has columns of other types than these.
func (p *setPart) differs(ctx *sql.Context, kinds []sql.Type) bool {
	for i, c := range p.node.Schema(ctx) {
		if kinds[i] != nil && !kinds[i].Equals(c.Type) {
			return true
		}
	}
	return false
}

// parts adds the parts of n to all, from left to right.
func (s *setTypes) parts(n *plan.SetOp, all []*setPart) []*setPart {
	for i, side := range n.Children() {
		plain, conversion := withoutConversion(side)
		if inner, ok := plain.(*plan.SetOp); ok && joins(n, inner, i) {
			first := len(all)
			if all = s.parts(inner, all); conversion {
				all[first].changed = true
			}
			continue
		}
		p := &setPart{}
		p.node, p.changed = s.node(plain)
		p.changed = p.changed || conversion
		p.ids = sqlexpr.ColumnIDs(s.ctx, p.node)
		p.columns = s.columns(p)
		all = append(all, p)
	}
	return all
}

// joins reports whether inner, the side of outer with this number, is a part of the same chain.
func joins(outer, inner *plan.SetOp, side int) bool {
	return outer.SetOpType == inner.SetOpType && inner.Limit == nil && inner.Offset == nil && len(inner.SortFields) == 0 &&
		(side == 0 || outer.SetOpType == plan.UnionType)
}

// converted returns n with its parts converted to these types, and the parts that are left over.
func (s *setTypes) converted(n *plan.SetOp, parts []*setPart, kinds []sql.Type) (sql.Node, []*setPart) {
	var sides [2]sql.Node
	for i, side := range n.Children() {
		plain, _ := withoutConversion(side)
		if inner, ok := plain.(*plan.SetOp); ok && joins(n, inner, i) {
			sides[i], parts = s.converted(inner, parts, kinds)
			continue
		}
		sides[i] = s.convertedPart(parts[0], kinds)
		parts = parts[1:]
	}
	to, err := n.WithChildren(s.ctx, sides[0], sides[1])
	if err != nil {
		s.fail(err)
		return n, parts
	}
	return s.sorted(to.(*plan.SetOp)), parts
}

// sorted gives the columns in the ORDER BY of a set operation their types.
func (s *setTypes) sorted(n *plan.SetOp) sql.Node {
	if len(n.SortFields) == 0 {
		return n
	}
	inner := setTypes{ctx: s.ctx, types: map[sql.ColumnId]sql.Type{}}
	for i, id := range sqlexpr.ColumnIDs(s.ctx, n) {
		if id != 0 {
			inner.types[id] = n.Schema(s.ctx)[i].Type
		}
	}
	to, _ := inner.expressions(n)
	if inner.err != nil {
		s.fail(inner.err)
	}
	return to
}

// convertedPart returns a part with columns of these types.
func (s *setTypes) convertedPart(p *setPart, kinds []sql.Type) sql.Node {
	if !p.differs(s.ctx, kinds) {
		return p.node
	}
	return s.convertedNode(p, p.node, kinds)
}

// convertedNode returns n, a part or what is below its LIMIT and DISTINCT, with columns of these types. A projection converts them itself.
func (s *setTypes) convertedNode(p *setPart, n sql.Node, kinds []sql.Type) sql.Node {
	below := false
	switch n.(type) {
	case *plan.Limit, *plan.Offset:
		below = true
	case *plan.Distinct:
		below = !otherCollations(n.Schema(s.ctx), kinds)
	}
	if below {
		to, err := n.WithChildren(s.ctx, s.convertedNode(p, n.Children()[0], kinds))
		if err != nil {
			s.fail(err)
			return n
		}
		return to
	}
	schema, child := n.Schema(s.ctx), n
	project, ok := n.(*plan.Project)
	if ok {
		child = project.Child
	}
	columns := make([]sql.Expression, len(schema))
	for i, c := range schema {
		if ok {
			columns[i] = project.Projections[i]
		} else {
			own := &rowColumn{p.field(i, c), len(schema) - i}
			columns[i] = expression.NewAlias(c.Name, own).WithId(p.ids[i])
		}
		if kinds[i] != nil && !kinds[i].Equals(c.Type) {
			value := columns[i]
			if a, is := value.(*expression.Alias); is {
				value = a.Child
			}
			columns[i] = expression.NewAlias(c.Name, sqlexpr.NewAggregated(value, kinds[i])).WithId(p.ids[i])
		}
	}
	return plan.NewProject(columns, child)
}

// otherCollations reports whether one of the types has another collation than its column, so that other texts are equal.
func otherCollations(schema sql.Schema, kinds []sql.Type) bool {
	for i, c := range schema {
		to, ok := kinds[i].(sql.TypeWithCollation)
		if own, text := c.Type.(sql.TypeWithCollation); ok && text && own.Collation() != to.Collation() {
			return true
		}
	}
	return false
}

// withoutConversion returns the side n of a set operation without the projection in which
// go-mysql-server converts its columns, and reports whether there was one.
func withoutConversion(n sql.Node) (sql.Node, bool) {
	p, ok := n.(*plan.Project)
	if !ok {
		return n, false
	}
	converts := false
	for _, e := range p.Projections {
		switch e := e.(type) {
		case *expression.GetField:
		case *expression.Alias:
			switch e.Child.(type) {
			case *expression.Convert, *expression.GetField: // which has the type already
			default:
				return n, false
			}
			if e.Id() != 0 { // an alias of the statement
				return n, false
			}
			converts = true
		default:
			return n, false
		}
	}
	if !converts {
		return n, false
	}
	return p.Child, true
}

// columns returns the expressions of which the columns of a part are made.
func (s *setTypes) columns(p *setPart) []sql.Expression {
	n := p.node
	for {
		switch at := n.(type) {
		case *plan.Project:
			return at.Projections
		case *plan.Distinct, *plan.Limit, *plan.Offset, *plan.Sort, *plan.TopN:
			n = at.Children()[0]
			continue
		}
		break
	}
	schema := p.node.Schema(s.ctx)
	columns := make([]sql.Expression, len(schema))
	for i, c := range schema {
		columns[i] = p.field(i, c)
	}
	return columns
}

// field returns column i of the part, which is c of its schema.
func (p *setPart) field(i int, c *sql.Column) *expression.GetField {
	return expression.NewGetFieldWithTable(int(p.ids[i]), 0, c.Type, c.DatabaseSource, c.Source, c.Name, c.Nullable).WithId(p.ids[i]).(*expression.GetField)
}
