package storage

import "sync/atomic"

// Counts are what statements have done with rows, and how transactions of sessions have ended, since the store was opened.
type Counts struct {
	Read, Inserted, Updated, Deleted uint64 // rows, of temporary tables, too
	// Commits are those of transactions that have written, Rollbacks the same, and SavepointRollbacks are ROLLBACK TO SAVEPOINT.
	Commits, Rollbacks, SavepointRollbacks uint64
}

// counts are Counts that transactions add to. Safe for concurrent use.
type counts struct {
	read, inserted, updated, deleted       atomic.Uint64
	commits, rollbacks, savepointRollbacks atomic.Uint64
}

// Counts returns what was counted: of a transaction, up to the last statement that has ended.
func (p *Provider) Counts() Counts {
	c := &p.counts
	return Counts{
		c.read.Load(), c.inserted.Load(), c.updated.Load(), c.deleted.Load(),
		c.commits.Load(), c.rollbacks.Load(), c.savepointRollbacks.Load(),
	}
}

// rowCounts are counts that a transaction has not added to the shared ones yet, so that a row writes no shared memory.
type rowCounts struct{ read, inserted, updated, deleted uint64 }

// count adds the counts of the transaction.
func (t *Transaction) count() {
	if t.rows == (rowCounts{}) {
		return
	}
	add := func(to *atomic.Uint64, n uint64) {
		if n > 0 {
			to.Add(n)
		}
	}
	c := &t.p.counts
	add(&c.read, t.rows.read)
	add(&c.inserted, t.rows.inserted)
	add(&c.updated, t.rows.updated)
	add(&c.deleted, t.rows.deleted)
	t.rows = rowCounts{}
}
