package txkv

import "sync/atomic"

// versions see to it that reads of rows which change often stay cheap. A memtable keeps each version of a key until it is flushed, when all but
// the newest one go, and an iterator steps over all of them. Once iterators have taken more such steps since the last flush than a flush
// costs, there is one. So the steps never cost much more than the flushes that would have spared them. Safe for concurrent use.
type versions struct {
	written  atomic.Int64 // keys that were written since the last flush
	steps    atomic.Int64 // over old versions, since the last flush
	flushing atomic.Bool
}

const (
	// flushSteps is about how many steps take as long as a flush of nothing, and flushKeySteps as that of one key with the compactions that follow.
	flushSteps, flushKeySteps = 100_000, 16
)

// stepped counts the steps of an iterator over keys that it has not shown.
func (s *Store) stepped(n int64) {
	v := &s.versions
	written := v.written.Load()
	n = min(n, written) // the others are in files, where a flush spares none
	if n <= 0 || v.steps.Add(n) < flushSteps+flushKeySteps*written || !v.flushing.CompareAndSwap(false, true) {
		return
	}
	s.calls.Go(func() {
		_ = s.flush() // who writes learns of a device that fails
		v.steps.Store(0)
		v.flushing.Store(false)
	})
}

// flushes notes that a memtable is about to be flushed.
func (v *versions) flushes() {
	v.written.Store(0)
	v.steps.Store(0)
}
