package main

import (
	"bytes"
	"database/sql"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestHistoryOfARecording: what a reader has seen of a program that does not use pfsd is in a directory, and the next reader has it, too. Two
// at a time cannot have one directory.
func TestHistoryOfARecording(t *testing.T) {
	program, dir, kept := woven(t), t.TempDir(), t.TempDir()
	_, in, out := startProgram(t, program, dir)
	tested := self(t)
	args := []string{"attach", dir, "--port=0", "--history-dir=" + kept, "--history-buckets-interval=1", "--active-session-history-interval=100"}
	attached := func() (*process, *sql.DB) {
		t.Helper()
		p := start(t, exec.Command(tested, args...))
		db, err := sql.Open("mysql", "root@tcp(127.0.0.1:"+p.says(t, readyForConnections)+")/performance_schema")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return p, db
	}
	work := func() {
		t.Helper()
		if _, err := io.WriteString(in, "\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := out.ReadString('\n'); line != "again\n" {
			t.Fatalf("%q %v", line, err)
		}
	}
	const waits = "SELECT COUNT(*) > 0 FROM history.waits_by_event_name WHERE EVENT_NAME LIKE 'wait/%' AND COUNT_STAR > 0"
	first, db := attached()
	answers(t, db, "SELECT COUNT(DISTINCT THREAD_ID) FROM active_session_history WHERE NAME IN ('thread/go/main.pay', 'thread/go/main.ship')", "2")
	work()
	answers(t, db, waits, "1")
	_, rows, err := query(t.Context(), db, "SELECT MAX(SAMPLE_ID) FROM active_session_history")
	if err != nil {
		t.Fatal(err)
	}
	latest := rows[0][0]

	var refused bytes.Buffer
	second := exec.Command(tested, args...)
	second.Stderr = &refused
	want := "pfsd: cannot use --history-dir " + kept + ": process "
	if err := second.Run(); err == nil || !strings.Contains(refused.String(), want) {
		t.Errorf("a second reader: %v, %s, want %s", err, &refused, want)
	}
	if err := first.cmd.Process.Signal(os.Signal(syscall.SIGTERM)); err != nil {
		t.Fatal(err)
	}
	<-first.ended

	_, db = attached()
	answers(t, db, waits, "1")
	answers(t, db, "SELECT COUNT(DISTINCT THREAD_ID) FROM active_session_history WHERE NAME IN ('thread/go/main.pay', 'thread/go/main.ship') AND SAMPLE_ID <= "+latest, "2")
	work()
	answers(t, db, "SELECT COUNT(DISTINCT BOOT_ID) FROM history.waits_by_event_name", "2")
	answers(t, db, "SELECT MAX(SAMPLE_ID) > "+latest+", COUNT(DISTINCT SAMPLE_ID, THREAD_ID) = COUNT(*) FROM active_session_history", "1|1")
}
