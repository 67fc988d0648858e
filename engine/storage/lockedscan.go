package storage

import (
	"bytes"
	"errors"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/txkv"
)

// A scan that locks rows reads what is committed. Rows that another transaction has inserted and not committed are not
// among that, but the scan has to wait for them as for any row that another transaction has changed: it knows the next
// one of them, waits when it comes to it, and goes on from there with what is committed then.

// scanLocked begins to read the present span, rows of which will be locked. At REPEATABLE READ and above it first
// locks the range, so that no rows appear in it.
func (r *rows) scanLocked() error {
	s, t := &r.current, r.t.txn
	if r.locksGaps() {
		if _, err := t.LockGap(s.lower, s.upper, r.mode); err != nil {
			return failure(err)
		}
	}
	return r.scanOn()
}

// locksGaps tells whether a read that locks rows also keeps others from inserting where it found none. The row that a
// foreign key refers to is locked alone: without it the statement fails.
func (r *rows) locksGaps() bool {
	return r.t.options.Isolation >= txkv.RepeatableRead && (r.table.access == nil || !r.table.access.reference)
}

// scanOn begins to read what is left of the present span.
func (r *rows) scanOn() (err error) {
	s := &r.current
	r.ahead = nil
	if !r.passesInserts() {
		if key, ok := r.t.txn.Uncommitted(s.lower, s.upper, r.mode, r.reverse); ok {
			r.ahead = key
		}
	}
	r.it, err = r.reads.ScanNewest(s.lower, s.upper, r.reverse)
	return err
}

// passesInserts tells whether the scan does not wait for rows that are inserted and not committed. SKIP LOCKED does
// not. An UPDATE at READ COMMITTED of a range of the primary key looks at the last committed values of rows that others
// have locked, and these rows have none.
func (r *rows) passesInserts() bool {
	return r.skip || r.index == nil && r.current.any != nil && r.table.access == nil && r.t.options.Isolation <= txkv.ReadCommitted && r.t.onlyUpdates(r.table.def.record.ID)
}

// meet waits for the uncommitted row that is ahead, if the scan has come to it. The scan is at key, or at its end if
// key is nil. It returns true if it has waited: then the scan has begun anew at that row.
func (r *rows) meet(ctx *sql.Context, key []byte) (bool, error) {
	if key != nil {
		if c := bytes.Compare(key, r.ahead); c < 0 && !r.reverse || c > 0 && r.reverse {
			return false, nil
		}
	}
	ahead, s := r.ahead, &r.current
	if err := r.close(); err != nil {
		return false, failure(err)
	}
	fresh, err := r.t.txn.Lock(ctx, ahead, r.mode, r.wait())
	if err != nil {
		return false, r.t.failed(err)
	}
	if fresh { // it is locked again if the scan finds it
		r.t.txn.Unlock(ahead)
	}
	if r.reverse {
		s.upper = append(ahead, 0)
	} else {
		s.lower = ahead
	}
	if err := r.scanOn(); err != nil {
		return false, failure(err)
	}
	r.t.open = append(r.t.open, r)
	return true, nil
}

// lockEntry locks an entry of a unique index, which tells whether a value is taken, and returns its present value; nil
// if there is none, or if SKIP LOCKED skips it.
func (r *rows) lockEntry(ctx *sql.Context, key []byte) ([]byte, error) {
	fresh, err := r.t.txn.Lock(ctx, key, r.mode, r.wait())
	if err != nil {
		if r.skip && errors.Is(err, txkv.ErrLocked) {
			return nil, nil
		}
		return nil, r.t.failed(err)
	}
	value, err := r.reads.GetNewest(key)
	if value == nil && err == nil {
		err = r.absent(key, fresh)
	}
	return value, failure(err)
}

// absent deals with a key that is locked and not there: instead of the lock of the key the transaction gets one that
// keeps others from inserting it, and that several transactions can have.
func (r *rows) absent(key []byte, fresh bool) error {
	if r.current.point != nil && r.locksGaps() {
		if _, err := r.t.txn.LockGap(key, append(bytes.Clone(key), 0), r.mode); err != nil {
			return err
		}
	}
	if fresh {
		r.t.txn.Unlock(key)
	}
	return nil
}
