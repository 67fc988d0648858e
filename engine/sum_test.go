package engine

import (
	"cmp"
	"database/sql"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sumColumns are the columns of a table of numbers, and what MySQL says of their sums and averages.
var sumColumns = []struct {
	name, typ, sum, avg string
	value               func(rnd *rand.Rand) string
}{
	{"tiny", "TINYINT", "decimal(25,0)", "decimal(7,4)", func(r *rand.Rand) string { return strconv.Itoa(r.IntN(256) - 128) }},
	{"small", "SMALLINT UNSIGNED", "decimal(27,0)", "decimal(9,4)", func(r *rand.Rand) string { return strconv.Itoa(r.IntN(1 << 16)) }},
	{"medium", "MEDIUMINT", "decimal(30,0)", "decimal(12,4)", func(r *rand.Rand) string { return strconv.Itoa(r.IntN(1<<24) - 1<<23) }},
	{"plain", "INT", "decimal(32,0)", "decimal(14,4)", func(r *rand.Rand) string { return strconv.Itoa(int(r.Uint32()) - 1<<31) }},
	{"large", "BIGINT", "decimal(41,0)", "decimal(23,4)", func(r *rand.Rand) string {
		return []string{"9223372036854775807", "-9223372036854775808", strconv.FormatInt(int64(r.Uint64()), 10)}[r.IntN(3)]
	}},
	{"largest", "BIGINT UNSIGNED", "decimal(42,0)", "decimal(24,4)", func(r *rand.Rand) string {
		return []string{"18446744073709551615", "9223372036854775808", strconv.FormatUint(r.Uint64(), 10)}[r.IntN(3)]
	}},
	{"price", "DECIMAL(10,2)", "decimal(32,2)", "decimal(14,6)", func(r *rand.Rand) string { return fmt.Sprintf("%d.%02d", r.IntN(2e8)-1e8, r.IntN(100)) }},
	{"huge", "DECIMAL(60,5)", "decimal(65,5)", "decimal(64,9)", func(r *rand.Rand) string {
		return fmt.Sprintf("%d%018d%018d.%05d", r.IntN(1e6)-5e5, r.IntN(1e18), r.IntN(1e18), r.IntN(1e5))
	}},
	{"year", "YEAR", "decimal(26,0)", "decimal(8,4)", func(r *rand.Rand) string { return strconv.Itoa(1901 + r.IntN(255)) }},
	{"bits", "BIT(8)", "decimal(30,0)", "decimal(12,4)", func(r *rand.Rand) string { return strconv.Itoa(r.IntN(256)) }},
}

// sumTable fills test.sums, and returns the numbers of each column, nil for NULL.
func sumTable(t *testing.T, r *running, rnd *rand.Rand, rows int) [][]*big.Rat {
	t.Helper()
	var columns, values []string
	for _, c := range sumColumns {
		columns = append(columns, c.name+" "+c.typ)
	}
	r.exec(t, "CREATE TABLE test.sums (id INT PRIMARY KEY, part INT, "+strings.Join(columns, ", ")+")")
	numbers := make([][]*big.Rat, len(sumColumns))
	for id := range rows {
		row := []string{strconv.Itoa(id), strconv.Itoa(id % 3)}
		for i, c := range sumColumns {
			text, number := "NULL", (*big.Rat)(nil)
			if rnd.IntN(6) > 0 {
				text = c.value(rnd)
				number, _ = new(big.Rat).SetString(text)
			}
			row, numbers[i] = append(row, text), append(numbers[i], number)
		}
		values = append(values, "("+strings.Join(row, ", ")+")")
	}
	r.exec(t, "INSERT INTO test.sums VALUES "+strings.Join(values, ", "))
	return numbers
}

// exactly is the sum or the average of numbers in decimal, as a type says.
func exactly(numbers []*big.Rat, typ string, avg, distinct bool) string {
	var digits, fraction int
	_, _ = fmt.Sscanf(typ, "decimal(%d,%d)", &digits, &fraction)
	sum, n := new(big.Rat), int64(0)
	seen := map[string]bool{}
	for _, x := range numbers {
		if x == nil || distinct && seen[x.RatString()] {
			continue
		}
		seen[x.RatString()] = true
		sum.Add(sum, x)
		n++
	}
	if n == 0 {
		return "NULL"
	}
	if avg {
		sum.Quo(sum, new(big.Rat).SetInt64(n))
		if fraction%9 == 0 { // MySQL calculates so many digits and no more
			const more = 30
			text := sum.FloatString(fraction + more)
			return text[:len(text)-more]
		}
	}
	return roundRat(sum, fraction)
}

// roundRat is x in decimal, halves rounded away from zero, without a minus where only zeros are left.
func roundRat(x *big.Rat, fraction int) string {
	text := x.FloatString(fraction)
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-")
	}
	return text
}

// TestSums compares sums and averages with exact ones, in either protocol and wherever they may
// stand.
func TestSums(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{})
	rnd := rand.New(rand.NewPCG(7, 8))
	const rows = 90
	numbers := sumTable(t, r, rnd, rows)
	r.exec(t, "CREATE VIEW test.totals AS SELECT "+strings.Join(sumList("%s(%s) AS %s_%s"), ", ")+" FROM test.sums")
	r.exec(t, "CREATE TABLE test.kept AS SELECT "+strings.Join(sumList("%s(%s) AS %s_%s"), ", ")+" FROM test.sums")
	for i, c := range sumColumns {
		for _, avg := range []bool{false, true} {
			name, typ := "SUM", c.sum
			if avg {
				name, typ = "AVG", c.avg
			}
			call := name + "(" + c.name + ")"
			all := exactly(numbers[i], typ, avg, false)
			rounded := call
			if avg { // it has more digits than it shows
				_, scale, _ := strings.Cut(strings.TrimSuffix(typ, ")"), ",")
				rounded = "ROUND(" + call + ", " + cmp.Or(scale, "30") + ")"
			}
			for q, want := range map[string]string{
				"SELECT " + call + " FROM test.sums":                                                                                           all,
				"SELECT " + name + "(DISTINCT " + c.name + ") FROM test.sums":                                                                  exactly(numbers[i], typ, avg, true),
				"SELECT (SELECT " + call + " FROM test.sums)":                                                                                  all,
				"SELECT x FROM (SELECT " + call + " AS x FROM test.sums) AS d":                                                                 all,
				"SELECT " + name + "_" + c.name + " FROM test.totals":                                                                          all,
				"SELECT " + name + "_" + c.name + " FROM test.kept":                                                                            all,
				"SELECT " + call + " FROM test.sums HAVING " + rounded + " = " + all:                                                           all,
				"SELECT " + call + " FROM test.sums WHERE id < 0":                                                                              "NULL",
				"SELECT DISTINCT " + call + " OVER () FROM test.sums":                                                                          all,
				"SELECT COLUMN_TYPE FROM information_schema.columns WHERE TABLE_NAME = 'kept' AND COLUMN_NAME = '" + name + "_" + c.name + "'": typ,
			} {
				r.want(t, q, want)
				if got := r.query(t, q+" LIMIT ?", 1); !slices.Equal(got, []string{want}) {
					t.Errorf("prepared %s\n got %q\nwant %q", q, got, want)
				}
			}
			var parts, running, sliding []string
			for part := range 3 {
				var of []*big.Rat
				for id := part; id < rows; id += 3 {
					of = append(of, numbers[i][id])
				}
				parts = append(parts, exactly(of, typ, avg, false))
			}
			for id := range rows {
				running = append(running, exactly(numbers[i][:id+1], typ, avg, false))
				sliding = append(sliding, exactly(numbers[i][max(0, id-2):min(rows, id+2)], typ, avg, false))
			}
			r.want(t, "SELECT "+call+" FROM test.sums GROUP BY part ORDER BY part", parts...)
			r.want(t, "SELECT "+call+" OVER (ORDER BY id) FROM test.sums ORDER BY id", running...)
			r.want(t, "SELECT "+call+" OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) FROM test.sums ORDER BY id", sliding...)
		}
	}
}

// sumList is a list of what SUM and AVG say of each column.
func sumList(format string) (list []string) {
	for _, c := range sumColumns {
		for _, name := range []string{"SUM", "AVG"} {
			list = append(list, fmt.Sprintf(format, name, c.name, name, c.name))
		}
	}
	return list
}

// TestSumsToClients: what a client is told of the columns, whose names are as they were typed.
func TestSumsToClients(t *testing.T) {
	r := serve(t, Options{})
	sumTable(t, r, rand.New(rand.NewPCG(9, 10)), 3)
	r.exec(t, "CREATE TABLE test.other (d DOUBLE, f FLOAT, s VARCHAR(20), e ENUM('a','b','c'))")
	r.exec(t, "INSERT INTO test.other VALUES (0.5, 1.5, ' 12.5abc', 'c'), (1, 2, 'x', 'b')")
	for q, want := range map[string][]string{
		"SELECT Sum( largest ), AVG(price), sum(distinct plain) FROM test.sums":  {"Sum( largest ) DECIMAL 0", "AVG(price) DECIMAL 6", "sum(distinct plain) DECIMAL 0"},
		"SELECT sum(d), AVG(f), sum(s), sum(e) FROM test.other":                  {"sum(d) DOUBLE 31", "AVG(f) DOUBLE 31", "sum(s) DOUBLE 31", "sum(e) DOUBLE 31"},
		"SELECT sum(price) OVER (), avg(tiny) OVER (ORDER BY id) FROM test.sums": {"sum(price) OVER () DECIMAL 2", "avg(tiny) OVER (ORDER BY id) DECIMAL 4"},
	} {
		if got := headings(t, r.db, q); !slices.Equal(got, want) {
			t.Errorf("%s\n got %q\nwant %q", q, got, want)
		}
	}
	c, _ := r.conn(t)
	var d, f, s, e float64
	if err := c.QueryRowContext(t.Context(), "SELECT SUM(d), AVG(f), SUM(s), SUM(e) FROM test.other").Scan(&d, &f, &s, &e); err != nil {
		t.Fatal(err)
	}
	if d != 1.5 || f != 1.75 || s != 12.5 || e != 5 {
		t.Errorf("got %g %g %g %g", d, f, s, e)
	}
	rows, err := c.QueryContext(t.Context(), "SHOW WARNINGS")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var warnings []string
	for rows.Next() {
		var level, number, message string
		if err := rows.Scan(&level, &number, &message); err != nil {
			t.Fatal(err)
		}
		warnings = append(warnings, level+" "+number+" "+message)
	}
	want := []string{"Warning 1292 Truncated incorrect DOUBLE value: ' 12.5abc'", "Warning 1292 Truncated incorrect DOUBLE value: 'x'"}
	slices.Sort(warnings)
	if err := rows.Err(); err != nil || !slices.Equal(warnings, want) {
		t.Errorf("got %q, %v", warnings, err)
	}
}

// TestSumsInPrograms: the statements of a program add up exactly, too, and what is called so in a
// text or as a name stays what it is.
func TestSumsInPrograms(t *testing.T) {
	r := serve(t, Options{})
	for _, q := range []string{
		"CREATE TABLE test.n (sum BIGINT UNSIGNED, avg INT)",
		"CREATE TABLE test.log (total DECIMAL(42,0))",
		"INSERT INTO test.n VALUES (18446744073709551615, 1), (18446744073709551614, 2)",
		"CREATE PROCEDURE test.p() BEGIN IF (SELECT SUM(sum) FROM test.n) = 36893488147419103229 THEN SELECT SUM(sum) AS total FROM test.n; END IF; END",
		"CREATE TRIGGER test.later AFTER UPDATE ON test.n FOR EACH ROW INSERT INTO test.log SELECT SUM(sum) FROM test.n",
		"UPDATE test.n SET avg = 3 WHERE avg = 2",
	} {
		r.exec(t, q)
	}
	r.want(t, "CALL test.p()", "36893488147419103229")
	r.want(t, "SELECT total FROM test.log", "36893488147419103229")
	r.want(t, "SELECT 'sum(avg)', \"avg\", sum, n.avg /* avg(1) */ FROM test.n AS n WHERE avg = 1", "sum(avg)|avg|18446744073709551615|1")
	r.want(t, "WITH sum AS (SELECT SUM(sum) AS avg FROM test.n) SELECT AVG(avg) FROM sum", "36893488147419103229.0000")
}

// headings are the names of the columns of a result, their types and how many digits behind the point.
func headings(t *testing.T, db *sql.DB, q string) (all []string) {
	t.Helper()
	rows, err := db.Query(q)
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.ColumnTypes()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range columns {
		_, scale, _ := c.DecimalSize()
		all = append(all, fmt.Sprintf("%s %s %d", c.Name(), c.DatabaseTypeName(), min(scale, 31)))
	}
	return all
}
