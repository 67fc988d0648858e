package compat

import (
	"reflect"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/syntax"
)

// refusedNames are the functions that replace expressions that MySQL refuses, with the errors. No statement can call functions by these
// names without quotes.
var refusedNames = map[string]*mysql.SQLError{
	"refused star":    mysql.NewSQLError(1064, "42000", "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '*)' at line 1"),
	"refused nothing": mysql.NewSQLError(1064, "42000", "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ')' at line 1"),
	"refused match":   mysql.NewSQLError(1214, "HY000", "The used table type doesn't support FULLTEXT indexes"),
	"refused value":   mysql.NewSQLError(1064, "42000", "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'DEFAULT' at line 1"),
	"refused default": mysql.NewSQLError(1235, "42000", "This version of MySQL doesn't yet support 'DEFAULT(column) within an expression'"),
	// An interval is no value: a plus has to follow.
	"refused interval": mysql.NewSQLError(1064, "42000", "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '' at line 1"),
	"refused no name":  mysql.NewSQLError(1054, "42S22", "Unknown column '' in 'field list'"),
}

// refusedExpr returns the call that replaces an expression that MySQL refuses; nil for any other expression.
//
// go-mysql-server: accepts * as the argument of every function, aggregates without arguments and columns without a name, and panics when
// it uses them. MySQL: they are syntax errors, or there is no such column.
func refusedExpr(e ast.Expr) ast.Expr {
	refuse := func(name string) ast.Expr { return &ast.FuncExpr{Name: ast.NewColIdent("refused " + name)} }
	switch e := e.(type) {
	case *ast.ColName:
		if e.Name.IsEmpty() {
			return refuse("no name")
		}
	case *ast.FuncExpr:
		if len(e.Exprs) == 0 && e.Over == nil && (e.IsAggregate() || e.Name.EqualString("group_concat")) {
			return refuse("nothing")
		}
		if len(e.Exprs) == 3 && e.Name.EqualString("json_value") {
			if a, ok := e.Exprs[2].(*ast.AliasedExpr); ok {
				if _, null := a.Expr.(*ast.NullVal); null { // where RETURNING has a type
					return refuse("nothing")
				}
			}
		}
		for _, a := range e.Exprs {
			if _, ok := a.(*ast.StarExpr); ok && !e.Name.EqualString("count") {
				return refuse("star")
			}
		}
	}
	return nil
}

func refusedFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	for name, err := range refusedNames {
		all[name] = sql.FunctionN{Name: name, Fn: func(*sql.Context, ...sql.Expression) (sql.Expression, error) { return nil, err }}
	}
	return all
}

// refusingIntervals returns of with one more rule: it refuses an INTERVAL that is not added, not subtracted, no argument of a date
// function and no bound of a frame.
//
// go-mysql-server: accepts it as an expression, and panics when it uses the value. MySQL: it is no expression.
func refusingIntervals(query string, s ast.Statement, of func(ast.Expr) ast.Expr) func(ast.Expr) ast.Expr {
	if !strings.Contains(strings.ToLower(query), "interval") {
		return of
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
		return of(e)
	}
}

// refusingDefaults returns of with two more rules: it refuses DEFAULT and DEFAULT(column) that are not the value of a column or variable,
// and MATCH in a query without tables.
//
// go-mysql-server: knows DEFAULT(column) only as a value of INSERT and UPDATE, searches any table for MATCH, and panics. MySQL:
// calculates with DEFAULT(column), and reports an unknown column for MATCH; DEFAULT elsewhere is a syntax error.
func refusingDefaults(query string, s ast.Statement, of func(ast.Expr) ast.Expr) func(ast.Expr) ast.Expr {
	query = strings.ToLower(query)
	if !strings.Contains(query, "default") && !strings.Contains(query, "match") {
		return of
	}
	values := map[*ast.Default]bool{}
	value := func(e ast.Expr) {
		if d, ok := e.(*ast.Default); ok {
			values[d] = true
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
		case ast.Values: // and no other lists, such as those of IN
			rows(n)
		case *ast.AliasedValues:
			rows(n.Values)
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
		if d, ok := e.(*ast.Default); ok && !values[d] {
			name := "refused default"
			if d.ColName == "" {
				name = "refused value"
			}
			return &ast.FuncExpr{Name: ast.NewColIdent(name)}
		}
		if m, ok := e.(*ast.MatchExpr); ok && !searches[m] {
			return &ast.FuncExpr{Name: ast.NewColIdent("refused match")}
		}
		return of(e)
	}
}

// searching finds the nodes that tableSearches needs.
var searching = syntax.NewWalker(func(t reflect.Type) bool {
	return t == reflect.TypeFor[*ast.MatchExpr]() || t == reflect.TypeFor[*ast.Select]() || t == reflect.TypeFor[*ast.Update]() || t == reflect.TypeFor[*ast.Delete]() ||
		t == reflect.TypeFor[*ast.ValuesStatement]() || t == reflect.TypeFor[*ast.JSONTableExpr]() || t == reflect.TypeFor[*ast.JoinTableExpr]()
})

// tableSearches returns the MATCH expressions of a statement whose own query, UPDATE or DELETE has a table to search. It includes those
// of a SELECT without tables, for which go-mysql-server has an error.
func tableSearches(s ast.Statement) map[*ast.MatchExpr]bool {
	found := map[*ast.MatchExpr]bool{}
	var inside []*ast.MatchExpr // of no query yet
	searching.Walk(reflect.ValueOf(&s).Elem(), func(v reflect.Value) {
		table := true
		switch n := v.Interface().(type) {
		case *ast.MatchExpr:
			if n != nil {
				inside = append(inside, n)
			}
			return
		case *ast.ValuesStatement, *ast.JSONTableExpr, *ast.JoinTableExpr: // no table is known there, nor in ON
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
