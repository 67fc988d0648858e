package sqltree

import ast "github.com/dolthub/vitess/go/vt/sqlparser"

// dependsOnGroups reports whether it depends on groups, on HAVING or on LIMIT whether a query has
// rows. EXISTS of such a query is put in IS TRUE, so that go-mysql-server makes no join of it.
//
// go-mysql-server: makes a join with the rows that are grouped, and forgets that they are, so that
// EXISTS (SELECT MAX(a) FROM t) is false if t is empty. MySQL: it is true, because there is one
// row.
func dependsOnGroups(s ast.SelectStatement) bool {
	switch q := s.(type) {
	case *ast.ParenSelect:
		return dependsOnGroups(q.Select)
	case *ast.Select:
		if q.Having != nil || q.Limit != nil || len(q.GroupBy) > 0 {
			return q.Having != nil || q.Limit != nil
		}
		for _, e := range q.SelectExprs {
			if a, ok := e.(*ast.AliasedExpr); ok && aggregates(a.Expr) {
				return true
			}
		}
		for _, o := range q.OrderBy {
			if aggregates(o.Expr) {
				return true
			}
		}
	}
	return false
}
