package engine

import (
	"context"
	"runtime/pprof"
	"testing"
)

// Goroutines that are no threads show what they wait for and from where; who has no privilege PROCESS sees the own ones alone.
func TestGoroutinesTable(t *testing.T) {
	r := serveAll(t, Options{Init: []string{
		"CREATE USER plain", "GRANT SELECT ON performance_schema.* TO plain", "CREATE USER nobody",
		"CREATE USER watcher", "GRANT SELECT ON performance_schema.* TO watcher", "GRANT PROCESS ON *.* TO watcher",
	}})
	leak := make(chan int)
	defer close(leak)
	pprof.Do(context.Background(), pprof.Labels("job", "leaks"), func(context.Context) {
		go func() { <-leak }()
	})
	const leaked = "FROM performance_schema.goroutines WHERE CREATED_BY LIKE 'pfsd/engine.TestGoroutinesTable.%' AND WAIT_REASON = 'chan receive'"
	eventually(t, "the goroutine waits", func() bool { return len(r.query(t, "SELECT 1 "+leaked)) == 1 })
	r.want(t, "SELECT STATE, THREAD_ID, START_FUNCTION, LABELS, WAITING_SINCE "+leaked, `waiting|NULL|pfsd/engine.TestGoroutinesTable.func1.1|{"job":"leaks"}|NULL`)
	r.answers(t, "watcher")([2]string{"SELECT COUNT(*) " + leaked, "1"})
	r.answers(t, "plain")(
		[2]string{"SELECT COUNT(*) " + leaked, "0"},
		[2]string{"SELECT DISTINCT PROCESSLIST_USER FROM performance_schema.goroutines LEFT JOIN performance_schema.threads USING (THREAD_ID)", "plain"},
		[2]string{"SELECT COUNT(*) FROM performance_schema.goroutine_threads", "0"},
	)
	r.answers(t, "nobody")([2]string{"SELECT * FROM performance_schema.goroutines", deniedTable("SELECT", "nobody", "goroutines")})
}
