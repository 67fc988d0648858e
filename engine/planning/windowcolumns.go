package planning

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/mends"
)

// WindowColumns is an analyzer rule that lets columns pass through the windows of a query if a
// subquery above needs them.
//
// go-mysql-server: the rows behind the windows have only columns that the select list names outside
// of subqueries. A subquery that uses another one compares with something else, so
// SELECT (SELECT COUNT(*) FROM u WHERE u.a = t.a), ROW_NUMBER() OVER () FROM t has 0 in all rows.
// MySQL: the subquery uses the row of the table.
func WindowColumns(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	if !mends.WindowColumns.On() || !flags.SubqueryIsSet() {
		return n, transform.SameTree, nil
	}
	windows := false
	transform.InspectWithOpaque(ctx, n, func(ctx *sql.Context, n sql.Node) bool {
		_, is := n.(*plan.Window)
		windows = windows || is
		return !windows
	})
	if !windows {
		return n, transform.SameTree, nil
	}
	to, _, err := passColumns(ctx, n, nil)
	if err != nil {
		return nil, transform.SameTree, err
	}
	return to, transform.NewTree, nil
}

// columnsByID has columns by their numbers, which are unique in a statement.
type columnsByID map[sql.ColumnId]*expression.GetField

// passColumns returns n, whose rows also have those of the columns above that are below a window.
// Nodes above n use these columns in subqueries. passed has the columns that the rows have now.
func passColumns(ctx *sql.Context, n sql.Node, above columnsByID) (to sql.Node, passed columnsByID, err error) {
	wanted := columnsByID{}
	for id, f := range above {
		wanted[id] = f
	}
	_, isWindow := n.(*plan.Window)
	if e, ok := n.(sql.Expressioner); ok && !isWindow {
		for _, e := range e.Expressions() {
			columnsOfSubqueries(ctx, e, wanted)
		}
	}
	if o, ok := n.(sql.OpaqueNode); ok && o.Opaque() {
		wanted = columnsByID{} // the query inside has its own rows
	}
	if isWindow {
		wanted = columnsByID{}
	}
	passed = columnsByID{}
	children := append([]sql.Node{}, n.Children()...)
	for i, c := range children {
		var below columnsByID
		if children[i], below, err = passColumns(ctx, c, wanted); err != nil {
			return nil, nil, err
		}
		for id, f := range below {
			passed[id] = f
		}
	}
	if len(children) > 0 {
		if n, err = n.WithChildren(ctx, children...); err != nil {
			return nil, nil, err
		}
	}
	switch p := n.(type) {
	case *plan.Window:
		all := append([]sql.Expression{}, p.SelectExprs...)
		for id, f := range above {
			if has(all, id) || !hasBelow(p.Child, id) {
				continue
			}
			if !provides(p.Child, id) {
				return nil, nil, mysql.NewSQLError(1235, "42000", "This version of MySQL doesn't yet support 'a subquery that uses this column beside window functions: %s'", f.String())
			}
			all = append(all, f)
			passed[id] = f
		}
		return plan.NewWindow(all, p.Child), passed, nil
	case *plan.Project:
		all := append([]sql.Expression{}, p.Projections...)
		kept := columnsByID{}
		for id, f := range passed {
			if above[id] == nil {
				continue
			}
			kept[id] = f
			if !has(all, id) {
				all = append(all, f)
			}
		}
		if len(all) > len(p.Projections) {
			n = plan.NewProject(all, p.Child)
		}
		return n, kept, nil
	}
	if o, ok := n.(sql.OpaqueNode); ok && o.Opaque() {
		passed = nil
	}
	return n, passed, nil
}

// columnsOfSubqueries adds the columns that subqueries of e use to all.
func columnsOfSubqueries(ctx *sql.Context, e sql.Expression, all columnsByID) {
	sql.Inspect(ctx, e, func(ctx *sql.Context, e sql.Expression) bool {
		if s, ok := e.(sql.ExpressionWithNodes); ok {
			for _, n := range s.NodeChildren() {
				transform.InspectExpressions(ctx, n, func(ctx *sql.Context, e sql.Expression) bool {
					if f, ok := e.(*expression.GetField); ok && f.Id() > 0 {
						all[f.Id()] = f
					}
					columnsOfSubqueries(ctx, e, all)
					return true
				})
			}
		}
		return true
	})
}

// has reports whether one of the expressions is the column with this number.
func has(all []sql.Expression, id sql.ColumnId) bool {
	for _, e := range all {
		if i, ok := e.(sql.IdExpression); ok && i.Id() == id {
			return true
		}
	}
	return false
}

// hasBelow reports whether a table below n has the column with this number.
func hasBelow(n sql.Node, id sql.ColumnId) bool {
	if t, ok := n.(plan.TableIdNode); ok && t.Columns().Contains(id) {
		return true
	}
	for _, c := range n.Children() {
		if hasBelow(c, id) {
			return true
		}
	}
	return false
}

// provides reports whether the rows of n have the column with this number.
func provides(n sql.Node, id sql.ColumnId) bool {
	switch n := n.(type) {
	case *plan.Project:
		return has(n.Projections, id)
	case *plan.GroupBy:
		return has(n.SelectDeps, id)
	case *plan.Window:
		return has(n.SelectExprs, id)
	case plan.TableIdNode:
		return n.Columns().Contains(id)
	}
	for _, c := range n.Children() {
		if provides(c, id) {
			return true
		}
	}
	return false
}
