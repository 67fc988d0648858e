package syntax

import "testing"

func TestQuantified(t *testing.T) {
	needed(t, "SELECT 1 = ANY (SELECT 1)", "SELECT 1 > ALL (SELECT 1)", "SELECT 1 < SOME (SELECT 1)")
	for text, want := range map[string]string{
		"SELECT a FROM t WHERE a = ANY (SELECT b FROM u)":                "SELECT a FROM t WHERE a IN (SELECT b FROM u)",
		"SELECT a FROM t WHERE (a, b) = some(SELECT c, d FROM u)":        "SELECT a FROM t WHERE (a, b) IN(SELECT c, d FROM u)",
		"SELECT a FROM t WHERE a <> ALL (SELECT b FROM u)":               "SELECT a FROM t WHERE a NOT IN (SELECT b FROM u)",
		"SELECT a FROM t WHERE a != ALL (TABLE u)":                       "SELECT a FROM t WHERE a NOT IN (TABLE u)",
		"SELECT a >= ANY (SELECT (1)), 2":                                "SELECT a >= `any or all`('ANY', (SELECT (1))), 2",
		"SELECT a > ALL (SELECT b FROM u WHERE b = ANY (SELECT 1)) AS x": "SELECT a > `any or all`('ALL', (SELECT b FROM u WHERE b IN (SELECT 1))) AS x",
		"SELECT a <=> SOME (SELECT 1), ' = ANY (SELECT 1)', `ALL`":       "SELECT a <=> `any or all`('ANY', (SELECT 1)), ' = ANY (SELECT 1)', `ALL`",
		"SELECT @a := 1 > ALL (SELECT 2)":                                "SELECT `:=`('a', 1 > `any or all`('ALL', (SELECT 2)))",
	} {
		if got := rewritten(t, text); got != want {
			t.Errorf("%s became\n%s, want\n%s", text, got, want)
		}
	}
	for _, text := range []string{"SELECT ANY (SELECT 1)", "SELECT 1 > ALL (SELECT 1", "SELECT 1 + ANY (SELECT 1)"} {
		if got, err := parseable(text, Mode{}); err == nil {
			t.Errorf("%s became %s, want an error", text, got)
		}
	}
	for _, text := range []string{"SELECT 1 UNION ALL (SELECT 2)", "SELECT 1 EXCEPT ALL (SELECT 2)"} {
		if got := rewritten(t, text); got != text {
			t.Errorf("%s became %s", text, got)
		}
	}
}
