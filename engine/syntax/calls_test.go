package syntax

import (
	"strings"
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// named are the functions of the tests.
var named = map[string]bool{"f": true, "g`": true}

func TestQualifyCalls(t *testing.T) {
	for text, want := range map[string]string{
		"CREATE VIEW v AS SELECT f(1)":                          "CREATE VIEW v AS SELECT `d``b`.f(1)",
		"CREATE VIEW v AS SELECT F (f(1)), `f` ( 2 ), `g```(3)": "CREATE VIEW v AS SELECT `d``b`.F (`d``b`.f(1)), `d``b`.`f` ( 2 ), `d``b`.`g```(3)",
		"SELECT f(1), x.f(2), x . f (3), f, 'f(4)' /* f(5) */":  "SELECT `d``b`.f(1), x.f(2), x . f (3), f, 'f(4)' /* f(5) */",
		"/*!50001 CREATE */ /*!50001 VIEW v AS SELECT f(1) */":  "/*!50001 CREATE */ /*!50001 VIEW v AS SELECT `d``b`.f(1) */",
		"SELECT 1 FROM t WHERE a IN (SELECT f(b) FROM u)":       "SELECT 1 FROM t WHERE a IN (SELECT `d``b`.f(b) FROM u)",
		"SELECT h(1)":     "SELECT h(1)",
		"SELECT x.f(1)":   "SELECT x.f(1)",
		"SELECT f(1":      "SELECT f(1",
		"":                "",
		"SELECT DISTINCT": "SELECT DISTINCT",
		// What looks like a call, and is none.
		"WITH f(a) AS (SELECT 1) SELECT a, f(2) FROM f": "WITH f(a) AS (SELECT 1) SELECT a, f(2) FROM f",
	} {
		if got := QualifyCalls(t.Context(), "d`b", text, named, ast.ParserOptions{}); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
	if got := QualifyCalls(t.Context(), "d", "SELECT distinct (a) FROM t", map[string]bool{"distinct": true}, ast.ParserOptions{}); got != "SELECT distinct (a) FROM t" {
		t.Errorf("a keyword became a call: %s", got)
	}
}

// FuzzQualifyCalls checks that a statement stays what it is but for the databases of functions.
func FuzzQualifyCalls(f *testing.F) {
	for _, s := range []string{"CREATE VIEW v AS SELECT f(1), x.f(2), f", "SELECT f (f(1)) FROM t AS f WHERE a IN (f(2))", "/*! SELECT f(1) */", "SELECT \"f(\", 'f('"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !parses(text) {
			return
		}
		changed := QualifyCalls(t.Context(), "d", text, named, ast.ParserOptions{})
		if changed == text {
			return
		}
		s, err := Default.ParseSimple(changed)
		if err != nil {
			t.Fatalf("%q became %q: %v", text, changed, err)
		}
		if n := strings.Count(changed, "`d`."); n == 0 || strings.ReplaceAll(changed, "`d`.", "") != strings.ReplaceAll(text, "`d`.", "") {
			t.Errorf("%q became %q", text, changed)
		}
		_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
			if f, ok := n.(*ast.FuncExpr); ok && f.Qualifier.IsEmpty() && named[f.Name.Lowered()] {
				t.Errorf("%q has a call without its database", changed)
			}
			return true, nil
		}, s)
	})
}

// parses reports whether vitess reads a text. It panics for some, such as SELECT”, which costs a server one statement.
func parses(text string) (ok bool) {
	defer func() { ok = recover() == nil && ok }()
	_, err := Default.ParseSimple(text)
	return err == nil
}
