package sqltree

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/builtins"
	"pfsd/engine/mends"
)

// insertedValues changes an INSERT ... SELECT such that ON DUPLICATE KEY UPDATE finds VALUES(column).
//
// go-mysql-server: finds VALUES(column) where rows are given, and not where they are selected. MySQL: in both.
//
// The rows become those of a derived table with the names of the columns that they are for. So this is for statements that name these columns,
// and that use no column of the tables that they select from.
func insertedValues(i *ast.Insert) {
	if !mends.WrittenRows.On() || len(i.OnDup) == 0 || len(i.Columns) == 0 {
		return
	}
	rows, ok := i.Rows.(ast.SelectStatement)
	if !ok || !onlyInserted(i) {
		return
	}
	table := ast.NewTableIdent(builtins.InsertedRow)
	var columns ast.SelectExprs
	for _, c := range i.Columns {
		columns = append(columns, &ast.AliasedExpr{Expr: &ast.ColName{Name: c, Qualifier: ast.TableName{Name: table}}})
	}
	i.Rows = &ast.Select{
		SelectExprs: columns,
		From:        ast.TableExprs{&ast.AliasedTableExpr{Expr: &ast.Subquery{Select: rows, Columns: append(ast.Columns(nil), i.Columns...)}, As: table}},
	}
}

// onlyInserted tells whether ON DUPLICATE KEY UPDATE uses VALUES(column), and no column with the name of another table than that of i.
func onlyInserted(i *ast.Insert) bool {
	uses, others := false, false
	for _, u := range i.OnDup {
		_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
			switch n := n.(type) {
			case *ast.ValuesFuncExpr:
				uses = true
				return false, nil
			case *ast.ColName:
				table := n.Qualifier.Name.String()
				others = others || table != "" && !strings.EqualFold(table, i.Table.Name.String())
			}
			return true, nil
		}, u.Expr)
	}
	return uses && !others
}
