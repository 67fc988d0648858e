package engine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"pfsd/engine/mysqlerr"
)

// Deleter implements sql.DeletableTable. Access has been checked.
func (t *table) Deleter(ctx *sql.Context) sql.RowDeleter { return t.editor(ctx) }

// Delete implements sql.RowDeleter.
func (e editor) Delete(ctx *sql.Context, row sql.Row) error {
	if !e.t.def.Deletable() {
		return mysqlerr.TableDenied(ctx, "DELETE", e.t.Name())
	}
	countsOf(ctx).ask(handlerDelete, 1)
	return e.t.def.Delete(e.t.reg, e.key(row))
}
