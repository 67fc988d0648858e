package sqltree

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/grammar"
	"pfsd/engine/mends"
	"pfsd/engine/syntax"
)

// SetNames adds an assignment to collation_connection to s if s is a SET NAMES with COLLATE. query
// begins with the text of s.
//
// go-mysql-server: reads COLLATE and ignores it. MySQL: literals have this collation.
func SetNames(query string, s ast.Statement) {
	if !mends.NamesAndCollation.On() {
		return
	}
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

// collateOf returns the name behind COLLATE in a NAMES, "" if there is none. NAMES is assignment n,
// counted from 0, of the SET with which query begins.
func collateOf(query string, n int) string {
	p := grammar.NewParser(query)
	for p.Next(); p.Kind != syntax.End && !p.IsMark(";"); p.Next() {
		if p.IsMark(",") {
			n--
		}
		if n != 0 || !p.Take("COLLATE") {
			continue
		}
		if p.Take("DEFAULT") {
			return ""
		}
		if p.Kind == syntax.Word || p.Kind == syntax.Name {
			return p.Raw
		}
		return strings.Trim(p.Text[p.At:p.End], `'"`)
	}
	return ""
}
