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
	for i, t := range r.tokens {
		if t.kind != kindWord || r.is(i-1, ".") {
			continue
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
		from := r.interval(i)
		if from < 0 || r.inSchedule(from) {
			continue
		}
		end := r.tokens[from].end
		r.edits = append(r.edits, edit{end, end, " `" + IntervalValue + "`("})
		r.replace(i, i, ",'"+unit+"') "+unit[at+1:])
	}
}

// interval is the word INTERVAL whose unit token i is; negative if there is none.
func (r *rewriting) interval(i int) int {
	depth := 0
	for i--; i >= 0; i-- {
		switch {
		case r.is(i, ")"):
			depth++
		case r.is(i, "(") && depth == 0, r.is(i, ";"):
			return -1
		case r.is(i, "("):
			depth--
		case depth == 0 && r.is(i, "INTERVAL") && !r.is(i-1, "."):
			return i
		}
	}
	return -1
}

// inSchedule reports whether token i is in the schedule of an event, where the parser takes all units.
func (r *rewriting) inSchedule(i int) bool {
	for ; i >= 0 && !r.is(i, ";"); i-- {
		switch {
		case r.is(i, "DO"), r.is(i, "SELECT"):
			return false
		case r.is(i, "SCHEDULE") && r.is(i-1, "ON"):
			return true
		}
	}
	return false
}
