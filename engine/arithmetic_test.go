package engine

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// modelNumber is an integer or a DECIMAL as MySQL knows it, computed by math/big.
type modelNumber struct {
	value    *big.Rat // nil is NULL
	exact    bool     // DECIMAL
	unsigned bool
	fraction int // digits behind the point that are shown
}

// errModel is what MySQL says instead of a result.
type errModel string

// modelExpression is a random expression, what it is to MySQL, and "" or the error that it is.
type modelExpression struct {
	text, shown string // as it is typed, and in messages
	number      modelNumber
	err         errModel
}

var modelColumns = []struct {
	name, typ string
	exact     bool
	unsigned  bool
	fraction  int
	values    []string
}{
	{"s", "BIGINT", false, false, 0, []string{"-9223372036854775808", "9223372036854775807", "-1", "0", "3", "-7", "4611686018427387904"}},
	{"u", "BIGINT UNSIGNED", false, true, 0, []string{"18446744073709551615", "9223372036854775808", "9223372036854775807", "0", "1", "12"}},
	{"i", "INT", false, false, 0, []string{"-2147483648", "2147483647", "5", "0", "-3"}},
	{"d", "DECIMAL(20,3)", true, false, 3, []string{"-12345678901234567.891", "0.001", "2.500", "0.000", "99999999999999999.999"}},
}

func modelLeaf(rnd *rand.Rand, row int) modelExpression {
	if rnd.IntN(4) == 0 {
		lit := []string{"0", "1", "2", "7", "1000000007", "9223372036854775807", "9223372036854775808", "18446744073709551615", "2.5", "0.125", "10.00"}[rnd.IntN(11)]
		v, _ := new(big.Rat).SetString(lit)
		_, fraction, isExact := strings.Cut(lit, ".")
		return modelExpression{text: lit, shown: lit, number: modelNumber{v, isExact, !isExact && v.Cmp(big.NewRat(1<<62, 1).Mul(big.NewRat(1<<62, 1), big.NewRat(2, 1))) >= 0, len(fraction)}}
	}
	c := modelColumns[rnd.IntN(len(modelColumns))]
	v, _ := new(big.Rat).SetString(c.values[row%len(c.values)])
	return modelExpression{text: c.name, shown: "`test`.`model`.`" + c.name + "`", number: modelNumber{v, c.exact, c.unsigned, c.fraction}}
}

func modelOf(rnd *rand.Rand, row, depth int) modelExpression {
	if depth == 0 || rnd.IntN(5) == 0 {
		return modelLeaf(rnd, row)
	}
	a, b := modelOf(rnd, row, depth-1), modelOf(rnd, row, depth-1)
	op := []string{"+", "-", "*", "DIV", "%"}[rnd.IntN(5)]
	e := modelExpression{text: "(" + a.text + " " + op + " " + b.text + ")", shown: "(" + a.shown + " " + op + " " + b.shown + ")"}
	x, y := a.number, b.number
	e.number = modelNumber{nil, x.exact || y.exact, x.unsigned || y.unsigned, max(x.fraction, y.fraction)}
	switch op {
	case "*":
		e.number.fraction = min(30, x.fraction+y.fraction)
	case "DIV":
		e.number.exact, e.number.fraction = false, 0
	case "%":
		e.number.unsigned = x.unsigned
	}
	if e.err = a.err; e.err != "" || x.value == nil {
		return e
	}
	if e.err = b.err; e.err != "" || y.value == nil {
		return e
	}
	v := new(big.Rat)
	switch op {
	case "+":
		v.Add(x.value, y.value)
	case "-":
		v.Sub(x.value, y.value)
	case "*":
		v.Mul(x.value, y.value)
	default:
		if y.value.Sign() == 0 {
			return e
		}
		q := new(big.Rat).Quo(x.value, y.value)
		whole := new(big.Rat).SetInt(new(big.Int).Quo(q.Num(), q.Denom()))
		if v = whole; op == "%" {
			v = v.Sub(x.value, v.Mul(whole, y.value))
		}
	}
	if !e.number.exact {
		low, high := "-9223372036854775808", "9223372036854775807"
		name := "BIGINT"
		if e.number.unsigned {
			low, high, name = "0", "18446744073709551615", "BIGINT UNSIGNED"
		}
		least, _ := new(big.Rat).SetString(low)
		most, _ := new(big.Rat).SetString(high)
		if v.Cmp(least) < 0 || v.Cmp(most) > 0 {
			e.err = errModel(fmt.Sprintf("%s value is out of range in '%s'", name, e.shown))
			return e
		}
	}
	e.number.value = v
	return e
}

func (e modelExpression) want() string {
	if e.err != "" {
		return string(e.err)
	}
	if e.number.value == nil {
		return "NULL"
	}
	return roundRat(e.number.value, e.number.fraction)
}

// wide tells whether a result has as many digits as a DECIMAL has room for, so that some
// behind the point may be cut off.
func wide(e modelExpression) bool {
	return e.number.value != nil && (len(e.number.value.Num().String()) > 55 || len(e.number.value.Denom().String()) > 25)
}

// TestArithmetic compares random expressions over columns and literals with a model that has no
// limits, as text and prepared: the results at 2^63 and 2^64 and beyond them, and the errors.
func TestArithmetic(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{})
	columns := make([]string, len(modelColumns))
	rows := 0
	for i, c := range modelColumns {
		columns[i] = c.name + " " + c.typ
		rows = max(rows, len(c.values))
	}
	r.exec(t, "CREATE TABLE test.model (id INT PRIMARY KEY, "+strings.Join(columns, ", ")+")")
	for id := range rows {
		values := []string{strconv.Itoa(id)}
		for _, c := range modelColumns {
			values = append(values, c.values[id%len(c.values)])
		}
		r.exec(t, "INSERT INTO test.model VALUES ("+strings.Join(values, ", ")+")")
	}
	rnd := rand.New(rand.NewPCG(11, 12))
	failures, errs, results := 0, 0, 0
	for range 3000 {
		row := rnd.IntN(rows)
		e := modelOf(rnd, row, 1+rnd.IntN(3))
		if wide(e) {
			continue
		}
		q := "SELECT " + e.text + " FROM test.model WHERE id = "
		args := []any{}
		if rnd.IntN(3) == 0 {
			q, args = q+"?", []any{row}
		} else {
			q += strconv.Itoa(row)
		}
		got, err := r.cell(q, args...)
		var failed *mysql.MySQLError
		switch {
		case errors.As(err, &failed):
			if errs++; failed.Number != 1690 || string(failed.SQLState[:]) != "22003" {
				t.Errorf("%s: %v", q, err)
			}
			got = failed.Message
		case err != nil:
			t.Fatalf("%s: %v", q, err)
		default:
			results++
		}
		if want := e.want(); got != want {
			if t.Errorf("%s of row %d\n got %s\nwant %s", q, row, got, want); failures > 20 {
				t.FailNow()
			}
			failures++
		}
	}
	if errs < 100 || results < 1000 {
		t.Errorf("%d errors and %d results are no test", errs, results)
	}
}

// cell is the one value of a query, "NULL" if it has none.
func (r *running) cell(q string, args ...any) (string, error) {
	var v *string
	if err := r.db.QueryRow(q, args...).Scan(&v); err != nil {
		return "", err
	}
	if v == nil {
		return "NULL", nil
	}
	return *v, nil
}

// TestOperators: results that are known, in the text protocol and prepared.
func TestOperators(t *testing.T) {
	r := serve(t, Options{})
	for q, want := range map[string]string{
		"7/2, 1/3, 1/3*3, 1.0/3, 0.1/3, 1/7/7":                                "3.5000|0.3333|1.0000|0.33333|0.03333|0.02040816",
		"-7 DIV 2, -7 % 3, 7 MOD -3, MOD(10, 4), 5.5 DIV 2, 5.5 % 1.25":       "-3|-1|1|2|2|0.50",
		"9223372036854775807+0, 18446744073709551615-1, -9223372036854775808": "9223372036854775807|18446744073709551614|-9223372036854775808",
		"-(-9223372036854775808), -9223372036854775809, -(-5), - 5.5":         "9223372036854775808|-9223372036854775809|5|-5.5",
		"18446744073709551616+1, 99999999999999999999*10":                     "18446744073709551617|999999999999999999990",
		"1.5+2.25, 1.50*2.0, 1.1-1.10, 1+1.0":                                 "3.75|3.000|0.00|2.0",
		"~0, ~5, ~-1, 5&3, 5|2, 5^1, 1<<63, 1<<64, -1>>1, 1.5|0, -1|0":        "18446744073709551615|18446744073709551610|0|1|7|4|9223372036854775808|0|9223372036854775807|2|18446744073709551615",
		"0x10+0, x'ff'+1, b'101'+0, TRUE+1, (1=1)+1, NULL+1":                  "16|256|5|2|2|NULL",
		"1/0, 1 DIV 0, 1%0, 1.5/0, 1e0/0, MOD(5,0)":                           "NULL|NULL|NULL|NULL|NULL|NULL",
		"ABS(-5), ABS(-5.50), ABS(18446744073709551615)":                      "5|5.50|18446744073709551615",
		"99999999999999999999999999999999999999999999999999999999999999999+1": "100000000000000000000000000000000000000000000000000000000000000000",
		"9223372036854775807 + CAST(1 AS UNSIGNED)":                           "9223372036854775808",
	} {
		r.want(t, "SELECT "+q, want)
		if got := r.query(t, "SELECT "+q+" LIMIT ?", 1); !slices.Equal(got, []string{want}) {
			t.Errorf("prepared %s\n got %q\nwant %q", q, got, want)
		}
	}
	for q, want := range map[string]string{
		"9223372036854775807+1":                                 "1690 22003 BIGINT value is out of range in '(9223372036854775807 + 1)'",
		"18446744073709551615+1":                                "1690 22003 BIGINT UNSIGNED value is out of range in '(18446744073709551615 + 1)'",
		"18446744073709551615*2":                                "1690 22003 BIGINT UNSIGNED value is out of range in '(18446744073709551615 * 2)'",
		"1-18446744073709551615":                                "1690 22003 BIGINT UNSIGNED value is out of range in '(1 - 18446744073709551615)'",
		"-9223372036854775808-1":                                "1690 22003 BIGINT value is out of range in '(-9223372036854775808 - 1)'",
		"-9223372036854775808 DIV -1":                           "1690 22003 BIGINT value is out of range in '(-9223372036854775808 DIV -1)'",
		"ABS(-9223372036854775808)":                             "1690 22003 BIGINT value is out of range in 'abs(-9223372036854775808)'",
		"1e308*10":                                              "1690 22003 DOUBLE value is out of range in '(1e308 * 10)'",
		strings.Repeat("9", 65) + "*" + strings.Repeat("9", 65): "1690 22003 DECIMAL value is out of range in '(" + strings.Repeat("9", 65) + " * " + strings.Repeat("9", 65) + ")'",
	} {
		if _, err := r.cell("SELECT " + q); code(err) != want {
			t.Errorf("%s\n got %s\nwant %s", q, code(err), want)
		}
	}
	db := r.open(t, "sql_mode=%27NO_UNSIGNED_SUBTRACTION%27")
	var n string
	if err := db.QueryRow("SELECT CAST(1 AS UNSIGNED) - 2").Scan(&n); err != nil || n != "-1" {
		t.Errorf("got %s, %v", n, err)
	}
}

// TestOperatorsAnywhere: an operator is ours wherever an expression may stand, and what looks like
// one in a text or a comment is none.
func TestOperatorsAnywhere(t *testing.T) {
	r := serve(t, Options{})
	const most = "18446744073709551615"
	for _, q := range []string{
		"CREATE TABLE test.n (a BIGINT UNSIGNED, b BIGINT, c BIGINT UNSIGNED GENERATED ALWAYS AS (a - 1) STORED, d DECIMAL(30,5) DEFAULT (1/3), CHECK (a - b < 100))",
		"INSERT INTO test.n (a, b) VALUES (10, 3), (1 + 1, -(-2))",
		"CREATE VIEW test.v AS SELECT a, a - b AS e, a / b AS f FROM test.n",
		"CREATE TABLE test.kept AS SELECT a + b AS g, a / b AS h, b * 1.5 AS i, a * 1e0 AS j FROM test.n",
		"CREATE PROCEDURE test.p(x BIGINT UNSIGNED) BEGIN DECLARE y DECIMAL(30,5); SET y = x / 3; SELECT y, x - 1; END",
	} {
		r.exec(t, q)
	}
	r.want(t, "SELECT a, b, c, d FROM test.n ORDER BY a", "2|2|1|0.33330", "10|3|9|0.33330")
	r.want(t, "SELECT * FROM test.v ORDER BY a", "2|0|1.0000", "10|7|3.3333")
	r.want(t, "SELECT COLUMN_NAME, COLUMN_TYPE FROM information_schema.columns WHERE TABLE_NAME = 'kept' ORDER BY ORDINAL_POSITION",
		"g|bigint unsigned", "h|decimal(24,4)", "i|decimal(21,1)", "j|double")
	r.want(t, "CALL test.p(10)", "3.33330|9")
	r.want(t, "SELECT '1+1', \"a - b\", 'it''s -- 5 * 5', a /* a + b */ FROM test.n WHERE a - b > 3 # 1 + 1", "1+1|a - b|it's -- 5 * 5|10")
	r.want(t, "SELECT a + 1, COUNT(*) FROM test.n GROUP BY a + 1 ORDER BY -(a + 1)", "11|1", "3|1")
	r.want(t, "SELECT n.a FROM test.n JOIN test.n m ON n.a = m.a + 8", "10")
	r.want(t, "SELECT a FROM test.n WHERE a IN (1 + 1, 5 * 3) OR a BETWEEN 4 + 5 AND 100 / 2 ORDER BY a LIMIT 2", "2", "10")
	r.want(t, "SELECT CASE WHEN a + 1 = 3 THEN a * 2 ELSE a DIV 3 END FROM test.n ORDER BY a", "4", "3")
	r.want(t, "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 3) SELECT SUM(n) FROM s", "6")
	r.want(t, "SELECT '2020-01-31' + INTERVAL 1 DAY, DATE_ADD('2020-01-01', INTERVAL 1 + 1 DAY)", "2020-02-01|2020-01-03")
	r.exec(t, "UPDATE test.n SET a = a + 1 WHERE b = 3 - 1")
	r.want(t, "SELECT a + (SELECT MAX(b) FROM test.n) FROM test.n ORDER BY a", "6", "13")
	for _, q := range []string{"SELECT a + " + most + " FROM test.n", "UPDATE test.n SET a = a + " + most, "INSERT INTO test.n (a) VALUES (" + most + " + 1)", "DELETE FROM test.n WHERE a * " + most + " > 1"} {
		if _, err := r.db.Exec(q); !strings.HasPrefix(code(err), "1690 22003 BIGINT UNSIGNED value is out of range in '(") {
			t.Errorf("%s: %s", q, code(err))
		}
	}
	if got := headings(t, r.db, "SELECT a+b, a  /  b, -a, ~ a, a Div b FROM test.n"); !slices.Equal(got, []string{"a+b UNSIGNED BIGINT 0", "a  /  b DECIMAL 4", "-a BIGINT 0", "~ a UNSIGNED BIGINT 0", "a Div b UNSIGNED BIGINT 0"}) {
		t.Errorf("got %q", got)
	}
}

// TestDivisionByZero: NULL and a warning, and an error in a write in a strict mode.
func TestDivisionByZero(t *testing.T) {
	r := serve(t, Options{})
	c, _ := r.conn(t)
	exec := func(q string) string {
		_, err := c.ExecContext(t.Context(), q)
		return code(err)
	}
	warnings := func() (n int) {
		rows, err := c.QueryContext(t.Context(), "SHOW WARNINGS")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			n++
		}
		return n
	}
	const failed = "1365 22012 Division by 0"
	for _, step := range []struct {
		q, err   string
		warnings int
	}{
		{"CREATE TABLE test.d (a INT, b INT)", "<nil>", 0},
		{"INSERT INTO test.d VALUES (1, 0), (2, 1)", "<nil>", 0},
		{"SELECT 1/0", "<nil>", 1},
		{"INSERT INTO test.d VALUES (1/0, 1)", failed, 1},
		{"UPDATE test.d SET a = a % b", failed, 1},
		{"DELETE FROM test.d WHERE a DIV b = 7", failed, 1},
		{"INSERT INTO test.d SELECT a / b, 1 FROM test.d", failed, 1},
		{"INSERT IGNORE INTO test.d VALUES (1/0, 1)", "<nil>", 1},
		{"SET sql_mode = 'STRICT_ALL_TABLES'", "<nil>", 0},
		{"INSERT INTO test.d VALUES (1/0, 2)", "<nil>", 0},
		{"SET sql_mode = 'ERROR_FOR_DIVISION_BY_ZERO'", "<nil>", 0},
		{"INSERT INTO test.d VALUES (1/0, 3)", "<nil>", 1},
	} {
		if got := exec(step.q); got != step.err {
			t.Errorf("%s\n got %s\nwant %s", step.q, got, step.err)
		}
		if got := warnings(); step.err == "<nil>" && step.q[:3] != "SET" && got != step.warnings {
			t.Errorf("%s: %d warnings", step.q, got)
		}
	}
	r.want(t, "SELECT a, b FROM test.d ORDER BY a, b", "NULL|1", "NULL|2", "NULL|3", "1|0", "2|1")
}

// TestComparedExactly: integers beyond 2^53 are told apart, whatever the literal beside the column
// looks like, with an index and without.
func TestComparedExactly(t *testing.T) {
	r := serve(t, Options{})
	for _, index := range []string{"", ", KEY (u), KEY (s)"} {
		r.exec(t, "CREATE TABLE test.c (id INT PRIMARY KEY, u BIGINT UNSIGNED, s BIGINT"+index+")")
		r.exec(t, "INSERT INTO test.c VALUES (1, 9007199254740993, 9007199254740993), (2, 18446744073709551615, 9223372036854775807), (3, 9223372036854775808, -9223372036854775808)")
		for condition, want := range map[string]string{
			"u = 9007199254740992": "NULL", "u = 9007199254740993": "1", "u > 9007199254740992": "1,2,3", "u = '9007199254740992'": "NULL", "u = '9007199254740993'": "1",
			"u = 18446744073709551614": "NULL", "u = 18446744073709551615": "2", "u > 9223372036854775807": "2,3", "u <= 9223372036854775807": "1",
			"u IN (9007199254740992, 18446744073709551614)": "NULL", "u IN (9007199254740993, 18446744073709551615)": "1,2", "u <> 9007199254740992": "1,2,3",
			"u BETWEEN 9007199254740993 AND 9223372036854775807": "1", "u > -1": "1,2,3", "9007199254740992 < u": "1,2,3",
			"s = 9007199254740992": "NULL", "s = '9007199254740992'": "NULL", "s = '9007199254740993'": "1", "s < 9223372036854775808": "1,2,3", "s < 9223372036854775807": "1,3",
			"s = -9223372036854775808": "3", "s > '-9223372036854775808'": "1,2",
		} {
			r.want(t, "SELECT GROUP_CONCAT(id ORDER BY id) FROM test.c WHERE "+condition, want)
		}
		if got := r.query(t, "SELECT COUNT(*) FROM test.c WHERE u = ?", int64(9007199254740992)); got[0] != "0" {
			t.Errorf("prepared: %q", got)
		}
		r.exec(t, "DROP TABLE test.c")
	}
}
