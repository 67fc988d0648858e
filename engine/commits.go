package engine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/fulltext"

	"pfsd/engine/compat"
	"pfsd/engine/mdl"
)

// edits are the tables whose rows a transaction has written. Owned by the connection's goroutine.
type edits struct {
	in  sql.Transaction // whose they are
	all map[tableName]bool
}

// edits notes that the transaction writes rows of a table, and of those that the table keeps its words in.
func (w *work) edits(ctx *sql.Context, t *memory.Table) {
	e := &w.edited
	if tx := ctx.GetTransaction(); e.all == nil || e.in != tx {
		*e = edits{tx, map[tableName]bool{}}
	}
	db := strings.ToLower(t.Database())
	name := tableName{db, strings.ToLower(t.Name())}
	if e.all[name] {
		return
	}
	e.all[name] = true
	indexes, err := t.GetIndexes(ctx)
	if err != nil {
		return
	}
	for _, i := range indexes {
		if words, ok := i.(fulltext.Index); ok && i.IsFullText() {
			if names, err := words.FullTextTableNames(ctx); err == nil {
				for _, n := range []string{names.Config, names.Position, names.DocCount, names.GlobalCount, names.RowCount} {
					e.all[tableName{db, strings.ToLower(n)}] = true
				}
			}
		}
	}
}

// putBack has the commit that follows put back what the transaction has written and defined, and nothing else. What it defines, it has
// locked so that nobody else may use it.
func (w *work) putBack(ctx *sql.Context) {
	tx := ctx.GetTransaction()
	compat.PutBack(ctx.Session, func(db, table string) bool {
		if w.edited.in == tx && w.edited.all[tableName{db, table}] || strings.HasSuffix(db, temporarySuffix) {
			return true
		}
		return w.locks.Defines(tableKey(db, table))
	})
}

// tablesOf are the keys of a database's tables.
func (w *work) tablesOf(ctx *sql.Context, db string) (all []mdl.Key) {
	if w.rights.provider == nil {
		return nil
	}
	d, err := w.rights.provider.Database(ctx, db)
	if users, ok := d.(usersDatabase); ok && err == nil {
		for name := range users.Tables() {
			all = append(all, tableKey(db, name))
		}
	}
	return all
}
