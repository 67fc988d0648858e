package engine

import (
	"fmt"
	"strconv"
	"sync"
	"testing"

	"pfsd/engine/bench/readings"
	"pfsd/engine/wire"
	"pfsd/instr"
)

// BenchmarkReading measures what monitoring asks, and the least that can be asked, over a connection of a client that
// allocates nothing: the events of eight threads fill the long history of waits.
func BenchmarkReading(b *testing.B) {
	r := instr.NewRegistry()
	r.Setup().AddPattern("wait/%", instr.PatternOn)
	for _, c := range []instr.Consumer{instr.ConsumerEventsWaitsCurrent, instr.ConsumerEventsWaitsHistory, instr.ConsumerEventsWaitsHistoryLong} {
		r.Setup().SetConsumer(c, true)
	}
	addr := serveBench(b, Options{Registry: r})
	c := &benchClient{rawClient: dialRaw(b, addr, helloOf(rawCapabilities, utf8mb4, "\x00", nil))}
	c.ask(commandOf(wire.ComQuery, []byte("USE performance_schema")...))
	for range 8 {
		others := &benchClient{rawClient: dialRaw(b, addr, helloOf(rawCapabilities, utf8mb4, "\x00", nil))}
		others.ask(commandOf(wire.ComQuery, []byte("SELECT 1")...))
	}

	const threads, classes = 8, 10
	stop := make(chan struct{})
	var ready, done sync.WaitGroup
	ready.Add(threads)
	var thread uint64
	for t := range threads {
		done.Go(func() {
			th := r.Attach("bench/worker")
			defer th.Detach()
			if t == 0 {
				thread = th.ID()
			}
			for i := range r.Setup().HistoryLongSize(instr.FamilyWaits) / threads {
				m := r.NewMutex(fmt.Sprintf("bench/lock%d", (t+i)%classes))
				m.Lock()
				m.Unlock()
			}
			ready.Done()
			<-stop
		})
	}
	ready.Wait()
	defer done.Wait()
	defer close(stop)
	r.Setup().SetConsumer(instr.ConsumerEventsWaitsHistoryLong, false)

	for _, q := range readings.All(strconv.FormatUint(thread, 10), "wait/synch/mutex/bench/lock3") {
		command := commandOf(wire.ComQuery, []byte(q.Text)...)
		b.Run("statement="+q.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.ask(command)
			}
		})
	}
}
