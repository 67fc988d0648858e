package sqltree

import (
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

func TestQualify(t *testing.T) {
	functions := map[string]bool{"f": true}
	for text, want := range map[string]string{
		"SELECT a FROM t":                                    "SELECT a FROM `d`.t",
		"CREATE VIEW t AS SELECT t.a FROM t":                 "CREATE VIEW t AS SELECT t.a FROM `d`.t",
		"SELECT a FROM x.t":                                  "SELECT a FROM x.t",
		"SELECT 1":                                           "SELECT 1",
		"SELECT 1 FROM dual":                                 "SELECT 1 FROM dual",
		"SELECT t FROM t, u AS t2 WHERE t IN (1)":            "SELECT t FROM `d`.t, `d`.u AS t2 WHERE t IN (1)",
		"SELECT (SELECT MAX(a) FROM t) + 1, f() AS g FROM t": "SELECT (SELECT MAX(a) FROM `d`.t) + 1 AS `(SELECT MAX(a) FROM t) + 1`, `d`.f() AS g FROM `d`.t",
		"SELECT f()":                                         "SELECT `d`.f() AS `f()`",
		"WITH t AS (SELECT a FROM t) SELECT a FROM t":        "WITH t AS (SELECT a FROM `d`.t) SELECT a FROM t",
		"WITH RECURSIVE t AS (SELECT 1 AS a UNION SELECT a FROM t) SELECT a FROM t": "WITH RECURSIVE t AS (SELECT 1 AS a UNION SELECT a FROM t) SELECT a FROM t",
		"SELECT TRIM('x' FROM t) FROM t":                                            "SELECT TRIM('x' FROM t) FROM `d`.t",
		"SELECT EXTRACT(YEAR FROM t) FROM `year` JOIN t":                            "SELECT EXTRACT(YEAR FROM t) FROM `d`.`year` JOIN `d`.t",
		"SELECT DATE '2020-01-01', date FROM date":                                  "SELECT DATE '2020-01-01', date FROM `d`.date",
		"SELECT a FROM t JOIN (u CROSS JOIN v) USING (t)":                           "SELECT a FROM `d`.t JOIN (`d`.u CROSS JOIN `d`.v) USING (t)",
		"SELECT 't', a -- FROM t\nFROM /* t */ t":                                   "SELECT 't', a -- FROM t\nFROM /* t */ `d`.t",
		"SELECT a FROM t UNION (SELECT a FROM t) ORDER BY a":                        "SELECT a FROM `d`.t UNION (SELECT a FROM `d`.t) ORDER BY a",
		"TABLE t": "TABLE `d`.t",
	} {
		got, err := Qualify(t.Context(), "d", text, functions, ast.ParserOptions{})
		if err != nil || got != want {
			t.Errorf("%s\n got %s %v\nwant %s", text, got, err, want)
		}
		if again, err := Qualify(t.Context(), "e", got, functions, ast.ParserOptions{}); err != nil || again != got {
			t.Errorf("%s\n becomes %s %v", got, again, err)
		}
	}
	if got, err := Qualify(t.Context(), "d", `SELECT "a" FROM "t"`, nil, ast.ParserOptions{AnsiQuotes: true}); err != nil || got != "SELECT \"a\" FROM `d`.\"t\"" {
		t.Errorf("with quotes of ANSI: %s %v", got, err)
	}
}

func TestUnqualify(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT a FROM `d`.t":                                     "SELECT a FROM t",
		"SELECT a FROM d.t JOIN d.u":                              "SELECT a FROM d.t JOIN d.u", // as somebody wrote it
		"SELECT a FROM x.t":                                       "SELECT a FROM x.t",
		"WITH t AS (SELECT a FROM `d`.t) SELECT a FROM t":         "WITH t AS (SELECT a FROM t) SELECT a FROM t",
		"WITH t AS (SELECT 1 AS a) SELECT t.a FROM t, `d`.t AS u": "WITH t AS (SELECT 1 AS a) SELECT t.a FROM t, `d`.t AS u", // it would be the common table
	} {
		if got := Unqualify(t.Context(), "d", text, ast.ParserOptions{}); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}
