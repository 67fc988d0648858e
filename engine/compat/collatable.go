package compat

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// collatableName is the function around what COLLATE is written behind. Nobody can call a function so.
var collatableName = ast.NewColIdent("text to collate")

// collatable lets e be of a text that can have a collation.
func collatable(e *ast.CollateExpr) {
	if strings.Contains(ast.String(e.Expr), "@") { // the type of a system variable is also that of a user variable with its value, and of CASE
		e.Expr = &ast.FuncExpr{Name: collatableName, Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: e.Expr}}}
	}
}

// collatableFunctions is the function that makes a text that can have a collation of a system variable's.
//
// go-mysql-server: COLLATE behind the text of a system variable panics, as its type has no collation. MySQL: it is a text as others are.
func collatableFunctions() map[string]sql.Function {
	name := collatableName.Lowered()
	return map[string]sql.Function{name: sql.Function1{Name: name, Fn: func(ctx *sql.Context, e sql.Expression) sql.Expression {
		t := e.Type(ctx)
		if _, ok := t.(sql.TypeWithCollation); !ok && types.IsText(t) {
			return asText{e}
		}
		return e
	}}}
}
