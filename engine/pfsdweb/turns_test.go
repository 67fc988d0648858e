package pfsdweb

import (
	"context"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// queue has a sign-in wait for its turn, and returns what says whether it has got it.
func (t *turns) queue(ctx context.Context, name string) chan bool {
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
	go func() { got <- t.take(ctx, name) }()
	for {
		if n := count(); n > before || len(got) > 0 {
			return got
		}
		runtime.Gosched()
	}
}

// However many attempts there are with other names, a sign-in has the next turn but one for each name, and names are not kept.
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
		var all turns
		for range maxTurns {
			if !all.take(ctx, c.others(0)) {
				t.Fatal("no turn")
			}
		}
		var others []chan bool
		for i := range 24 {
			others = append(others, all.queue(ctx, c.others(i)))
		}
		mine := all.queue(ctx, "root")
		got := 0
		for len(mine) == 0 {
			all.give()
			got++
			for waiting := true; waiting; runtime.Gosched() { // until somebody has the turn
				all.mu.Lock()
				waiting = all.queued > 25-got
				all.mu.Unlock()
			}
			for i := 0; i < 1000 && len(mine) == 0; i++ {
				runtime.Gosched()
			}
			if got > 25 {
				t.Fatalf("%s: it has no turn", c.name)
			}
		}
		if got < c.want || got > c.want+1 {
			t.Errorf("%s: it has turn %d, want %d", c.name, got, c.want)
		}
		for all.taken > 0 {
			all.give()
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
	var all turns
	for range maxTurns {
		all.take(t.Context(), "a")
	}
	ctx, leave := context.WithCancel(t.Context())
	var many []chan bool
	for range maxQueued {
		many = append(many, all.queue(ctx, "a"))
	}
	if all.take(ctx, "a") {
		t.Error("too many wait")
	}
	other := all.queue(ctx, "b")
	if last := <-many[maxQueued-1]; last || all.queued != maxQueued {
		t.Errorf("the last one: %v, %d wait", last, all.queued)
	}
	all.give()
	all.give()
	if !<-other {
		t.Error("the other name has no turn")
	}
	leave()
	for _, m := range many[:maxQueued-1] {
		<-m
	}
	for all.taken > 0 {
		all.give()
	}
	if all.queued != 0 || len(all.names) != 0 {
		t.Errorf("%d wait", all.queued)
	}
}

// TestWrongSignInsKeepNobodyOut: 24 loops that fail to sign in delay whoever has the right password, and do not keep it out.
func TestWrongSignInsKeepNobodyOut(t *testing.T) {
	s := serve(t, Options{})
	for _, name := range []func(i int) string{
		func(int) string { return "mallory" }, func(i int) string { return fmt.Sprint("mallory", i) }, func(int) string { return "dba" },
	} {
		ctx, stop := context.WithCancel(t.Context())
		var loops sync.WaitGroup
		for i := range 24 {
			loops.Go(func() {
				for ctx.Err() == nil {
					r, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/api/login", strings.NewReader(`{"user":"`+name(i)+`","password":"wrong"}`))
					r.Header.Set("Content-Type", "application/json")
					r.Header.Set("X-Pfsd", "1")
					if res, err := s.client.Transport.RoundTrip(r); err == nil {
						_ = res.Body.Close()
					}
				}
			})
		}
		for deadline := time.Now().Add(time.Minute); ; runtime.Gosched() {
			s.page.sessions.turns.mu.Lock()
			n := s.page.sessions.turns.queued
			s.page.sessions.turns.mu.Unlock()
			if n >= 8 {
				break
			}
			if time.Now().After(deadline) {
				stop()
				loops.Wait()
				t.Fatalf("%d sign-ins wait for their turn", n)
			}
		}
		for range 2 {
			s.client.Jar, _ = cookiejar.New(nil)
			s.want(t, "POST", "/api/login", dba, 200, "dba")
		}
		stop()
		loops.Wait()
	}
}
