package instr

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// described prints an event of a table.
func (e *WaitEvent) described() string {
	index := "no index"
	if i := e.TableIndex(); i != NoIndex {
		index = "no table"
		if t := e.Table(); t != nil {
			index = t.Indexes()[i]
		}
	}
	return fmt.Sprintf("%s by %s, %d rows, ended %v, in %s %d", e.Op, index, e.Bytes, e.Ended, [...]string{"nothing", "transaction", "statement", "stage", "wait"}[e.NestingType], e.NestingID)
}

func describedWaits(events []WaitEvent) (all []string) {
	for i := range events {
		all = append(all, events[i].described())
	}
	return all
}

// An operation on a table is an event like others, which runs until its end.
func TestTableEvents(t *testing.T) {
	w := newWorker(t)
	table := w.r.NewTable("db", "t", "PRIMARY", "name")
	if w.r.NewTable("db", "t", "PRIMARY", "name") != table || w.r.NewTable("db", "T", "PRIMARY", "name") == table || w.r.NewTemporaryTable("db", "t", "PRIMARY", "name") == table {
		t.Error("a table is known by something else than its type, schema and name")
	}
	h := table.Open(w.Thread)
	defer h.Close()
	s := w.StartStatement(w.sel)
	h.Use()
	lock := h.StartLock(LockReadExternal)
	lock.End(0)
	fetch := h.StartIO(TableFetch, table.Index("name"))
	if got, want := describedWaits(w.CurrentWaits(nil)), []string{"fetch by name, 0 rows, ended false, in statement 1"}; !slices.Equal(got, want) {
		t.Errorf("while it runs: %q, want %q", got, want)
	}
	w.mutex.Lock()
	w.mutex.Unlock()
	fetch.End(7)
	h.StartIO(TableInsert, NoIndex).End(1)
	s.End()
	want := []string{
		"read external by no index, 0 rows, ended true, in statement 1",
		"lock by no index, 0 rows, ended true, in wait 3",
		"fetch by name, 7 rows, ended true, in statement 1",
		"insert by no index, 1 rows, ended true, in statement 1",
	}
	history := w.WaitsHistory(nil)
	if got := describedWaits(history); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	info := table.TableHandles()
	if len(info) != 1 || info[0].Thread != w.ID() || info[0].Event != 1 || info[0].External != LockReadExternal || !info[0].HasExternal || info[0].HasInternal {
		t.Errorf("table_handles: %+v", info)
	}
	for i := range history {
		if e := &history[i]; e.OnTable() != (e.Class.Kind() != KindMutex) || e.OnTable() && (e.Object != info[0].ID || e.Table() != table) {
			t.Errorf("%s was for %v, object %d", e.Op, e.Table(), e.Object)
		}
	}
	if w.r.Reader().Instance(info[0].ID) != nil {
		t.Error("a handle is an instance of some instrument")
	}
	if got := table.IO(1).Fetch; got.Count != 7 || got.Min != got.Max || got.Min != got.Sum/7 {
		t.Errorf("7 rows that were read together: %+v", got)
	}
	if got := w.classWaits(w.r.tableIO).Count; got != 8 {
		t.Errorf("the thread has %d rows, want 8", got)
	}
	h.EndUse()
	if info := table.TableHandles()[0]; info.Thread != 0 || info.Event != 0 || info.HasExternal {
		t.Errorf("at rest: %+v", info)
	}
	table.Drop()
	history = w.WaitsHistory(history[:0])
	if e := &history[2]; e.Table() != nil || !e.OnTable() || e.TableIndex() != 1 {
		t.Error("an event of a table that was dropped has a table")
	}
	if !table.Dropped() || len(w.r.Reader().Tables()) != 2 || w.r.tableIO.Waits().Count != 8 {
		t.Errorf("dropped: %v; %d tables are left; %d rows", table.Dropped(), len(w.r.Reader().Tables()), w.r.tableIO.Waits().Count)
	}
}

// A table or a handle beyond the limits works and counts nothing.
func TestLostTables(t *testing.T) {
	w := newWorker(t)
	w.r.Setup().SetLimit(LimitTableInstances, 0)
	for range 2 {
		lost := w.r.NewTable("db", "t")
		h := lost.Open(w.Thread)
		h.Use()
		h.StartLock(LockWriteNormal).End(0)
		h.StartIO(TableFetch, 0).End(1)
		h.EndUse()
		h.Close()
		lost.Drop()
		if lost != nil || lost.Index("x") != NoIndex || lost.Dropped() || h.Table() != nil {
			t.Fatal("a table that is lost is there")
		}
	}
	wantLost(t, w.r, map[Limit]uint64{LimitTableInstances: 2})
	w.r.Setup().SetLimit(LimitTableInstances, -1)
	w.r.Setup().SetLimit(LimitTableHandles, 1)
	table := w.r.NewTable("db", "t")
	first, second := table.Open(nil), table.Open(nil)
	if first == nil || second != nil {
		t.Errorf("handles %v, %v", first, second)
	}
	first.Close()
	if third := table.Open(w.Thread); third == nil {
		t.Error("no room after Close")
	}
	wantLost(t, w.r, map[Limit]uint64{LimitTableInstances: 2, LimitTableHandles: 1})
	if got := w.r.tableIO.Waits(); got != NoStat {
		t.Errorf("%+v was counted", got)
	}
}

// A change in setup_objects applies at once to everything that begins afterwards.
func TestWatchedTables(t *testing.T) {
	w := newWorker(t)
	table := w.r.NewTable("db", "t")
	h := table.Open(w.Thread)
	insert := func() { h.StartIO(TableInsert, NoIndex).End(1) }
	insert()
	running := h.StartIO(TableInsert, NoIndex)
	if err := w.r.Setup().AddObject(SetupObject{Type: ObjectTable, Schema: "db", Name: "t", Enabled: true}); err != nil {
		t.Fatal(err)
	}
	running.End(1)
	timed := table.IO(NoIndex).Insert
	insert()
	if got := table.IO(NoIndex).Insert; got.Count != 3 || got.Sum != timed.Sum || !table.Watched() {
		t.Errorf("untimed: %+v after %+v", got, timed)
	}
	w.r.Setup().UpdateObject(SetupObject{Type: ObjectTable, Schema: "db", Name: "t"}, func(row *SetupObject) { row.Enabled = false })
	insert()
	if got := table.IO(NoIndex).Insert.Count; got != 3 || table.Watched() {
		t.Errorf("switched off, and %d rows", got)
	}
	w.r.Setup().RemoveObject(ObjectTable, "db", "t")
	insert()
	if got := table.IO(NoIndex).Insert.Count; got != 4 {
		t.Errorf("switched on again, and %d rows", got)
	}
	w.SetInstrumented(false)
	insert()
	w.r.Reader().ClassByName("wait/io/table/sql/handler").SetEnabled(false)
	w.SetInstrumented(true)
	insert()
	if got := table.IO(NoIndex).Insert.Count; got != 4 {
		t.Errorf("the thread, then the instrument is off, and %d rows", got)
	}
}

// A handle whose thread has ended counts for no thread.
func TestHandleOfEndedThread(t *testing.T) {
	w := newWorker(t)
	table := w.r.NewTable("db", "t")
	h := table.Open(w.Thread)
	w.Detach()
	next := w.r.Attach("test/next") // of the same record, most likely
	defer next.Detach()
	h.Use()
	h.StartIO(TableFetch, NoIndex).End(3)
	if n := next.classWaits(w.r.tableIO).Count; n != 0 || len(next.CurrentWaits(nil)) != 0 {
		t.Errorf("%d rows count for the next thread", n)
	}
	if got := table.IO(NoIndex).Fetch.Count; got != 3 {
		t.Errorf("%d rows count for the table, want 3", got)
	}
}

func TestTableAllocations(t *testing.T) {
	w := newWorker(t)
	h := w.r.NewTable("db", "t", "PRIMARY").Open(w.Thread)
	work := func() {
		h.Use()
		h.StartLock(LockReadExternal).End(0)
		h.StartIO(TableFetch, 0).End(5)
		h.StartIO(TableUpdate, 0).End(1)
		h.EndUse()
	}
	work()
	if n := testing.AllocsPerRun(1000, work); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Many threads use and drop tables while others read: threads, instruments, and tables that are
// never dropped lose nothing.
func TestTablesConcurrently(t *testing.T) {
	r := NewRegistry()
	r.Setup().SetConsumer(ConsumerEventsWaitsCurrent, true)
	r.Setup().SetConsumer(ConsumerEventsWaitsHistory, true)
	const users, steps = 4, 3000
	kept := r.NewTable("db", "kept", "PRIMARY", "name")
	var all, readers sync.WaitGroup
	var rows, keptRows, locks, threadRows atomic.Uint64
	var stop atomic.Bool
	for i := range users {
		all.Go(func() {
			th := r.Attach("test/user")
			defer th.Detach()
			random := rand.New(rand.NewPCG(uint64(i), 1))
			mine := kept.Open(th)
			defer mine.Close()
			for range steps {
				h := mine
				other := random.IntN(3) == 0
				if other {
					h = r.NewTable("db", fmt.Sprint("t", random.IntN(2)), []string{"a", "b"}[:random.IntN(3)]...).Open(th)
				}
				h.Use()
				h.StartLock(TableLock(random.IntN(int(TableLockCount)))).End(0)
				locks.Add(1)
				n := random.IntN(4)
				h.StartIO(TableOp(random.IntN(int(tableOpCount))), random.IntN(3)-1).End(n)
				rows.Add(uint64(n))
				if other {
					h.Close()
					if random.IntN(4) == 0 {
						h.Table().Drop()
					}
				} else {
					keptRows.Add(uint64(n))
					h.EndUse()
				}
			}
			threadRows.Add(th.classWaits(r.tableIO).Count)
		})
	}
	for range 2 {
		readers.Go(func() {
			last := uint64(0)
			for !stop.Load() {
				sum := NoTableIO
				for i := NoIndex; i < 2; i++ {
					sum.Add(kept.IO(i))
				}
				if now := sum.All().Count; now < last || now > keptRows.Load()+users*4 {
					t.Errorf("%d rows after %d", now, last)
				} else {
					last = now
				}
				for _, table := range r.Reader().Tables() {
					table.Locks()
					for _, h := range table.TableHandles() {
						if h.Table != table || r.Reader().TableOfHandle(h.ID) != table && !table.Dropped() {
							t.Errorf("handle %d is of another table", h.ID)
						}
					}
				}
				for _, th := range r.Reader().Threads() {
					for _, e := range th.WaitsHistory(nil) {
						if table := e.Table(); table != nil && e.TableIndex() >= 2 {
							t.Errorf("index %d", e.TableIndex())
						}
					}
				}
				runtime.Gosched()
			}
		})
	}
	all.Wait()
	stop.Store(true)
	readers.Wait()
	sum := NoTableIO
	for i := NoIndex; i < 2; i++ {
		sum.Add(kept.IO(i))
	}
	if got := sum.All().Count; got != keptRows.Load() {
		t.Errorf("the table that is kept has %d rows, want %d", got, keptRows.Load())
	}
	if got := r.tableIO.Waits().Count; got != rows.Load() || threadRows.Load() != rows.Load() {
		t.Errorf("the instrument has %d rows, the threads %d, want %d", got, threadRows.Load(), rows.Load())
	}
	if got := r.tableLock.Waits().Count; got != locks.Load() {
		t.Errorf("the instrument has %d locks, want %d", got, locks.Load())
	}
	if n := r.used[LimitTableHandles].Load(); n != 0 {
		t.Errorf("%d handles take places", n)
	}
}

// BenchmarkTable measures a lock and the reading of a row, as a statement that reads one has it.
func BenchmarkTable(b *testing.B) {
	for _, c := range []struct {
		name      string
		value     PatternValue
		consumers []Consumer
	}{
		{"off", PatternOff, nil},
		{"default", PatternOn, nil},
		{"all", PatternOn, []Consumer{ConsumerEventsWaitsCurrent, ConsumerEventsWaitsHistory, ConsumerEventsWaitsHistoryLong}},
	} {
		b.Run("on="+c.name, func(b *testing.B) {
			r := NewRegistry()
			r.Setup().AddPattern("%", c.value)
			for _, consumer := range c.consumers {
				r.Setup().SetConsumer(consumer, true)
			}
			th := r.Attach("test/user")
			defer th.Detach()
			h := r.NewTable("db", "t", "PRIMARY").Open(th)
			for b.Loop() {
				h.Use()
				h.StartLock(LockReadExternal).End(0)
				h.StartIO(TableFetch, 0).End(1)
				h.EndUse()
			}
		})
	}
}
