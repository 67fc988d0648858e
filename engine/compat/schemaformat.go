package compat

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// SchemaFormatter prints SHOW CREATE TABLE.
//
// go-mysql-server: ENGINE=InnoDB for every table. MySQL: the table's engine. A table
// says which by a comment that starts with EngineMark; it is taken out again.
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
