package engine

import (
	"database/sql"
	"strings"
	"testing"

	"pfsd/instr"
	"pfsd/tables"
)

// Temporary tables are their session's, hide others of the same name, and go with the session.
func TestTemporaryTables(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "CREATE DATABASE d")
	r.exec(t, "CREATE TABLE d.base (a INT PRIMARY KEY)")
	r.exec(t, "INSERT INTO d.base VALUES (1), (2)")
	c, _ := r.conn(t)
	other, _ := r.conn(t)
	run := func(c *sql.Conn, q, want string) {
		t.Helper()
		if got := answerOf(t, c, q); got != want {
			t.Errorf("%s: %q, want %q", q, got, want)
		}
	}
	for _, q := range []struct{ sql, want string }{
		{"USE d", ""},
		{"CREATE TEMPORARY TABLE t (a INT AUTO_INCREMENT PRIMARY KEY, b VARCHAR(10), UNIQUE (b))", ""},
		{"INSERT INTO t (b) VALUES ('x'), ('y')", ""},
		{"INSERT INTO t (b) VALUES ('X')", "1062 23000 Duplicate entry 'X' for key 't.b'"},
		{"CREATE TEMPORARY TABLE t (a INT)", "1050 42S01 Table 't' already exists"},
		{"CREATE TEMPORARY TABLE IF NOT EXISTS t (a INT)", ""},
		{"SELECT * FROM t ORDER BY a", "1|x 2|y"},
		{"SELECT * FROM d.t JOIN base USING (a)", "1|x 2|y"},
		{"UPDATE t SET b = 'Y' WHERE b = 'y'", ""},
		{"DELETE FROM t WHERE a = 1", ""},
		{"SELECT b FROM t", "Y"},
		{"SHOW TABLES", "base"},
		{"SELECT TABLE_NAME FROM information_schema.tables WHERE TABLE_SCHEMA = 'd'", "base"},
		{"DESCRIBE t", "a|int|NO|PRI|NULL|auto_increment b|varchar(10)|YES|UNI|NULL|"},
		{"TRUNCATE t", ""},
		{"SELECT COUNT(*) FROM t", "0"},
		{"CREATE TEMPORARY TABLE dup AS SELECT a, a * 10 AS b FROM base", ""},
		{"SELECT * FROM dup", "1|10 2|20"},
		{"CREATE TEMPORARY TABLE alike LIKE base", ""},
		{"ALTER TABLE alike ADD COLUMN z INT DEFAULT 7", ""},
		{"INSERT INTO alike (a) VALUES (5)", ""},
		{"SELECT * FROM alike", "5|7"},
		{"CREATE TEMPORARY TABLE base (z INT)", ""},
		{"INSERT INTO base VALUES (100)", ""},
		{"SELECT * FROM base", "100"},
		{"SHOW TABLES", "base"},
		{"DROP TABLE base", ""},
		{"SELECT * FROM base", "1 2"},
		{"DROP TEMPORARY TABLE base", "1051 42S02 Unknown table 'd.base'"},
		{"DROP TEMPORARY TABLE IF EXISTS nosuch", ""},
		{"CREATE TABLE lasting (a INT)", ""},
		{"CREATE TEMPORARY TABLE lasting (b INT)", ""},
		{"CREATE TABLE IF NOT EXISTS dup (c INT, INDEX (c))", ""},
		{"SELECT * FROM dup", "1|10 2|20"},
		{"BEGIN", ""},
		{"INSERT INTO dup VALUES (3, 30)", ""},
		{"CREATE TEMPORARY TABLE inside (a INT)", ""},
		{"ROLLBACK", ""},
		{"SELECT * FROM dup", "1|10 2|20"},
		{"SELECT * FROM inside", ""},
		{"CREATE TEMPORARY TABLE performance_schema.x (a INT)", "1044 42000 Access denied for user 'root'@'localhost' to database 'performance_schema'"},
		{"CREATE TEMPORARY TABLE sys.x (a INT)", ""},
		{"INSERT INTO sys.x VALUES (4)", ""},
		{"SELECT a FROM sys.x", "4"},
		{"DROP TEMPORARY TABLE sys.x", ""},
		{"SELECT a FROM sys.x", "1146 42S02 Table 'sys.x' doesn't exist"},
	} {
		run(c, q.sql, q.want)
	}
	if got := answerOf(t, c, "SHOW CREATE TABLE dup"); !strings.HasPrefix(got, "dup|CREATE TEMPORARY TABLE `dup` (") {
		t.Errorf("SHOW CREATE TABLE: %s", got)
	}
	run(other, "SELECT * FROM d.t", "1146 42S02 Table 'd.t' doesn't exist")
	run(other, "SELECT * FROM d.lasting", "")
	run(other, "DROP TABLE d.lasting", "") // nothing holds it
	run(c, "SELECT COUNT(*) FROM performance_schema.table_io_waits_summary_by_table WHERE OBJECT_NAME IN ('t', 'alike', 'inside')", "0")
	run(c, "SELECT COUNT(*) FROM performance_schema.metadata_locks WHERE OBJECT_NAME IN ('t', 'alike', 'inside')", "0")
	run(c, "SELECT * FROM lasting", "")
	run(c, "DROP TABLE lasting, t", "")
	run(c, "SELECT * FROM t", "1146 42S02 Table 'd.t' doesn't exist")
	if n := len(r.Server.reg.Reader().Tables()); n > 5 {
		t.Errorf("%d tables are known", n)
	}
}

// Who may make temporary tables may do everything with his own.
func TestTemporaryTablesOfOthers(t *testing.T) {
	r := serve(t, Options{Registry: instr.NewRegistry()}, tables.All()...)
	for _, q := range []string{"CREATE DATABASE d", "CREATE USER u", "GRANT CREATE TEMPORARY TABLES ON d.* TO u", "CREATE USER v", "GRANT SELECT ON d.* TO v"} {
		r.exec(t, q)
	}
	enter := func(user string) *sql.Conn {
		c, err := r.enter(t, user)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	u, v := enter("u"), enter("v")
	for _, q := range []struct {
		c         *sql.Conn
		sql, want string
	}{
		{u, "CREATE TEMPORARY TABLE d.t (a INT)", ""},
		{u, "INSERT INTO d.t VALUES (1)", ""},
		{u, "UPDATE d.t SET a = 2", ""},
		{u, "SELECT a FROM d.t", "2"},
		{u, "DELETE FROM d.t", ""},
		{u, "DROP TABLE d.t", ""},
		{u, "SELECT a FROM d.t", "1142 42000 SELECT command denied to user 'u'@'localhost' for table 't'"},
		{u, "CREATE TABLE d.t (a INT)", "1142 42000 CREATE command denied to user 'u'@'localhost' for table 't'"},
		{v, "CREATE TEMPORARY TABLE d.t (a INT)", "1044 42000 Access denied for user 'v'@'%' to database 'd'"},
	} {
		if got := answerOf(t, q.c, q.sql); got != q.want {
			t.Errorf("%s: %q, want %q", q.sql, got, q.want)
		}
	}
}

// answerOf is what q answers on c: the rows, columns separated by "|", or the error.
func answerOf(t *testing.T, c *sql.Conn, q string) string {
	t.Helper()
	rows, err := c.QueryContext(t.Context(), q)
	if err != nil {
		return code(err)
	}
	return answerRows(t, rows)
}
