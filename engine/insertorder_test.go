package engine

import (
	"testing"
)

// TestKeysBeforeParents: a row that has the key of another one is found to have it before its parents are looked for, so that what is inserted
// instead, or changed, decides.
func TestKeysBeforeParents(t *testing.T) {
	r, c := rightRows(t, "CREATE TABLE p (id INT PRIMARY KEY)", "CREATE TABLE c (id INT PRIMARY KEY, p INT, u INT UNIQUE, FOREIGN KEY (p) REFERENCES p (id))",
		"CREATE TABLE s (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES s (id))", "INSERT INTO p VALUES (1), (2)", "INSERT INTO c VALUES (1, 1, 1), (2, 2, 2)")
	const noParent = "1452 23000 Cannot add or update a child row: a foreign key constraint fails"
	for _, x := range []struct{ statement, want string }{
		{"INSERT INTO c VALUES (1, 7, 5)", "1062 23000 Duplicate entry '1' for key 'c.PRIMARY'"},
		{"INSERT INTO c VALUES (5, 7, 2)", "1062 23000 Duplicate entry '2' for key 'c.u'"},
		{"INSERT INTO c VALUES (9, 7, 5)", noParent},
		{"INSERT INTO c VALUES (1, 7, 5) ON DUPLICATE KEY UPDATE u = u + 10", ""},
		{"INSERT INTO c SELECT 1, 7, 5 ON DUPLICATE KEY UPDATE u = u + 10", ""},
		{"INSERT INTO c VALUES (1, 7, 5) ON DUPLICATE KEY UPDATE p = VALUES(p)", noParent},
		{"INSERT IGNORE INTO c VALUES (1, 7, 5), (5, 7, 5), (6, 1, 6)", ""},
		{"REPLACE INTO c VALUES (1, 7, 5)", noParent},
		{"INSERT INTO s VALUES (1, 1)", ""},
		{"INSERT INTO s VALUES (2, 3), (3, 2)", noParent},
		{"INSERT INTO s VALUES (3, 1), (2, 3)", ""},
	} {
		_, err := c.ExecContext(t.Context(), x.statement)
		if got := code(err); (err == nil) != (x.want == "") || err != nil && got[:min(len(got), len(x.want))] != x.want {
			t.Errorf("%s: %v, want %s", x.statement, err, x.want)
		}
	}
	for query, want := range map[string]string{"SELECT * FROM c ORDER BY id": "1|1|21 2|2|2 6|1|6", "SELECT * FROM s ORDER BY id": "1|1 2|3 3|1"} {
		if got := answerOf(t, c, query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	r.must(t, c, "DELETE FROM c WHERE p = 1", "DELETE FROM p WHERE id = 1")
}

// TestRefusedRowsTakeNoID: a row takes its AUTO_INCREMENT value when nothing else is wrong with it but its keys.
func TestRefusedRowsTakeNoID(t *testing.T) {
	r, c := rightRows(t, "CREATE TABLE a (id INT AUTO_INCREMENT PRIMARY KEY, b BIGINT, c INT, CHECK (c > 0))")
	for _, refused := range []string{"INSERT INTO a (b) VALUES ('x')", "INSERT INTO a (c) VALUES (0)", "INSERT INTO a (b) SELECT 'x'", "REPLACE INTO a (c) VALUES (-1)"} {
		if _, err := c.ExecContext(t.Context(), refused); err == nil {
			t.Errorf("%s is no error", refused)
		}
	}
	r.must(t, c, "INSERT INTO a (b, c) SELECT 4, 4", "INSERT INTO a (id, b, c) VALUES (NULL, 6, 6), (0, 7, 7), (10, 8, 8), (NULL, 9, 9)")
	if got, want := answerOf(t, c, "SELECT id, b FROM a ORDER BY id"), "1|4 2|6 3|7 10|8 11|9"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := answerOf(t, c, "SELECT LAST_INSERT_ID()"); got != "2" {
		t.Errorf("the id is %s, want 2", got)
	}
}
