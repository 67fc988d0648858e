package settypes

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation/window"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends"
	"pfsd/engine/sqlexpr"
)

// Rule is an analyzer rule that does what [Mended] does, for plans that do not come from
// a statement, such as those of triggers. A plan that has the right types stays as it is.
func Rule(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, scope *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	if scope.RecursionDepth() > 0 { // a query in one for which the rule has done it
		return n, transform.SameTree, nil
	}
	to, changed, err := withSetTypes(ctx, n)
	if err != nil {
		return nil, transform.SameTree, err
	}
	return to, transform.TreeIdentity(!changed), nil
}

// Mended returns n, the plan of a statement before it is analyzed, such that the columns of
// its set operations have MySQL's types, and the expressions that use them too.
//
// go-mysql-server: converts both sides of each set operation to types that are not MySQL's, and
// gives them no type that all parts have. MySQL: the type of a column depends on those of all parts.
func Mended(ctx *sql.Context, n sql.Node) (sql.Node, error) {
	n, _, err := withSetTypes(ctx, n)
	return n, err
}

// withSetTypes is Mended. It reports whether it has changed the plan.
func withSetTypes(ctx *sql.Context, n sql.Node) (sql.Node, bool, error) {
	if !mends.SetTypes.On() || !hasMadeTypes(ctx, n) {
		return n, false, nil
	}
	s := setTypes{ctx: ctx, types: map[sql.ColumnId]sql.Type{}}
	n, changed := s.node(n)
	return n, changed, s.err
}

// countsRows reports whether e is a window function that counts rows or groups of them.
//
// go-mysql-server: NTILE is a DOUBLE, and ROW_NUMBER a BIGINT. MySQL: both are BIGINT UNSIGNED.
func countsRows(e sql.Expression) bool {
	switch e.(type) {
	case *window.NTile, *window.RowNumber:
		return mends.RowCounts.On()
	}
	return false
}

// hasMadeTypes reports whether a query or one of its subqueries has a set operation, a text with a collation of its own or a number of rows, or
// makes a table.
func hasMadeTypes(ctx *sql.Context, n sql.Node) (found bool) {
	var inside func(sql.Node)
	inside = func(n sql.Node) {
		transform.InspectWithOpaque(ctx, n, func(ctx *sql.Context, n sql.Node) bool {
			if found {
				return false
			}
			switch n := n.(type) {
			case *plan.SetOp, *plan.RecursiveCte:
				found = true
			case *plan.Project, *plan.GroupBy, *plan.Window:
				found = slices.ContainsFunc(n.(sql.Expressioner).Expressions(), func(e sql.Expression) bool {
					_, made := madeCollation(ctx, e, false)
					return made || countsRows(e)
				})
			case *plan.CreateTable:
				found = n.Select() != nil
			case *plan.InsertInto:
				inside(n.Source)
			}
			if e, ok := n.(sql.Expressioner); ok && !found {
				for _, e := range e.Expressions() {
					sql.Inspect(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
						if e, ok := e.(sql.ExpressionWithNodes); ok {
							for _, n := range e.NodeChildren() {
								inside(n)
							}
						}
						return !found
					})
				}
			}
			return !found
		})
	}
	inside(n)
	return found
}

// setTypes changes one statement. Owned by one goroutine.
type setTypes struct {
	ctx   *sql.Context
	types map[sql.ColumnId]sql.Type // of the columns that have another type than go-mysql-server gave them
	store bool                      // the rows are stored in a table, whose columns have the types
	err   error                     // the first error
}

func (s *setTypes) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// node changes n and what is below it. It reports whether something has changed.
func (s *setTypes) node(n sql.Node) (sql.Node, bool) {
	if n == nil || s.err != nil {
		return n, false
	}
	switch n := n.(type) {
	case *plan.SetOp:
		return s.setOp(n)
	case *plan.RecursiveCte:
		return s.recursive(n)
	case *plan.SubqueryAlias:
		to, changed := s.children(n)
		if sq, ok := to.(*plan.SubqueryAlias); ok && changed {
			s.note(sq.Columns(), sq.Schema(s.ctx))
		}
		return to, changed
	case *plan.InsertInto:
		if n.Source != nil {
			if source, changed := s.node(n.Source); changed {
				to, _ := s.expressions(n.WithSource(source))
				return to, true
			}
		}
	case *plan.CreateTable:
		return s.created(n)
	}
	to, below := s.children(n)
	to, here := s.expressions(to)
	return to, below || here
}

// note notes the types of columns.
func (s *setTypes) note(ids sql.ColSet, schema sql.Schema) {
	if ids.Len() != len(schema) {
		return
	}
	i := 0
	ids.ForEach(func(id sql.ColumnId) {
		s.types[id] = schema[i].Type
		i++
	})
}

func (s *setTypes) children(n sql.Node) (sql.Node, bool) {
	old := n.Children()
	var changed []sql.Node
	for i, c := range old {
		if to, ok := s.node(c); ok {
			if changed == nil {
				changed = slices.Clone(old)
			}
			changed[i] = to
		}
	}
	if changed == nil || s.err != nil {
		return n, false
	}
	to, err := n.WithChildren(s.ctx, changed...)
	if err != nil {
		s.fail(err)
		return n, false
	}
	return to, true
}

// expressions gives the columns in the expressions of n their types.
func (s *setTypes) expressions(n sql.Node) (sql.Node, bool) {
	e, ok := n.(sql.Expressioner)
	if !ok || s.err != nil {
		return n, false
	}
	old := e.Expressions()
	var changed []sql.Expression
	for i, o := range old {
		if f, ok := o.(sql.IdExpression); ok && countsRows(o) {
			s.types[f.Id()] = types.Uint64
		}
		to := s.collated(n, o, s.expression(o))
		if to == nil {
			continue
		}
		if changed == nil {
			changed = slices.Clone(old)
		}
		changed[i] = to
		s.noteChanged(o, to)
	}
	if changed == nil || s.err != nil {
		return n, false
	}
	to, err := e.WithExpressions(s.ctx, changed...)
	if err != nil {
		s.fail(err)
		return n, false
	}
	return to, true
}

// noteChanged notes the types of the columns that an expression makes, if they have changed.
func (s *setTypes) noteChanged(old, to sql.Expression) {
	for {
		id, ok := to.(sql.IdExpression)
		if _, column := to.(*expression.GetField); ok && !column && id.Id() != 0 {
			if t := to.Type(s.ctx); t != nil && !t.Equals(old.Type(s.ctx)) {
				s.types[id.Id()] = t
			}
		}
		a, ok := to.(*expression.Alias)
		b, was := old.(*expression.Alias)
		if !ok || !was {
			return
		}
		old, to = b.Child, a.Child
	}
}

// expression returns e with the types of its columns, nil if it stays as it is.
func (s *setTypes) expression(e sql.Expression) sql.Expression {
	to, same, err := transform.Expr(s.ctx, e, func(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		switch e := e.(type) {
		case *expression.GetField:
			if t, ok := s.types[e.Id()]; ok && !t.Equals(e.Type(ctx)) {
				return withType(ctx, e, t), transform.NewTree, nil
			}
		case sql.ExpressionWithNodes:
			old := e.NodeChildren()
			changed, same := make([]sql.Node, len(old)), true
			for i, n := range old {
				to, other := s.node(n)
				changed[i], same = to, same && !other
			}
			if same || s.err != nil {
				return e, transform.SameTree, s.err
			}
			to, err := e.WithNodeChildren(ctx, changed...)
			return to, transform.NewTree, err
		case *function.If, *function.IfNull, *function.Coalesce, *expression.Case:
			// Which NewConditional has left as it is, because the types of its values were equal.
			if c := sqlexpr.NewConditional(ctx, e); c != e {
				return c, transform.NewTree, nil
			}
		}
		return e, transform.SameTree, nil
	})
	if err != nil {
		s.fail(err)
		return nil
	}
	if same {
		return nil
	}
	if a, ok := to.(*expression.Alias); ok { // its copy has lost its number
		to = a.WithId(e.(*expression.Alias).Id()).(sql.Expression)
	}
	return to
}

// withType returns the column f as a column of type t.
func withType(ctx *sql.Context, f *expression.GetField, t sql.Type) *expression.GetField {
	to := expression.NewGetFieldWithTable(f.Index(), int(f.TableId()), t, f.Database(), f.Table(), f.Name(), f.IsNullable(ctx))
	return to.WithId(f.Id()).(*expression.GetField)
}

// recursive changes a recursive query. Its columns have the types of its first part.
func (s *setTypes) recursive(n *plan.RecursiveCte) (sql.Node, bool) {
	left, first := s.node(n.Left())
	if s.err != nil {
		return n, false
	}
	if first {
		schema := n.Schema(s.ctx)
		for i, c := range left.Schema(s.ctx) {
			if i < len(schema) {
				schema[i].Type = c.Type.Promote() // the table of the recursive part has the same columns
			}
		}
		s.note(n.Columns(), schema)
	}
	right, second := s.node(n.Right())
	if s.err != nil || !first && !second {
		return n, false
	}
	to, err := n.WithChildren(s.ctx, left, right)
	if err != nil {
		s.fail(err)
		return n, false
	}
	to, _ = s.expressions(to)
	return to, true
}

// created changes a CREATE TABLE with a query. The columns that the query makes have its types.
func (s *setTypes) created(n *plan.CreateTable) (sql.Node, bool) {
	s.store = true
	to, ok := s.children(n)
	if s.err != nil || !ok {
		return n, false
	}
	changed, ok := to.(*plan.CreateTable)
	if !ok || n.Select() == nil {
		return to, true
	}
	old, made := n.Select().Schema(s.ctx), changed.Select().Schema(s.ctx)
	columns := n.PkSchema().Schema
	for i, c := range made {
		if at := columns.IndexOfColName(c.Name); at >= 0 && i < len(old) && columns[at].Type.Equals(old[i].Type) {
			columns[at].Type = c.Type
		}
	}
	return to, true
}
