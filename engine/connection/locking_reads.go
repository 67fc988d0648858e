package connection

import (
	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/session"
	"pfsd/engine/storage"
)

// deadlockNumber is the number of the error after which the transaction has been rolled back.
const deadlockNumber = 1213

// startReads tells the transaction that a statement begins to read, and has its reads lock the rows that they find, if it says FOR UPDATE or
// FOR SHARE, which go-mysql-server parses and forgets.
func (w *Work) startReads(ctx *sql.Context, s ast.Statement) {
	t, ok := ctx.GetTransaction().(*storage.Transaction)
	if !ok || w.program != nil && w.program.within { // what a trigger does is part of a statement that reads
		return
	}
	if w.program == nil {
		t.StartStatement(w.Current.event.EventID())
	} else {
		t.StartInner(w.Current.event.EventID())
	}
	clauses := w.Current.clauses
	if w.program != nil || !w.Current.clausesKnown {
		clauses = lockClauses(s)
	}
	if len(clauses) == 0 {
		return
	}
	t.LockReads(func(db, table string) (storage.ReadLock, bool) {
		for _, c := range clauses {
			if c.Locks(ctx, db, table) {
				return c.Lock, true
			}
		}
		return storage.ReadLock{}, false
	})
}

// lockClause is FOR UPDATE or FOR SHARE of one SELECT.
type lockClause = session.ReadClause

// lockClauses are those of a statement, and of all SELECTs in it.
func lockClauses(s ast.Statement) []lockClause { return session.ReadClauses(s) }
