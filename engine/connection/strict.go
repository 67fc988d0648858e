package connection

import (
	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Strict reports whether a value that does not fit is an error in the statement of ctx: the statement writes, in a strict mode and without
// IGNORE.
func Strict(ctx *sql.Context) bool {
	w := workOf(ctx)
	return w != nil && writesValues(w.Current.tree) && sql.LoadSqlMode(ctx).Strict()
}

func writesValues(s ast.Statement) bool {
	switch s := s.(type) {
	case *ast.Insert:
		return s.Ignore == ""
	case *ast.Update:
		return s.Ignore == ""
	case *ast.Delete, *ast.Load, *ast.AlterTable:
		return true
	case *ast.DDL:
		return s.OptSelect != nil
	}
	return false
}
