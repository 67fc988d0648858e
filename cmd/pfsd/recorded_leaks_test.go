package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pfsd/instr"
	"pfsd/instr/record"
	"pfsd/tables"
	"pfsd/tables/recorded"
)

// Goroutines that are left behind are a group that only grows, with the lines where they were started and where they wait. How a group has changed is known
// between the times that somebody looked, and of a program that had ended by then it is not.
func TestRecordedLeaks(t *testing.T) {
	built, dir := wovenOf(t, "leaks"), t.TempDir()
	text, err := os.ReadFile(filepath.Join(filepath.Dir(built), "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	line := func(code string) string {
		before, _, _ := strings.Cut(string(text), code)
		return fmt.Sprintf("main.go:%d", strings.Count(before, "\n")+1)
	}
	cmd := exec.Command(built)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out := startReady(t, cmd, dir)
	rec, model := recordingIn(t, dir)
	groups := func(m tables.Model) (all []string) {
		for _, row := range rows(t, m, "goroutine_groups", "CREATED_AT", "SOURCE", "WAIT_REASON", "GOROUTINES", "GROWN", "SHRUNK") {
			if strings.HasPrefix(row, "main.go:") {
				all = append(all, row)
			}
		}
		slices.Sort(all)
		return all
	}
	leave := func(n, waiting int) {
		t.Helper()
		fmt.Fprintln(in, n)
		if s, err := out.ReadString('\n'); s != "done\n" {
			t.Fatalf("%q, %v", s, err)
		}
		until(t, "they wait", func() bool {
			n := 0
			for _, g := range model.Goroutines() {
				if g.State == "waiting" && strings.HasPrefix(g.Created, "main.go:") {
					n++
				}
			}
			return n == waiting
		})
	}
	asked := line("go ask(") + " " + line("answer <- 1") + " chan send "
	pool := line("go worker(") + " " + line("for range tasks") + " chan receive "
	want := func(m tables.Model, rows ...string) {
		t.Helper()
		if got := groups(m); !slices.Equal(got, rows) {
			t.Errorf("%q, want %q", got, rows)
		}
	}
	leave(2, 5)
	want(model, pool+"3 NULL NULL", asked+"2 NULL NULL")
	leave(5, 10)
	want(model, pool+"3 0 NO", asked+"7 5 NO")
	leave(0, 7)
	want(model, asked+"7 5 NO")
	leave(1, 8)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for range 2 {
		want(model, asked+"8 6 NO")
	}
	after, err := record.Open(rec.Info().Path)
	if err != nil {
		t.Fatal(err)
	}
	defer after.Close()
	for range 2 {
		want(recorded.New(after, tables.Of(instr.NewRegistry())), asked+"8 NULL NULL")
	}
	for _, row := range rows(t, model, "goroutine_groups", "TIMER_OLDEST", "CREATED_AT") {
		if strings.HasPrefix(row, "0 main.go") || strings.HasPrefix(row, "NULL main.go") {
			t.Errorf("the oldest has waited %s", row)
		}
	}
}
