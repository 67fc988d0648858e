package errorlog

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pfsd/instr"
)

// The ring holds the last events, no two of a moment, within its size.
func TestErrorLogRing(t *testing.T) {
	l, err := Open(instr.NewRegistry(), filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	text := strings.Repeat("x", 10_000)
	const n = 1200
	for i := range n {
		l.Write(Message{Code: 10000, Priority: System, Format: "%d %s"}, i, text)
	}
	rows, f := l.Rows(nil), l.Stats()
	if f.Events != uint64(len(rows)) || f.Events+f.Expired != n || f.Expired == 0 || f.Bytes > KeptBytes || f.Bytes < KeptBytes-20_000 {
		t.Errorf("%d rows, figures %+v", len(rows), f)
	}
	for i, e := range rows {
		if !strings.HasPrefix(e.Data, fmt.Sprint(int(f.Expired)+i, " ")) {
			t.Fatalf("row %d is %.20q", i, e.Data)
		}
		if i > 0 && e.Logged.Sub(rows[i-1].Logged) < 1000 {
			t.Fatalf("row %d is not later than the one before", i)
		}
	}
	if last := rows[len(rows)-1].Logged; !last.Equal(f.Latest) {
		t.Errorf("latest is %v, the last row's %v", f.Latest, last)
	}
	again, err := Open(instr.NewRegistry(), l.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	if g := again.Stats(); g.Events < f.Events-5 || g.Events > f.Events {
		t.Errorf("the next one keeps %d events of %d", g.Events, f.Events)
	}
}

// Whatever stands in a file, what is read of it can be written and read again.
func FuzzParseLog(f *testing.F) {
	f.Add("2026-11-21T21:01:16.506080Z 1 [System] [MY-010931] [Server] ready\n")
	f.Add("2026-11-21T21:01:16.506080+01:00 1 [ERROR] [MY-001815] [Server] panic\ngoroutine 1\n\n2026-11-21T21:01:16.5Z 2 [Note] [MY-010914] [InnoDB] x")
	f.Add("x\n2026-11-21T21:01:16.506080Z 1 [Fatal] [] [] \n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, e := range Parse(text) {
			if e.Prio != "System" && e.Prio != "Error" && e.Prio != "Warning" && e.Prio != "Note" {
				t.Fatalf("the priority is %q", e.Prio)
			}
			line := fmt.Sprintf("%s %d [%s] [%s] [%s] %s\n", e.Logged.Format(TimeFormat), e.ThreadID, strings.Replace(e.Prio, "Error", "ERROR", 1), e.ErrorCode, e.Subsystem, e.Data)
			again := Parse(line)
			if len(again) == 0 || again[0].ErrorCode != e.ErrorCode || again[0].Subsystem != e.Subsystem || again[0].Prio != e.Prio || !strings.HasPrefix(e.Data+"\n", again[0].Data) {
				t.Errorf("%q is read again as %+v", line, again)
			}
		}
	})
}
