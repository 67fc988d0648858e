package instr

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A taken connection shows the thread, the goroutine and the line; a pool without connections is not shown.
func TestPoolConnections(t *testing.T) {
	r := NewRegistry()
	pool := r.NewConnPool("test/pool", "store", "pfsd/instr.(*PoolConn)")
	a, b := pool.Open(), pool.Open()
	thread := r.Attach("test/user")
	b.Take()
	got := r.Reader().PoolConnections()
	if len(got) != 2 || got[0].ID != 1 || got[0].Taken || got[1].ID != 2 || !got[1].Taken || got[1].ThreadID != thread.ID() ||
		!strings.HasPrefix(got[1].Source, "conn_pool_test.go:") || got[1].Since.Before(got[1].Opened) || !b.Taken() {
		t.Errorf("%+v", got)
	}
	if HasThreadLookup && goidOffset != 0 && got[1].GoroutineID != stackGoid() {
		t.Errorf("goroutine %d, not %d", got[1].GoroutineID, stackGoid())
	}
	thread.Detach()
	b.GiveBack()
	a.Close()
	if got = r.Reader().PoolConnections(); len(got) != 1 || got[0].Taken || got[0].Source != "" {
		t.Errorf("%+v", got)
	}
	b.Close()
	b.Close()
	if got = r.Reader().PoolConnections(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	hidden := r.NewConnPool("test/pool", "hidden", "")
	c := hidden.Open()
	c.Take()
	if got = r.Reader().PoolConnections(); len(got) != 1 || got[0].Source != "" {
		t.Errorf("%+v", got)
	}
}

// A wait that is over has its time, in the class and in the thread's events.
func TestPoolWaits(t *testing.T) {
	w := newWorker(t)
	pool := w.r.NewConnPool("test/pool", "store")
	class := w.r.Reader().ClassByName("wait/synch/cond/test/pool")
	pool.Waited(time.Millisecond)
	for name, got := range map[string]time.Duration{
		"class":   time.Duration(class.Waits().SumPicoseconds() / 1000),
		"history": time.Duration(w.WaitsHistory(nil)[0].TimerWait() / 1000),
	} {
		if got < time.Millisecond-time.Microsecond {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := w.WaitsHistory(nil)[0].Source(); !strings.HasPrefix(got, "conn_pool_test.go:") {
		t.Errorf("the line is %s", got)
	}
	class.SetTimed(false)
	pool.Waited(time.Millisecond)
	class.SetEnabled(false)
	pool.Waited(time.Millisecond)
	if s := class.Waits(); s.Count != 2 {
		t.Errorf("%d waits", s.Count)
	}
}

// Connections are taken and given back while they are read.
func TestPoolConcurrently(t *testing.T) {
	r := NewRegistry()
	pool := r.NewConnPool("test/pool", "store")
	var users sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		users.Go(func() {
			for range 1000 {
				c := pool.Open()
				c.Take()
				c.GiveBack()
				c.Close()
			}
		})
	}
	go func() { users.Wait(); close(done) }()
	for {
		for _, c := range r.Reader().PoolConnections() {
			if c.Taken != (c.Source != "") || c.Taken == c.Since.IsZero() {
				t.Fatalf("%+v", c)
			}
		}
		select {
		case <-done:
			if left := r.Reader().PoolConnections(); len(left) != 0 {
				t.Errorf("left: %+v", left)
			}
			return
		default:
		}
	}
}

// What is shown of a connection that changes hands is of one of those who have it.
func TestPoolConnectionsAreWhole(t *testing.T) {
	r := NewRegistry()
	c := r.NewConnPool("test/pool", "store").Open()
	var turn sync.Mutex
	var takers sync.WaitGroup
	ids := make(chan uint64, 2)
	start := make(chan struct{})
	var enough atomic.Bool
	defer takers.Wait()
	defer enough.Store(true)
	for _, take := range []func(){func() { c.Take() }, func() { takeElsewhere(c) }} {
		takers.Go(func() {
			th := r.Attach("test/taker")
			defer th.Detach()
			ids <- th.ID()
			<-start
			for !enough.Load() {
				turn.Lock()
				take()
				runtime.Gosched()
				c.GiveBack()
				turn.Unlock()
			}
		})
	}
	sources := map[uint64]string{<-ids: "", <-ids: ""}
	close(start)
	for seen := 0; seen < 5000; {
		for _, x := range r.Reader().PoolConnections() {
			if !x.Taken {
				continue
			}
			seen++
			source, known := sources[x.ThreadID]
			if source == "" {
				sources[x.ThreadID] = x.Source
			}
			if !known || source != "" && source != x.Source || x.Since.Before(x.Opened) {
				t.Fatalf("%+v, of %v", x, sources)
			}
		}
	}
}

//go:noinline
func takeElsewhere(c *PoolConn) { c.Take() }

// callers finds the same functions as runtime.Callers, beginning with the caller of its caller.
func TestCallers(t *testing.T) {
	var deep func(n int)
	deep = func(n int) {
		if n > 0 {
			deep(n - 1)
			return
		}
		var got, want [16]uintptr
		count := callersHere(&got)
		runtime.Callers(2, want[:])
		if count != len(got) {
			t.Fatalf("%d callers", count)
		}
		for i := range got {
			g, w := runtime.FuncForPC(got[i]-1).Name(), runtime.FuncForPC(want[i]-1).Name()
			if i > 0 && g != w {
				t.Errorf("caller %d is %s, not %s", i, g, w)
			}
		}
	}
	deep(20)
	done := make(chan int)
	go func() { done <- callersHere(new([16]uintptr)) }()
	if n := <-done; n != 1 && HasThreadLookup {
		t.Errorf("%d callers in a goroutine's start function", n)
	}
}

//go:noinline
func callersHere(to *[16]uintptr) int { return callers(&to[0], len(to)) }
