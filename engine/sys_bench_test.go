package engine

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pfsd/engine/sys"
	"pfsd/instr"
)

// BenchmarkSys measures each view of sys with 100 connections, 1,000 digests, 1,000 files and the
// 10,000 rows of each history_long: the whole way to a client of one connection (ns/op), the
// server's part of it (server-ms), which for the four views that tools ask for most is to be below 50,
// and how long of that it has used a processor (server-cpu-ms).
func BenchmarkSys(b *testing.B) {
	r := instr.NewRegistry()
	dir := b.TempDir()
	addr := serveBench(b, Options{Registry: r, DataDir: dir, Instruments: []string{"%=ON"}})
	crowded(b, r, addr, dir, 100, 1000, 1000)
	db := openBench(b, addr)
	for _, v := range sys.Views {
		b.Run("view="+v.Name, func(b *testing.B) {
			query := "SELECT * FROM sys.`" + v.Name + "`"
			for b.Loop() {
				benchRead(b, db, query)
			}
			var avg, cpu float64
			if err := db.QueryRow("SELECT AVG_TIMER_WAIT / 1e9, SUM_CPU_TIME / COUNT_STAR / 1e9 FROM events_statements_summary_by_digest WHERE DIGEST = STATEMENT_DIGEST(?)", query).Scan(&avg, &cpu); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(avg, "server-ms")
			b.ReportMetric(cpu, "server-cpu-ms")
		})
	}
}

// openBench is one connection to a server.
func openBench(b testing.TB, addr string) *sql.DB {
	db, err := sql.Open("mysql", "root@tcp("+addr+")/performance_schema?interpolateParams=true")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	return db
}

// crowded gives a server connections that stay, digests, files and full histories.
func crowded(b testing.TB, r *instr.Registry, addr, dir string, connections, digests, files int) {
	everything := openBench(b, addr)
	if _, err := everything.Exec("UPDATE setup_consumers SET ENABLED = 'YES'"); err != nil {
		b.Fatal(err)
	}
	class := r.NewFileClass("bench/file")
	for i := range files {
		f, err := class.Create(filepath.Join(dir, fmt.Sprintf("file%04d", i)))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := f.WriteString("something"); err != nil {
			b.Fatal(err)
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
	pool, err := sql.Open("mysql", "root@tcp("+addr+")/performance_schema")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = pool.Close() })
	var conns []*sql.Conn
	for range connections {
		c, err := pool.Conn(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = c.Close() })
		conns = append(conns, c)
	}
	rows := r.Setup().HistoryLongSize(instr.FamilyWaits)
	var work sync.WaitGroup
	for n, c := range conns {
		work.Go(func() {
			for i := 0; i < rows/connections; i++ {
				d := (n*rows/connections + i) % digests
				for _, q := range []string{"BEGIN", fmt.Sprintf("SELECT THREAD_ID AS c%d FROM threads WHERE THREAD_ID = 1 ORDER BY NAME", d), "COMMIT"} {
					if _, err := c.ExecContext(context.Background(), q); err != nil {
						b.Error(err)
						return
					}
				}
			}
		})
	}
	work.Wait()
	for _, kind := range []string{"waits", "stages", "statements", "transactions"} {
		var n int
		if err := everything.QueryRow("SELECT COUNT(*) FROM events_" + kind + "_history_long").Scan(&n); err != nil || n < rows {
			b.Fatalf("%d rows in the history of %s, %v", n, strings.TrimSuffix(kind, "s"), err)
		}
	}
}
