package sqltree

import (
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mends"
)

// References sets the database of each table that a foreign key of a CREATE TABLE or ALTER TABLE
// refers to without a database.
//
// go-mysql-server: the table is in the current database. MySQL: it is in the database of the table
// that has the key.
func References(s ast.Statement) {
	if !mends.ReferencedTables.On() {
		return
	}
	switch s := s.(type) {
	case *ast.DDL:
		references(s)
	case *ast.AlterTable:
		for _, ddl := range s.Statements {
			references(ddl)
		}
	}
}

func references(ddl *ast.DDL) {
	if ddl.TableSpec == nil || ddl.Table.DbQualifier.IsEmpty() {
		return
	}
	for _, c := range ddl.TableSpec.Constraints {
		if k, ok := c.Details.(*ast.ForeignKeyDefinition); ok && k.ReferencedTable.DbQualifier.IsEmpty() {
			k.ReferencedTable.DbQualifier = ddl.Table.DbQualifier
		}
	}
}
