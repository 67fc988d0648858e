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

// written is what statements have written to the tables and FLUSH PRIVILEGES has not taken over yet. Safe for concurrent
// use.
type written struct {
	mu      sync.Mutex
	rows    map[string][]sql.Row // of a table that has been written to, by its name; no row changes
	dropped map[string]bool      // tables that DROP TABLE took away
}

// rowsNow are the rows of a table: those that were written to it, else those that the accounts make.
func (t *table) rowsNow() []sql.Row {
	t.written.mu.Lock()
	defer t.written.mu.Unlock()
	return t.rowsLocked()
}

// rowsLocked is rowsNow for who holds written.mu.
func (t *table) rowsLocked() []sql.Row {
	if rows, ok := t.written.rows[t.name]; ok {
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
	t.written.mu.Lock()
	defer t.written.mu.Unlock()
	rows, err := do(slices.Clone(t.rowsLocked()))
	if err == nil {
		t.written.rows[t.name] = rows
	}
	return err
}

// Has tells whether the server has a table of this name, dropped or not.
func (d *Database) Has(name string) bool { return d.tables[strings.ToLower(name)] != nil }

// isDropped tells whether a table is missing.
func (d *Database) isDropped(name string) bool {
	d.written.mu.Lock()
	defer d.written.mu.Unlock()
	return d.written.dropped[name]
}

// Drop is DROP TABLE. It reports false if there is no such table.
func (d *Database) Drop(name string) bool {
	d.written.mu.Lock()
	defer d.written.mu.Unlock()
	name = strings.ToLower(name)
	if d.tables[name] == nil || d.written.dropped[name] {
		return false
	}
	d.written.dropped[name], d.written.rows[name] = true, nil
	return true
}

// Create is CREATE TABLE with these columns. The table must have been dropped, and be as the server has it.
func (d *Database) Create(name string, columns []string) error {
	d.written.mu.Lock()
	defer d.written.mu.Unlock()
	t := d.tables[strings.ToLower(name)]
	switch {
	case t == nil:
		return ErrSchema()
	case !d.written.dropped[t.name]:
		return mysql.NewSQLError(1050, "42S01", "Table '%s' already exists", t.name)
	case !slices.EqualFunc(t.columns, columns, func(c column, name string) bool { return strings.EqualFold(c.name, name) }):
		return mysql.NewSQLError(1805, "HY000", "Column count of %s.%s is wrong. Expected %d, found %d. The table is probably corrupted", Name, t.name, len(t.columns), len(columns))
	}
	delete(d.written.dropped, t.name)
	return nil
}

// Written tells whether the tables of accounts say something else than the accounts, which FLUSH PRIVILEGES takes over.
func (d *Database) Written() bool {
	d.written.mu.Lock()
	defer d.written.mu.Unlock()
	return d.writtenLocked()
}

func (d *Database) writtenLocked() bool {
	for _, g := range grantTables {
		if _, ok := d.written.rows[g.name]; ok {
			return true
		}
	}
	return false
}

// Reload is FLUSH PRIVILEGES: the accounts become what the tables say. warn is told of the accounts and grants that cannot be
// taken over, as the server does not have what they need. After an error nothing has changed.
func (d *Database) Reload(warn func(number int, message string)) error {
	d.written.mu.Lock()
	defer d.written.mu.Unlock()
	if !d.writtenLocked() {
		return nil
	}
	for _, g := range grantTables {
		if d.written.dropped[g.name] {
			return mysql.NewSQLError(1146, "42S02", "Table '%s.%s' doesn't exist", Name, g.name)
		}
	}
	err := d.store.Replace(func([]*accounts.Account) []*accounts.Account {
		r := reading{accounts: map[accounts.ID]*accounts.Account{}, warn: warn}
		for _, g := range grantTables {
			for _, row := range d.tables[g.name].rowsLocked() {
				g.take(&r, row)
			}
		}
		return r.order
	})
	if err == nil {
		for _, g := range grantTables {
			delete(d.written.rows, g.name)
		}
	}
	return err
}

// editor writes to a table. Owned by one goroutine.
type editor struct {
	*table
	before []sql.Row // when the statement began
	left   int       // rows that were not taken
}

var _ sql.TableEditor = (*editor)(nil)

// StatementBegin implements sql.EditOpenerCloser.
func (e *editor) StatementBegin(*sql.Context) { e.before = e.rowsNow() }

// DiscardChanges implements sql.EditOpenerCloser.
func (e *editor) DiscardChanges(*sql.Context, error) error {
	return e.edit(func([]sql.Row) ([]sql.Row, error) { return e.before, nil })
}

// StatementComplete implements sql.EditOpenerCloser.
func (e *editor) StatementComplete(ctx *sql.Context) error {
	if e.left > 0 {
		ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: 3554, Message: ErrTable(e.name).(*mysql.SQLError).Message})
		e.left = 0
	}
	return nil
}

// Close implements sql.Closer.
func (e *editor) Close(*sql.Context) error { return nil }

// Insert implements sql.RowInserter.
func (e *editor) Insert(ctx *sql.Context, row sql.Row) error {
	if e.rows == nil {
		e.left++
		return nil
	}
	row = e.kept(ctx, row)
	return e.edit(func(rows []sql.Row) ([]sql.Row, error) {
		if i := e.at(ctx, rows, row); i >= 0 {
			return nil, sql.NewUniqueKeyErr(e.keyText(row), true, e.shown(ctx, rows[i]))
		}
		return append(rows, row), nil
	})
}

// Update implements sql.RowUpdater.
func (e *editor) Update(ctx *sql.Context, old, row sql.Row) error {
	old, row = e.kept(ctx, old), e.kept(ctx, row)
	return e.edit(func(rows []sql.Row) ([]sql.Row, error) {
		i := e.at(ctx, rows, old)
		if i < 0 {
			return rows, nil
		}
		if other := e.at(ctx, rows, row); other >= 0 && other != i {
			return nil, sql.NewUniqueKeyErr(e.keyText(row), true, e.shown(ctx, rows[other]))
		}
		rows[i] = row
		return rows, nil
	})
}

// Delete implements sql.RowDeleter.
func (e *editor) Delete(ctx *sql.Context, row sql.Row) error {
	row = e.kept(ctx, row)
	return e.edit(func(rows []sql.Row) ([]sql.Row, error) {
		if i := e.at(ctx, rows, row); i >= 0 {
			rows = slices.Delete(rows, i, i+1)
		}
		return rows, nil
	})
}

// at is the place of the row with the key of another, -1 for none.
func (t *table) at(ctx *sql.Context, rows []sql.Row, like sql.Row) int {
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

// keyText is the key of a row as the SQL engine writes it in errors.
func (t *table) keyText(row sql.Row) string {
	var key []any
	for i, c := range t.schema {
		if c.PrimaryKey {
			key = append(key, row[i])
		}
	}
	return sql.FormatRow(key)
}

// kept is a row as it is kept: with moments, not what the session's clock says.
func (t *table) kept(ctx *sql.Context, row sql.Row) sql.Row { return t.timed(ctx, row, t.clock.Moment) }

// shown is a row as the session sees it.
func (t *table) shown(ctx *sql.Context, row sql.Row) sql.Row { return t.timed(ctx, row, t.clock.Local) }

func (t *table) timed(ctx *sql.Context, row sql.Row, as func(*sql.Context, time.Time) time.Time) sql.Row {
	row = slices.Clone(row)
	for i, v := range row {
		if m, ok := v.(time.Time); ok {
			row[i] = as(ctx, m)
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
	err = t.edit(func(rows []sql.Row) ([]sql.Row, error) {
		n = len(rows)
		return nil, nil
	})
	return n, err
}
