package instr

import (
	"fmt"
	"math/rand/v2"
	"runtime/metrics"
	"sync"
	"testing"
)

// wrong says what is inconsistent in statistics.
func (s MemoryStat) wrong() error {
	for _, c := range []struct {
		what           string
		low, now, high int64
		more, less     uint64
	}{
		{"pieces", s.LowCount(), s.Count(), s.HighCount(), s.Allocs, s.Frees},
		{"bytes", s.LowBytes(), s.Bytes(), s.HighBytes(), s.AllocBytes, s.FreeBytes},
	} {
		if c.now != int64(c.more)-int64(c.less) || c.low > c.now || c.now > c.high {
			return fmt.Errorf("%d %s: low %d, high %d, allocated %d, freed %d", c.now, c.what, c.low, c.high, c.more, c.less)
		}
	}
	return nil
}

// figures are the ten columns of the tables.
func (s MemoryStat) figures() [10]int64 {
	return [10]int64{int64(s.Allocs), int64(s.Frees), int64(s.AllocBytes), int64(s.FreeBytes), s.LowCount(), s.Count(), s.HighCount(), s.LowBytes(), s.Bytes(), s.HighBytes()}
}

func TestMemoryStat(t *testing.T) {
	var s MemoryStat
	at := func(what string, want ...int64) {
		t.Helper()
		if got := s.figures(); got != [10]int64(want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
		if err := s.wrong(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	at("nothing", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	s.alloc(1, 100)
	s.alloc(1, 50)
	at("two", 2, 0, 150, 0, 0, 2, 2, 0, 150, 150)
	s.free(1, 100)
	at("one", 2, 1, 150, 100, 0, 1, 2, 0, 50, 150)
	if count, bytes := s.alloc(1, 120); count != 0 || bytes != 20 {
		t.Errorf("%d pieces and %d bytes beyond the most, want 0 and 20", count, bytes)
	}
	at("the most", 3, 1, 270, 100, 0, 2, 2, 0, 170, 170)
	past := s.rebase()
	at("rebased", 2, 0, 170, 0, 2, 2, 2, 170, 170, 170)
	past.Add(s)
	if s, want := past.figures(), [10]int64{3, 1, 270, 100, 0, 2, 2, 0, 170, 170}; s != want {
		t.Errorf("together they are %v, want %v", s, want)
	}
	s.free(3, 200)
	at("somebody else's", 2, 3, 170, 200, -1, -1, 2, -30, -30, 170)
	s.rebase()
	at("rebased again", 0, 1, 0, 30, -1, -1, -1, -30, -30, -30)
}

// as runs do as a connection's thread.
func as(r *Registry, user, host string, do func(t *Thread)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		t := r.AttachConnection("test/connection", 1)
		defer t.Detach()
		t.SetAccount(user, host)
		do(t)
	}()
	<-done
}

// at is the statistics of a class for an account, its user, its host, and globally.
func (m *MemoryClass) at(user, host string) (all [4]MemoryStat) {
	r := m.class.registry
	for i, l := range []ActorLevel{LevelAccount, LevelUser, LevelHost} {
		for _, w := range r.Reader().ActorWork(l, ActorFilter{}, WorkMemory) {
			if (l == LevelHost || w.User == user) && (l == LevelUser || w.Host == host) {
				all[i] = w.Memory(m.class)
			}
		}
	}
	w := r.Reader().GlobalWork(WorkMemory)
	all[3] = w.Memory(m.class)
	all[3].Add(m.class.SharedMemory())
	return all
}

// The highest value of an account is not the sum over sessions that came one after another.
func TestMemoryOfSessions(t *testing.T) {
	r := NewRegistry()
	m := r.NewMemoryClass("test/session")
	for n := range 10 {
		as(r, "user", "host", func(th *Thread) {
			th.Alloc(m, 1000)
			m.Alloc(n)
			th.Free(m, 1000)
			m.Free(n)
		})
	}
	for _, s := range m.at("user", "host") {
		if got, want := s.figures(), [10]int64{20, 20, 10045, 10045, 0, 0, 2, 0, 0, 1009}; got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
	r.Reader().ResetGlobalWork(WorkMemory)
	for _, s := range m.at("user", "host") {
		if s != (MemoryStat{}) {
			t.Errorf("%v after a reset", s.figures())
		}
	}
	// The memory of two sessions at the same time does add up.
	as(r, "user", "host", func(th *Thread) {
		th.Alloc(m, 1000)
		as(r, "user", "host", func(th *Thread) {
			th.Alloc(m, 500)
			th.Free(m, 500)
		})
		th.Free(m, 1000)
	})
	for _, s := range m.at("user", "host") {
		if got, want := s.figures(), [10]int64{2, 2, 1500, 1500, 0, 0, 2, 0, 0, 1500}; got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// Memory in use stays where it is when statistics are truncated.
func TestMemoryTruncate(t *testing.T) {
	for _, c := range []struct {
		name     string
		truncate func(r *Registry)
		want     [5][10]int64 // of the thread, the account, the user, the host and everybody
	}{
		{"none", func(*Registry) {}, [5][10]int64{
			{2, 1, 150, 100, 0, 1, 2, 0, 50, 150}, {2, 1, 150, 100, 0, 1, 2, 0, 50, 150}, {2, 1, 150, 100, 0, 1, 2, 0, 50, 150}, {2, 1, 150, 100, 0, 1, 2, 0, 50, 150}, {2, 1, 150, 100, 0, 1, 2, 0, 50, 150}}},
		{"thread", func(r *Registry) { r.Reader().ResetThreadWork(WorkMemory) }, [5][10]int64{
			{1, 0, 50, 0, 1, 1, 1, 50, 50, 50}, {2, 1, 150, 100, 0, 1, 2, 0, 50, 150}, {2, 1, 150, 100, 0, 1, 2, 0, 50, 150}, {2, 1, 150, 100, 0, 1, 2, 0, 50, 150}, {2, 1, 150, 100, 0, 1, 2, 0, 50, 150}}},
		{"account", func(r *Registry) { r.Reader().ResetActorWork(WorkMemory, LevelAccount) }, [5][10]int64{
			{1, 0, 50, 0, 1, 1, 1, 50, 50, 50}, {1, 0, 50, 0, 1, 1, 1, 50, 50, 50}, {2, 1, 150, 100, 0, 1, 2, 0, 50, 150}, {2, 1, 150, 100, 0, 1, 2, 0, 50, 150}, {2, 1, 150, 100, 0, 1, 2, 0, 50, 150}}},
		{"user", func(r *Registry) { r.Reader().ResetActorWork(WorkMemory, LevelUser) }, [5][10]int64{
			{1, 0, 50, 0, 1, 1, 1, 50, 50, 50}, {1, 0, 50, 0, 1, 1, 1, 50, 50, 50}, {1, 0, 50, 0, 1, 1, 1, 50, 50, 50}, {2, 1, 150, 100, 0, 1, 2, 0, 50, 150}, {2, 1, 150, 100, 0, 1, 2, 0, 50, 150}}},
		{"host", func(r *Registry) { r.Reader().ResetActorWork(WorkMemory, LevelHost) }, [5][10]int64{
			{1, 0, 50, 0, 1, 1, 1, 50, 50, 50}, {1, 0, 50, 0, 1, 1, 1, 50, 50, 50}, {2, 1, 150, 100, 0, 1, 2, 0, 50, 150}, {1, 0, 50, 0, 1, 1, 1, 50, 50, 50}, {2, 1, 150, 100, 0, 1, 2, 0, 50, 150}}},
		{"hosts", func(r *Registry) { r.Reader().TruncateActors(LevelHost) }, [5][10]int64{
			{1, 0, 50, 0, 1, 1, 1, 50, 50, 50}, {1, 0, 50, 0, 1, 1, 1, 50, 50, 50}, {2, 1, 150, 100, 0, 1, 2, 0, 50, 150}, {1, 0, 50, 0, 1, 1, 1, 50, 50, 50}, {2, 1, 150, 100, 0, 1, 2, 0, 50, 150}}},
		{"global", func(r *Registry) { r.Reader().ResetGlobalWork(WorkMemory) }, [5][10]int64{
			{1, 0, 50, 0, 1, 1, 1, 50, 50, 50}, {1, 0, 50, 0, 1, 1, 1, 50, 50, 50}, {1, 0, 50, 0, 1, 1, 1, 50, 50, 50}, {1, 0, 50, 0, 1, 1, 1, 50, 50, 50}, {1, 0, 50, 0, 1, 1, 1, 50, 50, 50}}},
	} {
		r := NewRegistry()
		m := r.NewMemoryClass("test/session")
		as(r, "user", "host", func(th *Thread) {
			th.Alloc(m, 100)
			th.Alloc(m, 50)
			th.Free(m, 100)
			c.truncate(r)
			w := th.Work(WorkMemory)
			thread := w.Memory(m.class)
			for i, s := range append([]MemoryStat{thread}, sliceOf(m.at("user", "host"))...) {
				if got := s.figures(); got != c.want[i] {
					t.Errorf("%s: level %d: %v, want %v", c.name, i, got, c.want[i])
				}
			}
		})
	}
}

func sliceOf(a [4]MemoryStat) []MemoryStat { return a[:] }

// Threads come, change their users and go, and tables are truncated, while others read: every byte
// is counted exactly once, and all statistics are consistent.
func TestMemoryCountsExactly(t *testing.T) {
	const threads, rounds = 4, 40
	for _, c := range []struct {
		name     string
		truncate func(r *Registry)
	}{
		{"none", nil},
		{"by_thread", func(r *Registry) { r.Reader().ResetThreadWork(WorkMemory) }},
		{"by_account", func(r *Registry) { r.Reader().ResetActorWork(WorkMemory, LevelAccount) }},
		{"by_host", func(r *Registry) { r.Reader().ResetActorWork(WorkMemory, LevelHost) }},
		{"accounts", func(r *Registry) { r.Reader().TruncateActors(LevelAccount) }},
		{"users", func(r *Registry) { r.Reader().TruncateActors(LevelUser) }},
		{"global", func(r *Registry) { r.Reader().ResetGlobalWork(WorkMemory) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := NewRegistry()
			classes := []*MemoryClass{r.NewMemoryClass("test/a"), r.NewMemoryClass("test/b"), r.NewMemoryClass("test/c", GlobalStatistics)}
			var workers, others sync.WaitGroup
			stop := make(chan struct{})
			again := func(do func()) {
				others.Go(func() {
					for {
						select {
						case <-stop:
							return
						default:
							do()
						}
					}
				})
			}
			again(func() {
				all := r.Reader().ThreadWork(WorkMemory)
				for l := range levelCount {
					all = append(all, r.Reader().ActorWork(l, ActorFilter{}, WorkMemory)...)
				}
				all = append(all, r.Reader().GlobalWork(WorkMemory))
				for i := range all {
					for _, m := range classes {
						s := all[i].Memory(m.class)
						s.Add(m.class.SharedMemory())
						if err := s.wrong(); err != nil {
							t.Error(err)
						}
					}
				}
			})
			if c.truncate != nil {
				again(func() { c.truncate(r) })
			}
			var mu sync.Mutex
			var allocs, bytes, kept, keptBytes [3]uint64
			for n := range threads {
				workers.Go(func() {
					random := rand.New(rand.NewPCG(1, uint64(n)))
					for range rounds {
						th := r.Attach("test/worker")
						th.SetAccount(fmt.Sprint("user", random.IntN(2)), fmt.Sprint("host", random.IntN(2)))
						for range 30 {
							i, size := random.IntN(3), random.IntN(100)
							th.Alloc(classes[i], size)
							free := random.IntN(4) != 0
							if free {
								classes[i].Free(size)
							}
							mu.Lock()
							allocs[i]++
							bytes[i] += uint64(size)
							if !free {
								kept[i]++
								keptBytes[i] += uint64(size)
							}
							mu.Unlock()
							if random.IntN(20) == 0 {
								th.SetAccount(fmt.Sprint("user", random.IntN(2)), fmt.Sprint("host", random.IntN(2)))
							}
						}
						th.Detach()
					}
				})
			}
			workers.Wait()
			close(stop)
			others.Wait()
			all := r.Reader().GlobalWork(WorkMemory)
			for i, m := range classes {
				s := all.Memory(m.class)
				s.Add(m.class.SharedMemory())
				if s.Count() != int64(kept[i]) || s.Bytes() != int64(keptBytes[i]) {
					t.Errorf("%s: %d pieces of %d bytes are in use, want %d of %d", m.class.name, s.Count(), s.Bytes(), kept[i], keptBytes[i])
				}
				if c.name != "global" && (s.Allocs != allocs[i] || s.AllocBytes != bytes[i]) {
					t.Errorf("%s: %d pieces of %d bytes were allocated, want %d of %d", m.class.name, s.Allocs, s.AllocBytes, allocs[i], bytes[i])
				}
			}
		})
	}
}

// Memory of goroutines that are no threads, or without thread_instrumentation, only counts
// globally. Memory of threads that are not instrumented does not count, nor does memory whose
// instrument is off.
func TestMemoryWithoutThread(t *testing.T) {
	r := NewRegistry()
	m := r.NewMemoryClass("test/a")
	var none *MemoryClass
	none.Alloc(1)
	none.Free(1)
	(*Thread)(nil).Alloc(m, 1)
	m.Alloc(10)
	check := func(what string, global, thread uint64) {
		t.Helper()
		w := r.Reader().GlobalWork(WorkMemory)
		if got := m.class.SharedMemory().Allocs; got != global {
			t.Errorf("%s: %d for everybody, want %d", what, got, global)
		}
		if got := w.Memory(m.class).Allocs; got != thread {
			t.Errorf("%s: %d for threads, want %d", what, got, thread)
		}
	}
	check("no thread", 2, 0)
	as(r, "user", "host", func(th *Thread) {
		m.Alloc(1)
		check("a thread", 2, 1)
		th.SetInstrumented(false)
		m.Alloc(1)
		check("not instrumented", 2, 1)
		th.SetInstrumented(true)
		r.Setup().SetConsumer(ConsumerThreadInstrumentation, false)
		m.Alloc(1)
		check("thread_instrumentation off", 3, 1)
		r.Setup().SetConsumer(ConsumerThreadInstrumentation, true)
		m.class.SetEnabled(false)
		m.Alloc(1)
		m.Free(1)
		check("off", 3, 1)
		m.class.SetEnabled(true)
		r.NewMemoryClass("test/a", GlobalStatistics)
		m.Alloc(1)
		check("global", 4, 1)
	})
	other := NewRegistry()
	as(other, "user", "host", func(*Thread) {
		m.Alloc(1)
		check("another registry's thread", 5, 1)
	})
}

// The instruments of the registry's own memory and of the runtime's are never off, and have no
// limit.
func TestOwnMemory(t *testing.T) {
	r := NewRegistry()
	r.Setup().SetLimit(LimitMemoryClasses, 1)
	r.Setup().AddPattern("memory/%", PatternOff)
	r.NewMemoryClass("test/a").Alloc(1)
	lost := r.NewMemoryClass("test/b")
	lost.Alloc(1)
	if n := r.Reader().Lost(LimitMemoryClasses); n != 1 || r.Reader().ClassByName("memory/test/b") != nil {
		t.Errorf("%d classes are lost, want 1", n)
	}
	threads, a := r.Reader().ClassByName("memory/performance_schema/threads"), r.Reader().ClassByName("memory/test/a")
	for _, c := range []*Class{threads, r.Reader().ClassByName("memory/go/heap/objects")} {
		c.SetEnabled(false)
		c.SetControlled(true)
		if !c.Enabled() || c.Timed() || c.Controlled() || c.Properties() != GlobalStatistics || c.Volatility() != 1 || c.Documentation() == "" {
			t.Errorf("%s is not as it should be", c.Name())
		}
	}
	if a.Enabled() || a.Properties() != 0 || a.Controlled() {
		t.Errorf("%s is not as the pattern says", a.Name())
	}
	a.SetControlled(true)
	if !a.Controlled() || !r.NewMemoryClass("test/a", ControlledByDefault).Class().Controlled() {
		t.Errorf("%s is not controlled", a.Name())
	}
	before := threads.SharedMemory()
	as(r, "user", "host", func(*Thread) {})
	if after := threads.SharedMemory(); after.Allocs != before.Allocs+1 || after.Bytes()-before.Bytes() != int64(size[Thread]()) {
		t.Errorf("one more thread makes %v out of %v", after.figures(), before.figures())
	}
}

// The parts of the runtime's memory make up all of it.
func TestGoMemory(t *testing.T) {
	r := NewRegistry()
	names := map[string]bool{}
	for _, p := range goMemory {
		names[p.metric] = true
	}
	for _, d := range metrics.All() {
		if len(d.Name) > 16 && d.Name[:16] == "/memory/classes/" && d.Name != "/memory/classes/total:bytes" && !names[d.Name] {
			t.Errorf("%s is missing", d.Name)
		}
	}
	r.Reader().MeasureMemory()
	garbage := make([][]byte, 0, 1000)
	for range cap(garbage) {
		garbage = append(garbage, make([]byte, 1000))
	}
	r.Reader().MeasureMemory()
	sum := int64(0)
	for _, p := range goMemory {
		c := r.Reader().ClassByName("memory/" + p.name)
		if c == nil {
			t.Fatalf("no %s", p.name)
		}
		s := c.SharedMemory()
		sum += s.Bytes()
		if err := s.wrong(); err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
	}
	total := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(total)
	if got := int64(total[0].Value.Uint64()); sum < got/2 || sum > 2*got {
		t.Errorf("the parts are %d bytes, all is %d", sum, got)
	}
	objects := r.Reader().ClassByName("memory/go/heap/objects").SharedMemory()
	if objects.Allocs < uint64(len(garbage)) || objects.Count() <= 0 || objects.AllocBytes < 1_000_000 {
		t.Errorf("%v", objects.figures())
	}
	r.Reader().ResetGlobalWork(WorkMemory)
	if s := r.Reader().ClassByName("memory/go/heap/objects").SharedMemory(); s.Frees != 0 || s.LowBytes() != s.HighBytes() {
		t.Errorf("%v after a reset", s.figures())
	}
}

func BenchmarkMemory(b *testing.B) {
	r := NewRegistry()
	on, global := r.NewMemoryClass("test/on"), r.NewMemoryClass("test/global", GlobalStatistics)
	off := r.NewMemoryClass("test/off")
	off.class.SetEnabled(false)
	th := r.Attach("test/thread")
	defer th.Detach()
	for _, c := range []struct {
		name string
		do   func()
	}{
		{"enabled=no", func() { off.Alloc(10); off.Free(10) }},
		{"enabled=yes/handle=no", func() { on.Alloc(10); on.Free(10) }},
		{"enabled=yes/handle=yes", func() { th.Alloc(on, 10); th.Free(on, 10) }},
		{"enabled=yes/global", func() { global.Alloc(10); global.Free(10) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.do()
			}
		})
	}
}

// What a thread has in use goes away when it frees it, or ends, also if it is not instrumented any more.
func TestMemoryOfThreadsNotInstrumented(t *testing.T) {
	r := NewRegistry()
	m := r.NewMemoryClass("test/uninstrumented")
	for range 3 {
		as(r, "user", "host", func(th *Thread) {
			th.Alloc(m, 100)
			th.SetInstrumented(false)
			th.Alloc(m, 50) // not counted
			th.Free(m, 50)
			th.Free(m, 100)
		})
	}
	for i, s := range m.at("user", "host") {
		if s.Bytes() != 0 || s.Count() != 0 {
			t.Errorf("level %d: %d bytes in %d pieces are in use", i, s.Bytes(), s.Count())
		}
	}
}
