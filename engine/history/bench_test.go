package history

import (
	"fmt"
	"testing"
	"time"

	"pfsd/instr"
	"pfsd/tables"
)

// BenchmarkTake writes a bucket of many digests, some of which have grown, and 1,000 instruments of waits.
func BenchmarkTake(b *testing.B) {
	for _, c := range []struct{ digests, grown int }{{10_000, 100}, {10_000, 10_000}, {100_000, 100}, {100_000, 10_000}} {
		b.Run(fmt.Sprintf("digests=%d/grown=%d", c.digests, c.grown), func(b *testing.B) {
			m := newManyDigests(b, c.digests)
			var mutexes []*instr.Mutex
			for i := range 1000 {
				mutexes = append(mutexes, m.reg.NewMutex(fmt.Sprintf("test/m%d", i)))
			}
			for _, c := range m.reg.Reader().FamilyClasses(instr.FamilyWaits) {
				c.SetEnabled(true)
				c.SetTimed(true)
			}
			run := func(n int) {
				m.runEach(0, n)
				for _, m := range mutexes {
					m.Lock()
					m.Unlock()
				}
			}
			run(c.digests)
			m.pass(10 * time.Second)
			for b.Loop() {
				b.StopTimer()
				run(c.grown)
				b.StartTimer()
				m.pass(10 * time.Second)
			}
		})
	}
}

// BenchmarkRead reads 30 days of hours, of which each has 100 digests.
func BenchmarkRead(b *testing.B) {
	limits := wide
	limits.Bytes = 1 << 30
	w := newWorld(b, b.TempDir(), limits)
	h := tables.HistoryTables()[0]
	for i := range int64(30 * 24) {
		all := make([]*bucket, len(tables.HistoryTables()))
		for table := range all {
			all[table] = &bucket{}
		}
		for d := range 100 {
			sums := make([]uint64, len(h.Sums))
			for j := range sums {
				sums[j] = uint64(i * 1_000_003 * int64(j+d))
			}
			key := appendKey(appendKey(nil, tables.Text("db")), tables.Text(fmt.Sprintf("%064x", d)))
			all[0].rows = append(all[0].rows, row{key: string(key), sums: sums, times: []tables.TimeCount{{Bucket: 20, Count: 5}, {Bucket: 30 + d, Count: 7}, {Bucket: 200, Count: 1}}})
		}
		w.Add(first.Unix()+hour*i, hour, time.Hour, all, func(string) string { return "SELECT 1" })
	}
	key := tables.Key{{Column: "BUCKET_SECONDS", Value: tables.Uint(hour)}}
	cols := []int{1, 7, 8, 9, 10}
	for b.Loop() {
		n := 0
		for c := h.Table().Scan(tables.Of(w.reg), cols, key); c.Advance(); n++ {
			for i := range cols {
				c.Value(i)
			}
		}
		if n != 72_000 {
			b.Fatalf("%d rows", n)
		}
	}
	b.ReportMetric(float64(w.size)/(1<<20), "MiB")
}
