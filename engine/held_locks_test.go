package engine

import (
	"testing"

	"pfsd/instr"
	"pfsd/tables"
)

// TestHolderOfALockIsFound: while one goroutine waits for a lock that another one holds, the tables say
// who, and where each of them is.
func TestHolderOfALockIsFound(t *testing.T) {
	reg := instr.NewRegistry()
	r := serve(t, Options{Registry: reg, Instruments: []string{"%=ON"}, Consumers: map[string]bool{"events_waits_current": true}}, tables.All()...)
	m := reg.NewMutex("test/lock")
	held, release, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	reg.Go("test/holder", func() {
		m.Lock()
		close(held)
		<-release
		m.Unlock()
	})
	<-held
	reg.Go("test/waiter", func() {
		m.Lock()
		m.Unlock()
		close(done)
	})
	const chain = `SELECT t.NAME, w.SOURCE <> l.SOURCE, h.NAME, l.TIMER_HELD > 0
		FROM events_waits_current w JOIN held_locks l USING (OBJECT_INSTANCE_BEGIN) JOIN threads t ON t.THREAD_ID = w.THREAD_ID
		LEFT JOIN threads h ON h.THREAD_ID = l.OWNER_THREAD_ID
		WHERE w.END_EVENT_ID IS NULL AND w.EVENT_NAME = 'wait/synch/mutex/test/lock'`
	eventually(t, "the second goroutine waits", func() bool { return len(r.query(t, chain)) > 0 })
	r.want(t, chain, "thread/test/waiter|1|thread/test/holder|1")
	r.want(t, "SELECT l.SOURCE LIKE 'held\\_locks\\_test.go:%' FROM held_locks l WHERE EVENT_NAME = 'wait/synch/mutex/test/lock'", "1")
	close(release)
	<-done
	r.want(t, "SELECT COUNT(*) FROM held_locks WHERE EVENT_NAME = 'wait/synch/mutex/test/lock'", "0")
}
