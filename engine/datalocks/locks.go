package datalocks

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/errorlog"
	"pfsd/engine/infoschema"
	"pfsd/engine/mdl"
	"pfsd/engine/processlist"
	"pfsd/engine/storage"
	"pfsd/instr"
	"pfsd/tables"
)

// Locks are the locks of users' tables, as others see them. Safe for concurrent use.
type Locks struct {
	Tables  *storage.Provider
	Clients *processlist.List
	Log     *errorlog.Log
	// Names are the metadata locks, RowLock the instrument of waits for rows, and Reader knows the threads of both.
	Names   *mdl.Manager
	RowLock *instr.RowLockClass
	Reader  instr.Reader
	// PrintsDeadlocks tells whether deadlocks go to the log.
	PrintsDeadlocks func() bool

	last atomic.Pointer[infoschema.Deadlock] // nil if there was none
}

// LastDeadlock is the last deadlock, nil if there was none.
func (ls *Locks) LastDeadlock() *infoschema.Deadlock { return ls.last.Load() }

// onTable is a transaction and a table that it has locks on.
type onTable struct {
	transaction uint64
	db, table   string
}

// Rows are the rows of data_locks: the locks on rows, and for each transaction and table a lock on the table, as InnoDB has it.
func (ls *Locks) Rows(tables.Key) (rows []tables.DataLockRow) {
	all := ls.Tables.Locks()
	whole := map[onTable]int{}
	for i := range all {
		l := &all[i]
		row := ls.row(l)
		rows = append(rows, row)
		if l.Whole {
			continue
		}
		key := onTable{l.Transaction, l.Database, l.Table}
		at, ok := whole[key]
		if !ok {
			at = len(rows)
			whole[key] = at
			row.ID, row.Index, row.Type, row.Mode, row.Waiting, row.Data = fmt.Sprintf("%d:%s.%s", l.Transaction, l.Database, l.Table), "", "TABLE", "IS", false, ""
			row.Address++
			rows = append(rows, row)
		}
		if !l.Shared {
			rows[at].Mode = "IX"
		}
	}
	slices.SortStableFunc(rows, func(a, b tables.DataLockRow) int {
		return cmp.Or(cmp.Compare(a.Transaction, b.Transaction), cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Object, b.Object), -cmp.Compare(a.Type, b.Type))
	})
	return rows
}

// WaitRows are the rows of data_lock_waits.
func (ls *Locks) WaitRows(tables.Key) (rows []tables.DataLockWaitRow) {
	all := ls.Tables.Locks()
	for i := range all {
		for _, b := range all[i].Blockers {
			rows = append(rows, tables.DataLockWaitRow{Requesting: ls.row(&all[i]), Blocking: ls.row(&all[b])})
		}
	}
	return rows
}

// OpenTransactions are the transactions of all connections, with what they have locked.
func (ls *Locks) OpenTransactions() []infoschema.Transaction {
	all := ls.Clients.OpenTransactions()
	place := map[uint32]int{}
	for i := range all {
		place[all[i].Connection] = i
	}
	counted := map[onTable]bool{}
	for _, l := range ls.Tables.Locks() {
		session, ok := l.Owner.(sql.Session)
		if !ok {
			continue
		}
		i, ok := place[session.ID()]
		if !ok {
			continue
		}
		t := &all[i]
		t.ID = l.Transaction
		if l.Waiting {
			t.Requested, t.Waits, t.WaitsSince = l.ID, rowLock(&l), l.Since
			continue
		}
		t.RowLocks++
		if key := (onTable{l.Transaction, l.Database, l.Table}); !counted[key] {
			counted[key] = true
			t.Tables++
		}
	}
	return all
}

func (ls *Locks) row(l *storage.Lock) tables.DataLockRow {
	row := tables.DataLockRow{
		ID: l.ID, Transaction: l.Transaction, Event: l.Event, Schema: l.Database, Object: l.Table, Index: l.Index, Address: l.Number,
		Type: "RECORD", Mode: "X,REC_NOT_GAP", Waiting: l.Waiting, Data: l.Data,
	}
	if session, ok := l.Owner.(sql.Session); ok {
		if thread := ls.Clients.Thread(session.ID()); thread != nil {
			row.Thread = thread.ID()
		}
	}
	switch {
	case l.Whole && l.Shared:
		row.Type, row.Mode = "TABLE", "S"
	case l.Whole:
		row.Type, row.Mode = "TABLE", "X"
	case l.Range && l.Shared:
		row.Mode = "S,GAP"
	case l.Range:
		row.Mode = "X,GAP"
	case l.Shared:
		row.Mode = "S,REC_NOT_GAP"
	}
	return row
}
