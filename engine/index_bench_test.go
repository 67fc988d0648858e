package engine

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"pfsd/instr"
)

// crowd gives a registry n threads with a user, a host, a digest and a file each, and n rows in
// setup_actors and setup_objects. It ends with the benchmark.
func crowd(b *testing.B, n int) *instr.Registry {
	r := instr.NewRegistry()
	r.Setup().SetDigestsSize(n + 10)
	files, dir := r.NewFileClass("bench/data"), b.TempDir()
	selects := r.NewStatementClass("sql/select")
	end := make(chan struct{})
	var ended sync.WaitGroup
	b.Cleanup(func() { close(end); ended.Wait() })
	for i := range n { // while there are no accounts that the rows change
		if err := r.Setup().AddActor(instr.SetupActor{Host: "%", User: fmt.Sprint("user", i), Role: "%", Enabled: true, History: true}); err != nil {
			b.Fatal(err)
		}
		if err := r.Setup().AddObject(instr.SetupObject{Type: instr.ObjectTable, Schema: "test", Name: fmt.Sprint("t", i)}); err != nil {
			b.Fatal(err)
		}
	}
	var started sync.WaitGroup
	for i := range n {
		started.Add(1)
		ended.Go(func() {
			t := r.AttachConnection("bench/connection", uint64(1_000_000+i))
			defer t.Detach()
			t.SetAccount(fmt.Sprint("user", i), fmt.Sprint("host", i))
			t.SetConnectAttrs([]instr.ConnectAttr{{Name: "program_name", Value: "bench"}})
			s := t.StartStatement(selects)
			text := fmt.Sprintf("SELECT a%d FROM t", i)
			s.SetText(text)
			s.SetSchema("test")
			s.SetDigest(r.DigestOf(text))
			s.End()
			f, err := files.OpenFile(filepath.Join(dir, fmt.Sprint("file", i)), os.O_CREATE|os.O_RDWR, 0o600)
			if err != nil {
				b.Error(err)
			} else if err := f.Close(); err != nil {
				b.Error(err)
			}
			started.Done()
			<-end
		})
	}
	started.Wait()
	return r
}

// indexLookups are queries for one row by a key, and what they name it by, which the middle row
// of another query has.
var indexLookups = []struct{ name, key, query string }{
	{"threads.THREAD_ID", "SELECT THREAD_ID FROM threads WHERE PROCESSLIST_ID = %[1]d", "SELECT * FROM threads WHERE THREAD_ID = ?"},
	{"threads.PROCESSLIST_ID", "SELECT %[1]d", "SELECT * FROM threads WHERE PROCESSLIST_ID = ?"},
	{"threads.PROCESSLIST_USER", "SELECT PROCESSLIST_USER FROM threads WHERE PROCESSLIST_ID = %[1]d", "SELECT * FROM threads WHERE PROCESSLIST_USER = ?"},
	{"processlist.ID", "SELECT %[1]d", "SELECT * FROM processlist WHERE ID = ?"},
	{"session_connect_attrs.PROCESSLIST_ID", "SELECT %[1]d", "SELECT * FROM session_connect_attrs WHERE PROCESSLIST_ID = ?"},
	{"accounts.USER", "SELECT PROCESSLIST_USER FROM threads WHERE PROCESSLIST_ID = %[1]d", "SELECT * FROM accounts WHERE USER = ?"},
	{"hosts.HOST", "SELECT PROCESSLIST_HOST FROM threads WHERE PROCESSLIST_ID = %[1]d", "SELECT * FROM hosts WHERE HOST = ?"},
	{"events_waits_summary_by_user_by_event_name.USER", "SELECT PROCESSLIST_USER FROM threads WHERE PROCESSLIST_ID = %[1]d", "SELECT * FROM events_waits_summary_by_user_by_event_name WHERE USER = ?"},
	{"events_statements_summary_by_account_by_event_name.USER", "SELECT PROCESSLIST_USER FROM threads WHERE PROCESSLIST_ID = %[1]d", "SELECT * FROM events_statements_summary_by_account_by_event_name WHERE USER = ?"},
	{"events_statements_history.THREAD_ID", "SELECT THREAD_ID FROM threads WHERE PROCESSLIST_ID = %[1]d", "SELECT * FROM events_statements_history WHERE THREAD_ID = ?"},
	{"events_statements_summary_by_digest.DIGEST", "SELECT h.DIGEST FROM events_statements_history h JOIN threads t USING (THREAD_ID) WHERE PROCESSLIST_ID = %[1]d", "SELECT * FROM events_statements_summary_by_digest WHERE SCHEMA_NAME = 'test' AND DIGEST = ?"},
	{"file_instances.FILE_NAME", "SELECT f.FILE_NAME FROM file_instances f WHERE f.FILE_NAME LIKE '%%/file%[2]d'", "SELECT * FROM file_instances WHERE FILE_NAME = ?"},
	{"setup_objects.OBJECT", "SELECT 't%[2]d'", "SELECT * FROM setup_objects WHERE OBJECT_TYPE = 'TABLE' AND OBJECT_SCHEMA = 'test' AND OBJECT_NAME = ?"},
	{"setup_actors.PRIMARY", "SELECT PROCESSLIST_USER FROM threads WHERE PROCESSLIST_ID = %[1]d", "SELECT * FROM setup_actors WHERE HOST = '%' AND USER = ? AND ROLE = '%'"},
}

// BenchmarkIndex measures equality on indexed columns among 100,000 rows, and how many times as
// long it takes as among 100 (x100).
func BenchmarkIndex(b *testing.B) {
	const few, many = 100, 100_000
	times := map[string]time.Duration{}
	for _, n := range []int{few, many} {
		r := serveBench(b, Options{Registry: crowd(b, n)})
		db, err := sql.Open("mysql", "root@tcp("+r+")/performance_schema?interpolateParams=true")
		if err != nil {
			b.Fatal(err)
		}
		db.SetMaxOpenConns(1)
		runtime.GC() // what the crowd has left is not the lookups'
		for _, l := range indexLookups {
			var key string
			if err := db.QueryRow(fmt.Sprintf(l.key+" -- %[2]d", 1_000_000+n/2, n/2)).Scan(&key); err != nil {
				b.Fatalf("%s: %v", l.name, err)
			}
			lookup := func() {
				rows, err := db.Query(l.query, key)
				if err != nil {
					b.Fatal(err)
				}
				found := rows.Next()
				if err := rows.Close(); err != nil || !found {
					b.Fatalf("%s: no row %s: %v", l.name, key, err)
				}
			}
			if n == few {
				times[l.name] = shortest(lookup)
				continue
			}
			b.Run("key="+l.name, func(b *testing.B) {
				for b.Loop() {
					lookup()
				}
				b.ReportMetric(float64(shortest(lookup))/float64(times[l.name]), "x100")
			})
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// shortest is the shortest of the times that f takes.
func shortest(f func()) time.Duration {
	least := time.Duration(1<<63 - 1)
	for range 200 {
		start := time.Now()
		f()
		least = min(least, time.Since(start))
	}
	return least
}
