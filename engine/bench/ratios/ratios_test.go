package ratios

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func names(rows []Row) (all []string) {
	for _, r := range rows {
		all = append(all, r.Name)
	}
	return all
}

// TestCompare: a figure that is worse by more than its margin is reported, and does not change the
// file. A better figure changes it. Small losses do not add up. A figure that is missing or was not
// measured stays.
func TestCompare(t *testing.T) {
	row := func(name string, value float64) Row {
		return Row{Name: name, Value: value, Unit: "times plain", Margin: 0.2, Budget: -1}
	}
	file := []Row{row("same", 1), row("a bit worse", 1), row("worse", 1), row("better", 1), row("no peer", 1), row("not measured", 1)}
	near := Row{Name: "near zero", Value: 0, Slack: 0.5, Budget: -1}
	file = append(file, near)
	near.Value = 0.4
	missing := row("no peer", 0)
	missing.Missing = true
	never := row("never", 0)
	never.Missing = true
	next, worse, gone := Compare(file, []Row{row("same", 1), row("a bit worse", 1.19), row("worse", 1.21), row("better", 0.5), missing, row("new", 7), near, never})
	if got := names(worse); !slices.Equal(got, []string{"worse"}) {
		t.Errorf("worse are %q", got)
	}
	if got := names(gone); !slices.Equal(got, []string{"not measured"}) {
		t.Errorf("gone are %q", got)
	}
	want := map[string]float64{"same": 1, "a bit worse": 1, "worse": 1, "better": 0.5, "no peer": 1, "not measured": 1, "near zero": 0, "new": 7}
	if len(next) != len(want) {
		t.Errorf("the file has %q", names(next))
	}
	for _, r := range next {
		if r.Value != want[r.Name] || r.Missing {
			t.Errorf("%s is %v, want %v", r.Name, r.Value, want[r.Name])
		}
	}
	near.Value = 0.51
	if _, worse, _ := Compare(file, []Row{near}); len(worse) != 1 {
		t.Error("a figure that exceeds its slack is not reported as worse")
	}
}

// A figure of one processor is not compared with one of another.
func TestProcessors(t *testing.T) {
	on := func(processor, name string, value float64) Row {
		return Row{Name: name, Value: value, Budget: -1, Processor: processor}
	}
	file := []Row{on("a", "lock", 1), on("a", "read", 1), on("b", "lock", 9), on("", "bytes", 1)}
	next, worse, gone := Compare(file, []Row{on("b", "lock", 8), on("c", "lock", 30), on("", "bytes", 1)})
	if len(worse) != 0 || len(gone) != 0 {
		t.Errorf("worse are %q, gone %q", names(worse), names(gone))
	}
	want := []Row{on("a", "lock", 1), on("a", "read", 1), on("b", "lock", 8), on("", "bytes", 1), on("c", "lock", 30)}
	if !slices.Equal(next, want) {
		t.Errorf("the file has %v, want %v", next, want)
	}
	if _, worse, gone = Compare(file, []Row{on("a", "lock", 2), on("", "bytes", 1)}); len(worse) != 1 || len(gone) != 1 {
		t.Errorf("worse are %q, gone %q, want one each", names(worse), names(gone))
	}
}

func TestBetter(t *testing.T) {
	got := Better([]Row{{Name: "a", Value: 2}, {Name: "b", Value: 1}, {Name: "c", Missing: true}}, []Row{{Name: "a", Value: 1}, {Name: "b", Value: 3}, {Name: "c", Value: 4}})
	if got[0].Value != 1 || got[1].Value != 1 || got[2].Value != 4 || got[2].Missing {
		t.Errorf("got %v", got)
	}
}

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ratios.tsv")
	if rows, err := Read(path); rows != nil || err != nil {
		t.Errorf("no file: %v, %v", rows, err)
	}
	want := []Row{{"a b", 1.5, "times plain", 0.25, 0, 2, "AMD 25/1", false}, {"c", 0, "KiB", 0.1, 0.5, -1, "", false}}
	if err := Write(path, want); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(path); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for _, bad := range []string{"a\t1", "a\tx\tKiB\t0\t0\t\t", "a\t1\tKiB\t0\t0\tx\t"} {
		if err := os.WriteFile(path, []byte(head+"\n"+bad+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), ":2:") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestTheFile: the file of the repository can be read, and has each figure once for a processor.
func TestTheFile(t *testing.T) {
	rows, err := Read("../../../testdata/bench/ratios.tsv")
	if err != nil || len(rows) == 0 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	seen := map[[2]string]bool{}
	for _, r := range rows {
		if of := [2]string{r.Name, r.Processor}; seen[of] {
			t.Errorf("two rows of %q", of)
		} else {
			seen[of] = true
		}
		if r.Margin <= 0 && r.Slack <= 0 {
			t.Errorf("%s has neither a margin nor a slack: chance would make it worse", r.Name)
		}
	}
}
