package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pfsd/instr"
	"pfsd/tables"
)

// serveLocks is a server whose registry watches locks.
func serveLocks(t *testing.T) (*running, *instr.Registry) {
	reg := instr.NewRegistry()
	r := serve(t, Options{Registry: reg, Instruments: []string{"%=ON"}, Consumers: map[string]bool{"events_waits_current": true}}, tables.All()...)
	return r, reg
}

// A chain of waits is followed down to who waits for no lock, and to what that waits for.
func TestChainOfLocks(t *testing.T) {
	r, reg := serveLocks(t)
	first, second := reg.NewMutex("test/first"), reg.NewRWMutex("test/second")
	work := reg.NewMutex("test/work")
	ready := reg.NewCond("test/ready", work)
	done := make(chan struct{}, 3)
	inWork := make(chan struct{})
	goOn := false
	reg.Go("test/root", func() {
		first.Lock()
		work.Lock()
		close(inWork)
		for !goOn {
			ready.Wait()
		}
		work.Unlock()
		first.Unlock()
		done <- struct{}{}
	})
	<-inWork
	middle := make(chan struct{})
	reg.Go("test/middle", func() {
		second.RLock()
		close(middle)
		first.Lock()
		first.Unlock()
		second.RUnlock()
		done <- struct{}{}
	})
	<-middle
	reg.Go("test/last", func() {
		second.Lock()
		second.Unlock()
		done <- struct{}{}
	})
	const count = "SELECT COUNT(*) FROM lock_waits WHERE EVENT_NAME LIKE '%/test/%' AND BLOCKING_THREAD_ID IS NOT NULL AND ROOT_WAITS_FOR IS NOT NULL"
	eventually(t, "both wait", func() bool { return r.query(t, count)[0] == "2" })
	r.want(t, `SELECT w.thread, w.event, w.lock_mode, w.waits_at LIKE 'lock\_waits\_test.go:%', w.blocking_thread, w.blocking_lock_mode, w.blocking_locked_at LIKE 'lock\_waits\_test.go:%',
			w.blocking_held > w.waiting, w.blocking_waits_for, w.blocking_waits_at <> w.waits_at, w.root_thread, w.root_waits_for, w.root_waits_at LIKE 'lock\_waits\_test.go:%', w.certain,
			w.goroutine_id = t.THREAD_OS_ID, w.chain = CONCAT_WS(' > ', w.thread_id, IF(w.thread LIKE '%last', w.blocking_thread_id, NULL), w.root_thread_id)
		FROM sys.x$lock_waits w JOIN threads t USING (THREAD_ID) WHERE w.event LIKE '%/test/%' ORDER BY thread`,
		"thread/test/last|wait/synch/rwlock/test/second|EXCLUSIVE|1|thread/test/middle|SHARED|1|1|wait/synch/mutex/test/first|1|thread/test/root|wait/synch/cond/test/ready|1|YES|1|1",
		"thread/test/middle|wait/synch/mutex/test/first|EXCLUSIVE|1|thread/test/root|EXCLUSIVE|1|1|wait/synch/cond/test/ready|1|thread/test/root|wait/synch/cond/test/ready|1|YES|1|1")
	r.want(t, "SELECT w.chain = x.chain, w.waiting LIKE '% _s', w.blocking_held LIKE '% _s' FROM sys.lock_waits w JOIN sys.x$lock_waits x USING (thread_id) WHERE w.event LIKE '%/test/%'", "1|1|1", "1|1|1")
	r.want(t, "SELECT CHAIN_LENGTH FROM lock_waits WHERE EVENT_NAME LIKE '%/test/%' ORDER BY CHAIN_LENGTH", "1", "2")
	r.want(t, "SELECT thread, event, lock_mode, certain FROM sys.held_locks WHERE event LIKE '%/test/%' ORDER BY thread",
		"thread/test/middle|wait/synch/rwlock/test/second|SHARED|YES", "thread/test/root|wait/synch/mutex/test/first|EXCLUSIVE|YES")
	r.want(t, "SELECT COUNT(*) FROM sys.deadlocks", "0")
	work.Lock()
	goOn = true
	ready.Signal()
	work.Unlock()
	for range 3 {
		<-done
	}
	r.want(t, "SELECT COUNT(*) FROM lock_waits WHERE EVENT_NAME LIKE '%/test/%'", "0")
}

// A query for the order that the table has is not sorted, and returns what a sort would.
func TestLockWaitsInTheirOrder(t *testing.T) {
	r, reg := serveLocks(t)
	class := reg.NewRowLockClass().Class()
	tables.Provide(tables.Of(reg), func(tables.Key) (waits []tables.LockWait) {
		for i, since := range []uint64{5, 0, 9, 7, 0, 9, 1} {
			waits = append(waits, tables.LockWait{Class: class, Waiter: tables.LockParty{Thread: uint64(i + 1), Number: 1, Since: since, Timed: since != 0}})
		}
		return waits
	})
	const from = "SELECT REQUESTING_THREAD_ID, TIMER_WAIT FROM lock_waits "
	for _, q := range [][2]string{
		{"", " DESC"}, {"", ""}, {"", " DESC LIMIT 3"}, {"", " DESC LIMIT 2, 3"}, {"", " DESC LIMIT 0"}, {"", " LIMIT 3"},
		{"WHERE TIMER_WAIT < 9 OR TIMER_WAIT IS NULL", " DESC LIMIT 4"}, {"WHERE REQUESTING_THREAD_ID = 4", " DESC"},
	} {
		want := r.query(t, from+q[0]+" ORDER BY TIMER_WAIT + 0"+q[1])
		r.want(t, from+q[0]+" ORDER BY TIMER_WAIT"+q[1], want...)
	}
	r.want(t, "SELECT thread_id FROM sys.x$lock_waits", "3", "6", "4", "1", "7", "2", "5")
	r.want(t, "SELECT thread_id FROM sys.x$lock_waits LIMIT 1", "3")
}

// Goroutines that wait for each other are shown although nothing moves any more, those behind them are not, and one that locks
// a mutex twice waits for itself.
func TestDeadlocksAreShown(t *testing.T) {
	r, reg := serveLocks(t)
	a, b, c := reg.NewMutex("test/a"), reg.NewMutex("test/b"), reg.NewRWMutex("test/c")
	self := reg.NewMutex("test/self")
	locked, goOn := make(chan struct{}), make(chan struct{})
	done := make(chan struct{})
	start := func(name string, lock func(), next func()) {
		reg.Go("test/"+name, func() {
			lock()
			locked <- struct{}{}
			<-goOn
			next()
			done <- struct{}{}
		})
		<-locked
	}
	start("one", a.Lock, b.Lock)
	start("two", b.Lock, c.Lock)
	start("three", c.RLock, a.Lock)
	start("behind", func() {}, a.Lock)
	start("self", self.Lock, self.Lock)
	r.want(t, "SELECT COUNT(*) FROM sys.deadlocks", "0")
	close(goOn)
	eventually(t, "deadlocks are shown", func() bool { return r.query(t, "SELECT COUNT(*) FROM sys.deadlocks")[0] == "4" })
	rows := r.query(t, `SELECT thread, event, lock_mode, blocking_thread, blocking_lock_mode, blocking_held > waiting, certain FROM sys.x$deadlocks ORDER BY deadlock, thread_id`)
	want := []string{
		"thread/test/one|wait/synch/mutex/test/b|EXCLUSIVE|thread/test/two|EXCLUSIVE|1|YES",
		"thread/test/two|wait/synch/rwlock/test/c|EXCLUSIVE|thread/test/three|SHARED|1|YES",
		"thread/test/three|wait/synch/mutex/test/a|EXCLUSIVE|thread/test/one|EXCLUSIVE|1|YES",
		"thread/test/self|wait/synch/mutex/test/self|EXCLUSIVE|thread/test/self|EXCLUSIVE|1|YES",
	}
	if got := strings.Join(rows, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the deadlocks are\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	r.want(t, "SELECT blocking_thread IN ('thread/test/one', 'thread/test/behind'), root_thread_id FROM sys.lock_waits WHERE thread = 'thread/test/behind'", "1|NULL")

	// Somebody else unlocks what they wait for.
	self.Unlock()
	<-done
	a.Unlock()
	<-done // three, or who waited behind it
	r.want(t, "SELECT COUNT(*) FROM sys.deadlocks", "0")
	a.Unlock()
	<-done
	c.RUnlock()
	<-done
	b.Unlock()
	<-done
}

// A cycle of a lock on a row and one that users name is found by neither's own search.
func TestDeadlockOfRowsAndNames(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	w := newRowWaiter(t, r)
	r.must(t, w.holder, "DO GET_LOCK('x', 0)")
	r.must(t, w.waiter, "BEGIN", "UPDATE test.t SET a = 11 WHERE id = 1")
	name := make(chan error, 1)
	go func() {
		_, err := w.waiter.ExecContext(t.Context(), "DO GET_LOCK('x', 1000)")
		name <- err
	}()
	const waits = "SELECT event, object, lock_mode, blocking_lock_mode, blocking_statement, certain, root_thread_id = blocking_thread_id FROM sys.x$lock_waits ORDER BY event"
	eventually(t, "GET_LOCK waits", func() bool { return len(r.query(t, waits)) == 1 })
	r.want(t, waits, "wait/lock/metadata/sql/mdl|x|EXCLUSIVE|EXCLUSIVE|DO GET_LOCK('x', 0)|YES|1")
	go func() {
		_, err := w.holder.ExecContext(t.Context(), "UPDATE test.t SET a = 12 WHERE id = 1")
		w.waits <- err
	}()
	const cycle = `SELECT t.PROCESSLIST_ID, event, object, lock_mode, d.statement, blocking_lock_mode, blocking_held > 0, certain
		FROM sys.x$deadlocks d JOIN threads t USING (THREAD_ID) ORDER BY event`
	eventually(t, "the deadlock is shown", func() bool { return len(r.query(t, cycle)) == 2 })
	r.want(t, cycle,
		fmt.Sprintf("%d|wait/lock/metadata/sql/mdl|x|EXCLUSIVE|DO GET_LOCK('x', 1000)|EXCLUSIVE|1|YES", w.waiterID),
		fmt.Sprintf("%d|wait/lock/row/sql/handler|test.t.PRIMARY|X,REC_NOT_GAP|UPDATE test.t SET a = 12 WHERE id = 1|X,REC_NOT_GAP|1|YES", w.holderID))
	r.want(t, "SELECT blocking_statement FROM sys.x$lock_waits WHERE event = 'wait/lock/row/sql/handler'", "UPDATE test.t SET a = 11 WHERE id = 1")
	r.exec(t, fmt.Sprintf("KILL QUERY %d", w.holderID))
	if err := <-w.waits; err == nil {
		t.Error("a killed statement succeeds")
	}
	r.want(t, "SELECT COUNT(*) FROM sys.deadlocks", "0")
	r.must(t, w.holder, "DO RELEASE_LOCK('x')")
	if err := <-name; err != nil {
		t.Error(err)
	}
	r.must(t, w.waiter, "ROLLBACK")
}

// A cycle of a lock on a row and a mutex of the program, whose code the server runs within a statement.
func TestDeadlockOfRowsAndMutexes(t *testing.T) {
	reg := instr.NewRegistry()
	mutex := reg.NewMutex("test/mutex")
	lock := &fake{name: "lock_it", rows: 1, scanned: func(tables.Key) { mutex.Lock() }}
	unlock := &fake{name: "unlock_it", rows: 1, scanned: func(tables.Key) { mutex.Unlock() }}
	r := serve(t, Options{Registry: reg, Instruments: []string{"%=ON"}, Consumers: map[string]bool{"events_waits_current": true}}, append(tables.All(), lock, unlock)...)
	w := newRowWaiter(t, r)
	r.must(t, w.holder, "SELECT ID FROM lock_it")
	r.must(t, w.waiter, "BEGIN", "UPDATE test.t SET a = 11 WHERE id = 1")
	locked := make(chan error, 1)
	go func() {
		_, err := w.waiter.ExecContext(t.Context(), "SELECT ID FROM lock_it")
		locked <- err
	}()
	const waits = "SELECT event, lock_mode, blocking_held > 0 FROM sys.x$lock_waits WHERE event LIKE '%/test/%'"
	eventually(t, "the mutex is waited for", func() bool { return len(r.query(t, waits)) == 1 })
	r.want(t, waits, "wait/synch/mutex/test/mutex|EXCLUSIVE|1")
	r.want(t, "SELECT COUNT(*) FROM sys.deadlocks", "0")
	go func() {
		_, err := w.holder.ExecContext(t.Context(), "UPDATE test.t SET a = 12 WHERE id = 1")
		w.waits <- err
	}()
	const cycle = `SELECT t.PROCESSLIST_ID, event, lock_mode, d.statement, blocking_held > 0, certain FROM sys.x$deadlocks d JOIN threads t USING (THREAD_ID) ORDER BY event`
	eventually(t, "the deadlock is shown", func() bool { return len(r.query(t, cycle)) == 2 })
	r.want(t, cycle,
		fmt.Sprintf("%d|wait/lock/row/sql/handler|X,REC_NOT_GAP|UPDATE test.t SET a = 12 WHERE id = 1|1|YES", w.holderID),
		fmt.Sprintf("%d|wait/synch/mutex/test/mutex|EXCLUSIVE|SELECT ID FROM lock_it|1|YES", w.waiterID))
	r.exec(t, fmt.Sprintf("KILL QUERY %d", w.holderID))
	if err := <-w.waits; err == nil {
		t.Error("a killed statement succeeds")
	}
	r.want(t, "SELECT COUNT(*) FROM sys.deadlocks", "0")
	r.must(t, w.holder, "SELECT ID FROM unlock_it")
	if err := <-locked; err != nil {
		t.Error(err)
	}
	r.must(t, w.waiter, "SELECT ID FROM unlock_it", "ROLLBACK")
}

// A lock on a row is held since the transaction has got it, not since its statement began.
func TestRowsAreHeldSinceTheyWereLocked(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	w := newRowWaiter(t, r)
	r.must(t, w.holder, "BEGIN", "UPDATE test.t SET a = 11 + SLEEP(0.3) WHERE id IN (1, 2)")
	other, _ := r.conn(t)
	go func() {
		_, err := w.waiter.ExecContext(t.Context(), "DELETE FROM test.t WHERE id = 1")
		w.waits <- err
	}()
	second := make(chan error, 1)
	go func() {
		_, err := other.ExecContext(t.Context(), "DELETE FROM test.t WHERE id = 2")
		second <- err
	}()
	eventually(t, "both rows are waited for", func() bool { return r.query(t, "SELECT COUNT(*) FROM sys.lock_waits")[0] == "2" })
	r.want(t, "SELECT MAX(blocking_held) - MIN(blocking_held) BETWEEN 290e9 AND 30e12 FROM sys.x$lock_waits", "1")
	r.must(t, w.holder, "ROLLBACK")
	if err := errors.Join(<-w.waits, <-second); err != nil {
		t.Error(err)
	}
}
