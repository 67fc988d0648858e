package executor

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends"
	"pfsd/engine/sqlvalue"
)

// ModifiedRows returns what converts the rows of a table, in which n changes the type of a column; nil if they stay as they are.
//
// go-mysql-server: refuses a value that does not fit into the new column, whatever the sql_mode. MySQL: that is an error in strict mode, else
// the nearest value and a warning.
func ModifiedRows(n *plan.ModifyColumn) func(ctx *sql.Context, row sql.Row, number int64) error {
	schema, column := n.TargetSchema(), n.NewColumn()
	at := schema.IndexOfColName(n.Column())
	if at < 0 || !mends.StoredRows.On() {
		return nil
	}
	old := schema[at]
	if old.Type.Equals(column.Type) && old.Nullable == column.Nullable || longer(old, column) {
		return nil
	}
	return func(ctx *sql.Context, row sql.Row, number int64) error {
		v := row[at]
		if v == nil {
			if !column.Nullable && sqlvalue.Strict != nil && !sqlvalue.Strict(ctx) {
				s := &storage{ctx: ctx, column: column.Name, row: number}
				s.truncated()
				row[at] = column.Type.Zero()
			}
			return nil
		}
		text, err := choiceText(ctx, old.Type, v)
		if err == nil {
			row[at], err = store(ctx, column.Name, column.Type, text, number)
		}
		return err
	}
}

// longer tells whether a text column becomes longer, and nothing else.
func longer(old, column *sql.Column) bool {
	o, ok := old.Type.(sql.StringType)
	if !ok || old.Nullable != column.Nullable {
		return false
	}
	c, ok := column.Type.(sql.StringType)
	return ok && o.Type() == c.Type() && o.Collation() == c.Collation() && o.MaxCharacterLength() <= c.MaxCharacterLength()
}

// choiceText returns the text of an ENUM or a SET, another value as it is.
func choiceText(ctx *sql.Context, t sql.Type, v any) (any, error) {
	if !types.IsEnum(t) && !types.IsSet(t) {
		return v, nil
	}
	text, err := t.SQL(ctx, nil, v)
	return text.ToString(), err
}
