package activesessions

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"pfsd/instr"
	"pfsd/tables"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// all returns the rows of the sampler that match key, and maybe others.
func (s *Sampler) all(key tables.Key) (rows []tables.ActiveSession) {
	src, buf := s.history.read(key, nil), make([]*tables.ActiveSession, 7)
	for n := src(buf); n > 0; n = src(buf) {
		for _, r := range buf[:n] {
			rows = append(rows, *r)
		}
	}
	return rows
}

// watched is a registry in which all waits are events.
func watched() *instr.Registry {
	r := instr.NewRegistry()
	r.Setup().AddPattern("%", instr.PatternOn)
	r.Setup().SetConsumer(instr.ConsumerEventsWaitsCurrent, true)
	r.Setup().SetConsumer(instr.ConsumerEventsStagesCurrent, true)
	return r
}

// until waits until f holds.
func until(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !f(); {
		if time.Now().After(end) {
			t.Fatal("never: " + what)
		}
		time.Sleep(time.Millisecond)
	}
}

var begin = time.Unix(1_700_000_000, 0)

// A sample has the threads that do something, what they wait for, who is in their way, and what that waits for.
func TestSample(t *testing.T) {
	r := watched()
	s := New(tables.Of(r))
	defer s.Close()
	m, outer := r.NewMutex("test/m"), r.NewMutex("test/outer")
	statement, stage := r.NewStatementClass("sql/select"), r.NewStageClass("sql/executing", false)
	release, done := make(chan struct{}), sync.WaitGroup{}
	outer.Lock()
	start := func(name string, f func(th *instr.Thread)) {
		ready := make(chan struct{})
		done.Add(1)
		r.Go(name, func() {
			defer done.Done()
			close(ready)
			f(instr.Current())
		})
		<-ready
	}
	start("test/idle", func(*instr.Thread) { <-release })
	start("test/holder", func(*instr.Thread) {
		m.Lock()
		outer.Lock()
		outer.Unlock()
		m.Unlock()
	})
	locks := func() int { return len(tables.LockWaits(tables.Of(r))) }
	until(t, "the holder waits", func() bool { return locks() == 1 })
	start("test/waiter", func(*instr.Thread) {
		m.Lock()
		m.Unlock()
	})
	until(t, "both wait", func() bool { return locks() == 2 })
	start("test/query", func(th *instr.Thread) {
		th.SetAccount("ann", "db1")
		q := th.StartStatement(statement)
		const text = "SELECT 1 /*traceparent='00-0123456789abcdef0123456789abcdef-0123456789abcdef-01'*/"
		q.Identify(statement, "shop", text, r.DigestOf(text))
		th.StartStage(stage)
		<-release
		th.EndStage()
		q.End()
	})
	other := r.NewMutex("test/other")
	work := r.NewCond("test/work", other)
	stopped := false
	start("test/worker", func(*instr.Thread) { // waits for work
		other.Lock()
		for !stopped {
			work.Wait()
		}
		other.Unlock()
	})
	until(t, "the query is in its stage", func() bool {
		n := 0
		for _, th := range r.Reader().Threads() {
			n += len(th.CurrentStage(nil))
		}
		return n == 1
	})
	s.Sample(begin, time.Second)
	rows := map[string]tables.ActiveSession{}
	for _, a := range s.all(nil) {
		if rows[a.Name].Thread != 0 {
			t.Errorf("two rows of %s", a.Name)
		}
		rows[a.Name] = a
		if a.Sample != 1 || !a.Time.Equal(begin) || a.Weight != 1 || a.Thread == 0 {
			t.Errorf("%+v", a)
		}
	}
	if len(rows) != 3 {
		t.Errorf("%d rows, want those of the holder, the waiter and the query: %+v", len(rows), rows)
	}
	waiter, holder, query := rows["thread/test/waiter"], rows["thread/test/holder"], rows["thread/test/query"]
	if !waiter.Waits || waiter.EventName != "wait/synch/mutex/test/m" || waiter.WaitClass != "wait/synch/mutex" || waiter.Source == "" || !waiter.Timed {
		t.Errorf("the waiter: %+v", waiter)
	}
	if waiter.Blocker != holder.Thread || waiter.BlockerEvent != "wait/synch/mutex/test/outer" || waiter.BlockerSource == "" {
		t.Errorf("the waiter's blocker: %+v", waiter)
	}
	if holder.EventName != "wait/synch/mutex/test/outer" || holder.BlockerEvent != "" {
		t.Errorf("the holder: %+v", holder)
	}
	if query.Waits || query.WaitClass != "CPU*" || query.Schema != "shop" || query.Stage != "stage/sql/executing" || len(query.Digest) != 64 || query.DigestText != "SELECT ?" || query.Statement == 0 ||
		query.Trace != "0123456789abcdef0123456789abcdef" || query.User != "ann" || query.Host != "db1" {
		t.Errorf("the query: %+v", query)
	}
	outer.Unlock()
	close(release)
	other.Lock()
	stopped = true
	work.Broadcast()
	other.Unlock()
	done.Wait()
	s.Sample(begin.Add(time.Second), time.Second)
	if n := len(s.all(tables.Key{{Column: "SAMPLE_ID", Value: tables.Uint(2)}})); n != 0 {
		t.Errorf("%d threads are active after all have ended", n)
	}
}

// A file that a thread reads outside of a statement has its name in the sample.
func TestObjectNames(t *testing.T) {
	r := watched()
	s := New(tables.Of(r))
	defer s.Close()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	class := r.NewFileClass("test/fifo")
	opened := make(chan error)
	r.Go("test/reader", func() {
		f, err := class.Open(path) // waits for a writer
		if err == nil {
			err = f.Close()
		}
		opened <- err
	})
	until(t, "the file is waited for", func() bool {
		s.Sample(begin, time.Second)
		return len(s.all(nil)) > 0
	})
	if a := s.all(nil)[0]; a.WaitClass != "wait/io/file" || a.Name != "thread/test/reader" {
		t.Errorf("%+v", a)
	}
	w, err := class.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Error(err)
	}
	w.Close()
}

// Samples are read as they were added, the oldest go when there are too many, and the bytes stay below the
// limit.
func TestHistory(t *testing.T) {
	const size = 64 << 10
	h := &history{size: size}
	var want []tables.ActiveSession
	random := rand.New(rand.NewPCG(1, 2))
	text := func(n int) string { return fmt.Sprintf("text %d", random.IntN(n)) }
	for sample := range uint64(2000) {
		var one []tables.ActiveSession
		for thread := range uint64(random.IntN(4)) {
			one = append(one, tables.ActiveSession{
				Sample: sample + 1, Time: begin.Add(time.Duration(sample) * time.Second), Thread: thread + 1, Goroutine: random.Uint64(),
				Name: text(3), User: text(9), Host: text(9), Waits: random.IntN(2) == 0, WaitClass: text(5), EventName: text(5), Source: text(50),
				Event: random.Uint64(), Object: random.Uint64(), Waited: random.Uint64(), Timed: random.IntN(2) == 0, ObjectName: text(1000),
				Blocker: random.Uint64(), BlockerSource: text(9), BlockerEvent: text(9), Statement: random.Uint64(), Transaction: random.Uint64(),
				Digest: text(2000), Schema: text(2), Stage: text(7), Trace: text(100000), DigestText: text(2000),
				StatementName: text(3), StageStatement: random.Uint64(), Request: random.Uint64(), RequestName: text(3), RequestDigest: text(9), RequestDigestText: text(9), RequestSchema: text(3),
				BlockerName: text(9), BlockerUser: text(9), BlockerHost: text(9), BlockerDigestText: text(9), BlockerHeld: random.Uint64(), UnbrokenFrom: 1, Weight: float64(random.IntN(60000)) / 1000,
			})
		}
		h.add(one)
		want = append(want, one...)
		if n := h.bytes(); n > size {
			t.Fatalf("%d bytes, the limit is %d", n, size)
		}
	}
	s := &Sampler{history: history{parts: h.parts}}
	got := s.all(nil)
	if len(got) < 100 || len(got) > len(want) {
		t.Fatalf("%d rows of %d", len(got), len(want))
	}
	if diff := cmp.Diff(want[len(want)-len(got):], got); diff != "" {
		t.Error(diff)
	}
	last := got[len(got)-1]
	of := s.all(tables.Key{{Column: "SAMPLE_ID", Value: tables.Uint(last.Sample)}, {Column: "THREAD_ID", Value: tables.Uint(last.Thread)}})
	if diff := cmp.Diff([]tables.ActiveSession{last}, of); diff != "" {
		t.Error(diff)
	}
	h.setSize(1)
	if n := h.bytes(); n > 1 {
		t.Errorf("%d bytes after the limit has become 1", n)
	}
}

// Readers read while samples are taken and dropped.
func TestReadWhileSampling(t *testing.T) {
	s := New(tables.Of(instr.NewRegistry()))
	defer s.Close()
	s.SetSize(20_000)
	var done sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		done.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				before := uint64(0)
				for _, a := range s.all(nil) {
					if a.Sample < before || a.Name != fmt.Sprint("thread ", a.Sample) {
						t.Errorf("sample %d after %d is of %q", a.Sample, before, a.Name)
					}
					before = a.Sample
				}
			}
		})
	}
	for n := range uint64(5000) {
		s.history.add([]tables.ActiveSession{{Sample: n, Name: fmt.Sprint("thread ", n)}})
		if n%1000 == 999 {
			s.history.truncate()
		}
	}
	close(stop)
	done.Wait()
}

// Run takes samples while the consumer is on, at an interval that changes at once.
func TestRun(t *testing.T) {
	r := watched()
	s := New(tables.Of(r))
	defer s.Close()
	defer r.Attach("test/main").Detach()
	th := instr.Current()
	th.StartTransaction(instr.TransactionOptions{})
	defer th.EndTransaction(true)
	s.SetInterval(MaxInterval)
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { s.Run(ctx) })
	s.SetInterval(0) // the least that there is
	until(t, "there are samples", func() bool { return len(s.all(nil)) >= 2 })
	r.Setup().SetConsumer(instr.ConsumerActiveSessionHistory, false)
	s.mu.Lock() // a sample that had begun has ended
	n := s.samples
	s.mu.Unlock()
	asked := s.due.Load()
	until(t, "two intervals have passed", func() bool { return s.due.Load() >= asked+2 })
	s.mu.Lock()
	if s.samples > n+1 {
		t.Errorf("%d samples while the consumer was off", s.samples-n)
	}
	s.mu.Unlock()
	if a := s.all(nil)[0]; a.Weight != MinInterval.Seconds() || a.Transaction == 0 || a.WaitClass != "CPU*" {
		t.Errorf("%+v", a)
	}
	cancel()
	done.Wait()
}

// A sampler that is late counts the samples that it has missed, and continues with the next one.
func TestNextSample(t *testing.T) {
	for _, c := range []struct {
		late   time.Duration
		next   time.Duration
		missed uint64
	}{
		{0, time.Second, 0}, {999 * time.Millisecond, time.Second, 0}, {time.Second, 2 * time.Second, 1},
		{3500 * time.Millisecond, 4 * time.Second, 3}, {-time.Hour, time.Second, 0}, // the clock was set back
	} {
		next, missed := nextSample(begin, begin.Add(c.late), time.Second)
		if next.Sub(begin) != c.next || missed != c.missed {
			t.Errorf("%v late: the next is after %v, %d missed; want %v, %d", c.late, next.Sub(begin), missed, c.next, c.missed)
		}
	}
}

func TestTraceOf(t *testing.T) {
	const trace = "0123456789abcdef0123456789abcdef"
	for text, want := range map[string]string{
		"SELECT 1": "", "SELECT 1 /*traceparent='00-" + trace + "-0123456789abcdef-01'*/": trace,
		"SELECT 1 /*traceparent='00-" + trace[1:]: "", "/*traceparent='00-" + trace[1:] + "G'*/": "", "traceparent='": "",
		"/*a='b',traceparent='00-" + trace + "-'*/ SELECT 1": trace,
	} {
		if got := traceOf(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// BenchmarkSample takes samples of 10,000 threads, 200 of which are active.
func BenchmarkSample(b *testing.B) {
	r := watched()
	s := New(tables.Of(r))
	defer s.Close()
	const threads, active = 10_000, 200
	stop, ready, done := make(chan struct{}), sync.WaitGroup{}, sync.WaitGroup{}
	ready.Add(threads)
	statement := r.NewStatementClass("sql/select")
	text := "SELECT c FROM sbtest1 WHERE id = 501"
	for i := range threads {
		done.Add(1)
		r.Go("test/worker", func() {
			defer done.Done()
			th := instr.Current()
			q := th.StartStatement(statement)
			q.Identify(statement, "shop", text, r.DigestOf(text))
			if i >= active {
				q.End()
			}
			ready.Done()
			<-stop
			if i < active {
				q.End()
			}
		})
	}
	ready.Wait()
	for b.Loop() {
		s.Sample(begin, time.Second)
	}
	b.ReportMetric(float64(len(s.sessions)), "sessions")
	close(stop)
	done.Wait()
}
