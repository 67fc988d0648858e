package engine

import (
	"fmt"
	"testing"
)

// TestFinerConstants compares columns with constants that have more digits, another type or a wider range than they: the rows are those without
// an index.
func TestFinerConstants(t *testing.T) {
	const columns = "i INT, u BIGINT UNSIGNED, n DECIMAL(10,2), f FLOAT, g DOUBLE, d DATE, tm TIME, dt DATETIME, ts TIMESTAMP(3), y YEAR"
	_, c := rightRows(t, "CREATE TABLE p (id INT PRIMARY KEY, "+columns+")",
		"CREATE TABLE k (id INT PRIMARY KEY, "+columns+", KEY (i), KEY (u), KEY (n), KEY (f), KEY (g), KEY (d), KEY (tm), KEY (dt), KEY (ts), KEY (y))",
		"INSERT INTO p VALUES (1, 1, 1, 1.5, 1.1, 1.1, '2024-01-01', '10:00:00', '2024-01-01 10:00:00', '2024-01-01 10:00:00', 2024), (2, 2, 2, 2.5, 2.2, 2.2, '2024-01-02', '10:00:01', '2024-01-01 10:00:01', '2024-01-01 10:00:00.001', 1999), (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
		"INSERT INTO k SELECT * FROM p")
	constants := map[string][]string{
		"i":  {"1.4", "1.5", "1.6e0", "1.2 + 0.2", "1.2e0 + 0.4", "CONCAT('1', '.4')", "'1.4'", "'14e-1'", "'1'", "-1e100", "1e100"},
		"u":  {"-1", "1 - 2", "1e10 * 1e10", "0.2 + 1.2", "18446744073709551616"},
		"n":  {"1.5", "1.50", "1.500", "2.5e0", "1.501", "1.499", "1.5 + 0.001", "1.4 + 0.099", "1.501e0", "-1e100", "1e100", "1e50 * 1e50", "'1.501'", "CONCAT('1.5', '01')"},
		"f":  {"1.1", "1.0 + 0.1", "1.1e0", "1e300", "2.2"},
		"g":  {"1.1", "1.10", "2.2", "1.0 + 0.1", "2.2e0", "1.1e0 + 0.0"},
		"d":  {"'2024-01-01 10:00:00'", "TIMESTAMP'2024-01-01 10:00:00'", "CONCAT('2024-01-01', ' 10:00:00')", "TIMESTAMP('2024-01-01', '10:00:00')", "DATE'2024-01-01' + INTERVAL 1 HOUR", "TIMESTAMP('2024-01-01')"},
		"tm": {"'10:00:00'", "TIME'10:00:01'", "TIME'10:00:00.4'", "'10:00:00.6'", "ADDTIME('10:00:00', '00:00:00.6')", "100000.6", "100000 + 0.6", "100000 + 1"},
		"dt": {"'2024-01-01 10:00:00'", "'2024-01-01 10:00:00.4'", "TIMESTAMP'2024-01-01 10:00:00.6'", "TIMESTAMP('2024-01-01 10:00:00.6')", "TIMESTAMP('2024-01-01') + INTERVAL 36000400000 MICROSECOND", "DATE'2024-01-01'"},
		"ts": {"'2024-01-01 10:00:00.0006'", "TIMESTAMP'2024-01-01 10:00:00.0004'", "TIMESTAMP('2024-01-01 10:00:00.001')"},
		"y":  {"12 + 12", "100 + 100", "'24'", "24"},
	}
	for column, all := range constants {
		for _, constant := range all {
			for _, comparison := range []string{"%s = %s", "%s <> %s", "%s < %s", "%s <= %s", "%s > %s", "%s >= %s", "%s <=> %s", "%s IN (%s, NULL)", "NOT %s IN (%s)", "%[1]s BETWEEN %[2]s AND %[2]s", "%[1]s > %[2]s OR %[1]s = %[2]s", "%[2]s < %[1]s",
				"%[2]s <> %[1]s", "%[2]s = %[1]s", "%[2]s >= %[1]s", "%[2]s <=> %[1]s", "NOT %[2]s = %[1]s", "NOT %[2]s > %[1]s", "NOT %[1]s <=> %[2]s", "NOT %[2]s <=> %[1]s", "%[1]s NOT BETWEEN %[2]s AND %[2]s", "NOT (%[1]s = %[2]s AND TRUE)", "%[2]s NOT IN (%[1]s)", "%[2]s BETWEEN %[1]s AND %[1]s", "(%[2]s <> %[1]s) IS TRUE", "(%[2]s = %[1]s) IS FALSE", "NOT (NOT (%[1]s <> %[2]s))", "NOT (%[1]s <> %[2]s OR FALSE)", "%[1]s = %[2]s XOR TRUE", "%[2]s BETWEEN %[1]s AND %[1]s + 1", "NOT (%[2]s < %[1]s OR %[2]s > %[1]s)"} {
				condition := fmt.Sprintf(comparison, column, constant)
				want := answerOf(t, c, "SELECT id FROM p WHERE "+condition+" ORDER BY id")
				if got := answerOf(t, c, "SELECT id FROM k WHERE "+condition+" ORDER BY id"); got != want {
					t.Errorf("%s: %s by an index, %s without", condition, got, want)
				}
			}
		}
	}
	for query, want := range map[string]string{
		"SELECT id FROM k WHERE d < TIMESTAMP'2024-01-01 10:00:00' + INTERVAL 1 HOUR": "1", "SELECT id FROM k WHERE d <= NOW() ORDER BY id": "1 2", "SELECT id FROM k WHERE n > -1e100 ORDER BY id": "1 2",
		"SELECT id FROM k WHERE n < 1.5 + 0.001": "1", "SELECT id FROM k WHERE f > 1.1 ORDER BY id": "1 2", "SELECT id FROM k WHERE f < 1.1": "",
		"SELECT id FROM k WHERE dt < '2024-01-01 10:00:00.4'": "1", "SELECT id FROM k WHERE dt > '2024-01-01 10:00:00.6'": "2", "SELECT id FROM k WHERE dt = '2024-01-01 10:00:00.4'": "",
		"SELECT id FROM k WHERE dt <> '2024-01-01 10:00:00.4' ORDER BY id": "1 2", "SELECT id FROM k WHERE y = 12 + 12": "1",
	} {
		wantEverywhere(t, c, query, want, true)
	}
}
