package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestScansSortAndLeaveOut: random conditions, orders and limits on a table give what they give on a derived table with a LIMIT, which the
// executor filters and sorts by itself.
func TestScansSortAndLeaveOut(t *testing.T) {
	oneAtATime(t)
	rnd := rand.New(rand.NewPCG(3, 4))
	columns := []string{"ID", "NAME", "BIG", "SIGNED", "SMALL", "PLAIN", "QUANTILE", "NOTHING"}
	number := func() string {
		return []string{"0", "-1", "1", "3000000000", "-70000", "9223372036854775808", "-9223372036854775808", "0.5", "'12'", "NULL", "1500"}[rnd.IntN(11)]
	}
	condition := func() string {
		column := columns[rnd.IntN(len(columns))]
		operator := []string{"=", "<", ">", "<=", ">=", "<>", "<=>"}[rnd.IntN(7)]
		switch rnd.IntN(12) {
		case 0:
			return column + " IS NULL"
		case 1:
			return column + " IS NOT NULL"
		case 2:
			return "NAME LIKE 'N%1'"
		case 3:
			return fmt.Sprintf("(%s > %s OR ID %% 3 = 1)", column, number())
		case 4:
			return fmt.Sprintf("NOT (%s %s %s)", column, operator, number())
		case 5:
			return fmt.Sprintf("%s BETWEEN %s AND %s", column, number(), number())
		case 6:
			return fmt.Sprintf("%s IN (%s, %s)", column, number(), number())
		case 7:
			return "UPPER(NAME) = 'N2'"
		case 8:
			return "ID IN (SELECT PLAIN % 1000 FROM measures WHERE SMALL > 0)"
		case 9:
			return fmt.Sprintf("%s %s %s", number(), operator, column)
		case 10:
			return fmt.Sprintf("%s %s %s", column, operator, columns[rnd.IntN(len(columns))])
		}
		return fmt.Sprintf("%s %s %s", column, operator, number())
	}
	for _, rows := range []int{0, 1, 7, 1000} {
		r := serve(t, Options{}, newMeasures(rnd, rows))
		for range 150 {
			list := []string{"*", "ID", "NAME, QUANTILE", "SMALL, ID, SMALL + 1"}[rnd.IntN(4)]
			rest := ""
			for i := range rnd.IntN(4) {
				rest += []string{" WHERE ", " AND "}[min(i, 1)] + condition()
			}
			var by []string
			for range rnd.IntN(3) {
				by = append(by, columns[rnd.IntN(len(columns))]+[]string{"", " DESC", " ASC"}[rnd.IntN(3)])
			}
			if len(by) > 0 {
				rest += " ORDER BY " + strings.Join(by, ", ")
			}
			if rnd.IntN(2) == 0 {
				rest += fmt.Sprint(" LIMIT ", rnd.IntN(40))
				if rnd.IntN(3) == 0 {
					rest += fmt.Sprint(" OFFSET ", rnd.IntN(20))
				}
			}
			got := r.query(t, "SELECT "+list+" FROM measures"+rest)
			want := r.query(t, "SELECT "+list+" FROM (SELECT * FROM measures LIMIT 1000000) m"+rest)
			if !slices.Equal(got, want) {
				t.Errorf("SELECT %s FROM measures%s of %d rows\n got %q\nwant %q", list, rest, rows, got, want)
			}
		}
	}
}
