package engine

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/tables"
)

// Updater implements sql.UpdatableTable. Access has been checked.
func (t *table) Updater(*sql.Context) sql.RowUpdater { return updater{t} }

// updater applies an UPDATE, each row at once: like MySQL's, the tables have no
// transactions. Owned by one goroutine.
type updater struct{ t *table }

// StatementBegin implements sql.EditOpenerCloser.
func (updater) StatementBegin(*sql.Context) {}

// DiscardChanges implements sql.EditOpenerCloser.
func (updater) DiscardChanges(*sql.Context, error) error { return nil }

// StatementComplete implements sql.EditOpenerCloser.
func (updater) StatementComplete(*sql.Context) error { return nil }

// Close implements sql.RowUpdater.
func (updater) Close(*sql.Context) error { return nil }

// Update implements sql.RowUpdater: only the columns that differ are set, so that two
// sessions that change two columns of a row both win.
func (u updater) Update(ctx *sql.Context, old, new sql.Row) error {
	defs := u.t.def.Columns()
	for i, def := range defs {
		if old[i] != new[i] && !def.Updatable {
			return tableError(tables.ErrColumnNotUpdatable, u.t.Name(), def.Name)
		}
	}
	key := u.key(old)
	for i, def := range defs {
		if old[i] == new[i] {
			continue
		}
		if err := u.t.def.Update(u.t.reg, key, def.Name, unbox(new[i])); err != nil {
			return tableError(err, u.t.Name(), def.Name)
		}
	}
	return nil
}

// key is what singles out the row: its primary key, or all that cannot change.
func (u updater) key(row sql.Row) tables.Key {
	var primary, fixed tables.Key
	for i, def := range u.t.def.Columns() {
		if row[i] == nil {
			continue
		}
		eq := tables.Eq{Column: def.Name, Value: unbox(row[i])}
		if u.t.schema[i].PrimaryKey {
			primary = append(primary, eq)
		}
		if !def.Updatable {
			fixed = append(fixed, eq)
		}
	}
	if len(primary) > 0 {
		return primary
	}
	return fixed
}
