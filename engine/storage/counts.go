package storage

import "sync/atomic"

// Counts says how many rows statements have read and changed, and how transactions of sessions have
// ended, since the store was opened.
type Counts struct {
	Read, Inserted, Updated, Deleted uint64 // rows, including those of temporary tables
	// Commits and Rollbacks count transactions that have written. SavepointRollbacks counts
	// ROLLBACK TO SAVEPOINT.
	Commits, Rollbacks, SavepointRollbacks uint64
}

// counts are the Counts of a provider; transactions add to them. Safe for concurrent use.
type counts struct {
	read, inserted, updated, deleted       atomic.Uint64
	commits, rollbacks, savepointRollbacks atomic.Uint64
}

// Counts returns the counts. Statements that are still running are not counted yet.
func (p *Provider) Counts() Counts {
	c := &p.counts
	return Counts{
		c.read.Load(), c.inserted.Load(), c.updated.Load(), c.deleted.Load(),
		c.commits.Load(), c.rollbacks.Load(), c.savepointRollbacks.Load(),
	}
}

// rowCounts are counts that a transaction has not added to the shared counts yet. So reading or
// writing a row does not write shared memory.
type rowCounts struct{ read, inserted, updated, deleted uint64 }

// count adds the transaction's counts to the shared ones.
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
