package instr

// Wait is an event in progress that its thread ends itself. The zero Wait is none.
type Wait struct {
	wait  wait
	class *Class
}

// StartIdle starts the event idle: the thread has nothing to do until it gets a request. A nil
// thread starts none. Owned by the thread's goroutine.
//
//go:noinline
func (t *Thread) StartIdle() Wait {
	if t == nil {
		return Wait{}
	}
	c := t.registry.idle
	sw := switches(c.switches.Load())
	if sw == 0 {
		return Wait{}
	}
	if t.ID() == 0 {
		// The thread has ended, or it is the record that stands for all lost threads.
		return Wait{c.beginUnrecorded(nil, 0, sw), c}
	}
	// The event is part of no other.
	nesting := t.nesting
	t.nesting = waitInNothing
	w := Wait{c.beginHandle(t, sw, OpIdle, 0, callerPC()), c}
	t.nesting = nesting
	return w
}

// End ends the event, once. Owned by the thread's goroutine.
func (w Wait) End() {
	if w.wait.counted() {
		w.class.direct.record(w.wait.timed(), w.wait.end(w.class, 0))
	}
}
