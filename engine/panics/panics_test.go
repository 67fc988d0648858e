package panics

import (
	"strings"
	"testing"
)

// panicsAgain recovers a panic and panics with it again, as the SQL engine's planner does.
func panicsAgain(do func()) {
	defer func() {
		if p := recover(); p != nil {
			panic(p)
		}
	}()
	do()
}

// A panic is counted where it has begun, whoever has had it in between.
func TestPanicsAreCountedWhereTheyBegin(t *testing.T) {
	var c Caught
	guarded := func(do func()) (report string) {
		defer func() { report = c.Report(recover(), "SELECT 1") }()
		panicsAgain(func() { panicsAgain(do) })
		return ""
	}
	var none []int
	one := func() { panic("one") }
	other := func() { _ = none[len(none)] }
	for i, do := range []func(){one, other} {
		if report := guarded(do); !strings.Contains(report, "goroutine ") {
			t.Errorf("place %d: no stack in %q", i, report)
		}
	}
	if report := guarded(one); !strings.Contains(report, "for the 2th time") || strings.Contains(report, "goroutine ") {
		t.Errorf("the first place again: %q", report)
	}
	if len(c.count) != 2 {
		t.Errorf("places: %v", c.count)
	}
}
