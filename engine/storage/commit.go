package storage

import (
	"context"
	"errors"
	"slices"

	"pfsd/engine/txkv"
)

// flush commits what has been written. The transaction's next use begins a new inner transaction.
// The end of ctx ends the parts of it that take long: then nothing is committed, and the transaction
// is what it was. After another error it is lost.
func (t *Transaction) flush(ctx context.Context) (err error) {
	if t.lost != nil || t.txn == nil {
		return t.lost
	}
	if err = t.putCounters(); err == nil {
		err = t.txn.Prepare(ctx)
	}
	if err != nil && ctx.Err() != nil {
		return failure(err) // the transaction goes on
	}
	defer func() {
		if t.finish(); err != nil && t.whole == nil {
			t.lost = err
		}
	}()
	if err != nil {
		return failure(err)
	}
	t.p.commits.RLock()
	defer t.p.commits.RUnlock()
	if t.whole != nil && !t.whole.mayCommit(t) {
		return errChanged
	}
	for _, c := range t.written {
		s := c.state
		switch {
		case s.temporary:
		case t.dropped(s):
			t.whole.written = append(t.whole.written, s)
		case s.retired.Load() || s.frozenBy != nil && s.frozenBy != t:
			return errChanged
		}
	}
	wrote := t.txn.Size() > 0
	if t.whole != nil {
		t.whole.committing = true
	}
	if err := t.txn.Commit(); err != nil {
		return failure(err)
	}
	if wrote && t.whole == nil { // a change of definitions does not count as a transaction of the client
		t.p.counts.commits.Add(1)
	}
	for _, c := range t.written {
		c.state.rows.Add(c.rows)
	}
	return nil
}

// putCounters stores how many rows the tables will have after the commit.
func (t *Transaction) putCounters() error {
	for _, c := range t.written {
		s := c.state
		if s.temporary || c.rows == 0 || t.dropped(s) || !s.drifted(c.rows) {
			continue
		}
		rows := max(s.rows.Load()+c.rows, 0)
		if err := putCounter(t.txn, s.id, counterRows, uint64(rows)); err != nil {
			return err
		}
		s.savedRows.Store(rows)
	}
	return nil
}

// dropped tells whether the transaction itself has dropped or rewritten a table.
func (t *Transaction) dropped(s *tableState) bool {
	return t.whole != nil && s.retired.Load() && slices.Contains(t.whole.states, s)
}

// finish ends the inner transaction and drops what it has not committed.
func (t *Transaction) finish() {
	for len(t.open) > 0 {
		_ = t.open[len(t.open)-1].close()
	}
	if t.txn != nil {
		if t.txn.Size() > 0 { // the transaction has not committed
			t.p.counts.rollbacks.Add(1)
		}
		t.txn.Rollback()
		t.txn = nil
	}
	t.options.Snapshot = false // what begins next is another transaction
	t.count()
	t.written, t.savepoints = nil, nil
}

// Commit commits what has been written. After an error nothing is committed; only after errors 1021
// and 1030 the writes may still be there when the store is opened again. The end of ctx can end the
// commit until the writes are handed to the store; then the transaction goes on. It returns the
// error of a transaction that is lost.
func (t *Transaction) Commit(ctx context.Context) error {
	if t.whole != nil { // w commits
		return nil
	}
	t.keepOpen()
	err := t.flush(ctx)
	if err == nil || t.txn == nil {
		t.forget()
	}
	return err
}

// Rollback drops what has been written.
func (t *Transaction) Rollback() {
	t.finish()
	t.forget()
	t.lost = nil
}

// Lost returns the error of a transaction that the storage has rolled back by itself, as the victim
// of a deadlock or because the device has failed: the error that the client must get for its
// statement, whatever else has happened to the statement. Until Rollback the transaction writes and
// commits nothing.
func (t *Transaction) Lost() error { return t.lost }

// Lose rolls back a transaction that is the victim of a deadlock.
func (t *Transaction) Lose() {
	t.finish()
	t.lost = errDeadlock
}

// failed converts err to an error with MySQL's number. The store has already rolled back a
// transaction that is the victim of a deadlock.
func (t *Transaction) failed(err error) error {
	switch {
	case errors.Is(err, txkv.ErrDeadlock):
		t.Lose()
	case errors.Is(err, txkv.ErrLockTimeout) && t.p.rollsBackOnTimeout:
		t.finish()
		t.lost = errLockTimeout
	}
	return failure(err)
}

// EndStatement ends a statement of a client. It discards the rows of a statement that has written
// some, and has not ended them: it panicked.
func (t *Transaction) EndStatement() {
	for _, e := range t.edits {
		if e.first != nil {
			t.RollbackTo(*e.first)
			e.first = nil
		}
	}
	t.edits = t.edits[:0]
	t.count()
}

// forget drops the state of statements.
func (t *Transaction) forget() {
	for len(t.rebuilt) > 0 {
		t.rebuilt[0].abandon()
	}
	t.reads, t.edits, t.event, t.wait = nil, nil, 0, 0
}
