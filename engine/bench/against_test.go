package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A cost that is a tenth dearer is seen among noise, one that is not is let be, and one that may be dearer is named.
func TestAgainst(t *testing.T) {
	for _, x := range []struct {
		name    string
		rises   float64
		verdict string
	}{{"same", 1, isSame}, {"dearer", 1.1, isDearer}, {"allowed", 1.1, isAllowed}, {"cheaper", 0.9, isCheaper}} {
		n := 0
		c := cost{name: x.name, unit: "ns", slice: func(s *side) (map[string]float64, error) {
			n++
			took := 100 + float64(n*7%5) // noise of some percent
			if s.name == "head" {
				took *= x.rises
			}
			return map[string]float64{"": took, s.name: 1}, nil
		}}
		all, err := c.compare([2]*side{{name: "base"}, {name: "head"}}, 60)
		if err != nil || len(all) != 1 { // what one side alone has is not compared
			t.Fatalf("%s: %v, %v", x.name, all, err)
		}
		if got := all[0].verdict(map[string]bool{"allowed": true}); got != x.verdict || n != 120 {
			t.Errorf("%s: %q after %d slices, %+v", x.name, got, n, all[0])
		}
	}
}

func TestAllowedHaveReasons(t *testing.T) {
	if _, err := readAllowed("../../testdata/bench/allowed.tsv"); err != nil {
		t.Error(err)
	}
	path := filepath.Join(t.TempDir(), "allowed.tsv")
	if err := os.WriteFile(path, []byte("# of these\nstatement: x\twhy\nstatement: y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readAllowed(path); err == nil {
		t.Error("a cost without a reason is taken")
	}
}
