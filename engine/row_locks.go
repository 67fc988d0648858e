package engine

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/connection"
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
	goOn := w.Processor.Wait()
	event := s.rowLock.Wait(w.Thread, func() *instr.MetadataObject {
		o := &instr.MetadataObject{Type: "TABLE"}
		o.Schema, o.Name, o.Index = s.tables.LockedIndex(&l)
		return o
	})
	return func() {
		event.End()
		w.Current.LockWait += time.Since(l.Since)
		goOn()
	}
}

// workOf is the work of a connection or an event, nil if there is none.
func (s *Server) workOf(id uint32) *connection.Work {
	w, _ := s.clients.Work(id).(*connection.Work)
	return w
}
