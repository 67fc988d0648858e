package engine

import (
	"strings"
	"testing"

	"pfsd/tables"
)

// TestFullGroupBy: what is selected depends on what is grouped by, or on no column.
func TestFullGroupBy(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "CREATE TABLE test.g (id INT PRIMARY KEY, word VARCHAR(10), n INT)")
	r.exec(t, "INSERT INTO test.g VALUES (1, 'one', 1), (2, 'two', 2), (3, 'one', 3)")
	for q, want := range map[string]string{
		"SELECT SUBSTRING(word, 2), SUM(n) AS total FROM test.g GROUP BY SUBSTRING(word, 2) ORDER BY total DESC":                    "ne|4,wo|2",
		"SELECT UPPER(word), MAX(n) AS latest, COUNT(*) FROM test.g GROUP BY UPPER(word) ORDER BY latest":                           "TWO|2|1,ONE|3|2",
		"SELECT UPPER(word) AS w, SUM(n) AS s FROM test.g GROUP BY UPPER(word) ORDER BY s DESC LIMIT 1":                             "ONE|4",
		"SELECT word, UTC_TIMESTAMP() > '2020-01-01' AS later, COUNT(*) FROM test.g GROUP BY word ORDER BY word":                    "one|1|2,two|1|1",
		"SELECT word, @@port, @x, CONNECTION_ID() > 0, (SELECT MAX(n) FROM test.g) AS m FROM test.g GROUP BY word ORDER BY m, word": "one|PORT|NULL|1|3,two|PORT|NULL|1|3",
		"SELECT n + 1, COUNT(*) AS c FROM test.g GROUP BY n + 1 HAVING c = 1 ORDER BY c, n + 1":                                     "2|1,3|1,4|1",
		"SELECT word, ROUND(SUM(n) / (SELECT COUNT(*) FROM test.g), 1) AS p FROM test.g GROUP BY word HAVING p > 0.7 ORDER BY p":    "one|1.3",
		"SELECT COUNT(IF(n IN (SELECT id FROM test.g WHERE id > 1), 1, NULL)) FROM test.g":                                          "2",
		"SELECT SUM(n IN (SELECT h.id FROM test.g h WHERE h.n = g.id)) / COUNT(*) AS x, MAX(n) FROM test.g HAVING x > 0":            "1.0000|3",
		"SELECT word, SUM(EXISTS (SELECT 1 FROM test.g h WHERE h.n = g.id + 1)) AS x FROM test.g GROUP BY word ORDER BY x, word":    "one|1,two|1",
		"SELECT COUNT(EXISTS (SELECT 1 FROM test.g) XOR n IN (SELECT id FROM test.g)) AS x FROM test.g":                             "3",
		"SELECT COUNT(NOT EXISTS (SELECT 1 FROM test.g) AND n = ANY (SELECT g.n FROM test.g h)) + 1 AS x FROM test.g":               "4",
		"SELECT word IN (SELECT word FROM test.g) AS x, EXISTS (SELECT 1 FROM test.g) AS y, COUNT(*) FROM test.g GROUP BY word":     "1|1|2,1|1|1",
		"SELECT n + 0 IN (n + 0, 5) AS x, COUNT(*) FROM test.g GROUP BY n + 0":                                                      "1|1,1|1,1|1",
		"SELECT id, word FROM test.g GROUP BY id ORDER BY word DESC, id":                                                            "2|two,1|one,3|one",
	} {
		want = strings.ReplaceAll(want, "PORT", r.port())
		if got := strings.Join(r.query(t, q), ","); got != want {
			t.Errorf("%s\n got %s\nwant %s", q, got, want)
		}
	}
	for _, q := range []string{
		"SELECT n, COUNT(*) FROM test.g GROUP BY word",
		"SELECT n, SUM(id) AS total FROM test.g GROUP BY word ORDER BY total",
		"SELECT UPPER(word), n + 1, SUM(id) AS total FROM test.g GROUP BY UPPER(word) ORDER BY total",
		"SELECT SUBSTRING(word, 3), SUM(n) AS total FROM test.g GROUP BY SUBSTRING(word, 2) ORDER BY total DESC",
		"SELECT n IN (SELECT id FROM test.g), EXISTS (SELECT 1 FROM test.g), COUNT(*) FROM test.g GROUP BY word",
		"SELECT n IN (SELECT id FROM test.g), SUM(n IN (SELECT id FROM test.g)) FROM test.g GROUP BY word",
		"SELECT word, (SELECT MAX(h.n) FROM test.g h WHERE h.n < g.n) AS m, UTC_TIMESTAMP() FROM test.g GROUP BY word",
	} {
		_, err := r.db.Exec(q)
		if got := code(err); !strings.HasPrefix(got, "1055 42000") {
			t.Errorf("%s: %s", q, got)
		}
	}
	c, _ := r.conn(t)
	if _, err := c.ExecContext(t.Context(), "SET sql_mode = ''"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ExecContext(t.Context(), "SELECT n, COUNT(*) FROM test.g GROUP BY word"); err != nil {
		t.Error(err)
	}
}
