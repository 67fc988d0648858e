package querylog

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// keepingLogs are logs whose rows alone are written, in a directory.
func keepingLogs(t *testing.T, dir string) (l *Logs, reported *[]error) {
	l, reported = newLogs(t, dir)
	c := on("x")
	c.File = false
	l.Configure(c)
	return l, reported
}

// What the tables of the logs have survives a restart, byte by byte; TRUNCATE drops it for good.
func TestRowsAreKept(t *testing.T) {
	dir, at := t.TempDir(), time.Date(2026, 11, 26, 3, 12, 0, 123456000, time.UTC)
	slow := SlowEntry{Start: at, Query: time.Second, Lock: 5, Account: "a", User: "u", Host: "h", Connection: 7, Schema: "d", RowsSent: 1, Text: "SELECT '\xff\n'", Extra: &SlowExtra{Errno: 3}}
	general := GeneralEntry{Time: at, User: "u", Command: "Query", Argument: "\x00\xfe"}
	l, _ := keepingLogs(t, dir)
	l.Slow(&slow)
	l.General(&general)
	l.Close()
	again, reported := keepingLogs(t, dir)
	again.Slow(&SlowEntry{Connection: 8})
	if got := again.SlowRows(); len(got) != 2 || !reflect.DeepEqual(*got[0], slow) || got[1].Connection != 8 {
		t.Errorf("the slow log has %+v", got)
	}
	if got := again.GeneralRows(); len(got) != 1 || !reflect.DeepEqual(*got[0], general) {
		t.Errorf("the general log has %+v", got)
	}
	again.Truncate(Slow)
	again.Close()
	last, _ := keepingLogs(t, dir)
	if got := last.SlowRows(); len(got) != 0 {
		t.Errorf("after TRUNCATE the slow log has %+v", got)
	}
	if len(*reported) != 0 {
		t.Error(*reported)
	}
}

// A line that was being written when the server was killed is left out and reported, once, and its file goes on with the next line.
func TestHalfARowIsLeftOut(t *testing.T) {
	dir := t.TempDir()
	l, _ := keepingLogs(t, dir)
	for i := range 3 {
		l.General(&GeneralEntry{Connection: uint64(i)})
	}
	l.Close()
	path := filepath.Join(dir, rowFiles[General])
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		complete := strings.Count(string(whole[:n]), "\n")
		again, reported := keepingLogs(t, dir)
		again.General(&GeneralEntry{Connection: 9})
		again.Close()
		last, after := keepingLogs(t, dir)
		got := last.GeneralRows()
		last.Close()
		if len(got) < complete+1 || len(got) > complete+2 || got[len(got)-1].Connection != 9 || len(*after) != 0 {
			t.Fatalf("of %q there are %d rows, and %v", whole[:n], len(got), *after)
		}
		lost := n > 0 && whole[n-1] != '\n' && len(got) == complete+1
		if lost != (len(*reported) == 1) || lost && !strings.Contains((*reported)[0].Error(), path) {
			t.Fatalf("of %q there are %d rows, and %v", whole[:n], len(got), *reported)
		}
	}
}

// Whatever is changed in the file, each row is there as it was or is reported, with the file.
func TestDamagedRows(t *testing.T) {
	dir := t.TempDir()
	l, _ := keepingLogs(t, dir)
	want := map[string]bool{}
	for i := range 20 {
		e := GeneralEntry{Connection: uint64(i), User: "u", Command: "Query", Argument: strings.Repeat("SELECT 1\n", i)}
		l.General(&e)
		want[fmt.Sprintf("%+v", e)] = true
	}
	l.Close()
	path := filepath.Join(dir, rowFiles[General])
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 400 {
		text, at := bytes.Clone(whole), random.IntN(len(whole))
		what := ""
		switch round % 4 {
		case 0:
			what = "flipped"
			text[at] ^= 1 << random.IntN(8)
		case 1:
			what = "cut out"
			text = slices.Delete(text, at, min(at+1+random.IntN(300), len(text)))
		case 2:
			what = "put in"
			garbage := make([]byte, 1+random.IntN(2*longestLine))
			for i := range garbage {
				garbage[i] = byte(random.Uint32())
			}
			text = slices.Insert(text, at, garbage...)
		case 3:
			what = "zeros"
			clear(text[at:min(at+4096, len(text))])
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		again, reported := keepingLogs(t, dir)
		rows := again.GeneralRows()
		again.Close()
		for _, r := range rows {
			if !want[fmt.Sprintf("%+v", *r)] {
				t.Fatalf("%s at %d: there is a row %.200q", what, at, fmt.Sprintf("%+v", *r))
			}
		}
		boundary := what == "cut out" && at > 0 && whole[at-1] == '\n' && (len(text) == at || text[at-1] == '\n')
		if len(rows) != len(want) && !boundary && (len(*reported) != 1 || !strings.Contains((*reported)[0].Error(), path)) {
			t.Fatalf("%s at %d: %d rows, and %v", what, at, len(rows), *reported)
		}
	}
}

// The file is no larger than twice what is kept, and what cannot be written is in memory alone, and reported.
func TestRowFilesAreBounded(t *testing.T) {
	dir := t.TempDir()
	l, reported := keepingLogs(t, dir)
	long := strings.Repeat("x", KeptText)
	for range 3 * KeptBytes / KeptText {
		l.General(&GeneralEntry{Argument: long})
	}
	info, err := os.Stat(filepath.Join(dir, rowFiles[General]))
	if err != nil || info.Size() > 2*KeptBytes+2*KeptText {
		t.Errorf("the file has %v bytes, %v", info, err)
	}
	if len(l.GeneralRows()) < KeptBytes/KeptText-2 || len(*reported) != 0 {
		t.Errorf("%d rows, %v", len(l.GeneralRows()), *reported)
	}
	elsewhere, reported := keepingLogs(t, filepath.Join(dir, "nowhere"))
	elsewhere.Slow(&SlowEntry{})
	if len(elsewhere.SlowRows()) != 1 || len(*reported) != 1 || !errors.Is((*reported)[0], os.ErrNotExist) {
		t.Errorf("%d rows, %v", len(elsewhere.SlowRows()), *reported)
	}
}

func FuzzRows(f *testing.F) {
	f.Add([]byte(`{"Connection":1,"Text":"YQ=="}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		for k := range kindCount {
			if entry, _ := decode(k, line); entry != nil {
				if again, _ := decode(k, bytes.TrimSuffix(encode(entry), []byte{'\n'})); !reflect.DeepEqual(again, entry) {
					t.Errorf("%s becomes %+v", line, again)
				}
			}
		}
	})
}
