package connection

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/sys"
)

// Views and procedures do what they do with the rights of who has defined them, unless they say
// otherwise. The SQL engine does not keep who that was: the text that package usertables keeps says so.

// FindsView implements usertables.Observer. To make a plan of a view the SQL engine wants the
// session to have a current database, any: for so long one that has none has the view's.
func (w *Work) FindsView(ctx *sql.Context, db string) {
	if w.record != nil && !sys.Is(db) {
		w.record.unkeepable = true // it can be another one the next time
	}
	if ctx.GetCurrentDatabase() == "" {
		ctx.SetCurrentDatabase(db)
		w.borrowedDatabase = true
	}
}

// takeBackDatabase takes away the current database that the session has for the sake of a view.
func (w *Work) takeBackDatabase(ctx *sql.Context) {
	if w.borrowedDatabase {
		ctx.SetCurrentDatabase("")
		w.borrowedDatabase = false
	}
}
