package errorlog

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"pfsd/instr"
)

// The ring holds the last events, no two of a moment, within its size.
func TestErrorLogRing(t *testing.T) {
	l, err := Open(instr.NewRegistry(), filepath.Join(t.TempDir(), "log"), Host{})
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
	again, err := Open(instr.NewRegistry(), l.Path, Host{})
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
		for _, e := range parseEvents(text) {
			if e.Prio != "System" && e.Prio != "Error" && e.Prio != "Warning" && e.Prio != "Note" {
				t.Fatalf("the priority is %q", e.Prio)
			}
			line := fmt.Sprintf("%s %d [%s] [%s] [%s] %s\n", e.Logged.Format(TimeFormat), e.ThreadID, strings.Replace(e.Prio, "Error", "ERROR", 1), e.ErrorCode, e.Subsystem, e.Data)
			again := parseEvents(line)
			if len(again) == 0 || again[0].ErrorCode != e.ErrorCode || again[0].Subsystem != e.Subsystem || again[0].Prio != e.Prio || !strings.HasPrefix(e.Data+"\n", again[0].Data) {
				t.Errorf("%q is read again as %+v", line, again)
			}
		}
	})
}

// badHost panics whenever the log calls it.
type badHost struct{ slog.Handler }

func (badHost) Write([]byte) (int, error)                 { panic("lines") }
func (badHost) Enabled(context.Context, slog.Level) bool  { return true }
func (badHost) Handle(context.Context, slog.Record) error { panic("records") }

// The host gets lines and records, and what goes wrong there is its own affair.
func TestHost(t *testing.T) {
	var lines, records bytes.Buffer
	l, err := Open(instr.NewRegistry(), "", Host{Lines: &lines, Records: slog.NewJSONHandler(&records, nil)})
	if err != nil {
		t.Fatal(err)
	}
	l.Write(Message{Code: 10000, Priority: Warning, Format: "it is %s"}, "late")
	if got := lines.String(); !strings.HasSuffix(got, " [Warning] [MY-010000] [Server] it is late\n") {
		t.Errorf("lines: %q", got)
	}
	if got := records.String(); !strings.Contains(got, `"level":"WARN","msg":"it is late","thread":0,"code":"MY-010000","subsystem":"Server"`) {
		t.Errorf("records: %q", got)
	}
	for _, host := range []Host{{}, {Lines: badHost{}, Records: badHost{}}} {
		if l, err = Open(instr.NewRegistry(), "", host); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			l.Write(Message{Code: 10000, Priority: System, Format: "again"})
		}
		if rows := l.Rows(nil); len(rows) != 2 || rows[1].Data != "again" {
			t.Errorf("%+v", rows)
		}
	}
}
