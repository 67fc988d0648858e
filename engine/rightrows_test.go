package engine

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"pfsd/tables"
)

// rightRows is a server with a connection to database test, after the statements.
func rightRows(t *testing.T, statements ...string) (*running, *sql.Conn) {
	t.Helper()
	r := serve(t, Options{}, tables.All()...)
	c, err := r.open(t, "multiStatements=true").Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	r.must(t, c, append([]string{"USE test"}, statements...)...)
	return r, c
}

// waysOf returns the answer to a query in each way in which a client can ask it. A query that has
// two columns of one name, or an expression without a name, is not asked as a table.
func waysOf(t *testing.T, c *sql.Conn, query string, asTable bool) map[string]string {
	t.Helper()
	exec := func(q string) string {
		if _, err := c.ExecContext(t.Context(), q); err != nil {
			return code(err)
		}
		return ""
	}
	after := func(q string, before ...string) string {
		for _, b := range before {
			if failed := exec(b); failed != "" {
				return failed
			}
		}
		return answerOf(t, c, q)
	}
	ways := map[string]string{"text": answerOf(t, c, query)}
	ways["prepared"] = func() string {
		p, err := c.PrepareContext(t.Context(), query)
		if err != nil {
			return code(err)
		}
		defer func() { _ = p.Close() }()
		var last string
		for range 2 {
			rows, err := p.QueryContext(t.Context())
			if err != nil {
				return code(err)
			}
			last = answerRows(t, rows)
		}
		return last
	}()
	ways["EXECUTE"] = after("EXECUTE way", "SET @way = "+asLiteral(query), "PREPARE way FROM @way")
	ways["procedure"] = after("CALL way()", "DROP PROCEDURE IF EXISTS way", "CREATE PROCEDURE way() BEGIN SELECT 1 INTO @one; "+query+"; END")
	if asTable {
		ways["derived table"] = answerOf(t, c, "SELECT * FROM ("+query+") AS way")
		ways["common table"] = answerOf(t, c, "WITH way AS ("+query+") SELECT * FROM way")
		ways["view"] = after("SELECT * FROM way_view", "DROP VIEW IF EXISTS way_view", "CREATE VIEW way_view AS "+query)
		ways["table"] = after("SELECT * FROM way_table", "DROP TABLE IF EXISTS way_table", "CREATE TABLE way_table AS "+query)
	}
	return ways
}

// asLiteral returns a text as a literal.
func asLiteral(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(s) + "'"
}

// answerRows returns rows as answerOf does.
func answerRows(t *testing.T, rows *sql.Rows) string {
	t.Helper()
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for rows.Next() {
		cells, to := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range cells {
			to[i] = &cells[i]
		}
		if err := rows.Scan(to...); err != nil {
			t.Fatal(err)
		}
		texts := make([]string, len(cells))
		for i, c := range cells {
			if texts[i] = c.String; !c.Valid {
				texts[i] = "NULL"
			}
		}
		all = append(all, strings.Join(texts, "|"))
	}
	if err := rows.Err(); err != nil {
		return code(err)
	}
	return strings.Join(all, " ")
}

// wantEverywhere checks that a query has an answer, whatever way a client asks it.
func wantEverywhere(t *testing.T, c *sql.Conn, query, want string, asTable bool) {
	t.Helper()
	for way, got := range waysOf(t, c, query, asTable) {
		if got != want {
			t.Errorf("%s as %s is %q, want %q", query, way, got, want)
		}
	}
}

// TestSignsAreNoComments: -- begins a comment only before a blank, a control character or the end
// of the text, and // never does.
func TestSignsAreNoComments(t *testing.T) {
	r, c := rightRows(t, "CREATE TABLE t (id INT PRIMARY KEY, v INT)")
	for query, want := range map[string]string{
		"SELECT 7--2 AS x":  "9",
		"SELECT 7---2 AS x": "5",
		"SELECT 1--1--1 AS x, 'a--b' AS y, \"http://z\" AS z": "3|a--b|http://z",
		"SELECT 5 AS x -- + 1\n, 6 AS y --\t + 1\n":           "5|6",
		"SELECT (SELECT 2--1) AS x":                           "3",
		"SELECT /*!50000 4--1 + */ 1 /*!99999 + 100 */ AS x":  "6",
	} {
		wantEverywhere(t, c, query, want, !strings.Contains(query, "\n"))
	}
	if got := answerOf(t, c, "SELECT 5--"); got != "5" {
		t.Errorf("at the end of the text: %s", got)
	}
	for _, q := range []string{"SELECT 8//2", "DELETE FROM t WHERE id > 0 // AND v = 10", "SELECT 1 --x y z"} {
		if got := answerOf(t, c, q); !strings.HasPrefix(got, "1064 ") {
			t.Errorf("%s: %s", q, got)
		}
	}
	fill := "REPLACE INTO t VALUES (1,10),(2,20),(3,10),(4,20)"
	for name, remove := range map[string][]string{
		"text":           {"DELETE FROM t WHERE id>0--0 AND v=10"},
		"statements":     {"SET @x = 1--1; DELETE FROM t WHERE id>0--0 AND v=10; SET @y = 2--2"},
		"EXECUTE":        {"PREPARE d FROM 'DELETE FROM t WHERE id>0--0 AND v=10'", "EXECUTE d"},
		"procedure":      {"CREATE PROCEDURE d() BEGIN DELETE FROM t WHERE id>0--0 AND v=10; SET @z = 1; END", "CALL d()"},
		"function":       {"CREATE FUNCTION f() RETURNS INT DETERMINISTIC BEGIN DECLARE n INT DEFAULT 9--1; RETURN n--0; END", "DELETE FROM t WHERE id>f()--0-10--0 AND v=f()--0"},
		"trigger":        {"CREATE TABLE s (a INT)", "CREATE TRIGGER g AFTER INSERT ON s FOR EACH ROW DELETE FROM t WHERE id>0--0 AND v=NEW.a", "INSERT INTO s VALUES (9--1)", "DROP TRIGGER g"},
		"code":           {"/*!50000 DELETE FROM t WHERE id>0--0 AND v=10 */"},
		"behind a quote": {"DELETE FROM t WHERE 'it''s'<>'--' AND id>0--0 AND v=10"},
	} {
		r.must(t, c, append([]string{fill}, remove...)...)
		if got := answerOf(t, c, "SELECT GROUP_CONCAT(id ORDER BY id) FROM t"); got != "2,4" {
			t.Errorf("DELETE as %s leaves %s", name, got)
		}
	}
	// The texts that people see are those that clients have sent.
	r.must(t, c, "CREATE OR REPLACE VIEW w AS SELECT id--1 AS x FROM t")
	if got := answerOf(t, c, "SELECT SUM(x) FROM w"); got != "8" {
		t.Errorf("view: %s", got)
	}
	if got := answerOf(t, c, "SELECT ROUTINE_DEFINITION FROM information_schema.ROUTINES WHERE ROUTINE_NAME = 'd'"); got != "BEGIN DELETE FROM t WHERE id>0--0 AND v=10; SET @z = 1; END" {
		t.Errorf("the body of the procedure is %s", got)
	}
	const query = "SELECT 70--2"
	if got := answerOf(t, c, query); got != "72" {
		t.Errorf("%s is %s", query, got)
	}
	if got := answerOf(t, c, "SELECT SQL_TEXT, DIGEST_TEXT FROM performance_schema.events_statements_history WHERE SQL_TEXT = '"+query+"'"); got != query+"|SELECT ? - - ?" && got != query+"|SELECT ? - ?" {
		t.Errorf("the text of the statement is %s", got)
	}
}

// TestAggregatesOfNothing: without GROUP BY there is one row, whatever is aggregated, with GROUP BY
// there is none, and EXISTS knows.
func TestAggregatesOfNothing(t *testing.T) {
	r, c := rightRows(t, "CREATE TABLE e (id INT PRIMARY KEY, v INT, k INT, KEY (k))", "CREATE TABLE two (a INT PRIMARY KEY, b INT)", "INSERT INTO two VALUES (1, 1), (2, NULL)")
	for query, want := range map[string]string{
		"SELECT MAX(id) AS x FROM e":                                                                           "NULL",
		"SELECT MIN(id) AS x FROM e":                                                                           "NULL",
		"SELECT MAX(id) AS x FROM e WHERE id > 5":                                                              "NULL",
		"SELECT MIN(id) AS x FROM e WHERE id BETWEEN 3 AND 5 ORDER BY x LIMIT 1":                               "NULL",
		"SELECT MAX(id) + 1 AS x FROM e":                                                                       "NULL",
		"SELECT IFNULL(MAX(id), 0) + 1 AS x FROM e":                                                            "1",
		"SELECT MAX(id) AS x FROM e HAVING MAX(id) > 5":                                                        "",
		"SELECT MAX(id) AS x FROM e LIMIT 0":                                                                   "",
		"SELECT a, (SELECT MAX(id) FROM e WHERE id = a) AS x FROM two":                                         "1|NULL 2|NULL",
		"SELECT COUNT(*) AS x FROM (SELECT MAX(id) FROM e) AS d":                                               "1",
		"SELECT a, m FROM two LEFT JOIN (SELECT MAX(id) AS m FROM e) AS d ON TRUE":                             "1|NULL 2|NULL",
		"SELECT a FROM two WHERE a > (SELECT MAX(id) FROM e)":                                                  "",
		"SELECT JSON_ARRAYAGG(v) AS x, JSON_OBJECTAGG(id, v) AS y, GROUP_CONCAT(v) AS z, COUNT(*) AS n FROM e": "NULL|NULL|NULL|0",
		"SELECT v, COUNT(*) AS n FROM e GROUP BY v":                                                            "",
		"SELECT v, COUNT(*) AS n FROM e GROUP BY v WITH ROLLUP":                                                "",
		"SELECT v, k, COUNT(*) AS n, SUM(k) AS s FROM e GROUP BY v, k WITH ROLLUP":                             "",
		"SELECT a FROM two WHERE EXISTS (SELECT MAX(v) FROM e)":                                                "1 2",
		"SELECT a FROM two WHERE EXISTS (SELECT COUNT(*) FROM e WHERE e.id = two.a)":                           "1 2",
		"SELECT a FROM two WHERE NOT EXISTS (SELECT COUNT(*) FROM e WHERE e.id = two.a)":                       "",
		"SELECT a FROM two WHERE EXISTS (SELECT 1 FROM e WHERE e.id = two.a HAVING COUNT(*) = 0)":              "1 2",
		"SELECT a FROM two WHERE EXISTS (SELECT COUNT(*) FROM e WHERE e.id = two.a HAVING COUNT(*) > 0)":       "",
		"SELECT a FROM two WHERE EXISTS (SELECT COUNT(*) FROM e WHERE e.id = two.a GROUP BY v)":                "",
		"SELECT a FROM two WHERE EXISTS (SELECT COUNT(*) FROM e WHERE e.id = two.a LIMIT 0)":                   "",
		"SELECT a FROM two WHERE EXISTS (SELECT a FROM two AS u WHERE u.a = two.a LIMIT 1 OFFSET 1)":           "",
		"SELECT a FROM two WHERE 0 IN (SELECT COUNT(*) FROM e WHERE e.id = two.a)":                             "1 2",
	} {
		wantEverywhere(t, c, query, want, true)
	}
	r.must(t, c, "INSERT INTO e SELECT IFNULL(MAX(id), 0) + 1, 1, 1 FROM e", "INSERT INTO e SELECT IFNULL(MAX(id), 0) + 1, 1, 1 FROM e")
	if got := answerOf(t, c, "SELECT GROUP_CONCAT(id) FROM e"); got != "1,2" {
		t.Errorf("INSERT ... SELECT MAX(id) + 1 has made %s", got)
	}
	r.must(t, c, "DELETE FROM e", "DELETE FROM two WHERE NOT EXISTS (SELECT MAX(v) FROM e WHERE e.id = two.a)")
	if got := answerOf(t, c, "SELECT COUNT(*) FROM two"); got != "2" {
		t.Errorf("DELETE with NOT EXISTS of an aggregate leaves %s", got)
	}
}

// windowRow is a row of TestWindowsByHand.
type windowRow struct{ id, g, v int }

// TestWindowsByHand compares window functions with what a loop over the rows finds.
func TestWindowsByHand(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE w (id INT PRIMARY KEY, g INT, v INT)", "INSERT INTO w VALUES (1,1,10),(2,1,20),(3,2,5),(4,2,7),(5,2,7),(6,3,8),(7,4,1),(8,4,9),(9,4,3),(10,4,9)")
	rows := []windowRow{{1, 1, 10}, {2, 1, 20}, {3, 2, 5}, {4, 2, 7}, {5, 2, 7}, {6, 3, 8}, {7, 4, 1}, {8, 4, 9}, {9, 4, 3}, {10, 4, 9}}
	text := func(v int, ok bool) string {
		if !ok {
			return "NULL"
		}
		return fmt.Sprint(v)
	}
	// offset is the value of the row that is n rows away in the partition.
	offset := func(p []windowRow, i, n int) string {
		if i+n < 0 || i+n >= len(p) {
			return "NULL"
		}
		return fmt.Sprint(p[i+n].v)
	}
	sum := func(p []windowRow, from, to int) string {
		n, ok := 0, false
		for i := max(from, 0); i <= min(to, len(p)-1); i++ {
			n, ok = n+p[i].v, true
		}
		return text(n, ok)
	}
	for _, f := range []struct {
		call string
		want func(p []windowRow, i int) string
	}{
		{"LAG(v) OVER (PARTITION BY g ORDER BY id)", func(p []windowRow, i int) string { return offset(p, i, -1) }},
		{"LEAD(v) OVER (PARTITION BY g ORDER BY id)", func(p []windowRow, i int) string { return offset(p, i, 1) }},
		{"LAG(v, 2) OVER (PARTITION BY g ORDER BY id)", func(p []windowRow, i int) string { return offset(p, i, -2) }},
		{"LAG(v, 0) OVER (PARTITION BY g ORDER BY id)", func(p []windowRow, i int) string { return offset(p, i, 0) }},
		{"LEAD(v, 1, id * 100) OVER (PARTITION BY g ORDER BY id)", func(p []windowRow, i int) string {
			if i+1 == len(p) {
				return fmt.Sprint(p[i].id * 100)
			}
			return offset(p, i, 1)
		}},
		{"LAG(v) OVER (PARTITION BY g ORDER BY id DESC)", func(p []windowRow, i int) string { return offset(p, i, 1) }},
		{"FIRST_VALUE(v) OVER (PARTITION BY g ORDER BY id)", func(p []windowRow, i int) string { return offset(p, 0, 0) }},
		{"LAST_VALUE(v) OVER (PARTITION BY g ORDER BY id)", func(p []windowRow, i int) string { return offset(p, i, 0) }},
		{"NTH_VALUE(v, 2) OVER (PARTITION BY g ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)", func(p []windowRow, i int) string { return offset(p, 0, 1) }},
		{"ROW_NUMBER() OVER (PARTITION BY g ORDER BY id)", func(p []windowRow, i int) string { return fmt.Sprint(i + 1) }},
		{"RANK() OVER (PARTITION BY g ORDER BY v)", func(p []windowRow, i int) string {
			n := 1
			for _, r := range p {
				if r.v < p[i].v {
					n++
				}
			}
			return fmt.Sprint(n)
		}},
		{"DENSE_RANK() OVER (PARTITION BY g ORDER BY v)", func(p []windowRow, i int) string {
			less := map[int]bool{}
			for _, r := range p {
				if r.v < p[i].v {
					less[r.v] = true
				}
			}
			return fmt.Sprint(len(less) + 1)
		}},
		{"NTILE(2) OVER (PARTITION BY g ORDER BY id)", func(p []windowRow, i int) string { return fmt.Sprint(1 + min(1, i/((len(p)+1)/2))) }},
		{"SUM(v) OVER (PARTITION BY g)", func(p []windowRow, i int) string { return sum(p, 0, len(p)) }},
		{"SUM(v) OVER (PARTITION BY g ORDER BY id)", func(p []windowRow, i int) string { return sum(p, 0, i) }},
		{"SUM(v) OVER (PARTITION BY g ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)", func(p []windowRow, i int) string { return sum(p, i-1, i+1) }},
		{"SUM(v) OVER (PARTITION BY g ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING)", func(p []windowRow, i int) string { return sum(p, i+1, i+2) }},
		{"SUM(v) OVER (PARTITION BY g ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)", func(p []windowRow, i int) string { return sum(p, i, len(p)) }},
		{"COUNT(*) OVER (PARTITION BY g)", func(p []windowRow, i int) string { return fmt.Sprint(len(p)) }},
		{"MAX(v) OVER (PARTITION BY g ORDER BY v RANGE BETWEEN 2 PRECEDING AND 2 FOLLOWING)", func(p []windowRow, i int) string {
			n := p[i].v
			for _, r := range p {
				if r.v <= p[i].v+2 {
					n = max(n, r.v)
				}
			}
			return fmt.Sprint(n)
		}},
		{"(SELECT COUNT(*) FROM w AS b WHERE b.g = a.g AND b.id <= a.id) + ROW_NUMBER() OVER (PARTITION BY g ORDER BY id)", func(p []windowRow, i int) string { return fmt.Sprint(2 * (i + 1)) }},
	} {
		var want []string
		for _, r := range rows {
			var p []windowRow
			at := 0
			for _, o := range rows {
				if o.g == r.g {
					if o.id == r.id {
						at = len(p)
					}
					p = append(p, o)
				}
			}
			want = append(want, fmt.Sprint(r.id, "|", f.want(p, at)))
		}
		wantEverywhere(t, c, "SELECT id, "+f.call+" AS x FROM w AS a ORDER BY id", strings.ReplaceAll(strings.Join(want, " "), " |", "|"), true)
	}
}

// TestSubqueriesBesideWindows: a subquery beside windows uses the row of the table.
func TestSubqueriesBesideWindows(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE w (id INT PRIMARY KEY, g INT, v INT)", "INSERT INTO w VALUES (1,1,10),(2,1,20),(3,2,5)", "CREATE TABLE u (x INT, y INT)", "INSERT INTO u VALUES (1, 7), (2, 8), (3, 9)")
	for query, want := range map[string]string{
		"SELECT id, (SELECT COUNT(*) FROM w AS b WHERE b.g = a.g) AS n, ROW_NUMBER() OVER (ORDER BY id) AS rn FROM w AS a ORDER BY id":                                                  "1|2|1 2|2|2 3|1|3",
		"SELECT id, (SELECT MAX(v) FROM w AS b WHERE b.g = a.g) - v AS n, SUM(id) OVER (PARTITION BY g ORDER BY id) AS s FROM w AS a ORDER BY id":                                       "1|10|1 2|0|3 3|0|3",
		"SELECT id, EXISTS (SELECT 1 FROM w AS b WHERE b.g = a.g AND b.id > a.id) AS n, LAG(id) OVER (ORDER BY id) AS l FROM w AS a ORDER BY id":                                        "1|1|NULL 2|0|1 3|0|2",
		"SELECT ROW_NUMBER() OVER (ORDER BY id DESC) AS rn FROM w AS a ORDER BY (SELECT COUNT(*) FROM w AS b WHERE b.g = a.g), a.id":                                                    "1 3 2",
		"SELECT id, (SELECT y FROM u WHERE x = (SELECT MAX(b.id) FROM w AS b WHERE b.g = a.g)) AS n, COUNT(*) OVER () AS c FROM w AS a ORDER BY id":                                     "1|8|3 2|8|3 3|9|3",
		"SELECT id, v IN (SELECT MAX(v) FROM w AS b WHERE b.g = a.g) AS n, RANK() OVER (ORDER BY g) AS k FROM w AS a ORDER BY id":                                                       "1|0|1 2|1|1 3|1|3",
		"SELECT a.id, (SELECT SUM(b.v) FROM w AS b WHERE b.g = a.g) AS n, SUM(u.y) OVER (ORDER BY a.id) AS s FROM w AS a JOIN u ON u.x = a.id ORDER BY a.id":                            "1|30|7 2|30|15 3|5|24",
		"SELECT id, n, rn FROM (SELECT id, (SELECT COUNT(*) FROM w AS b WHERE b.g = a.g) AS n, ROW_NUMBER() OVER (ORDER BY id) AS rn FROM w AS a) AS d WHERE n = 2 ORDER BY id":         "1|2|1 2|2|2",
		"SELECT x, (SELECT MAX(n) FROM (SELECT (SELECT COUNT(*) FROM w AS b WHERE b.g = a.g) AS n, ROW_NUMBER() OVER () AS r FROM w AS a) AS d WHERE d.n < u.x) AS m FROM u ORDER BY x": "1|NULL 2|1 3|2",
	} {
		wantEverywhere(t, c, query, want, true)
	}
	if _, err := c.ExecContext(t.Context(), "CREATE TABLE kept (id INT, n INT, r INT)"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ExecContext(t.Context(), "INSERT INTO kept SELECT id, (SELECT COUNT(*) FROM w AS b WHERE b.g = a.g), ROW_NUMBER() OVER (ORDER BY id) FROM w AS a"); err != nil {
		t.Fatal(err)
	}
	if got := answerOf(t, c, "SELECT * FROM kept ORDER BY id"); got != "1|2|1 2|2|2 3|1|3" {
		t.Errorf("INSERT ... SELECT has stored %s", got)
	}
}
