package tabletest

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Summary is the columns of a table that add up events. Check says how they depend on each other.
// Safe for concurrent use.
type Summary struct {
	columns []string
	groups  []group
	whole   map[string][]group // the parts of a group, by its name
	counts  []int              // all COUNT_ columns
	sums    []int              // all columns that are 0 where no event is counted
	bytes   map[int]int        // the columns of bytes, and the columns that count their operations
}

// group is a count, and the times of what it counts.
type group struct {
	name                       string // READ of COUNT_READ
	count, sum, min, avg, most int
}

// NewSummary finds the summary in a table's columns by their names; nil if there are no times in it.
func NewSummary(columns []string) *Summary {
	s := &Summary{columns: columns, whole: map[string][]group{}, bytes: map[int]int{}}
	for i, c := range columns {
		kind, of, _ := strings.Cut(c, "_")
		switch kind {
		case "COUNT":
			s.counts = append(s.counts, i)
			continue
		case "SUM", "MIN", "AVG", "MAX":
			s.sums = append(s.sums, i)
		}
		if kind != "SUM" || len(s.counts) == 0 {
			continue
		}
		if of, ok := strings.CutPrefix(of, "NUMBER_OF_BYTES_"); ok {
			s.bytes[i] = slices.Index(columns, "COUNT_"+of)
		}
		at := func(kind string) int { return slices.Index(columns, kind+"_"+of) }
		if at("AVG") < 0 {
			continue
		}
		count := s.counts[len(s.counts)-1]
		s.groups = append(s.groups, group{strings.TrimPrefix(columns[count], "COUNT_"), count, i, at("MIN"), at("AVG"), at("MAX")})
	}
	if len(s.groups) == 0 {
		return nil
	}
	has := func(name string) bool {
		return slices.ContainsFunc(s.groups, func(g group) bool { return g.name == name })
	}
	for _, g := range s.groups {
		whole := ""
		first, _, more := strings.Cut(g.name, "_")
		switch {
		case more && has(first): // READ_NORMAL
			whole = first
		case g.name == "FETCH":
			whole = "READ"
		case slices.Contains([]string{"INSERT", "UPDATE", "DELETE"}, g.name):
			whole = "WRITE"
		case slices.Contains([]string{"READ", "WRITE", "MISC", "READ_WRITE", "READ_ONLY"}, g.name):
			whole = "STAR"
		default: // STAR, or a sum of its own
			continue
		}
		s.whole[whole] = append(s.whole[whole], g)
	}
	return s
}

// cutOff is by how much an average can be less than the quotient, because it is rounded down to
// cycles: more than one tick of the slowest cycle counter, in picoseconds.
const cutOff = 1e6

// Groups is how many groups of time columns there are, each of which has an average.
func (s *Summary) Groups() int { return len(s.groups) }

// Check says what is wrong with a row; value returns the value of a column. If nothing is counted there
// are no times; the shortest time is at most the average, the average at most the longest time, and
// this at most the sum; parts add up to their whole. If all events are timed, the average times the
// count is the sum, except for what is rounded off.
func (s *Summary) Check(value func(column int) uint64, timed bool) error {
	counted := slices.ContainsFunc(s.counts, func(c int) bool { return value(c) > 0 })
	for _, c := range s.sums {
		if !counted && value(c) != 0 {
			return fmt.Errorf("%s is %d of no event", s.columns[c], value(c))
		}
	}
	for c, count := range s.bytes {
		if count >= 0 && value(count) == 0 && value(c) != 0 {
			return fmt.Errorf("%s is %d of no operation", s.columns[c], value(c))
		}
	}
	for _, g := range s.groups {
		n, sum, low, avg, most := value(g.count), value(g.sum), value(g.min), value(g.avg), value(g.most)
		times := fmt.Sprintf("%d %s took %d, at least %d, on the average %d, at most %d", n, g.name, sum, low, avg, most)
		switch {
		case n == 0 && (sum != 0 || most != 0):
			return fmt.Errorf("there are no %s: %s", g.name, times)
		case low > avg || avg > most || most > sum:
			return fmt.Errorf("the times of %s are in no order: %s", g.name, times)
		case sum == math.MaxUint64: // the sum has overflowed
		case float64(avg+cutOff)*float64(n) < float64(sum):
			return fmt.Errorf("the average of %s is too small: %s", g.name, times)
		case timed && float64(avg)*float64(n) > (float64(sum)+float64(n))*(1+1e-9):
			return fmt.Errorf("the average of %s is too large: %s", g.name, times)
		}
		if err := s.parts(g, value); err != nil {
			return err
		}
	}
	return nil
}

// parts says what is wrong with the parts of a group.
func (s *Summary) parts(g group, value func(int) uint64) error {
	parts := s.whole[g.name]
	if len(parts) == 0 {
		return nil
	}
	var n, sum, most uint64
	shortest := false
	for _, p := range parts {
		n, sum, most = n+value(p.count), sum+value(p.sum), max(most, value(p.most))
		shortest = shortest || value(p.min) == value(g.min)
	}
	off := max(sum, value(g.sum)) - min(sum, value(g.sum))
	switch {
	case n != value(g.count):
		return fmt.Errorf("%s counts %d, and its parts %d", s.columns[g.count], value(g.count), n)
	case off > uint64(len(parts)) && value(g.sum) != math.MaxUint64:
		return fmt.Errorf("%s is %d, and its parts %d", s.columns[g.sum], value(g.sum), sum)
	case most != value(g.most) || !shortest:
		return fmt.Errorf("no part took %d at least, or none %d at most", value(g.min), value(g.most))
	}
	return nil
}
