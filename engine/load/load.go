package load

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// pointColumns are how many columns each row of summaryQuery has, aheadColumns those of aheadQuery.
const (
	pointColumns = 10
	aheadColumns = 4
)

// Read returns the stretches of a window that samples cover, in order and apart, from at most so many points. samples is the rest of a statement
// about the samples h of a window, whose ends are its parameters. ask executes a query whose rows have so many columns, and returns these as texts;
// a NULL is "".
func Read(samples string, from, to time.Time, points int, ask func(text string, columns int, args ...any) ([][]string, error)) ([]Piece, error) {
	const layout = "2006-01-02 15:04:05.000000"
	begin, end := from.UTC().Format(layout), to.UTC().Format(layout)
	extent, err := ask(extentQuery+samples, 2, begin, end)
	if err != nil {
		return nil, err
	}
	ahead, err := ask(aheadQuery, aheadColumns, end, end)
	if err != nil {
		return nil, err
	}
	if len(ahead) == 0 {
		ahead = [][]string{nil}
	}
	size, rows := uint64(1), [][]string(nil)
	if len(extent) == 1 {
		first, _ := strconv.ParseUint(extent[0][0], 10, 64) // there may be none
		last, _ := strconv.ParseUint(extent[0][1], 10, 64)
		size = pointSize(first, last, points)
		if rows, err = ask(summaryQuery(size, samples), pointColumns, begin, end); err != nil {
			return nil, err
		}
	}
	return piecesOf(rows, size, ahead[0], seconds(from), seconds(to)), nil
}

// seconds is a time in seconds since 1970.
func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

// extentQuery is what to ask of the samples h of a window: the numbers of the first and the last one with a row.
const extentQuery = `SELECT MIN(h.SAMPLE_ID), MAX(h.SAMPLE_ID) `

// pointSize is how many samples a point stands for, so that there are at most so many points.
func pointSize(first, last uint64, points int) uint64 {
	if last < first {
		return 1
	}
	return (last-first)/uint64(max(1, points)) + 1
}

// summaryQuery returns what to ask of the samples h of a window; from is the rest of the statement up to its GROUP BY.
func summaryQuery(size uint64, from string) string {
	return fmt.Sprintf(`SELECT h.SAMPLE_ID DIV %d AS point, h.WAIT_CLASS AS wait_class, COUNT(*), MIN(h.SAMPLE_ID), MAX(h.SAMPLE_ID), UNIX_TIMESTAMP(MIN(h.SAMPLE_TIME)), UNIX_TIMESTAMP(MAX(h.SAMPLE_TIME)), MIN(h.UNBROKEN_FROM), MAX(h.UNBROKEN_FROM), MAX(h.WEIGHT)`, max(1, size)) +
		from + `GROUP BY point, wait_class ORDER BY point LIMIT 100000`
}

// aheadQuery asks for the first sample with a row in the hour after a window, whose end is the parameter, twice. Without one, it is the sample that comes
// next, and now.
const aheadQuery = `SELECT IFNULL(s.sample, l.VARIABLE_VALUE + 1), IFNULL(s.at, UNIX_TIMESTAMP(NOW(6))), IFNULL(s.unbroken, l.VARIABLE_VALUE + 1 - u.VARIABLE_VALUE), IFNULL(s.weight, @@GLOBAL.active_session_history_interval / 1000)
 FROM (SELECT MIN(SAMPLE_ID) AS sample, UNIX_TIMESTAMP(MIN(SAMPLE_TIME)) AS at, MIN(UNBROKEN_FROM) AS unbroken, MIN(WEIGHT) AS weight FROM performance_schema.active_session_history WHERE SAMPLE_TIME >= ? AND SAMPLE_TIME < ? + INTERVAL 1 HOUR) s
 JOIN performance_schema.global_status l ON l.VARIABLE_NAME = 'Performance_schema_active_session_samples'
 JOIN performance_schema.global_status u ON u.VARIABLE_NAME = 'Performance_schema_active_session_samples_unbroken'`

// A Piece is a stretch of time that samples cover, in seconds since 1970, and how many threads were active on average, by what they
// waited for. In a stretch without any the map is empty.
type Piece struct {
	From, To float64
	Active   map[string]float64
}

// group is the samples of one point that have rows. A time is in seconds since 1970.
type group struct {
	point, first, last    uint64
	begin, end, weight    float64
	unbroken, unbrokenEnd uint64 // the sample from which on none is missing up to first, and up to last
	rows                  map[string]float64
}

// piecesOf returns the stretches of a window that samples cover, in order and apart, from the rows of summaryQuery and that of aheadQuery. Rows that are not
// valid are left out.
func piecesOf(rows [][]string, size uint64, ahead []string, from, to float64) (pieces []Piece) {
	groups := groupsOf(rows)
	marks := make([]group, 0, len(groups)+1)
	marks = append(marks, groups...)
	if n, ok := numbers(ahead); ok && len(n) == aheadColumns && n[3] > 0 {
		id := uint64(n[0])
		marks = append(marks, group{first: id, last: id, begin: n[1], end: n[1], unbroken: min(uint64(n[2]), id), unbrokenEnd: uint64(n[2]), weight: n[3]})
	}
	spans := make([]Piece, len(groups))
	for i := range groups {
		var next *group
		if i+1 < len(marks) {
			next = &marks[i+1]
		}
		spans[i] = groups[i].span(max(1, size), next, from, to)
	}
	for i := 0; i+1 < len(spans); i++ { // the time of a sample belongs to one
		before, s := &spans[i], &spans[i+1]
		s.From = max(s.From, groups[i].end)
		if before.To > s.From || s.From-before.To < slack*groups[i+1].weight {
			before.To = s.From
		}
	}
	if n := len(groups); n > 0 && len(marks) > n && marks[n].follows(&groups[n-1]) && marks[n].begin-spans[n-1].To < (1+slack)*marks[n].weight {
		spans[n-1].To = marks[n].begin // the window ends before the next sample
	}
	return fill(covered(marks), spans, from, to)
}

// slack is what part of an interval two samples may be more apart without one missing between them.
const slack = 0.75

// follows reports whether no sample is missing between a group and the one before it.
func (g *group) follows(at *group) bool { return g.unbroken <= at.last }

// span is the time of a group, and its average. A sample stands for the interval before it, and those of the group's point without a row found nobody.
func (g *group) span(size uint64, next *group, from, to float64) Piece {
	low, high := max(g.point*size, min(g.unbroken, g.first)), g.last
	if before := (g.begin - from) / g.weight; before >= 0 {
		low = max(low, g.first-min(g.first, uint64(before)))
	}
	if next != nil {
		high = max(high, min(g.point*size+size, next.first, max(next.unbroken, g.last+1))-1)
		if next.follows(g) {
			high = max(g.last, min(g.point*size+size, next.first)-1)
		}
	}
	if after := (to - g.end) / g.weight; after >= 0 {
		high = min(high, g.last+uint64(after))
	}
	p := Piece{From: g.begin - float64(g.first-low+1)*g.weight, To: g.end + float64(high-g.last)*g.weight, Active: map[string]float64{}}
	for class, n := range g.rows {
		p.Active[class] = n / float64(high-low+1)
	}
	return p
}

// covered returns the time that samples cover, in order and apart: before each mark, back to where one is missing, and after the mark before that as far as
// samples were taken meanwhile.
func covered(marks []group) (all []Piece) {
	add := func(from, to, weight float64) {
		if n := len(all); n > 0 && from-all[n-1].To < slack*weight {
			all[n-1].To = max(all[n-1].To, to)
		} else {
			all = append(all, Piece{From: from, To: to})
		}
	}
	for i := range marks {
		m := &marks[i]
		switch {
		case i > 0 && m.follows(&marks[i-1]):
			add(all[len(all)-1].To, m.begin, m.weight)
		case i > 0 && m.unbroken > marks[i-1].last+1:
			l := &marks[i-1]
			add(l.end, min(l.end+float64(m.unbroken-1-l.last)*l.weight, m.begin-m.weight), l.weight)
			fallthrough
		default:
			add(m.begin-float64(m.first-m.unbroken+1)*m.weight, m.begin, m.weight)
		}
		if m.unbrokenEnd > m.first { // some are missing within the group
			add(m.begin, min(m.begin+float64(m.unbrokenEnd-1-m.first)*m.weight, m.end-m.weight), m.weight)
			add(m.end-float64(m.last-min(m.last, m.unbrokenEnd)+1)*m.weight, m.end, m.weight)
		} else {
			add(m.begin, m.end, m.weight)
		}
	}
	return all
}

// fill returns the spans within what is covered, with nobody active between them, cut to the window.
func fill(covered, spans []Piece, from, to float64) (all []Piece) {
	add := func(begin, end float64, active map[string]float64) {
		if begin, end = max(begin, from), min(end, to); begin < end {
			all = append(all, Piece{begin, end, active})
		}
	}
	for _, c := range covered {
		at := c.From
		for len(spans) > 0 && spans[0].From < c.To {
			s := spans[0]
			add(at, s.From, map[string]float64{})
			add(max(at, s.From), min(s.To, c.To), s.Active)
			at = max(at, min(s.To, c.To))
			if s.To > c.To {
				break
			}
			spans = spans[1:]
		}
		add(at, c.To, map[string]float64{})
	}
	return all
}

// numbers reads the texts as numbers.
func numbers(texts []string) (all []float64, ok bool) {
	for _, text := range texts {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || !(n >= 0 && n < 1<<62) {
			return nil, false
		}
		all = append(all, n)
	}
	return all, true
}

// groupsOf puts the rows of each point together.
func groupsOf(rows [][]string) []group {
	byPoint := map[uint64]*group{}
	for _, row := range rows {
		if len(row) != pointColumns {
			continue
		}
		n, ok := numbers(slices.Concat(row[:1], row[2:]))
		if !ok || n[8] <= 0 {
			continue
		}
		r := group{point: uint64(n[0]), first: uint64(n[2]), last: uint64(n[3]), begin: n[4], end: n[5], unbroken: uint64(n[6]), unbrokenEnd: uint64(n[7]), weight: n[8]}
		g := byPoint[r.point]
		if g == nil {
			g = &r
			g.rows = map[string]float64{}
			byPoint[r.point] = g
		}
		g.rows[row[1]] += n[1]
		g.first, g.last, g.begin, g.end = min(g.first, r.first), max(g.last, r.last), min(g.begin, r.begin), max(g.end, r.end)
		g.unbroken, g.unbrokenEnd, g.weight = min(g.unbroken, r.unbroken), max(g.unbrokenEnd, r.unbrokenEnd), max(g.weight, r.weight)
	}
	all := make([]group, 0, len(byPoint))
	for _, g := range byPoint {
		all = append(all, *g)
	}
	slices.SortFunc(all, func(a, b group) int { return cmp.Compare(a.point, b.point) })
	return all
}
