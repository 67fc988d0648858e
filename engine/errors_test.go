package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/mysqlerr"
	"pfsd/tables"
)

func TestErrors(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{},
		&fake{name: "setup", rows: 3},
		&fake{name: "events", rows: 3, readOnly: true},
		&fake{name: "broken", rows: 3, at: func(i int) {
			if i == 1 {
				panic("boom")
			}
		}})
	r.exec(t, "CREATE TABLE test.t (a INT PRIMARY KEY, j TEXT NOT NULL)")
	r.exec(t, "INSERT INTO test.t VALUES (1, 'x')")
	for _, c := range []struct{ query, want string }{
		{"SELEC 1", "1064 42000 You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'SELEC 1' at line 1"},
		{"SELECT nosuch FROM setup", "1054 42S22 Unknown column 'nosuch' in 'field list'"},
		{"SELECT * FROM nosuch", "1146 42S02 Table 'performance_schema.nosuch' doesn't exist"},
		{"SELECT * FROM test.nosuch", "1146 42S02 Table 'test.nosuch' doesn't exist"},
		{"SELECT * FROM information_schema.replica_host_status", "1109 42S02 Unknown table 'REPLICA_HOST_STATUS' in information_schema"},
		{"SELECT * FROM nosuch.t", "1049 42000 Unknown database 'nosuch'"},
		{"USE nosuch", "1049 42000 Unknown database 'nosuch'"},
		{"SELECT nosuch()", "1305 42000 FUNCTION performance_schema.nosuch does not exist"},
		{"DROP TABLE nosuch", "1051 42S02 Unknown table 'performance_schema.nosuch'"},
		{"DROP TABLE test.nosuch", "1051 42S02 Unknown table 'test.nosuch'"},
		{"HANDLER setup OPEN", "1031 HY000 Table storage engine for 'setup' doesn't have this option"},
		{"SELECT @@nosuch", "1193 HY000 Unknown system variable 'nosuch'"},
		{"SET GLOBAL version = 'x'", "1238 HY000 Variable 'version' is a read only variable"},
		{"SET time_zone = 'Europe/Nowhere'", "1298 HY000 Unknown or incorrect time zone: 'Europe/Nowhere'"},
		{"SET GLOBAL time_zone = '+14:01'", "1298 HY000 Unknown or incorrect time zone: '+14:01'"},
		{"INSERT INTO test.t VALUES (1, 'y')", "1062 23000 Duplicate entry '1' for key 't.PRIMARY'"},
		{"INSERT INTO test.t VALUES (2, NULL)", "1048 23000 Column 'j' cannot be null"},
		{"CREATE TABLE test.t (a INT)", "1050 42S01 Table 't' already exists"},
		{"CREATE DATABASE test", "1007 HY000 Can't create database 'test'; database exists"},
		{"KILL 123456", "1094 HY000 Unknown thread id: 123456"},
		{"KILL QUERY 123456", "1094 HY000 Unknown thread id: 123456"},

		{"UPDATE setup SET ENABLED='MAYBE'", "1265 01000 Data truncated for column 'ENABLED' at row 1"},
		{"UPDATE setup SET FLAG=3", "1265 01000 Data truncated for column 'FLAG' at row 1"},
		{"UPDATE setup SET ENABLED=NULL", "1048 23000 Column 'ENABLED' cannot be null"},
		{"UPDATE setup SET EVENT_NAME='FOO'", "1683 HY000 Invalid performance_schema usage."},
		{"UPDATE setup SET EVENT_NAME='FOO' WHERE ID=1", "1683 HY000 Invalid performance_schema usage."},
		{"UPDATE setup JOIN test.t ON ID=a SET EVENT_NAME='FOO'", "1683 HY000 Invalid performance_schema usage."},

		{"UPDATE events SET ENABLED='NO'", "1142 42000 UPDATE command denied to user 'root'@'localhost' for table 'events'"},
		{"INSERT INTO setup SET EVENT_NAME='FOO'", "1142 42000 INSERT command denied to user 'root'@'localhost' for table 'setup'"},
		{"REPLACE INTO setup SET EVENT_NAME='FOO'", "1142 42000 INSERT, DELETE command denied to user 'root'@'localhost' for table 'setup'"},
		{"INSERT INTO PERFORMANCE_SCHEMA.EVENTS (ID) VALUES (1)", "1142 42000 INSERT command denied to user 'root'@'localhost' for table 'events'"},
		{"DELETE FROM setup", "1142 42000 DELETE command denied to user 'root'@'localhost' for table 'setup'"},
		{"DELETE FROM events WHERE ID=1", "1142 42000 DELETE command denied to user 'root'@'localhost' for table 'events'"},
		{"TRUNCATE TABLE setup", "1142 42000 DROP command denied to user 'root'@'localhost' for table 'setup'"},
		{"LOCK TABLES events READ", "1142 42000 SELECT, LOCK TABLES command denied to user 'root'@'localhost' for table 'events'"},

		{"ALTER TABLE setup ADD COLUMN x INT", "1044 42000 Access denied for user 'root'@'localhost' to database 'performance_schema'"},
		{"CREATE INDEX i ON setup (EVENT_NAME)", "1044 42000 Access denied for user 'root'@'localhost' to database 'performance_schema'"},
		{"DROP INDEX i ON setup", "1044 42000 Access denied for user 'root'@'localhost' to database 'performance_schema'"},
		{"CREATE TABLE performance_schema.t (a INT)", "1044 42000 Access denied for user 'root'@'localhost' to database 'performance_schema'"},
		{"CREATE TABLE t (a INT)", "1044 42000 Access denied for user 'root'@'localhost' to database 'performance_schema'"},
		{"RENAME TABLE setup TO test.x", "1044 42000 Access denied for user 'root'@'localhost' to database 'performance_schema'"},
		{"RENAME TABLE test.t TO performance_schema.x", "1044 42000 Access denied for user 'root'@'localhost' to database 'performance_schema'"},
		{"CREATE VIEW v AS SELECT 1", "1044 42000 Access denied for user 'root'@'localhost' to database 'performance_schema'"},
		{"CREATE TRIGGER x BEFORE INSERT ON setup FOR EACH ROW SET @a=1", "1044 42000 Access denied for user 'root'@'localhost' to database 'performance_schema'"},
		{"CREATE PROCEDURE p() SELECT 1", "1044 42000 Access denied for user 'root'@'localhost' to database 'performance_schema'"},
		{"DROP DATABASE performance_schema", "1044 42000 Access denied for user 'root'@'localhost' to database 'performance_schema'"},
		{"DROP TABLE setup", "1142 42000 DROP command denied to user 'root'@'localhost' for table 'setup'"},
		{"CREATE TABLE test.x LIKE performance_schema.setup", "1683 HY000 Invalid performance_schema usage."},
		{"CREATE TABLE test.x (a INT) ENGINE=PERFORMANCE_SCHEMA", "1683 HY000 Invalid performance_schema usage."},

		{"SELECT COUNT(*) FROM test.t GROUP BY 1", "1056 42000 Can't group on 'COUNT(*)'"},
		{"SELECT a, SUM(a) AS s FROM test.t GROUP BY 2", "1056 42000 Can't group on 's'"},
		{"SELECT a FROM test.t WHERE ROW_NUMBER() OVER () = 1", "3593 HY000 You cannot use the window function 'row_number' in this context.'"},
		{"SELECT a FROM test.t HAVING RANK() OVER (ORDER BY a) = 1", "3593 HY000 You cannot use the window function 'rank' in this context.'"},
		{"SELECT * FROM (SELECT a, a + 1 AS A FROM test.t) x", "1060 42S21 Duplicate column name 'A'"},
		{"SELECT a INTO nowhere FROM test.t", "1327 42000 Undeclared variable: nowhere"},

		{"-- nothing", "1065 42000 Query was empty"},
		{"SELECT * FROM broken", "1815 HY000 Internal error: boom"},
		{"SELECT COUNT(*) FROM broken", "1815 HY000 Internal error: boom"},
		{"SELECT LOAD_FILE('/etc/passwd') FROM nosuch", "1146 42S02 Table 'performance_schema.nosuch' doesn't exist"},
		{"SELECT MAX(JSON_EXTRACT(j, '$.a')) FROM test.t GROUP BY a", "3141 22032 Invalid JSON text in argument 1 to function json_extract: \"Invalid value.\" at position 0."},
	} {
		_, err := r.db.Exec(c.query)
		if got := code(err); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.query, got, c.want)
		}
	}
	for query, want := range map[string]string{
		"SELEC ?":                               "1064 42000 You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'SELEC ?' at line 1",
		"SELECT nosuch FROM setup WHERE ID = ?": "1054 42S22 Unknown column 'nosuch' in 'field list'",
		"DELETE FROM setup WHERE ID = ?":        "1142 42000 DELETE command denied to user 'root'@'localhost' for table 'setup'",
	} {
		_, err := r.db.Prepare(query)
		if got := code(err); got != want {
			t.Errorf("PREPARE %s\n got %s\nwant %s", query, got, want)
		}
	}
	r.exec(t, "TRUNCATE TABLE events")
	r.want(t, "SELECT COUNT(*) FROM events", "0")
	r.exec(t, "LOCK TABLES setup READ")
	r.exec(t, "UNLOCK TABLES")
	r.want(t, "SELECT LOAD_FILE('/etc/passwd')", "NULL")
	if _, err := r.db.Exec("SELECT 1 INTO OUTFILE '/tmp/pfsd-outfile'"); err == nil {
		t.Error("INTO OUTFILE wrote a file")
	}
}

// TestErrorKeepsConnection: the connection that a statement failed on lives on, whether
// rows had been sent or not.
func TestErrorKeepsConnection(t *testing.T) {
	at := -1
	r := serve(t, Options{}, &fake{name: "numbers", rows: 5000, at: func(i int) {
		if i == at {
			panic("boom")
		}
	}})
	c, id := r.conn(t)
	for _, at = range []int{0, 100, 1000, 4999} {
		for _, q := range []string{"SELECT * FROM numbers", "SELECT CONCAT(EVENT_NAME, 'x') FROM numbers"} {
			n, err := count(t.Context(), c, q)
			if got := code(err); got != "1815 HY000 Internal error: boom" {
				t.Errorf("%s, row %d: %s after %d rows", q, at, got, n)
			}
			var again uint32
			if err := c.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&again); err != nil || again != id {
				t.Fatalf("the connection is lost: %d, %v", again, err)
			}
		}
	}
}

func TestMysqlErrorPrefersTheCauseOfTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(mysqlerr.QueryKilled)
	if got := mysqlerr.Of(sql.NewContext(ctx), context.Canceled); got != mysqlerr.QueryKilled {
		t.Errorf("got %v", got)
	}
}

// An error of the SQL engine that holds a value that cannot be compared is an error like any other, and counts once however many
// programs it goes through.
func TestErrorsThatCannotBeCompared(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	s := r.session(t)
	s.do("CREATE TABLE test.t (a INT PRIMARY KEY, b INT)")
	s.do("INSERT INTO test.t VALUES (1, 1)")
	s.do("CREATE TRIGGER test.r BEFORE UPDATE ON test.t FOR EACH ROW SET NEW.b = JSON_ARRAY(1, 1)")
	s.do("CREATE PROCEDURE test.p() UPDATE test.t SET b = 2")
	for _, q := range []string{"UPDATE test.t SET b = 2", "CALL test.p()"} {
		if err := s.try(q); err == nil || code(err) == "" {
			t.Errorf("%s: %v", q, err)
		}
		const raised = "SELECT SUM(SUM_ERROR_RAISED) FROM performance_schema.events_errors_summary_global_by_error"
		before := s.column(raised)
		_ = s.try(q)
		if after := s.column(raised); after == before || s.column("SELECT "+after+" - "+before) != "1" {
			t.Errorf("%s: %s errors, then %s", q, before, after)
		}
	}
	if got := s.column("SELECT b FROM test.t"); got != "1" {
		t.Errorf("b is %s", got)
	}
}

// What go-mysql-server has no number for has MySQL's.
func TestNumbersOfErrors(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	s := r.session(t)
	s.do("CREATE TABLE test.t (a INT PRIMARY KEY, b INT, j JSON)")
	s.do("INSERT INTO test.t VALUES (1, 1, '[1]')")
	s.do("CREATE TABLE test.d (a INT, b INT DEFAULT (CONCAT('x')))")
	for q, want := range map[string]string{
		"SELECT " + strings.Repeat("(", 250) + "1" + strings.Repeat(")", 250): "1436 HY000 ",
		"SELECT a FROM test.t WHERE SUM(a)":                                   "1111 HY000 ",
		"UPDATE test.t SET b = 2 WHERE SUM(a) > 1":                            "1111 HY000 ",
		"DELETE FROM test.t WHERE GROUP_CONCAT(a)":                            "1111 HY000 ",
		"DO 1, SUM(1)":      "1111 HY000 ",
		"SET @a = COUNT(*)": "1111 HY000 ",
		"SELECT 1 FROM test.t x JOIN test.t y ON SUM(x.a)":              "1111 HY000 ",
		"SELECT a COLLATE utf8mb4_bin FROM test.t":                      "1253 42000 COLLATION 'utf8mb4_bin' is not valid for CHARACTER SET 'binary'",
		"DO INTERVAL 1 DAY":                                             "1064 42000 ",
		"SELECT 1 * INTERVAL 1 DAY":                                     "1064 42000 ",
		"SELECT INTERVAL 1 DAY - NOW()":                                 "1064 42000 ",
		"INSERT INTO test.d (a) VALUES (1)":                             "1067 42000 ",
		"UPDATE test.t SET b = JSON_ARRAY(1)":                           "3156 22018 Invalid JSON value for CAST",
		"UPDATE test.t SET b = j":                                       "3156 22018 Invalid JSON value for CAST",
		"CREATE TABLE test.c SELECT '" + strings.Repeat("a", 100) + "'": "1166 42000 Incorrect column name '",
		"CREATE TRIGGER test.r BEFORE INSERT ON test.t FOR EACH ROW BEGIN DECLARE EXIT HANDLER FOR 1 BEGIN END; END": "1235 42000 This version of MySQL doesn't yet support 'declare exit handler for 1",
		"CREATE TRIGGER test.r AFTER INSERT ON test.t FOR EACH ROW SET NEW.a = 1":                                    "1362 HY000 ",
		"ROLLBACK TO nosuch": "1305 42000 SAVEPOINT nosuch does not exist",
	} {
		if err := s.try(q); !strings.HasPrefix(code(err), want) {
			t.Errorf("%s: %v, want %s", q, err, want)
		}
	}
}
