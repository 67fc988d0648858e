package engine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/infoschema"
	"pfsd/engine/storage"
	"pfsd/tables"
)

// The tables data_locks and data_lock_waits show the locks of users' tables.

// onTable is a transaction and a table that it has locks on.
type onTable struct {
	transaction uint64
	db, table   string
}

// dataLocks are the rows of data_locks: the locks on rows, and for each transaction and table a lock on the table, as InnoDB has it.
func (s *Server) dataLocks(tables.Key) (rows []tables.DataLockRow) {
	all := s.tables.Locks()
	whole := map[onTable]int{}
	for i := range all {
		l := &all[i]
		row := s.dataLockRow(l)
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

// dataLockWaits are the rows of data_lock_waits.
func (s *Server) dataLockWaits(tables.Key) (rows []tables.DataLockWaitRow) {
	all := s.tables.Locks()
	for i := range all {
		for _, b := range all[i].Blockers {
			rows = append(rows, tables.DataLockWaitRow{Requesting: s.dataLockRow(&all[i]), Blocking: s.dataLockRow(&all[b])})
		}
	}
	return rows
}

// openTransactions are the transactions of all connections, with what they have locked.
func (s *Server) openTransactions() []infoschema.Transaction {
	all := s.clients.OpenTransactions()
	place := map[uint32]int{}
	for i := range all {
		place[all[i].Connection] = i
	}
	counted := map[onTable]bool{}
	for _, l := range s.tables.Locks() {
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

func (s *Server) dataLockRow(l *storage.Lock) tables.DataLockRow {
	row := tables.DataLockRow{
		ID: l.ID, Transaction: l.Transaction, Event: l.Event, Schema: l.Database, Object: l.Table, Index: l.Index, Address: l.Number,
		Type: "RECORD", Mode: "X,REC_NOT_GAP", Waiting: l.Waiting, Data: l.Data,
	}
	if session, ok := l.Owner.(sql.Session); ok {
		if w := s.workOf(session.ID()); w != nil {
			row.Thread = w.thread.ID()
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
