package instr

import (
	"sync"
	"testing"
)

// BenchmarkMutex measures a Lock and an Unlock under each setting, and sync.Mutex beside them.
func BenchmarkMutex(b *testing.B) {
	b.Run("kind=sync", func(b *testing.B) {
		m := new(sync.Mutex)
		for b.Loop() {
			m.Lock()
			m.Unlock()
		}
	})
	for _, c := range []struct {
		name      string
		value     PatternValue
		consumers []Consumer
	}{
		{"off", PatternOff, nil},
		{"counted", PatternCounted, nil},
		{"untimed", PatternCounted, []Consumer{ConsumerEventsWaitsCurrent}},
		{"timed", PatternOn, []Consumer{ConsumerEventsWaitsCurrent}},
		{"history", PatternOn, []Consumer{ConsumerEventsWaitsCurrent, ConsumerEventsWaitsHistory}},
		{"all", PatternOn, []Consumer{ConsumerEventsWaitsCurrent, ConsumerEventsWaitsHistory, ConsumerEventsWaitsHistoryLong}},
		{"all+histogram", PatternOn, []Consumer{ConsumerEventsWaitsCurrent, ConsumerEventsWaitsHistory, ConsumerEventsWaitsHistoryLong, ConsumerEventsWaitsHistogram}},
		{"all+instance histogram", PatternOn, []Consumer{ConsumerEventsWaitsCurrent, ConsumerEventsWaitsHistory, ConsumerEventsWaitsHistoryLong, ConsumerEventsWaitsHistogram, ConsumerEventsWaitsHistogramByInstance}},
	} {
		b.Run("kind=instr/on="+c.name, func(b *testing.B) {
			r := NewRegistry()
			r.Setup().AddPattern("%", c.value)
			for _, consumer := range c.consumers {
				r.Setup().SetConsumer(consumer, true)
			}
			m := r.NewMutex("test/lock")
			defer r.Attach("test/locker").Detach()
			for b.Loop() {
				m.Lock()
				m.Unlock()
			}
		})
	}
}
