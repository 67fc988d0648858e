package instr

import (
	"fmt"
	"sync"
	"testing"
)

// BenchmarkActorWaits measures reading the waits of all users when 10,000 threads have
// waited in three classes each, out of 60.
func BenchmarkActorWaits(b *testing.B) {
	const threads, classes, waited = 10_000, 60, 3
	for _, users := range []int{10, threads} {
		b.Run(fmt.Sprintf("users=%d", users), func(b *testing.B) {
			r := NewRegistry()
			var mutexes [classes]*Mutex
			for i := range mutexes {
				mutexes[i] = r.NewMutex(fmt.Sprintf("test/lock%d", i))
			}
			r.Setup().AddPattern("%", PatternOn)
			var ready, done sync.WaitGroup
			end := make(chan struct{})
			for i := range threads {
				ready.Add(1)
				done.Go(func() {
					t := r.AttachConnection("test/client", uint64(i+1))
					defer t.Detach()
					t.SetAccount(fmt.Sprint("user", i%users), "localhost")
					for j := range waited {
						mutexes[(i+j)%classes].LockAs(t)
						mutexes[(i+j)%classes].Unlock()
					}
					ready.Done()
					<-end
				})
			}
			ready.Wait()
			var rows []ActorWaits
			b.ReportAllocs()
			for b.Loop() {
				rows = r.Reader().ActorWaits(LevelUser, ActorFilter{})
			}
			b.StopTimer()
			total := uint64(0)
			for i := range rows {
				for j := range mutexes {
					total += rows[i].Waits(mutexes[j].instance.Load().class).Count
				}
			}
			if total != threads*waited {
				b.Errorf("%d waits, want %d", total, threads*waited)
			}
			close(end)
			done.Wait()
		})
	}
}

// BenchmarkActorWork measures reading the statements of all users when 10,000 threads have run
// three kinds of them each, out of 60.
func BenchmarkActorWork(b *testing.B) {
	const threads, classes, ran = 10_000, 60, 3
	for _, users := range []int{10, threads} {
		b.Run(fmt.Sprintf("users=%d", users), func(b *testing.B) {
			r := NewRegistry()
			for i := range threads {
				t, _ := r.newThread(0, 0)
				t.id = uint64(i + 1)
				t.SetAccount(fmt.Sprint("user", i%users), "localhost")
				for j := range ran {
					t.countWork(WorkStatements, 1+(i+j)%classes, true, 1)
				}
			}
			var rows []Work
			b.ReportAllocs()
			for b.Loop() {
				rows = r.Reader().ActorWork(LevelUser, ActorFilter{}, WorkStatements)
			}
			total := uint64(0)
			for i := range rows {
				for c := range classes {
					total += rows[i].Statement(&Class{id: uint16(c + 1)}).Count
				}
			}
			if total != threads*ran {
				b.Errorf("%d statements, want %d", total, threads*ran)
			}
		})
	}
}

// BenchmarkWorkStats measures counting a statement of one of some classes.
func BenchmarkWorkStats(b *testing.B) {
	for _, classes := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("classes=%d", classes), func(b *testing.B) {
			var w workStats
			s := StatementStat{WorkStat: WorkStat{1, 1, 1, 1, 0}}
			for i := 0; b.Loop(); i++ {
				w.addStatement(uint16(i%classes), &s)
			}
		})
	}
}

// BenchmarkThread measures the start and the end of a thread whose record is there already.
func BenchmarkThread(b *testing.B) {
	for _, c := range []struct {
		name   string
		waits  int
		logsIn bool
	}{{"idle", 0, false}, {"login", 0, true}, {"waits", 3, false}, {"login+waits", 3, true}} {
		b.Run("life="+c.name, func(b *testing.B) {
			r := NewRegistry()
			m := r.NewMutex("test/lock")
			r.Setup().AddPattern("%", PatternOn)
			class := r.NewThreadClass("test/x")
			b.ReportAllocs()
			for b.Loop() {
				t := r.attach(class, 0, 0)
				if c.logsIn {
					t.SetAccount("user", "localhost")
				}
				for range c.waits {
					m.LockAs(t)
					m.Unlock()
				}
				t.Detach()
			}
		})
	}
}
