package engine

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/errorlog"
	"pfsd/engine/infoschema"
	"pfsd/engine/storage"
	"pfsd/engine/txkv"
	"pfsd/instr"
)

// waitsForRow is told of a wait for a lock on a row, on the goroutine of the statement that waits: it is an event, counts in the
// statement's LOCK_TIME, and is no processor time. What it returns ends the wait.
func (s *Server) waitsForRow(l txkv.LockInfo) (end func()) {
	session, ok := l.Owner.(sql.Session)
	if !ok {
		return func() {}
	}
	w := s.workOf(session.ID())
	if w == nil {
		return func() {}
	}
	goOn := w.processor.Wait()
	event := s.rowLock.Wait(w.thread, func() *instr.MetadataObject {
		o := &instr.MetadataObject{Type: "TABLE"}
		o.Schema, o.Name, o.Index = s.tables.LockedIndex(&l)
		return o
	})
	return func() {
		event.End()
		w.statement.lockWait += time.Since(l.Since)
		goOn()
	}
}

// noteDeadlock keeps a deadlock for SHOW ENGINE INNODB STATUS, as long as those who wait in it still do.
func (s *Server) noteDeadlock(found *txkv.Deadlock) {
	known := map[uint32]infoschema.Transaction{}
	for _, t := range s.clients.OpenTransactions() {
		known[t.Connection] = t
	}
	d := &infoschema.Deadlock{Time: found.Time}
	for _, p := range s.tables.Deadlock(found).Parts {
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
	s.deadlock.Store(d)
	if s.variables.Integer("innodb_print_all_deadlocks") != 0 {
		s.log.Write(errorlog.DeadlockFound, d.Text(time.UTC))
	}
}

func rowLock(l *storage.Lock) infoschema.RowLock {
	return infoschema.RowLock{Database: l.Database, Table: l.Table, Index: l.Index, Whole: l.Whole, Shared: l.Shared, Range: l.Range, Data: l.Data}
}
