package engine

import (
	"testing"
)

// TestGeneratedFromStoredValues: a generated column is calculated from what its row keeps, and what is wrong with a value of the statement is
// said of the column that the value is for.
func TestGeneratedFromStoredValues(t *testing.T) {
	r, c := rightRows(t, "CREATE TABLE c (id INT PRIMARY KEY, s TEXT, g VARCHAR(20) AS (LEFT(s, 1)) VIRTUAL, h VARCHAR(9) AS (UPPER(s)) STORED)",
		"CREATE TABLE n (id INT PRIMARY KEY, u SMALLINT UNSIGNED, m BIGINT AS (u % 3) STORED, q INT AS (10 / u) STORED NOT NULL)")
	r.must(t, c, "INSERT INTO c (id, s) VALUES (1, 5)", "INSERT INTO c (id, s, g) VALUES (2, 65, DEFAULT)", "REPLACE INTO c (id, s, g, h) VALUES (2, 66, DEFAULT, DEFAULT)",
		"INSERT INTO c (id, s) SELECT 3, 9.5", "INSERT INTO c (id, s) VALUES (3, 7) ON DUPLICATE KEY UPDATE s = 80", "INSERT INTO c (id, s) VALUES (4, 'ab')", "UPDATE c SET s = 77.5 WHERE id = 4")
	if got, want := answerOf(t, c, "SELECT * FROM c ORDER BY id"), "1|5|5|5 2|66|6|66 3|80|8|80 4|77.5|7|77.5"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	r.must(t, c, "CREATE TABLE lg (g VARCHAR(20))", "CREATE TRIGGER c_i BEFORE INSERT ON c FOR EACH ROW SET NEW.s = CONCAT(NEW.s, '!')", "INSERT INTO c (id, s) VALUES (5, 5)")
	if got, want := answerOf(t, c, "SELECT s, g, h FROM c WHERE id = 5"), "5!|5|5!"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for statement, want := range map[string]string{
		"INSERT INTO n (id, u) VALUES (1, -1)":              "1264 22003 Out of range value for column 'u' at row 1",
		"INSERT INTO n (id, u) VALUES (1, 5), (2, 'x')":     "1366 HY000 Incorrect integer value: 'x' for column 'u' at row 2",
		"INSERT INTO n (id, u) SELECT 1, 70000":             "1264 22003 Out of range value for column 'u' at row 1",
		"INSERT INTO n (id, u) VALUES (1, 0)":               "1365 22012 Division by 0",
		"INSERT INTO n (id, u) VALUES (1, NULL)":            "1048 23000 Column 'q' cannot be null",
		"REPLACE INTO n (id, u, m) VALUES (1, -5, DEFAULT)": "1264 22003 Out of range value for column 'u' at row 1",
	} {
		if _, err := c.ExecContext(t.Context(), statement); code(err) != want {
			t.Errorf("%s: %v, want %s", statement, err, want)
		}
	}
	r.must(t, c, "CREATE TABLE e (id INT PRIMARY KEY, e ENUM('a', 'b') NOT NULL, g VARCHAR(9) AS (LEFT(e, 1)) STORED NOT NULL)", "INSERT INTO e (id) VALUES (1)", "INSERT INTO e (id) SELECT 2", "REPLACE INTO e (id) VALUES (2)")
	for query, want := range map[string]string{"SELECT COUNT(*) AS n FROM n": "0", "SELECT * FROM e ORDER BY id": "1|a|a 2|a|a"} {
		if got := answerOf(t, c, query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

// TestDecimalsOfAnySize: a DECIMAL is compared with a literal that its column has no room for.
func TestDecimalsOfAnySize(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE t (d DECIMAL(3, 2) NOT NULL, KEY (d))", "INSERT INTO t VALUES (1)")
	for query, want := range map[string]string{
		"SELECT 10.0 < d AS a, d > 10.0 AS b, d < 100.5 AS c, d = 10.00 AS d, d <> 123456789.123456789 AS e, d <=> 10.5 AS f FROM t": "0|0|1|0|1|0",
		"SELECT d FROM t WHERE d < 10.0 AND 10.0 > d":                          "1.00",
		"SELECT d FROM t WHERE d IN (10.0, 1.00) AND d BETWEEN -10.0 AND 99.9": "1.00",
		"SELECT x > 10.0 AS v FROM (SELECT 1.00 AS x) AS z":                    "0",
		"SELECT COUNT(*) AS n FROM t WHERE d NOT IN (10.0, 20.00)":             "1",
	} {
		wantEverywhere(t, c, query, want, false)
	}
}
