package engine

import (
	"strings"
	"testing"
)

// TestErrorsOfUsersTables: what goes wrong with users' tables has the number, the SQLSTATE and the
// text that MySQL 8.4 has for it.
func TestErrorsOfUsersTables(t *testing.T) {
	r := serve(t, Options{}, &fake{name: "setup", rows: 3})
	for s := range strings.Lines(`CREATE TABLE test.t (a INT PRIMARY KEY, b VARCHAR(3) NOT NULL, c INT, d ENUM('x','y'), e DATE, f TINYINT, g DECIMAL(4,2), h DOUBLE, UNIQUE KEY c (c))
		CREATE TABLE test.u (a INT, b INT)
		CREATE TABLE test.two (a INT, b INT, PRIMARY KEY (a, b))
		CREATE TABLE test.p (id INT PRIMARY KEY)
		CREATE TABLE test.c (id INT PRIMARY KEY, p INT, CONSTRAINT fk FOREIGN KEY (p) REFERENCES test.p (id))
		CREATE TABLE test.k (a INT CHECK (a > 0), KEY i (a))
		CREATE VIEW test.v AS SELECT 1
		CREATE PROCEDURE test.proc(x INT) SELECT x
		CREATE TRIGGER test.tr BEFORE INSERT ON test.u FOR EACH ROW SET NEW.a = 1
		INSERT INTO test.t VALUES (1, 'x', 1, 'x', '2024-01-01', 1, 1, 1)
		INSERT INTO test.two VALUES (1, 2)
		INSERT INTO test.u VALUES (1, 1), (2, 2)
		INSERT INTO test.p VALUES (1)
		INSERT INTO test.c VALUES (1, 1)`) {
		r.exec(t, strings.TrimSpace(s))
	}
	c := r.as(t, "root")
	if got := answerTo(t.Context(), c, "SELECT * FROM t"); got != "1046 3D000 No database selected" {
		t.Errorf("without a database: %s", got)
	}
	if got := answerTo(t.Context(), c, "USE test"); got != "ok" {
		t.Fatal(got)
	}
	for _, q := range userErrors {
		if got := answerTo(t.Context(), c, q.statement); got != q.want {
			t.Errorf("%s\n got %s\nwant %s", q.statement, got, q.want)
		}
	}
}

var userErrors = []question{
	{"INSERT INTO t (a, b) VALUES (1, 'y')", "1062 23000 Duplicate entry '1' for key 't.PRIMARY'"},
	{"INSERT INTO t (a, b, c) VALUES (2, 'y', 1)", "1062 23000 Duplicate entry '1' for key 't.c'"},
	{"INSERT INTO two VALUES (1, 2)", "1062 23000 Duplicate entry '1-2' for key 'two.PRIMARY'"},
	{"INSERT INTO t (a) VALUES (2)", "1364 HY000 Field 'b' doesn't have a default value"},
	{"INSERT INTO t (b) VALUES ('x')", "1364 HY000 Field 'a' doesn't have a default value"},
	{"INSERT INTO u VALUES (1)", "1136 21S01 Column count doesn't match value count at row 1"},
	{"INSERT INTO u VALUES (1, 2), (1)", "1136 21S01 Column count doesn't match value count at row 2"},
	{"INSERT INTO u (a) VALUES (1, 2)", "1136 21S01 Column count doesn't match value count at row 1"},
	{"INSERT INTO u (a) SELECT 1, 2", "1136 21S01 Column count doesn't match value count at row 1"},
	{"INSERT INTO u (a, a) VALUES (1, 2)", "1110 42000 Column 'a' specified twice"},
	{"INSERT INTO u (nosuch) VALUES (1)", "1054 42S22 Unknown column 'nosuch' in 'field list'"},
	{"INSERT INTO t (a, b) VALUES (2, 'toolong')", "1406 22001 Data too long for column 'b' at row 1"},
	{"INSERT INTO t (a, b) VALUES (2, NULL)", "1048 23000 Column 'b' cannot be null"},
	{"INSERT INTO t (a, b, f) VALUES (2, 'x', 300)", "1264 22003 Out of range value for column 'f' at row 1"},
	{"INSERT INTO t (a, b, g) VALUES (2, 'x', 1000)", "1264 22003 Out of range value for column 'g' at row 1"},
	{"INSERT INTO t (a, b) VALUES (99999999999, 'x')", "1264 22003 Out of range value for column 'a' at row 1"},
	{"INSERT INTO t (a, b) VALUES ('x', 'x')", "1366 HY000 Incorrect integer value: 'x' for column 'a' at row 1"},
	{"INSERT INTO t (a, b, g) VALUES (2, 'x', 'y')", "1366 HY000 Incorrect decimal value: 'y' for column 'g' at row 1"},
	{"INSERT INTO t (a, b, d) VALUES (2, 'x', 'z')", "1265 01000 Data truncated for column 'd' at row 1"},
	{"INSERT INTO t (a, b, e) VALUES (2, 'x', 'nodate')", "1292 22007 Incorrect date value: 'nodate' for column 'e' at row 1"},
	{"UPDATE t SET a = NULL", "1048 23000 Column 'a' cannot be null"},
	{"UPDATE t SET b = 'toolong'", "1406 22001 Data too long for column 'b' at row 1"},
	{"UPDATE t SET nosuch = 1", "1054 42S22 Unknown column 'nosuch' in 'field list'"},
	{"UPDATE t SET a = nosuch", "1054 42S22 Unknown column 'nosuch' in 'field list'"},
	{"UPDATE t SET a = 1 WHERE nosuch = 1", "1054 42S22 Unknown column 'nosuch' in 'where clause'"},
	{"DELETE FROM t WHERE nosuch = 1", "1054 42S22 Unknown column 'nosuch' in 'where clause'"},
	{"SELECT nosuch FROM t", "1054 42S22 Unknown column 'nosuch' in 'field list'"},
	{"SELECT t.nosuch FROM t", "1054 42S22 Unknown column 't.nosuch' in 'field list'"},
	{"SELECT x.a FROM t", "1054 42S22 Unknown column 'x.a' in 'field list'"},
	{"SELECT x.* FROM t", "1051 42S02 Unknown table 'x'"},
	{"SELECT a FROM t WHERE nosuch = 1", "1054 42S22 Unknown column 'nosuch' in 'where clause'"},
	{"SELECT a FROM t ORDER BY nosuch", "1054 42S22 Unknown column 'nosuch' in 'order clause'"},
	{"SELECT a FROM t GROUP BY nosuch", "1054 42S22 Unknown column 'nosuch' in 'group statement'"},
	{"SELECT a FROM t HAVING nosuch = 1", "1054 42S22 Unknown column 'nosuch' in 'having clause'"},
	{"SELECT 1 FROM t JOIN u ON t.a = u.nosuch", "1054 42S22 Unknown column 'u.nosuch' in 'on clause'"},
	{"SELECT a FROM t JOIN u", "1052 23000 Column 'a' in 'field list' is ambiguous"},
	{"SELECT 1 FROM t JOIN u WHERE a = 1", "1052 23000 Column 'a' in 'where clause' is ambiguous"},
	{"SELECT 1 FROM t JOIN u ON a = 1", "1052 23000 Column 'a' in 'on clause' is ambiguous"},
	{"SELECT t.a FROM t JOIN u ORDER BY b", "1052 23000 Column 'b' in 'order clause' is ambiguous"},
	{"SELECT 1 FROM t JOIN t", "1066 42000 Not unique table/alias: 't'"},
	{"SELECT 1 FROM t x JOIN u x", "1066 42000 Not unique table/alias: 'x'"},
	{"SELECT b FROM u GROUP BY a", "1055 42000 Expression #1 of SELECT list is not in GROUP BY clause and contains nonaggregated column 'test.u.b' which is not functionally dependent on columns in GROUP BY clause; this is incompatible with sql_mode=only_full_group_by"},
	{"SELECT a, COUNT(*) FROM u", "1140 42000 In aggregated query without GROUP BY, expression #1 of SELECT list contains nonaggregated column 'test.u.a'; this is incompatible with sql_mode=only_full_group_by"},
	{"SELECT a FROM u WHERE COUNT(*) > 1", "1111 HY000 Invalid use of group function"},
	{"SELECT SUM(COUNT(*)) FROM u", "1111 HY000 Invalid use of group function"},
	{"SELECT (SELECT a FROM u)", "1242 21000 Subquery returns more than 1 row"},
	{"SELECT (SELECT 1, 2)", "1241 21000 Operand should contain 1 column(s)"},
	{"SELECT 1 IN (SELECT 1, 2)", "1241 21000 Operand should contain 1 column(s)"},
	{"SELECT 1 UNION SELECT 1, 2", "1222 21000 The used SELECT statements have a different number of columns"},
	{"SELECT 1, 2 UNION SELECT 1", "1222 21000 The used SELECT statements have a different number of columns"},
	{"SELECT 1 IN (SELECT 1, 2 EXCEPT SELECT 1)", "1222 21000 The used SELECT statements have a different number of columns"},
	{"SELECT 1, 2, 3 INTERSECT SELECT * FROM u", "1222 21000 The used SELECT statements have a different number of columns"},
	{"SELECT * FROM (SELECT 1)", "1248 42000 Every derived table must have its own alias"},
	{"SELECT nosuch()", "1305 42000 FUNCTION test.nosuch does not exist"},
	{"SELECT x.nosuch()", "1305 42000 FUNCTION x.nosuch does not exist"},
	{"SELECT ABS()", "1582 42000 Incorrect parameter count in the call to native function 'ABS'"},
	{"SELECT abs(1, 2)", "1582 42000 Incorrect parameter count in the call to native function 'abs'"},
	{"SELECT @@nosuch", "1193 HY000 Unknown system variable 'nosuch'"},
	{"SET nosuch = 1", "1193 HY000 Unknown system variable 'nosuch'"},
	{"SET SESSION max_connections = 1", "1229 HY000 Variable 'max_connections' is a GLOBAL variable and should be set with SET GLOBAL"},
	{"SET NAMES nosuch", "1115 42000 Unknown character set: 'nosuch'"},
	{"SELECT 'a' COLLATE nosuch", "1273 HY000 Unknown collation: 'nosuch'"},
	{"SELECT _utf8mb4'a' COLLATE latin1_bin", "1253 42000 COLLATION 'latin1_bin' is not valid for CHARACTER SET 'utf8mb4'"},
	{"CREATE TABLE x (a VARCHAR(3) COLLATE nosuch)", "1273 HY000 Unknown collation: 'nosuch'"},
	{"CREATE TABLE x (a VARCHAR(3) CHARACTER SET nosuch)", "1115 42000 Unknown character set: 'nosuch'"},
	{"DELETE FROM p", "1451 23000 Cannot delete or update a parent row: a foreign key constraint fails (`test`.`c`, CONSTRAINT `fk` FOREIGN KEY (`p`) REFERENCES `p` (`id`))"},
	{"INSERT INTO c VALUES (2, 2)", "1452 23000 Cannot add or update a child row: a foreign key constraint fails (`test`.`c`, CONSTRAINT `fk` FOREIGN KEY (`p`) REFERENCES `p` (`id`))"},
	{"DROP TABLE p", "3730 HY000 Cannot drop table 'p' referenced by a foreign key constraint 'fk'."},
	{"INSERT INTO k VALUES (-1)", "3819 HY000 Check constraint 'k_chk_1' is violated."},
	{"CREATE TABLE t (a INT)", "1050 42S01 Table 't' already exists"},
	{"CREATE VIEW v AS SELECT 1", "1050 42S01 Table 'v' already exists"},
	{"CREATE TABLE x (a INT, a INT)", "1060 42S21 Duplicate column name 'a'"},
	{"CREATE TABLE x (a INT, KEY k (a), KEY k (a))", "1061 42000 Duplicate key name 'k'"},
	{"CREATE TABLE x (a INT, PRIMARY KEY (b))", "1072 42000 Key column 'b' doesn't exist in table"},
	{"CREATE TABLE x (a INT AUTO_INCREMENT)", "1075 42000 Incorrect table definition; there can be only one auto column and it must be defined as a key"},
	{"CREATE TABLE x (a INT DEFAULT 'x')", "1067 42000 Invalid default value for 'a'"},
	{"CREATE TABLE nosuch.x (a INT)", "1049 42000 Unknown database 'nosuch'"},
	{"CREATE DATABASE test", "1007 HY000 Can't create database 'test'; database exists"},
	{"DROP DATABASE nosuch", "1008 HY000 Can't drop database 'nosuch'; database doesn't exist"},
	{"USE nosuch", "1049 42000 Unknown database 'nosuch'"},
	{"DROP TABLE nosuch", "1051 42S02 Unknown table 'test.nosuch'"},
	{"DROP VIEW nosuch", "1051 42S02 Unknown table 'test.nosuch'"},
	{"ALTER TABLE t DROP COLUMN nosuch", "1091 42000 Can't DROP 'nosuch'; check that column/key exists"},
	{"ALTER TABLE t DROP INDEX nosuch", "1091 42000 Can't DROP 'nosuch'; check that column/key exists"},
	{"DROP INDEX nosuch ON t", "1091 42000 Can't DROP 'nosuch'; check that column/key exists"},
	{"ALTER TABLE t ADD COLUMN a INT", "1060 42S21 Duplicate column name 'a'"},
	{"ALTER TABLE t MODIFY COLUMN nosuch INT", "1054 42S22 Unknown column 'nosuch' in 't'"},
	{"ALTER TABLE t RENAME COLUMN nosuch TO x", "1054 42S22 Unknown column 'nosuch' in 't'"},
	{"ALTER TABLE k ADD INDEX i (a)", "1061 42000 Duplicate key name 'i'"},
	{"ALTER TABLE t ADD PRIMARY KEY (b)", "1068 42000 Multiple primary key defined"},
	{"CREATE INDEX x ON t (nosuch)", "1072 42000 Key column 'nosuch' doesn't exist in table"},
	{"ALTER TABLE nosuch ADD COLUMN a INT", "1146 42S02 Table 'test.nosuch' doesn't exist"},
	{"RENAME TABLE nosuch TO x", "1146 42S02 Table 'test.nosuch' doesn't exist"},
	{"RENAME TABLE t TO u", "1050 42S01 Table 'u' already exists"},
	{"SELECT * FROM nosuch", "1146 42S02 Table 'test.nosuch' doesn't exist"},
	{"SELECT * FROM nosuch.t", "1049 42000 Unknown database 'nosuch'"},
	{"INSERT INTO nosuch VALUES (1)", "1146 42S02 Table 'test.nosuch' doesn't exist"},
	{"TRUNCATE TABLE nosuch", "1146 42S02 Table 'test.nosuch' doesn't exist"},
	{"SHOW CREATE TABLE nosuch", "1146 42S02 Table 'test.nosuch' doesn't exist"},
	{"SHOW COLUMNS FROM nosuch", "1146 42S02 Table 'test.nosuch' doesn't exist"},
	{"SHOW TABLES FROM nosuch", "1049 42000 Unknown database 'nosuch'"},
	{"CREATE PROCEDURE proc() SELECT 1", "1304 42000 PROCEDURE proc already exists"},
	{"DROP PROCEDURE nosuch", "1305 42000 PROCEDURE test.nosuch does not exist"},
	{"CALL nosuch()", "1305 42000 PROCEDURE test.nosuch does not exist"},
	{"CALL performance_schema.nosuch()", "1305 42000 PROCEDURE performance_schema.nosuch does not exist"},
	{"CALL proc()", "1318 42000 Incorrect number of arguments for PROCEDURE test.proc; expected 1, got 0"},
	{"DROP TRIGGER nosuch", "1360 HY000 Trigger does not exist"},
	{"DROP EVENT nosuch", "1539 HY000 Unknown event 'nosuch'"},
	{"INSERT INTO v VALUES (1)", "1471 HY000 The target table v of the INSERT is not insertable-into"},
	{"UPDATE v SET `1` = 2", "1288 HY000 The target table v of the UPDATE is not updatable"},
	{"DELETE FROM v", "1288 HY000 The target table v of the DELETE is not updatable"},
	{"SELEC 1", "1064 42000 You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'SELEC 1' at line 1"},
	{"SELECT JSON_EXTRACT('{}', 'x')", "3143 42000 Invalid JSON path expression. The error is around character position 1."},
	{"KILL 99999", "1094 HY000 Unknown thread id: 99999"},
	{"ROLLBACK TO SAVEPOINT nosuch", "1305 42000 SAVEPOINT nosuch does not exist"},
	{"RELEASE SAVEPOINT nosuch", "1305 42000 SAVEPOINT nosuch does not exist"},
	{"EXECUTE nosuch", "1243 HY000 Unknown prepared statement handler (nosuch) given to EXECUTE"},
	{"DEALLOCATE PREPARE nosuch", "1243 HY000 Unknown prepared statement handler (nosuch) given to DEALLOCATE PREPARE"},
	{"PREPARE s FROM 'SELEC 1'", "1064 42000 You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'SELEC 1' at line 1"},
	{"SELECT CAST('x' AS nosuch)", "1064 42000 You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'nosuch)' at line 1"},
	{"SET sql_mode = 'nosuch'", "1231 42000 Variable 'sql_mode' can't be set to the value of 'nosuch'"},
	{"SET autocommit = 'maybe'", "1231 42000 Variable 'autocommit' can't be set to the value of 'maybe'"},
	{"SET max_join_size = 'x'", "1232 42000 Incorrect argument type to variable 'max_join_size'"},
	{"SELECT 1 FROM dual WHERE a", "1054 42S22 Unknown column 'a' in 'where clause'"},
	{"SELECT *", "1096 HY000 No tables used"},
	{"SELECT a FROM t UNION SELECT a FROM u ORDER BY nosuch", "1054 42S22 Unknown column 'nosuch' in 'order clause'"},
	{"SELECT CONCAT()", "1582 42000 Incorrect parameter count in the call to native function 'CONCAT'"},
}
