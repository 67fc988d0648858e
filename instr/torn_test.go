package instr

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// tornWorld is a registry with everything on, and goroutines that record all the time what
// readers can check: as threads that come and go, each of which records nothing but events
// that follow from its id.
type tornWorld struct {
	*Registry
	nested []*Class // by worker: the class of its made-up, nested events
	own    []*Mutex // by worker
	shared *Mutex
	worker sync.Map // thread id to worker
	ended  atomic.Bool
	wg     sync.WaitGroup
	locks  atomic.Uint64 // of shared
	begun  atomic.Uint64 // threads
}

// nestedObject is the made-up object of a made-up event: the place of the event in its nest.
func nestedObject(thread, levels, level uint64) uint64 { return thread<<16 | levels<<8 | level }

// nestedBytes depends on everything that identifies an event.
func nestedBytes(thread, id uint64) uint64 {
	return (thread*0x9E3779B97F4A7C15 ^ id) * 0xBF58476D1CE4E5B9
}

func startTornWorld(workers, historySize, historyLongSize int) *tornWorld {
	w := &tornWorld{Registry: NewRegistry()}
	w.Setup().AddPattern("%", PatternOn)
	for _, c := range []Consumer{ConsumerEventsWaitsCurrent, ConsumerEventsWaitsHistory, ConsumerEventsWaitsHistoryLong} {
		w.Setup().SetConsumer(c, true)
	}
	w.Setup().SetHistorySize(FamilyWaits, historySize)
	w.Setup().SetHistoryLongSize(FamilyWaits, historyLongSize)
	w.shared = w.NewMutex("torn/shared")
	for i := range workers {
		w.nested = append(w.nested, w.class(KindFile, fmt.Sprintf("torn/nested%d", i)))
		w.own = append(w.own, w.NewMutex(fmt.Sprintf("torn/own%d", i)))
	}
	for i := range workers {
		w.wg.Go(func() {
			for turn := i; !w.ended.Load(); turn++ {
				w.live(i, 1+turn%7*30)
			}
		})
	}
	return w
}

// live is the life of one thread.
func (w *tornWorld) live(worker, rounds int) {
	t := w.Attach("torn/worker")
	defer t.Detach()
	w.worker.Store(t.ID(), worker)
	w.begun.Add(1)
	t.SetDB(fmt.Sprint("db", t.ID()))
	t.SetAccount(fmt.Sprint("user", t.ID()), "localhost")
	for round := range rounds {
		w.nest(t, w.nested[worker], uint64(1+round%maxWaits), 0)
		w.own[worker].Lock()
		w.own[worker].Unlock()
		idle := t.StartIdle()
		w.shared.Lock()
		w.locks.Add(1)
		w.shared.Unlock()
		idle.End()
	}
}

// nest records a made-up event and, inside it, the others up to levels.
func (w *tornWorld) nest(t *Thread, c *Class, levels, level uint64) {
	if level == levels {
		return
	}
	thread, id := t.ID(), t.nextEvent
	wait := c.beginHandle(t, switches(c.switches.Load()), OpRead+Op(level), nestedObject(thread, levels, level), uintptr(thread<<4|level))
	w.nest(t, c, levels, level+1)
	wait.end(c, nestedBytes(thread, id))
}

func (w *tornWorld) stop() {
	w.ended.Store(true)
	w.wg.Wait()
}

// check says what is wrong with a row of any of the tables of waits.
func (w *tornWorld) check(e *WaitEvent) error {
	bad := func(what string) error { return fmt.Errorf("%s: %+v", what, *e) }
	known, ok := w.worker.Load(e.ThreadID)
	if !ok {
		return bad("a thread that never was")
	}
	worker := known.(int)
	if e.ID == 0 || e.NestingID >= e.ID || !e.timed || e.start == 0 || e.end < e.start {
		return bad("ids or times")
	}
	if e.Ended && e.EndID < e.ID || !e.Ended && (e.EndID != 0 || e.Bytes != 0) {
		return bad("the end")
	}
	switch e.Class {
	case w.nested[worker]:
		levels, level := e.Object>>8&0xff, e.Object&0xff
		if e.Object>>16 != e.ThreadID || level >= levels || levels > maxWaits || e.Op != OpRead+Op(level) || e.Caller != uintptr(e.ThreadID<<4|level) {
			return bad("the words of two events")
		}
		if level == 0 && e.NestingID != 0 || level > 0 && e.NestingID != e.ID-1 {
			return bad("the nesting event")
		}
		if e.Ended && (e.Bytes != nestedBytes(e.ThreadID, e.ID) || e.EndID != e.ID+levels-1-level) {
			return bad("the end of another event")
		}
	case w.own[worker].instance.Load().class, w.shared.instance.Load().class:
		nested, m := e.Class != w.own[worker].instance.Load().class, w.own[worker]
		if nested {
			m = w.shared
		}
		if e.Object != m.instance.Load().id || e.Op != OpLock || e.Caller == 0 || e.Bytes != 0 {
			return bad("no lock")
		}
		if nested != (e.NestingID != 0) || nested && e.NestingID != e.ID-1 || e.Ended && e.EndID != e.ID {
			return bad("the nesting event of a lock")
		}
	case w.idle:
		if e.Object != 0 || e.Op != OpIdle || e.NestingID != 0 || e.Ended && e.EndID != e.ID+1 {
			return bad("not idle")
		}
	default:
		return bad("the class of another thread")
	}
	return nil
}

// checkRows checks the rows of one thread; there must be at most max.
func (w *tornWorld) checkRows(id uint64, rows []WaitEvent, max int) error {
	if len(rows) > max {
		return fmt.Errorf("thread %d has %d rows", id, len(rows))
	}
	seen := map[uint64]bool{}
	for i := range rows {
		e := &rows[i]
		if err := w.check(e); err != nil {
			return err
		}
		if e.ThreadID != rows[0].ThreadID || seen[e.ID] {
			return fmt.Errorf("thread %d: %+v is of another thread, or there twice", id, *e)
		}
		seen[e.ID] = true
	}
	return nil
}

// checkThread says what is wrong with a row of the table threads.
func checkThread(t *Thread) error {
	s, ok := t.Snapshot()
	if !ok {
		return nil
	}
	if s.ID == 0 || s.Name != "thread/torn/worker" || s.DB != "" && s.DB != fmt.Sprint("db", s.ID) ||
		s.Account.User != "" && s.Account.User != fmt.Sprint("user", s.ID) {
		return fmt.Errorf("thread %d has what is another's: %+v", s.ID, s)
	}
	return nil
}

// checkStat says what is wrong with statistics that nobody resets.
func checkStat(s Stat) error {
	if s.Count == 0 && s != NoStat || s.Count > 0 && (s.Min > s.Max || s.Sum < s.Max || s.Sum/s.Count > s.Max || s.Sum/s.Count < s.Min) {
		return fmt.Errorf("statistics of two moments: %+v", s)
	}
	return nil
}

// tornReader reads every table of waits, and adds up how many rows it has found.
type tornReader struct {
	current, history, long int
	shared                 Stat // the last reading
}

func (r *tornReader) read(w *tornWorld, statistics bool) error {
	for _, t := range w.Reader().Threads() {
		id := t.ID()
		rows := t.CurrentWaits(nil)
		if err := w.checkRows(id, rows, maxWaits); err != nil {
			return fmt.Errorf("current: %w", err)
		}
		r.current += len(rows)
		if err := checkThread(t); err != nil {
			return err
		}
		rows = t.WaitsHistory(nil)
		if err := w.checkRows(id, rows, w.Setup().HistorySize(FamilyWaits)); err != nil {
			return fmt.Errorf("history: %w", err)
		}
		r.history += len(rows)
		if !statistics {
			continue
		}
		for i, c := range w.nested {
			s := t.classWaits(c)
			worker, ok := w.worker.Load(id)
			if !ok || t.ID() != id {
				break
			}
			if i != worker.(int) && s.Count != 0 {
				return fmt.Errorf("thread %d of worker %d has counted %d waits of worker %d", id, worker, s.Count, i)
			}
			if err := checkStat(s); err != nil {
				return fmt.Errorf("thread %d: %w", id, err)
			}
		}
	}
	var buf [50]WaitEvent
	cursor, rows := w.Reader().WaitsHistoryLong(), 0
	for n := cursor.Next(buf[:]); n > 0; n = cursor.Next(buf[:]) {
		rows += n
		for i := range buf[:n] {
			if err := w.check(&buf[i]); err != nil {
				return fmt.Errorf("history_long: %w", err)
			}
		}
	}
	if rows > w.Setup().HistoryLongSize(FamilyWaits) {
		return fmt.Errorf("history_long has %d rows", rows)
	}
	r.long += rows
	if id := w.shared.instance.Load().Holder(); id != 0 {
		if _, ok := w.worker.Load(id); !ok {
			return fmt.Errorf("thread %d holds the shared mutex, but never was", id)
		}
	}
	if statistics {
		s := w.shared.instance.Load().Waits()
		if err := checkStat(s); err != nil {
			return fmt.Errorf("instance: %w", err)
		}
		if s.Count < r.shared.Count || s.Sum < r.shared.Sum || s.Min > r.shared.Min || s.Max < r.shared.Max {
			return fmt.Errorf("instance: %+v after %+v", s, r.shared)
		}
		r.shared = s
	}
	return nil
}

// No row is made of two events, and no row of a thread has the id of another one, however fast
// readers read and threads come and go. PFSD_SOAK is how long each pace lasts, such as 1m.
func TestRowsAreNeverTorn(t *testing.T) {
	length := 400 * time.Millisecond
	if s := os.Getenv("PFSD_SOAK"); s != "" {
		var err error
		if length, err = time.ParseDuration(s); err != nil {
			t.Fatalf("PFSD_SOAK: %v", err)
		}
	} else if testing.Short() {
		length /= 4
	}
	for _, pace := range []struct {
		name   string
		period time.Duration
	}{{"10Hz", 100 * time.Millisecond}, {"1kHz", time.Millisecond}, {"nopause", 0}} {
		for _, procs := range []int{1, 2, 4} {
			for _, truncate := range []bool{false, true} {
				t.Run(fmt.Sprintf("readers=%s/procs=%d/truncate=%v", pace.name, procs, truncate), func(t *testing.T) {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
					testRowsAreNeverTorn(t, startTornWorld(3, defaultHistorySize, 1000), pace.period, length, truncate)
				})
			}
		}
	}
}

// The smallest histories also have only whole rows, and not too many.
func TestRowsOfTinyHistoriesAreNeverTorn(t *testing.T) {
	for _, size := range []int{0, 1, 2} {
		t.Run(fmt.Sprintf("size=%d", size), func(t *testing.T) {
			testRowsAreNeverTorn(t, startTornWorld(3, size, size), 0, 100*time.Millisecond, false)
		})
	}
}

func testRowsAreNeverTorn(t *testing.T, w *tornWorld, period, length time.Duration, truncate bool) {
	defer w.stop()
	r := tornReader{shared: NoStat}
	begin := time.Now()
	for round := 0; round < 2 || time.Since(begin) < length; round++ {
		if truncate {
			for _, thread := range w.Reader().Threads() {
				thread.TruncateCurrentWaits()
				thread.TruncateWaitsHistory()
			}
			w.Reader().ResetThreadWaits()
			w.Reader().TruncateWaitsHistoryLong()
		}
		if err := r.read(w, !truncate); err != nil {
			t.Fatal(err)
		}
		time.Sleep(period) // the pace
	}
	w.stop()
	if got, want := w.shared.instance.Load().Waits().Count, w.locks.Load(); got != want {
		t.Errorf("the shared mutex has counted %d waits of %d", got, want)
	}
	if live := w.Reader().Threads(); len(live) != 0 {
		t.Errorf("%d threads live on", len(live))
	}
	// When nobody writes, the long history is complete and whole.
	if r.long = 0; r.read(w, true) != nil || !truncate && r.long != w.Setup().HistoryLongSize(FamilyWaits) {
		t.Errorf("history_long has %d rows when nobody writes", r.long)
	}
	t.Logf("%d threads, %d rows current, %d history", w.begun.Load(), r.current, r.history)
}

// A wait that ends after its thread counts for no thread, because another thread may have the
// record by then.
func TestWaitOutlivesItsThread(t *testing.T) {
	w := startTornWorld(0, defaultHistorySize, 1000)
	w.stop()
	late := w.Attach("torn/late")
	wait := late.StartIdle()
	late.Detach()

	next := w.Attach("torn/next")
	defer next.Detach()
	if next != late {
		t.Fatal("the record is not used again")
	}
	running := next.StartIdle()
	wait.End()
	rows := next.CurrentWaits(nil)
	if len(rows) != 1 || rows[0].Ended || rows[0].ThreadID != next.ID() {
		t.Errorf("the wait of the next thread: %+v", rows)
	}
	running.End()
	if rows := next.WaitsHistory(nil); len(rows) != 1 || rows[0].ID != 1 {
		t.Errorf("the history of the next thread: %+v", rows)
	}
	if s := next.classWaits(w.idle); s.Count != 1 {
		t.Errorf("the next thread has counted %d waits", s.Count)
	}
}
