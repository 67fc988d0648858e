package syntax

import (
	"slices"
	"strings"
)

// IntervalValue is the name of the function that makes one number of the value of an INTERVAL whose unit has
// several parts. Its arguments are the value and the unit.
const IntervalValue = "value of an interval"

// intervals gives an INTERVAL whose unit has several parts the last one of them for its unit, and takes ODBC's
// names for units.
//
//	d + INTERVAL '1 10' DAY_HOUR     becomes  d + INTERVAL `value of an interval`( '1 10','DAY_HOUR') HOUR
//	TIMESTAMPADD(SQL_TSI_DAY, 1, d)  becomes  TIMESTAMPADD(DAY, 1, d)
//
// go-mysql-server: a syntax error, as it takes these units behind EVERY and in EXTRACT alone. MySQL: units like
// others.
func intervals(r *rewriting) {
	type interval struct {
		at         int // the word INTERVAL, negative if there is none
		inSchedule bool
	}
	open := []interval{{at: -1}} // the last one in each of the parentheses
	schedule := false            // this is in the schedule of an event, where the parser takes all units
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
