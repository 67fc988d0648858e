package engine

import "testing"

// TestGivenBackIDs: a row that is not inserted gives its AUTO_INCREMENT value back to the next row of its statement. The values that a
// statement with VALUES has taken at once are used up after it.
func TestGivenBackIDs(t *testing.T) {
	const rows = "SELECT id, k, v FROM t ORDER BY k"
	for _, x := range []struct {
		statement string
		told      int64
		rows      string
		next      int64 // the id of the row that is inserted then
	}{
		{"INSERT IGNORE INTO t (k, p) VALUES (1, 1), (2, 50), (3, NULL)", 1, "1|1|0 2|3|0", 4},
		{"INSERT IGNORE INTO t (id, k, p) VALUES (0, 1, 50), (NULL, 2, NULL), (2, 3, 1)", 1, "1|2|0 2|3|0", 4},
		{"INSERT IGNORE INTO t (k) VALUES (1), (1), (2)", 1, "1|1|0 2|2|0", 4},
		{"INSERT IGNORE INTO t (k) SELECT 1 UNION ALL SELECT 1 UNION ALL SELECT 2", 1, "1|1|0 2|2|0", 0},
		{"INSERT INTO t (k) VALUES (1), (1), (2) ON DUPLICATE KEY UPDATE v = 7", 1, "1|1|7 2|2|0", 4},
		{"INSERT INTO t (k) VALUES (1), (1), (1), (2) ON DUPLICATE KEY UPDATE v = v + 1", 1, "1|1|2 2|2|0", 5},
		{"INSERT INTO t (k) SELECT 1 UNION ALL SELECT 1 UNION ALL SELECT 2 ON DUPLICATE KEY UPDATE v = 7", 1, "1|1|7 2|2|0", 0},
		{"REPLACE INTO t (k) VALUES (1), (1), (2)", 1, "2|1|0 3|2|0", 4},
		{"INSERT INTO t (id, k) VALUES (NULL, 1), (3, 2), (NULL, 3)", 1, "1|1|0 3|2|0 4|3|0", 5},
		{"INSERT INTO t (id, k) VALUES (NULL, 1), (2, 2), (NULL, 3), (NULL, 4)", 1, "1|1|0 2|2|0 3|3|0 4|4|0", 5},
		{"INSERT INTO t (id, k) VALUES (NULL, 1), (9, 2), (NULL, 3)", 1, "1|1|0 9|2|0 10|3|0", 11},
		{"INSERT IGNORE INTO t (id, k, p) VALUES (5, 1, NULL), (NULL, 2, 50), (NULL, 3, 1)", 6, "5|1|0 6|3|0", 9},
	} {
		r, c := rightRows(t, "CREATE TABLE p (id INT PRIMARY KEY)", "INSERT INTO p VALUES (1)",
			"CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, k INT UNIQUE, v INT DEFAULT 0, p INT, FOREIGN KEY (p) REFERENCES p (id))")
		result, err := c.ExecContext(t.Context(), x.statement)
		if err != nil {
			t.Fatalf("%s: %v", x.statement, err)
		}
		if told, _ := result.LastInsertId(); told != x.told {
			t.Errorf("%s: the client is told %d, want %d", x.statement, told, x.told)
		}
		if got := answerOf(t, c, rows); got != x.rows {
			t.Errorf("%s: %s, want %s", x.statement, got, x.rows)
		}
		result, err = c.ExecContext(t.Context(), "INSERT INTO t (k) VALUES (100)")
		if err != nil {
			t.Fatal(err)
		}
		if next, _ := result.LastInsertId(); x.next > 0 && next != x.next {
			t.Errorf("%s: the next id is %d, want %d", x.statement, next, x.next)
		}
		r.must(t, c, "DROP TABLE t, p")
	}
}

// TestPassedIDs: an id that a statement has is passed by later ones if its row is inserted; one of REPLACE or of a query is passed in any case.
func TestPassedIDs(t *testing.T) {
	for _, x := range []struct {
		statement string
		next      int64 // the id of the row that is inserted then
	}{
		{"INSERT INTO t (id, k) VALUES (13, 1)", 14},
		{"INSERT INTO t (id, k, p) VALUES (13, 1, 50)", 3},                          // no parent
		{"INSERT INTO t (id, k) VALUES (13, 100)", 3},                               // a key that is there
		{"INSERT INTO t (id, k) VALUES (13, 1), (14, 100)", 14},                     // the first row had been inserted
		{"INSERT IGNORE INTO t (id, k) VALUES (13, 100)", 3},                        //
		{"INSERT INTO t (id, k) VALUES (13, 100) ON DUPLICATE KEY UPDATE v = 1", 3}, //
		{"INSERT INTO t (id, k) VALUES (13, 100) ON DUPLICATE KEY UPDATE id = 20", 21},
		{"REPLACE INTO t (id, k) VALUES (13, 100)", 14},
		{"REPLACE INTO t (id, k, p) VALUES (13, 100, 50)", 14},
		{"INSERT INTO t (id, k) SELECT 13, 100", 14},
	} {
		r, c := rightRows(t, "CREATE TABLE p (id INT PRIMARY KEY)", "INSERT INTO p VALUES (1)",
			"CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, k INT UNIQUE, v INT DEFAULT 0, p INT, FOREIGN KEY (p) REFERENCES p (id))", "INSERT INTO t (k) VALUES (100), (101)")
		_, _ = c.ExecContext(t.Context(), x.statement)
		result, err := c.ExecContext(t.Context(), "INSERT INTO t (k) VALUES (200)")
		if err != nil {
			t.Fatal(err)
		}
		if next, _ := result.LastInsertId(); next != x.next {
			t.Errorf("%s: the next id is %d, want %d", x.statement, next, x.next)
		}
		r.must(t, c, "DROP TABLE t, p")
	}
}
