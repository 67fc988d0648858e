package engine

import "testing"

// TestValuesOfTriggers: a trigger that runs before a row is inserted sees the values as the columns would keep them, so what does not fit is an
// error or a warning whatever the trigger makes of it. NULL is looked at later.
func TestValuesOfTriggers(t *testing.T) {
	r, c := rightRows(t, "CREATE TABLE a (id INT PRIMARY KEY, d DECIMAL(10,2), n INT NOT NULL, s VARCHAR(3), t DATE, e ENUM('x','y'))", "CREATE TABLE l (t TEXT)",
		"CREATE TRIGGER b BEFORE INSERT ON a FOR EACH ROW INSERT INTO l VALUES (CONCAT_WS('|', NEW.d, NEW.n, NEW.s, NEW.t, NEW.e))",
		"CREATE TRIGGER c BEFORE INSERT ON a FOR EACH ROW FOLLOWS b SET NEW.n = -2",
		"CREATE TRIGGER d BEFORE INSERT ON a FOR EACH ROW FOLLOWS c SET NEW.s = 'z'")
	for _, x := range []struct{ mode, statement, failure, seen, rows string }{
		{"STRICT_ALL_TABLES", "INSERT INTO a VALUES (1, 1.005, '7', 'abc', '20240101', 2)", "", "1.01|7|abc|2024-01-01|y", "1|1.01|-2|z|2024-01-01|y"},
		{"STRICT_ALL_TABLES", "INSERT INTO a SELECT 1, 1.005, 2.5, 1e1, '2024-1-1', 'X'", "", "1.01|3|10|2024-01-01|x", "1|1.01|-2|z|2024-01-01|x"},
		{"STRICT_ALL_TABLES", "REPLACE INTO a VALUES (1, 1.005, 2.5, 'abc', '2024-1-1', NULL)", "", "1.01|3|abc|2024-01-01", "1|1.01|-2|z|2024-01-01|NULL"},
		{"STRICT_ALL_TABLES", "INSERT INTO a (id, n) VALUES (1, NULL)", "", "", "1|NULL|-2|z|NULL|NULL"},
		{"STRICT_ALL_TABLES", "INSERT INTO a (id) VALUES (1)", "", "", "1|NULL|-2|z|NULL|NULL"},
		{"STRICT_ALL_TABLES", "INSERT INTO a VALUES (1, 1, 99999999999, 'abc', NULL, 1)", "1264 22003 Out of range value for column 'n' at row 1", "", ""},
		{"STRICT_ALL_TABLES", "INSERT INTO a VALUES (1, 1, NULL, 'abcd', NULL, 1)", "1406 22001 Data too long for column 's' at row 1", "", ""},
		{"STRICT_ALL_TABLES", "INSERT INTO a (id, n) VALUES (1, 1), (2, 'q')", "1366 HY000 Incorrect integer value: 'q' for column 'n' at row 2", "", ""},
		{"STRICT_ALL_TABLES", "INSERT IGNORE INTO a VALUES (1, '1x', 99999999999, 'abcd', '2024-02-30', 'q')", "", "1.00|2147483647|abc|0000-00-00|", "1|1.00|-2|z|0000-00-00|"},
		{"", "INSERT INTO a VALUES (1, '1x', 99999999999, 'abcd', '2024-02-30', 'q')", "", "1.00|2147483647|abc|0000-00-00|", "1|1.00|-2|z|0000-00-00|"},
	} {
		r.must(t, c, "DELETE FROM a", "DELETE FROM l", "SET sql_mode = '"+x.mode+"'")
		if _, err := c.ExecContext(t.Context(), x.statement); err == nil != (x.failure == "") || err != nil && code(err) != x.failure {
			t.Errorf("%s: %v, want %s", x.statement, err, x.failure)
		}
		for query, want := range map[string]string{"SELECT * FROM l": x.seen, "SELECT * FROM a": x.rows} {
			if got := answerOf(t, c, query); got != want {
				t.Errorf("%s: %s is %s, want %s", x.statement, query, got, want)
			}
		}
	}
}
