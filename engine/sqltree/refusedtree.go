package sqltree

import (
	"reflect"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/syntax"
)

// refusingIntervals returns a function that also refuses an INTERVAL in a wrong place, and else
// does what replace does. The right places are beside + and -, among the arguments of a date
// function, and in the bound of a frame.
//
// go-mysql-server: accepts an INTERVAL in a wrong place as an expression, and panics when it uses
// the value. MySQL: it is no expression.
func refusingIntervals(query string, s ast.Statement, replace func(ast.Expr) ast.Expr) func(ast.Expr) ast.Expr {
	if !strings.Contains(strings.ToLower(query), "interval") {
		return replace
	}
	places := map[*ast.IntervalExpr]bool{}
	place := func(e ast.Expr) {
		if i, ok := e.(*ast.IntervalExpr); ok {
			places[i] = true
		}
	}
	expressions.Walk(reflect.ValueOf(&s).Elem(), func(v reflect.Value) {
		switch n := v.Interface().(type) {
		case *ast.BinaryExpr:
			if n.Operator == ast.PlusStr || n.Operator == ast.MinusStr {
				place(n.Left)
				place(n.Right)
			}
		case *ast.FuncExpr:
			switch n.Name.Lowered() {
			case "date_add", "date_sub", "adddate", "subdate":
				for _, a := range n.Exprs[min(1, len(n.Exprs)):] {
					if a, ok := a.(*ast.AliasedExpr); ok {
						place(a.Expr)
					}
				}
			}
		case *ast.Frame:
			if n != nil && n.Extent != nil {
				for _, b := range []*ast.FrameBound{n.Extent.Start, n.Extent.End} {
					if b != nil {
						place(b.Expr)
					}
				}
			}
		}
	})
	return func(e ast.Expr) ast.Expr {
		if i, ok := e.(*ast.IntervalExpr); ok && !places[i] {
			return &ast.FuncExpr{Name: ast.NewColIdent("refused interval")}
		}
		return replace(e)
	}
}

// refusingDefaults returns a function that also refuses the following, and else does what replace
// does: DEFAULT and DEFAULT(column) that are not the value of a column or variable, DEFAULT(column) as
// the value of another column in UPDATE, and MATCH in a query without tables.
//
// go-mysql-server: knows DEFAULT(column) only as a value of INSERT and UPDATE, and takes it for the
// default of the column that an UPDATE sets. It looks for a table
// that MATCH can search, and panics if there is none. MySQL: calculates with DEFAULT(column), and
// reports an unknown column for MATCH. DEFAULT alone in another place is a syntax error.
func refusingDefaults(query string, s ast.Statement, replace func(ast.Expr) ast.Expr) func(ast.Expr) ast.Expr {
	query = strings.ToLower(query)
	if !strings.Contains(query, "default") && !strings.Contains(query, "match") {
		return replace
	}
	values := map[*ast.Default]bool{}
	value := func(e ast.Expr) {
		if d, ok := e.(*ast.Default); ok {
			values[d] = true
		}
	}
	other := map[*ast.Default]bool{}
	others := func(all ast.AssignmentExprs) {
		for _, a := range all {
			if d, ok := a.Expr.(*ast.Default); ok && d.ColName != "" && !strings.EqualFold(d.ColName, a.Name.Name.String()) {
				other[d] = true
			}
		}
	}
	rows := func(all ast.Values) {
		for _, row := range all {
			for _, e := range row {
				value(e)
			}
		}
	}
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case ast.Values: // the lists of IN have another type
			rows(n)
		case *ast.AliasedValues:
			rows(n.Values)
		case *ast.Update:
			others(n.Exprs)
		case *ast.AssignmentExpr:
			value(n.Expr)
		case *ast.SetVarExpr:
			value(n.Expr)
		}
		return true, nil
	}, s)
	var searches map[*ast.MatchExpr]bool
	if strings.Contains(query, "match") {
		searches = tableSearches(s)
	}
	return func(e ast.Expr) ast.Expr {
		if d, ok := e.(*ast.Default); ok && (!values[d] || other[d]) {
			name := "refused default"
			if d.ColName == "" {
				name = "refused value"
			}
			return &ast.FuncExpr{Name: ast.NewColIdent(name)}
		}
		if m, ok := e.(*ast.MatchExpr); ok && !searches[m] {
			return &ast.FuncExpr{Name: ast.NewColIdent("refused match")}
		}
		return replace(e)
	}
}

// matchesAndQueries finds the nodes that tableSearches needs.
var matchesAndQueries = syntax.NewWalker(func(t reflect.Type) bool {
	return t == reflect.TypeFor[*ast.MatchExpr]() || t == reflect.TypeFor[*ast.Select]() || t == reflect.TypeFor[*ast.Update]() || t == reflect.TypeFor[*ast.Delete]() ||
		t == reflect.TypeFor[*ast.ValuesStatement]() || t == reflect.TypeFor[*ast.JSONTableExpr]() || t == reflect.TypeFor[*ast.JoinTableExpr]()
})

// tableSearches returns the MATCH expressions of s that have a table to search: the innermost
// query, UPDATE or DELETE around the expression reads a table. If s is itself a SELECT without
// tables, its MATCH expressions are in the result too: go-mysql-server reports an error for them.
func tableSearches(s ast.Statement) map[*ast.MatchExpr]bool {
	found := map[*ast.MatchExpr]bool{}
	var inside []*ast.MatchExpr // those whose query the walk has not reached: it comes after its parts
	matchesAndQueries.Walk(reflect.ValueOf(&s).Elem(), func(v reflect.Value) {
		table := true
		switch n := v.Interface().(type) {
		case *ast.MatchExpr:
			if n != nil {
				inside = append(inside, n)
			}
			return
		case *ast.ValuesStatement, *ast.JSONTableExpr, *ast.JoinTableExpr: // no table is known here, nor in ON
			table = false
		case *ast.Select:
			table = n != nil && (len(n.From) > 0 || ast.Statement(n) == s)
		}
		for _, m := range inside {
			found[m] = table
		}
		inside = inside[:0]
	})
	return found
}
