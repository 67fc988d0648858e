package querylog

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pfsd/instr"
)

func newLogs(t *testing.T, dir string) (l *Logs, reported *[]error) {
	reported = new([]error)
	l = New(Server{
		Registry: instr.NewRegistry(), Join: func(p string) (string, bool) { return filepath.Join(dir, p), dir != "" },
		Header: func() string { return "header\n" }, Local: func() bool { return false }, Report: func(err error) { *reported = append(*reported, err) },
	})
	t.Cleanup(l.Close)
	return l, reported
}

func on(path string) Config {
	return Config{On: [kindCount]bool{true, true}, Path: [kindCount]string{path + "-slow.log", path + ".log"}, File: true, Table: true}
}

// The rows are the newest, and take no more memory than their limit, however long the texts are.
func TestRowsAreBounded(t *testing.T) {
	l, _ := newLogs(t, "")
	c := on("x")
	c.File = false
	l.Configure(c)
	long := strings.Repeat("x", 3*KeptText)
	const n = 3 * KeptBytes / KeptText
	for i := range n {
		l.General(&GeneralEntry{Connection: uint64(i), Argument: long})
	}
	rows := l.GeneralRows()
	if got, most := len(rows), KeptBytes/KeptText; got > most || got < most-2 || rows[got-1].Connection != n-1 || len(rows[0].Argument) != KeptText {
		t.Errorf("%d rows of %d bytes, the last is of %d", got, len(rows[0].Argument), rows[got-1].Connection)
	}
	for i := range 2 * KeptBytes / rowBytes {
		l.Slow(&SlowEntry{Connection: uint64(i)})
	}
	if got := len(l.SlowRows()); got != KeptBytes/rowBytes {
		t.Errorf("%d empty rows", got)
	}
	l.Truncate(Slow)
	if len(l.SlowRows()) != 0 || len(l.GeneralRows()) == 0 {
		t.Errorf("TRUNCATE leaves %d, and %d of the other", len(l.SlowRows()), len(l.GeneralRows()))
	}
}

// A log that goes nowhere is not wanted; what cannot be opened is reported, and written where it can be.
func TestConfigure(t *testing.T) {
	var none *Logs
	if none.Wants(Slow) {
		t.Error("no logs want something")
	}
	l, reported := newLogs(t, "")
	if l.Wants(Slow) || l.Wants(General) {
		t.Error("it is on")
	}
	l.Configure(on("relative"))
	if len(*reported) != 2 || !l.Wants(Slow) {
		t.Errorf("without a directory: %v", *reported)
	}
	l.Slow(&SlowEntry{Text: "SELECT 1"})
	if len(l.SlowRows()) != 1 {
		t.Error("the table has no row")
	}
	c := on("relative")
	c.File, c.Table = false, false
	l.Configure(c)
	if l.Wants(Slow) {
		t.Error("it goes nowhere, and is wanted")
	}
}

// Entries of many goroutines stand whole in the file, also while it is opened anew and the settings change.
func TestConcurrentEntries(t *testing.T) {
	dir := t.TempDir()
	l, reported := newLogs(t, dir)
	l.Configure(on("a"))
	var all sync.WaitGroup
	const writers, each = 8, 200
	for range writers {
		all.Go(func() {
			for range each {
				l.General(&GeneralEntry{Time: time.Unix(0, 0), Command: "Query", Argument: "SELECT 'one'"})
				l.Slow(&SlowEntry{Start: time.Unix(0, 0), Text: "SELECT 'two'"})
			}
		})
	}
	all.Go(func() {
		for range 50 {
			l.Reopen(General)
			l.Reopen(Slow)
			l.Wants(Slow)
		}
	})
	all.Wait()
	if err := errors.Join(*reported...); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "a.log"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "1970-01-01T00:00:00.000000Z\t    0 Query\tSELECT 'one'\n"); n != writers*each {
		t.Errorf("%d whole entries of %d", n, writers*each)
	}
	if text, err = os.ReadFile(filepath.Join(dir, "a-slow.log")); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "SET timestamp=0;\nSELECT 'two';\n"); n != writers*each {
		t.Errorf("%d whole slow entries of %d", n, writers*each)
	}
}
