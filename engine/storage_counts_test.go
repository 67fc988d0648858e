package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pfsd/tables"
)

// storageCounted are the counters of users' tables that the operations of TestStorageCounts change, as they stand.
func (r *running) storageCounted(t *testing.T) map[string]int {
	t.Helper()
	all := map[string]int{}
	add := func(q string) {
		for _, row := range r.query(t, q) {
			name, value, _ := strings.Cut(row, "|")
			n, err := strconv.Atoi(value)
			if err != nil {
				t.Fatalf("%s: %v", row, err)
			}
			all[name] = n
		}
	}
	add("SELECT REPLACE(LOWER(VARIABLE_NAME), 'innodb_rows_', 'rows '), VARIABLE_VALUE FROM global_status WHERE VARIABLE_NAME LIKE 'Innodb\\_rows\\_%'")
	add("SELECT REPLACE(NAME, 'dml_', 'metric '), COUNT FROM information_schema.INNODB_METRICS WHERE NAME LIKE 'dml\\_%' OR NAME LIKE 'trx\\_r%'")
	for _, op := range []string{"FETCH", "INSERT", "UPDATE", "DELETE"} {
		add(fmt.Sprintf("SELECT CONCAT('%s by ', IFNULL(INDEX_NAME, 'none')), COUNT_%[2]s FROM table_io_waits_summary_by_index_usage WHERE OBJECT_SCHEMA = 'test' AND OBJECT_NAME = 't'", strings.ToLower(op), op))
		add(fmt.Sprintf("SELECT '%s', COUNT_%[2]s FROM table_io_waits_summary_by_table WHERE OBJECT_SCHEMA = 'test' AND OBJECT_NAME = 't'", strings.ToLower(op), op))
	}
	add("SELECT 'read locks', COUNT_READ_EXTERNAL FROM table_lock_waits_summary_by_table WHERE OBJECT_SCHEMA = 'test' AND OBJECT_NAME = 't'")
	add("SELECT 'write locks', COUNT_WRITE_EXTERNAL FROM table_lock_waits_summary_by_table WHERE OBJECT_SCHEMA = 'test' AND OBJECT_NAME = 't'")
	return all
}

// TestStorageCounts: known operations in, exactly those counts out: of rows by table and by index, of locks on the table, and in the status and
// metrics of the storage.
func TestStorageCounts(t *testing.T) {
	oneAtATime(t)
	for name, dir := range map[string]string{"memory": "", "files": t.TempDir()} {
		t.Run(name, func(t *testing.T) { checkStorageCounts(t, dir) })
	}
}

func checkStorageCounts(t *testing.T, dir string) {
	r := serve(t, Options{DataDir: dir}, tables.All()...)
	c, _ := r.conn(t)
	r.exec(t, "CREATE TABLE test.t (id INT PRIMARY KEY, a INT, b INT, KEY by_a (a), UNIQUE KEY by_b (b))")
	for _, step := range []struct {
		do   string // statements with ; between them
		want string // what changes, in the order of the names
	}{
		{"INSERT INTO test.t VALUES (1, 10, 1), (2, 20, 2), (3, 20, 3), (4, 40, 4), (5, 50, 5)",
			"insert 5, insert by none 5, metric inserts 5, rows inserted 5, trx_rw_commits 1, write locks 1"},
		{"SELECT * FROM test.t WHERE id = 3", "fetch 1, fetch by PRIMARY 1, metric reads 1, read locks 1, rows read 1"},
		{"SELECT * FROM test.t WHERE id = 33", "fetch 1, fetch by PRIMARY 1, read locks 1"},
		{"SELECT * FROM test.t WHERE id BETWEEN 2 AND 4", "fetch 3, fetch by PRIMARY 3, metric reads 3, read locks 1, rows read 3"},
		{"SELECT * FROM test.t WHERE a = 20", "fetch 2, fetch by by_a 2, metric reads 2, read locks 1, rows read 2"},
		{"SELECT * FROM test.t WHERE b = 4", "fetch 1, fetch by by_b 1, metric reads 1, read locks 1, rows read 1"},
		{"SELECT * FROM test.t", "fetch 5, fetch by none 5, metric reads 5, read locks 1, rows read 5"},
		{"SELECT SUM(b) FROM test.t WHERE id > 3", "fetch 2, fetch by PRIMARY 2, metric reads 2, read locks 1, rows read 2"},
		{"UPDATE test.t SET b = 11 WHERE id = 1", "fetch 1, fetch by PRIMARY 1, metric reads 1, metric updates 1, rows read 1, rows updated 1, trx_rw_commits 1, update 1, update by PRIMARY 1, write locks 1"},
		{"UPDATE test.t SET b = b WHERE id = 1", "fetch 1, fetch by PRIMARY 1, metric reads 1, rows read 1, write locks 1"},
		{"UPDATE test.t SET a = 21 WHERE a = 20", "fetch 2, fetch by by_a 2, metric reads 2, metric updates 2, rows read 2, rows updated 2, trx_rw_commits 1, update 2, update by by_a 2, write locks 1"},
		{"DELETE FROM test.t WHERE id = 5", "delete 1, delete by PRIMARY 1, fetch 1, fetch by PRIMARY 1, metric deletes 1, metric reads 1, rows deleted 1, rows read 1, trx_rw_commits 1, write locks 1"},
		{"BEGIN;INSERT INTO test.t VALUES (6, 60, 6);DELETE FROM test.t WHERE id = 6;ROLLBACK",
			"delete 1, delete by PRIMARY 1, fetch 1, fetch by PRIMARY 1, insert 1, insert by none 1, metric deletes 1, metric inserts 1, metric reads 1, rows deleted 1, rows inserted 1, rows read 1, trx_rollbacks 1, write locks 2"},
		{"BEGIN;INSERT INTO test.t VALUES (7, 70, 7);SAVEPOINT s;INSERT INTO test.t VALUES (8, 80, 8);ROLLBACK TO s;COMMIT",
			"insert 2, insert by none 2, metric inserts 2, rows inserted 2, trx_rollbacks_savepoint 1, trx_rw_commits 1, write locks 2"},
		{"BEGIN;ROLLBACK;BEGIN;COMMIT", ""},
		{"SELECT * FROM test.t WHERE id = 7 FOR UPDATE", "fetch 1, fetch by PRIMARY 1, metric reads 1, rows read 1, write locks 1"},
		{"REPLACE INTO test.t VALUES (7, 71, 7)", "delete 1, delete by none 1, insert 2, insert by none 2, metric deletes 1, metric inserts 1, rows deleted 1, rows inserted 1, trx_rw_commits 1, write locks 1"}, // it tries to insert first
		{"CREATE TEMPORARY TABLE test.tmp (a INT);INSERT INTO test.tmp VALUES (1), (2);SELECT * FROM test.tmp;DROP TEMPORARY TABLE test.tmp", "metric inserts 2, metric reads 2, rows inserted 2, rows read 2, trx_rw_commits 1"},
		{"ALTER TABLE test.t ADD COLUMN d INT", ""},
		{"TRUNCATE TABLE test.t", ""},
	} {
		before := r.storageCounted(t)
		for q := range strings.SplitSeq(step.do, ";") {
			rows, err := c.QueryContext(context.Background(), q)
			if err != nil {
				t.Fatalf("%s: %v", q, err)
			}
			for rows.Next() {
			}
			if err := rows.Close(); err != nil {
				t.Fatal(err)
			}
		}
		after := r.storageCounted(t)
		var changed []string
		for _, name := range slices.Sorted(maps.Keys(after)) {
			if n := after[name] - before[name]; n != 0 {
				changed = append(changed, fmt.Sprint(name, " ", n))
			}
		}
		if got := strings.Join(changed, ", "); got != step.want {
			t.Errorf("%s\n got %s\nwant %s", step.do, got, step.want)
		}
	}
	// Other indexes have other statistics; the rows that are read and written for them are nobody's.
	before := r.storageCounted(t)
	r.exec(t, "INSERT INTO test.t VALUES (1, 1, 1, 1), (2, 2, 2, 2)")
	r.exec(t, "CREATE INDEX by_ab ON test.t (a, b)")
	after := r.storageCounted(t)
	if got := after["rows inserted"] - before["rows inserted"]; got != 2 || after["rows read"] != before["rows read"] {
		t.Errorf("an index makes %d rows inserted, and %d read", got, after["rows read"]-before["rows read"])
	}
	r.want(t, "SELECT INDEX_NAME, COUNT_STAR FROM table_io_waits_summary_by_index_usage WHERE OBJECT_SCHEMA = 'test' AND OBJECT_NAME = 't' ORDER BY INDEX_NAME",
		"NULL|0", "by_a|0", "by_ab|0", "by_b|0", "PRIMARY|0")

	files := map[string]int{}
	for _, row := range r.query(t, "SELECT VARIABLE_NAME, VARIABLE_VALUE FROM global_status WHERE VARIABLE_NAME REGEXP '^Innodb_(data|log|os_log|num_open)_'") {
		name, value, _ := strings.Cut(row, "|")
		files[strings.TrimPrefix(name, "Innodb_")], _ = strconv.Atoi(value)
	}
	if dir == "" {
		for name, n := range files {
			if want := map[string]int{"log_writes": 1, "log_write_requests": 1}[name]; n != want {
				t.Errorf("without files %s is %d", name, n)
			}
		}
		return
	}
	// The same was counted by the instruments of the files, but for what happened between the two.
	var writes, bytes, syncs, logs int
	if err := r.db.QueryRow("SELECT SUM(COUNT_WRITE), SUM(SUM_NUMBER_OF_BYTES_WRITE), SUM(IF(EVENT_NAME LIKE '%/wal', SUM_NUMBER_OF_BYTES_WRITE, 0)) FROM file_summary_by_event_name WHERE EVENT_NAME LIKE 'wait/io/file/pebble/%'").Scan(&writes, &bytes, &logs); err != nil {
		t.Fatal(err)
	}
	if files["data_writes"] == 0 || files["data_writes"] > writes || files["data_written"] > bytes || files["os_log_written"] > logs || files["os_log_written"] == 0 {
		t.Errorf("the files have %d writes of %d bytes, %d of them in the log; the status says %v", writes, bytes, logs, files)
	}
	requests := files["log_write_requests"]
	r.exec(t, "INSERT INTO test.t VALUES (3, 3, 3, 3)")
	r.exec(t, "DELETE FROM test.t WHERE id = 3")
	r.exec(t, "DELETE FROM test.t WHERE id = 3")
	r.want(t, "SELECT VARIABLE_VALUE FROM global_status WHERE VARIABLE_NAME = 'Innodb_log_write_requests'", strconv.Itoa(requests+2))
	if err := r.db.QueryRow("SELECT VARIABLE_VALUE FROM global_status WHERE VARIABLE_NAME = 'Innodb_os_log_fsyncs'").Scan(&syncs); err != nil || syncs < files["os_log_fsyncs"]+2 {
		t.Errorf("two commits synced the log %d times: %v", syncs-files["os_log_fsyncs"], err)
	}
}

// TestWorkloadShowsStorage: with the workload there are soon sessions that wait for rows, flushes and compactions, and files that are read and written.
func TestWorkloadShowsStorage(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{Addr: "127.0.0.1:0", DataDir: t.TempDir(), Workload: "sql", WorkloadRate: 2000, WorkloadConcurrency: 4, Consumers: map[string]bool{"events_waits_current": true}}, tables.All()...)
	for what, q := range map[string]string{
		"a row is waited for":     "SELECT COUNT(*) FROM data_lock_waits",
		"sys shows it":            "SELECT COUNT(*) FROM sys.innodb_lock_waits WHERE locked_table_name = 'tills' AND waiting_query LIKE 'UPDATE workload.tills%'",
		"it is an event":          "SELECT COUNT(*) FROM events_waits_current WHERE EVENT_NAME = 'wait/lock/row/sql/handler' AND END_EVENT_ID IS NULL AND OBJECT_NAME = 'tills'",
		"it is in the log":        "SELECT COUNT(*) FROM file_summary_by_event_name WHERE EVENT_NAME = 'wait/io/file/pebble/wal' AND COUNT_WRITE > 0",
		"memtables are flushed":   "SELECT COUNT(*) FROM events_stages_summary_global_by_event_name WHERE EVENT_NAME = 'stage/txkv/flushing memtables' AND COUNT_STAR > 0",
		"tables are compacted":    "SELECT COUNT(*) FROM events_stages_summary_global_by_event_name WHERE EVENT_NAME = 'stage/txkv/compacting tables' AND COUNT_STAR > 0",
		"tables are written":      "SELECT COUNT(*) FROM file_summary_by_event_name WHERE EVENT_NAME = 'wait/io/file/pebble/sst' AND COUNT_WRITE > 0",
		"the manifest is written": "SELECT COUNT(*) FROM file_summary_by_event_name WHERE EVENT_NAME = 'wait/io/file/pebble/manifest' AND COUNT_WRITE > 1",
	} {
		eventually(t, what, func() bool { return r.count(t, q) > 0 })
	}
	if n := r.count(t, "SELECT VARIABLE_VALUE FROM global_status WHERE VARIABLE_NAME = 'Innodb_row_lock_waits'"); n == 0 {
		t.Error("nobody has waited for a row")
	}
}
