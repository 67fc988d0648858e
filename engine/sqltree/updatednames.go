package sqltree

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/builtins"
	"pfsd/engine/mends"
)

// updatedNames keeps the names of columns that ON DUPLICATE KEY UPDATE of an INSERT ... SELECT has for planning.AmbiguousNames: those that may be
// of the table that is written as well as of one that is read.
func updatedNames(i *ast.Insert) {
	if !mends.AmbiguousNames.On() {
		return
	}
	rows := i.Rows
	for {
		p, ok := rows.(*ast.ParenSelect)
		if !ok {
			break
		}
		rows, _ = p.Select.(ast.InsertRows)
	}
	query, ok := rows.(*ast.Select)
	if !ok || len(query.GroupBy) > 0 {
		return
	}
	for _, u := range i.OnDup {
		var names []ast.ColName
		_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
			switch n := n.(type) {
			case *ast.ValuesFuncExpr, *ast.Default, *ast.Subquery:
				return false, nil
			case *ast.ColName:
				if q := n.Qualifier.Name.String(); q == "" || strings.EqualFold(q, i.Table.Name.String()) {
					names = append(names, *n)
				}
			}
			return true, nil
		}, u.Expr)
		if len(names) > 0 {
			u.Expr = builtins.UpdatedNamesCall(u.Expr, names)
		}
	}
}
