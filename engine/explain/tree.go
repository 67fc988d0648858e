package explain

import (
	"fmt"
	"strconv"
	"strings"
)

// Tree returns the plan as EXPLAIN FORMAT=TREE shows it, with the measured values if analyzed is true.
func (q *Query) Tree(analyzed bool) string {
	var b strings.Builder
	for _, s := range append([]*Step{q.Root}, q.SelectListSteps...) {
		s.tree(&b, 0, analyzed)
	}
	return b.String()
}

func (s *Step) tree(b *strings.Builder, depth int, analyzed bool) {
	if s == nil {
		return
	}
	fmt.Fprintf(b, "%s-> %s", strings.Repeat("    ", depth), s.Text)
	if s.Estimated {
		fmt.Fprintf(b, "  (cost=%s rows=%s)", number(s.Cost), number(s.Rows))
	}
	if analyzed {
		switch a := s.Actual; {
		case a == nil:
		case a.Loops == 0:
			b.WriteString(" (never executed)")
		default:
			n := float64(a.Loops)
			fmt.Fprintf(b, " (actual time=%s..%s rows=%s loops=%d)", number(a.First/n), number(a.Last/n), number(float64(a.Rows)/n), a.Loops)
		}
	}
	b.WriteString("\n")
	for _, c := range s.Children {
		c.tree(b, depth+1, analyzed)
	}
}

// number formats a number with three significant digits; from 1000 on, as an integer.
func number(n float64) string {
	switch {
	case n < 1000:
		return strconv.FormatFloat(n, 'g', 3, 64)
	case n < 1e6:
		return strconv.FormatFloat(n, 'f', 0, 64)
	}
	return strings.Replace(strconv.FormatFloat(n, 'g', 3, 64), "e+0", "e+", 1)
}
