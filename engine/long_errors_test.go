package engine

import (
	"context"
	"errors"
	"fmt"
	runtimemetrics "runtime/metrics"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// longErrors are statements whose errors or warnings quote what is @v, or {} in the text: a long value.
var longErrors = []string{
	"INSERT INTO test.t (i) VALUES (@v)", "INSERT IGNORE INTO test.t (i) VALUES (@v)", "INSERT INTO test.t (d) VALUES (@v)", "INSERT INTO test.t (dt) VALUES (@v)", "INSERT INTO test.t (tm) VALUES (@v)", "INSERT INTO test.t (e) VALUES (@v)",
	"INSERT INTO test.t (s) VALUES (@v)", "INSERT INTO test.t (j) VALUES (@v)", "INSERT INTO test.t (g) VALUES (@v)", "INSERT INTO test.t (n) VALUES (@v)", "INSERT INTO test.t (c) VALUES (@v)", "INSERT INTO test.t (y) VALUES (@v)", "INSERT INTO test.t (f) VALUES (@v)",
	"UPDATE test.k SET a = @v", "UPDATE IGNORE test.k SET a = @v", "SELECT CAST(@v AS SIGNED), CAST(@v AS DECIMAL(5, 2)), CAST(@v AS DATE), CAST(@v AS TIME), CAST(@v AS DOUBLE) FROM test.k", "SELECT CAST(@v AS JSON)", "SELECT @v + 1, @v = 1, @v AND 1", "DELETE FROM test.k WHERE a = @v",
	"SELECT JSON_EXTRACT('{}', @v)", "SELECT JSON_VALID(@v), JSON_LENGTH(@v)", "SELECT ST_GeomFromText(@v)", "SELECT UUID_TO_BIN(@v)", "SELECT CONVERT_TZ(NOW(), @v, 'UTC')", "SELECT STR_TO_DATE(@v, '%Y')", "SELECT REGEXP_LIKE('a', CONCAT('(', @v))", "SELECT GET_LOCK(@v, 1)", "SELECT 1 LIKE @v ESCAPE 'ab'",
	"SELECT FORMAT(1, 2, @v)", "SELECT DATE_ADD(@v, INTERVAL 1 DAY)", "SELECT INET6_ATON(@v), INET_ATON(@v)", "SELECT FROM_BASE64(@v)", "SELECT JSON_TABLE(@v)", "SELECT sys.format_bytes(@v)",
	"SET sql_mode = @v", "SET time_zone = @v", "SET character_set_results = @v", "SET SESSION default_storage_engine = @v", "SET GLOBAL max_connections = @v", "SET SESSION max_execution_time = @v", "SET SESSION transaction_isolation = @v", "SET lc_time_names = @v", "KILL @v",
	"PREPARE s FROM @v", "CALL test.p(@v)", "CALL test.raise(@v)", "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = @v", "SIGNAL SQLSTATE '45000' SET TABLE_NAME = @v", "SIGNAL SQLSTATE '01000' SET MESSAGE_TEXT = @v", "SET ROLE @v",
	"SELECT '{}' + 1", "SELECT `{}` FROM test.k", "SELECT * FROM `{}`", "SELECT * FROM `{}`.t", "SELECT {}()", "SELECT test.{}(1)", "SELECT @@{}", "SET @@{} = 1", "USE `{}`", "SELECT {", "{} {}", "SELECT 1 '{}' x y", "EXECUTE `{}`", "CALL `{}`()", "CREATE TABLE test.`{}` (a INT)", "CREATE TABLE test.x (`{}` INT)",
	"CREATE TABLE test.x (a INT DEFAULT '{}')", "CREATE TABLE test.x (a ENUM('a', 'a{}', 'a{}'))", "CREATE USER '{}'", "CREATE USER 'a'@'{}'", "GRANT SELECT ON test.k TO '{}'", "DROP USER '{}'", "DROP TABLE `{}`", "DROP VIEW `{}`", "DROP EVENT test.`{}`", "DROP PROCEDURE test.`{}`", "DROP DATABASE `{}`",
	"CREATE DATABASE `{}`", "SHOW CREATE TABLE `{}`", "SHOW VARIABLES LIKE {}", "ALTER TABLE test.k DROP COLUMN `{}`", "ALTER TABLE test.k DROP INDEX `{}`", "CREATE INDEX `{}` ON test.k (a)", "SELECT CONVERT('a' USING {})", "SELECT 'a' COLLATE {}", "SELECT DATE'{}'", "SELECT 0x{}", "SET NAMES {}", "SELECT * FROM test.k PARTITION (`{}`)",
	"SELECT * FROM test.k USE INDEX (`{}`)", "EXPLAIN FORMAT={} SELECT 1", "LOAD DATA INFILE '{}' INTO TABLE test.k", "SELECT 1 INTO OUTFILE '{}'", "CREATE TABLE test.x (a INT) ENGINE={}", "SAVEPOINT `{}`", "ROLLBACK TO `{}`", "HELP '{}'", "CHANGE MASTER TO {}", "INSERT INTO performance_schema.setup_actors VALUES ('{}', '{}', '{}', 'YES', 'YES')",
	"UPDATE performance_schema.setup_instruments SET ENABLED = '{}'", "CREATE TRIGGER test.`{}` BEFORE INSERT ON test.k FOR EACH ROW SET @x = 1", "CREATE PROCEDURE test.x() LEAVE `{}`", "CREATE PROCEDURE test.x() BEGIN DECLARE `{}` INT; DECLARE `{}` INT; END",
}

// allocated is how many bytes the process has allocated.
func allocated() uint64 {
	s := []runtimemetrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	runtimemetrics.Read(s)
	return s[0].Value.Uint64()
}

// TestLongErrors: the text of an error and of a warning is bounded wherever it is seen, however long what it quotes, and costs no more than
// some copies of it.
func TestLongErrors(t *testing.T) {
	oneAtATime(t)
	const size = 64 << 10
	r := serveAll(t, Options{MaxAllowedPacket: 4 * size})
	for _, q := range []string{
		"CREATE TABLE test.t (i INT, d DATE, dt DATETIME, tm TIME, e ENUM('a'), s SET('a'), j JSON, g GEOMETRY, n DECIMAL(5, 2), c VARCHAR(10), y YEAR, f DOUBLE)", "CREATE TABLE test.k (a INT PRIMARY KEY)", "INSERT INTO test.k VALUES (1), (2), (3)",
		"CREATE PROCEDURE test.p(x INT) SELECT x", "CREATE PROCEDURE test.raise(x LONGTEXT) SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = x",
		"UPDATE performance_schema.setup_consumers SET ENABLED = 'YES'",
	} {
		r.exec(t, q)
	}
	c, _ := r.conn(t)
	run := func(q string) error { _, err := c.ExecContext(context.Background(), q); return err }
	if err := run(fmt.Sprintf("SET @v = CONCAT('x', REPEAT('é', %d))", size/2)); err != nil {
		t.Fatal(err)
	}
	literal := strings.Repeat("x", size)
	failed := map[string]bool{}
	for _, q := range longErrors {
		text := strings.ReplaceAll(q, "{}", literal)
		before := allocated()
		err := run(text)
		cost := allocated() - before
		var e *mysql.MySQLError
		if errors.As(err, &e) {
			failed[q] = true
			if len(e.Message) > 511 {
				t.Errorf("%s: an error of %d bytes: %.200s", q, len(e.Message), e.Message)
			}
			if e.Number == 1815 {
				t.Errorf("%s: %v", q, err)
			}
		} else if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		if strings.Contains(q, "@v") && cost > 200*size {
			t.Errorf("%s allocates %d KB", q, cost>>10)
		}
		rows, err := c.QueryContext(context.Background(), "SHOW WARNINGS")
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var level, message string
			var number int
			if err := rows.Scan(&level, &number, &message); err != nil {
				t.Fatal(err)
			}
			if failed[q] = true; len(message) > 511 {
				t.Errorf("%s: a warning of %d bytes: %.200s", q, len(message), message)
			}
		}
		_ = rows.Close()
	}
	if len(failed) < len(longErrors)*3/4 {
		t.Errorf("only %d of %d statements have an error or a warning", len(failed), len(longErrors))
	}
	r.want(t, "SELECT COUNT(*), MAX(LENGTH(MESSAGE_TEXT)) <= 511 FROM performance_schema.events_statements_history_long WHERE ERRORS > 0 HAVING COUNT(*) > 50", r.query(t, "SELECT COUNT(*), 1 FROM performance_schema.events_statements_history_long WHERE ERRORS > 0")[0])
	r.want(t, "SELECT COUNT(*) FROM performance_schema.error_log WHERE LENGTH(DATA) > 66000", "0")
}
