package datalocks

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/errorlog"
	"pfsd/engine/infoschema"
	"pfsd/engine/storage"
	"pfsd/engine/txkv"
)

// NoteDeadlock keeps a deadlock for SHOW ENGINE INNODB STATUS, as long as those who wait in it still do.
func (ls *Locks) NoteDeadlock(found *txkv.Deadlock) {
	known := map[uint32]infoschema.Transaction{}
	for _, t := range ls.Clients.OpenTransactions() {
		known[t.Connection] = t
	}
	d := &infoschema.Deadlock{Time: found.Time}
	for _, p := range ls.Tables.Deadlock(found).Parts {
		part := infoschema.DeadlockPart{Transaction: infoschema.Transaction{Started: found.Time}}
		if session, ok := p.Waits.Owner.(sql.Session); ok {
			if t, ok := known[session.ID()]; ok {
				part.Transaction = t
			}
			part.Connection = session.ID()
		}
		part.ID, part.RowLocks, part.Requested = p.Waits.Transaction, uint64(p.Held), p.Waits.ID
		part.Waits, part.Holds = rowLock(&p.Waits), rowLock(&p.Holds)
		d.Parts = append(d.Parts, part)
	}
	ls.last.Store(d)
	if ls.PrintsDeadlocks() {
		ls.Log.Write(errorlog.DeadlockFound, errorlog.Lines(d.Text(time.UTC)))
	}
}

// rowLock is a lock as information_schema and the monitor have it.
func rowLock(l *storage.Lock) infoschema.RowLock {
	return infoschema.RowLock{Database: l.Database, Table: l.Table, Index: l.Index, Whole: l.Whole, Shared: l.Shared, Range: l.Range, Data: l.Data}
}
