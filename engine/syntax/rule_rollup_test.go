package syntax

import "testing"

func TestRollup(t *testing.T) {
	needed(t, "SELECT a FROM t GROUP BY a WITH ROLLUP")
	for text, want := range map[string]string{
		"SELECT a, SUM(b) FROM t GROUP BY a, f(c) WITH ROLLUP HAVING a":      "SELECT a, SUM(b) FROM t GROUP BY a, f(c) , `with rollup`() HAVING a",
		"SELECT a FROM (SELECT a FROM t GROUP BY (a) WITH ROLLUP) q":         "SELECT a FROM (SELECT a FROM t GROUP BY (a) , `with rollup`()) q",
		"SELECT 'WITH ROLLUP', a FROM t GROUP BY a WITH /* WITH */ ROLLUP":   "SELECT 'WITH ROLLUP', a FROM t GROUP BY a , `with rollup`()",
		"CREATE VIEW v AS SELECT a FROM t GROUP BY a WITH ROLLUP ORDER BY a": "CREATE VIEW v AS SELECT a FROM t GROUP BY a , `with rollup`() ORDER BY a",
	} {
		if got := rewritten(t, text); got != want {
			t.Errorf("%s became\n%s, want\n%s", text, got, want)
		}
	}
	for _, text := range []string{"SELECT a FROM t WITH ROLLUP", "SELECT a FROM t ORDER BY a WITH ROLLUP", "SELECT a FROM t GROUP BY a HAVING 1 WITH ROLLUP", "SELECT a, b WITH ROLLUP"} {
		if got, err := parseable(text, Mode{}); err == nil {
			t.Errorf("%s became %s, want an error", text, got)
		}
	}
}
