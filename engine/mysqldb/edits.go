package mysqldb

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/accounts"
)

// edits has what statements wrote to the tables since the last FLUSH PRIVILEGES. Safe for
// concurrent use.
type edits struct {
	mu      sync.Mutex
	rows    map[string][]sql.Row // by name of the table, if it has been written to; the rows are immutable
	dropped map[string]bool      // tables that DROP TABLE has dropped
}

// currentRows returns the rows of a table: the written ones if the table has been written to, else
// those made from the accounts.
func (t *table) currentRows() []sql.Row {
	t.edits.mu.Lock()
	defer t.edits.mu.Unlock()
	return t.currentRowsLocked()
}

// currentRowsLocked does the same as currentRows for a caller that holds edits.mu.
func (t *table) currentRowsLocked() []sql.Row {
	if t.log != nil {
		return t.log.Rows()
	}
	if rows, ok := t.edits.rows[t.name]; ok {
		return rows
	}
	if t.rows == nil {
		return nil
	}
	all := t.store.All()
	slices.SortStableFunc(all, func(a, b *accounts.Account) int { return strings.Compare(a.Host, b.Host) })
	return t.rows(all)
}

// edit replaces the rows of a table.
func (t *table) edit(do func(rows []sql.Row) ([]sql.Row, error)) error {
	if t.log != nil {
		return errLogTable()
	}
	t.edits.mu.Lock()
	defer t.edits.mu.Unlock()
	rows, err := do(slices.Clone(t.currentRowsLocked()))
	if err == nil {
		t.edits.rows[t.name] = rows
	}
	return err
}

// Has reports whether the database has a table of this name, dropped or not.
func (d *Database) Has(name string) bool { return d.tables[strings.ToLower(name)] != nil }

// isDropped reports whether a table was dropped.
func (d *Database) isDropped(name string) bool {
	d.edits.mu.Lock()
	defer d.edits.mu.Unlock()
	return d.edits.dropped[name]
}

// Drop executes DROP TABLE. It reports false if there is no such table.
func (d *Database) Drop(name string) bool {
	d.edits.mu.Lock()
	defer d.edits.mu.Unlock()
	name = strings.ToLower(name)
	if d.tables[name] == nil || d.edits.dropped[name] {
		return false
	}
	d.edits.dropped[name], d.edits.rows[name] = true, nil
	return true
}

// Create executes CREATE TABLE. The table must have been dropped, and have its original columns.
func (d *Database) Create(name string, columns []string) error {
	d.edits.mu.Lock()
	defer d.edits.mu.Unlock()
	t := d.tables[strings.ToLower(name)]
	switch {
	case t == nil:
		return ErrSchema()
	case !d.edits.dropped[t.name]:
		return mysql.NewSQLError(1050, "42S01", "Table '%s' already exists", t.name)
	case !slices.EqualFunc(t.columns, columns, func(c column, name string) bool { return strings.EqualFold(c.name, name) }):
		return mysql.NewSQLError(1805, "HY000", "Column count of %s.%s is wrong. Expected %d, found %d. The table is probably corrupted", databaseName, t.name, len(t.columns), len(columns))
	}
	delete(d.edits.dropped, t.name)
	return nil
}

// Edited reports whether there are edits that FLUSH PRIVILEGES would load.
func (d *Database) Edited() bool {
	d.edits.mu.Lock()
	defer d.edits.mu.Unlock()
	return d.editedLocked()
}

func (d *Database) editedLocked() bool {
	for _, g := range grantTables {
		if _, ok := d.edits.rows[g.name]; ok {
			return true
		}
	}
	return false
}

// Reload executes FLUSH PRIVILEGES: it makes the accounts from the tables. It calls warn for
// accounts and grants that need something that the server lacks. After an error, nothing has
// changed.
func (d *Database) Reload(warn func(number int, message string)) error {
	d.edits.mu.Lock()
	defer d.edits.mu.Unlock()
	if !d.editedLocked() {
		return nil
	}
	for _, g := range grantTables {
		if d.edits.dropped[g.name] {
			return mysql.NewSQLError(1146, "42S02", "Table '%s.%s' doesn't exist", databaseName, g.name)
		}
	}
	err := d.store.Replace(func([]*accounts.Account) []*accounts.Account {
		r := loader{accounts: map[accounts.ID]*accounts.Account{}, warn: warn}
		for _, g := range grantTables {
			for _, row := range d.tables[g.name].currentRowsLocked() {
				g.take(&r, row)
			}
		}
		return r.order
	})
	if err == nil {
		for _, g := range grantTables {
			delete(d.edits.rows, g.name)
		}
	}
	return err
}

// editor writes to a table. Owned by one goroutine.
type editor struct {
	*table
	before  []sql.Row // the rows when the statement began
	skipped int       // rows that were ignored, because the table never has rows
}

var _ sql.TableEditor = (*editor)(nil)

// StatementBegin implements sql.EditOpenerCloser.
func (e *editor) StatementBegin(*sql.Context) { e.before = e.currentRows() }

// DiscardChanges implements sql.EditOpenerCloser.
func (e *editor) DiscardChanges(*sql.Context, error) error {
	return e.edit(func([]sql.Row) ([]sql.Row, error) { return e.before, nil })
}

// StatementComplete implements sql.EditOpenerCloser.
func (e *editor) StatementComplete(ctx *sql.Context) error {
	if e.skipped > 0 {
		ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: 3554, Message: ErrTable(e.name).(*mysql.SQLError).Message})
		e.skipped = 0
	}
	return nil
}

// Close implements sql.Closer.
func (e *editor) Close(*sql.Context) error { return nil }

// Insert implements sql.RowInserter.
func (e *editor) Insert(ctx *sql.Context, row sql.Row) error {
	if e.rows == nil && e.log == nil {
		e.skipped++
		return nil
	}
	row = e.storedRow(ctx, row)
	return e.edit(func(rows []sql.Row) ([]sql.Row, error) {
		if i := e.indexOf(ctx, rows, row); i >= 0 {
			return nil, sql.NewUniqueKeyErr(e.keyText(row), true, e.sessionRow(ctx, rows[i]))
		}
		return append(rows, row), nil
	})
}

// Update implements sql.RowUpdater.
func (e *editor) Update(ctx *sql.Context, old, row sql.Row) error {
	old, row = e.storedRow(ctx, old), e.storedRow(ctx, row)
	return e.edit(func(rows []sql.Row) ([]sql.Row, error) {
		i := e.indexOf(ctx, rows, old)
		if i < 0 {
			return rows, nil
		}
		if other := e.indexOf(ctx, rows, row); other >= 0 && other != i {
			return nil, sql.NewUniqueKeyErr(e.keyText(row), true, e.sessionRow(ctx, rows[other]))
		}
		rows[i] = row
		return rows, nil
	})
}

// Delete implements sql.RowDeleter.
func (e *editor) Delete(ctx *sql.Context, row sql.Row) error {
	row = e.storedRow(ctx, row)
	return e.edit(func(rows []sql.Row) ([]sql.Row, error) {
		if i := e.indexOf(ctx, rows, row); i >= 0 {
			rows = slices.Delete(rows, i, i+1)
		}
		return rows, nil
	})
}

// indexOf returns the index of the row with the same key as like, -1 if there is none.
func (t *table) indexOf(ctx *sql.Context, rows []sql.Row, like sql.Row) int {
	return slices.IndexFunc(rows, func(r sql.Row) bool {
		for i, c := range t.schema {
			if c.PrimaryKey {
				if n, err := c.Type.Compare(ctx, r[i], like[i]); err != nil || n != 0 {
					return false
				}
			}
		}
		return true
	})
}

// keyText returns the key of a row as go-mysql-server writes it in errors.
func (t *table) keyText(row sql.Row) string {
	var key []any
	for i, c := range t.schema {
		if c.PrimaryKey {
			key = append(key, row[i])
		}
	}
	return sql.FormatRow(key)
}

// storedRow converts a row of the session to the stored form, whose times are absolute.
func (t *table) storedRow(ctx *sql.Context, row sql.Row) sql.Row {
	return t.convertTimes(ctx, row, func(ctx *sql.Context, m time.Time, _ int) time.Time { return t.clock.Moment(ctx, m) })
}

// sessionRow converts a stored row to the session's time zone.
func (t *table) sessionRow(ctx *sql.Context, row sql.Row) sql.Row {
	return t.convertTimes(ctx, row, t.clock.Local)
}

func (t *table) convertTimes(ctx *sql.Context, row sql.Row, as func(ctx *sql.Context, t time.Time, digits int) time.Time) sql.Row {
	row = slices.Clone(row)
	for i, v := range row {
		if m, ok := v.(time.Time); ok {
			digits := 0
			if typ, ok := t.schema[i].Type.(sql.DatetimeType); ok {
				digits = typ.Precision()
			}
			row[i] = as(ctx, m, digits)
		}
	}
	return row
}

// Inserter implements sql.InsertableTable.
func (t *table) Inserter(*sql.Context) sql.RowInserter { return &editor{table: t} }

// Replacer implements sql.ReplaceableTable.
func (t *table) Replacer(*sql.Context) sql.RowReplacer { return &editor{table: t} }

// Updater implements sql.UpdatableTable.
func (t *table) Updater(*sql.Context) sql.RowUpdater { return &editor{table: t} }

// Deleter implements sql.DeletableTable.
func (t *table) Deleter(*sql.Context) sql.RowDeleter { return &editor{table: t} }

// Truncate implements sql.TruncateableTable.
func (t *table) Truncate(*sql.Context) (n int, err error) {
	if t.log != nil {
		n = len(t.log.Rows())
		t.log.Truncate()
		return n, nil
	}
	err = t.edit(func(rows []sql.Row) ([]sql.Row, error) {
		n = len(rows)
		return nil, nil
	})
	return n, err
}
