package engine

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/sqlvalue"
)

// TestZeroYear: the YEAR 0 is 0000, as a text and as what '0000' is stored as; '0' is the year 2000.
func TestZeroYear(t *testing.T) {
	r, c := rightRows(t, "CREATE TABLE y (id INT PRIMARY KEY, y YEAR)", "INSERT INTO y VALUES (1, 0), (2, '0000'), (3, '0'), (4, '00'), (5, 1901), (6, NULL)", "INSERT IGNORE INTO y VALUES (7, -1)")
	const shown = "0000 0000 2000 2000 1901 NULL 0000"
	for query, want := range map[string]string{
		"SELECT CONCAT(y) FROM y ORDER BY id":                                                       shown,
		"SELECT CAST(y AS CHAR) FROM y ORDER BY id":                                                 shown,
		"SELECT y + 0 FROM y ORDER BY id":                                                           "0 0 2000 2000 1901 NULL 0",
		"SELECT CONCAT(MIN(y)), CONCAT(MAX(y)) FROM y":                                              "0000|2000",
		"SELECT GROUP_CONCAT(y ORDER BY id) FROM y":                                                 "0000,0000,2000,2000,1901,0000",
		"SELECT id FROM y WHERE y = 0 ORDER BY id":                                                  "1 2 7",
		"SELECT CONCAT(y) FROM (SELECT y FROM y WHERE id < 3 UNION SELECT y FROM y WHERE id = 5) z": "0000 1901",
		"SELECT LENGTH(y) FROM y WHERE id = 1":                                                      "4",
	} {
		if got := answerOf(t, c, query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	if v, err := sqlvalue.Shown(sql.NewEmptyContext(), types.Year, nil, int16(0)); err != nil || v.ToString() != "0000" {
		t.Errorf("the client sees %s, %v, want 0000", v.ToString(), err)
	}
	r.must(t, c, "UPDATE IGNORE y SET y = -1 WHERE id = 5")
	if got := answerOf(t, c, "SELECT CONCAT(y) FROM y WHERE id = 5"); got != "0000" {
		t.Errorf("the year is %s, want 0000", got)
	}
}
