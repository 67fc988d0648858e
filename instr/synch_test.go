package instr

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// synchRegistry is a registry with everything on.
func synchRegistry() *Registry {
	r := NewRegistry()
	watchAll(r)
	return r
}

// wantSynch checks how many waits the objects of a class have counted.
func wantSynch(t *testing.T, r *Registry, name string, want uint64) {
	t.Helper()
	c := r.Reader().ClassByName(name)
	if c == nil {
		t.Fatalf("there is no class %s", name)
	}
	if got := c.Waits(); got.Count != want || want > 0 && !got.Timed() {
		t.Errorf("%s has %+v, want %d timed waits", name, got, want)
	}
}

// operationsOf is what the calling thread has waited for, oldest first.
func operationsOf(th *Thread) string {
	var names []string
	for _, e := range th.WaitsHistory(nil) {
		names = append(names, e.Op.String())
	}
	return strings.Join(names, " ")
}

func TestChan(t *testing.T) {
	r := synchRegistry()
	th := r.Attach("test/user")
	defer th.Detach()
	c := NewChanIn[int](r, "wait/synch/chan/test/queue", 2)
	c.Send(1)
	if !c.TrySend(2) || c.TrySend(3) {
		t.Error("TrySend: want true, and false of a full channel")
	}
	if used, size, ok := c.Instance().Room(); used != 2 || size != 2 || !ok || c.Len() != 2 || c.Cap() != 2 {
		t.Errorf("%d of %d are taken, %v", used, size, ok)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.SendContext(ended, 3); !errors.Is(err, context.Canceled) {
		t.Errorf("SendContext: %v", err)
	}
	if v, ok := c.Receive(); v != 1 || !ok {
		t.Errorf("Receive: %d, %v", v, ok)
	}
	if v, ok, err := c.ReceiveContext(context.Background()); v != 2 || !ok || err != nil {
		t.Errorf("ReceiveContext: %d, %v, %v", v, ok, err)
	}
	if _, ok, ready := c.TryReceive(); ok || ready {
		t.Error("TryReceive of an empty channel")
	}
	if _, _, err := c.ReceiveContext(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("ReceiveContext: %v", err)
	}
	if HasThreadLookup {
		if got, want := operationsOf(th), "send try_send try_send send receive receive try_receive receive"; got != want {
			t.Errorf("operations\n%s, want\n%s", got, want)
		}
	}
	if err := c.SendContext(context.Background(), 4); err != nil {
		t.Error(err)
	}
	c.Close()
	sum := 0
	for v := range c.All() {
		sum += v
	}
	if v, ok, ready := c.TryReceive(); sum != 4 || v != 0 || ok || !ready {
		t.Errorf("after Close: %d in all, then %d, %v, %v", sum, v, ok, ready)
	}
	wantPanic(t, func() { c.Send(5) })
	wantPanic(t, c.Close)
	// A wait that ends in a panic is ended.
	if got := th.depth; HasThreadLookup && got != 0 {
		t.Errorf("the thread is in %d waits", got)
	}
	wantSynch(t, r, "wait/synch/chan/test/queue", 13)
}

func wantPanic(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	f()
}

func TestChanZeroValue(t *testing.T) {
	var c Chan[string]
	if _, _, ready := c.TryReceive(); ready || c.TrySend("x") || c.Len() != 0 || c.Cap() != 0 || c.C() != nil || c.Instance() != nil {
		t.Error("the zero Chan is no nil channel")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.SendContext(ctx, "x"); err == nil {
		t.Error("sent into a nil channel")
	}
	wantPanic(t, c.Close)
}

// Each value that many goroutines send arrives once and counts once.
func TestChanCountsExactly(t *testing.T) {
	r := synchRegistry()
	c := NewChanIn[int](r, "test/queue", 3)
	const goroutines, values = 4, 500
	var senders, receivers sync.WaitGroup
	var sum atomic.Int64
	for range goroutines {
		senders.Go(func() {
			for i := range values {
				c.Send(i)
			}
		})
		receivers.Go(func() {
			for v := range c.All() {
				sum.Add(int64(v))
			}
		})
	}
	senders.Wait()
	c.Close()
	receivers.Wait()
	if want := int64(goroutines * values * (values - 1) / 2); sum.Load() != want {
		t.Errorf("the sum is %d, want %d", sum.Load(), want)
	}
	wantSynch(t, r, "wait/synch/chan/test/queue", goroutines*(2*values+1))
}

func TestOnce(t *testing.T) {
	r := synchRegistry()
	o := r.NewOnce("test/config")
	runs := 0
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			o.Do(func() { runs++ })
			if runs != 1 {
				t.Errorf("Do returns after %d runs", runs)
			}
		})
	}
	wg.Wait()
	n := r.Reader().ClassByName("wait/synch/once/test/config").Waits().Count
	if n < 1 || n > 8 {
		t.Errorf("%d waits", n)
	}
	o.Do(func() { t.Error("a second run") })
	wantSynch(t, r, "wait/synch/once/test/config", n)

	var zero Once
	wantPanic(t, func() { zero.Do(func() { panic("first") }) })
	zero.Do(func() { t.Error("a run after a panic") })
	if got := zero.instance.Load().Class().Name(); got != "wait/synch/once/instr/Once" {
		t.Errorf("the class is %s", got)
	}
}

func TestWaitGroup(t *testing.T) {
	r := synchRegistry()
	g := r.NewWaitGroup("test/workers")
	var n atomic.Int64
	for range 5 {
		g.Go(func() { n.Add(1) })
	}
	g.Add(1)
	go func() {
		defer g.Done()
		n.Add(1)
	}()
	g.Wait()
	if n.Load() != 6 {
		t.Errorf("%d of 6 are done", n.Load())
	}
	wantSynch(t, r, "wait/synch/waitgroup/test/workers", 1)

	var zero WaitGroup
	zero.Wait()
	if got := zero.instance.Load().Class().Name(); got != "wait/synch/waitgroup/instr/WaitGroup" {
		t.Errorf("the class is %s", got)
	}
	wantPanic(t, func() { zero.Add(-1) })
}

func TestPool(t *testing.T) {
	r := synchRegistry()
	p := r.NewPool("test/buffers", func() any { return new([64]byte) })
	p.Put(p.Get())
	wantSynch(t, r, "wait/synch/pool/test/buffers", 1)
	for range 10 {
		p.Get()
	}
	if got := r.Reader().ClassByName("wait/synch/pool/test/buffers").Waits().Count; got < 10 || got > 11 {
		t.Errorf("%d are made, want 10, or 11 if the pool was emptied", got)
	}
	p.New = func() any { panic("no memory") }
	wantPanic(t, func() {
		for {
			p.Get()
		}
	})
	var zero Pool
	if zero.Get() != nil {
		t.Error("the zero pool has something")
	}
	zero.New = func() any { return 1 }
	if zero.Get() != 1 || zero.instance.Load().Class().Name() != "wait/synch/pool/instr/Pool" {
		t.Error("a zero pool with New has nothing, or another class")
	}
}

func TestSemaphore(t *testing.T) {
	r := synchRegistry()
	ctx := context.Background()
	s := r.NewSemaphore("test/slots", 3)
	check(t, s.Acquire(ctx, 2))
	if s.TryAcquire(2) || !s.TryAcquire(1) {
		t.Error("TryAcquire: want false of too many units")
	}
	if used, size, ok := s.instance.Load().Room(); used != 3 || size != 3 || !ok {
		t.Errorf("%d of %d are taken, %v", used, size, ok)
	}

	// Users get units in order: one that wants few does not overtake one that wants many.
	order := make(chan string, 2)
	waits := func(n int) func() bool {
		return func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			waiting := 0
			for w := s.waiters.first; w != nil; w = w.next {
				waiting++
			}
			return waiting == n
		}
	}
	gone, cancel := context.WithCancel(ctx)
	failed := make(chan error)
	go func() { failed <- s.Acquire(gone, 3) }()
	eventually(t, "the first waits", waits(1))
	go func() { check(t, s.Acquire(ctx, 2)); order <- "much" }()
	eventually(t, "the second waits", waits(2))
	go func() { check(t, s.Acquire(ctx, 1)); order <- "little" }()
	eventually(t, "the third waits", waits(3))
	s.Release(2)
	if s.TryAcquire(1) {
		t.Error("somebody passes those who wait")
	}
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("the first: %v", err)
	}
	if got := <-order; got != "much" {
		t.Errorf("%s comes first", got)
	}
	s.Release(1)
	if got := <-order; got != "little" {
		t.Errorf("then comes %s", got)
	}
	if err := s.Acquire(gone, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	late, cancelLate := context.WithTimeout(ctx, time.Microsecond)
	defer cancelLate()
	if err := s.Acquire(late, 4); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("more than there are: %v", err)
	}
	s.Release(3)
	wantPanic(t, func() { s.Release(1) })
	wantSynch(t, r, "wait/synch/semaphore/test/slots", 9)

	var zero Semaphore
	if zero.TryAcquire(1) {
		t.Error("the zero semaphore has units")
	}
	check(t, zero.Acquire(ctx, 0))
	if used, size, ok := zero.instance.Load().Room(); used != 0 || size != 0 || !ok {
		t.Errorf("%d of %d are taken, %v", used, size, ok)
	}
}

// Never are more units taken than there are, and no user waits for ever, also if contexts end
// meanwhile.
func TestSemaphoreConcurrently(t *testing.T) {
	s := synchRegistry().NewSemaphore("test/slots", 5)
	var inside, most atomic.Int64
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 300 {
				units := int64(n%5 + 1)
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration((i+n)%7)*10*time.Microsecond)
				err := s.Acquire(ctx, units)
				if i%2 == 0 && err != nil {
					err = s.Acquire(context.Background(), units)
				}
				if err == nil {
					if now := inside.Add(units); now > 5 {
						most.Store(now)
					}
					runtime.Gosched()
					inside.Add(-units)
					s.Release(units)
				}
				cancel()
			}
		})
	}
	wg.Wait()
	if used, _ := s.room(); most.Load() != 0 || used != 0 {
		t.Errorf("%d units were taken of 5, and %d are in the end", most.Load(), used)
	}
}

func TestGroup(t *testing.T) {
	r := synchRegistry()
	first := errors.New("first")
	g, ctx := r.NewGroupContext(context.Background(), "test/fetch")
	g.SetLimit(2)
	th := r.Attach("test/parent")
	defer th.Detach()
	entered := make(chan ThreadInfo, 2)
	for i := range 2 {
		g.Go(func() error {
			if t := Current(); t != nil {
				info, _ := t.Snapshot()
				entered <- info
			} else {
				entered <- ThreadInfo{}
			}
			<-ctx.Done()
			if i == 0 {
				return errors.New("later")
			}
			return nil
		})
	}
	for range 2 {
		if info := <-entered; HasThreadLookup && (info.Name != "thread/test/fetch" || info.Parent != th.ID()) {
			t.Errorf("the goroutine is %+v", info)
		}
	}
	if g.TryGo(func() error { return nil }) {
		t.Error("more run than the limit allows")
	}
	if used, size, ok := g.instance.Load().Room(); used != 2 || size != 2 || !ok {
		t.Errorf("%d of %d run, %v", used, size, ok)
	}
	wantPanic(t, func() { g.SetLimit(3) })
	g.fail(first)
	if err := g.Wait(); err != first || context.Cause(ctx) != first {
		t.Errorf("Wait: %v, cause %v", err, context.Cause(ctx))
	}
	g.SetLimit(-1)
	g.Go(func() error { runtime.Goexit(); return nil })
	if err := g.Wait(); err != first {
		t.Error(err)
	}
	if HasThreadLookup && !strings.HasSuffix(operationsOf(th), "acquire acquire wait wait") {
		t.Errorf("operations %s", operationsOf(th))
	}
	wantSynch(t, r, "wait/synch/group/test/fetch", 4)
}

func TestGroupZeroValue(t *testing.T) {
	var g Group
	names := make(chan string, 1)
	g.Go(func() error { fetchOne(names); return nil })
	g.TryGo(func() error { return context.Canceled })
	if err := g.Wait(); err != context.Canceled {
		t.Error(err)
	}
	if got := g.instance.Load().Class().Name(); got != "wait/synch/group/instr/Group" {
		t.Errorf("the class is %s", got)
	}
	if got := <-names; HasGoroutineThreads() && !strings.Contains(got, "TestGroupZeroValue") {
		t.Errorf("the goroutine is %s", got)
	}
}

//go:noinline
func fetchOne(names chan string) {
	if th := Enter(); th != nil {
		info, _ := th.Snapshot()
		names <- info.Name
		return
	}
	names <- ""
}

func TestContextWait(t *testing.T) {
	r := synchRegistry()
	w := r.NewContextWait("test/shutdown")
	ctx, cancel := context.WithCancel(context.Background())
	check(t, w.Sleep(ctx, time.Nanosecond))
	cancel()
	if err := w.Done(ctx); err != context.Canceled {
		t.Error(err)
	}
	if err := w.Sleep(ctx, time.Hour); err != context.Canceled {
		t.Error(err)
	}
	wantSynch(t, r, "wait/synch/context/test/shutdown", 3)
	var zero ContextWait
	check(t, zero.Sleep(context.Background(), 0))
	if got := zero.instance.Load().Class().Name(); got != "wait/synch/context/instr/ContextWait" {
		t.Errorf("the class is %s", got)
	}

	th := &Thread{}
	if ThreadOf(context.Background()) != nil || ThreadOf(WithThread(context.Background(), th)) != th {
		t.Error("the context's thread is another one")
	}
}

// An object that is collected leaves what it has counted to its class; its instance goes.
func TestSynchIsCollected(t *testing.T) {
	r := synchRegistry()
	func() {
		c := NewChanIn[int](r, "test/queue", 1)
		c.Send(1)
		s := r.NewSemaphore("test/slots", 1)
		check(t, s.Acquire(context.Background(), 1))
		g := r.NewGroup("test/fetch")
		check(t, g.Wait())
	}()
	eventually(t, "the instances are gone", func() bool {
		runtime.GC()
		return len(instancesOf[*SynchInstance](r, KindSynch)) == 0
	})
	wantSynch(t, r, "wait/synch/chan/test/queue", 1)
	wantSynch(t, r, "wait/synch/semaphore/test/slots", 1)
	wantSynch(t, r, "wait/synch/group/test/fetch", 1)
}

// Beyond the limit of instances, and with everything off, everything works and nothing counts.
func TestSynchLost(t *testing.T) {
	for _, off := range []bool{false, true} {
		r := synchRegistry()
		if off {
			r.Setup().SetConsumer(ConsumerGlobalInstrumentation, false)
		} else {
			r.Setup().SetLimit(LimitCondInstances, 0)
		}
		c := NewChanIn[int](r, "test/queue", 1)
		c.Send(1)
		if v, _ := c.Receive(); v != 1 {
			t.Error(v)
		}
		s := r.NewSemaphore("test/slots", 1)
		check(t, s.Acquire(context.Background(), 1))
		r.NewOnce("test/once").Do(func() {})
		g := r.NewGroup("test/fetch")
		g.SetLimit(1)
		g.Go(func() error { return nil })
		check(t, g.Wait())
		r.NewWaitGroup("test/wg").Wait()
		r.NewPool("test/pool", func() any { return 1 }).Get()
		check(t, r.NewContextWait("test/context").Sleep(context.Background(), 0))
		for _, class := range r.Reader().Classes() {
			if class.Kind() == KindSynch && class.Waits().Count != 0 {
				t.Errorf("off %v: %s counts", off, class.Name())
			}
		}
		if lost := r.Reader().Lost(LimitCondInstances); (lost == 7) == off {
			t.Errorf("off %v: %d lost", off, lost)
		}
	}
}

func TestSynchAllocatesNothing(t *testing.T) {
	r := synchRegistry()
	defer r.Attach("test/user").Detach()
	c := NewChanIn[int](r, "test/queue", 1)
	wantNoAllocs(t, "Chan", func() { c.Send(1); c.Receive(); c.TrySend(1); c.TryReceive() })
	s := r.NewSemaphore("test/slots", 1)
	wantNoAllocs(t, "Semaphore", func() { _ = s.Acquire(context.Background(), 1); s.Release(1) })
	g := r.NewWaitGroup("test/workers")
	wantNoAllocs(t, "WaitGroup", g.Wait)
}
