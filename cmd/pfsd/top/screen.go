package top

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// View draws the screen.
func (m *model) View() tea.View {
	v := tea.NewView(strings.Join(m.lines(), "\n"))
	v.AltScreen = true
	return v
}

// The heights from which on there is room for more than the title, the table and the last line.
const (
	heightForViews = 8
	heightForLoad  = 10
	heightForChart = 12
)

// above are the lines over the table.
func (m *model) above() (lines []string) {
	lines = append(lines, m.brush.with(bold, fit(m.titleLine(), m.width)))
	if m.height >= heightForViews {
		lines = append(lines, m.viewsLine())
	}
	if m.height >= heightForChart && Views[m.view].Name == "load" {
		lines = append(lines, m.chartLines()...)
	} else if m.height >= heightForLoad {
		lines = append(lines, m.loadLine())
	}
	return lines
}

// tableHeight is how many rows of the table there is room for.
func (m *model) tableHeight() int { return m.height - len(m.above()) - 2 }

// lines are the lines of the screen, as many as it has.
func (m *model) lines() []string {
	lines := m.above()
	if m.page != nil {
		lines = append(lines[:1], strings.Split(m.page.View(), "\n")...)
	} else {
		lines = append(lines, m.tableLines(m.height-len(lines)-1)...)
	}
	for len(lines) < m.height-1 {
		lines = append(lines, "")
	}
	lines = append(lines[:max(0, m.height-1)], m.lastLine())
	for i, line := range lines {
		lines[i] = ansi.Truncate(line, m.width, "")
	}
	return lines
}

// titleLine says which server, when, and how often.
func (m *model) titleLine() string {
	text := "pfsd top  " + m.title
	if v := m.data.server.Version; v != "" {
		text += "  " + v
	}
	switch {
	case m.window != Window{}:
		text += "  " + m.window.From.Local().Format(time.DateTime) + " to " + m.window.To.Local().Format("15:04:05")
	case m.data.number > 0:
		text += "  " + m.data.window.To.Local().Format("15:04:05")
	}
	text += "  every " + m.interval.String()
	if m.paused {
		text += "  PAUSED"
	}
	return text
}

// viewsLine names the views with their keys.
func (m *model) viewsLine() string {
	var parts []string
	chosen := 0
	for i, v := range Views {
		switch text := v.Key + " " + v.Name; {
		case i == m.view && !m.brush.colours:
			chosen = len(parts)
			parts = append(parts, "["+text+"]")
		case i == m.view:
			chosen = len(parts)
			parts = append(parts, m.brush.with(reversed, text))
		case m.has(v):
			parts = append(parts, text)
		}
	}
	// The chosen one is on the screen.
	const between = "  "
	first := 0
	for first < chosen && ansi.StringWidth(strings.Join(parts[first:chosen+1], between)) > m.width {
		first++
	}
	return strings.Join(parts[first:], between)
}

// shownLoad is the load, and the first and the number of the points that are shown.
func (m *model) shownLoad() (l load, from, count int64) {
	l = m.data.load
	if m.data.server.Flavour != PFSD {
		l = m.loads
	}
	if l.step == 0 {
		return l, 0, 0
	}
	w := m.data.window
	from = w.From.Unix() / l.step
	to := max(from+1, w.To.Unix()/l.step)
	if m.data.server.Flavour != PFSD && len(l.points) > 0 { // only from the first refresh on
		from = min(to-1, max(from, slices.Min(slices.Collect(maps.Keys(l.points)))))
	}
	return l, from, to - from
}

// loadLine is the load of the last seconds, or of a period, as one bar and its legend.
func (m *model) loadLine() string {
	l, from, count := m.shownLoad()
	if count == 0 {
		return ""
	}
	if m.window == (Window{}) { // not the whole period, but the last ten seconds
		n := min(count, (9+l.step)/l.step)
		from, count = from+count-n, n
	}
	all, sum := l.shares(from, count), 0.0
	for _, s := range all {
		sum += s.active
	}
	width := m.width / 3
	return fit(fmt.Sprintf("active %.2f ", sum), 14) + fit(m.brush.stack(all, width, niceScale(sum)), width) + " " + m.brush.legend(all)
}

// chartLines are the chart of the load and its legend, in half of the screen.
func (m *model) chartLines() []string {
	l, from, count := m.shownLoad()
	height := m.height/2 - 1
	if count == 0 {
		return make([]string, height+1)
	}
	columns := min(count, int64(max(0, m.width-axis)))
	lines := m.brush.chart(l, from+count-columns, int(columns)+axis, height)
	legend := m.brush.legend(l.shares(from, count))
	for at := from + count - columns; at < from+count; at++ {
		if l.gaps[at] {
			legend += "  " + gapMark + " no samples"
			break
		}
	}
	return append(lines, legend)
}

// tableLines are the table, in so many lines.
func (m *model) tableLines(height int) (lines []string) {
	v := Views[m.view]
	if m.data.number == 0 || m.data.view.Name != v.Name {
		return []string{v.Title + ": waiting for the server"}
	}
	if m.data.answer == nil {
		if v.Name == "load" {
			return nil // only the chart
		}
		return []string{v.Title + ": this server does not have it"}
	}
	rows := m.rows()
	room := max(1, height-1)
	m.choose(m.row)
	m.top = max(0, min(m.top, m.row, len(rows)-room))
	if m.row >= m.top+room {
		m.top = m.row - room + 1
	}
	shown := rows[m.top:min(len(rows), m.top+room)]
	head, texts := layout(m.data.answer.Columns, shown, m.order())
	lines = append(lines, m.brush.with(bold, fit("  "+head, m.width)))
	for i, text := range texts {
		if m.top+i == m.row {
			lines = append(lines, m.brush.with(reversed, fit("> "+text, m.width)))
		} else {
			lines = append(lines, "  "+text)
		}
	}
	if len(rows) == 0 && height > 1 {
		lines = append(lines, "  "+m.nothing())
	}
	return lines
}

// nothing says that there are no rows, and why that may be.
func (m *model) nothing() string {
	switch {
	case m.filter != "":
		return "no row contains " + m.filter
	case !m.data.server.Schema:
		return "nothing: the performance schema of this server is off"
	}
	return "nothing"
}

// lastLine is a question, a text that is typed, what went wrong, or what keys there are.
func (m *model) lastLine() string {
	switch {
	case m.question != 0:
		return m.brush.with(reversed, fmt.Sprintf("kill the statement of connection %d (y), the connection (c), or nothing (n)?", m.question))
	case m.editing:
		return "filter: " + m.filter + "_"
	case m.reply != nil:
		return m.brush.in(1, Clean(m.reply.Error())+": trying again")
	case m.killed != "":
		return m.killed
	case m.note != "":
		return m.note
	case m.page != nil:
		return "esc back  up, down scroll  q quit"
	}
	text := Views[m.view].Title
	if rows := m.rows(); len(rows) > 0 {
		text += fmt.Sprintf(" (%d of %d)", m.row+1, len(rows))
	}
	if m.filter != "" {
		text += ", with " + m.filter
	}
	return text + "  ? help  q quit"
}

// helpText is the help.
func (m *model) helpText() (lines []string) {
	for _, b := range helpKeys() {
		lines = append(lines, fmt.Sprintf("%-22s %s", b.Help().Key, b.Help().Desc))
	}
	lines = append(lines, "")
	for _, v := range Views {
		text := v.Title
		if !m.has(v) {
			text += " (not on this server)"
		}
		lines = append(lines, fmt.Sprintf("%-22s %s", v.Key+" "+v.Name, text))
	}
	return wrapped(lines, m.width)
}

// detailText is all that is known about a row.
func (m *model) detailText() (lines []string) {
	for i, c := range m.detail.columns {
		lines = append(lines, fmt.Sprintf("%18s: %s", c.Name, m.detail.row[i].show(c.Kind)))
	}
	lines = wrapped(lines, m.width)
	for _, p := range m.detail.parts {
		lines = append(lines, "", m.brush.with(bold, fit(p.title, m.width)))
		switch {
		case p.err != nil:
			lines = append(lines, wrapped([]string{Clean(p.err.Error())}, m.width)...)
		case len(p.answer.Rows) == 0:
			lines = append(lines, "none: there were none, or their instruments or consumers are off")
		default:
			head, texts := layout(p.answer.Columns, p.answer.Rows, order{column: -1})
			lines = append(append(lines, head), texts...)
		}
	}
	for i, line := range lines {
		lines[i] = ansi.Truncate(line, m.width, "")
	}
	return lines
}

// wrapped breaks lines that are wider than the screen.
func wrapped(lines []string, width int) []string {
	return strings.Split(ansi.Hardwrap(strings.Join(lines, "\n"), max(1, width), true), "\n")
}
