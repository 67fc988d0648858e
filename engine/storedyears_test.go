package engine

import (
	"fmt"
	"testing"
)

// TestStoredYears: a text without digits is the YEAR 0000 in every way in which it is stored without an error, and the number 0 and the texts
// that are 0 have years of their own.
func TestStoredYears(t *testing.T) {
	r, c := rightRows(t, "CREATE TABLE y (id INT PRIMARY KEY, y YEAR)", "CREATE TABLE s (t TEXT, b BLOB)")
	const lenient, strict = "''", "DEFAULT"
	for value, want := range map[string]string{
		"'x'": "0000", "''": "0000", "'  '": "0000", "'a1'": "0000", "'-'": "0000", "'99999'": "0000", "'1900'": "0000",
		"'0'": "2000", "'00'": "2000", "'000'": "2000", "'0000'": "0000", "'00000'": "2000", "' 0 '": "2000", "'0x'": "2000", "'-0'": "2000", "'0e0'": "2000",
		"0": "0000", "0.4": "0000", "0e0": "0000", "FALSE": "0000", "TRUE": "2001", "'1a'": "2001", "'69'": "2069", "'70'": "1970", "2024": "2024",
	} {
		for _, x := range []struct{ mode, way string }{
			{lenient, "INSERT INTO y VALUES (1, %s)"},
			{strict, "INSERT IGNORE INTO y VALUES (1, %s)"},
			{lenient, "INSERT INTO y SELECT 1, %s"},
			{lenient, "REPLACE INTO y VALUES (1, %s)"},
			{lenient, "INSERT INTO y VALUES (1, 2001); UPDATE y SET y = %s"},
			{strict, "INSERT INTO y VALUES (1, 2001); UPDATE IGNORE y SET y = %s"},
			{lenient, "INSERT INTO y VALUES (1, 2001); INSERT INTO y VALUES (1, 1) ON DUPLICATE KEY UPDATE y = %s"},
			{lenient, "INSERT INTO y VALUES (1, 2001); UPDATE y JOIN (SELECT 1 AS a) d ON y.id = d.a SET y.y = %s"},
		} {
			r.must(t, c, "DELETE FROM y", "SET sql_mode = "+x.mode)
			r.must(t, c, fmt.Sprintf(x.way, value))
			if got := answerOf(t, c, "SELECT CONCAT(y) FROM y"); got != want {
				t.Errorf("sql_mode %s, "+x.way+": %s, want %s", x.mode, value, got, want)
			}
		}
		r.must(t, c, "DELETE FROM y", "DELETE FROM s", "SET sql_mode = ''", fmt.Sprintf("INSERT INTO s VALUES (%s, %[1]s)", value))
		if value[0] == '\'' {
			r.must(t, c, "INSERT INTO y SELECT 1, t FROM s UNION ALL SELECT 2, b FROM s")
			if got := answerOf(t, c, "SELECT CONCAT(y) FROM y ORDER BY id"); got != want+" "+want {
				t.Errorf("the columns with %s are %s, want %s", value, got, want)
			}
		}
	}
	r.must(t, c, "SET sql_mode = DEFAULT")
	if _, err := c.ExecContext(t.Context(), "INSERT INTO y VALUES (9, 'x')"); code(err) != "1366 HY000 Incorrect integer value: 'x' for column 'y' at row 1" {
		t.Errorf("a text without digits: %v", err)
	}
}
