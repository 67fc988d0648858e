package engine

import (
	"fmt"
	"testing"
)

// TestHexNumbers: hexadecimal and binary literals are numbers in columns of numbers and beside numbers; hexadecimal ones are bytes elsewhere.
func TestHexNumbers(t *testing.T) {
	r, c := rightRows(t, "CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, i INT, u BIGINT UNSIGNED, n DECIMAL(10,2), f DOUBLE, y YEAR, b BIT(8), v VARCHAR(9), bl BLOB, KEY (i), KEY (n))")
	for _, x := range []struct{ literal, number, text string }{{"0x31", "49", "1"}, {"x'32'", "50", "2"}, {"b'110011'", "51", ""}, {"0x3132", "12594", "12"}, {"0x30", "48", "0"}, {"0x07", "7", "\a"}} {
		for _, column := range []string{"i", "u", "n", "f"} {
			for _, statement := range []string{"INSERT INTO t (%s) VALUES (%s)", "INSERT INTO t SET %s = %s", "INSERT INTO t (%s) SELECT %s", "INSERT INTO t (v, %s) VALUES ('x', %s), ('y', 1)", "REPLACE INTO t (%s) VALUES (%s)", "INSERT INTO t (id, i) VALUES (1, 5); UPDATE t SET %s = %s",
				"INSERT INTO t (id) VALUES (1); INSERT INTO t (id) VALUES (1) ON DUPLICATE KEY UPDATE %s = %s"} {
				r.must(t, c, "DELETE FROM t", fmt.Sprintf(statement, column, x.literal))
				if got := answerOf(t, c, "SELECT "+column+" + 0e0 AS v FROM t ORDER BY id LIMIT 1"); got != x.number {
					t.Errorf("%s of %s: %s, want %s", fmt.Sprintf(statement, column, x.literal), column, got, x.number)
				}
			}
			for _, condition := range []string{"%s = %s", "%[2]s = %[1]s", "%s <=> %s", "%s IN (%s, 3)", "%s IN (%s)", "%[1]s BETWEEN %[2]s AND %[2]s", "NOT %s <> %s", "%s >= %s AND TRUE"} {
				query := "SELECT COUNT(*) AS v FROM t WHERE " + fmt.Sprintf(condition, column, x.literal)
				r.must(t, c, "DELETE FROM t", "INSERT INTO t ("+column+") VALUES ("+x.number+")")
				wantEverywhere(t, c, query, "1", true)
				r.must(t, c, "UPDATE t SET "+column+" = 0")
				wantEverywhere(t, c, query, "0", true)
			}
		}
		if x.literal[0] == 'b' {
			continue // docs/differences.md
		}
		for column, want := range map[string]string{"v": x.text, "bl": x.text} {
			r.must(t, c, "DELETE FROM t", "INSERT INTO t ("+column+") VALUES ("+x.literal+")")
			wantEverywhere(t, c, "SELECT "+column+" AS v FROM t WHERE "+column+" = "+x.literal, want, true)
		}
	}
	r.must(t, c, "DELETE FROM t", "INSERT INTO t (y) VALUES (0x14)", "INSERT INTO t (b) VALUES (0x41)")
	wantEverywhere(t, c, "SELECT MAX(y) AS v, MAX(b + 0) AS w FROM t", "2020|65", true)
	wantEverywhere(t, c, "SELECT 0x31 = 49 AS v, 0x31 = '1' AS w, 0x31 + 0 AS x, 49 IN (0x31) AS y, 0x32 > 49 AS z", "1|1|49|1|1", true)
	if got := answerOf(t, c, "INSERT INTO t (i) VALUES (0x112233445566778899)"); got == "" {
		t.Error("a literal of nine bytes is stored as a number")
	}
}
