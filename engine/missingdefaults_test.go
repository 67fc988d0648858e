package engine

import (
	"strings"
	"testing"
)

// TestMissingDefaults: DEFAULT for a column that has no default is 0 for AUTO_INCREMENT, the first value of an ENUM, NULL where the column may be
// NULL, and else an error or, in a lenient sql_mode, what the type has for it.
func TestMissingDefaults(t *testing.T) {
	r, c := rightRows(t, "CREATE TABLE a (id INT AUTO_INCREMENT PRIMARY KEY, n INT NOT NULL, x INT, e ENUM('p', 'q') NOT NULL, s VARCHAR(5) NOT NULL)", "CREATE TABLE b (id INT)", "INSERT INTO b VALUES (2)")
	for _, way := range []string{"UPDATE a SET %s = DEFAULT", "UPDATE a JOIN b ON a.id = b.id SET a.%s = DEFAULT", "INSERT INTO a (id, n, s) VALUES (2, 5, 'y') ON DUPLICATE KEY UPDATE %s = DEFAULT"} {
		for _, x := range []struct{ mode, column, want string }{
			{"DEFAULT", "id", "0|1|1|q|z"}, {"DEFAULT", "x", "2|1|NULL|q|z"}, {"DEFAULT", "e", "2|1|1|p|z"},
			{"DEFAULT", "n", "1364"}, {"DEFAULT", "s", "1364"}, {"''", "n", "2|0|1|q|z"}, {"''", "s", "2|1|1|q|"},
		} {
			r.must(t, c, "DELETE FROM a", "SET sql_mode = "+x.mode, "INSERT INTO a VALUES (2, 1, 1, 'q', 'z')")
			statement := strings.ReplaceAll(way, "%s", x.column)
			_, err := c.ExecContext(t.Context(), statement)
			if got := answerOf(t, c, "SELECT * FROM a"); err == nil && got != x.want || err != nil && !strings.HasPrefix(code(err), x.want) {
				t.Errorf("sql_mode %s: %s: %s, %v, want %s", x.mode, statement, got, err, x.want)
			}
		}
	}
}

// TestUpdatesToZero: an UPDATE that sets an AUTO_INCREMENT column to 0 uses up no value, and one that sets it to a larger one has the values go on
// behind that.
func TestUpdatesToZero(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE a (id INT AUTO_INCREMENT PRIMARY KEY, v INT)", "INSERT INTO a (v) VALUES (1), (2)", "UPDATE a SET id = 0 WHERE v = 1", "INSERT INTO a (v) VALUES (3)",
		"UPDATE a SET id = DEFAULT WHERE v = 9", "UPDATE a SET id = 20 WHERE v = 2", "INSERT INTO a (v) VALUES (4)", "UPDATE a SET id = -5 WHERE v = 4", "INSERT INTO a (v) VALUES (5)")
	if got, want := answerOf(t, c, "SELECT * FROM a ORDER BY v"), "0|1 20|2 3|3 -5|4 22|5"; got != want {
		t.Errorf("the rows are %s, want %s", got, want)
	}
}
