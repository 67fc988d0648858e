package processlist

import (
	"sync"
	"time"

	"pfsd/engine/wire"
	"pfsd/instr"
)

// watchPeriod is how long a client can be gone before its statement is stopped.
const watchPeriod = 100 * time.Millisecond

// Watcher looks, from one goroutine for the whole server, whether the clients of running
// statements are still there. Safe for concurrent use.
type Watcher struct {
	list    *List
	mu      *instr.Mutex
	cond    *instr.Cond // signalled when stopped, and when there is a first client
	stopped bool        // guarded by mu
	worker  sync.WaitGroup
}

// Watch starts to look after list.
func Watch(reg *instr.Registry, list *List) *Watcher {
	w := &Watcher{list: list, mu: reg.NewMutex("sql/LOCK_connection_watcher")}
	w.cond = reg.NewCond("sql/COND_connection_watcher", w.mu)
	list.watcher.Store(w)
	w.worker.Add(1)
	reg.Go("sql/connection_watcher", func() {
		defer w.worker.Done()
		for w.pause() {
			list.cancelGone((*wire.Conn).Gone)
			list.Expire(time.Now())
		}
	})
	return w
}

// pause waits until there is a client, then a period, and reports whether to go on. A server without clients is
// not woken.
func (w *Watcher) pause() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for !w.stopped && w.list.empty() {
		w.cond.Wait()
	}
	if !w.stopped {
		w.cond.WaitTimeout(watchPeriod)
	}
	return !w.stopped
}

// begin ends the wait for a client.
func (w *Watcher) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cond.Signal()
}

// Stop ends the goroutine and returns when it has ended.
func (w *Watcher) Stop() {
	w.mu.Lock()
	w.stopped = true
	w.cond.Signal()
	w.mu.Unlock()
	w.worker.Wait()
}

// Expire ends the waits for clients that take longer than the sessions' variables allow; now is the time.
func (l *List) Expire(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.clients {
		variables := c.Variables.Load()
		c.Wire.Expire(now, func(name string) (uint64, bool) {
			if variables == nil {
				return 0, false
			}
			n, ok := variables.Get(name).(uint64)
			return n, ok
		})
	}
}
