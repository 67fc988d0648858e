package instr

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSnapshot(t *testing.T) {
	r := NewRegistry()
	r.Setup().AddPattern("%", PatternOn)
	r.Setup().SetConsumer(ConsumerEventsWaitsHistogram, true)
	defer r.Attach("test/t").Detach()
	begun := time.Now()
	m := r.NewMutex("test/m")
	for range 3 {
		m.Lock()
		m.Unlock()
	}
	f, err := r.NewFileClass("test/f").Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	s := Current().StartStatement(r.NewStatementClass("test/q"))
	s.End()
	r.NewMemoryClass("test/rows").Alloc(100)
	r.NewMutex("test/idle")
	pool := r.NewConnPool("test/pool", "store")
	defer pool.Open().Close()

	snapshot := r.Reader().Snapshot()
	took := time.Since(begun)
	find := func(name string) InstrumentSnapshot {
		i := slices.IndexFunc(snapshot.Instruments, func(i InstrumentSnapshot) bool { return i.Name == name })
		if i < 0 {
			return InstrumentSnapshot{}
		}
		return snapshot.Instruments[i]
	}
	lock := find("wait/synch/mutex/test/m")
	if e := lock.Events; e.Count != 3 || e.Timed != 3 || e.Sum > took || e.Min > e.Max || 3*e.Max < e.Sum || len(lock.Times) != 1 || lock.Times[0].Count() != 3 {
		t.Errorf("%+v", lock.Events)
	}
	file := find("wait/io/file/test/f")
	if file.IO == nil || file.IO.Write.Count != 1 || file.IO.WriteBytes != 4 || file.IO.Other.Count != 1 || file.Events.Count != 2 || len(file.Times) != 3 {
		t.Errorf("%+v, %d histograms", file.IO, len(file.Times))
	}
	if s := find("statement/test/q"); s.Events.Count != 1 || s.Statements == nil || s.Memory != nil || s.IO != nil {
		t.Errorf("%+v", s)
	}
	if m := find("memory/test/rows"); m.Memory == nil || m.Memory.UsedBytes != 100 || m.Memory.UsedCount != 1 {
		t.Errorf("%+v", m)
	}
	if i := find("wait/synch/mutex/test/idle"); i.Name != "" {
		t.Error("an instrument that has counted nothing is there")
	}
	if snapshot.Threads < 1 || len(snapshot.Connections) != 1 || snapshot.Lost["mutex_instances_lost"] != 0 || len(snapshot.Lost) < 20 {
		t.Errorf("%d threads, %d connections, lost %v", snapshot.Threads, len(snapshot.Connections), snapshot.Lost)
	}
	if !slices.IsSortedFunc(snapshot.Instruments, func(a, b InstrumentSnapshot) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("instruments are not in order")
	}
}

func ExampleReader_Snapshot() {
	r := NewRegistry()
	r.Setup().AddPattern("wait/synch/mutex/cache/%", PatternOn)
	lock := r.NewMutex("cache/lock")
	lock.Lock()
	lock.Unlock()
	for _, i := range r.Reader().Snapshot().Instruments {
		if i.Kind == KindMutex {
			fmt.Println(i.Name, i.Events.Count, i.Events.Timed)
		}
	}
	// Output: wait/synch/mutex/cache/lock 1 1
}
