package history

import (
	"fmt"
	"testing"
	"time"

	"pfsd/instr"
	"pfsd/tables"
)

// BenchmarkTake writes a bucket of 10,000 digests, all of which have grown, and 1,000 instruments of waits.
func BenchmarkTake(b *testing.B) {
	for _, grown := range []int{100, 10_000} {
		b.Run(fmt.Sprintf("grown=%d", grown), func(b *testing.B) {
			w := newWorld(b, b.TempDir(), wide)
			w.reg.Setup().SetDigestsSize(20_000)
			texts := make([]string, 10_000)
			class := w.reg.NewStatementClass("sql/select")
			for i := range texts {
				texts[i] = fmt.Sprintf("SELECT a%d FROM t", i)
			}
			var mutexes []*instr.Mutex
			for i := range 1000 {
				mutexes = append(mutexes, w.reg.NewMutex(fmt.Sprintf("test/m%d", i)))
			}
			for _, c := range w.reg.Reader().FamilyClasses(instr.FamilyWaits) {
				c.SetEnabled(true)
				c.SetTimed(true)
			}
			run := func(n int) {
				for _, text := range texts[:n] {
					s := w.th.StartStatement(class)
					s.SetText(text)
					s.SetDigest(w.reg.DigestOf(text))
					s.End()
				}
				for _, m := range mutexes {
					m.Lock()
					m.Unlock()
				}
			}
			run(len(texts))
			w.pass(10 * time.Second)
			for b.Loop() {
				b.StopTimer()
				run(grown)
				b.StartTimer()
				w.pass(10 * time.Second)
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
