package scheduler

import (
	"sync"
	"time"
)

// tasks are goroutines that somebody waits for, for as long as they have time. The zero value is ready to
// use. Safe for concurrent use.
type tasks struct {
	mu   sync.Mutex
	n    int           // that run; guarded by mu
	idle chan struct{} // closed when none runs, if somebody waits for that; guarded by mu
}

// start runs do on a goroutine of its own.
func (t *tasks) start(do func()) {
	t.mu.Lock()
	t.n++
	t.mu.Unlock()
	go func() {
		defer func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			if t.n--; t.n == 0 && t.idle != nil {
				close(t.idle)
				t.idle = nil
			}
		}()
		do()
	}()
}

// wait returns when none runs, or at a time. It reports whether none runs.
func (t *tasks) wait(until time.Time) bool {
	t.mu.Lock()
	if t.n == 0 {
		t.mu.Unlock()
		return true
	}
	if t.idle == nil {
		t.idle = make(chan struct{})
	}
	idle := t.idle
	t.mu.Unlock()
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-idle:
		return true
	case <-timer.C:
		return false
	}
}
