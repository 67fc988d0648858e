package main

import (
	"encoding/binary"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"pfsd/instr"
	"pfsd/instr/record"
	"pfsd/tables"
	"pfsd/tables/recorded"
)

// stuck starts testdata/stuck, with a recording in dir, to get stuck in a way. It returns when the program says that it is.
func stuck(t *testing.T, built, dir, way string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(built, way)
	startReady(t, cmd, dir, env...)
	return cmd
}

// written is the last moment that the program has written into the header of its recording, nanoseconds since the recording began.
func written(t *testing.T, path string) uint64 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var header [10]uint64
	if err := binary.Read(f, binary.LittleEndian, &header); err != nil {
		t.Fatal(err)
	}
	return header[9] - header[5]
}

// until asks again and again, for a minute at most.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within a minute", what)
		}
	}
}

// A program in which nothing happens any more is killed. The ages that are shown then are those at its end.
func TestRecordedAges(t *testing.T) {
	program, dir := wovenOf(t, "stuck"), t.TempDir()
	cmd := stuck(t, program, dir, "nothing")
	rec, err := record.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	waits := func(m tables.Model) (list [][2]uint64) { // threads, and for how long they have waited, picoseconds
		for _, row := range rows(t, m, "events_waits_current", "THREAD_ID", "TIMER_WAIT", "END_EVENT_ID", "EVENT_NAME") {
			f := strings.Fields(row)
			// Not in a function of the program, or the write that says that it is ready.
			if f[2] != "NULL" || !strings.Contains(f[3], "nothing") || strings.HasPrefix(f[3], "wait/io/file/") {
				continue
			}
			id, _ := strconv.ParseUint(f[0], 10, 64)
			age, err := strconv.ParseUint(f[1], 10, 64)
			if err != nil {
				t.Errorf("no age: %s", row)
			}
			list = append(list, [2]uint64{id, age})
		}
		return list
	}
	model := recorded.New(rec, tables.Of(instr.NewRegistry()))
	const all = 6 // two for mutexes, for a channel, in select, for a connection, and for a WaitGroup
	until(t, "all wait", func() bool { return len(waits(model)) == all })
	began := rec.Now()
	last, moments := uint64(0), 0
	until(t, "moments are written again and again", func() bool {
		if at := written(t, rec.Info().Path); at > last {
			last = at
			moments++
		}
		return moments > 4 && last > began+2e9
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	after := uint64(time.Since(rec.Info().Started))
	again, err := record.Find(rec.Info().Path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	list := waits(recorded.New(again, tables.Of(instr.NewRegistry())))
	if len(list) != all {
		t.Errorf("%d waits: %v", len(list), list)
	}
	for _, w := range list {
		if age := w[1] / 1000; age < last-began || age > after {
			t.Errorf("thread %d has waited for %s, not at least %s and at most %s", w[0], time.Duration(age), time.Duration(last-began), time.Duration(after))
		}
	}
}

// However a program ends, its recording knows when it has ended: here it has done nothing that is recorded before.
func TestRecordedEnds(t *testing.T) {
	built := wovenOf(t, "stuck")
	for _, way := range []string{"return", "exit", "panic", "memory", "fatal", "term", "quit", "exec"} {
		dir := t.TempDir()
		cmd := exec.Command(built, way)
		cmd.Env = append(os.Environ(), "PFSD_RECORD="+dir)
		_ = cmd.Run()
		rec, err := record.Find(dir)
		if err != nil {
			t.Fatal(err)
		}
		var last uint64
		for _, e := range rec.HistoryLong() {
			if all := rec.Classes(); all[e.Class].Kind == record.Sleep {
				last = max(last, e.End)
			}
		}
		if now := rec.Now(); last == 0 || now < last+400e6 {
			t.Errorf("%s: the end is at %s, and the last sleep has ended at %s", way, time.Duration(now), time.Duration(last))
		}
		_ = rec.Close()
	}
}
