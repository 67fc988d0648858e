package instr

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"
)

// waitsFor blocks until c is closed.
func waitsFor(c chan int) { <-c }

// leak starts a goroutine that nothing can ever wake.
func leak() { go waitsFor(make(chan int)) }

// The runtime finds a goroutine that nothing can wake, and not one that waits for something. make leaks has a runtime that can.
func TestGoroutineLeaks(t *testing.T) {
	reg := NewRegistry()
	if pprof.Lookup("goroutineleak") == nil {
		if all := reg.Reader().GoroutineLeaks(); all != nil {
			t.Errorf("%d leaks without a profile of them", len(all))
		}
		return
	}
	stop := make(chan int)
	defer close(stop)
	go waitsFor(stop)
	leak()
	var found []Goroutine
	eventually(t, "the leak", func() bool {
		found = slices.DeleteFunc(reg.Reader().GoroutineLeaks(), func(g Goroutine) bool { return g.Function != "pfsd/instr.waitsFor" })
		return len(found) > 0
	})
	if g := found[0]; len(found) != 1 || g.Creator != "pfsd/instr.leak" || g.WaitReason != "chan receive" || g.State != "waiting" {
		t.Errorf("%+v", found)
	}
	runtime.KeepAlive(stop)
}

func TestGoroutines(t *testing.T) {
	reg := NewRegistry()
	stop := make(chan int)
	defer close(stop)
	_, _, line, _ := runtime.Caller(0)
	go waitsFor(stop)
	go func() {
		runtime.LockOSThread()
		defer reg.Attach("test/g").Detach()
		<-stop
	}()
	pprof.Do(context.Background(), pprof.Labels("k", "v", "a", `b "c"`), func(context.Context) {
		go func() { <-stop }()
	})
	find := func(which func(*Goroutine) bool) (found Goroutine) {
		t.Helper()
		eventually(t, "the goroutines", func() bool {
			all := reg.Reader().Goroutines()
			i := slices.IndexFunc(all, func(g Goroutine) bool { return g.Created != "" && which(&g) && g.WaitReason == "chan receive" })
			if i >= 0 {
				found = all[i]
			}
			return i >= 0
		})
		return found
	}
	at := func(after int) func(*Goroutine) bool {
		return func(g *Goroutine) bool { return g.Created == fmt.Sprintf("goroutines_test.go:%d", line+after) }
	}
	g := find(at(1))
	if g.ID == 0 || g.State != "waiting" || g.Function != "pfsd/instr.waitsFor" || g.StartFunction != "pfsd/instr.waitsFor" || g.ThreadID != 0 ||
		g.Parent != stackGoid() || g.Creator != "pfsd/instr.TestGoroutines" || !g.Since.IsZero() || g.Labels != "" || g.LockedToThread {
		t.Errorf("%+v", g)
	}
	if !strings.HasPrefix(g.Source, "goroutines_test.go:") || !strings.Contains(g.Stack, "waitsFor") {
		t.Errorf("at %s: %s", g.Source, g.Stack)
	}
	if g = find(at(2)); !g.LockedToThread || g.ThreadID == 0 || g.ThreadID != reg.Reader().ThreadByGoroutine(g.ID).ID() {
		t.Errorf("%+v", g)
	}
	if g = find(func(g *Goroutine) bool { return strings.HasPrefix(g.Creator, "pfsd/instr.TestGoroutines.func") }); g.Labels != `{"a":"b \"c\"", "k":"v"}` {
		t.Errorf("labels %s of %+v", g.Labels, g)
	}
	all := reg.Reader().Goroutines()
	if i := slices.IndexFunc(all, func(g Goroutine) bool { return g.ID == stackGoid() }); i < 0 || all[i].State != "running" {
		t.Errorf("this goroutine is not among %+v", all)
	}
}

// The forms of traces, as the runtime prints them.
func TestParseGoroutines(t *testing.T) {
	now := time.Unix(100_000, 0)
	const text = "goroutine 1 [select (no cases), 5 minutes]:\nmain.main()\n\t/a/main.go:7 +0x1\n\n" +
		"goroutine 18 gp=0xc0001 m=3 mp=0xc00 [sync.Mutex.Lock, 2 minutes, locked to thread]:\n" +
		"internal/sync.runtime_SemacquireMutex(0x0?)\n\t/go/sema.go:95 +0x25\n...12 frames elided...\nmain.(*T[...]).run(...)\n\tC:/a/b.go:9\n" +
		"created by main.main in goroutine 1\n\t/a/main.go:5 +0x9c\n\n" +
		"goroutine 19 [running labels:{\"a\": \"b, c\", \"d\": \"\\\": \\\"\"}]:\n\tgoroutine running on other thread; stack unavailable\n" +
		"created by net/http.(*Server).Serve in goroutine 18\n\t/a/s.go:1 +0x1\n\n" +
		"goroutine 20 [chan send (leaked), 3 minutes]:\nmain.lose(0xc)\n\t/a/main.go:9 +0x1\n\nnothing\n\ngoroutine x [running]:\n\n"
	all := parseGoroutines(text, now)
	if len(all) != 4 {
		t.Fatalf("%d goroutines: %+v", len(all), all)
	}
	for i, want := range []Goroutine{
		{ID: 1, State: "waiting", WaitReason: "select (no cases)", Since: now.Add(-5 * time.Minute), Function: "main.main", Source: "main.go:7", Own: "main.go:7", StartFunction: "main.main"},
		{ID: 18, State: "waiting", WaitReason: "sync.Mutex.Lock", Since: now.Add(-2 * time.Minute), LockedToThread: true,
			Function: "internal/sync.runtime_SemacquireMutex", Source: "sema.go:95", Own: "b.go:9", StartFunction: "main.(*T[...]).run", Parent: 1, Creator: "main.main", Created: "main.go:5"},
		{ID: 19, State: "running", Parent: 18, Creator: "net/http.(*Server).Serve", Created: "s.go:1", Labels: `{"a":"b, c", "d":"\": \""}`},
		{ID: 20, State: "waiting", WaitReason: "chan send", Leaked: true, Since: now.Add(-3 * time.Minute), Function: "main.lose", Source: "main.go:9", Own: "main.go:9", StartFunction: "main.lose"},
	} {
		got := all[i]
		got.Stack = ""
		if got != want {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
}

// Two goroutines with the same stack and different labels get none, because it is not known which
// has which.
func TestLabelsOfSameStacks(t *testing.T) {
	stop := make(chan int)
	defer close(stop)
	for _, v := range []string{"1", "2"} {
		pprof.Do(context.Background(), pprof.Labels("k", v), func(context.Context) { go waitsFor(stop) })
	}
	all := func() (found []Goroutine) {
		for _, g := range NewRegistry().Reader().Goroutines() {
			if strings.HasPrefix(g.Creator, "pfsd/instr.TestLabelsOfSameStacks") && g.WaitReason == "chan receive" {
				found = append(found, g)
			}
		}
		return found
	}
	eventually(t, "the goroutines", func() bool { return len(all()) == 2 })
	for _, g := range all() {
		if g.Labels != "" && !strings.Contains(os.Getenv("GODEBUG"), "tracebacklabels=1") {
			t.Errorf("labels %s", g.Labels)
		}
	}
}

// A profile of many goroutines is used again for a while, and then dropped.
func TestManyGoroutinesAreProfiledSeldom(t *testing.T) {
	stop := make(chan int)
	for range 2 * fewGoroutines {
		go waitsFor(stop)
	}
	profile.Lock()
	profile.goroutines = nil
	profile.Unlock()
	r := NewRegistry().Reader()
	all := r.Goroutines()
	if len(all) < 2*fewGoroutines || r.GoroutinesLost() != 0 {
		t.Errorf("%d goroutines, %d lost", len(all), r.GoroutinesLost())
	}
	close(stop)
	eventually(t, "the goroutines", func() bool {
		profile.Lock()
		defer profile.Unlock()
		return profile.goroutines == nil
	})
	eventually(t, "the goroutines", func() bool { return len(r.Goroutines()) < fewGoroutines })
}
