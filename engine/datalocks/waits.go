package datalocks

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/storage"
	"pfsd/instr"
	"pfsd/tables"
)

// LockWaits are the waits for locks on rows and for metadata locks, and who is in the way.
func (ls *Locks) LockWaits(tables.Key) (all []tables.LockWait) {
	for _, w := range ls.Tables.LockWaits() {
		wait := tables.LockWait{
			Class: ls.RowLock.Class(), Object: w.Waiter.Number, Certain: true,
			On:     &instr.MetadataObject{Type: "TABLE", Schema: w.Waiter.Database, Name: w.Waiter.Table, Index: w.Waiter.Index},
			Waiter: ls.rowParty(&w.Waiter),
		}
		wait.Waiter.Since, wait.Waiter.Timed = uint64(time.Since(w.Waiter.Since).Nanoseconds())*1000, true
		for i := range w.Blockers {
			wait.Blocker = ls.rowParty(&w.Blockers[i])
			all = append(all, wait)
		}
	}
	for _, w := range ls.Names.Waits() {
		waiter := ls.nameParty(&w.Waiter)
		for i := range w.Blockers {
			all = append(all, tables.LockWait{
				Class: w.Waiter.Class, Object: w.Waiter.ID, On: w.Waiter.Object, Certain: true, Waiter: waiter, Blocker: ls.nameParty(&w.Blockers[i]),
			})
		}
	}
	return all
}

// rowParty is who has a lock on rows, or waits for one. A transaction keeps its locks until it ends: its number tells holds
// apart.
func (ls *Locks) rowParty(l *storage.Lock) tables.LockParty {
	p := tables.LockParty{Number: l.Transaction, Pending: l.Table == ""}
	if l.Table != "" {
		p.Mode = ls.row(l).Mode
	}
	p.Timed = l.Table != "" && !l.Waiting
	if p.Timed {
		p.Since = uint64(l.Held.Nanoseconds()) * 1000
	}
	if l.Waiting {
		p.Number = uint64(l.Since.UnixNano())
	}
	if session, ok := l.Owner.(sql.Session); ok {
		ls.fill(&p, ls.Clients.Thread(session.ID()), max(l.Event, 1)-1, p.Timed)
	}
	return p
}

// nameParty is who has a metadata lock, or waits for it.
func (ls *Locks) nameParty(l *instr.MetadataLockInfo) tables.LockParty {
	p := tables.LockParty{
		Thread: l.Thread, Number: l.Number, Mode: l.Type.String(), Pending: l.Status == instr.MetadataPending, Source: l.Source(),
		Since: l.Since, Timed: l.Number != 0,
	}
	ls.fill(&p, ls.Reader.ThreadByID(l.Thread), l.Event, true)
	return p
}

// fill adds to a party what its thread knows of the statement that asked for the lock: the last one that had begun by an event. How long ago
// that was is how long it has had the lock, if nothing better is known.
func (ls *Locks) fill(p *tables.LockParty, thread *instr.Thread, event uint64, timed bool) {
	if thread == nil {
		return
	}
	p.Thread = thread.ID()
	var asked *instr.StatementEvent
	statements := thread.StatementsHistory(nil)
	statements = append(statements, thread.CurrentStatements(nil)...)
	for i := range statements {
		if s := &statements[i]; s.ID <= event && (asked == nil || s.ID >= asked.ID) {
			asked = s
		}
	}
	if event == 0 || asked == nil {
		return
	}
	p.Statement = asked.SQLText
	if !timed && asked.Timed() {
		p.Since, p.Timed = asked.Age(), true
	}
}
