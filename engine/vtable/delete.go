package vtable

import (
	"github.com/dolthub/go-mysql-server/sql"
	"pfsd/engine/mysqlerr"
)

// Deleter implements sql.DeletableTable. Access has been checked.
func (t *Table) Deleter(ctx *sql.Context) sql.RowDeleter { return t.editor(ctx) }

// Delete implements sql.RowDeleter.
func (e editor) Delete(ctx *sql.Context, row sql.Row) error {
	if !e.t.Def.Deletable() {
		return mysqlerr.TableDenied(ctx, "DELETE", e.t.Name())
	}
	countsOf(ctx).Add(HandlerDelete, 1)
	return mysqlerr.OfTable(e.t.Def.Delete(e.t.Model, e.key(row)), e.t.Name(), "")
}
