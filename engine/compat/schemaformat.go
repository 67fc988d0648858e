package compat

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// SchemaFormatter prints SHOW CREATE TABLE.
//
// go-mysql-server: ENGINE=InnoDB for every table, no default for a column that may be NULL, and
// a collation without its character set. MySQL: the table's engine, DEFAULT NULL unless the
// column is a TEXT, and both. A table says its engine by a comment that starts with EngineMark;
// it is taken out again.
type SchemaFormatter struct{ *sql.MySqlSchemaFormatter }

// EngineMark starts the comment of a table whose engine's name follows it.
const EngineMark = "\x01ENGINE="

// GenerateCreateTableStatement implements sql.SchemaFormatter.
func (f SchemaFormatter) GenerateCreateTableStatement(name string, columns []string, temp, autoInc, charset, collation, comment string) string {
	engine, marked := strings.CutPrefix(comment, EngineMark)
	if marked {
		comment = ""
	}
	s := f.MySqlSchemaFormatter.GenerateCreateTableStatement(name, columns, temp, autoInc, charset, collation, comment)
	if marked {
		s = strings.Replace(s, ") ENGINE=InnoDB", ") ENGINE="+engine, 1)
	}
	return s
}

// GenerateCreateTableColumnDefinition implements sql.SchemaFormatter.
func (f SchemaFormatter) GenerateCreateTableColumnDefinition(col *sql.Column, def, onUpdate string, c sql.CollationID) string {
	s := f.MySqlSchemaFormatter.GenerateCreateTableColumnDefinition(col, def, onUpdate, c)
	if t, ok := col.Type.(sql.TypeWithCollation); ok && !strings.Contains(s, " CHARACTER SET ") {
		collate := " COLLATE " + t.Collation().Name()
		s = strings.Replace(s, collate, " CHARACTER SET "+t.Collation().CharacterSet().Name()+collate, 1)
	}
	if col.Nullable && col.Default == nil && col.Generated == nil && col.OnUpdate == nil && col.Comment == "" && !types.IsTextBlob(col.Type) {
		s += " DEFAULT NULL"
	}
	return s
}
