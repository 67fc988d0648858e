package vtable

import (
	"errors"
	"slices"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/moment"
	"pfsd/engine/mysqlerr"
	"pfsd/tables"
)

// Updater implements sql.UpdatableTable. Access has been checked.
func (t *Table) Updater(ctx *sql.Context) sql.RowUpdater { return updater{t.editor(ctx)} }

// editor is the common part of the writers of rows. Each row is written at once: as in MySQL, the tables
// have no transactions, and rows written before an error stay. Owned by one goroutine.
type editor struct {
	t    *Table
	zone *time.Location // the session's
}

func (t *Table) editor(ctx *sql.Context) editor { return editor{t, moment.Zone(ctx)} }

// StatementBegin implements sql.EditOpenerCloser.
func (editor) StatementBegin(*sql.Context) {}

// DiscardChanges implements sql.EditOpenerCloser.
func (editor) DiscardChanges(*sql.Context, error) error { return nil }

// StatementComplete implements sql.EditOpenerCloser.
func (editor) StatementComplete(*sql.Context) error { return nil }

// Close implements sql.Closer.
func (editor) Close(*sql.Context) error { return nil }

// updater applies an UPDATE. Owned by one goroutine.
type updater struct{ editor }

// Update implements sql.RowUpdater: it sets only the columns that differ, so that two
// sessions can change different columns of a row at the same time.
func (u updater) Update(ctx *sql.Context, old, new sql.Row) error {
	defs := u.t.Def.Columns()
	for i, def := range defs {
		if old[i] != new[i] && !def.Updatable {
			return mysqlerr.OfTable(tables.ErrColumnNotUpdatable, u.t.Name(), def.Name)
		}
	}
	countsOf(ctx).Add(HandlerUpdate, 1)
	key := u.key(old)
	for i, def := range defs {
		if old[i] == new[i] {
			continue
		}
		err := u.t.Def.Update(u.t.Model, key, def.Name, unbox(new[i], u.zone))
		if errors.Is(err, tables.ErrBadValue) && u.t.Def.Insertable() {
			return mysqlerr.NoReference() // see Insert
		}
		if err != nil {
			return mysqlerr.OfTable(err, u.t.Name(), def.Name)
		}
	}
	return nil
}

// key identifies the row: by its unique key, or else by all columns that cannot be updated.
func (e editor) key(row sql.Row) tables.Key {
	unique := e.t.uniqueColumns()
	var key tables.Key
	for i, def := range e.t.Def.Columns() {
		if unique == nil && !def.Updatable || slices.Contains(unique, def.Name) {
			// The collation may find different rows equal.
			v := unbox(row[i], e.zone)
			key = append(key, tables.Eq{Column: def.Name, Value: v, Same: v.IsNull() || v.IsText()})
		}
	}
	return key
}

// uniqueColumns returns the columns of the first unique key, nil if there is none.
func (t *Table) uniqueColumns() []string {
	for _, ix := range t.Def.Indexes() {
		if ix.Unique {
			return ix.Columns
		}
	}
	return nil
}
