package instr

import (
	"os"
	"path/filepath"
	"testing"
)

// benchSettings are the settings that operations are measured under.
var benchSettings = []struct {
	name      string
	value     PatternValue
	consumers []Consumer
}{
	{"on=off", PatternOff, nil},
	{"on=timed", PatternOn, []Consumer{ConsumerEventsWaitsCurrent}},
	{"on=all", PatternOn, []Consumer{ConsumerEventsWaitsCurrent, ConsumerEventsWaitsHistory, ConsumerEventsWaitsHistoryLong}},
}

// BenchmarkReadAt measures a pread of 4 KiB that are in the page cache, os.File's beside it.
func BenchmarkReadAt(b *testing.B) {
	path := filepath.Join(b.TempDir(), "data")
	if err := os.WriteFile(path, make([]byte, 4096), 0o600); err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, 4096)
	b.Run("kind=os", func(b *testing.B) {
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		b.ReportAllocs()
		for b.Loop() {
			if _, err := f.ReadAt(buf, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, s := range benchSettings {
		b.Run("kind=instr/"+s.name, func(b *testing.B) {
			r := NewRegistry()
			r.Setup().AddPattern("%", s.value)
			for _, c := range s.consumers {
				r.Setup().SetConsumer(c, true)
			}
			f, err := r.NewFileClass("test/data").Open(path)
			if err != nil {
				b.Fatal(err)
			}
			defer f.Close()
			defer r.Attach("test/reader").Detach()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.ReadAt(buf, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkWaitsHistoryLong measures reading a full history of 10,000 events.
func BenchmarkWaitsHistoryLong(b *testing.B) {
	r := NewRegistry()
	s := benchSettings[len(benchSettings)-1]
	r.Setup().AddPattern("%", s.value)
	for _, c := range s.consumers {
		r.Setup().SetConsumer(c, true)
	}
	defer r.Attach("test/thread").Detach()
	m := r.NewMutex("test/lock")
	for range defaultHistoryLongSize {
		m.Lock()
		m.Unlock()
	}
	b.ReportAllocs()
	var buf [64]WaitEvent
	for b.Loop() {
		rows := 0
		for c, n := r.Reader().WaitsHistoryLong(), 1; n > 0; rows += n {
			n = c.Next(buf[:])
		}
		if rows != defaultHistoryLongSize {
			b.Fatalf("%d rows", rows)
		}
	}
	b.ReportMetric(defaultHistoryLongSize, "rows/op")
}
