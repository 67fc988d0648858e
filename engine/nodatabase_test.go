package engine

import (
	"testing"

	"pfsd/tables"
)

// TestNoDatabase: what needs a database is refused where there is none, whatever it is.
func TestNoDatabase(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	c := r.as(t, "root")
	for _, q := range []string{
		"CALL p()", "PREPARE s FROM 'CALL p()'", "SELECT * FROM t", "TABLE t", "SELECT (SELECT 1 FROM t)", "WITH c AS (SELECT * FROM t) SELECT * FROM c", "EXPLAIN SELECT * FROM t", "EXPLAIN t",
		"CREATE TABLE t (id INT)", "CREATE TABLE t AS SELECT 1", "CREATE TABLE t (SELECT 1)", "CREATE TABLE t LIKE u", "CREATE TEMPORARY TABLE t (a INT)", "CREATE VIEW v AS SELECT 1",
		"CREATE PROCEDURE p() SELECT 1", "CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW SET @a = 1", "CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO SELECT 1", "CREATE INDEX i ON t (a)",
		"DROP TABLE t", "DROP TEMPORARY TABLE t", "DROP VIEW v", "DROP PROCEDURE p", "DROP TRIGGER tr", "DROP EVENT e", "DROP INDEX i ON t", "ALTER TABLE t ADD b INT", "ALTER EVENT e DISABLE",
		"ALTER VIEW v AS SELECT 2", "ALTER DATABASE CHARACTER SET utf8mb4", "RENAME TABLE t TO u", "TRUNCATE t", "INSERT INTO t VALUES (1)", "REPLACE INTO t VALUES (1)", "UPDATE t SET a = 1",
		"UPDATE t JOIN u SET a = 1", "DELETE FROM t", "DELETE t FROM t JOIN u", "LOAD DATA INFILE 'x' INTO TABLE t", "HANDLER t OPEN", "LOCK TABLES t READ", "FLUSH TABLES t", "FLUSH TABLES t WITH READ LOCK",
		"ANALYZE TABLE t", "CHECK TABLE t", "OPTIMIZE TABLE t", "REPAIR TABLE t", "CHECKSUM TABLE t", "SHOW TABLES", "SHOW FULL TABLES", "SHOW TABLE STATUS", "SHOW TRIGGERS", "SHOW EVENTS", "SHOW COLUMNS FROM t",
		"SHOW INDEX FROM t", "DESCRIBE t", "SHOW CREATE TABLE t", "SHOW CREATE VIEW v", "SHOW CREATE PROCEDURE p", "SHOW CREATE TRIGGER tr", "SHOW CREATE EVENT e", "GRANT SELECT ON t TO root@localhost",
		"GRANT SELECT ON * TO root@localhost", "REVOKE SELECT ON t FROM root@localhost",
	} {
		check(t, c, [2]string{q, "1046 3D000 No database selected"})
	}
	check(t, c, [][2]string{
		{"SELECT f()", "1305 42000 FUNCTION f does not exist"}, {"SET @a = f()", "1305 42000 FUNCTION f does not exist"}, {"DO f()", "1305 42000 FUNCTION f does not exist"},
		{"DROP FUNCTION f", "1305 42000 FUNCTION (UDF) f does not exist"}, {"DROP FUNCTION IF EXISTS f", "ok"}, {"CALL nosuch.p()", "1049 42000 Unknown database 'nosuch'"},
		{"CALL sys.nosuch()", "1305 42000 PROCEDURE sys.nosuch does not exist"}, {"WITH c AS (SELECT 1) SELECT * FROM c", "1"}, {"FLUSH TABLES", "ok"},
		{"CREATE DATABASE gone", "ok"}, {"USE gone", "ok"}, {"CREATE PROCEDURE p() SET @a = 1", "ok"}, {"PREPARE s FROM 'CALL p()'", "ok"}, {"DROP DATABASE gone", "ok"}, {"EXECUTE s", "1049 42000 Unknown database 'gone'"},
	}...)
}

// TestCreateSelect: a table made of a query has its own columns with their defaults, and then those of the query.
func TestCreateSelect(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{}, tables.All()...)
	c := r.as(t, "root")
	check(t, c, [2]string{"USE test", "ok"})
	for _, s := range []struct{ definition, rows, want string }{
		{"(id INT AUTO_INCREMENT, PRIMARY KEY(id)) AS SELECT 1 AS a", "CONCAT_WS(' ', id, a)", "1 1"},
		{"(a INT, b INT AUTO_INCREMENT PRIMARY KEY) AS SELECT 3 AS a", "CONCAT_WS(' ', b, a)", "1 3"},
		{"(id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT UNIQUE) SELECT n FROM (SELECT 5 AS n UNION SELECT 6) AS d", "CONCAT_WS(' ', id, n)", "1 5\n2 6"},
		{"(id INT AUTO_INCREMENT, PRIMARY KEY(id)) AS SELECT 7 AS id, 1 AS a", "CONCAT_WS(' ', id, a)", "7 1"},
		{"(b INT DEFAULT 5, c VARCHAR(3) DEFAULT 'x', d INT) ENGINE=InnoDB AS SELECT 1 AS a", "CONCAT_WS(' ', b, c, d, a)", "5 x 1"},
		{"(b DATE DEFAULT (CURRENT_DATE)) AS SELECT 1 AS a", "b = CURRENT_DATE", "1"},
		{"(b INT CHECK (b > 0)) AS SELECT 1 AS b", "b", "1"},
		{"AS (SELECT 1 AS a)", "a", "1"}, {"(SELECT 1 AS a)", "a", "1"}, {"((SELECT 1 AS a))", "a", "1"}, {"(b INT) (SELECT 1 AS a)", "a", "1"}, {"(b INT) AS ((SELECT 1 AS a))", "a", "1"},
		{"(b INT) SELECT 1 AS a UNION SELECT 2", "a", "1\n2"}, {"AS (SELECT 1 AS a) UNION (SELECT 2)", "a", "1\n2"}, {"AS WITH c AS (SELECT 1 AS a) SELECT * FROM c", "a", "1"},
		{"AS VALUES ROW(1, 2)", "column_1", "2"}, {"(KEY (a)) COMMENT='of a query' AS TABLE made_before", "a", "9"}, {"SELECT 'a;b' AS a", "a", "a;b"},
	} {
		check(t, c, [][2]string{
			{"CREATE TABLE IF NOT EXISTS made_before AS (SELECT 9 AS a)", "ok"}, {"CREATE TABLE made " + s.definition, "ok"}, {"SELECT " + s.rows + " FROM made", s.want}, {"DROP TABLE made", "ok"},
			{"CREATE TEMPORARY TABLE made " + s.definition, "ok"}, {"SELECT " + s.rows + " FROM made", s.want}, {"DROP TABLE made", "ok"},
		}...)
	}
	check(t, c, [][2]string{
		{"CREATE TABLE IF NOT EXISTS made_before AS SELECT 10 AS a", "ok"}, {"SELECT a FROM made_before", "9"},
		{"CREATE TABLE made (c INT NOT NULL) AS SELECT 1 AS a", "1364 HY000 Field 'c' doesn't have a default value"}, {"SELECT 1 FROM made", "1146 42S02 Table 'test.made' doesn't exist"},
		{"CREATE TABLE made (b INT CHECK (b > 0)) AS SELECT 0 AS b", "3819 HY000 Check constraint 'made_chk_1' is violated."}, {"SELECT 1 FROM made", "1146 42S02 Table 'test.made' doesn't exist"},
		{"CREATE TABLE made (a INT PRIMARY KEY) AS SELECT 1 AS a UNION ALL SELECT 1", "1062 23000 Duplicate entry '1' for key 'made.PRIMARY'"}, {"SELECT 1 FROM made", "1146 42S02 Table 'test.made' doesn't exist"},
		{"CREATE TABLE made AS SELECT 1 AS a, 2 AS a", "1060 42S21 Duplicate column name 'a'"},
	}...)
}

// TestProgramsBeforeStatements: behind a program, other statements may follow in one packet.
func TestProgramsBeforeStatements(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{Init: []string{
		"CREATE DATABASE IF NOT EXISTS test; CREATE PROCEDURE test.i(OUT r INT) SET r=3; SELECT 2;\n CREATE PROCEDURE test.j() SELECT 4; SET @x = 1",
	}}, tables.All()...)
	db := r.open(t, "multiStatements=true")
	db.SetMaxOpenConns(1)
	for _, c := range []struct{ program, call, want string }{
		{"CREATE PROCEDURE test.p(OUT r INT) SET r=7", "CALL test.p(@r); SELECT @r", "7"},
		{"CREATE PROCEDURE test.p() SET @r = ';' ", "CALL test.p(); SELECT @r", ";"},
		{" CREATE PROCEDURE test.p() INSERT INTO test.t VALUES (1) /* ; */ ", "CALL test.p(); SELECT MAX(a) FROM test.t", "1"},
		{"CREATE PROCEDURE test.p() COMMENT 'a;b' BEGIN SET @r = 5; SET @r = @r + 1; END", "CALL test.p(); SELECT @r", "6"},
		{"CREATE PROCEDURE test.p() IF 1 THEN SET @r = 8; END IF", "CALL test.p(); SELECT @r", "8"},
		{"CREATE TRIGGER test.p BEFORE INSERT ON test.t FOR EACH ROW SET NEW.a = NEW.a + 10", "INSERT INTO test.t VALUES (1); SELECT MAX(a) FROM test.t; DROP TRIGGER test.p", "11"},
		{"CREATE EVENT test.p ON SCHEDULE EVERY 1 DAY DO SET @x=1", "SELECT EVENT_DEFINITION FROM information_schema.EVENTS WHERE EVENT_NAME = 'p'; DROP EVENT test.p", "SET @x=1"},
	} {
		for _, first := range []string{"", "SET @r = 0;", "SET @r = 0; \n "} {
			rows, err := db.Query("CREATE TABLE IF NOT EXISTS test.t (a INT); " + first + c.program + "; " + c.call + "; DROP PROCEDURE IF EXISTS test.p")
			if err != nil {
				t.Errorf("%s: %v", c.program, err)
				continue
			}
			got := ""
			for more := true; more; more = rows.NextResultSet() {
				for rows.Next() {
					if err := rows.Scan(&got); err != nil {
						t.Error(err)
					}
				}
			}
			if err := rows.Err(); err != nil || got != c.want {
				t.Errorf("%q, %s: %q, %v; want %q", first, c.program, got, err, c.want)
			}
			_ = rows.Close()
		}
	}
	r.want(t, "CALL test.j()", "4")
	r.exec(t, "CALL test.i(@r)")
}
