package errorlog

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pfsd/instr"
)

// What a program logs is in the ring and the file, in the order and with the priority it had, and not in its own log again.
func TestProgramLog(t *testing.T) {
	for _, name := range []string{"", filepath.Join(t.TempDir(), "log")} {
		var lines, records bytes.Buffer
		l, err := Open(instr.NewRegistry(), name, Host{Lines: &lines, Records: slog.NewTextHandler(&records, nil)})
		if err != nil {
			t.Fatal(err)
		}
		verbosity := int64(2)
		l.Configure(func() (int64, bool) { return verbosity, false })
		log := slog.New(l.Handler())
		log.Info("not yet")
		verbosity = 3
		log.Debug("never")
		log.Info("it begins", "users", 3, "took", 2*time.Second)
		log.With("a", 1).WithGroup("g").With("b", 2).Warn("two\nlines", "c", slog.GroupValue(slog.Int("d", 4)), slog.Group("", slog.Int("e", 5)))
		log.Error("it fails", "err", errors.New("no more"), slog.Attr{})
		log.Log(t.Context(), slog.LevelError+4, "it ends")
		want := []string{
			"Note Program it begins users=3 took=2s",
			`Warning Program two\nlines a=1 g.b=2 g.c.d=4 g.e=5`,
			"Error Program it fails err=no more",
			"Error Program it ends",
		}
		var got []string
		rows := l.Rows(nil)
		for i, e := range rows {
			got = append(got, e.Prio+" "+e.Subsystem+" "+e.Data)
			if i > 0 && !e.Logged.After(rows[i-1].Logged) || e.ErrorCode != "MY-010000" {
				t.Errorf("row %d: %+v", i, e)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		if lines.Len()+records.Len() > 0 {
			t.Errorf("the program's own log has it again: %q %q", lines.String(), records.String())
		}
		if name != "" {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(text), "\n"); n != len(want) || !strings.Contains(string(text), " [ERROR] [MY-010000] [Program] it fails err=no more\n") {
				t.Errorf("the file has %q", text)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
