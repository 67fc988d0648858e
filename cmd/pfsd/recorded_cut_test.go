package main

import (
	"bufio"
	"database/sql"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pfsd/instr"
	"pfsd/instr/record"
	"pfsd/tables"
	"pfsd/tables/recorded"
)

// While a program records, its file grows. At no moment is the file taken for one that was cut, by readers that have it open, by those that
// open it, and after the program was killed.
func TestRecordedWhileItGrows(t *testing.T) {
	built, rnd := wovenOf(t, "growing"), rand.New(rand.NewPCG(1, 2))
	for round := range 12 {
		dir := t.TempDir()
		cmd := exec.Command(built)
		cmd.Env = append(os.Environ(), "PFSD_RECORD="+dir)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ready := make(chan error, 1)
		go func() {
			_, err := bufio.NewReader(out).ReadString('\n')
			ready <- err
		}()
		// One opens it as often as it can, to meet the moments at which it grows.
		var stop atomic.Bool
		var opening sync.WaitGroup
		opening.Go(func() {
			var found []string
			for !stop.Load() {
				if found == nil {
					found, _ = filepath.Glob(filepath.Join(dir, "pfsd.*"))
					continue
				}
				r, err := record.Open(found[0])
				switch {
				case err == nil:
					_ = r.Close()
				case !errors.Is(err, record.ErrNotARecording): // it is not ready yet
					t.Errorf("round %d: %v", round, err)
					return
				}
			}
		})
		var first *record.Recording
		// Some are killed after so many openings, the last one when it no longer grows.
		grown, readings := false, 0
		for n, kill := 0, rnd.IntN(400); !grown && (n < kill || round == 11); n++ {
			readings = n
			list, refused, err := record.List(dir)
			for _, err := range append(refused, err) {
				if err != nil {
					t.Errorf("round %d: %v", round, err)
				}
			}
			for _, r := range list {
				r.Threads()
				r.StatementsLong()
				if err := r.Err(); err != nil {
					t.Errorf("round %d: %v", round, err)
				}
				if first == nil {
					first = r
					continue
				}
				_ = r.Close()
			}
			if first != nil && n%16 == 0 {
				first.Locks()
			}
			select {
			case err := <-ready:
				if err != nil {
					t.Fatal(err)
				}
				grown = true
			default:
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if t.Logf("round %d: %d readings, grown %v", round, readings, grown); !grown {
			<-ready
		}
		_ = cmd.Wait()
		stop.Store(true)
		opening.Wait()
		if first == nil { // killed before
			continue
		}
		first.Locks()
		if err := first.Err(); err != nil {
			t.Errorf("round %d: after its end %v", round, err)
		}
		path := first.Info().Path
		_ = first.Close()
		r, err := record.Open(path)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		r.Locks()
		for _, th := range r.Threads() {
			r.Work(th)
			r.Statements(th)
			r.ThreadWaits(th)
		}
		if err := r.Err(); err != nil {
			t.Errorf("round %d: %v", round, err)
		}
		_ = r.Close()
		size := sizeOf(t, path)
		cuts := []int64{size / 2, size / 8}
		if grown {
			cuts = []int64{size - 1, size - 4096, size / 2}
		}
		for _, cut := range cuts {
			if err := os.Truncate(path, cut); err != nil {
				t.Fatal(err)
			}
			if _, err := record.Open(path); !errors.Is(err, record.ErrCut) {
				t.Errorf("round %d: %d of %d bytes are there: %v", round, cut, size, err)
			}
		}
	}
}

func sizeOf(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// A recording that is cut while it is shown is refused from then on, with the name of its file: by statements, by attach and by ps.
func TestCutOfARecording(t *testing.T) {
	program, dir := woven(t), t.TempDir()
	cmd, _, _ := startProgram(t, program, dir)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	rec, err := record.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	path := rec.Info().Path
	tested := self(t)
	p := start(t, exec.Command(tested, "attach", dir, "--port=0", "--history-dir="+t.TempDir(), "--active-session-history-interval=100"))
	db, err := sql.Open("mysql", "root@tcp(127.0.0.1:"+p.says(t, readyForConnections)+")/performance_schema")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	statements := []string{
		"SELECT COUNT(*) > 0 FROM threads", "SELECT NAME IS NOT NULL FROM threads ORDER BY NAME LIMIT 1", "SELECT 1 FROM events_waits_history_long LIMIT 1",
		"SELECT COUNT(*) > 0 FROM mutex_instances m JOIN threads t ON m.LOCKED_BY_THREAD_ID = t.THREAD_ID", "SELECT COUNT(*) > 0 FROM sys.deadlocks",
	}
	for _, q := range statements {
		answers(t, db, q, "1")
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	size := int64(len(whole))
	if err := os.Truncate(path, 8192); err != nil {
		t.Fatal(err)
	}
	for _, q := range append(statements, "UPDATE setup_instruments SET ENABLED = 'NO' WHERE NAME LIKE 'wait/synch/mutex/%'") {
		if _, _, err := query(t.Context(), db, q); err == nil || !strings.HasPrefix(err.Error(), "Error 1030 (HY000): ") || !strings.Contains(err.Error(), path+": ") {
			t.Errorf("%s: %v", q, err)
		}
	}
	if now := sizeOf(t, path); now != 8192 {
		t.Errorf("the file has grown to %d bytes", now)
	}
	m := recorded.New(rec, tables.Of(instr.NewRegistry()))
	rows(t, m, "threads", "NAME")
	if err := m.Err(); !errors.Is(err, tables.ErrNotRead) || !errors.Is(err, record.ErrCut) {
		t.Errorf("the model: %v", err)
	}
	for _, args := range [][]string{{"attach", path}, {"attach", dir}, {"ps", dir}} {
		out, err := exec.Command(tested, args...).CombinedOutput()
		if want := "pfsd: " + path + ": a recording whose file was cut: 8192 of at least "; !strings.Contains(string(out), want) || err == nil != (args[0] == "ps") {
			t.Errorf("%v: %v, %s", args, err, out)
		}
	}
	// A copy that broke off.
	half := filepath.Join(t.TempDir(), filepath.Base(path))
	if err := os.WriteFile(half, whole[:size-1], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := record.Open(half); !errors.Is(err, record.ErrCut) || !strings.HasPrefix(err.Error(), half+": ") {
		t.Errorf("a copy without its last byte: %v", err)
	}
}
