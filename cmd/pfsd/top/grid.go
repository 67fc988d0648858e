package top

import (
	"cmp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// An order says by which column rows are sorted.
type order struct {
	column int // -1: as the server sent them
	up     bool
}

// sorted returns rows in an order. NULLs are last, and rows that are equal stay as they were.
func sorted(a *Answer, o order) [][]Value {
	if o.column < 0 || o.column >= len(a.Columns) {
		return a.Rows
	}
	rows := slices.Clone(a.Rows)
	text := a.Columns[o.column].Kind == Text || a.Columns[o.column].Kind == Moment
	slices.SortStableFunc(rows, func(x, y []Value) int {
		v, w := x[o.column], y[o.column]
		if v.Null || w.Null {
			switch {
			case v.Null && w.Null:
				return 0
			case v.Null:
				return 1
			}
			return -1
		}
		by := cmp.Compare(v.Text, w.Text)
		if !text {
			m, _ := v.number()
			n, _ := w.number()
			by = cmp.Compare(m, n)
		}
		if o.up {
			return by
		}
		return -by
	})
	return rows
}

// filtered returns the rows that contain a text, in whatever letters.
func filtered(columns []Column, rows [][]Value, text string) (kept [][]Value) {
	if text == "" {
		return rows
	}
	text = strings.ToLower(text)
	for _, row := range rows {
		if slices.ContainsFunc(row, func(v Value) bool { return strings.Contains(strings.ToLower(v.Text), text) }) {
			kept = append(kept, row)
		}
	}
	return kept
}

// widest is how many cells of the terminal a column takes, except the last one, which takes what is left.
const widest = 40

// layout returns rows as lines of cells: the names of the columns first. A column is as wide as its widest
// value, but no wider than widest; numbers stand at the right of it.
func layout(columns []Column, rows [][]Value, o order) (head string, lines []string) {
	widths, cells := make([]int, len(columns)), make([][]string, len(rows))
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
		if i == o.column {
			names[i] += map[bool]string{true: "^", false: "v"}[o.up]
		}
		widths[i] = ansi.StringWidth(names[i])
	}
	for r, row := range rows {
		cells[r] = make([]string, len(columns))
		for i, c := range columns {
			text := row[i].show(c.Kind)
			if i < len(columns)-1 {
				text = ansi.Truncate(text, widest, "~")
			}
			cells[r][i] = text
			widths[i] = max(widths[i], ansi.StringWidth(text))
		}
	}
	line := func(texts []string) string {
		var b strings.Builder
		for i, text := range texts {
			space := strings.Repeat(" ", max(0, widths[i]-ansi.StringWidth(text)))
			switch {
			case columns[i].Kind != Text:
				b.WriteString(space + text)
			case i < len(texts)-1:
				b.WriteString(text + space)
			default:
				b.WriteString(text)
			}
			if i < len(texts)-1 {
				b.WriteString("  ")
			}
		}
		return b.String()
	}
	for _, texts := range cells {
		lines = append(lines, line(texts))
	}
	return line(names), lines
}

// fit cuts or fills a line, which may have colours, to a width.
func fit(line string, width int) string {
	line = ansi.Truncate(line, width, "")
	return line + strings.Repeat(" ", max(0, width-ansi.StringWidth(line)))
}
