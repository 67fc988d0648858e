package top

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"pfsd/engine/incident"
)

// Somebody who looks at the time before an incident, and then at the incident, finds what threads waited for, who was in the way and at
// which line, and the statement that became slower, although the server has been restarted since.
func TestIncident(t *testing.T) {
	i := incident.Plant(t)
	before := Window{i.Begin.Add(i.Begin.Sub(i.End)), i.Begin}
	s := &screen{t: t, m: newModel(t.Context(), opened(t, i.Server.Addr().String()), Options{Interval: time.Second, View: "load", Window: before})}
	s.do(s.m.Init())
	s.m.Update(tea.WindowSizeMsg{Width: 250, Height: 40})
	if s.shows("[1 load]"); strings.Contains(s.text(), incident.Lock) {
		t.Errorf("the time before the incident has its lock:\n%s", s.text())
	}
	s.press("right")
	s.shows(incident.Lock, incident.RowLock, incident.Object, "M mutex ", "W row ", i.Begin.Format(time.TimeOnly))
	row := func(texts ...string) {
		t.Helper()
		if !contains(s.m.data.answer, texts...) {
			t.Errorf("no row has %q:\n%s", texts, s.text())
		}
		s.shows(texts...)
	}
	s.press("b")
	row(i.LockedAt, incident.WaitsFor, incident.Lock)
	row("idle", incident.RowLock, incident.Object)
	s.press("s")
	row(incident.Statement)
	seconds := func() float64 {
		s.press("/", "s", "t", "o", "c", "k", "enter")
		rows := s.m.rows()
		s.press("esc")
		if len(rows) == 0 {
			return 0
		}
		n, _ := rows[0][0].number()
		return n
	}
	during := seconds()
	s.press("left")
	if quiet := seconds(); s.m.window != before || during <= quiet {
		t.Errorf("the statement was active for %g seconds before the incident, and for %g during it", quiet, during)
	}
	s.press("right", "enter")
	s.shows("digest: ", incident.Statement)
	s.press("end")
	s.shows(incident.RowLock)
}
