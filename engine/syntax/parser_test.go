package syntax

import (
	"context"
	"slices"
	"strings"
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// needed fails the test if go-mysql-server parses one of texts, for which there is a rule.
func needed(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if _, err := ast.Parse(text); err == nil {
			t.Errorf("go-mysql-server parses %q: its rule can go", text)
		}
	}
}

// rewritten returns what the rules make of text.
func rewritten(t *testing.T, text string) string {
	t.Helper()
	got, err := parseable(text, Mode{})
	if err != nil {
		t.Errorf("%s: %s", text, err)
	}
	return got
}

// rewrites checks that each key of texts becomes its value, and that the position where the
// statement ends is right, also if another statement follows.
func rewrites(t *testing.T, texts map[string]string) {
	t.Helper()
	for text, want := range texts {
		if got := rewritten(t, text); got != want {
			t.Errorf("%s became\n%s, want\n%s", text, got, want)
		}
		for more, rest := range map[string]string{"": "", "; SELECT 1": " SELECT 1"} {
			if _, n, err := (Parser{}).ParseOneWithOptions(t.Context(), text+more, ast.ParserOptions{}); err != nil || (text + more)[n:] != rest {
				t.Errorf("%s: what follows it is %q, %v", text+more, (text + more)[min(n, len(text)):], err)
			}
		}
	}
}

// refuses checks that each of texts is an error.
func refuses(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if got, err := parseable(text, Mode{}); err == nil {
			t.Errorf("%s became %s, want an error", text, got)
		}
	}
}

// keeps checks that the rules do not change texts.
func keeps(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if got := rewritten(t, text); got != text {
			t.Errorf("%s became %s", text, got)
		}
	}
}

// TestNothingIsRewritten checks that statements that go-mysql-server parses stay as they are.
func TestNothingIsRewritten(t *testing.T) {
	for _, text := range []string{
		"SELECT 'x$y', \"a$b\", `c$d` /* e$f */ FROM t -- g$h",
		"SELECT 1 # x$y",
		"SELECT /*+ x$y */ 1",
		"SELECT 'it''s $x', 'a\\'$b', \"a\"\"$b\", `a``$b`",
	} {
		if got := rewritten(t, text); got != text {
			t.Errorf("%s became %s", text, got)
		}
	}
}

func TestNear(t *testing.T) {
	long := strings.Repeat("ö", 100)
	for text, want := range map[string]string{
		"SELEC 1":                          "near 'SELEC 1' at line 1",
		"SELECT 1 FROM":                    "near '' at line 1",
		"SELECT a\nFROM t\nWHERE ,x":       "near ',x' at line 3",
		"SELECT (1":                        "near '' at line 1",
		"SELECT x$y, a$b FROM t$u t$v t$w": "near 't$w' at line 1",
		"SELECT x$y FROM WHERE a$b":        "near 'WHERE a$b' at line 1",
		"SELECT 1 FROM t WHERE '" + long + "' '" + long + "' x": "near 'x' at line 1",
		"SELECT x$y, 1 1 " + long:                               "near '1 " + long[:2*78] + "' at line 1",
	} {
		_, err := parseable(text, Mode{})
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestHeadings(t *testing.T) {
	s, err := ast.Parse("SELECT 1 , 2 + 3")
	if err != nil {
		t.Fatal(err)
	}
	if e := s.(*ast.Select).SelectExprs[1].(*ast.AliasedExpr).InputExpression; e == "2 + 3" {
		t.Error("go-mysql-server has the right headings: trimHeadings can go")
	}
	for text, want := range map[string]string{
		"SELECT 1 , 2 + 3\n,\t'a' , `b` , x":      "1|2 + 3|a||",
		"SELECT 1 , a$ + 3 , 'a$' , x$, (2+a$) z": "1|a$ + 3|a$||(2+a$)",
	} {
		s, err := Default.ParseSimple(text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range s.(*ast.Select).SelectExprs {
			got = append(got, e.(*ast.AliasedExpr).InputExpression)
		}
		if got := strings.Join(got, "|"); got != want {
			t.Errorf("%s has the headings %s, want %s", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"SELECT a$ , 'b$' FROM `c$`", "SELECT \"x$", "SELECT x$ /*! y$ */ -- z$", "SET @a$ := @`b`", "SELECT 1 , 2",
		"SELECT {fn f({d '2024-01-01'})} + INTERVAL '1 1' DAY_HOUR, N'x', 0b1, ROW(1, 2) IN (ROW(3, 4)) FROM {oj t JOIN (u, v)} USE KEY (a) IGNORE KEY (b)",
		"SELECT a SOUNDS LIKE 'b' + c, 1 MEMBER OF ('[1]'), SUM(a) OVER w FROM t WINDOW w AS (ORDER BY b)",
		"CREATE TABLE t (a INT, KEY k ((a + 'x')), b CHAR BYTE) PACK_KEYS=DEFAULT PARTITION BY HASH (a) (PARTITION p COMMENT 'y') /*!50100 PARTITION BY x */",
		"ALTER TABLE t ADD (a INT COMMENT 'x', b INT), ENGINE=InnoDB ROW_FORMAT=DYNAMIC, PARTITION BY KEY (a)", "SHOW FULL COLUMNS IN t IN d", "SET LOCAL TRANSACTION READ ONLY",
		"DROP INDEX i ON t ALGORITHM=INPLACE LOCK=NONE", "SELECT 'a'N'b'", "0 SOUNDS LIKE\"0", "0 SOUNDS LIKE WINDOW A AS ()",
	} {
		f.Add(text, false)
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, ansi bool) {
		m := Mode{AnsiQuotes: ansi}
		r := newRewriting(text, m)
		at := 0
		for _, k := range r.tokens {
			if k.start < at || k.end < k.start || k.end > len(text) || k.kind != kindEnd && k.end == k.start {
				t.Fatalf("%q: token %v behind %d", text, k, at)
			}
			at = k.end
		}
		for _, rule := range rules {
			rule(r)
		}
		result := r.result()
		for i := range result {
			if at := r.original(i); at < 0 || at > len(text) {
				t.Fatalf("%q, %q: %d is %d", text, result, i, at)
			}
		}
		protected(t, text, result, m, r.dropped)
		_, _ = parseable(text, m)
	})
}

// protected checks that result has all strings and all code for MySQL of text, in their order. It
// checks nothing if dropped says that rules have dropped some. Rules can add strings of their own,
// and text behind a string that is not closed, because such a text is no statement.
func protected(t *testing.T, text, result string, m Mode, dropped bool) {
	t.Helper()
	quoted := func(s string) (all []string) {
		for _, k := range scan(s, m) {
			if k.kind == kindString || k.kind == kindCode {
				all = append(all, strings.TrimLeft(s[k.start:k.end], "nN"))
			}
		}
		return all
	}
	if dropped {
		return
	}
	left := quoted(result)
	for _, s := range quoted(text) {
		i := slices.IndexFunc(left, func(l string) bool {
			return l == s || strings.HasSuffix(text, s) && strings.HasPrefix(l, s) && strings.HasSuffix(result, l)
		})
		if i < 0 {
			t.Fatalf("%q became %q without %s", text, result, s)
		}
		left = left[i+1:]
	}
}

func BenchmarkParse(b *testing.B) {
	plain := "SELECT EVENT_NAME, COUNT_STAR, SUM_TIMER_WAIT FROM performance_schema.events_waits_summary_global_by_event_name WHERE COUNT_STAR > 0"
	for _, c := range []struct {
		name, text string
		parse      func(string) (ast.Statement, error)
	}{
		{"plain/parser=theirs", plain, ast.Parse},
		{"plain/parser=ours", plain, Default.ParseSimple},
		{"dollar/parser=theirs", strings.Replace(plain, "EVENT_NAME", "`EVENT$NAME`", 1), ast.Parse},
		{"dollar/parser=ours", strings.Replace(plain, "EVENT_NAME", "EVENT$NAME", 1), Default.ParseSimple},
		{"word/parser=ours", strings.Replace(plain, "EVENT_NAME", "now", 1), Default.ParseSimple},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.parse(c.text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// parseable returns the one statement text in the form that vitess parses, which is text itself if
// vitess parses that. It returns an error if text is no statement.
func parseable(text string, m Mode) (string, error) {
	o := ast.ParserOptions{AnsiQuotes: m.AnsiQuotes}
	_, r, err := rewrite(context.Background(), text, false, o)
	if r == nil || err != nil {
		return text, err
	}
	return r.result(), nil
}
