package engine

import (
	"sync"
	"time"

	"pfsd/engine/wire"
	"pfsd/instr"
)

// watchPeriod is how long a client can be gone before its statement is stopped.
const watchPeriod = 100 * time.Millisecond

// watcher looks, from one goroutine for the whole server, whether the clients of running
// statements are still there. Safe for concurrent use.
type watcher struct {
	mu      *instr.Mutex
	cond    *instr.Cond // signalled when stopped
	stopped bool        // guarded by mu
	worker  sync.WaitGroup
}

// watch starts to look after list.
func watch(reg *instr.Registry, list *clientList) *watcher {
	w := &watcher{mu: reg.NewMutex("sql/LOCK_connection_watcher")}
	w.cond = reg.NewCond("sql/COND_connection_watcher", w.mu)
	w.worker.Add(1)
	reg.Go("sql/connection_watcher", func() {
		defer w.worker.Done()
		for w.pause() {
			list.cancelGone((*wire.Conn).Gone)
			list.expire(time.Now())
		}
	})
	return w
}

// pause waits a period and reports whether to go on.
func (w *watcher) pause() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.stopped {
		w.cond.WaitTimeout(watchPeriod)
	}
	return !w.stopped
}

// stop ends the goroutine and returns when it has ended.
func (w *watcher) stop() {
	w.mu.Lock()
	w.stopped = true
	w.cond.Signal()
	w.mu.Unlock()
	w.worker.Wait()
}
