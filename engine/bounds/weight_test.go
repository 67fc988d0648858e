package bounds

import (
	"runtime"
	"strings"
	"testing"

	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// check returns the number of the error for a text that exceeds a limit, 0 if it may be planned.
func check(t *testing.T, text string, ansi bool) int {
	t.Helper()
	w := Measure(text, ansi)
	err := w.Check()
	if err == nil {
		s, _, failed := ast.ParseOneWithOptions(t.Context(), text, ast.ParserOptions{AnsiQuotes: ansi})
		if failed != nil {
			t.Fatalf("%.200s: %v", text, failed)
		}
		err = w.Tree(s)
	}
	if err == nil {
		return 0
	}
	return err.(*mysql.SQLError).Num
}

// For each limit, the largest text may be planned, and the next one may not.
func TestLimits(t *testing.T) {
	list := func(n int, format string) string { return strings.TrimSuffix(strings.Repeat(format+",", n), ",") }
	doubling := func(n int) string { // common table expressions, each of which refers twice to the one before
		text := "WITH c0 AS (SELECT 1 AS a)"
		for i := range n {
			text += ", c" + string(rune('1'+i)) + " AS (SELECT 1 FROM c" + string(rune('0'+i)) + " x, c" + string(rune('0'+i)) + " y)"
		}
		return text + " SELECT 1 FROM c" + string(rune('0'+n))
	}
	for _, test := range []struct {
		name   string
		text   func(n int) string
		most   int
		number int
	}{
		{"terms", func(n int) string { return "SELECT " + strings.Repeat("1+", n) + "1" }, 1999, 1436},
		{"terms in a program", func(n int) string {
			return "CREATE PROCEDURE p() BEGIN SELECT 1; SELECT " + strings.Repeat("1+", n) + "1; END"
		}, 1998, 1436},
		{"terms where names stand in double quotes", func(n int) string { return `SELECT 1 AS "\", ` + strings.Repeat("1+", n) + `1 AS "\"` }, 1997, 1436},
		{"parts of a union", func(n int) string { return "SELECT 1" + strings.Repeat(" UNION SELECT 1", n-1) }, 128, 1436},
		{"queries", func(n int) string { return "SELECT " + list(n-1, "(SELECT 1)") }, 256, 1436},
		{"queries in each other", func(n int) string {
			return strings.Repeat("SELECT a FROM (", n-1) + "SELECT 1 AS a" + strings.Repeat(") t", n-1)
		}, 12, 1436},
		{"tables", func(n int) string { return "SELECT 1 FROM " + list(n, "t") }, 61, 1116},
		{"joined tables", func(n int) string { return "SELECT 1 FROM t" + strings.Repeat(" JOIN t", n-1) }, 61, 1116},
		{"updated tables", func(n int) string { return "UPDATE " + list(n, "t") + " SET a = 1" }, 61, 1116},
		{"tables in parentheses", func(n int) string { return "SELECT 1 FROM (" + list(n-1, "t") + "), t" }, 61, 1116},
		{"references of common table expressions", func(n int) string { return doubling(n) }, 7, 1116},
		{"columns", func(n int) string { return "SELECT " + list(n, "1") }, 4096, 1117},
		{"columns of a derived table", func(n int) string { return "SELECT * FROM (SELECT " + list(n, "1") + ") d" }, 1024, 1117},
		{"columns of a view", func(n int) string { return "CREATE VIEW v AS SELECT " + list(n, "1") }, 1024, 1117},
		{"columns of a common table expression", func(n int) string { return "WITH c AS (SELECT " + list(n, "1") + ") SELECT * FROM c" }, 1024, 1117},
		{"EXISTS in each other", func(n int) string {
			return "SHOW VARIABLES WHERE " + strings.Repeat("NOT EXISTS (SELECT 1 FROM t WHERE ", n) + "1" + strings.Repeat(")", n)
		}, 7, 1436},
		{"blocks of a trigger", func(n int) string {
			return "CREATE TRIGGER r BEFORE INSERT ON t FOR EACH ROW " + strings.Repeat("BEGIN ", n) + "SET @a = 1; " + strings.Repeat("END; ", n-1) + "END"
		}, 20, 1436},
		{"loops of an event", func(n int) string {
			return "CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO " + strings.Repeat("WHILE a DO ", n) + "SET @a = b; " + strings.Repeat("END WHILE; ", n-1) + "END WHILE"
		}, 18, 1436},
		{"names in blocks of a trigger", func(n int) string {
			return "CREATE TRIGGER r BEFORE INSERT ON t FOR EACH ROW BEGIN " + strings.Repeat("BEGIN ", 9) + strings.Repeat("SET NEW.a = NEW.b; ", n) + strings.Repeat("END; ", 9) + "END"
		}, 682, 1436},
		{"columns of a table", func(n int) string { return "CREATE TABLE t (" + list(n, "a INT") + ")" }, 1017, 1117},
		{"columns of JSON_TABLE", func(n int) string {
			return "SELECT * FROM JSON_TABLE('[]', '$' COLUMNS (" + list(n-1, "a INT PATH '$'") + ", NESTED PATH '$' COLUMNS (b INT PATH '$'))) t"
		}, 1023, 1117},
		{"columns of VALUES", func(n int) string { return "VALUES ROW(" + list(n, "1") + ")" }, 1024, 1117},
		{"columns of VALUES in place of a table", func(n int) string { return "SELECT * FROM (VALUES ROW(1), ROW(" + list(n, "1") + ")) t" }, 1024, 1117},
		{"stars of a view", func(n int) string { return "CREATE VIEW v AS SELECT " + list(n, "t.*") + " FROM t" }, 61, 1117},
		{"stars of a derived table", func(n int) string { return "SELECT 1 FROM (SELECT " + list(n, "t.*") + " FROM t) d" }, 61, 1117},
		{"columns that are added", func(n int) string { return "ALTER TABLE t " + list(n, "ADD a INT") }, 1017, 1117},
		{"columns that are changed", func(n int) string { return "ALTER TABLE t " + list(n, "MODIFY a BIGINT") }, 1017, 1117},
		{"keys of a table", func(n int) string { return "CREATE TABLE t (a INT PRIMARY KEY, " + list(n-1, "KEY (a)") + ")" }, 64, 1069},
		{"keys that are added", func(n int) string { return "ALTER TABLE t " + list(n, "ADD KEY (a)") }, 64, 1069},
		{"keys of a table in a program", func(n int) string {
			return "CREATE PROCEDURE p() BEGIN CREATE TABLE t (a INT, " + list(n, "UNIQUE (a)") + "); END"
		}, 64, 1069},
		{"checks of a table", func(n int) string { return "CREATE TABLE t (a INT, " + list(n, "CHECK (a > 1)") + ")" }, 1024, 1436},
		{"foreign keys of a table", func(n int) string {
			return "CREATE TABLE t (a INT, " + list(n, "FOREIGN KEY (a) REFERENCES u (a)") + ")"
		}, 1024, 1436},
		{"checks that are added", func(n int) string { return "ALTER TABLE t " + list(n, "ADD CHECK (a > 1)") }, 1024, 1436},
		{"parameters", func(n int) string { return "SELECT 1 IN (" + list(n, "?") + ")" }, 74998, 3170},
		{"BETWEEN in itself", func(n int) string {
			return "SELECT " + strings.Repeat("(", n) + "1" + strings.Repeat(" BETWEEN 1 AND 2)", n)
		}, 15, 1436},
		{"arguments of FIELD", func(n int) string {
			return "SELECT FIELD(FIELD(1" + strings.Repeat(",1", n) + ")" + strings.Repeat(",1", n) + ")"
		}, 353, 1436},
	} {
		t.Run(test.name, func(t *testing.T) {
			ansi := strings.Contains(test.name, "double quotes")
			if got := check(t, test.text(test.most), ansi); got != 0 {
				t.Errorf("%d: error %d", test.most, got)
			}
			if got := check(t, test.text(test.most+1), ansi); got != test.number {
				t.Errorf("%d: error %d, want %d", test.most+1, got, test.number)
			}
		})
	}
}

// Texts that programs and tools send may be planned.
func TestUsualTexts(t *testing.T) {
	for name, text := range map[string]string{
		"a statement with all parameters":             "SELECT * FROM t WHERE a IN (" + strings.Repeat("?,", 65534) + "?)",
		"a MiB of rows":                               "INSERT INTO t VALUES " + strings.Repeat("(1,-2,NULL),", 87_000) + "(1,2,3)",
		"a condition of many rows":                    "SELECT * FROM t WHERE " + strings.Repeat("(a=1 AND b=2) OR ", 1900) + "0",
		"an assignment of each column":                "UPDATE t SET " + strings.Repeat("a=a+1,", 1000) + "b=1",
		"many statements behind a short one":          "SELECT 1;" + strings.Repeat("SELECT 1+1;", 100_000),
		"a common table expression in each other one": strings.Repeat("WITH c AS (", 190) + "SELECT 1" + strings.Repeat(") SELECT 1", 190),
		"an upsert of each column":                    "INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE " + strings.Repeat("a=VALUES(a),", 1000) + "b=1",
	} {
		if got := check(t, text, false); got != 0 {
			t.Errorf("%s: error %d", name, got)
		}
	}
}

// A text is split into statements as the parser splits it.
func TestEnd(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT 1":                         "SELECT 1",
		"SELECT 1; SELECT 2":               "SELECT 1;",
		"SELECT ';'; SELECT 2":             "SELECT ';';",
		"SELECT 1 /* ; */ ; SELECT 2":      "SELECT 1 /* ; */ ;",
		"/*!50000 SELECT 1;*/ SELECT 2":    "/*!50000 SELECT 1;",
		"CREATE TABLE t (a INT); SELECT 1": "CREATE TABLE t (a INT);",
		"CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END; SELECT 3": "CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END; SELECT 3",
	} {
		if w := Measure(text, false); text[:w.End] != want {
			t.Errorf("%q: %q, want %q", text, text[:w.End], want)
		}
	}
}

var usual = "SELECT t.THREAD_ID, t.NAME, w.EVENT_NAME, w.SOURCE, sys.format_time(w.TIMER_WAIT) AS waiting FROM performance_schema.events_waits_current w JOIN performance_schema.threads t USING (THREAD_ID) WHERE w.END_EVENT_ID IS NULL ORDER BY w.TIMER_WAIT DESC"

func BenchmarkMeasure(b *testing.B) {
	for name, text := range map[string]string{"text=usual": usual, "text=rows": "INSERT INTO t VALUES " + strings.Repeat("(1,'some text',-2,NULL),", 1<<20/24) + "(1,2,3,4)"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				w := Measure(text, false)
				if w.Check() != nil || w.Tree(nil) != nil {
					b.Fatal(w)
				}
			}
		})
		b.Run(name+"/parse", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := ast.Parse(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestMeasureTakesNoMemory(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { _ = Measure(usual, false) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// The weight of a text predicts the memory of its tree within a factor of two, whatever the shape
// of the text is.
func TestBytes(t *testing.T) {
	if raceEnabled {
		t.Skip("trees take more memory under the race detector")
	}
	list := func(n int, before, item, after string) string { return before + strings.Repeat(item, n) + after }
	for name, text := range map[string]string{
		"numbers":              list(20000, "SELECT 1", ",1", ""),
		"names":                list(20000, "SELECT a", ",abc", ""),
		"names of tables":      list(20000, "SELECT a", ",t.abc", ""),
		"other names":          list(20000, "SELECT a", ",abc AS x", ""),
		"IN":                   list(20000, "SELECT 1 IN (1", ",1", ")"),
		"IN of texts":          list(20000, "SELECT 1 IN ('a'", ",'abcdef'", ")"),
		"markers":              list(20000, "SELECT 1 IN (?", ",?", ")"),
		"arguments":            list(20000, "SELECT CONCAT('a'", ",'b'", ")"),
		"calls":                list(20000, "SELECT 1", ",ABS(1)", ""),
		"sums":                 list(1900, "SELECT 1", "+1", ""),
		"conditions":           list(600, "SELECT 1", " OR a = 1", ""),
		"rows":                 list(20000, "INSERT INTO t VALUES (1)", ",(1,2,'abc',NULL,-5)", ""),
		"short rows":           list(20000, "INSERT INTO t VALUES (1)", ",(1)", ""),
		"a long row":           list(20000, "INSERT INTO t VALUES (1", ",1", ")"),
		"a text":               list(20000, "SELECT '", "abcdefghij", "'"),
		"rows of texts":        list(2000, "INSERT INTO t VALUES ('a')", ",('"+strings.Repeat("x", 100)+"')", ""),
		"CASE":                 list(450, "SELECT CASE", " WHEN a THEN 1", " END"),
		"UNION":                list(120, "SELECT 1", " UNION ALL SELECT 1", ""),
		"joins":                list(60, "SELECT 1 FROM t0", " JOIN t USING (a)", ""),
		"subqueries":           list(250, "SELECT 1", ",(SELECT 1)", ""),
		"orders":               list(20000, "SELECT 1 ORDER BY a", ",a", ""),
		"groups":               list(10000, "SELECT 1 GROUP BY a", ",a+1", ""),
		"assignments":          list(10000, "UPDATE t SET a=1", ",a=a+1", ""),
		"variables":            list(10000, "SET @a=1", ",@a=@b+1", ""),
		"pairs":                list(10000, "SELECT 1 FROM t WHERE (a, b) IN ((1, 2)", ",(1,2)", ")"),
		"BETWEEN":              list(1000, "SELECT 1", ",a BETWEEN 1 AND 2", ""),
		"LIKE":                 list(10000, "SELECT 1", ",a LIKE 'x'", ""),
		"casts":                list(5000, "SELECT 1", ",CAST(1 AS CHAR)", ""),
		"windows":              list(2000, "SELECT 1", ",SUM(a) OVER (PARTITION BY b ORDER BY c)", ""),
		"intervals":            list(5000, "SELECT 1", ",a + INTERVAL 1 DAY", ""),
		"columns":              list(1000, "CREATE TABLE t (a INT", ",a INT NOT NULL DEFAULT 5", ")"),
		"statements":           list(5000, "CREATE PROCEDURE p() BEGIN ", "SET @a = 1; ", "END"),
		"queries of a program": list(250, "CREATE PROCEDURE p() BEGIN ", "SELECT a FROM t WHERE b = 1; ", "END"),
	} {
		w := Measure(text, false)
		tree := liveTree(t, text)
		if factor := float64(w.Bytes) / float64(tree); factor < 0.5 || factor > 2 {
			t.Errorf("%s: %d bytes for a tree of %d, %.2f times as much", name, w.Bytes, tree, factor)
		}
	}
}

// liveTree returns how many bytes the tree of a text takes.
func liveTree(t *testing.T, text string) int64 {
	t.Helper()
	live := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := live()
	s, err := ast.Parse(text)
	if err != nil {
		t.Fatalf("%.100s: %v", text, err)
	}
	defer runtime.KeepAlive(s)
	return live() - before
}
