package engine

import (
	"fmt"
	"sync"
	"testing"

	"pfsd/instr"
)

// BenchmarkReading measures what monitoring asks, and the least that can be asked, over a connection of a client that
// allocates nothing: the events of eight threads fill the long history of waits.
func BenchmarkReading(b *testing.B) {
	r := instr.NewRegistry()
	r.AddPattern("wait/%", instr.PatternOn)
	for _, c := range []instr.Consumer{instr.ConsumerEventsWaitsCurrent, instr.ConsumerEventsWaitsHistory, instr.ConsumerEventsWaitsHistoryLong} {
		r.SetConsumer(c, true)
	}
	addr := serveBench(b, Options{Registry: r})
	c := &benchClient{rawClient: dialRaw(b, addr, helloOf(rawCapabilities, utf8mb4, "\x00", nil))}
	c.ask(commandOf(comQuery, []byte("USE performance_schema")...))
	for range 8 {
		others := &benchClient{rawClient: dialRaw(b, addr, helloOf(rawCapabilities, utf8mb4, "\x00", nil))}
		others.ask(commandOf(comQuery, []byte("SELECT 1")...))
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
			for i := range r.HistoryLongSize() / threads {
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
	r.SetConsumer(instr.ConsumerEventsWaitsHistoryLong, false)

	const from = " FROM events_waits_history_long"
	for _, q := range []struct{ name, text string }{
		{"select_1", "SELECT 1"},
		{"history_long", "SELECT *" + from},
		{"history_long_count", "SELECT COUNT(*)" + from},
		{"history_long_by_thread", fmt.Sprintf("SELECT *%s WHERE THREAD_ID = %d", from, thread)},
		{"history_long_by_event", "SELECT *" + from + " WHERE EVENT_NAME = 'wait/synch/mutex/bench/lock3'"},
		{"history_long_top", "SELECT *" + from + " ORDER BY TIMER_WAIT DESC LIMIT 10"},
		{"history_long_grouped", "SELECT EVENT_NAME, COUNT(*), SUM(TIMER_WAIT)" + from + " GROUP BY EVENT_NAME"},
		{"threads", "SELECT * FROM threads"},
		{"current_waits_and_threads", "SELECT t.NAME, w.EVENT_NAME, w.TIMER_WAIT FROM events_waits_current w JOIN threads t USING (THREAD_ID)"},
		{"statements_history", "SELECT * FROM events_statements_history"},
		{"digests_top", "SELECT * FROM events_statements_summary_by_digest ORDER BY SUM_TIMER_WAIT DESC LIMIT 10"},
		{"waits_summary", "SELECT * FROM events_waits_summary_global_by_event_name WHERE COUNT_STAR > 0"},
		{"waits_summary_top", "SELECT EVENT_NAME, COUNT_STAR, SUM_TIMER_WAIT FROM events_waits_summary_global_by_event_name ORDER BY SUM_TIMER_WAIT DESC LIMIT 10"},
		{"file_summary", "SELECT * FROM file_summary_by_event_name"},
		{"setup_instruments", "SELECT * FROM setup_instruments"},
		{"global_status", "SHOW GLOBAL STATUS"},
		{"global_variables", "SHOW GLOBAL VARIABLES"},
		{"processlist", "SHOW PROCESSLIST"},
		{"sys_statement_analysis", "SELECT * FROM sys.statement_analysis"},
		{"sys_session", "SELECT * FROM sys.session"},
	} {
		command := commandOf(comQuery, []byte(q.text)...)
		b.Run("statement="+q.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.ask(command)
			}
		})
	}
}
