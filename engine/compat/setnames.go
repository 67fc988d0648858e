package compat

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// SetNames mends s, the statement that query begins with, if it is SET NAMES.
//
// go-mysql-server: reads COLLATE and forgets it. MySQL: it is the collation of literals.
func SetNames(query string, s ast.Statement) {
	set, ok := s.(*ast.Set)
	if !ok {
		return
	}
	for i, e := range set.Exprs {
		if e.Name.EqualString("names") {
			if c := collateOf(query, i); c != "" {
				set.Exprs = append(set.Exprs, &ast.SetVarExpr{
					Name: ast.NewColName("collation_connection"), Expr: ast.NewStrVal([]byte(c)), Scope: ast.SetScope_Session,
				})
			}
		}
	}
}

// collateOf is the name that stands behind COLLATE in NAMES, the nth assignment of the SET that query begins with.
func collateOf(query string, n int) string {
	p := &grammarParser{text: query}
	for p.next(); p.kind != tokenEnd && !p.mark(";"); p.next() {
		if p.mark(",") {
			n--
		}
		if n != 0 || !p.take("COLLATE") {
			continue
		}
		if p.kind == tokenWord || p.kind == tokenName {
			return p.raw
		}
		return strings.Trim(p.text[p.at:p.end], `'"`)
	}
	return ""
}
