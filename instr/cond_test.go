package instr

import (
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestCondCountsExactly(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	r.Setup().SetGoroutineThreads(0)
	m := r.NewMutex("test/lock")
	c := r.NewCond("test/turn", m)
	class := r.Reader().ClassByName("wait/synch/cond/test/turn")
	const goroutines, rounds = 4, 200
	turn, waits, threadWaits := 0, uint64(0), uint64(0)
	var done, counted sync.WaitGroup
	release := make(chan struct{})
	for i := range goroutines {
		done.Add(1)
		counted.Add(1)
		run := func() {
			defer done.Done()
			for range rounds {
				m.Lock()
				for turn%goroutines != i {
					waits++
					if i%2 == 0 {
						threadWaits++
					}
					if i < 2 {
						c.Wait()
					} else {
						c.WaitTimeout(time.Minute)
					}
				}
				turn++
				m.Unlock()
				c.Broadcast()
			}
			counted.Done()
			<-release
		}
		if i%2 == 0 {
			r.Go("test/waiter", run)
		} else {
			go run()
		}
	}
	counted.Wait()
	m.Lock()
	if got := c.instance.Load().Waits().Count; got != waits || waits == 0 {
		t.Errorf("the instance counts %d waits, want %d", got, waits)
	}
	threads := uint64(0)
	for _, th := range r.Reader().Threads() {
		threads += th.classWaits(class).Count
	}
	if HasThreadLookup && threads != threadWaits {
		t.Errorf("the threads count %d waits, want %d", threads, threadWaits)
	}
	m.Unlock()
	close(release)
	done.Wait()
	if got := class.Waits(); got.Count != waits || !got.Timed() {
		t.Errorf("the class has %+v after the threads have ended, want %d waits", got, waits)
	}
	class.Reset()
	if got := class.Waits(); got != NoStat {
		t.Errorf("after a reset: %+v", got)
	}
}

// Wait unlocks the mutex and locks it again, which is a wait within the wait.
func TestCondNestsItsMutex(t *testing.T) {
	if !HasThreadLookup {
		t.Skip("this platform finds no thread")
	}
	r := NewRegistry()
	watchAll(r)
	m := r.NewMutex("test/lock")
	c := r.NewCond("test/cond", m)
	th := r.Attach("test/waiter")
	defer th.Detach()
	m.Lock()
	go func() {
		m.Lock()
		m.Unlock()
		c.Signal()
	}()
	c.Wait()
	if got := m.instance.Load().Holder(); got != th.ID() {
		t.Errorf("thread %d holds the mutex after Wait, but the mutex says %d", th.ID(), got)
	}
	m.Unlock()
	events := th.WaitsHistory(nil)
	if len(events) != 3 {
		t.Fatalf("%d events, want lock, lock, wait", len(events))
	}
	inner, outer := events[1], events[2]
	if inner.Op != OpLock || outer.Op != OpWait || inner.NestingID != outer.ID || outer.EndID != inner.ID {
		t.Errorf("the lock is %+v in the wait %+v", inner, outer)
	}
}

func TestCondOrder(t *testing.T) {
	r := NewRegistry()
	var m sync.Mutex
	c := r.NewCond("test/cond", &m)
	woken := make(chan int)
	wait := func(i int, timed bool) {
		m.Lock()
		if timed {
			c.WaitTimeout(time.Minute)
		} else {
			c.Wait()
		}
		m.Unlock()
		woken <- i
	}
	const waiters = 6
	for i := range waiters {
		go wait(i, i%2 == 0)
		eventually(t, "the goroutine waits", func() bool { return c.waiting() == i+1 })
	}
	for i := range 3 {
		c.Signal()
		if got := <-woken; got != i {
			t.Errorf("signal %d woke goroutine %d", i, got)
		}
	}
	c.Broadcast()
	for range waiters - 3 {
		<-woken
	}
	c.Signal() // nobody waits
	if n := c.waiting(); n != 0 {
		t.Errorf("%d wait", n)
	}
}

// waiting is how many goroutines wait.
func (c *Cond) waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	notify := reflect.ValueOf(&c.plain).Elem().FieldByName("notify")
	n := int(atomic.LoadUint32((*uint32)(notify.FieldByName("wait").Addr().UnsafePointer())) - atomic.LoadUint32((*uint32)(notify.FieldByName("notify").Addr().UnsafePointer())))
	for w := c.waiters.first; w != nil; w = w.next {
		n++
	}
	return n
}

// The first wait with a limit may wake those that wait without one; a signal afterwards reaches all of them.
func TestCondFirstLimit(t *testing.T) {
	var rw sync.RWMutex
	c := NewRegistry().NewCond("test/cond", rw.RLocker())
	const waiters = 8
	var wg sync.WaitGroup
	stop := false
	for i := range waiters {
		wg.Go(func() {
			rw.RLock()
			defer rw.RUnlock()
			for !stop {
				if i == waiters/2 {
					c.WaitTimeout(time.Minute)
				} else {
					c.Wait()
				}
			}
		})
	}
	eventually(t, "all wait", func() bool { return c.waiting() == waiters })
	for range waiters {
		c.Signal()
	}
	eventually(t, "all wait again", func() bool { return c.waiting() == waiters })
	rw.Lock()
	stop = true
	rw.Unlock()
	for range waiters {
		c.Signal()
	}
	wg.Wait()
	if n := c.waiting(); n != 0 {
		t.Errorf("%d wait", n)
	}
}

func TestCondTimeout(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	var m sync.Mutex
	c := r.NewCond("test/cond", &m)
	defer r.Attach("test/waiter").Detach()
	m.Lock()
	defer m.Unlock()
	for range 3 {
		if c.WaitTimeout(time.Microsecond) {
			t.Error("woken by nobody")
		}
	}
	if got := c.instance.Load().Waits().Count; got != 3 {
		t.Errorf("%d waits counted, want 3", got)
	}
	for _, e := range longEvents(r) {
		if e.Op != OpTimedWait {
			t.Errorf("a wait with a limit is recorded as %v", e.Op)
		}
	}
	if n := c.waiting(); n != 0 {
		t.Errorf("%d goroutines still wait", n)
	}
}

// A signal reaches exactly one goroutine, also if the limits of others end at that moment.
func TestCondLosesNoSignal(t *testing.T) {
	r := NewRegistry()
	var m sync.Mutex
	c := r.NewCond("test/cond", &m)
	const waiters, tokens = 8, 2000
	available, taken, woken := 0, 0, 0
	var wg sync.WaitGroup
	for i := range waiters {
		wg.Add(1)
		go func() {
			defer wg.Done()
			m.Lock()
			defer m.Unlock()
			for taken < tokens {
				if available > 0 {
					available--
					taken++
					continue
				}
				if c.WaitTimeout(time.Duration(i*5) * time.Microsecond) {
					woken++
				}
			}
		}()
	}
	for range tokens {
		m.Lock()
		available++
		c.Signal()
		m.Unlock()
	}
	wg.Wait()
	if taken != tokens {
		t.Errorf("%d of %d tokens taken", taken, tokens)
	}
	if woken > tokens {
		t.Errorf("%d signals woke %d goroutines", tokens, woken)
	}

	// Without limits a lost signal would leave a goroutine waiting for ever.
	done := make(chan bool)
	for range waiters {
		go func() {
			m.Lock()
			c.Wait()
			m.Unlock()
			done <- true
		}()
	}
	eventually(t, "all wait", func() bool { return c.waiting() == waiters })
	for range waiters {
		c.Signal()
		<-done
	}
}

func TestCondZeroValue(t *testing.T) {
	var m Mutex
	c := Cond{L: &m}
	c.Signal()
	c.Broadcast()
	m.Lock()
	if c.WaitTimeout(0) {
		t.Error("woken by nobody")
	}
	m.Unlock()
	if got := c.instance.Load().Class().Name(); got != "wait/synch/cond/instr/Cond" {
		t.Errorf("the class is %s", got)
	}
	if got := c.instance.Load().Waits().Count; got != 0 {
		t.Errorf("%d waits counted with the instrument off", got)
	}
}

func TestCondAllocatesNothing(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	var m sync.Mutex
	c := r.NewCond("test/cond", &m)
	defer r.Attach("test/waiter").Detach()
	m.Lock()
	defer m.Unlock()
	wantNoAllocs(t, "WaitTimeout", func() { c.WaitTimeout(0) })
}
