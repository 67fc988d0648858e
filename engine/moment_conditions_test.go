package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// TestMomentConditions: a comparison of a moment with constants finds the rows that the executor's own finds, also where a row is as
// close to the constant as can be, and where the session's clock has an hour twice.
func TestMomentConditions(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	m := newMeasures(rnd, 500)
	r := serve(t, Options{}, m)
	c, err := r.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	counted := func(q string) (s string) {
		if err := c.QueryRowContext(t.Context(), q).Scan(&s); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		return s
	}
	some, all := 0, 0
	for _, zone := range []string{"+00:00", "-03:30", "Europe/Berlin"} {
		location := map[string]*time.Location{"+00:00": time.UTC, "-03:30": time.FixedZone("", -12600)}[zone]
		if location == nil {
			if location, err = time.LoadLocation(zone); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.ExecContext(t.Context(), "SET time_zone = ?", zone); err != nil {
			t.Fatal(err)
		}
		constant := func() string {
			at := measuresBegin.Add(time.Duration(rnd.IntN(5*3600)) * time.Second)
			if row := m.rows[rnd.IntN(len(m.rows))][8]; rnd.IntN(2) == 0 && row.IsTime() {
				at = row.Time().Add(time.Duration(rnd.IntN(3)-1) * time.Microsecond)
			}
			text := at.In(location).Format([]string{"2006-01-02 15:04:05.000000", "2006-01-02 15:04:05", "2006-01-02"}[min(rnd.IntN(11)/5, 2)])
			if len(text) == len("2006-01-02") {
				return "'" + text + "'"
			}
			return []string{"'" + text + "'", "TIMESTAMP '" + text + "'", "'" + text + "' + INTERVAL 1 SECOND", "NULL"}[min(rnd.IntN(16)/5, 3)]
		}
		for range 150 {
			where := fmt.Sprintf("AT %s %s", []string{"<", "<=", ">", ">=", "=", "<>", "<=>"}[rnd.IntN(7)], constant())
			switch rnd.IntN(4) {
			case 0:
				where = fmt.Sprintf("AT BETWEEN %s AND %s", constant(), constant())
			case 1:
				where = fmt.Sprintf("%s %s AT", constant(), []string{"<", "<=", ">", ">=", "="}[rnd.IntN(5)])
			case 2:
				where += fmt.Sprintf(" AND AT < %s", constant())
			}
			of := "SELECT CONCAT(COUNT(*), ' ', IFNULL(SUM(ID), 0)) FROM "
			got, want := counted(of+"measures WHERE "+where), counted(of+"(SELECT * FROM measures LIMIT 1000000) m WHERE "+where)
			if got != want {
				t.Errorf("%s, time zone %s: %s, want %s", where, zone, got, want)
			}
			if all++; want != "0 0" {
				some++
			}
		}
	}
	if some < all/3 {
		t.Errorf("only %d of %d conditions find rows", some, all)
	}
}
