package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/go-sql-driver/mysql"

	"pfsd/engine/bounds"
)

// A text that goes on in the same way for ever is refused, or carried out in some time: it neither ends the process nor
// keeps a processor, however it comes to the server.

// heavyKind is what a heavy text is. Each can stand for those behind it.
type heavyKind int

const (
	heavyExpression heavyKind = iota
	heavyQuery
	heavyStatement
	heavyBody // statements of a program
)

// heavyChain makes texts of any length: before, left n times, inner, right n times, after. In left and right # is the
// number of the link, from 1, and #-1 the one before.
type heavyChain struct {
	kind                              heavyKind
	before, left, inner, right, after string
}

func (c *heavyChain) text(n int) string {
	links := func(s string) string {
		if !strings.Contains(s, "#") {
			return strings.Repeat(s, n)
		}
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(strings.ReplaceAll(s, "#-1", strconv.Itoa(i)), "#", strconv.Itoa(i+1)))
		}
		return b.String()
	}
	return c.before + links(c.left) + c.inner + links(c.right) + c.after
}

// name is the text of two links.
func (c *heavyChain) name() string { return c.text(2) }

var heavyChains = []heavyChain{
	// operators one behind the other
	{heavyExpression, "", "", "1", "+1", ""}, {heavyExpression, "", "", "1", "-1.5", ""}, {heavyExpression, "", "", "1", "*1e0", ""}, {heavyExpression, "", "", "1", "/1", ""},
	{heavyExpression, "", "", "1", " DIV 1", ""}, {heavyExpression, "", "", "1", "%1", ""}, {heavyExpression, "", "", "1", " OR 1", ""}, {heavyExpression, "", "", "1", " AND 1", ""},
	{heavyExpression, "", "", "1", " XOR 1", ""}, {heavyExpression, "", "", "1", "||1", ""}, {heavyExpression, "", "", "1", "&&1", ""}, {heavyExpression, "", "", "1", "|1", ""}, {heavyExpression, "", "", "1", "&1", ""},
	{heavyExpression, "", "", "1", "^1", ""}, {heavyExpression, "", "", "1", "<<1", ""}, {heavyExpression, "", "", "1", "=1", ""}, {heavyExpression, "", "", "1", "<=>1", ""}, {heavyExpression, "", "", "1", " IS NULL", ""},
	{heavyExpression, "", "", "1", " IS NOT TRUE", ""}, {heavyExpression, "", "", "1", " COLLATE utf8mb4_bin", ""}, {heavyExpression, "", "", "NOW()", " + INTERVAL 1 DAY", ""}, {heavyExpression, "", "", "NOW()", " - INTERVAL a DAY", ""},
	{heavyExpression, "", "INTERVAL 1 DAY + ", "NOW()", "", ""}, {heavyExpression, "", "", "'a'", " LIKE 'a'", ""}, {heavyExpression, "", "", "'a'", " REGEXP 'a'", ""}, {heavyExpression, "", "", "j", "->'$.a'", ""},
	{heavyExpression, "", "", "1", " MEMBER OF ('[1]')", ""}, {heavyExpression, "", "", "'a'", " 'a'", ""}, {heavyExpression, "", "", "'a'", "\n'a'", ""}, {heavyExpression, "", "", "1", " IN (1)", ""}, {heavyExpression, "", "", "1", " BETWEEN 1 AND 2", ""},
	{heavyExpression, "", "", "1", " AND 1 OR 1", ""}, {heavyExpression, "a = 1", "", "", " OR a = #", ""}, {heavyExpression, "1", "", "", " AND a <> #", ""}, {heavyExpression, "1", "", "", " OR a IN (#, 2) AND s LIKE '%'", ""},
	// operators one before the other
	{heavyExpression, "", "NOT ", "1", "", ""}, {heavyExpression, "", "!", "1", "", ""}, {heavyExpression, "", "~", "1", "", ""}, {heavyExpression, "", "- ", "1", "", ""}, {heavyExpression, "", "+", "1", "", ""},
	{heavyExpression, "", "BINARY ", "1", "", ""}, {heavyExpression, "", "@a:=", "1", "", ""}, {heavyExpression, "", "1 BETWEEN 1 AND ", "1", "", ""}, {heavyExpression, "", "_utf8mb4 ", "'a'", "", ""},
	// in each other
	{heavyExpression, "", "(", "1", ")", ""}, {heavyExpression, "", "(", "1", "+1)", ""}, {heavyExpression, "", "(1, ", "1", ")", ""}, {heavyExpression, "", "ROW(1, ", "1", ") = 1", ""}, {heavyExpression, "", "-(", "1", ")", ""},
	{heavyExpression, "", "CASE WHEN 1 THEN ", "1", " END", ""}, {heavyExpression, "", "CASE WHEN ", "1", " THEN 1 END", ""}, {heavyExpression, "", "CASE 1 WHEN 1 THEN 1 ELSE ", "1", " END", ""}, {heavyExpression, "", "CASE ", "1", " WHEN 1 THEN 1 END", ""},
	{heavyExpression, "", "IF(1, ", "1", ", 2)", ""}, {heavyExpression, "", "IF(", "1", ", 1, 2)", ""}, {heavyExpression, "", "NULLIF(", "1", ", 2)", ""}, {heavyExpression, "", "IFNULL(", "1", ", 2)", ""}, {heavyExpression, "", "COALESCE(", "1", ", 2)", ""},
	{heavyExpression, "", "FIELD(1, ", "1", ")", ""}, {heavyExpression, "", "FIELD(", "1", ", 1, 2, 3)", ""}, {heavyExpression, "", "CONCAT('a', ", "1", ")", ""}, {heavyExpression, "", "GREATEST(", "1", ", 1)", ""}, {heavyExpression, "", "INTERVAL(1, ", "1", ")", ""},
	{heavyExpression, "", "CAST(", "1", " AS SIGNED)", ""}, {heavyExpression, "", "CAST(", "1", " AS JSON)", ""}, {heavyExpression, "", "CAST(", "'a'", " AS CHAR)", ""}, {heavyExpression, "", "CONVERT(", "'a'", " USING utf16)", ""}, {heavyExpression, "", "CAST(", "1", " AS DECIMAL(65,30))", ""},
	{heavyExpression, "", "ABS(", "1", ")", ""}, {heavyExpression, "", "UPPER(", "'a'", ")", ""}, {heavyExpression, "", "ROUND(", "1.5", ", 1)", ""}, {heavyExpression, "", "DATE_ADD(", "NOW()", ", INTERVAL 1 DAY)", ""}, {heavyExpression, "", "UNIX_TIMESTAMP(", "NOW()", ")", ""},
	{heavyExpression, "", "JSON_ARRAY(", "1", ")", ""}, {heavyExpression, "", "JSON_EXTRACT(", "'{}'", ", '$')", ""}, {heavyExpression, "", "TRIM(", "'a'", ")", ""}, {heavyExpression, "", "EXTRACT(YEAR FROM ", "1", ")", ""}, {heavyExpression, "", "SUM(", "a", ")", ""},
	{heavyExpression, "", "(1 BETWEEN ", "1", " AND 2)", ""}, {heavyExpression, "", "(", "1", " BETWEEN 1 AND 2)", ""}, {heavyExpression, "", "1 IN (1, ", "1", ")", ""}, {heavyExpression, "", "(", "1", ") IN (1, 2)", ""}, {heavyExpression, "", "('a' LIKE ", "'a'", ")", ""},
	{heavyExpression, "", "1 IN (SELECT ", "1", ")", ""}, {heavyExpression, "", "(SELECT ", "1", ")", ""}, {heavyExpression, "", "EXISTS (SELECT ", "1", ")", ""}, {heavyExpression, "", "1 = ANY (SELECT ", "1", ")", ""}, {heavyExpression, "", "NOT EXISTS (SELECT 1 FROM h1 WHERE ", "1", ")", ""},
	{heavyExpression, "", "/*! ", "1", " */", ""}, {heavyExpression, "", "/*!50000 1 + ", "1", " */", ""}, {heavyExpression, "", "/* ", "1", " */", ""}, {heavyExpression, "", "{fn ABS(", "1", ")}", ""}, {heavyExpression, "", "{d ", "'2020-01-01'", "}", ""},
	{heavyExpression, "", "VALUES(", "a", ")", ""}, {heavyExpression, "", "SUBSTRING(", "'a'", " FROM 1 FOR 1)", ""}, {heavyExpression, "", "POSITION(", "'a'", " IN 'a')", ""}, {heavyExpression, "", "GROUP_CONCAT(", "1", " ORDER BY 1)", ""},
	// side by side
	{heavyExpression, "CONCAT('a'", "", "", ", 'a'", ")"}, {heavyExpression, "CONCAT_WS(','", "", "", ", a", ")"}, {heavyExpression, "COALESCE(NULL", "", "", ", NULL", ")"}, {heavyExpression, "FIELD(1", "", "", ", 2", ")"}, {heavyExpression, "FIELD(s", "", "", ", a", ")"},
	{heavyExpression, "ELT(1", "", "", ", 2", ")"}, {heavyExpression, "GREATEST(1", "", "", ", #", ")"}, {heavyExpression, "LEAST('a'", "", "", ", a", ")"}, {heavyExpression, "INTERVAL(1", "", "", ", #", ")"}, {heavyExpression, "MAKE_SET(1", "", "", ", 'a'", ")"},
	{heavyExpression, "CHAR(1", "", "", ", 65", ")"}, {heavyExpression, "JSON_ARRAY(1", "", "", ", 1", ")"}, {heavyExpression, "JSON_OBJECT('a', 1", "", "", ", 'a#', 1", ")"}, {heavyExpression, "JSON_SET('{}'", "", "", ", '$.a#', 1", ")"}, {heavyExpression, "JSON_EXTRACT('{}'", "", "", ", '$.a'", ")"},
	{heavyExpression, "JSON_MERGE_PRESERVE('[]'", "", "", ", '[]'", ")"}, {heavyExpression, "ABS(1", "", "", ", 1", ")"}, {heavyExpression, "nosuch(1", "", "", ", 1", ")"}, {heavyExpression, "1 IN (1", "", "", ", #", ")"}, {heavyExpression, "a IN (1", "", "", ", 'x#'", ")"}, {heavyExpression, "a NOT IN (1", "", "", ", a", ")"},
	{heavyExpression, "(a, s) IN ((1, 2)", "", "", ", (#, 'a')", ")"}, {heavyExpression, "(1", "", "", ", 1", ") = 1"}, {heavyExpression, "CASE", "", "", " WHEN a = # THEN 1", " END"}, {heavyExpression, "CASE a", "", "", " WHEN # THEN 'a'", " END"}, {heavyExpression, "COUNT(DISTINCT a", "", "", ", a", ")"},
	{heavyExpression, "GROUP_CONCAT(a", "", "", ", s", ")"}, {heavyExpression, "GROUP_CONCAT(a ORDER BY a", "", "", ", s", ")"}, {heavyExpression, "1 /*", "", "", "/* a", "*/"}, {heavyExpression, "'", "", "", "a''", "'"}, {heavyExpression, "a REGEXP '", "(", "", ")", "'"}, {heavyExpression, "JSON_VALID('", "[", "", "]", "')"},
	{heavyExpression, "JSON_EXTRACT('{}', '$", "", "", ".a", "')"}, {heavyExpression, "JSON_EXTRACT('{}', '$", "", "", "**.a", "')"}, {heavyExpression, "a LIKE '", "", "", "%_", "'"}, {heavyExpression, "'a'", "", "", "/**/", ""}, {heavyExpression, "1", "", "", "\n", ""}, {heavyExpression, "ROW_NUMBER() OVER (ORDER BY a", "", "", ", a", ")"},
	{heavyExpression, "SUM(a) OVER (PARTITION BY a", "", "", ", a", ")"}, {heavyExpression, "1", "", "", ".", ""}, {heavyExpression, "a", "", "", ".a", ""}, {heavyExpression, "@a", "", "", "@a", ""}, {heavyExpression, "1", "", "", ", ?", ""},
	// queries
	{heavyQuery, "SELECT 1", "", "", ", 1", ""}, {heavyQuery, "SELECT a", "", "", ", a AS a#", " FROM t1"}, {heavyQuery, "SELECT *", "", "", ", t1.*", " FROM t1"}, {heavyQuery, "SELECT 1", "", "", ", SUM(a)", " FROM t1"}, {heavyQuery, "SELECT 1", "", "", ", SUM(a) OVER ()", " FROM t1"},
	{heavyQuery, "SELECT 1", "", "", ", (SELECT 1)", ""}, {heavyQuery, "SELECT 1", "", "", ", (SELECT MAX(a) FROM t1 WHERE t1.a = t2.a)", " FROM t2"}, {heavyQuery, "SELECT 1", "", "", ", @a := #", ""}, {heavyQuery, "SELECT 1", "", "", ", CASE WHEN a THEN 1 END", " FROM t1"},
	{heavyQuery, "SELECT 1", "", "", " UNION ALL SELECT 1", ""}, {heavyQuery, "SELECT 1", "", "", " UNION SELECT 1", ""}, {heavyQuery, "SELECT 1", "", "", " INTERSECT SELECT 1", ""}, {heavyQuery, "SELECT 1", "", "", " EXCEPT SELECT 1", ""}, {heavyQuery, "", "(", "SELECT 1", " UNION SELECT 1)", ""}, {heavyQuery, "", "(", "SELECT 1", ")", ""},
	{heavyQuery, "SELECT 1 FROM h1", "", "", ", h1", ""}, {heavyQuery, "SELECT 1 FROM h1 a0", "", "", ", h1 a#", ""}, {heavyQuery, "SELECT 1 FROM h1 a0", "", "", " JOIN h1 a#", ""}, {heavyQuery, "SELECT 1 FROM h1 a0", "", "", " JOIN h1 a# USING (a)", ""}, {heavyQuery, "SELECT 1 FROM h1 a0", "", "", " NATURAL JOIN h1 a#", ""},
	{heavyQuery, "SELECT 1 FROM h1 a0", "", "", " LEFT JOIN h1 a# ON a#.a = a#-1.a", ""}, {heavyQuery, "SELECT 1 FROM h1 a0", "", "", " JOIN h1 a# ON a#.a = a#-1.a", ""}, {heavyQuery, "SELECT 1 FROM h1 a0", "", "", " STRAIGHT_JOIN h1 a# ON a#.a <> a#-1.a", ""}, {heavyQuery, "SELECT 1 FROM ", "(", "t1", ")", ""}, {heavyQuery, "SELECT 1 FROM ", "(h1 x# JOIN ", "h1", ")", ""},
	{heavyQuery, "SELECT 1 FROM (SELECT 1 AS x) a0", "", "", " JOIN (SELECT 1 AS x) a# ON a#.x = a#-1.x", ""}, {heavyQuery, "", "SELECT a FROM (", "SELECT 1 AS a", ") t", ""}, {heavyQuery, "", "SELECT * FROM (SELECT 1 UNION ", "SELECT 1 AS a", ") t", ""}, {heavyQuery, "", "SELECT * FROM t1 WHERE a IN (", "SELECT 1", ")", ""}, {heavyQuery, "", "SELECT (", "SELECT 1", ")", ""},
	{heavyQuery, "SELECT 1 WHERE 1", "", "", " AND EXISTS (SELECT 1 FROM t1)", ""}, {heavyQuery, "SELECT 1 FROM t1 WHERE 1", "", "", " AND a IN (SELECT a FROM t2)", ""}, {heavyQuery, "SELECT 1 FROM t1 WHERE 0", "", "", " OR a NOT IN (SELECT a FROM t2)", ""},
	{heavyQuery, "WITH c0 AS (SELECT 1 AS a)", "", "", ", c# AS (SELECT x.a FROM c#-1 x JOIN c#-1 y)", " SELECT * FROM c0"}, {heavyQuery, "WITH c0 AS (SELECT 1 AS a)", "", "", ", c# AS (SELECT a FROM c#-1)", " SELECT * FROM c0"}, {heavyQuery, "", "WITH c# AS (", "SELECT 1", ") SELECT 1", ""}, {heavyQuery, "", "WITH c AS (SELECT 1) SELECT * FROM (", "SELECT 1", ") t", ""},
	{heavyQuery, "WITH RECURSIVE c0 AS (SELECT 1 AS a)", "", "", ", c# AS (SELECT 1 AS a UNION SELECT a + 1 FROM c# WHERE a < 3)", " SELECT 1"}, {heavyQuery, "WITH RECURSIVE c (a) AS (SELECT 1", "", "", " UNION ALL SELECT a + 1 FROM c WHERE a < 2", ") SELECT COUNT(*) FROM c"},
	{heavyQuery, "SELECT a FROM t1 GROUP BY a", "", "", ", s", ""}, {heavyQuery, "SELECT a FROM t1 ORDER BY a", "", "", ", s DESC", ""}, {heavyQuery, "SELECT COUNT(*) FROM t1 GROUP BY 1", "", "", ", #", " WITH ROLLUP"}, {heavyQuery, "SELECT a FROM t1 GROUP BY a", "", "", ", a + #", ""}, {heavyQuery, "SELECT 1 FROM t1 HAVING 1", "", "", " AND COUNT(*) > #", ""},
	{heavyQuery, "SELECT 1 FROM t1 WINDOW w0 AS ()", "", "", ", w# AS (w#-1)", ""}, {heavyQuery, "SELECT 1", "", "", ", SUM(a) OVER w", " FROM t1 WINDOW w AS (ORDER BY a)"}, {heavyQuery, "SELECT 1 FROM t1 ", "", "", " USE INDEX (s)", ""}, {heavyQuery, "SELECT 1 FROM t1 IGNORE INDEX (s", "", "", ", s", ")"}, {heavyQuery, "SELECT /*+ ", "", "", "NO_ICP(t1) ", "*/ 1 FROM t1"},
	{heavyQuery, "SELECT /*+ JOIN_ORDER(t1", "", "", ", t1", ") */ 1 FROM t1"}, {heavyQuery, "VALUES ROW(1)", "", "", ", ROW(1)", ""}, {heavyQuery, "VALUES ROW(1", "", "", ", 1", ")"}, {heavyQuery, "SELECT * FROM (VALUES ROW(1)", "", "", ", ROW(#)", ") v"}, {heavyQuery, "SELECT ", "DISTINCT ", "1", "", ""},
	{heavyQuery, "SELECT * FROM JSON_TABLE('[]', '$' COLUMNS (a0 INT PATH '$'", "", "", ", a# INT PATH '$.a'", ")) t"}, {heavyQuery, "SELECT * FROM JSON_TABLE('[]', '$' COLUMNS (", "NESTED PATH '$' COLUMNS (", "a INT PATH '$'", ")", ")) t"}, {heavyQuery, "TABLE t1", "", "", " UNION TABLE t1", ""},
	{heavyQuery, "SELECT 1 FROM performance_schema.threads WHERE 1", "", "", " AND THREAD_ID <> #", ""}, {heavyQuery, "SELECT 1 FROM performance_schema.threads WHERE THREAD_ID IN (0", "", "", ", #", ")"}, {heavyQuery, "SELECT 1 FROM performance_schema.threads a0", "", "", " JOIN performance_schema.threads a# USING (THREAD_ID)", ""},
	{heavyQuery, "SELECT 1 FROM sys.processlist a0", "", "", ", sys.processlist a#", " LIMIT 1"}, {heavyQuery, "SELECT 1 FROM v1 a0", "", "", " JOIN v1 a# ON a#.a = a#-1.a", ""}, {heavyQuery, "SELECT 1 INTO @a", "", "", ", @a", ""}, {heavyQuery, "SELECT 1 LIMIT 1", "", "", ", 1", ""}, {heavyQuery, "SELECT N'a'", "", "", ", N'a'", ""}, {heavyQuery, "SELECT 0b1", "", "", ", 0b1", ""},
	{heavyQuery, "SELECT 1", "", "", ", 1 = ANY (SELECT 1)", ""}, {heavyQuery, "SELECT 1", "", "", ", DATE'2020-01-01'", ""}, {heavyQuery, "SELECT 1 FROM (t1)", "", "", " JOIN (t2)", ""}, {heavyQuery, "SELECT '\\%'", "", "", ", '\\%'", ""}, {heavyQuery, "SELECT 1", "", "", ", {fn NOW()}", ""}, {heavyQuery, "SELECT 1", "", "", ", ROW(1, 1) = ROW(1, 1)", ""},
	// other statements
	{heavyStatement, "SET @a0 = 1", "", "", ", @a# = #", ""}, {heavyStatement, "SET sort_buffer_size = 100000", "", "", ", sort_buffer_size = 100000", ""}, {heavyStatement, "SET @@sql_mode = ''", "", "", ", SESSION sql_mode = ''", ""}, {heavyStatement, "DO 1", "", "", ", 1", ""}, {heavyStatement, "DO 1", "", "", ", (SELECT 1)", ""},
	{heavyStatement, "INSERT INTO t2 (a) VALUES (100)", "", "", ", (100)", ""}, {heavyStatement, "INSERT IGNORE INTO ht (a, b) VALUES (100, 1)", "", "", ", (# + 100, -#)", ""}, {heavyStatement, "INSERT INTO t2 VALUES (1", "", "", ", 1", ")"}, {heavyStatement, "INSERT INTO t2 (a", "", "", ", a", ") VALUES (1)"}, {heavyStatement, "INSERT INTO t2 SET a = 1", "", "", ", a = 1", ""},
	{heavyStatement, "INSERT INTO ht (a) VALUES (1) ON DUPLICATE KEY UPDATE b = 1", "", "", ", b = b + 1", ""}, {heavyStatement, "INSERT INTO ht (a) VALUES (1) ON DUPLICATE KEY UPDATE b = 1", "", "", ", b = VALUES(b)", ""}, {heavyStatement, "REPLACE INTO ht (a, b) VALUES (1, 1)", "", "", ", (1, (SELECT 1))", ""}, {heavyStatement, "UPDATE ht SET b = 1", "", "", ", b = b + 1", ""},
	{heavyStatement, "UPDATE ht", "", "", ", h1 x#", " SET ht.b = 1"}, {heavyStatement, "UPDATE ht SET b = 1 WHERE a = 1", "", "", " OR a = #", ""}, {heavyStatement, "DELETE FROM ht WHERE a IN (1", "", "", ", #", ")"}, {heavyStatement, "DELETE FROM ht WHERE a = 1", "", "", " AND b <> #", ""}, {heavyStatement, "DELETE ht FROM ht", "", "", " JOIN h1 x#", ""}, {heavyStatement, "DELETE FROM ht ORDER BY a", "", "", ", b", ""}, {heavyStatement, "DELETE ht", "", "", ", ht", " FROM ht"},
	{heavyStatement, "CREATE TABLE hc (a0 INT", "", "", ", a# INT", ")"}, {heavyStatement, "CREATE TABLE hc (a INT", "", "", ", KEY k# (a)", ")"}, {heavyStatement, "CREATE TABLE hc (a INT, KEY (a", "", "", ", a", "))"}, {heavyStatement, "CREATE TABLE hc (a INT", "", "", ", CHECK (a > #)", ")"}, {heavyStatement, "CREATE TABLE hc (a INT", "", "", ", CONSTRAINT f# FOREIGN KEY (a) REFERENCES t2 (a)", ")"},
	{heavyStatement, "CREATE TABLE hc (a0 INT", "", "", ", a# INT AS (a#-1 + 1)", ")"}, {heavyStatement, "CREATE TABLE hc (a0 INT", "", "", ", a# INT DEFAULT (1 + 1)", ")"}, {heavyStatement, "CREATE TABLE hc (a INT", "", "", " NOT NULL", ")"}, {heavyStatement, "CREATE TABLE hc (a INT", "", "", " COMMENT 'a'", ")"}, {heavyStatement, "CREATE TABLE hc (a ENUM('a0'", "", "", ", 'a#'", "))"}, {heavyStatement, "CREATE TABLE hc (a SET('a0'", "", "", ", 'a#'", "))"},
	{heavyStatement, "CREATE TABLE hc (a INT)", "", "", " COMMENT = 'a'", ""}, {heavyStatement, "CREATE TABLE hc (a INT) PARTITION BY RANGE (a) (PARTITION p0 VALUES LESS THAN (0)", "", "", ", PARTITION p# VALUES LESS THAN (#)", ")"}, {heavyStatement, "CREATE TABLE hc (a INT) PARTITION BY HASH (a", "", "", " + 1", ")"}, {heavyStatement, "CREATE TABLE hc (a INT) PARTITION BY LIST (a) (PARTITION p0 VALUES IN (0", "", "", ", #", "))"},
	{heavyStatement, "CREATE TABLE hc AS SELECT 1 AS a0", "", "", ", 1 AS a#", ""}, {heavyStatement, "ALTER TABLE ht ADD c0 INT", "", "", ", ADD c# INT", ""}, {heavyStatement, "ALTER TABLE ht ADD c0 INT", "", "", ", ADD KEY k# (b)", ""}, {heavyStatement, "ALTER TABLE ht ADD c0 INT", "", "", ", ALTER b SET DEFAULT #", ""}, {heavyStatement, "ALTER TABLE ht ADD c0 INT", "", "", ", MODIFY b BIGINT", ""}, {heavyStatement, "ALTER TABLE ht RENAME COLUMN b TO c0", "", "", ", RENAME COLUMN c#-1 TO c#", ""},
	{heavyStatement, "ALTER TABLE ht ADD c0 INT", "", "", ", ADD CHECK (b > #)", ""}, {heavyStatement, "ALTER TABLE ht ADD c0 INT", "", "", ", DROP COLUMN c#", ""}, {heavyStatement, "ALTER TABLE ht ADD COLUMN (c0 INT", "", "", ", c# INT", ")"}, {heavyStatement, "ALTER TABLE ht ADD c0 INT", "", "", ", COMMENT = 'a'", ""}, {heavyStatement, "CREATE INDEX hi ON ht (a", "", "", ", b", ")"},
	{heavyStatement, "DROP TABLE IF EXISTS hc", "", "", ", hc#", ""}, {heavyStatement, "DROP VIEW IF EXISTS hc", "", "", ", hc#", ""}, {heavyStatement, "RENAME TABLE ht TO hc0", "", "", ", hc#-1 TO hc#", ""}, {heavyStatement, "LOCK TABLES t1 READ", "", "", ", t1 AS a# READ", ""}, {heavyStatement, "FLUSH TABLES t1", "", "", ", t2", ""}, {heavyStatement, "CHECK TABLE t1", "", "", ", t2", ""}, {heavyStatement, "ANALYZE TABLE t1", "", "", ", t2", ""}, {heavyStatement, "OPTIMIZE TABLE t1", "", "", ", t2", ""},
	{heavyStatement, "CREATE USER IF NOT EXISTS hu@h0", "", "", ", hu@h#", ""}, {heavyStatement, "DROP USER IF EXISTS hu@h0", "", "", ", hu@h#", ""}, {heavyStatement, "ALTER USER IF EXISTS hu@h0", "", "", ", hu@h# ACCOUNT LOCK", ""}, {heavyStatement, "GRANT SELECT", "", "", ", SELECT", " ON t1 TO nobody"}, {heavyStatement, "GRANT SELECT (a", "", "", ", a", ") ON t1 TO nobody"}, {heavyStatement, "GRANT SELECT ON t1 TO nobody", "", "", ", nobody", ""}, {heavyStatement, "REVOKE SELECT", "", "", ", INSERT", " ON *.* FROM nobody"},
	{heavyStatement, "SET ROLE r0", "", "", ", r#", ""}, {heavyStatement, "SHOW GRANTS FOR nobody USING r0", "", "", ", r#", ""}, {heavyStatement, "GRANT r0", "", "", ", r#", " TO nobody"}, {heavyStatement, "CALL p1(1", "", "", ", 1", ")"}, {heavyStatement, "CALL p1(1", "", "", "+ 1", ")"}, {heavyStatement, "SHOW VARIABLES WHERE 1", "", "", " OR Value = #", ""}, {heavyStatement, "SHOW TABLES LIKE '", "", "", "%_", "'"}, {heavyStatement, "SHOW PROFILE ALL", "", "", ", CPU", ""},
	{heavyStatement, "EXPLAIN ", "EXPLAIN ", "SELECT 1", "", ""}, {heavyStatement, "EXPLAIN ", "ANALYZE ", "SELECT 1", "", ""}, {heavyStatement, "PREPARE hs FROM '", "", "SELECT 1", "+1", "'"}, {heavyStatement, "EXECUTE hs USING @a", "", "", ", @a", ""}, {heavyStatement, "LOAD DATA INFILE 'nosuch' INTO TABLE t2 (a", "", "", ", @a", ")"}, {heavyStatement, "LOAD DATA INFILE 'nosuch' INTO TABLE t2 (a) SET s = 1", "", "", ", s = 1", ""},
	{heavyStatement, "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'a'", "", "", ", MYSQL_ERRNO = 1", ""}, {heavyStatement, "GET DIAGNOSTICS @a = NUMBER", "", "", ", @a = ROW_COUNT", ""}, {heavyStatement, "CREATE PROCEDURE hq (a0 INT", "", "", ", a# INT", ") SELECT 1"}, {heavyStatement, "CREATE VIEW hw (a0", "", "", ", a#", ") AS SELECT 1"}, {heavyStatement, "", "(", "SELECT 1", "", ""}, {heavyStatement, "", ")", "SELECT 1", "", ""}, {heavyStatement, "", "SELECT ", "1", "", ""}, {heavyStatement, "", "", "", ";", ""}, {heavyStatement, "", "", "SELECT 1", ";SELECT 1", ""},
	// statements of programs
	{heavyBody, "", "BEGIN ", "SELECT 1; ", "END; ", ""}, {heavyBody, "", "IF 1 THEN ", "SELECT 1; ", "END IF; ", ""}, {heavyBody, "", "IF 0 THEN SELECT 1; ELSE ", "SELECT 1; ", "END IF; ", ""}, {heavyBody, "IF 0 THEN SELECT 1; ", "", "", "ELSEIF 0 THEN SELECT 1; ", "END IF; "}, {heavyBody, "", "CASE 1 WHEN 1 THEN ", "SELECT 1; ", "END CASE; ", ""}, {heavyBody, "CASE 1 ", "", "", "WHEN # THEN SELECT 1; ", "END CASE; "},
	{heavyBody, "", "WHILE 0 DO ", "SELECT 1; ", "END WHILE; ", ""}, {heavyBody, "", "REPEAT ", "SELECT 1; ", "UNTIL 1 END REPEAT; ", ""}, {heavyBody, "", "l#: LOOP ", "LEAVE l1; ", "END LOOP; ", ""}, {heavyBody, "", "", "", "SELECT 1; ", ""}, {heavyBody, "", "", "", "SET @a = #; ", ""}, {heavyBody, "", "", "", "BEGIN END; ", ""}, {heavyBody, "", "", "", "IF 1 THEN SET @a = 1; END IF; ", ""},
	{heavyBody, "", "", "", "DECLARE a# INT; ", ""}, {heavyBody, "DECLARE a0", "", "", ", a#", " INT; "}, {heavyBody, "", "", "", "DECLARE c# CONDITION FOR 1; ", ""}, {heavyBody, "", "", "", "DECLARE c# CURSOR FOR SELECT 1; ", ""}, {heavyBody, "DECLARE CONTINUE HANDLER FOR 1", "", "", ", #", " BEGIN END; "}, {heavyBody, "", "DECLARE EXIT HANDLER FOR 1 BEGIN ", "", "END; ", ""}, {heavyBody, "", "", "", "DECLARE EXIT HANDLER FOR # BEGIN END; ", ""},
	{heavyBody, "", "BEGIN DECLARE x INT DEFAULT 1; ", "SELECT x; ", "END; ", ""}, {heavyBody, "", "", "", "CALL p1(1); ", ""}, {heavyBody, "", "IF EXISTS (SELECT 1) THEN ", "SELECT 1; ", "END IF; ", ""}, {heavyBody, "", "", "", "INSERT INTO t2 VALUES (1, 'a', 1); ", ""}, {heavyBody, "IF 1", "", "", " + 1", " THEN SELECT 1; END IF; "}, {heavyBody, "SET @a = 1", "", "", " OR 1", "; "},
	{heavyBody, "", "", "", "PREPARE s FROM 'SELECT 1'; ", ""}, {heavyBody, "", "IF 1 THEN ", "", "", ""}, {heavyBody, "", "BEGIN ", "", "", ""}, {heavyBody, "", "", "", "END; ", ""}, {heavyBody, "SELECT 1 INTO @a", "", "", ", @a", "; "}, {heavyBody, "FETCH c INTO a", "", "", ", a", "; "}, {heavyBody, "", "", "", "SELECT N'a'; ", ""}, {heavyBody, "", "", "", "SET @a := 1 || 2; ", ""},
}

// heavyWay is how a text comes to the server: statements in which {E} is the expression, {Q} the query, {S} the statement
// and {B} the statements of a program; {'S'} is the statement as a literal. One behind "prepare " is prepared by the
// protocol's command. Each may fail.
type heavyWay struct {
	name  string
	takes heavyKind // the last kind that it takes
	steps []string
}

var heavyWays = []heavyWay{
	{"COM_QUERY", heavyStatement, []string{"{S}"}},
	{"COM_STMT_PREPARE", heavyStatement, []string{"prepare {S}"}},
	{"PREPARE", heavyStatement, []string{"SET @heavy = {'S'}", "PREPARE s FROM @heavy", "EXECUTE s", "DEALLOCATE PREPARE s"}},
	{"procedure", heavyBody, []string{"DROP PROCEDURE IF EXISTS hp", "CREATE PROCEDURE hp() BEGIN {B} END", "CALL hp()", "SHOW CREATE PROCEDURE hp", "SELECT LENGTH(ROUTINE_DEFINITION) FROM information_schema.ROUTINES WHERE ROUTINE_NAME = 'hp'"}},
	{"procedure of one statement", heavyStatement, []string{"DROP PROCEDURE IF EXISTS hp", "CREATE PROCEDURE hp() {S}", "CALL hp()"}},
	{"trigger", heavyBody, []string{"DROP TRIGGER IF EXISTS hr", "CREATE TRIGGER hr BEFORE INSERT ON ht FOR EACH ROW BEGIN {B} END", "INSERT INTO ht (a) VALUES (1000)", "SHOW CREATE TRIGGER hr", "SHOW TRIGGERS"}},
	{"trigger of an expression", heavyExpression, []string{"DROP TRIGGER IF EXISTS hr", "CREATE TRIGGER hr BEFORE UPDATE ON ht FOR EACH ROW SET NEW.b = {E}", "UPDATE ht SET b = 1"}},
	{"event", heavyBody, []string{"DROP EVENT IF EXISTS he", "CREATE EVENT he ON SCHEDULE EVERY 1 DAY DO BEGIN {B} END", "ALTER EVENT he DO BEGIN {B} END", "SHOW CREATE EVENT he", "SHOW EVENTS"}},
	{"time of an event", heavyExpression, []string{"DROP EVENT IF EXISTS he", "CREATE EVENT he ON SCHEDULE AT {E} DO SELECT 1"}},
	{"function", heavyBody, []string{"DROP FUNCTION IF EXISTS hf", "CREATE FUNCTION hf() RETURNS INT BEGIN {B} RETURN 1; END", "SELECT hf()"}},
	{"view", heavyQuery, []string{"DROP VIEW IF EXISTS hv", "CREATE VIEW hv AS {Q}", "SELECT * FROM hv", "SHOW CREATE VIEW hv", "SELECT LENGTH(VIEW_DEFINITION) FROM information_schema.VIEWS WHERE TABLE_NAME = 'hv'", "SELECT 1 FROM hv a, hv b LIMIT 1", "ALTER VIEW hv AS {Q}"}},
	{"digest", heavyBody, []string{"SELECT STATEMENT_DIGEST({'S'})", "DO STATEMENT_DIGEST_TEXT({'S'})"}},
	{"EXPLAIN", heavyStatement, []string{"EXPLAIN {S}", "EXPLAIN FORMAT=TREE {S}"}},
	{"second statement", heavyStatement, []string{"SELECT 1; {S}"}},
	{"first statement", heavyStatement, []string{"{S}; SELECT 1"}},
	{"execute_prepared_stmt", heavyStatement, []string{"CALL sys.execute_prepared_stmt({'S'})"}},
	{"functions of sys", heavyBody, []string{"SELECT LENGTH(sys.format_statement({'S'})), LENGTH(sys.quote_identifier({'S'})), LENGTH(sys.list_add({'S'}, 'a')), LENGTH(sys.list_drop({'S'}, 'a')), LENGTH(sys.format_path({'S'})), LENGTH(sys.extract_table_from_file_name({'S'}))"}},
	{"procedures of sys", heavyBody, []string{"CALL sys.table_exists('scratch', {'S'}, @a)", "CALL sys.create_synonym_db({'S'}, 'a')", "CALL sys.ps_setup_enable_instrument({'S'})", "CALL sys.ps_setup_disable_consumer({'S'})", "CALL sys.statement_performance_analyzer({'S'}, NULL, NULL)"}},
	{"CREATE TABLE of a query", heavyQuery, []string{"CREATE TABLE hc {Q}", "SHOW CREATE TABLE hc"}},
	{"INSERT of a query", heavyQuery, []string{"INSERT INTO ht (a) {Q}"}},
	{"derived table", heavyQuery, []string{"SELECT 1 FROM ({Q}) d"}},
	{"common table expression", heavyQuery, []string{"WITH c AS ({Q}) SELECT 1 FROM c"}},
	{"operand", heavyQuery, []string{"SET @a = ({Q})", "SELECT EXISTS ({Q}), 1 IN ({Q})"}},
	{"cursor", heavyQuery, []string{"DROP PROCEDURE IF EXISTS hp", "CREATE PROCEDURE hp() BEGIN DECLARE c CURSOR FOR {Q}; OPEN c; CLOSE c; END", "CALL hp()"}},
	{"condition", heavyExpression, []string{"SELECT a FROM t1 WHERE {E} ORDER BY {E}", "SELECT a FROM t1 GROUP BY {E} HAVING {E}", "DELETE FROM ht WHERE {E}", "UPDATE ht SET b = {E}", "SELECT 1 FROM t1 JOIN t2 ON {E}"}},
	{"conditions of an index", heavyExpression, []string{"SELECT THREAD_ID FROM performance_schema.threads WHERE THREAD_ID = {E}", "SELECT b FROM ht WHERE a = {E}", "SELECT b FROM ht WHERE a BETWEEN 1 AND {E}"}},
	{"SHOW", heavyExpression, []string{"SHOW VARIABLES WHERE {E}", "SHOW PROCESSLIST", "SHOW TABLES WHERE {E}"}},
	{"definition of a column", heavyExpression, []string{"CREATE TABLE hc (a INT, s INT, b INT DEFAULT ({E}), CHECK ({E}), c INT AS ({E}))", "INSERT INTO hc (a) VALUES (1)", "SHOW CREATE TABLE hc", "DESCRIBE hc", "ALTER TABLE ht ADD d INT AS ({E})"}},
	{"argument", heavyExpression, []string{"CALL p1({E})", "DO {E}", "SET @a = {E}", "SET SESSION sort_buffer_size = {E}", "SELECT SLEEP(0 * ({E}))", "KILL QUERY {E}", "INSERT INTO t2 VALUES ({E}, {E}, {E})"}},
	{"window", heavyExpression, []string{"SELECT SUM(a) OVER (PARTITION BY {E} ORDER BY {E}) FROM t1", "SELECT LAG({E}) OVER () FROM t1", "SELECT SUM({E}), GROUP_CONCAT({E}) FROM t1"}},
}

// as are the steps of a way for the text of a kind.
func (w *heavyWay) as(kind heavyKind, text string) []string {
	var expression, query, statement, body string
	switch kind {
	case heavyExpression:
		expression, query = text, "SELECT "+text+" FROM t1"
	case heavyQuery:
		query = text
	case heavyStatement:
		statement = text
	case heavyBody:
		body = text
	}
	if statement == "" {
		statement = query
	}
	if body == "" {
		body = statement + ";"
	} else if statement == "" {
		statement = body
	}
	literal := "'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(statement) + "'"
	r := strings.NewReplacer("{E}", expression, "{Q}", query, "{S}", statement, "{B}", body, "{'S'}", literal)
	steps := make([]string, len(w.steps))
	for i, s := range w.steps {
		steps[i] = r.Replace(s)
	}
	return steps
}

// heavyLength is how long a text is at most: a packet holds it, with quotes and what stands around it.
const heavyLength = 900 << 10

// most is the longest chain that is not refused for its weight, and that a packet holds, of about longest at most.
func (c *heavyChain) most(longest int) int {
	fits := func(n int) bool {
		text := c.text(n)
		if len(text) > heavyLength {
			return false
		}
		switch c.kind {
		case heavyExpression:
			text = "SELECT " + text
		case heavyBody:
			text = "CREATE PROCEDURE p() BEGIN " + text + "END"
		}
		w := bounds.Measure(text, false)
		if w.Check() != nil {
			return false
		}
		if w.Depth < 100 && w.Commas < 4096 && w.Tables < 61 && w.Doubling == 0 {
			return true
		}
		s, _, err := ast.ParseOneWithOptions(context.Background(), text, ast.ParserOptions{})
		return err != nil || w.Tree(s) == nil
	}
	return lastThat(fits, longest)
}

// lastThat is the last number that fits, if smaller ones do, up to most.
func lastThat(fits func(int) bool, most int) int {
	low := 1
	for low < most && fits(2*low) {
		low *= 2
	}
	for step := low / 2; step > 0; step /= 2 {
		if fits(low + step) {
			low += step
		}
	}
	return low
}

// heavySession sends heavy texts.
type heavySession struct {
	*hostileSession
	count, slow int
	slowest     time.Duration
	longest     string // statement
}

const (
	heavyTime = 30 * time.Second // that a statement may take, with much else going on
	heavySlow = 2 * time.Second  // that of one that is told of
)

// begin starts a session of root's.
func (h *hostile) begin() *heavySession {
	h.t.Helper()
	const root = 3
	s, err := h.session(root, "multiStatements=true")
	if err != nil {
		h.t.Fatal(err)
	}
	return &heavySession{hostileSession: s}
}

// send sends a step of a way.
func (s *heavySession) send(step string) *finding {
	send := func() error { return readAll(s.conn, step) }
	if text, ok := strings.CutPrefix(step, "prepare "); ok {
		send = func() error { return prepareAndRun(s.conn, text) }
	}
	began, where := time.Now(), make(chan string, 1)
	busy := time.AfterFunc(heavyTime-time.Second, func() { where <- busyPlace(s.stacks()) })
	f := s.watch(step, heavyTime, send)
	took := time.Since(began)
	var e *mysql.MySQLError
	if s.count++; took > s.slowest {
		s.slowest, s.longest = took, step
	}
	if took > heavySlow {
		s.slow++
	}
	if !busy.Stop() && f == nil && s.killed {
		f = &finding{fmt.Sprintf("it was killed after %v", heavyTime), s.account, step, <-where}
	}
	if f == nil && s.outcome != nil && !errors.As(s.outcome, &e) {
		f = &finding{"KILL: the connection is lost: " + s.outcome.Error(), s.account, step, ""}
	}
	if f == nil && e != nil && e.Number == 1105 && strings.Contains(e.Message, "panic") {
		f = &finding{e.Message, s.account, step, ""}
	}
	if f != nil { // a statement of a megabyte says no more than its beginning
		f.statement = abridged(f.statement)
		f.what = abridged(f.what)
	}
	return f
}

// abridged is a text, or its beginning and its end.
func abridged(s string) string {
	if s = strings.ReplaceAll(s, "\n", " "); len(s) > 200 {
		s = fmt.Sprintf("%s ... %s (%d bytes)", s[:120], s[len(s)-60:], len(s))
	}
	return s
}

// prepareAndRun prepares a statement by the protocol's command, and carries it out.
func prepareAndRun(c *sql.Conn, text string) error {
	p, err := c.PrepareContext(context.Background(), text)
	if err != nil {
		return err
	}
	rows, err := p.QueryContext(context.Background())
	if err == nil {
		for rows.Next() {
		}
		err = errors.Join(rows.Err(), rows.Close())
	}
	return errors.Join(err, p.Close())
}

// heavyTables are what each way finds.
var heavyTables = []string{
	"DROP TABLE IF EXISTS hc, ht, h1", "CREATE TABLE h1 (a INT PRIMARY KEY)", "INSERT INTO h1 VALUES (1)", "CREATE TABLE ht (a INT PRIMARY KEY, b INT, s VARCHAR(20))", "INSERT INTO ht VALUES (1, 1, 'a'), (2, NULL, 'b')",
}

// heavyRound sends chains, to one server after the other where one ends.
type heavyRound struct {
	*heavySession
	findings map[string]int // how often
}

func beginHeavy(t *testing.T) *heavyRound {
	t.Helper()
	return &heavyRound{attack(t).begin(), map[string]int{}}
}

// come sends a chain of n links in a way.
func (r *heavyRound) come(c *heavyChain, w *heavyWay, n int) {
	r.t.Helper()
	for n > 1 && len(slices.MaxFunc(w.as(c.kind, c.text(n)), func(a, b string) int { return len(a) - len(b) })) > heavyLength {
		n /= 2
	}
	for _, step := range append(heavyTables[:len(heavyTables):len(heavyTables)], w.as(c.kind, c.text(n))...) {
		f := r.send(step)
		if f == nil {
			continue
		}
		if f.isFirst(r.findings) {
			r.t.Errorf("%q, %d times, %s: %v", c.name(), n, w.name, f)
		}
		if !r.alive() || strings.HasPrefix(f.what, "KILL") {
			r.stop()
			r.close()
			next := attack(r.t).begin()
			next.count, next.slow, next.slowest, next.longest = r.count, r.slow, r.slowest, r.longest
			r.heavySession = next
			return
		}
	}
}

// end tells what has been sent, and what has come of it.
func (r *heavyRound) end() {
	r.close()
	r.t.Logf("%d statements, %d longer than %v; the longest took %v: %s; findings and how often: %v", r.count, r.slow, heavySlow, r.slowest, abridged(r.longest), r.findings)
}

// heavyWaysOf are those in which a chain can come.
func heavyWaysOf(c *heavyChain) (ways []*heavyWay) {
	for i := range heavyWays {
		if w := &heavyWays[i]; c.kind <= w.takes {
			ways = append(ways, w)
		}
	}
	return ways
}

// Each chain comes in one of the ways, and each way has several chains. They are as long as makes what doubles at each link
// endless, and what is nested deep.
func TestSomeHeavyTexts(t *testing.T) {
	if raceEnabled {
		t.Skip("without the race detector alone: what a chain takes is no matter of races")
	}
	const links = 100
	r := beginHeavy(t)
	defer func() { r.end() }()
	sent := map[*heavyWay]int{}
	for i := range heavyChains {
		c := &heavyChains[i]
		ways := heavyWaysOf(c)
		w := ways[i%len(ways)]
		r.come(c, w, c.most(links))
		sent[w]++
	}
	for i := range heavyWays {
		if w := &heavyWays[i]; sent[w] < 2 {
			t.Errorf("%d chains come in the way %s", sent[w], w.name)
		}
	}
}

// Each chain comes in every way, as long as a quarter of what is allowed, as all of it, and far longer. All of them take
// hours: PFSD_HEAVY is a part of the first two links of those that are sent.
func TestHeavyTexts(t *testing.T) {
	const longest = 1 << 19
	only, ok := os.LookupEnv("PFSD_HEAVY")
	if !ok {
		t.Skip("PFSD_HEAVY='WITH c1' has the chains sent that contain it, '' all of them")
	}
	r := beginHeavy(t)
	defer func() { r.end() }()
	for i := range heavyChains {
		c := &heavyChains[i]
		if !strings.Contains(c.name(), only) {
			continue
		}
		t.Logf("%d of %d: %q", i+1, len(heavyChains), c.name())
		most := c.most(longest)
		far := lastThat(func(n int) bool { return len(c.text(n)) <= heavyLength }, max(longest, 4*most))
		for _, w := range heavyWaysOf(c) {
			for _, n := range []int{max(most/4, 1), most, far} {
				r.come(c, w, n)
			}
		}
	}
}
