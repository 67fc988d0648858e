package engine

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// setTypeValues has one value of each type in testdata/types/pairs.tsv.
var setTypeValues = map[string]string{
	"tinyint": "-7", "tinyint unsigned": "200", "smallint": "-300", "mediumint unsigned": "70000", "int": "-80000", "bigint": "-9000000000",
	"bigint unsigned": "18446744073709551615", "decimal(10,2)": "3.33", "decimal(5,4)": "1.2345", "float": "1.5", "double": "2.25", "bit(9)": "5", "year": "2024",
	"date": "'2024-02-29'", "time": "'10:11:12'", "datetime": "'2024-03-01 01:02:03'", "datetime(3)": "'2024-03-01 01:02:03.125'", "timestamp": "'2024-03-02 01:02:03'",
	"char(4)": "'abcd'", "varchar(7)": "'text'", "varchar(9) collate utf8mb4_bin": "'bin'", "text": "'longer'", "binary(3)": "'xyz'", "varbinary(8)": "'bytes'", "blob": "'blob'",
	"enum('a','bcd')": "'bcd'", "set('a','b')": "'a,b'", "json": "'7'",
}

// setTypePair is a line of testdata/types/pairs.tsv.
type setTypePair struct{ a, b, want string }

// TestTypesOfSetOperations: the column of a UNION has MySQL's type for every pair of types, and the
// values of both parts as that type has them, in whatever order the parts are, in a derived table
// and in CREATE TABLE. COALESCE has the same types.
func TestTypesOfSetOperations(t *testing.T) {
	data, err := os.ReadFile("testdata/types/pairs.tsv")
	if err != nil {
		t.Fatal(err)
	}
	r := serve(t, Options{})
	r.db.SetMaxOpenConns(1)
	columns := map[string]string{}
	var define, values []string
	for kind, v := range setTypeValues {
		columns[kind] = fmt.Sprintf("c%d", len(columns))
		define, values = append(define, columns[kind]+" "+kind), append(values, v)
	}
	r.exec(t, "CREATE TABLE test.s ("+strings.Join(define, ", ")+")")
	r.exec(t, "INSERT INTO test.s VALUES ("+strings.Join(values, ", ")+")")
	pairs, all := map[string][]setTypePair{}, 0
	for line := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n") {
		if f := strings.Split(line, "\t"); len(f) == 3 {
			pairs[f[0]] = append(pairs[f[0]], setTypePair{f[0], f[1], f[2]})
			all++
		}
	}
	if want := len(setTypeValues) * (len(setTypeValues) + 1) / 2; all != want {
		t.Errorf("%d pairs, want %d", all, want)
	}
	for _, list := range pairs {
		setTypesOf(t, r, list, columns)
	}
}

// setTypesOf checks pairs with the same first type, each as a column of the same statements.
func setTypesOf(t *testing.T, r *running, list []setTypePair, columns map[string]string) {
	t.Helper()
	each := func(f func(i int, p setTypePair) string) string {
		var all []string
		for i, p := range list {
			all = append(all, f(i, p))
		}
		return strings.Join(all, ", ")
	}
	first := each(func(i int, p setTypePair) string { return fmt.Sprintf("%s AS x%d", columns[p.a], i) })
	second := each(func(i int, p setTypePair) string { return fmt.Sprintf("%s AS x%d", columns[p.b], i) })
	nulls := each(func(i int, p setTypePair) string { return "NULL" })
	union, turned := "SELECT "+first+" FROM test.s UNION ALL SELECT "+second+" FROM test.s", "SELECT "+second+" FROM test.s UNION ALL SELECT "+first+" FROM test.s"
	coalesced := "SELECT " + each(func(i int, p setTypePair) string {
		return fmt.Sprintf("COALESCE(%s, %s) AS x%d", columns[p.a], columns[p.b], i)
	}) + " FROM test.s"
	for _, q := range []string{union, turned, "SELECT * FROM (" + union + " UNION ALL SELECT " + nulls + ") d", coalesced} {
		r.exec(t, "CREATE TABLE test.z AS "+q)
		types := r.query(t, "SELECT CONCAT(COLUMN_TYPE, IF(COLLATION_NAME LIKE '%\\_bin', CONCAT(' ', COLLATION_NAME), '')) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'test' AND TABLE_NAME = 'z' ORDER BY ORDINAL_POSITION")
		for i, p := range list {
			got := types[i]
			if q == coalesced {
				if strings.HasPrefix(p.a+p.b, "enum") || strings.Contains(p.a+p.b, "set(") || strings.Contains(p.b, "enum") {
					continue // their texts can be longer in a function
				}
				got = strings.TrimSuffix(got, " utf8mb4_0900_bin")
			}
			if got != p.want {
				t.Errorf("%s of %s and %s: %s, want %s", q[:min(len(q), 40)], p.a, p.b, got, p.want)
			}
		}
		r.exec(t, "DROP TABLE test.z")
	}
	// The values are those that a column of the type has of the two.
	r.exec(t, "CREATE TABLE test.v ("+each(func(i int, p setTypePair) string {
		return fmt.Sprintf("x%d %s", i, strings.Replace(p.want, " utf8mb4", " COLLATE utf8mb4", 1))
	})+")")
	stored := func(kind, as string) string {
		switch {
		case kind == "bit(9)" && strings.ContainsAny(as, "xh") || kind == "bit(9)" && strings.Contains(as, "bin") || kind == "bit(9)" && strings.Contains(as, "blob"):
			return "X'0005'"
		case kind == "time" && strings.HasPrefix(as, "datetime"):
			return "CONCAT(CURDATE(), ' 10:11:12')"
		}
		return setTypeValues[kind]
	}
	r.exec(t, "INSERT INTO test.v VALUES ("+each(func(_ int, p setTypePair) string { return stored(p.a, p.want) })+"), ("+
		each(func(_ int, p setTypePair) string { return stored(p.b, p.want) })+")")
	for _, e := range []string{"x%d", "COUNT(DISTINCT x%d)", "MAX(x%d)", "SUM(x%d)", "MIN(CONCAT(x%d))", "GROUP_CONCAT(x%[1]d ORDER BY x%[1]d)", "COUNT(IF(x%d > 3, 1, NULL))"} {
		selected := "SELECT " + each(func(i int, _ setTypePair) string { return fmt.Sprintf(e, i) })
		got, want := r.query(t, selected+" FROM ("+union+") d"), r.query(t, selected+" FROM test.v")
		if fmt.Sprint(got) == fmt.Sprint(want) {
			continue
		}
		for row := range want {
			a, b := strings.Split(got[row], "|"), strings.Split(want[row], "|")
			for i, p := range list {
				if a[i] != b[i] {
					t.Errorf("%s of a UNION of %s and %s: %q, want %q as of a table", e, p.a, p.b, a[i], b[i])
				}
			}
		}
	}
	got, want := r.query(t, union), r.query(t, "SELECT * FROM test.v")
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("UNION ALL of %s: %q, want %q", list[0].a, got, want)
	}
	r.exec(t, "DROP TABLE test.v")
}
