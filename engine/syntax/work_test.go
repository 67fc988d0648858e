package syntax

import (
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// workPattern makes texts of any length: before, n times unit, n times behind, after. In each unit,
// its number stands for #.
type workPattern struct{ before, unit, behind, after string }

func (p workPattern) text(n int) string {
	var b strings.Builder
	b.WriteString(p.before)
	for i := range n {
		b.WriteString(strings.ReplaceAll(p.unit, "#", strconv.Itoa(i)))
	}
	return b.String() + strings.Repeat(p.behind, n) + p.after
}

// workPatterns has, for each rule, texts with many uses of what the rule rewrites, one behind the
// other or nested. TestWorkOfRules also repeats the examples of the rules as many statements.
// Queries with windows are not nested here: at most 63 can be, and each visits all that is in it.
var workPatterns = map[string][]workPattern{
	"literals":    {{"SELECT 1", ", N'a'", "", ""}, {"SELECT 1", ", 0b101", "", ""}, {"SELECT ", "N'a' ", "", ""}},
	"windows":     {{"SELECT 1", ", SUM(a) OVER w", "", " FROM t WINDOW w AS (ORDER BY b)"}, {"SELECT 1 FROM t ", "WINDOW w AS (ORDER BY b) ", "", ""}, {"SELECT ", "(SELECT SUM(a) OVER w FROM t WINDOW w AS ()) + ", "", "1"}, {"SELECT 1 FROM t ", "WINDOW w AS (", ")", ""}, {"SELECT 1 FROM t WINDOW w AS ()", ", w# AS ()", "", ""}},
	"joins":       {{"SELECT 1 FROM ", "(a, b) JOIN ", "", "c"}, {"SELECT 1 FROM (a", ", b", "", ")"}, {"SELECT 1 FROM ", "(a JOIN ", "b)", ""}},
	"odbc":        {{"SELECT ", "{fn ABS(", "1)}", ""}, {"SELECT 1", ", {d '2024-01-02'}", "", ""}, {"SELECT ", "{", "", ""}},
	"intervals":   {{"SELECT d", " + INTERVAL '1 1' DAY_HOUR", "", ""}, {"SELECT 1", ", DAY_HOUR", "", ""}, {"SELECT ", "INTERVAL (", "1) DAY_HOUR + a", ""}, {"CREATE EVENT e ON SCHEDULE EVERY 1 DAY STARTS a", " + INTERVAL 1 DAY_HOUR", "", " DO SELECT 1"}, {"SELECT 1", ", SQL_TSI_DAY", "", ""}},
	"rows":        {{"VALUES ROW(1)", ", ROW(1)", "", ""}, {"SELECT 1", " = ROW(1, 2)", "", ""}, {"SELECT ", "ROW(", "1)", ""}},
	"substrings":  {{"SELECT ", "SUBSTRING(", "a FROM 1 FOR 2)", ""}, {"SELECT 1", ", MID(a FROM 1)", "", ""}, {"SELECT SUBSTRING(a", " FROM 1", "", ")"}},
	"predicates":  {{"SELECT a", " SOUNDS LIKE b", "", ""}, {"SELECT a", " MEMBER OF (b)", "", ""}, {"SELECT ", "a SOUNDS LIKE (", "b)", ""}, {"SELECT a SOUNDS LIKE b", " + 1", "", ""}},
	"hints":       {{"SELECT 1 FROM t", " USE INDEX (a)", "", ""}, {"SELECT 1 FROM t", ", t USE INDEX (PRIMARY)", "", ""}, {"SELECT 1 FROM t ", "USE INDEX (", ")", ""}},
	"shows":       {{"", "SHOW EXTENDED INDEX FROM t;", "", ""}, {"SHOW COLUMNS IN t", ".t", "", ""}, {"", "BEGIN SET LOCAL TRANSACTION READ ONLY ", "", ""}},
	"views":       {{"", "ALTER ALGORITHM = MERGE VIEW v AS SELECT 1;", "", ""}, {"", "BEGIN ALTER SQL ", "", ""}, {"ALTER DEFINER", " = a", "", ""}},
	"definitions": {{"CREATE TABLE t (a INT", ", KEY k ((a + 1))", "", ")"}, {"ALTER TABLE t ENGINE=InnoDB", " ROW_FORMAT=DYNAMIC", "", ""}, {"ALTER TABLE t ADD (a INT", ", b INT MATCH FULL", "", ")"}, {"", "DROP INDEX i ON t LOCK=NONE;", "", ""}, {"", "CREATE TABLE t (a ;", "", ")"}, {"CREATE TABLE t ", "(", ")", ""}, {"ALTER TABLE t ", "ADD (", ")", ""}, {"CREATE TABLE t (a INT)", " PACK_KEYS=1", "", " PARTITION BY HASH (a)"}},
	"assign":      {{"SELECT ", "@a := ", "", "1"}, {"SELECT ", "@a := (", "1)", ""}, {"SELECT 1", ", @a := 1", "", ""}, {"SELECT ", "@a := CASE 1 WHEN 1 THEN ", "1 END", ""}, {"SET @a = 1", ", @a := 1 + 1", "", ""}},
	"rollup":      {{"SELECT 1 GROUP BY a ", "WITH ROLLUP ", "", ""}, {"SELECT 1 ", "WITH ROLLUP ", "", ""}, {"SELECT 1 GROUP BY ", "(SELECT 1 GROUP BY ", "a WITH ROLLUP)", ""}},
	"quantified":  {{"SELECT 1", " > ALL (SELECT 1)", "", ""}, {"SELECT ", "1 = ANY (SELECT ", "1)", ""}},
	"spellings":   {{"SELECT", " DISTINCTROW", "", ""}, {"SELECT 1 FROM t FOR SHARE OF a", ".a", "", ""}, {"", "INSERT LOW_PRIORITY ", "", ""}, {"SELECT 1 ", "FOR SHARE ", "", ""}, {"", "SELECT IGNORE ", "", ""}},
	"letters":     {{"SELECT 1", ", a$", "", ""}, {"SELECT 1", ", @a.b#", "", ""}, {"SELECT 1", ", @a.b, '_variable_#'", "", ", @a.c, @a.d"}},
	"escapes":     {{"SELECT 1", `, 'a\_b'`, "", ""}, {"SELECT '", `\%`, "", "'"}},
	"times":       {{"SELECT 1", ", DATE '2024-01-31'", "", ""}, {"SELECT ", "DATE ", "", "'2024-01-31'"}},
}

// TestWorkOfRules checks that the work of each rule is at most twice as much for a text that is
// twice as long, also if the text is full of what the rule looks for. The same holds for the search
// of original positions. The work is the number of visits of tokens and edits.
func TestWorkOfRules(t *testing.T) {
	const few, many = 200, 400
	known := map[string]bool{}
	for _, rule := range rules {
		name := runtime.FuncForPC(reflect.ValueOf(rule).Pointer()).Name()
		name = name[strings.LastIndexByte(name, '.')+1:]
		known[name] = true
	}
	all := map[string][]workPattern{}
	for name, patterns := range workPatterns {
		if !known[name] {
			t.Errorf("there is no rule %s", name)
		}
		all[name] = patterns
	}
	for file, list := range examples(t) {
		for _, e := range list {
			all[file] = append(all[file], workPattern{"", e[1] + "; ", "", ""})
		}
	}
	for _, patterns := range all {
		for _, p := range patterns {
			for _, rule := range rules {
				work := func(n int) (all int) {
					r := newRewriting(p.text(n), Mode{})
					rule(r)
					return r.visits
				}
				if a, b := work(few), work(many); 10*b > 22*a {
					t.Errorf("%s: %d visits for %d times %q, %d visits for %d times", runtime.FuncForPC(reflect.ValueOf(rule).Pointer()).Name(), a, few, p.text(1), b, many)
				}
			}
			work := func(n int) (all, long int) {
				r := newRewriting(p.text(n), Mode{})
				for _, rule := range rules {
					rule(r)
				}
				result := r.result()
				for at := 0; at <= len(result); at += 7 {
					r.original(at)
				}
				return r.visits, len(result)
			}
			a, short := work(few)
			b, long := work(many)
			if 10*b > 23*a || 10*long > 23*short { // the search of an original position takes the logarithm of the number of edits
				t.Errorf("all rules: %d visits for %d times %q, %d visits for %d times; the new texts have %d and %d bytes", a, few, p.text(1), b, many, short, long)
			}
		}
	}
}

// TestLongWindows checks that a text is refused if its windows, in the place of their names, make
// it longer than a text can be.
func TestLongWindows(t *testing.T) {
	const n = 20_000
	windows, names := strings.Builder{}, strings.Builder{}
	for i := range n {
		windows.WriteString(", w" + strconv.Itoa(i+1) + " AS (w" + strconv.Itoa(i) + " ORDER BY a)")
		names.WriteString(", SUM(a) OVER w")
	}
	for _, text := range []string{
		"SELECT 1 FROM t WINDOW w0 AS ()" + windows.String(),
		"SELECT 1" + names.String() + " FROM t WINDOW w AS (ORDER BY a" + strings.Repeat(", a", n) + ")",
	} {
		if _, err := Default.ParseSimple(text); err == nil || !Refused(err) {
			t.Errorf("%.50s: %v", text, err)
		}
	}
}
