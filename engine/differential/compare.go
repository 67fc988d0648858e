package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// difference is what two answers that ought to be the same differ in.
type difference struct {
	kind string // the oracle, the way, and what differs: rows, error, type, affected ...
	got  string // one answer
	want string // and the other
	text string // the statement of the first
	peer string // and of the other
}

// how answers are compared.
type likeness struct {
	ordered bool // the order of rows counts
	loose   bool // letter case does not
	errors  bool // so does which error a statement has that fails in both ways
}

// numeric tells whether values of a column are numbers.
func (c column) numeric() bool {
	switch c.kind {
	case typeTiny, typeShort, typeLong, typeFloat, typeDouble, typeLongLong, typeInt24, typeYear, typeNewDecimal:
		return true
	}
	return false
}

// temporal tells whether values of a column are dates or times.
func (c column) temporal() bool {
	switch c.kind {
	case typeDate, typeTime, typeDatetime, typeTimestamp:
		return true
	}
	return false
}

// cellKey is a form of a cell in which equal values are equal texts.
func (o *outcome) cellKey(i int, cell *string, loose bool, number bool) string {
	if cell == nil {
		return "NULL"
	}
	s := *cell
	if number {
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			if f == 0 {
				return "0"
			}
			if o.columns[i].kind == typeLongLong || o.columns[i].kind == typeNewDecimal {
				return trimmed(s)
			}
			return strconv.FormatFloat(f, 'g', 9, 64)
		}
	}
	if o.columns[i].temporal() {
		s = trimmed(s)
	}
	if loose {
		s = strings.ToLower(s)
	}
	return "'" + s + "'"
}

// sameCells tells whether two cells have one value; numbers are the same up to what an order of summing decides.
func sameCells(a, b *string, ca, cb column, loose bool) bool {
	if a == nil || b == nil {
		return a == b
	}
	if *a == *b || loose && strings.EqualFold(*a, *b) {
		return true
	}
	if !ca.numeric() && !cb.numeric() {
		return ca.temporal() && cb.temporal() && trimmed(*a) == trimmed(*b)
	}
	x, err1 := strconv.ParseFloat(*a, 64)
	y, err2 := strconv.ParseFloat(*b, 64)
	if err1 != nil || err2 != nil {
		return false
	}
	isFloat := func(c column) bool { return c.kind == typeDouble || c.kind == typeFloat }
	if isFloat(ca) || isFloat(cb) {
		return x == y || math.Abs(x-y) <= 1e-6*math.Max(math.Abs(x), math.Abs(y)) || math.Abs(x-y) < 1e-12
	}
	return trimmed(*a) == trimmed(*b)
}

// trimmed is a number or a time without zeros at the end of its fraction.
func trimmed(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		s = "0"
	}
	return s
}

// sorted returns rows in an order that depends on their values alone.
func (o *outcome) sorted(loose bool, numbers []bool) [][]*string {
	type keyed struct {
		key string
		row []*string
	}
	var all []keyed
	for _, row := range o.rows {
		var b strings.Builder
		for i, cell := range row {
			b.WriteString(o.cellKey(i, cell, loose, numbers[i]) + "|")
		}
		all = append(all, keyed{b.String(), row})
	}
	slices.SortFunc(all, func(a, b keyed) int { return strings.Compare(a.key, b.key) })
	rows := make([][]*string, len(all))
	for i, k := range all {
		rows[i] = k.row
	}
	return rows
}

// dependsOnWork has the errors that a statement has or has not depending on which values the server looks at: values out of range, texts that are
// no numbers, subqueries of more than one row. A statement that takes too long is none of these, and is counted elsewhere.
var dependsOnWork = []uint16{lostConnection, 1690, 1264, 1292, 1365, 1242, 1366, 1367, 1411, 1441, 3020}

// compare returns what two answers differ in, "" if they are alike.
func compare(a, b *outcome, like likeness) string {
	switch {
	case a.err != nil && b.err != nil:
		if like.errors && a.err.number != b.err.number && !slices.Contains(dependsOnWork, a.err.number) && !slices.Contains(dependsOnWork, b.err.number) {
			return fmt.Sprintf("errors %d %d", a.err.number, b.err.number)
		}
		return ""
	case a.err != nil || b.err != nil:
		e := a.err
		if e == nil {
			e = b.err
		}
		if slices.Contains(dependsOnWork, e.number) {
			return ""
		}
		return fmt.Sprintf("error %d", e.number)
	}
	if len(a.columns) != len(b.columns) {
		return "columns"
	}
	if len(a.rows) != len(b.rows) {
		return "rows"
	}
	return compareRows(a, b, like)
}

func compareRows(a, b *outcome, like likeness) string {
	numbers := make([]bool, len(a.columns))
	for i := range numbers {
		numbers[i] = a.columns[i].numeric() || b.columns[i].numeric()
	}
	ra, rb := a.rows, b.rows
	if !like.ordered {
		ra, rb = a.sorted(like.loose, numbers), b.sorted(like.loose, numbers)
	}
	for i := range ra {
		for j := range ra[i] {
			if !sameCells(ra[i][j], rb[i][j], a.columns[j], b.columns[j], like.loose) {
				return "rows"
			}
		}
	}
	return ""
}

// show formats an answer for people, as the golden files have it.
func (o *outcome) show() string {
	switch {
	case o == nil:
		return ""
	case o.err != nil:
		return o.err.Error() + "\n"
	case !o.query:
		return fmt.Sprintf("%d rows, id %d, %d warnings\n", o.affected, o.insertID, o.warning)
	case len(o.rows) == 0:
		return "no rows\n"
	}
	var b strings.Builder
	for i, c := range o.columns {
		b.WriteString(pipe(i) + c.name)
	}
	b.WriteString("\n")
	for n, row := range o.rows {
		if n == 20 {
			fmt.Fprintf(&b, "and %d more rows\n", len(o.rows)-n)
			break
		}
		for i, cell := range row {
			b.WriteString(pipe(i))
			if cell == nil {
				b.WriteString("NULL")
			} else {
				b.WriteString(*cell)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func pipe(i int) string {
	if i == 0 {
		return ""
	}
	return "|"
}

// typesOf lists the types of an answer's columns.
func (o *outcome) typesOf() string {
	var s []string
	for _, c := range o.columns {
		s = append(s, fmt.Sprintf("%d(%d,%d)", c.kind, c.length, c.decimals))
	}
	return strings.Join(s, " ")
}
