package engine

import (
	"database/sql"
	"testing"
)

// comparedRows are the columns and the rows of TestComparisonsByEachWay.
const comparedRows = "i INT, u BIGINT UNSIGNED, dc DECIMAL(10,2), f DOUBLE, fl FLOAT, s VARCHAR(20), b VARBINARY(20), d DATE, dt DATETIME, t TIME, y YEAR"

// TestComparisonsByEachWay: a comparison finds the same rows with an index and without one, as text
// and prepared, with a plan that is made and with one that is kept, in SELECT and in DELETE.
func TestComparisonsByEachWay(t *testing.T) {
	values := " VALUES (1, 1, 18446744073709551615, 2.50, 2.5, 2.5, '2.5', '2.5', '2024-01-01', '2024-01-01 08:00:00', '08:00:00', 2024)," +
		"(2, 2, 1, 1.00, 1.0, 1.1, 'a', 'A', '2024-01-02', '2024-01-02 00:00:00', '09:30:00', 2023), (3,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL)"
	r, c := rightRows(t, "CREATE TABLE plain (id INT PRIMARY KEY, "+comparedRows+")", "INSERT INTO plain"+values,
		"CREATE TABLE indexed (id INT PRIMARY KEY, "+comparedRows+", KEY (i), KEY (u), KEY (dc), KEY (f), KEY (fl), KEY (s), KEY (b), KEY (d), KEY (dt), KEY (t), KEY (y))", "INSERT INTO indexed"+values)
	r.must(t, c, "SET sql_mode = ''") // the text 'a' is no number, which is an error in strict mode
	prepared := func(q string) string {
		p, err := c.PrepareContext(t.Context(), q)
		if err != nil {
			return code(err)
		}
		defer func() { _ = p.Close() }()
		var rows *sql.Rows
		if rows, err = p.QueryContext(t.Context()); err != nil {
			return code(err)
		}
		return answerRows(t, rows)
	}
	for _, x := range []struct{ condition, want string }{
		{"f <> 2.5e0", "2"},
		{"not f = 2.5e0", "2"},
		{"f != 2.5", "2"},
		{"f <> 2.5", "2"},
		{"f <> '2.5'", "2"},
		{"dc <> 2.5e0", "2"},
		{"fl <> 2.5e0", "2"},
		{"i <> 1.0e0", "2"},
		{"u <> 1e0", "1"},
		{"t in ('08:00:00','10:00:00')", "1"},
		{"t = '08:00:00'", "1"},
		{"t in ('8:00')", "1"},
		{"t not in ('08:00:00')", "2"},
		{"t between '07:00:00' and '08:30:00'", "1"},
		{"t <> '08:00:00'", "2"},
		{"t = 80000", "1"},
		{"t in (80000)", "1"},
		{"t > 80000", "2"},
		{"d = 20240101", "1"},
		{"d <> 20240101", "2"},
		{"d in (20240101)", "1"},
		{"d between 20240101 and 20240101", "1"},
		{"d = '20240101'", "1"},
		{"d in ('2024-1-1')", "1"},
		{"d = 20240101.0", "1"},
		{"dt = 20240101080000", "1"},
		{"dt in (20240101080000)", "1"},
		{"dt = '2024-01-01 8:0:0'", "1"},
		{"dt in ('2024-01-01 8:0:0')", "1"},
		{"dt > '2024-01-01'", "1 2"},
		{"d = '2024-01-01 00:00:00'", "1"},
		{"d < '2024-01-01 10:00:00'", "1"},
		{"d = dt", "2"},
		{"dt = d", "2"},
		{"y = 2024", "1"},
		{"y = '2024'", "1"},
		{"y in ('2024')", "1"},
		{"u = -1", ""},
		{"u > -1", "1 2"},
		{"u in (-1)", ""},
		{"u = 18446744073709551615", "1"},
		{"u in (18446744073709551615)", "1"},
		{"u = '18446744073709551615'", "1"},
		{"u < 18446744073709551616", "1 2"},
		{"i = '1'", "1"},
		{"i in ('1','x')", "1"},
		{"i = '1x'", "1"},
		{"i = 1.4", ""},
		{"i in (1.4)", ""},
		{"i between 0.5 and 1.4", "1"},
		{"dc = 2.501", ""},
		{"dc in (2.501)", ""},
		{"dc <> 2.501", "1 2"},
		{"dc = '2.50'", "1"},
		{"dc in ('2.50')", "1"},
		{"dc = 2.5e0", "1"},
		{"dc in (2.5e0)", "1"},
		{"s = 2.5", "1"},
		{"s in (2.5)", "1"},
		{"s = 0", "2"},
		{"s in (0)", "2"},
		{"s <> 0", "1"},
		{"s = 'A'", "2"},
		{"b = 'a'", ""},
		{"b in ('a')", ""},
		{"b = 2.5", "1"},
		{"f = '2.5'", "1"},
		{"f in ('2.5')", "1"},
		{"f in (2.5)", "1"},
		{"f in (2.5e0, 7)", "1"},
		{"fl = 1.1", ""},
		{"fl in (1.1)", ""},
		{"i <=> null", "3"},
		{"t <=> '08:00:00'", "1"},
		{"d <=> 20240101", "1"},
		{"f <=> 2.5", "1"},
		{"not (f <=> 2.5)", "2 3"},
		{"(i,f) = (1,2.5)", "1"},
		{"(i,f) in ((1,2.5))", "1"},
		{"(i,t) in ((1,'08:00:00'))", "1"},
		{"(t,i) = ('8:00:00',1)", "1"},
		{"i = u", ""},
		{"f = dc", "1 2"},
		{"s = f", "1"},
		{"s = dc", "1"},
		{"b = s", "1"},
		{"f not in (2.5e0)", "2"},
		{"f not in (2.5)", "2"},
		{"f > 2.5e0", ""},
		{"f < 2.5e0", "2"},
		{"dc < 2.501", "1 2"},
		{"dc >= 2.501", ""},
		{"dc not in (2.501)", "1 2"},
		{"u < 18446744073709551616", "1 2"},
		{"u >= 9223372036854775808", "1"},
		{"d >= '2024-01-01 10:00:00'", "2"},
		{"d > '2023-12-31 23:59:59'", "1 2"},
		{"d = '2024-01-01 10:00:00'", ""},
		{"d <> '2024-01-01 10:00:00'", "1 2"},
		{"t not in (80000)", "2"},
		{"fl < 1.1", ""},
		{"i < 1.4", "1"},
		{"i > 1.4", "2"},
	} {
		for _, table := range []string{"plain", "indexed"} {
			q := "SELECT id FROM " + table + " WHERE " + x.condition + " ORDER BY id"
			for range 3 { // the plan is kept
				if got := answerOf(t, c, q); got != x.want {
					t.Errorf("%s finds %q, want %q", q, got, x.want)
				}
			}
			if got := prepared(q); got != x.want {
				t.Errorf("%s, prepared, finds %q, want %q", q, got, x.want)
			}
			if got := answerOf(t, c, "SELECT id FROM plain WHERE id IN (SELECT id FROM "+table+" WHERE "+x.condition+") ORDER BY id"); got != x.want {
				t.Errorf("%s, as a subquery, finds %q, want %q", q, got, x.want)
			}
			r.must(t, c, "BEGIN", "DELETE FROM "+table+" WHERE "+x.condition)
			left := map[string]string{"": "1 2 3", "1": "2 3", "2": "1 3", "3": "1 2", "1 2": "3", "2 3": "1", "1 3": "2"}[x.want]
			if got := answerOf(t, c, "SELECT id FROM "+table+" ORDER BY id"); got != left {
				t.Errorf("DELETE FROM %s WHERE %s leaves %q, want %q", table, x.condition, got, left)
			}
			r.must(t, c, "ROLLBACK")
		}
	}
}
