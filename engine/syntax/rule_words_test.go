package syntax

import (
	"os"
	"strings"
	"testing"
)

// keywords returns the keywords of MySQL 8.4.
func keywords(t *testing.T) (all []string) {
	text, err := os.ReadFile("../../testdata/mysql84/digest_keywords.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		f := strings.Split(line, "\t")
		if i > 0 && len(f) > 2 && !strings.HasPrefix(f[1], "hint") && IsWordByte(f[0][0]) {
			all = append(all, f[0])
		}
	}
	return all
}

// TestWords checks that each word that MySQL does not reserve can be a name everywhere.
func TestWords(t *testing.T) {
	// Words that vitess's grammar has and MySQL's has not.
	others := strings.Fields("CONTAINED COPY ENCRYPTED EXCLUSIVE INPLACE INSTANT LAST_INSERT_ID PLAN SEQUENCE SHARED SYSTEM_TIME VECTOR VERSION VERSIONING VERSIONS YES")
	for _, w := range append(keywords(t), others...) {
		if reserved[w] || w == "SQL_NO_CACHE" { // SQL_NO_CACHE is an option behind SELECT in MySQL too
			continue
		}
		for _, text := range []string{
			"SELECT 1 AS W",
			"SELECT 1 AS W, 2 FROM t",
			"SELECT 1 W FROM t",
			"SELECT W FROM t",
			"SELECT W",
			"SELECT a, W, b FROM t ORDER BY W",
			"SELECT t.W FROM t",
			"SELECT W.a FROM W",
			"SELECT a FROM W WHERE W = 1 AND 2 = W",
			"SELECT a FROM d.W",
			"SELECT W.W FROM W.W",
			"SELECT a FROM t AS W",
			"SELECT a FROM t W",
			"SELECT a FROM (SELECT 1 AS a) W",
			"SELECT a FROM t JOIN W ON W.a = t.W",
			"SELECT MAX(W) FROM t GROUP BY W HAVING MAX(W) > 1",
			"CREATE TABLE W (W INT, a INT)",
			"INSERT INTO W (W, a) VALUES (1, 2)",
			"UPDATE W SET W = 1 WHERE W > 2",
			"DELETE FROM W WHERE W = 1",
			"DROP TABLE W",
			"CREATE VIEW W AS SELECT W FROM W",
			"WITH W AS (SELECT 1 AS W) SELECT W FROM W",
		} {
			text = strings.NewReplacer("WHERE", "WHERE", "WITH", "WITH", "VIEW", "VIEW", "W", strings.ToLower(w)).Replace(text)
			if _, err := parseable(text, Mode{}); err != nil {
				t.Errorf("%s: %s", text, err)
			}
		}
	}
}

func TestWordsAreQuotedWhereTheyAreNames(t *testing.T) {
	needed(t, "SELECT 1 AS now", "SELECT now FROM t")
	for text, want := range map[string]string{
		"SELECT UNIX_TIMESTAMP() AS now":                       "SELECT UNIX_TIMESTAMP() AS `now`",
		"SELECT NOW() AS now, 'now', \"now\", `now` /* now */": "SELECT NOW() AS `now`, 'now', \"now\", `now` /* now */",
		"SELECT now, NOW(), now() + now FROM now":              "SELECT `now`, NOW(), now() + `now` FROM `now`",
		"SELECT t.key, key$ FROM t":                            "SELECT t.key, `key$` FROM t",
		"SELECT a FROM t ORDER BY now DESC":                    "SELECT a FROM t ORDER BY `now` DESC",
	} {
		if got := rewritten(t, text); got != want {
			t.Errorf("%s became\n%s, want\n%s", text, got, want)
		}
	}
	for _, text := range []string{
		"SELECT 1 AS key", "SELECT key FROM t", "SELECT rank FROM t", "SELECT a FROM t LIMIT 1 OFFSET", "SELECT a b c FROM t",
		"START", "SHOW", "SHOW PROFILE now", "SELECT CAST(1 AS now) FROM t", "CREATE TABLE t (a now)", "ALTER TABLE t ADD",
		"SELECT a FROM t WITH ROLLUP", "INSERT now", "UPDATE now", "now", "SELECT 1 now now",
	} {
		if got, err := parseable(text, Mode{}); err == nil {
			t.Errorf("%s became %s, want an error", text, got)
		}
	}
}
