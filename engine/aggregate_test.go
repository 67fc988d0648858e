package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pfsd/tables"
)

// measureColumns are those of a table of numbers of each type: ID counts, the others are random.
var measureColumns = []tables.ColumnInfo{
	{Name: "ID", Kind: tables.Kind{Type: tables.TypeBigIntUnsigned}},
	{Name: "NAME", Kind: tables.Kind{Type: tables.TypeVarChar, Len: 64}},
	{Name: "BIG", Kind: tables.Kind{Type: tables.TypeBigIntUnsigned, Nullable: true}},
	{Name: "SIGNED", Kind: tables.Kind{Type: tables.TypeBigInt, Nullable: true}},
	{Name: "SMALL", Kind: tables.Kind{Type: tables.TypeInt}},
	{Name: "PLAIN", Kind: tables.Kind{Type: tables.TypeIntUnsigned}},
	{Name: "QUANTILE", Kind: tables.Kind{Type: tables.TypeDouble, Len: 7, Decimals: 6, Nullable: true}},
	{Name: "NOTHING", Kind: tables.Kind{Type: tables.TypeBigIntUnsigned, Nullable: true}},
	{Name: "AT", Kind: tables.Kind{Type: tables.TypeTimestamp, Len: 6, Nullable: true}},
	{Name: "LETTERS", Kind: tables.Kind{Type: tables.TypeVarChar, Len: 64, Nullable: true}},
}

// measuresBegin is when the first moment of a table of numbers may be; the last is 5 hours later.
var measuresBegin = time.Date(2026, 10, 25, 0, 0, 0, 0, time.UTC)

func newMeasures(rnd *rand.Rand, rows int) *valueTable {
	m := &valueTable{readOnlyTable: readOnlyTable{name: "measures", columns: measureColumns}}
	sometimes := func(v tables.Value) tables.Value {
		if rnd.IntN(5) == 0 {
			return tables.Null
		}
		return v
	}
	for i := range rows {
		m.rows = append(m.rows, []tables.Value{
			tables.Uint(uint64(i)), tables.Text("n" + strconv.Itoa(rnd.IntN(4))), sometimes(tables.Uint(rnd.Uint64())),
			sometimes(tables.Int(rnd.Int64() - rnd.Int64())), tables.Int(int64(rnd.Int32() - rnd.Int32())), tables.Uint(uint64(rnd.Uint32())),
			sometimes(tables.Double(float64(rnd.IntN(1_000_001)) / 1e6)), tables.Null,
			sometimes(tables.Time(measuresBegin.Add(time.Duration(rnd.IntN(6_000_000)) * time.Microsecond * time.Duration(1+rnd.IntN(3)*1000)))),
			sometimes(tables.Text([]string{"a", "A", "ä", "b", "", "B"}[rnd.IntN(6)])),
		})
	}
	return m
}

// TestAggregates: an aggregate over a scan, with and without groups, says what the executor's own says. A LIMIT between
// the table and the aggregate is what the shorter way does not take.
func TestAggregates(t *testing.T) {
	oneAtATime(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, rows := range []int{0, 1, 2, 3000} {
		r := serve(t, Options{}, newMeasures(rnd, rows))
		for range 150 {
			var list []string
			for range 1 + rnd.IntN(5) {
				function := []string{"COUNT", "SUM", "AVG", "MIN", "MAX"}[rnd.IntN(5)]
				argument := measureColumns[rnd.IntN(len(measureColumns))].Name
				switch rnd.IntN(12) {
				case 0:
					function, argument = "COUNT", "*"
				case 1:
					argument = "DISTINCT " + argument
				case 2:
					argument += " + 1"
				}
				list = append(list, function+"("+argument+")")
			}
			by := ""
			if rnd.IntN(3) > 0 {
				columns := []string{"NAME", "LETTERS", "AT", "NOTHING", "QUANTILE", "SMALL", "MINUTE(AT)", "DATE_FORMAT(AT, '%H:%i')", "UPPER(LETTERS)"}
				rnd.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
				columns = columns[:1+rnd.IntN(2)]
				by = " GROUP BY " + strings.Join(columns, ", ")
				if rnd.IntN(8) == 0 {
					by += " WITH ROLLUP"
				}
				if rnd.IntN(6) == 0 { // by the name of a column of the result
					by, list = " GROUP BY c, d", append(list, columns[0]+" AS c", columns[len(columns)-1]+" AS d")
				} else if list = append(list, columns[:rnd.IntN(len(columns)+1)]...); rnd.IntN(10) == 0 {
					list = columns
				}
			}
			where := []string{"", " WHERE NAME = 'N1'", " WHERE SMALL > 0", fmt.Sprint(" WHERE ID = ", rnd.IntN(3000)), " WHERE NAME = 'n2' AND BIG IS NULL"}[rnd.IntN(5)] + by
			of := "SELECT " + strings.Join(list, ", ") + " FROM "
			got := r.query(t, of+"measures"+where)
			want := r.query(t, of+"(SELECT * FROM measures LIMIT 1000000) m"+where)
			if !sameNumbers(got, want) {
				t.Errorf("%smeasures%s of %d rows\n got %q\nwant %q", of, where, rows, got, want)
			}
		}
	}
}

// sameNumbers compares rows; sums may differ in the digits that a sum of fractions loses.
func sameNumbers(got, want []string) bool {
	a, b := strings.Split(strings.Join(got, "|"), "|"), strings.Split(strings.Join(want, "|"), "|")
	return slices.EqualFunc(a, b, func(a, b string) bool {
		x, e1 := strconv.ParseFloat(a, 64)
		y, e2 := strconv.ParseFloat(b, 64)
		return a == b || e1 == nil && e2 == nil && math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y), 1e12)
	})
}

// TestAggregatesAnywhere: the columns of an aggregate are found where the query around it has
// columns, too.
func TestAggregatesAnywhere(t *testing.T) {
	r := serve(t, Options{}, &fake{name: "numbers", rows: 10})
	for q, want := range map[string]string{
		"SELECT SUM(LEVEL), COUNT(DOC), COUNT(*), MIN(ID), MAX(LEVEL), AVG(ID) FROM numbers":                               "-45|5|10|0|0|4.5000",
		"SELECT ID, (SELECT SUM(LEVEL) FROM numbers) FROM numbers WHERE ID = 3":                                            "3|-45",
		"SELECT ID, (SELECT SUM(n.LEVEL) FROM numbers n WHERE n.ID = o.ID) FROM numbers o WHERE ID = 3":                    "3|-3",
		"SELECT ID, EVENT_NAME, (SELECT MAX(n.ID) FROM numbers n WHERE n.ID < o.ID) FROM numbers o WHERE ID = 3":           "3|wait/test/3|2",
		"SELECT o.ID, s.X FROM numbers o JOIN LATERAL (SELECT SUM(LEVEL) X FROM numbers WHERE ID = o.ID) s WHERE o.ID = 4": "4|-4",
		"SELECT a.X, b.Y FROM (SELECT MAX(ID) X FROM numbers) a, (SELECT MIN(LEVEL) Y FROM numbers) b":                     "9|-9",
		"SELECT MAX(ID) + MIN(LEVEL) FROM numbers HAVING COUNT(*) = 10":                                                    "0",
		"SELECT COUNT(*) FROM numbers WHERE ID > (SELECT AVG(ID) FROM numbers)":                                            "5",
	} {
		r.want(t, q, want)
	}
	if got := r.query(t, "SELECT SUM(ID), COUNT(*) FROM numbers WHERE ID = ?", 7); len(got) != 1 || got[0] != "7|1" {
		t.Errorf("a prepared sum is %q", got)
	}
}

// TestSumsAreExact: a sum that no integer of the machine holds.
func TestSumsAreExact(t *testing.T) {
	m := newMeasures(rand.New(rand.NewPCG(3, 4)), 3)
	for i, v := range []uint64{math.MaxUint64, math.MaxUint64, 2} {
		m.rows[i][2], m.rows[i][3] = tables.Uint(v), tables.Int(math.MinInt64)
	}
	r := serve(t, Options{}, m)
	r.want(t, "SELECT SUM(BIG), SUM(SIGNED), AVG(BIG), MIN(SIGNED), MAX(BIG) FROM measures",
		"36893488147419103232|-27670116110564327424|12297829382473034410.6667|-9223372036854775808|18446744073709551615")
}

// TestAggregatesMakeNoRows: sums of many rows do not cost an allocation each.
func TestAggregatesMakeNoRows(t *testing.T) {
	const rows = 100_000
	r := serve(t, Options{}, newMeasures(rand.New(rand.NewPCG(5, 6)), rows))
	for _, q := range []string{"SELECT SUM(BIG), COUNT(QUANTILE), MAX(SMALL) FROM measures", "SELECT COUNT(*) FROM measures"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r.query(t, q)
		runtime.ReadMemStats(&after)
		if n := after.Mallocs - before.Mallocs; n > rows/10 {
			t.Errorf("%s: %d allocations for %d rows", q, n, rows)
		}
	}
}
