package engine

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pfsd/engine/sys"
	"pfsd/instr"
	"pfsd/tables"
)

// TestSysViewsAgreeWithTheirTwins makes something happen that every view has to tell of, and looks at
// each view of sys that has a twin: the same rows in the same order, with numbers put into words.
func TestSysViewsAgreeWithTheirTwins(t *testing.T) {
	oneAtATime(t)
	w := newSysWorld(t)
	for _, v := range sys.Views {
		twin := sys.ViewNamed("x$" + v.Name)
		if twin == nil || v.Name == "memory_global_total" || sysElsewhere[v.Name] {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			var differ string
			defer func() {
				if t.Failed() {
					t.Log(differ)
				}
			}()
			eventually(t, "twins that agree", func() bool {
				differ = w.compare(t, v, *twin)
				return differ == ""
			})
		})
	}
	t.Run("memory_global_total", func(t *testing.T) {
		eventually(t, "twins that agree", func() bool {
			words, number := w.rows(t, "SELECT * FROM sys.memory_global_total"), w.rows(t, "SELECT * FROM sys.x$memory_global_total")
			return len(words) == 1 && *words[0][0] == *w.inWords(t, "bytes", number[0][0])
		})
	})
}

// sysElsewhere are views without rows in this test: TestSysTableLockWaits has some of one, TestChainOfLocks and TestDeadlocksAreShown of
// two, TestActiveSessionHistory of three, TestSlowRequests and TestWhatWaits of one, and those of InnoDB's pages and locks never have any. Of held_locks each of the twins shows the locks of its own statement.
var sysElsewhere = map[string]bool{
	"schema_table_lock_waits": true, "innodb_buffer_stats_by_schema": true, "innodb_buffer_stats_by_table": true, "innodb_lock_waits": true,
	"lock_waits": true, "deadlocks": true, "held_locks": true, "blockers": true, "top_statements": true, "top_waits": true, "slow_requests": true, "what_waits": true,
}

// sysOrder are the columns that a view's rows are ordered by, the first ones first, in its x$ twin. The
// rows of those with a name in front stand together by it.
var sysOrder = map[string]string{
	"host_summary": "statement_latency", "user_summary": "statement_latency",
	"host_summary_by_file_io": "io_latency", "user_summary_by_file_io": "io_latency",
	"host_summary_by_file_io_type": "host total_latency", "user_summary_by_file_io_type": "user latency",
	"host_summary_by_stages": "host total_latency", "user_summary_by_stages": "user total_latency",
	"host_summary_by_statement_latency": "total_latency", "user_summary_by_statement_latency": "total_latency",
	"host_summary_by_statement_type": "host total_latency", "user_summary_by_statement_type": "user total_latency",
	"io_by_thread_by_latency":    "total_latency",
	"io_global_by_file_by_bytes": "total", "io_global_by_file_by_latency": "total_latency",
	"io_global_by_wait_by_bytes": "total_requested", "io_global_by_wait_by_latency": "total_latency",
	"memory_by_host_by_current_bytes": "current_allocated", "memory_by_user_by_current_bytes": "current_allocated",
	"memory_by_thread_by_current_bytes": "current_allocated", "memory_global_by_current_bytes": "current_alloc",
	"processlist": "time", "session": "time",
	"schema_table_statistics": "total_latency", "schema_tables_with_full_table_scans": "rows_full_scanned",
	"statement_analysis":                          "total_latency",
	"statements_with_errors_or_warnings":          "errors warnings",
	"statements_with_full_table_scans":            "no_index_used_pct total_latency",
	"statements_with_runtimes_in_95th_percentile": "avg_latency",
	"statements_with_sorting":                     "total_latency",
	"statements_with_temp_tables":                 "disk_tmp_tables memory_tmp_tables",
	"wait_classes_global_by_avg_latency":          "avg_latency", "wait_classes_global_by_latency": "total_latency",
	"waits_by_host_by_latency": "host total_latency", "waits_by_user_by_latency": "user total_latency",
	"waits_global_by_latency": "total_latency",
}

func TestSysViewsAreOrdered(t *testing.T) {
	w := newSysWorld(t)
	for view, order := range sysOrder {
		names := strings.Fields(order)
		rows := w.rows(t, "SELECT `"+strings.Join(names, "`, `")+"` FROM sys.`x$"+view+"`")
		if !slices.IsSortedFunc(rows, func(a, b []*string) int {
			for i, name := range names {
				if name == "host" || name == "user" {
					if c := strings.Compare(*a[i], *b[i]); c != 0 {
						return c
					}
				} else if c := number(b[i]) - number(a[i]); c != 0 {
					return int(max(-1, min(1, c)))
				}
			}
			return 0
		}) {
			t.Errorf("%s is not ordered by %s", view, order)
		}
	}
}

// number is a number that is a text; NULL is less than any.
func number(s *string) float64 {
	if s == nil {
		return -1
	}
	f, _ := strconv.ParseFloat(*s, 64)
	return f
}

// sysWorld is a server at rest after all sorts of work, and a connection whose statements no view
// tells of.
type sysWorld struct {
	*running
	observer *sql.Conn
	words    map[string]*string // by marker and number
}

func newSysWorld(t *testing.T) *sysWorld {
	reg, dir := instr.NewRegistry(), t.TempDir()
	r := serve(t, Options{Registry: reg, DataDir: dir, Instruments: []string{"%=ON"}}, tables.All()...)
	w := &sysWorld{running: r, words: map[string]*string{}}
	var err error
	if w.observer, err = r.db.Conn(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.observer.Close() })
	w.do(t, w.observer, "UPDATE setup_consumers SET ENABLED = 'YES'", "UPDATE threads SET INSTRUMENTED = 'NO' WHERE PROCESSLIST_ID = CONNECTION_ID()")
	for _, user := range []string{"ann", "bob"} {
		c, err := r.login(t, user).Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		w.do(t, c, "CREATE TABLE test."+user+" (a INT PRIMARY KEY, b TEXT)", "INSERT INTO test."+user+" VALUES (1, 'x'), (2, REPEAT('y', 100)), (3, NULL)",
			"SELECT b, COUNT(*) FROM test."+user+" GROUP BY b ORDER BY b DESC", "SELECT * FROM test."+user+" u, (SELECT DISTINCT b FROM test."+user+") v WHERE u.b = v.b ORDER BY u.a",
			"SHOW TABLES", "BEGIN", "UPDATE test."+user+" SET b = 'a text of a statement that is long enough to lose its middle' WHERE a = 1", "COMMIT", "SELECT 1 / 0, SLEEP(0)")
		if _, err := c.ExecContext(context.Background(), "SELECT nothing FROM test."+user); err == nil {
			t.Fatal("a statement does not fail")
		}
	}
	stop, done := make(chan struct{}), make(chan error)
	go func() {
		defer close(done)
		defer reg.Attach("test/files").Detach()
		done <- useFiles(reg.NewFileClass("test/file"), dir)
		<-stop
	}()
	t.Cleanup(func() { close(stop); <-done })
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(reg.NewConnPool("test/pool", "store").Open().Close)
	w.do(t, w.observer, "UPDATE threads SET INSTRUMENTED = 'NO' WHERE TYPE = 'BACKGROUND'")
	return w
}

// useFiles writes and reads three files of a directory.
func useFiles(class *instr.FileClass, dir string) error {
	for i := range 3 {
		f, err := class.Create(filepath.Join(dir, fmt.Sprintf("file%d", i)))
		if err != nil {
			return err
		}
		if _, err = f.WriteString(strings.Repeat("abc", 500*(i+1))); err == nil {
			_, err = f.ReadAt(make([]byte, 100), int64(i))
		}
		if err := f.Close(); err != nil {
			return err
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// do carries out statements, and reads what they answer.
func (w *sysWorld) do(t *testing.T, c *sql.Conn, statements ...string) {
	t.Helper()
	for _, q := range statements {
		rows, err := c.QueryContext(context.Background(), q)
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		for rows.Next() {
		}
		if err := rows.Close(); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}

// rows are the rows of a query, nil for NULL.
func (w *sysWorld) rows(t *testing.T, query string, args ...any) (all [][]*string) {
	t.Helper()
	rows, err := w.observer.QueryContext(context.Background(), query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		row, dest := make([]*string, len(columns)), make([]any, len(columns))
		for i := range row {
			dest[i] = &row[i]
		}
		if err := rows.Scan(dest...); err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return all
}

// inWords is what a marker makes of a value.
func (w *sysWorld) inWords(t *testing.T, marker string, value *string) *string {
	if value == nil || marker == "" {
		return value
	}
	key := marker + *value
	if _, ok := w.words[key]; !ok {
		function := map[string]string{"time": "format_pico_time", "bytes": "format_bytes", "path": "sys.format_path", "statement": "sys.format_statement"}[marker]
		w.words[key] = w.rows(t, "SELECT "+function+"(?)", *value)[0][0]
	}
	return w.words[key]
}

// compare tells where a view and its twin differ, "" if nowhere.
func (w *sysWorld) compare(t *testing.T, v, twin sys.View) string {
	var names []string
	for _, c := range v.Columns {
		names = append(names, "`"+c.Name+"`")
	}
	// The runtime's memory changes all the time, and so does what the observer does, and what its statements take.
	where := map[string]string{
		"memory_global_by_current_bytes":    " WHERE event_name LIKE 'memory/performance_schema/%'",
		"memory_by_thread_by_current_bytes": fmt.Sprintf(" WHERE thread_id <> %s", *w.rows(t, "SELECT PS_CURRENT_THREAD_ID()")[0][0]),
		"processlist":                       " WHERE conn_id <> CONNECTION_ID() OR conn_id IS NULL",
		"session":                           " WHERE conn_id <> CONNECTION_ID()",
	}[v.Name]
	query := func(view string) [][]*string {
		return w.rows(t, "SELECT "+strings.Join(names, ", ")+" FROM sys.`"+view+"`"+where)
	}
	words, numbers := query(v.Name), query(twin.Name)
	if len(words) != len(numbers) || len(words) == 0 {
		return fmt.Sprintf("%d rows and %d", len(words), len(numbers))
	}
	for i := range words {
		for j, c := range v.Columns {
			want := numbers[i][j]
			switch {
			case c.Name == "last_wait_latency" && (want == nil || *want != "Still Waiting"):
				want = w.inWords(t, "time", want)
			default:
				want = w.inWords(t, c.Words, want)
			}
			if show(words[i][j]) != show(want) {
				return fmt.Sprintf("row %d, %s: %s, but %s of %s", i, c.Name, show(words[i][j]), show(want), show(numbers[i][j]))
			}
		}
	}
	return ""
}

func show(s *string) string {
	if s == nil {
		return "NULL"
	}
	return "'" + *s + "'"
}

// TestASessionIsOneRow looks at a session that is in statements and waits within others.
func TestASessionIsOneRow(t *testing.T) {
	w := newSysWorld(t)
	c, err := w.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	var id int
	if err := c.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		t.Fatal(err)
	}
	w.do(t, c, "CREATE PROCEDURE test.p() BEGIN SELECT SLEEP(1000); END")
	called := make(chan error)
	go func() {
		_, err := c.ExecContext(context.Background(), "CALL test.p()")
		called <- err
	}()
	query := fmt.Sprintf("SELECT command, statement_latency > 0, last_statement FROM sys.x$session WHERE conn_id = %d", id)
	eventually(t, "the session waits in a statement of a procedure", func() bool {
		return len(w.rows(t, fmt.Sprintf("SELECT 1 FROM events_statements_current s JOIN threads t USING (THREAD_ID) WHERE PROCESSLIST_ID = %d AND NESTING_EVENT_LEVEL = 1 AND PROCESSLIST_STATE = 'User sleep'", id))) == 1
	})
	rows := w.rows(t, query)
	if len(rows) != 1 || show(rows[0][0])+show(rows[0][1])+show(rows[0][2]) != "'Query''1'NULL" {
		t.Errorf("%d rows: %v", len(rows), rows)
	}
	w.do(t, w.observer, fmt.Sprintf("KILL QUERY %d", id))
	<-called
}
