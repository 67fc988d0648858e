package executor

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends"
	"pfsd/engine/sqlvalue"
)

// SchemaFormatter prints SHOW CREATE TABLE. A table's comment that starts with EngineMark names its
// engine, and is not printed.
//
// go-mysql-server: prints ENGINE=InnoDB for every table, no default for a nullable column, a
// collation without its character set, none if it is the table's collation, and a nullable
// TIMESTAMP like any other column. MySQL: prints the table's engine, DEFAULT NULL except for a
// TEXT, the character set and the collation, the table's collation if it is not the default of its
// character set, and NULL for a nullable TIMESTAMP; defaults are printed as values are shown.
type SchemaFormatter struct{ *sql.MySqlSchemaFormatter }

// EngineMark is the beginning of a table's comment that names its engine.
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
	if !mends.TableTexts.On() {
		return f.MySqlSchemaFormatter.GenerateCreateTableColumnDefinition(col, def, onUpdate, c)
	}
	if text, ok := LiteralDefault(sql.NewEmptyContext(), col); ok && !types.IsBit(col.Type) {
		def = "'" + strings.NewReplacer("'", "''", `\`, `\\`).Replace(text) + "'"
	}
	s := f.MySqlSchemaFormatter.GenerateCreateTableColumnDefinition(col, def, onUpdate, c)
	if t, ok := col.Type.(sql.TypeWithCollation); ok && !strings.Contains(s, " CHARACTER SET ") {
		collate, declared := " COLLATE "+t.Collation().Name(), "  "+f.QuoteIdentifier(col.Name)+" "+t.StringWithTableCollation(c)
		if rest, ok := strings.CutPrefix(s, declared); ok && t.Collation() == c && c != c.CharacterSet().DefaultCollation() {
			s = declared + collate + rest
		} else {
			s = strings.Replace(s, collate, " CHARACTER SET "+t.Collation().CharacterSet().Name()+collate, 1)
		}
	}
	if col.Nullable && types.IsTimestampType(col.Type) {
		declared := "  " + f.QuoteIdentifier(col.Name) + " " + col.Type.String()
		if rest, ok := strings.CutPrefix(s, declared); ok {
			s = declared + " NULL" + rest
		}
	}
	if col.Nullable && col.Default == nil && col.Generated == nil && col.OnUpdate == nil && col.Comment == "" && !types.IsTextBlob(col.Type) {
		s += " DEFAULT NULL"
	}
	return s
}

// LiteralDefault returns the default of a column as text, formatted like a value of the column. It
// reports false if the default is NULL or is not a literal.
//
// go-mysql-server: shows the number of an ENUM or SET, a DECIMAL with the digits of the statement,
// and in SHOW CREATE TABLE the bytes of a binary default in hexadecimal. MySQL: shows it like a
// value of the column.
func LiteralDefault(ctx *sql.Context, c *sql.Column) (text string, ok bool) {
	d := c.Default
	if d == nil || !d.IsLiteral() || types.IsJSON(c.Type) {
		return "", false
	}
	v, err := d.Eval(ctx, nil)
	if err != nil || v == nil {
		return "", false
	}
	if v, _, err = sqlvalue.Target(c.Type).Convert(ctx, v); err != nil {
		return "", false
	}
	if types.IsBit(c.Type) {
		return fmt.Sprintf("b'%b'", v), true
	}
	value, err := c.Type.SQL(ctx, nil, v)
	return value.ToString(), err == nil
}
