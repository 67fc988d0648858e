package compat

import ast "github.com/dolthub/vitess/go/vt/sqlparser"

// Delete mends a DELETE.
//
// go-mysql-server: without a WHERE it becomes a TRUNCATE if it can, and to find out the current
// database is asked: a connection that has none gets error 1049. MySQL: deletes. A WHERE that is
// always true keeps it a DELETE.
func Delete(s ast.Statement) {
	if d, ok := s.(*ast.Delete); ok && d.Where == nil {
		d.Where = ast.NewWhere(ast.WhereStr, ast.BoolVal(true))
	}
}
