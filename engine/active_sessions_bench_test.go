package engine

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"testing"
	"time"

	"pfsd/instr"
	"pfsd/tables"
	"pfsd/tables/activesessions"
)

// BenchmarkGroupedSamples measures reading an hour of samples of 200 active threads over a TCP connection: most of them from
// files, as the server keeps them.
func BenchmarkGroupedSamples(b *testing.B) {
	r := instr.NewRegistry()
	r.Setup().SetGoroutineThreads(0)
	addr := serveBench(b, Options{Registry: r, ProcessorShare: -1, MaxRunningStatements: -1})
	const threads, digests = 200, 50
	class := r.NewStatementClass("sql/select")
	stop := make(chan struct{})
	var ready, done sync.WaitGroup
	ready.Add(threads)
	for i := range threads {
		done.Go(func() {
			defer r.Attach("bench/client").Detach()
			s := instr.Current().StartStatement(class)
			text := fmt.Sprintf("SELECT c%d FROM sbtest1 WHERE id = 501", i%digests)
			s.Identify(class, "shop", text, r.DigestOf(text))
			ready.Done()
			<-stop
			s.End()
		})
	}
	ready.Wait()
	defer done.Wait()
	defer close(stop)

	sampler := activesessions.New(tables.Of(r)) // in place of the server's
	defer sampler.Close()
	files, _ := activesessions.OpenFiles(r.NewFileClass("bench/samples"), b.TempDir(), 1<<30, func(err error) { b.Error(err) })
	defer files.Close()
	sampler.KeepIn(files, 0)
	first := time.Now().Add(-time.Hour)
	for i := range 3600 {
		sampler.Sample(first.Add(time.Duration(i)*time.Second), time.Second)
	}
	db, err := sql.Open("mysql", "root@tcp("+addr+")/performance_schema")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, q := range []struct{ name, text string }{
		{"class_and_digest", "SELECT WAIT_CLASS, DIGEST, COUNT(*), SUM(WEIGHT) FROM active_session_history GROUP BY WAIT_CLASS, DIGEST"},
		{"ordered", "SELECT WAIT_CLASS, DIGEST, SUM(WEIGHT) AS seconds FROM active_session_history WHERE SAMPLE_TIME >= NOW() - INTERVAL 2 HOUR GROUP BY WAIT_CLASS, DIGEST ORDER BY seconds DESC LIMIT 10"},
		{"sys_active_sessions", "SELECT * FROM sys.active_sessions"},
		{"sys_top_waits", "SELECT * FROM sys.x$top_waits"},
		{"sys_top_statements", "SELECT * FROM sys.x$top_statements"},
		{"sys_report", "CALL sys.report(NOW() - INTERVAL 2 HOUR, NOW())"},
		{"sys_compare", "CALL sys.compare(NOW() - INTERVAL 61 MINUTE, NOW() - INTERVAL 30 MINUTE, NOW() - INTERVAL 30 MINUTE, NOW())"},
		{"sys_blockers", "SELECT * FROM sys.x$blockers"},
	} {
		b.Run("read="+q.name, func(b *testing.B) {
			for b.Loop() {
				rows, err := db.QueryContext(context.Background(), q.text)
				if err != nil {
					b.Fatal(err)
				}
				n := 0
				for more := true; more; more = rows.NextResultSet() {
					for rows.Next() {
						n++
					}
				}
				if err := rows.Close(); err != nil || n == 0 && q.name != "sys_blockers" {
					b.Fatal(n, err)
				}
			}
		})
	}
}
