package instr

import (
	"math"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"pfsd/timers"
)

func timesOf(c *Class, operation string, instance uint64) Times {
	for _, t := range c.registry.Reader().Times(c) {
		if t.Operation == operation && t.Instance == instance {
			return t
		}
	}
	return Times{}
}

// All families have histograms, each by its own consumer.
func TestTimesOfFamilies(t *testing.T) {
	r := NewRegistry()
	r.Setup().AddPattern("%", PatternOn)
	m, stage, statement := r.NewMutex("test/m"), r.NewStageClass("test/s", false), r.NewStatementClass("test/q")
	classes := []*Class{FamilyWaits: m.ensureInstance().class, FamilyStages: stage.Class(), FamilyStatements: statement.Class(), FamilyTransactions: r.transaction}
	th := r.Attach("test/t")
	defer th.Detach()
	work := func() {
		m.Lock()
		m.Unlock()
		th.StartTransaction(TransactionOptions{})
		s := th.StartStatement(statement)
		th.StartStage(stage)
		th.EndStage()
		s.End()
		th.EndTransaction(true)
	}
	want := make([]uint64, len(classes))
	for family := range Family(len(classes)) {
		work() // only the families before have histograms
		for f := range family {
			want[f]++
		}
		r.Setup().SetConsumer(families[family].histogram, true)
		work()
		for f := range family + 1 {
			want[f]++
		}
		for f, c := range classes {
			if got := timesOf(c, "", 0); got.Count() != want[f] {
				t.Errorf("%s: %d events, want %d", c.Name(), got.Count(), want[f])
			}
		}
	}
	slow := th.StartStatement(statement)
	begun := time.Now()
	for time.Since(begun) < 5*time.Millisecond {
	}
	slow.End()
	longest := timesOf(statement.Class(), "", 0)
	if got := longest.MaxPicoseconds(); got < 4e9 || got > 1e13 {
		t.Errorf("the longest statement took %d ps", got)
	}
	statement.Class().ResetHistogram()
	if got := r.Reader().Times(statement.Class()); len(got) != 0 {
		t.Errorf("after a reset %d histograms", len(got))
	}
}

// Files have histograms by operation, and each file has its own, while that is on.
func TestTimesOfFiles(t *testing.T) {
	r := NewRegistry()
	r.Setup().AddPattern("%", PatternOn)
	for _, c := range []Consumer{ConsumerEventsWaitsHistogram, ConsumerEventsWaitsHistogramByInstance} {
		r.Setup().SetConsumer(c, true)
	}
	defer r.Attach("test/t").Detach()
	class := r.NewFileClass("test/f")
	f, err := class.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := class.Class()
	write := func() {
		if _, err := f.WriteString("text"); err != nil {
			t.Fatal(err)
		}
	}
	write()
	id := c.Instances()[0].ID()
	if n := timesOf(c, "", id); n.Count() != 0 {
		t.Error("the file has a histogram though events_waits_current is off")
	}
	r.Setup().SetConsumer(ConsumerEventsWaitsCurrent, true)
	for range 3 {
		write()
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		operation string
		id, count uint64
	}{{"", 0, 6}, {"READ", 0, 0}, {"WRITE", 0, 4}, {"MISC", 0, 2}, {"", id, 4}, {"WRITE", id, 3}, {"MISC", id, 1}} {
		if got := timesOf(c, want.operation, want.id); got.Count() != want.count {
			t.Errorf("%q of %d: %d operations, want %d", want.operation, want.id, got.Count(), want.count)
		}
	}
	c.ResetHistogram()
	if n := r.instanceTimes.Load(); n != 0 {
		t.Errorf("after a reset %d histograms of objects", n)
	}
}

// Objects of each kind that has any have their own histograms.
func TestTimesOfObjects(t *testing.T) {
	r := NewRegistry()
	r.Setup().AddPattern("%", PatternOn)
	for _, c := range []Consumer{ConsumerEventsWaitsCurrent, ConsumerEventsWaitsHistogram, ConsumerEventsWaitsHistogramByInstance} {
		r.Setup().SetConsumer(c, true)
	}
	defer r.Attach("test/t").Detach()
	m, rw, c := r.NewMutex("test/m"), r.NewRWMutex("test/rw"), NewChanIn[int](r, "test/c", 1)
	l := r.NewMutex("test/l")
	cond, sem, wg := r.NewCond("test/cond", l), r.NewSemaphore("test/s", 1), r.NewWaitGroup("test/wg")
	m.Lock()
	m.Unlock()
	rw.RLock()
	rw.RUnlock()
	c.Send(1)
	l.Lock()
	cond.WaitTimeout(time.Microsecond)
	l.Unlock()
	sem.TryAcquire(1)
	wg.Wait()
	seen := map[Kind]bool{}
	for _, class := range r.Reader().Classes() {
		for _, o := range class.Instances() {
			seen[class.kind] = true
			if n := timesOf(class, "", o.ID()); n.Count() != o.Waits().Count || n.Count() == 0 {
				t.Errorf("%s: a histogram of %d waits, and the object has %d", class.Name(), n.Count(), o.Waits().Count)
			}
		}
	}
	for kind := range kindCount {
		if kinds[kind].objects && !seen[kind] && kind != KindFile && kind != KindSocket {
			t.Errorf("no object of %s", kinds[kind].prefix)
		}
	}
	runtime.KeepAlive([]any{m, rw, c, l, cond, sem, wg})
}

// Histograms of objects that do not exist any more go when they are read, and there is a limit.
func TestTimesOfManyObjects(t *testing.T) {
	r := NewRegistry()
	c := &Class{registry: r, kind: KindMutex}
	for i := range uint64(maxInstanceTimes + 3) {
		c.recordInstance(&event{eventObject: 64 * (i + 1)}, 1)
	}
	if n, lost := r.instanceTimes.Load(), r.Reader().InstanceTimesLost(); n != maxInstanceTimes || lost != 3 {
		t.Errorf("%d histograms, %d lost", n, lost)
	}
	if all := r.Reader().Times(c); len(all) != 0 || r.instanceTimes.Load() != 0 {
		t.Errorf("%d histograms of objects that are no more; %d are left", len(all), r.instanceTimes.Load())
	}
}

func TestQuantiles(t *testing.T) {
	var a, b histogram
	for d := range uint64(1000) {
		a.record(1000 * (d + 1))
		b.record(2_000_000)
	}
	var x, y Times
	a.addTo(&x)
	b.addTo(&y)
	ps := func(cycles float64) float64 { return float64(timers.Cycle.PicosecondsSaturated(uint64(cycles))) }
	for thousandths, cycles := range map[uint64]float64{500: 500_000, 950: 950_000, 990: 990_000, 999: 999_000, 1000: 1e6} {
		if got := float64(x.Quantile(thousandths)); got < ps(cycles) || got > ps(cycles)*1.126 || got > ps(1e6) {
			t.Errorf("quantile %d is %.0f, want from %.0f", thousandths, got, ps(cycles))
		}
	}
	before := x
	x.Add(&y)
	if x.Count() != 2000 || x.Max != 2_000_000 || float64(x.Quantile(990)) != ps(2e6) {
		t.Errorf("together %d, longest %d", x.Count(), x.Max)
	}
	x.Sub(&y)
	if x.Buckets != before.Buckets || x.Max >= 2_000_000 || x.Max < 1_000_000 {
		t.Errorf("without b: longest %d", x.Max)
	}
	if x.Sub(&y); x.Buckets != before.Buckets {
		t.Error("what has been emptied is subtracted")
	}
	if x.Sub(&before); x.Max != 0 || x.Quantile(500) != 0 {
		t.Errorf("nothing has a longest time of %d", x.Max)
	}
	if got := picosecondsToCycles(math.MaxUint64); got < picosecondsToCycles(1e15) {
		t.Errorf("213 days are %d cycles", got)
	}
}
