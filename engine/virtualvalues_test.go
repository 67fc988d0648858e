package engine

import "testing"

// TestVirtualValuesFit: a column that is calculated when it is read has a value that fits, as it had to without strict mode.
func TestVirtualValuesFit(t *testing.T) {
	_, c := rightRows(t, "SET sql_mode = ''",
		"CREATE TABLE t (id INT, s TEXT, n INT, g VARCHAR(20) AS (UPPER(s)) VIRTUAL, h TINYINT AS (n * 100) VIRTUAL, d DATE AS (s) VIRTUAL, e DECIMAL(4,1) AS (n * 10000.55) VIRTUAL, u TINYINT UNSIGNED AS (-n) VIRTUAL, KEY k (g(2)))",
		"INSERT INTO t (id, s, n) VALUES (3, 'abcdefghijklmnopqrstuvwxyz', 5)")
	for _, mode := range []string{"''", "DEFAULT"} {
		for _, step := range [][2]string{
			{"SET sql_mode = " + mode, ""},
			{"SELECT g, h, e, u, CAST(d AS CHAR) AS d FROM t", "ABCDEFGHIJKLMNOPQRST|127|999.9|0|0000-00-00"},
			{"SHOW WARNINGS", ""},
			{"SELECT id FROM t WHERE h > 100 AND g LIKE 'ABC%' AND g = 'abcdefghijklmnopqrst'", "3"},
		} {
			if got := answerOf(t, c, step[0]); got != step[1] {
				t.Errorf("%s: %s, want %s", step[0], got, step[1])
			}
		}
	}
}
