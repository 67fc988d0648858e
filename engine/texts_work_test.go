package engine

import (
	"database/sql"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pfsd/tables"
)

// textBeginnings are what stands before the part of a text that repeats, and textParts what repeats.
var textBeginnings = []string{
	"", "SELECT ", "SELECT 1 ", "SELECT 'a", "SELECT `a", "CREATE VIEW v AS SELECT ", "CREATE PROCEDURE p() BEGIN ", "SET PASSWORD = 'a' ", "ALTER USER a IDENTIFIED BY 'x' ", "EXPLAIN ",
	"INSERT INTO t VALUES (", "WITH c AS (", "SELECT * FROM (", "SELECT 1 FROM a WHERE ", "GRANT ", "SET @a = ", "HANDLER t OPEN ", "SHOW ", "CREATE TABLE t (a INT ", "/*!50001 ", "DO ", "GET DIAGNOSTICS ", "PREPARE s FROM ", "CALL p(",
	"CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO ", "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW ", "SELECT 1; ",
}

var textParts = []string{
	"/**/", "/*!50001 x*/", "/*!50001 */", "/*!50001 x*/ ", "/*!99999 x*/", "/*M!100100 a*/", "/*M!a*/ ", "/*+ a*/", "/*!50001 ", "/*!", "/*", "*/", "#\n", "#", "-- \n", "--\n", "-- a", "//\n",
	";", "; ", "(", ")", "( ", "()", "[", "]", "{", "}", "'", "''", "'a' ", "'a'\n", "\"", "\"\"", "\"a\" ", "`", "``", "`a` ", "`a`.", "@", "@@a", "@a ", "@`a`", "@'a'", "a@", "\\", "\\'", "\\%", "\n", " ", "\t", "\r", "\v", "\x00", "\xff", "é",
	"a", "a ", "a.", "a.b ", "a,", ",", ", ", ".", "..", ":", ":=", ":a ", "::", "?", "?,", "1", "1 ", "1.", "1e", "1e5 ", "0x", "0b", "0b1 ", "x'", "x'ff' ", "b'", "N'", "N'a' ", "_utf8'", "=", "< ", "->", "||", "|| ", "+", "-", "- ", "*", "%", "~", "!",
	"FROM", "FROM ", "FROM(", "FROM (", "JOIN (", "JOIN ", "a JOIN ", "WINDOW ", "WINDOW w AS (", "OVER ", "OVER w ", "DATE'", "DATE ''", "DATE '' ", "TIME  ", "IDENTIFIED BY ", "IDENTIFIED BY 'a' ", "PASSWORD ", "PASSWORD=", "DELIMITER ", "BEGIN ", "BEGIN; ", "END ", "END; ",
	"IF ", "IF 1 THEN ", "CASE ", "WHEN ", "THEN ", "LOOP ", "SELECT ", "SELECT(", "SELECT 1;", "SELECT a,", "SELECT * FROM ", "INSERT ", "INSERT INTO t VALUES ", "CREATE ", "CREATE TABLE a (", "TABLE ", "PARTITION ", "PARTITION BY (", "KEY (", "CONSTRAINT ", "DEFAULT ",
	"CREATE PROCEDURE p() ", "WITH ", "WITH a AS (", "INTERVAL ", "INTERVAL 1 DAY ", "+ INTERVAL 1 DAY ", "GRANT ", "EXPLAIN ", "SET ", "SET PASSWORD ", "SET @a=1,", "VALUES ", "VALUES ROW(", "LIKE ", "LIKE '\\_' ", "ESCAPE ", "NOT ", "NOT IN ", "IS NULL ", "BETWEEN ", "AND ", "OR ", "IN (",
	"= ANY (", "= ALL (SELECT ", "ROW(", "SUBSTRING(a FROM ", "TIMESTAMPADD(", "{fn ", "{d ", "near '", "' at line 1", "FOR SHARE ", "FOR SHARE OF a ", "LOCK IN SHARE MODE ", "WITH ROLLUP ", "GROUP BY ", "ORDER BY ", "LIMIT ", "USE INDEX (", "UNION ", "UNION SELECT 1 ", "AS now ", "now, ", "SYSTEM ", "rank, ", "COLLATE ",
	"SHOW ", "ALTER ", "VIEW ", "DEFINER ", "DEFINER=a@b ", "SQL SECURITY INVOKER ", "TRIGGER ", "EVENT ", "DO ", "RETURN ", "DECLARE ", "DECLARE a INT; ", "CALL p(", "USING ", "SEPARATOR ", "RESIGNAL ", "SIGNAL ", "CONDITION ", "MATCH (", "AGAINST (", "EXTRACT(", "CAST(", "AS ", "ON ", "ALL ", "HAVING ",
}

// workOf is the processor time of a text, the least of several times: until its error, or its result, has arrived.
func workOf(db *sql.DB, text string, times int) time.Duration {
	var all []time.Duration
	for range times {
		before := processorTime()
		_, _ = db.Exec(text)
		all = append(all, processorTime()-before)
	}
	return slices.Min(all)
}

// tooMuchWork tells whether a text that is four times as long as another takes more than its length explains: the square of it would be
// sixteen times as much.
func tooMuchWork(less, more time.Duration) bool { return more > 9*less+20*time.Millisecond }

// TestTextsTakeLinearTime has each part repeated behind beginnings, and holds the time until the error or the result has arrived against that
// of a text that is a quarter as long. With PFSD_SOAK, behind every beginning.
func TestTextsTakeLinearTime(t *testing.T) {
	if raceEnabled {
		t.Skip("measures time, which the race detector takes")
	}
	r := serve(t, Options{}, tables.All()...)
	one, several := r.open(t, ""), r.open(t, "multiStatements=true")
	all := os.Getenv("PFSD_SOAK") != ""
	const few = 30 << 10 // bytes
	for i, p := range textParts {
		for j, b := range textBeginnings {
			if j > 0 && !all && j != 1+i%(len(textBeginnings)-1) {
				continue
			}
			db := one
			if (i+j)%2 == 1 {
				db = several
			}
			text := func(times int) string { return b + strings.Repeat(p, times*few/len(p)) }
			less, more := workOf(db, text(1), 1), workOf(db, text(4), 1)
			if tooMuchWork(less, more) {
				less, more = workOf(db, text(1), 3), workOf(db, text(4), 3)
			}
			if tooMuchWork(less, more) {
				t.Errorf("%q and %d times %q: %v; four times as many: %v", b, few/len(p), p, less, more)
			}
		}
	}
}
