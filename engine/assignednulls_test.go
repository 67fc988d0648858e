package engine

import "testing"

// TestAssignedNulls: a column that is NOT NULL takes NULL from no assignment, whether another one follows or not, but where a trigger sees the
// row before it is written.
func TestAssignedNulls(t *testing.T) {
	const (
		refused = "1048 23000 Column 'n' cannot be null"
		rows    = "SELECT * FROM b"
	)
	for _, x := range []struct{ mode, statement, failure, rows string }{
		{"STRICT_ALL_TABLES", "UPDATE b SET n = NULL, n = 1", refused, "2|2|2"},
		{"STRICT_ALL_TABLES", "UPDATE b SET n = NULL, id = 2", refused, "2|2|2"},
		{"STRICT_ALL_TABLES", "UPDATE b SET v = NULL, n = v, n = 1", refused, "2|2|2"},
		{"STRICT_ALL_TABLES", "UPDATE a JOIN b USING (id) SET n = NULL, n = 1", refused, "2|2|2"},
		{"STRICT_ALL_TABLES", "UPDATE a LEFT JOIN b ON a.id = b.id SET b.n = a.v", refused, "2|2|2"},
		{"STRICT_ALL_TABLES", "UPDATE a LEFT JOIN b ON a.id = b.id SET b.n = a.v WHERE a.id = 1", "", "2|2|2"},
		{"STRICT_ALL_TABLES", "UPDATE IGNORE a LEFT JOIN b ON a.id = b.id SET b.n = a.v, b.v = b.n + 5", "", "2|0|5"},
		{"STRICT_ALL_TABLES", "UPDATE IGNORE b SET n = NULL, v = n", "", "2|0|0"},
		{"STRICT_ALL_TABLES", "INSERT INTO b VALUES (2, 1, 1) ON DUPLICATE KEY UPDATE n = NULL, n = 3", refused, "2|2|2"},
		{"STRICT_ALL_TABLES", "INSERT INTO b SELECT 2, 1, 1 ON DUPLICATE KEY UPDATE n = NULL, n = 3", refused, "2|2|2"},
		{"STRICT_ALL_TABLES", "INSERT IGNORE INTO b VALUES (2, 1, 1) ON DUPLICATE KEY UPDATE n = NULL, v = n", "", "2|0|0"},
		{"", "UPDATE b SET n = NULL, v = n", "", "2|0|0"},
		{"", "UPDATE a LEFT JOIN b ON a.id = b.id SET b.n = a.v", "", "2|0|2"},
		{"", "INSERT INTO b VALUES (2, 1, 1) ON DUPLICATE KEY UPDATE n = NULL, n = 3", refused, "2|2|2"},
		{"", "INSERT INTO b VALUES (2, 1, 1), (2, 1, 1) ON DUPLICATE KEY UPDATE n = NULL, v = n", "", "2|0|0"},
	} {
		r, c := rightRows(t, "CREATE TABLE a (id INT PRIMARY KEY, v INT)", "INSERT INTO a VALUES (1, 1), (2, NULL)",
			"CREATE TABLE b (id INT PRIMARY KEY, n INT NOT NULL, v INT)", "INSERT INTO b VALUES (2, 2, 2)", "SET sql_mode = '"+x.mode+"'")
		if _, err := c.ExecContext(t.Context(), x.statement); err == nil != (x.failure == "") || err != nil && code(err) != x.failure {
			t.Errorf("%s: %v, want %s", x.statement, err, x.failure)
		}
		if got := answerOf(t, c, rows); got != x.rows {
			t.Errorf("%s: %s, want %s", x.statement, got, x.rows)
		}
		r.must(t, c, "DROP TABLE a, b")
	}
	r, c := rightRows(t, "CREATE TABLE a (id INT PRIMARY KEY)", "INSERT INTO a VALUES (2)", "CREATE TABLE b (id INT PRIMARY KEY, n INT NOT NULL, v INT)",
		"INSERT INTO b VALUES (2, 2, 2)", "CREATE TRIGGER g BEFORE UPDATE ON b FOR EACH ROW SET NEW.n = COALESCE(NEW.n, 77)")
	for _, statement := range []string{"UPDATE b SET n = NULL", "UPDATE a JOIN b USING (id) SET n = NULL", "INSERT INTO b VALUES (2, 1, 1) ON DUPLICATE KEY UPDATE n = NULL"} {
		r.must(t, c, "UPDATE b SET n = 1", statement)
		if got := answerOf(t, c, rows); got != "2|77|2" {
			t.Errorf("%s with a trigger: %s, want 2|77|2", statement, got)
		}
	}
}
