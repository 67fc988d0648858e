package builtins

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// refusedNames has the names of the functions that replace expressions that MySQL refuses, and the
// errors. A statement can call functions by these names only with quotes.
var refusedNames = map[string]*mysql.SQLError{
	"refused star":    mysql.NewSQLError(1064, "42000", "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '*)' at line 1"),
	"refused nothing": mysql.NewSQLError(1064, "42000", "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ')' at line 1"),
	"refused match":   mysql.NewSQLError(1214, "HY000", "The used table type doesn't support FULLTEXT indexes"),
	"refused value":   mysql.NewSQLError(1064, "42000", "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'DEFAULT' at line 1"),
	"refused default": mysql.NewSQLError(1235, "42000", "This version of MySQL doesn't yet support 'DEFAULT(column) within an expression'"),
	// An INTERVAL is no value: + and a value must follow it.
	"refused interval": mysql.NewSQLError(1064, "42000", "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '' at line 1"),
	"refused row":      mysql.NewSQLError(1235, "42000", "This version of MySQL doesn't yet support 'a comparison of a row with so many parts'"),
	"refused no name":  mysql.NewSQLError(1054, "42S22", "Unknown column '' in 'field list'"),
}

// RefusedExpr returns the call that replaces an expression that MySQL refuses. It returns nil for
// any other expression.
//
// go-mysql-server: accepts * as the argument of every function, aggregates without arguments, and
// columns without a name, and panics when it uses them. MySQL: they are syntax errors or unknown
// columns.
func RefusedExpr(e ast.Expr) ast.Expr {
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
				if _, null := a.Expr.(*ast.NullVal); null { // NULL stands where RETURNING has a type
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

func RefusedFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	for name, err := range refusedNames {
		all[name] = sql.FunctionN{Name: name, Fn: func(*sql.Context, ...sql.Expression) (sql.Expression, error) { return nil, err }}
	}
	return all
}
