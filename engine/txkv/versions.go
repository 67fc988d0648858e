package txkv

import "sync/atomic"

// versions keeps reads of rows that change often cheap. A memtable keeps each version of a key
// until it is flushed; the flush keeps only the newest one. Iterators step over all versions. When
// iterators have taken so many of these steps since the last flush that they cost more than a
// flush, a flush begins. So the steps never cost much more than the flushes that would have avoided
// them. Safe for concurrent use.
type versions struct {
	written  atomic.Int64 // keys that were written since the last flush
	steps    atomic.Int64 // over old versions, since the last flush
	flushing atomic.Bool
}

const (
	// flushSteps is about how many steps take as long as an empty flush. flushKeySteps is how many
	// take as long as the flush of one key with the compactions that follow.
	flushSteps, flushKeySteps = 100_000, 16
)

// stepped counts the steps of an iterator over keys that it has not shown.
func (s *Store) stepped(n int64) {
	v := &s.versions
	written := v.written.Load()
	n = min(n, written) // the other versions are in files, where a flush does not remove any
	if n <= 0 || v.steps.Add(n) < flushSteps+flushKeySteps*written || !v.flushing.CompareAndSwap(false, true) {
		return
	}
	s.calls.Go(func() {
		_ = s.flush() // a writer gets the error of a device that fails
		v.steps.Store(0)
		v.flushing.Store(false)
	})
}

// flushBegins notes that a memtable is about to be flushed.
func (v *versions) flushBegins() {
	v.written.Store(0)
	v.steps.Store(0)
}
