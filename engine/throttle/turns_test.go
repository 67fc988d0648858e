package throttle

import (
	"context"
	"fmt"
	"runtime"
	"testing"
)

// testPlaces and testQueue are the places of the Turns of tests, and how many may wait for them.
const testPlaces, testQueue = 12, 200

// ask has an attempt wait for its turn, and returns what says whether it has got it.
func (t *Turns) ask(ctx context.Context, name string) chan bool {
	got := make(chan bool, 1)
	count := func() int {
		t.mu.Lock()
		defer t.mu.Unlock()
		if q := t.of(name); q != nil {
			return len(q.waiting)
		}
		return 0
	}
	before := count()
	go func() { got <- t.Take(ctx, name) }()
	for {
		if n := count(); n > before || len(got) > 0 {
			return got
		}
		runtime.Gosched()
	}
}

// However many attempts there are with other names, an attempt has the next turn but one for each name, and names are not kept.
func TestTurns(t *testing.T) {
	ctx := t.Context()
	for _, c := range []struct {
		name   string
		others func(i int) string
		want   int // turns before it has its own
	}{
		{"one name", func(int) string { return "a" }, 2},
		{"three names", func(i int) string { return fmt.Sprint(i % 3) }, 4},
		{"24 names", func(i int) string { return fmt.Sprint(i) }, 25},
		{"its own name", func(int) string { return "root" }, 25},
	} {
		all := NewTurns(testPlaces, testQueue)
		for range testPlaces {
			if !all.Take(ctx, c.others(0)) {
				t.Fatal("no turn")
			}
		}
		var others []chan bool
		for i := range 24 {
			others = append(others, all.ask(ctx, c.others(i)))
		}
		mine := all.ask(ctx, "root")
		got := 0
		for waits := true; waits; {
			if got++; got > 25 {
				t.Fatalf("%s: it has no turn", c.name)
			}
			all.Give()
			all.mu.Lock()
			waits = all.of("root") != nil // the last of its name
			all.mu.Unlock()
		}
		if got != c.want || !<-mine {
			t.Errorf("%s: it has turn %d, want %d", c.name, got, c.want)
		}
		for all.taken > 0 {
			all.Give()
		}
		for _, o := range others {
			<-o
		}
		if all.queued != 0 || len(all.names) != 0 {
			t.Errorf("%s: %d wait", c.name, all.queued)
		}
	}
}

// What waits is bounded: a name with many gives way to one with few, and who goes away leaves nothing.
func TestTurnsAreBounded(t *testing.T) {
	all := NewTurns(testPlaces, testQueue)
	for range testPlaces {
		all.Take(t.Context(), "a")
	}
	ctx, leave := context.WithCancel(t.Context())
	var many []chan bool
	for range testQueue {
		many = append(many, all.ask(ctx, "a"))
	}
	if all.Take(ctx, "a") {
		t.Error("too many wait")
	}
	other := all.ask(ctx, "b")
	if last := <-many[testQueue-1]; last || all.queued != testQueue {
		t.Errorf("the last one: %v, %d wait", last, all.queued)
	}
	all.Give()
	all.Give()
	if !<-other {
		t.Error("the other name has no turn")
	}
	leave()
	for _, m := range many[:testQueue-1] {
		<-m
	}
	for all.taken > 0 {
		all.Give()
	}
	if all.queued != 0 || len(all.names) != 0 {
		t.Errorf("%d wait", all.queued)
	}
}
