package vtable

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/mysqlerr"
	"pfsd/tables"
)

// Noted has the statement warn, once, if the rows of a table are not about the program that the model shows. The error says that the table
// cannot be read.
func Noted(ctx *sql.Context, m tables.Model, schema, table string) error {
	schema, table = strings.ToLower(schema), strings.ToLower(table)
	origin := m.Origin(schema, table)
	if err := origin.Err(schema, table); err != nil {
		return mysqlerr.OfTable(err, table, "")
	}
	note := origin.Note(schema, table)
	if note == "" {
		return nil
	}
	level := "Note"
	if origin == tables.NotKept {
		level = "Warning"
	}
	warnOnce(ctx, level, note)
	return nil
}
