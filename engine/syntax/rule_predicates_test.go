package syntax

import (
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

func TestPredicates(t *testing.T) {
	needed(t, "SELECT a SOUNDS LIKE b", "SELECT 1 FROM t WHERE 1 MEMBER OF ('[1]')")
	for text, want := range map[string]string{
		"select a sounds like b and c from t":                         "select soundex(a) = soundex(b) and c from t",
		"select a from t where concat(a, 'x') sounds like f(b) + 'y'": "select a from t where soundex(concat(a, 'x')) = soundex(f(b) + 'y')",
		"select a from t where 1 MEMBER OF (b->'$.c') or d":           "select a from t where member of(1, b -> '$.c') = 1 or d",
		"select a from t where not (x.a) member (b)":                  "select a from t where not member of((x.a), b) = 1",
		"select a as sounds, member from t where member like 'x'":     "select a as sounds, member from t where member like 'x'",
		"select 'a sounds like b', \"1 member of ('[1]')\" from t":    "select 'a sounds like b', '1 member of (\\'[1]\\')' from t",
	} {
		s, err := Default.ParseSimple(text)
		if err != nil {
			t.Errorf("%s: %s", text, err)
		} else if got := ast.String(s); got != want {
			t.Errorf("%s became\n%s, want\n%s", text, got, want)
		}
	}
	refuses(t, "SELECT a SOUNDS b", "SELECT SOUNDS LIKE", "SELECT 1 MEMBER OF 2", "SELECT 1 MEMBER OF (")
}
