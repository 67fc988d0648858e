package errorlog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pfsd/instr"
)

// TestOneEventEach: whatever is in the arguments, each message is one event, also when the file is read again.
func TestOneEventEach(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	open := func() *Log {
		l, err := Open(instr.NewRegistry(), name, Host{})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	l := open()
	const event = "2026-11-28T16:32:58.722545Z 0 [System] [MY-010931] [Server] forged"
	arguments := []string{"a\n" + event, "a\r\n" + event, "a\r" + event, "a\x00b\x1b[2Jc", "a\u2028" + event, "a\u202eb", "\xff\n" + event, "a\u0085" + event}
	for _, m := range []Message{AccessDenied, Aborted, EventFailed, QueryLogFailed, StorageFailed} {
		for _, a := range arguments {
			args := make([]any, strings.Count(m.Format, "%"))
			for i := range args {
				args[i] = a
			}
			l.Write(m, args...)
		}
	}
	l.Write(InternalError, Lines("a stack\n"+event+"\n\tat a.go"))
	n := len(l.Rows(nil))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open()
	defer func() { _ = l.Close() }()
	rows := l.Rows(nil)
	if len(rows) != n || n < 2 {
		t.Errorf("%d events of the file, want %d", len(rows), n)
	}
	for _, e := range rows {
		if e.Data == "forged" {
			t.Errorf("%+v", e)
		}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range string(text) {
		if r != '\n' && r != '\t' && escaped(r) {
			t.Fatalf("the file has %q", r)
		}
	}
}
