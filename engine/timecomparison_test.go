package engine

import (
	"fmt"
	"testing"
)

// timeConditions are conditions on the table tt, one row in each, and whether they are true in MySQL.
var timeConditions = []struct {
	condition string
	want      bool
}{
	{"TIME'12:30:15' > TIME(at)", true},
	{"TIME(TIMESTAMP'2024-02-29 23:59:59') = ADDTIME(t, '01:00:00')", false},
	{"t IN (TIME(TIMESTAMP'2024-01-01 08:00:00.500'))", false},
	{"t IN (TIME'08:00:00', '12:30:15')", true},
	{"t NOT IN (TIME'07:00:00', TIME'12:30:15')", true},
	{"t NOT IN (TIME'08:00:00', TIME'12:30:15')", false},
	{"t IN (80000, 123015)", true},
	{"t = 80000", true},
	{"t >= 80001", false},
	{"t BETWEEN 75959 AND 80001", true},
	{"t BETWEEN TIME'07:59:59.5' AND TIME'08:00:00.5'", true},
	{"TIME'23:59:59' NOT BETWEEN TIME'08:00:00' AND TIME'100:00:00'", false},
	{"TIME(at) = TIME'08:00:00.5'", true},
	{"TIME(at) = '08:00:00.5'", true},
	{"TIME(at) = 80000.5", true},
	{"TIME(at) IN (80000.5)", true},
	{"TIME(at) > t", true},
	{"ADDTIME(t, '0:0:0.5') = TIME(at)", true},
	{"GREATEST(t, TIME'10:00:00.5') = TIME'10:00:00.5'", true},
	{"LEAST(t, TIME(at)) = t", true},
	{"CASE TIME(at) WHEN TIME'08:00:00.500' THEN 1 ELSE 0 END", true},
	{"y = 0", false},
	{"y = 24", true},
	{"y IN (5, 24)", true},
	{"y NOT IN (5, 24)", false},
	{"y BETWEEN 23 AND 25", true},
	{"y < 70", false},
	{"y > 99", true},
	{"y = '24'", true},
	{"y <> 24", false},
	{"24 = y", true},
	{"y = 24.0", true},
	{"y = 124", false},
	{"d = 20240101", true},
	{"d = 240101", true},
	{"d = '20240101'", true},
	{"d = '24-1-1'", true},
	{"d = 20240101000000", true},
	{"d < 20240101000001", true},
	{"d >= 20240101000001", false},
	{"d IN (20240101, 5)", true},
	{"d IN (20240101)", true},
	{"d BETWEEN 231231 AND 240102", true},
	{"at = 20240101080000.5", true},
	{"at > 20240101", true},
	{"at BETWEEN 20240101 AND 20240102", true},
	{"at IN (20240101080000.500)", true},
}

// TestComparedTimes: a comparison of a time, a date or a year is the same in WHERE with a key, in
// WHERE without one, as a value, in a derived table and in a prepared statement.
func TestComparedTimes(t *testing.T) {
	r := serve(t, Options{})
	const columns = "(id INT PRIMARY KEY, at DATETIME(3), t TIME, y YEAR, d DATE"
	for name, keys := range map[string]string{"plain": "", "keyed": ", KEY (at), KEY (t), KEY (y), KEY (d)"} {
		r.exec(t, "CREATE TABLE test."+name+" "+columns+keys+")")
		r.exec(t, "INSERT INTO test."+name+" VALUES (1, '2024-01-01 08:00:00.5', '08:00:00', 2024, '2024-01-01')")
		for _, c := range timeConditions {
			row, value := "0", "0"
			if c.want {
				row, value = "1", "1"
			}
			r.want(t, "SELECT COUNT(*) FROM test."+name+" WHERE "+c.condition, row)
			r.want(t, "SELECT ("+c.condition+") = 1 FROM test."+name, value)
			r.want(t, "SELECT COUNT(*) FROM (SELECT * FROM test."+name+" LIMIT 5) d WHERE "+c.condition, row)
			if got := r.query(t, "SELECT COUNT(*) FROM test."+name+" WHERE ("+c.condition+") AND id = ?", 1); fmt.Sprint(got) != "["+row+"]" {
				t.Errorf("%s prepared: %s, want %s", c.condition, got, row)
			}
		}
	}
	r.want(t, "SELECT COUNT(*) FROM test.plain a JOIN test.keyed b ON ADDTIME(a.t, '01:00:00') = TIME(b.at)", "0")
	r.want(t, "SELECT COUNT(*) FROM test.plain a JOIN test.keyed b ON ADDTIME(a.t, '00:00:00.5') = TIME(b.at)", "1")
	for _, c := range []struct {
		column string
		value  any
		want   string
	}{{"y", 24, "1"}, {"y", 0, "0"}, {"y", 99, "0"}, {"y", "24", "1"}, {"y", 24, "1"}, {"d", 240101, "1"}, {"d", 20240101, "1"}, {"d", "24-1-1", "1"}, {"t", "8:00", "1"}, {"t", 80000, "1"}, {"at", 20240101, "0"}} {
		if got := r.query(t, "SELECT COUNT(*) FROM test.keyed WHERE "+c.column+" = ?", c.value); fmt.Sprint(got) != "["+c.want+"]" {
			t.Errorf("%s = %v: %s, want %s", c.column, c.value, got, c.want)
		}
	}
}

// TestFractionsOfTimes: times have as many digits behind the point as MySQL gives them, as text,
// from a prepared statement, and stored.
func TestFractionsOfTimes(t *testing.T) {
	r := serve(t, Options{})
	r.exec(t, "CREATE TABLE test.t (id INT PRIMARY KEY, c TIME, at DATETIME(3))")
	r.exec(t, "INSERT INTO test.t VALUES (1, '10:00:00.5', '2024-01-01 08:00:00.5'), (2, '-10:00:00.499', NULL)")
	r.want(t, "SELECT c, c + 0 FROM test.t", "10:00:01|100001", "-10:00:00|-100000")
	r.exec(t, "UPDATE test.t SET c = TIME'01:00:00.6' WHERE id = 1")
	for _, c := range [][2]string{
		{"c", "01:00:01"}, {"TIME(at)", "08:00:00.500"}, {"ADDTIME(c, '0:0:0.25')", "01:00:01.25"}, {"SUBTIME(c, TIME'00:00:01')", "01:00:00"},
		{"TIMEDIFF(TIME'10:00:00.5', TIME'09:00:00.25')", "01:00:00.25"}, {"MAKETIME(1, 2, 3.25)", "01:02:03.25"}, {"SEC_TO_TIME(1.5)", "00:00:01.5"},
		{"CAST('1:2:3.456789' AS TIME(4))", "01:02:03.4568"}, {"TIME'10:00:00.50'", "10:00:00.50"}, {"COALESCE(NULL, TIME(at))", "08:00:00.500"},
		{"IFNULL(TIME(at), c)", "08:00:00.500"}, {"IF(1, c, TIME(at))", "01:00:01.000"}, {"NULLIF(TIME(at), c)", "08:00:00.500"}, {"CASE WHEN 1 THEN TIME'1:2:3.25' ELSE c END", "01:02:03.25"},
		{"LEAST(c, TIME'10:00:00.5')", "01:00:01.0"}, {"GREATEST(c, TIME'10:00:00.5')", "10:00:00.5"}, {"MAX(TIME(at))", "08:00:00.500"}, {"TIME(at) + 0", "80000.500"},
		{"-TIME'00:00:01.5'", "-1.5"}, {"SUM(TIME'00:00:01.5')", "1.5"}, {"CONCAT(TIME'00:00:01.50')", "00:00:01.50"},
	} {
		r.want(t, "SELECT "+c[0]+" FROM test.t WHERE id = 1 GROUP BY id", c[1])
		if got := r.query(t, "SELECT "+c[0]+" FROM test.t WHERE id = ? GROUP BY id", 1); fmt.Sprint(got) != "["+c[1]+"]" {
			t.Errorf("%s prepared: %s, want %s", c[0], got, c[1])
		}
	}
	r.want(t, "SELECT x FROM (SELECT TIME(at) AS x FROM test.t WHERE id = 1 UNION SELECT TIME'1:2:3' UNION SELECT TIME'4:5:6.78') d ORDER BY x", "01:02:03.000", "04:05:06.780", "08:00:00.500")
}
