package sqltree

import (
	"fmt"
	"reflect"

	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/executor"
	"pfsd/engine/mends"
	"pfsd/engine/syntax"
)

// GroupWindows changes the queries of s that have both groups and windows. Such a query reads its
// groups from a derived table:
//
//	SELECT a, RANK() OVER (ORDER BY SUM(b)) FROM t GROUP BY a
//	SELECT a, RANK() OVER (ORDER BY `2`) FROM (SELECT a, SUM(b) AS `2` FROM t GROUP BY a) AS grouped
//
// query begins with the text of s.
//
// go-mysql-server: a query has either windows or groups. A query with both is error 1140 or 1055.
// MySQL: the rows of a window are the groups.
//
// So does a query with HAVING that needs it, see [hidesColumns].
func GroupWindows(query string, s ast.Statement) {
	windows := mends.WindowsOverGroups.On() && syntax.ContainsFold(query, "over")
	having := mends.JoinedHavings.On() && syntax.ContainsFold(query, "having")
	if s == nil || !windows && !having {
		return
	}
	selects.Walk(reflect.ValueOf(s), func(v reflect.Value) {
		if q := v.Interface().(*ast.Select); q != nil {
			groupWindows(q, windows, having && hidesColumns(q))
		}
	})
}

var selects = syntax.NewWalker(func(t reflect.Type) bool { return t == reflect.TypeFor[*ast.Select]() })

// groupedName is the name of the derived table.
const groupedName = "grouped"

// groupWindows is [GroupWindows] for one query: if it has windows, and windows is set, or its HAVING is to be tested on the derived table. It does not change a query
// with *: nobody knows its columns before it is planned.
func groupWindows(q *ast.Select, windows, having bool) {
	if !having && (!windows || !hasWindow(q.SelectExprs) && !hasWindow(q.OrderBy)) || !groups(q) {
		return
	}
	g := &groupedRows{byText: map[string]ast.ColIdent{}, byAlias: map[string]ast.ColIdent{}, names: map[string]bool{}, windows: map[string]bool{}}
	for _, e := range q.SelectExprs {
		if _, ok := e.(*ast.AliasedExpr); !ok {
			return
		}
	}
	items := q.SelectExprs
	for i, e := range items {
		a := e.(*ast.AliasedExpr)
		heading := headingOf(a)
		if hasWindow(a) {
			g.windows[heading.Lowered()] = true
			continue
		}
		column := g.add(a.Expr, a.As)
		_, plain := a.Expr.(*ast.ColName)
		if !a.As.IsEmpty() || having && plain {
			g.byAlias[heading.Lowered()] = column
		}
		items[i] = &ast.AliasedExpr{Expr: columnOf(column), As: heading, StartParsePos: a.StartParsePos, EndParsePos: a.EndParsePos}
		for j, by := range q.GroupBy {
			if n, ok := by.(*ast.SQLVal); ok && n.Type == ast.IntVal && string(n.Val) == fmt.Sprint(i+1) {
				q.GroupBy[j] = ast.NewIntVal([]byte(fmt.Sprint(len(g.selected))))
			}
		}
	}
	for i, e := range items {
		if a := e.(*ast.AliasedExpr); hasWindow(a) {
			heading := headingOf(a)
			g.replaceIn(reflect.ValueOf(&a.Expr).Elem(), false)
			items[i] = &ast.AliasedExpr{Expr: a.Expr, As: heading, StartParsePos: a.StartParsePos, EndParsePos: a.EndParsePos}
		}
	}
	for _, w := range q.Window {
		g.window(w)
	}
	for _, o := range q.OrderBy {
		if n, ok := o.Expr.(*ast.SQLVal); !ok || n.Type != ast.IntVal {
			g.replaceIn(reflect.ValueOf(&o.Expr).Elem(), true)
		}
	}
	var condition *ast.Where
	if having {
		condition = ast.NewWhere(ast.WhereStr, q.Having.Expr)
		g.replaceIn(reflect.ValueOf(&condition.Expr).Elem(), true)
		q.Having = nil
	}
	inner := &ast.Select{
		SelectExprs: g.selected, From: q.From, Where: q.Where, GroupBy: q.GroupBy, Having: q.Having, Lock: q.Lock,
		QueryOpts: ast.QueryOpts{StraightJoinHint: q.QueryOpts.StraightJoinHint},
	}
	q.From = ast.TableExprs{&ast.AliasedTableExpr{Expr: &ast.Subquery{Select: inner}, As: ast.NewTableIdent(groupedName)}}
	q.Where, q.GroupBy, q.Having, q.Lock, q.QueryOpts.StraightJoinHint = condition, nil, nil, nil, false
}

// headingOf returns the name of a column of a result.
func headingOf(a *ast.AliasedExpr) ast.ColIdent {
	if !a.As.IsEmpty() {
		return a.As
	}
	if c, ok := a.Expr.(*ast.ColName); ok {
		return c.Name
	}
	if a.InputExpression != "" {
		return ast.NewColIdent(a.InputExpression)
	}
	return ast.NewColIdent(ast.String(a.Expr))
}

func columnOf(name ast.ColIdent) *ast.ColName {
	return &ast.ColName{Name: name, Qualifier: ast.TableName{Name: ast.NewTableIdent(groupedName)}}
}

// groupedRows collects the select list of the derived table, which groups the rows. Owned by one
// goroutine.
type groupedRows struct {
	selected ast.SelectExprs
	// byText has the derived table's columns that are a column or an aggregate of the statement, by
	// their text in the statement. byAlias has those that the statement gives an alias, by the
	// alias.
	byText, byAlias map[string]ast.ColIdent
	names           map[string]bool // the names of the derived table's columns
	windows         map[string]bool // the names of the statement's columns that have a window
}

// add adds e to the select list, under the name as if it is free, and returns the name of its column.
func (g *groupedRows) add(e ast.Expr, as ast.ColIdent) ast.ColIdent {
	for n := len(g.selected) + 1; as.IsEmpty() || g.names[as.Lowered()]; n++ {
		as = ast.NewColIdent(fmt.Sprint(n))
	}
	g.names[as.Lowered()] = true
	g.selected = append(g.selected, &ast.AliasedExpr{Expr: e, As: as})
	if repeats(e) {
		g.byText[ast.String(e)] = as
	}
	return as
}

// repeats reports whether an expression has the same value wherever it stands in the query. Columns
// and aggregates do.
func repeats(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ColName, *ast.GroupConcatExpr:
		return true
	case *ast.FuncExpr:
		return planbuilder.IsAggregateFunc(e.Name.Lowered())
	}
	return false
}

// replaceIn replaces the expressions in v, a part of a statement, by columns of the derived table.
// It leaves windows, literals, and expressions that cannot be a column. If aliases is set, a name
// in v can be the alias of an expression in the select list.
func (g *groupedRows) replaceIn(v reflect.Value, aliases bool) {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		e, ok := v.Interface().(ast.Expr)
		if !ok || !v.CanSet() {
			g.replaceIn(v.Elem(), aliases)
			return
		}
		switch e := e.(type) {
		case *ast.SQLVal, *ast.NullVal, ast.BoolVal, *ast.Default:
		case *ast.ColName:
			if name := e.Name.Lowered(); aliases && e.Qualifier.IsEmpty() && g.windows[name] {
				return
			} else if column, ok := g.byAlias[name]; ok && aliases && e.Qualifier.IsEmpty() {
				v.Set(reflect.ValueOf(columnOf(column)))
				return
			}
			g.replace(v, e)
		case ast.ValTuple, *ast.IntervalExpr:
			g.replaceIn(v.Elem(), aliases)
		case *ast.FuncExpr:
			if e.Over != nil {
				g.replaceIn(reflect.ValueOf(e.Exprs), false)
				g.window((*ast.WindowDef)(e.Over))
				return
			}
			g.replaceOrSplit(v, e, aliases)
		case *ast.ComparisonExpr:
			if _, ok := e.Right.(*ast.Subquery); ok && g.splits(e, aliases) {
				g.replaceIn(reflect.ValueOf(&e.Left).Elem(), aliases)
				return
			}
			g.replaceOrSplit(v, e, aliases)
		default:
			g.replaceOrSplit(v, e, aliases)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			g.replaceIn(v.Elem(), aliases)
		}
	case reflect.Slice:
		for i := range v.Len() {
			g.replaceIn(v.Index(i), aliases)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				g.replaceIn(f, aliases)
			}
		}
	}
}

// replaceOrSplit replaces e, the value of v. If a part of e must stay outside the derived table, it
// replaces only the other parts of e.
func (g *groupedRows) replaceOrSplit(v reflect.Value, e ast.Expr, aliases bool) {
	if g.splits(e, aliases) {
		g.replaceIn(v.Elem(), aliases)
		return
	}
	g.replace(v, e)
}

func (g *groupedRows) replace(v reflect.Value, e ast.Expr) {
	column, ok := g.byText[ast.String(e)]
	if !ok {
		column = g.add(e, ast.ColIdent{})
	}
	v.Set(reflect.ValueOf(columnOf(column)))
}

// splits reports whether a part of e must stay outside the derived table: a window, or, if aliases
// is set, the alias of an expression in the select list.
func (g *groupedRows) splits(e ast.Expr, aliases bool) bool {
	return hasWindow(e) || aliases && finds(e, func(n ast.SQLNode) bool {
		c, ok := n.(*ast.ColName)
		if !ok || !c.Qualifier.IsEmpty() {
			return false
		}
		_, selected := g.byAlias[c.Name.Lowered()]
		return selected || g.windows[c.Name.Lowered()]
	})
}

// window replaces the expressions in the PARTITION BY and ORDER BY of a window.
func (g *groupedRows) window(w *ast.WindowDef) {
	g.replaceIn(reflect.ValueOf(w.PartitionBy), true)
	for _, o := range w.OrderBy {
		g.replaceIn(reflect.ValueOf(&o.Expr).Elem(), true)
	}
}

// windowNameOf returns the name that the window function f has in the statement.
func windowNameOf(f *ast.FuncExpr) string {
	if f.Name.Lowered() == executor.WindowName {
		if a, ok := f.Exprs[len(f.Exprs)-1].(*ast.AliasedExpr); ok {
			if v, ok := a.Expr.(*ast.SQLVal); ok {
				return string(v.Val)
			}
		}
	}
	return f.Name.Lowered()
}

// hasWindow reports whether n has a window outside of its subqueries.
func hasWindow(n ast.SQLNode) bool {
	return finds(n, func(n ast.SQLNode) bool {
		f, ok := n.(*ast.FuncExpr)
		return ok && f.Over != nil
	})
}

// groups reports whether a query groups rows.
func groups(q *ast.Select) bool {
	aggregates := func(n ast.SQLNode) bool {
		f, ok := n.(*ast.FuncExpr)
		_, concat := n.(*ast.GroupConcatExpr)
		return concat || ok && f.Over == nil && planbuilder.IsAggregateFunc(f.Name.Lowered())
	}
	if len(q.GroupBy) > 0 || finds(q.SelectExprs, aggregates) || finds(q.OrderBy, aggregates) || q.Having != nil && finds(q.Having, aggregates) {
		return true
	}
	found := false
	windowDefs.Walk(reflect.ValueOf(q.SelectExprs), func(v reflect.Value) {
		w, ok := v.Interface().(*ast.WindowDef)
		if o, over := v.Interface().(*ast.Over); over {
			w, ok = (*ast.WindowDef)(o), true
		}
		found = found || ok && w != nil && (finds(w.PartitionBy, aggregates) || finds(w.OrderBy, aggregates))
	})
	return found
}

var windowDefs = syntax.NewWalker(func(t reflect.Type) bool {
	return t == reflect.TypeFor[*ast.WindowDef]() || t == reflect.TypeFor[*ast.Over]()
})

// finds reports whether n has a node, outside of its subqueries, for which wanted is true.
func finds(n ast.SQLNode, wanted func(ast.SQLNode) bool) bool {
	found := false
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		if _, query := n.(*ast.Subquery); query || found {
			return false, nil
		}
		found = wanted(n)
		return !found, nil
	}, n)
	return found
}
