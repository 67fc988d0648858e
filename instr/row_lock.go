package instr

// RowLockClass is the instrument of waits for locks on rows, wait/lock/row/sql/handler. It locks nothing itself: it
// shows what a lock manager does. MySQL: none. Safe for concurrent use.
type RowLockClass struct{ class *Class }

// NewRowLockClass returns the registry's instrument of waits for locks on rows.
func (r *Registry) NewRowLockClass() *RowLockClass { return &RowLockClass{r.class(KindRowLock, "")} }

// NewRowLockClass returns the default registry's instrument of waits for locks on rows.
func NewRowLockClass() *RowLockClass { return Default.NewRowLockClass() }

// Class is the instrument.
func (c *RowLockClass) Class() *Class { return c.class }

// RowLockWait is a wait for a lock on a row in progress. The zero value is none. Owned by the goroutine that waits.
type RowLockWait struct {
	class *Class
	wait  wait
}

// Wait begins a wait of thread t; t's goroutine calls it. If the wait is an event, Wait calls of, which returns the
// table and the index whose entry is locked.
//
//go:noinline
func (c *RowLockClass) Wait(t *Thread, of func() *MetadataObject) RowLockWait {
	if c == nil {
		return RowLockWait{}
	}
	sw := switches(c.class.switches.Load())
	if sw == 0 {
		return RowLockWait{}
	}
	id := uint64(0)
	if sw&swCurrent != 0 {
		id = c.class.registry.metadata.remember(c.class, of())
	}
	return RowLockWait{c.class, c.class.beginHandle(t, sw, OpRowLock, id, callerPC())}
}

// End ends the wait.
func (w RowLockWait) End() {
	if w.wait.counted() {
		w.class.direct.record(w.wait.timed(), w.wait.end(w.class, 0))
	}
}
