package engine

import "testing"

// TestExactDocuments: a JSON document keeps the digits of its integers, whoever reads it, and is shown as MySQL shows it.
func TestExactDocuments(t *testing.T) {
	r, c := rightRows(t, "CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, j JSON)",
		`INSERT INTO t (j) VALUES ('{"b":18446744073709551615, "a":9007199254740993,"c":[1.10,"x,:"],"dd":-9223372036854775808}'), (JSON_OBJECT('a', 9007199254740993))`)
	for query, want := range map[string]string{
		"SELECT j FROM t": `{"a": 9007199254740993, "b": 18446744073709551615, "c": [1.1, "x,:"], "dd": -9223372036854775808} {"a": 9007199254740993}`,
		"SELECT j->'$.a' AS a, JSON_EXTRACT(j, '$.b') AS b, j->>'$.a' = 9007199254740993 AS c, j->'$.a' = 9007199254740993 AS d, JSON_VALUE(j, '$.a') AS e FROM t WHERE id = 1": "9007199254740993|18446744073709551615|1|1|9007199254740993",
		`SELECT CAST('{"a":9007199254740993}' AS JSON) AS a, JSON_EXTRACT('{"a":9007199254740993}', '$.a') AS b, JSON_SET('{"a":9007199254740993}', '$.b', 1) AS c`:             `{"a": 9007199254740993}|9007199254740993|{"a": 9007199254740993, "b": 1}`,
		"SELECT JSON_SET(j, '$.z', 1) AS a, CONCAT(j) AS b, LENGTH(j) AS c, CAST(j AS CHAR) AS d FROM t WHERE id = 2":                                                           `{"a": 9007199254740993, "z": 1}|{"a": 9007199254740993}|23|{"a": 9007199254740993}`,
		"SELECT JSON_KEYS(j) AS a, JSON_LENGTH(j) AS b, JSON_DEPTH(j) AS c FROM t WHERE id = 1":                                                                                 `["a", "b", "c", "dd"]|4|3`,
	} {
		wantEverywhere(t, c, query, want, false)
	}
	r.must(t, c, "UPDATE t SET j = JSON_SET(j, '$.z', 1) WHERE id = 2", "CREATE TABLE u AS SELECT * FROM t", "ALTER TABLE t ADD COLUMN k TEXT", "UPDATE t SET k = j", "ALTER TABLE t MODIFY k JSON")
	for _, query := range []string{"SELECT j FROM t WHERE id = 2", "SELECT j FROM u WHERE id = 2", "SELECT k FROM t WHERE id = 2"} {
		if got, want := answerOf(t, c, query), `{"a": 9007199254740993, "z": 1}`; got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

// TestNumbersAreDates stores numbers in columns of dates, and DEFAULT where a row is there already.
func TestNumbersAreDates(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, d DATE DEFAULT '2000-01-01', dt DATETIME(2), tm TIME, ts TIMESTAMP NULL)")
	for _, step := range [][2]string{
		{"INSERT INTO t (d, dt, tm, ts) VALUES (20240101, 20240101103000, 103000, 20240101103000)", ""},
		{"INSERT INTO t (d, dt, tm) VALUES (240101, 20240101103000.57, 10.5)", ""},
		{"INSERT INTO t (d, dt) VALUES (20240101103000, 20240101)", ""},
		{"INSERT INTO t (d) VALUES (20241301)", "1292 22007 Incorrect date value: '20241301' for column 'd' at row 1"},
		{"INSERT INTO t (dt) SELECT 20240101 + 31", "1292 22007 Incorrect datetime value: '20240132' for column 'dt' at row 1"},
		{"UPDATE t SET d = 20240303, dt = d + 1 WHERE id = 1", ""},
		{"SELECT * FROM t", "1|2024-03-03|2024-03-04 00:00:00.00|10:30:00|2024-01-01 10:30:00 2|2024-01-01|2024-01-01 10:30:00.57|00:00:11|NULL 3|2024-01-01|2024-01-01 00:00:00.00|NULL|NULL"},
		{"INSERT INTO t (id, d) VALUES (1, NULL) ON DUPLICATE KEY UPDATE d = DEFAULT", ""},
		{"INSERT INTO t VALUES (2, NULL, NULL, NULL, NULL) ON DUPLICATE KEY UPDATE dt = DEFAULT, d = DEFAULT(d)", ""},
		{"INSERT INTO t (id) SELECT 3 ON DUPLICATE KEY UPDATE d = DEFAULT, dt = d", ""},
		{"SELECT id, d, dt FROM t", "1|2000-01-01|2024-03-04 00:00:00.00 2|2000-01-01|NULL 3|2000-01-01|2000-01-01 00:00:00.00"},
	} {
		if got := answerOf(t, c, step[0]); got != step[1] {
			t.Errorf("%s: %s, want %s", step[0], got, step[1])
		}
	}
}
