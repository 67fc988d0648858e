package sqltree

import (
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/syntax"
)

// hidesColumns reports whether a query joins tables, and has an aggregate of a column of one of them in HAVING.
//
// go-mysql-server: looks for the columns of aggregates in HAVING by their names alone, and so finds that of another table: error 1054, or 1146 with the
// name of a table that there is. MySQL: finds the column.
func hidesColumns(q *ast.Select) bool {
	if q.Having == nil || !syntax.SeveralTables(q.From) || hasSubquery(q.Having) {
		return false
	}
	qualified := func(n ast.SQLNode) bool {
		c, ok := n.(*ast.ColName)
		return ok && !c.Qualifier.IsEmpty()
	}
	return finds(q.Having, func(n ast.SQLNode) bool {
		switch n := n.(type) {
		case *ast.FuncExpr:
			return n.Over == nil && planbuilder.IsAggregateFunc(n.Name.Lowered()) && finds(n.Exprs, qualified)
		case *ast.GroupConcatExpr:
			return finds(n, qualified)
		}
		return false
	})
}

// hasSubquery reports whether n has a subquery.
func hasSubquery(n ast.SQLNode) bool {
	found := false
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		_, query := n.(*ast.Subquery)
		found = found || query
		return !found, nil
	}, n)
	return found
}
