package infoschema

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/mends"
)

// correctRows returns the rows of n, a SHOW COLUMNS or SHOW INDEX of users' tables, corrected. rows
// are go-mysql-server's. privileges returns the user's privileges on a column; the schema of a view
// is "".
//
// go-mysql-server: shows the collation after a column's type, and the default collation in the
// column Collation; quotes a text default; shows no ON UPDATE, no privileges, and no order of an
// index. MySQL: shows the type alone, the column's collation, the default as a value, ON UPDATE,
// the privileges, and the order A.
func correctRows(ctx *sql.Context, n sql.Node, rows sql.RowIter, privileges func(schema, table, column string) string) sql.RowIter {
	if !mends.ColumnRows.On() {
		return rows
	}
	switch n := n.(type) {
	case *plan.ShowColumns:
		collations, columns := map[string]string{}, map[string]*sql.Column{}
		for _, c := range n.TargetSchema() {
			columns[c.Name] = c
			if t, ok := c.Type.(sql.TypeWithCollation); ok {
				collations[c.Name] = t.Collation().String()
			}
		}
		return &editedRows{RowIter: rows, edit: func(r sql.Row) []sql.Row {
			t, _, _ := strings.Cut(r[1].(string), " CHARACTER SET ")
			r[1], _, _ = strings.Cut(t, " COLLATE ")
			if name, ok := collations[r[0].(string)]; ok && n.Full && r[2] != nil {
				r[2] = name
			}
			at := 4
			if n.Full {
				at = 5
			}
			if c := columns[r[0].(string)]; c != nil {
				if text, ok := listedDefault(ctx, c); ok {
					r[at] = text
				} else if text, ok := r[at].(string); ok && c.Default != nil && !c.Default.IsLiteral() && strings.HasPrefix(text, "(") {
					r[at] = strings.TrimSuffix(text[1:], ")")
				}
				r[at+1] = strings.TrimSpace(r[at+1].(string) + onUpdate(c))
			}
			if !n.Full {
				return []sql.Row{r}
			}
			switch of := n.Child.(type) {
			case *plan.ResolvedTable:
				r[7] = privileges(of.SqlDatabase.Name(), of.Name(), r[0].(string))
			case *plan.SubqueryAlias:
				r[7] = privileges("", of.Name(), r[0].(string))
			}
			if r[7] == "" {
				return nil
			}
			return []sql.Row{r}
		}}
	case *plan.ShowIndexes:
		return &editedRows{RowIter: rows, edit: func(r sql.Row) []sql.Row {
			r[5] = "A"
			return []sql.Row{r}
		}}
	}
	return rows
}

// onUpdate returns the text in EXTRA for a column with ON UPDATE, "" for other columns.
//
// go-mysql-server: shows nothing. MySQL: shows it.
func onUpdate(c *sql.Column) string {
	t, ok := c.Type.(sql.DatetimeType)
	if c.OnUpdate == nil || !ok || c.Extra != "" {
		return ""
	}
	if p := t.Precision(); p > 0 {
		return fmt.Sprintf(" on update CURRENT_TIMESTAMP(%d)", p)
	}
	return " on update CURRENT_TIMESTAMP"
}

// ShowDatabases returns the rows of SHOW DATABASES, corrected. rows are go-mysql-server's.
//
// go-mysql-server: shows mysql twice. MySQL: shows each database once.
func ShowDatabases(rows sql.RowIter) sql.RowIter {
	if !mends.DatabaseRows.On() {
		return rows
	}
	last := ""
	return &editedRows{RowIter: rows, edit: func(r sql.Row) []sql.Row {
		if r[0] == last {
			return nil
		}
		last, _ = r[0].(string)
		return []sql.Row{r}
	}}
}
