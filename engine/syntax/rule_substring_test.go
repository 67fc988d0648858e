package syntax

import (
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

func TestSubstrings(t *testing.T) {
	needed(t, "SELECT SUBSTRING(LOWER(a) FROM 2 FOR 3) FROM t", "SELECT SUBSTRING(a FROM 2) FROM t")
	for text, want := range map[string]string{
		"select substring(lower(a) from 2 for 3), substr('a' from 2) from t": "select substring(lower(a), 2, 3), substr('a', 2) from t",
		"select mid(a from -1) from t for update":                            "select mid(a, -1) from t for update",
		"select substring((select max(a) from t) from 1 for 1)":              "select substring((select max(a) from t), 1, 1)",
		"select substring(substring(trim(both 'x' from a) from 2) from 3)":   "select substring(substring(trim(both 'x' from a), 2), 3)",
		"select substring(a from 2), 'substring(a from 2)' from t":           "select substring(a, 2), 'substring(a from 2)' from t",
	} {
		s, err := Default.ParseSimple(text)
		if err != nil {
			t.Errorf("%s: %s", text, err)
		} else if got := ast.String(s); got != want {
			t.Errorf("%s became\n%s, want\n%s", text, got, want)
		}
	}
	refuses(t, "SELECT SUBSTRING(a FROM", "SELECT SUBSTRING(FROM 1)")
}
