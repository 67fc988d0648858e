package syntax

import (
	"slices"
	"strings"
)

// IntervalValue is the name of the function that converts the value of an INTERVAL with a compound
// unit to one number. Its arguments are the value and the unit.
const IntervalValue = "value of an interval"

// intervals replaces a compound unit of an INTERVAL by its last part, and ODBC's names of units by
// MySQL's.
//
//	SELECT d + INTERVAL '1 10' DAY_HOUR     becomes  SELECT d + INTERVAL `value of an interval`( '1 10','DAY_HOUR') HOUR
//	SELECT TIMESTAMPADD(SQL_TSI_DAY, 1, d)  becomes  SELECT TIMESTAMPADD(DAY, 1, d)
//
// go-mysql-server: a syntax error, as it accepts compound units only behind EVERY and in EXTRACT.
// MySQL: accepts them everywhere.
func intervals(r *rewriting) {
	type interval struct {
		at         int // the word INTERVAL, negative if there is none
		inSchedule bool
	}
	open := []interval{{at: -1}} // the last INTERVAL so far in each of the open parentheses
	schedule := false            // inside the schedule of an event, where vitess accepts all units
	for i, t := range r.tokens {
		last := &open[len(open)-1]
		switch {
		case r.is(i, "("):
			open = append(open, interval{at: -1})
		case r.is(i, ")") && len(open) > 1:
			open = open[:len(open)-1]
		case r.is(i, ")"):
			last.at = -1
		case r.is(i, ";"):
			open, schedule = append(open[:0], interval{at: -1}), false
		case r.is(i, "DO"), r.is(i, "SELECT"):
			schedule = false
		case r.is(i, "SCHEDULE") && r.is(i-1, "ON"):
			schedule = true
		}
		if t.kind != kindWord || r.is(i-1, ".") {
			continue
		}
		if r.is(i, "INTERVAL") {
			*last = interval{i, schedule}
		}
		unit := strings.ToUpper(r.word(i))
		if simple, ok := strings.CutPrefix(unit, "SQL_TSI_"); ok && slices.Contains(units, simple) {
			r.replace(i, i, simple)
			continue
		}
		at := strings.IndexByte(unit, '_')
		if at < 0 || !slices.Contains(units, unit) {
			continue
		}
		if last.at < 0 || last.inSchedule {
			continue
		}
		r.insert(last.at, " `"+IntervalValue+"`(")
		r.replace(i, i, ",'"+unit+"') "+unit[at+1:])
	}
}
