package engine

import (
	"context"
	"crypto/tls"
	"fmt"
	"strings"
	"testing"

	"pfsd/engine/sys"
	"pfsd/instr"
	"pfsd/tables"
)

// TestSysSchemaViews looks at the views about tables, indexes and AUTO_INCREMENT columns.
func TestSysSchemaViews(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	for _, q := range []string{
		"CREATE TABLE test.t (a TINYINT UNSIGNED PRIMARY KEY AUTO_INCREMENT, b INT, c INT, d VARCHAR(20), e INT, KEY b (b), KEY b_c (b, c), UNIQUE KEY u (c), KEY u_b (c, b), KEY d (d(5)), KEY e1 (e), KEY e2 (e))",
		"CREATE TABLE test.s (a BIGINT AUTO_INCREMENT PRIMARY KEY)",
		"CREATE TABLE test.big (a BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY)",
		"INSERT INTO test.big VALUES (10000000000000000000)",
		"CREATE TABLE test.x (a TINYINT AUTO_INCREMENT PRIMARY KEY, b INT, UNIQUE KEY b (b), KEY b_again (b))",
		"CREATE VIEW test.v AS SELECT a FROM test.t",
		"CREATE PROCEDURE test.p() SELECT 1",
		"CREATE EVENT test.e ON SCHEDULE EVERY 1 DAY DO SELECT 1",
		"INSERT INTO test.t (b, c, d, e) VALUES (1, 1, 'x', 1), (2, 2, 'y', 2), (3, 3, 'z', 3)",
		"INSERT INTO test.s VALUES (4611686018427387903)",
		"INSERT INTO test.x VALUES (126, 1)",
		"CREATE TRIGGER test.g BEFORE INSERT ON test.s FOR EACH ROW SET @a = 1",
		"UPDATE test.t SET d = 'u' WHERE b = 1",
		"DELETE FROM test.t WHERE b = 3",
	} {
		r.exec(t, q)
	}
	r.want(t, "SELECT COUNT(*) FROM test.t", "2")
	r.want(t, "SELECT * FROM sys.schema_auto_increment_columns",
		"test|x|a|tinyint|tinyint|1|0|127|127|1.0000",
		"test|big|a|bigint|bigint unsigned|0|1|18446744073709551615|10000000000000000001|0.5421",
		"test|s|a|bigint|bigint|1|0|9223372036854775807|4611686018427387904|0.5000",
		"test|t|a|tinyint|tinyint unsigned|0|1|255|4|0.0157")
	r.want(t, "SELECT table_name, index_name, non_unique, subpart_exists, index_columns FROM sys.x$schema_flattened_keys WHERE table_schema = 'test' ORDER BY 1, 2",
		"big|PRIMARY|0|0|a", "s|PRIMARY|0|0|a", "t|b|1|0|b", "t|b_c|1|0|b,c", "t|d|1|1|d", "t|e1|1|0|e", "t|e2|1|0|e", "t|PRIMARY|0|0|a", "t|u|0|0|c", "t|u_b|1|0|c,b",
		"x|b|0|0|b", "x|b_again|1|0|b", "x|PRIMARY|0|0|a")
	r.want(t, "SELECT table_schema, table_name, redundant_index_name, redundant_index_columns, redundant_index_non_unique, dominant_index_name, dominant_index_columns, dominant_index_non_unique, subpart_exists FROM sys.schema_redundant_indexes ORDER BY 2, 3",
		"test|t|b|b|1|b_c|b,c|1|0", "test|t|e2|e|1|e1|e|1|0", "test|t|u_b|c,b|1|u|c|0|0", "test|x|b_again|b|1|b|b|0|0")
	for _, q := range r.query(t, "SELECT sql_drop_index FROM sys.schema_redundant_indexes") {
		r.exec(t, q)
	}
	r.want(t, "SELECT COUNT(*) FROM sys.schema_redundant_indexes", "0")
	r.want(t, "SELECT object_type, count FROM sys.schema_object_overview WHERE db = 'test'",
		"BASE TABLE|4", "EVENT|1", "INDEX (BTREE)|9", "PROCEDURE|1", "TRIGGER|1", "VIEW|1")
	r.want(t, "SELECT db, object_type, count = (SELECT COUNT(*) FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = 'sys' AND ROUTINE_TYPE = 'FUNCTION') FROM sys.schema_object_overview WHERE db = 'sys' AND object_type = 'FUNCTION'",
		"sys|FUNCTION|1")

	r.exec(t, "CREATE TABLE test.used (a INT PRIMARY KEY, b INT, c INT, UNIQUE KEY c (c), KEY b (b), KEY b_c (b, c))")
	r.exec(t, "INSERT INTO test.used VALUES (1, 10, 100), (2, 20, 200)")
	r.want(t, "SELECT a FROM test.used WHERE b = 20", "2")
	r.want(t, "SELECT a FROM test.used", "1", "2")
	r.want(t, "SELECT index_name FROM sys.schema_unused_indexes WHERE object_schema = 'test' AND object_name = 'used'", "b_c")
	r.want(t, "SELECT index_name, rows_selected, rows_inserted, rows_updated, rows_deleted, select_latency > 0 FROM sys.x$schema_index_statistics WHERE table_name = 'used' AND rows_selected > 0", "b|1|0|0|0|1")
	r.want(t, "SELECT object_schema, object_name, rows_full_scanned, latency > 0 FROM sys.x$schema_tables_with_full_table_scans WHERE object_name = 'used'", "test|used|2|1")
	r.want(t, "SELECT table_schema, rows_fetched, rows_inserted, rows_updated, rows_deleted, total_latency >= fetch_latency, io_read, io_write_latency FROM sys.x$schema_table_statistics WHERE table_name = 'used'",
		"test|3|2|0|0|1|NULL|NULL")
	r.want(t, "SELECT table_schema, rows_fetched, rows_inserted, innodb_buffer_allocated, innodb_buffer_pages FROM sys.schema_table_statistics_with_buffer WHERE table_name = 'used'",
		"test|3|2|NULL|NULL")
	for _, view := range []string{"innodb_buffer_stats_by_schema", "innodb_buffer_stats_by_table", "innodb_lock_waits"} {
		r.want(t, "SELECT * FROM sys."+view)
		r.want(t, "SELECT * FROM sys.x$"+view)
	}
	r.want(t, "SELECT mysql_version = @@version, sys_version LIKE '2.%' FROM sys.version", "1|1")
}

// TestSysTableFiles looks at files that are named as those of tables.
func TestSysTableFiles(t *testing.T) {
	reg, dir := instr.NewRegistry(), t.TempDir()
	r := serve(t, Options{Registry: reg, DataDir: dir}, tables.All()...)
	if err := useFiles(reg.NewFileClass("test/file"), dir); err != nil {
		t.Fatal(err)
	}
	schema := dir[strings.LastIndex(dir, "/")+1:]
	r.exec(t, "CREATE DATABASE `"+schema+"`")
	r.exec(t, "CREATE TABLE `"+schema+"`.file1 (a INT)")
	r.exec(t, "INSERT INTO `"+schema+"`.file1 VALUES (1)")
	files := "SELECT SUM(COUNT_READ), SUM(SUM_NUMBER_OF_BYTES_READ), SUM(COUNT_WRITE), SUM(SUM_NUMBER_OF_BYTES_WRITE) FROM performance_schema.file_summary_by_instance WHERE FILE_NAME LIKE '%/file1'"
	want := r.query(t, files)
	r.want(t, "SELECT count_read, sum_number_of_bytes_read, count_write, sum_number_of_bytes_write FROM sys.x$ps_schema_table_statistics_io WHERE table_schema = '"+schema+"' AND table_name = 'file1'", want...)
	r.want(t, "SELECT io_read_requests, io_read, io_write_requests, io_write FROM sys.x$schema_table_statistics WHERE table_schema = '"+schema+"' AND table_name = 'file1'", want...)
	r.want(t, "SELECT io_read_requests, io_read, io_write_requests, io_write FROM sys.x$schema_table_statistics_with_buffer WHERE table_name = 'file1'", want...)
}

// TestSysTableLockWaits looks at a connection that waits for two others, and ends one as the view says.
func TestSysTableLockWaits(t *testing.T) {
	w := newSysWorld(t)
	var ids [3]int
	ctx := context.Background()
	holders := [2]interface{ Close() error }{}
	for i := range holders {
		c, err := w.db.Conn(ctx)
		if err != nil {
			t.Fatal(err)
		}
		holders[i] = c
		t.Cleanup(func() { _ = c.Close() })
		if err := c.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&ids[i]); err != nil {
			t.Fatal(err)
		}
		w.do(t, c, "BEGIN", "SELECT * FROM test.ann")
	}
	waiter, err := w.db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = waiter.Close() })
	if err := waiter.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&ids[2]); err != nil {
		t.Fatal(err)
	}
	waited := make(chan error)
	go func() {
		_, err := waiter.ExecContext(ctx, "ALTER TABLE test.ann ADD COLUMN d INT COMMENT 'a comment that is long enough to be cut in the middle'")
		waited <- err
	}()
	eventually(t, "two are waited for", func() bool {
		return len(w.rows(t, "SELECT 1 FROM sys.schema_table_lock_waits")) == 2
	})
	var differ string
	eventually(t, "twins that agree", func() bool {
		differ = w.compare(t, *sys.ViewNamed("schema_table_lock_waits"), *sys.ViewNamed("x$schema_table_lock_waits"))
		return differ == ""
	})
	rows := w.rows(t, "SELECT object_schema, object_name, waiting_pid, waiting_account, waiting_lock_type, waiting_lock_duration, LEFT(waiting_query, 20), blocking_pid, blocking_account, blocking_lock_type, sql_kill_blocking_query, sql_kill_blocking_connection FROM sys.x$schema_table_lock_waits ORDER BY blocking_pid")
	for i, row := range rows {
		var got []string
		for _, cell := range row {
			got = append(got, show(cell))
		}
		want := fmt.Sprintf("'test' 'ann' '%d' 'root@localhost' 'EXCLUSIVE' 'TRANSACTION' 'ALTER TABLE test.ann' '%d' 'root@localhost' 'SHARED_READ' 'KILL QUERY %[2]d' 'KILL %[2]d'", ids[2], ids[i])
		if s := strings.Join(got, " "); s != want {
			t.Errorf("row %d is %s, not %s", i, s, want)
		}
	}
	for i := range holders {
		kill := w.rows(t, fmt.Sprintf("SELECT sql_kill_blocking_connection FROM sys.schema_table_lock_waits WHERE blocking_pid = %d", ids[i]))
		if len(kill) != 1 {
			t.Fatalf("%d rows about connection %d", len(kill), ids[i])
		}
		w.do(t, w.observer, *kill[0][0])
	}
	if err := <-waited; err != nil {
		t.Error(err)
	}
	if rows := w.rows(t, "SELECT * FROM sys.schema_table_lock_waits"); len(rows) > 0 {
		t.Errorf("%d waits after the last", len(rows))
	}
}

// TestSysLost looks at what there was no room for.
func TestSysLost(t *testing.T) {
	r := serveLimits(t, map[instr.Limit]int{instr.LimitMutexInstances: 1})
	if len(r.query(t, "SELECT * FROM sys.ps_check_lost_instrumentation WHERE variable_name = 'Performance_schema_mutex_instances_lost' AND variable_value > 0")) != 1 {
		t.Error("nothing is lost")
	}
	r.want(t, "SELECT COUNT(*) FROM sys.ps_check_lost_instrumentation WHERE variable_value = 0", "0")
}

// TestSysSSLStatus looks at connections with TLS and without.
func TestSysSSLStatus(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	c := dialTLS(t, r.addr, &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12})
	defer func() { _ = c.Close() }()
	r.want(t, "SELECT s.ssl_version, s.ssl_cipher <> '', s.ssl_sessions_reused, t.CONNECTION_TYPE FROM sys.session_ssl_status s JOIN performance_schema.threads t ON t.THREAD_ID = s.thread_id ORDER BY s.ssl_version",
		"|0|0|TCP/IP", "TLSv1.2|1|0|SSL/TLS")
}

// TestSysMetrics looks at what the list of all that is counted has.
func TestSysMetrics(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.want(t, "SELECT COUNT(*) = (SELECT COUNT(*) FROM performance_schema.global_status), COUNT(DISTINCT Variable_name) = COUNT(*) FROM sys.metrics WHERE Type = 'Global Status'", "1|1")
	r.want(t, "SELECT m.Type, m.Enabled, i.SUBSYSTEM FROM sys.metrics m JOIN information_schema.INNODB_METRICS i ON i.NAME = m.Variable_name WHERE m.Variable_name = 'dml_inserts'",
		"InnoDB Metrics - dml|YES|dml")
	r.want(t, "SELECT Variable_name, Variable_value + 0 > 0, Enabled FROM sys.metrics WHERE Type IN ('Performance Schema', 'System Time')",
		"memory_current_allocated|1|YES", "memory_total_allocated|1|YES", "NOW()|1|YES", "UNIX_TIMESTAMP()|1|YES")
	r.exec(t, "UPDATE performance_schema.setup_instruments SET ENABLED = 'NO' WHERE NAME LIKE 'memory/%' AND NAME NOT LIKE 'memory/performance_schema/%'")
	r.want(t, "SELECT DISTINCT Enabled FROM sys.metrics WHERE Type = 'Performance Schema'", "PARTIAL")
	r.want(t, "SELECT ABS(UNIX_TIMESTAMP() - Variable_value) < 60 FROM sys.metrics WHERE Variable_name = 'UNIX_TIMESTAMP()'", "1")
}
