package engine

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"testing"

	"pfsd/instr"
)

// BenchmarkReadHistoryLong measures reading events_waits_history_long, of 10,000 rows, over
// a TCP connection to the server.
func BenchmarkReadHistoryLong(b *testing.B) {
	r := instr.NewRegistry()
	r.Setup().AddPattern("%", instr.PatternOff)
	r.Setup().AddPattern("wait/synch/mutex/bench/%", instr.PatternOn)
	for _, c := range []instr.Consumer{instr.ConsumerEventsWaitsCurrent, instr.ConsumerEventsWaitsHistory, instr.ConsumerEventsWaitsHistoryLong} {
		r.Setup().SetConsumer(c, true)
	}
	addr := serveBench(b, Options{Registry: r})

	const threads, classes = 8, 10
	rows := r.Setup().HistoryLongSize(instr.FamilyWaits)
	stop := make(chan struct{})
	var locked, done sync.WaitGroup
	locked.Add(threads)
	for t := range threads {
		done.Go(func() {
			defer r.Attach("bench/worker").Detach()
			for i := range rows / threads {
				m := r.NewMutex(fmt.Sprintf("bench/lock%d", (t+i)%classes))
				m.Lock()
				m.Unlock()
			}
			locked.Done()
			<-stop
		})
	}
	locked.Wait()
	defer done.Wait()
	defer close(stop)

	db, err := sql.Open("mysql", "root@tcp("+addr+")/performance_schema")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var thread uint64
	if err := db.QueryRow("SELECT MAX(THREAD_ID) FROM events_waits_history_long").Scan(&thread); err != nil {
		b.Fatal(err)
	}
	for _, q := range []struct {
		name, text string
		rows       int
	}{
		{"all", "SELECT * FROM events_waits_history_long", rows},
		{"count", "SELECT COUNT(*) FROM events_waits_history_long", 1},
		{"thread", fmt.Sprintf("SELECT * FROM events_waits_history_long WHERE THREAD_ID = %d", thread), rows / threads},
		{"event", "SELECT * FROM events_waits_history_long WHERE EVENT_NAME = 'wait/synch/mutex/bench/lock3'", rows / classes},
	} {
		b.Run("query="+q.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if n := benchRead(b, db, q.text); n != q.rows {
					b.Fatalf("%d rows, want %d", n, q.rows)
				}
			}
		})
	}
}

// serveBench starts a server that ends with the benchmark, and returns its address.
func serveBench(b *testing.B, o Options) string {
	o.Addr, o.LogError, o.InitializeInsecure = "127.0.0.1:0", b.TempDir()+"/error.log", true
	s, err := New(o)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := s.Serve(ctx); err != nil {
			b.Error(err)
		}
	})
	b.Cleanup(func() { cancel(); serving.Wait() })
	return s.Addr().String()
}

// benchRead returns how many rows a query has, having read them all.
func benchRead(b *testing.B, db *sql.DB, text string) (n int) {
	rows, err := db.Query(text)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		b.Fatal(err)
	}
	cells, dest := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
	for i := range cells {
		dest[i] = &cells[i]
	}
	for ; rows.Next(); n++ {
		if err := rows.Scan(dest...); err != nil {
			b.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		b.Fatal(err)
	}
	return n
}

// BenchmarkMetadata measures what is asked about the tables of performance_schema, over a TCP
// connection to the server.
func BenchmarkMetadata(b *testing.B) {
	s, err := New(Options{Addr: "127.0.0.1:0", Registry: instr.NewRegistry(), LogError: b.TempDir() + "/error.log", ProcessorShare: -1, MaxRunningStatements: -1, InitializeInsecure: true})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := s.Serve(ctx); err != nil {
			b.Error(err)
		}
	})
	defer serving.Wait()
	defer cancel()
	db, err := sql.Open("mysql", "root@tcp("+s.Addr().String()+")/performance_schema")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, q := range []struct{ name, text string }{
		{"columns", "SELECT * FROM information_schema.columns WHERE TABLE_SCHEMA = 'performance_schema'"},
		{"columns-of-table", "SELECT * FROM information_schema.columns WHERE TABLE_SCHEMA = 'performance_schema' AND TABLE_NAME = 'threads'"},
		{"columns-like", "SELECT * FROM information_schema.columns WHERE TABLE_SCHEMA LIKE 'performance_schema'"},
		{"statistics", "SELECT * FROM information_schema.statistics WHERE TABLE_SCHEMA = 'performance_schema'"},
		{"tables", "SELECT * FROM information_schema.tables WHERE TABLE_SCHEMA = 'performance_schema'"},
		{"show-tables", "SHOW TABLES"},
		{"describe", "DESCRIBE threads"},
		{"show-create-table", "SHOW CREATE TABLE threads"},
		{"show-table-status", "SHOW TABLE STATUS"},
	} {
		b.Run("query="+q.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if n := benchRead(b, db, q.text); n == 0 {
					b.Fatal("no rows")
				}
			}
		})
	}
}
