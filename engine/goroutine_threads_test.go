package engine

import (
	"fmt"
	"sync"
	"testing"

	"pfsd/instr"
	"pfsd/tables"
)

// TestGoroutinesAreThreads: a goroutine that nobody has made a thread is in the tables from its
// first wait on, with a name, a parent and events of its own, until it ends.
func TestGoroutinesAreThreads(t *testing.T) {
	reg := instr.NewRegistry()
	r := serve(t, Options{Registry: reg, Instruments: []string{"%=ON"}, Consumers: map[string]bool{"events_waits_current": true, "events_waits_history": true}}, tables.All()...)
	m := reg.NewMutex("test/lock")
	const goroutines = 3
	release := make(chan struct{})
	var waited, ended sync.WaitGroup
	waited.Add(goroutines)
	reg.Go("test/parent", func() {
		for range goroutines {
			ended.Go(func() {
				m.Lock()
				m.Unlock()
				waited.Done()
				<-release
			})
		}
		waited.Wait()
		<-release
	})
	waited.Wait()
	const ours = "NAME LIKE 'thread/go/pfsd/engine.TestGoroutinesAreThreads.%'"
	r.want(t, "SELECT COUNT(*), MIN(TYPE), MIN(INSTRUMENTED), COUNT(DISTINCT THREAD_OS_ID) FROM threads WHERE "+ours, fmt.Sprint(goroutines, "|BACKGROUND|YES|", goroutines))
	r.want(t, "SELECT DISTINCT p.NAME FROM threads t JOIN threads p ON p.THREAD_ID = t.PARENT_THREAD_ID WHERE t."+ours, "thread/test/parent")
	r.want(t, "SELECT COUNT(*) FROM threads t JOIN events_waits_history w USING (THREAD_ID) WHERE t."+ours+" AND w.EVENT_NAME = 'wait/synch/mutex/test/lock'", fmt.Sprint(goroutines))
	r.want(t, "SELECT COUNT(*), MIN(ENABLED) FROM setup_threads WHERE "+ours, "1|YES")
	close(release)
	ended.Wait()
	eventually(t, "the threads have ended", func() bool { return len(r.query(t, "SELECT THREAD_ID FROM threads WHERE "+ours)) == 0 })
	r.want(t, "SELECT COUNT_STAR FROM events_waits_summary_by_account_by_event_name WHERE USER IS NULL AND EVENT_NAME = 'wait/synch/mutex/test/lock'", fmt.Sprint(goroutines))

	r.exec(t, "SET GLOBAL goroutine_threads = 0")
	if got := reg.Setup().GoroutineThreads(); got != 0 {
		t.Errorf("after SET GLOBAL %d goroutines can be threads", got)
	}
	done := make(chan *instr.Thread)
	go func() {
		m.Lock()
		m.Unlock()
		done <- instr.Current()
	}()
	if th := <-done; th != nil {
		t.Error("with goroutine_threads = 0 a goroutine becomes a thread")
	}
	r.want(t, "SHOW GLOBAL STATUS LIKE 'Performance_schema_goroutine_threads_lost'", "Performance_schema_goroutine_threads_lost|0")
}
