package throttle

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var limits = Limits{3, time.Second, 10 * time.Second}

// clock is a time that a test sets.
type clock struct{ at time.Time }

func newThrottle() (*Throttle, *clock) {
	c := &clock{time.Unix(1e9, 0)}
	t := New(func() Limits { return limits })
	t.now = func() time.Time { return c.at }
	return t, c
}

func client(user, addr string) Client { return Client{user, addr, netip.MustParseAddr(addr)} }

// fail fails to sign in and returns how long that took.
func (t *Throttle) fail(c Client) time.Duration {
	a := t.Begin(context.Background(), c)
	a.Failed()
	a.Waited()
	return a.Delay
}

// After the threshold each failure waits longer than the one before, up to the limit, and so does the
// first success after them; then all is as in the beginning.
func TestDelays(t *testing.T) {
	th, _ := newThrottle()
	root := client("root", "10.0.0.1")
	for i, want := range []int{0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10} {
		if got := th.fail(root); got != time.Duration(want)*time.Second {
			t.Errorf("failure %d waits %v, want %d s", i, got, want)
		}
	}
	if got := th.fail(client("other", "10.0.0.1")); got != 0 {
		t.Errorf("another user waits %v", got)
	}
	if got := th.fail(client("root", "10.0.0.2")); got != 0 {
		t.Errorf("the user elsewhere waits %v: others could lock it out", got)
	}
	if rows := fmt.Sprint(th.Rows()); rows != "[{'other'@'10.0.0.1' 1} {'root'@'10.0.0.1' 15} {'root'@'10.0.0.2' 1}]" {
		t.Errorf("the rows are %s", rows)
	}
	a := th.Begin(t.Context(), root)
	if a.Delay != 10*time.Second {
		t.Errorf("the success waits %v", a.Delay)
	}
	a.Succeeded()
	a.Waited()
	if got := th.fail(root); got != 0 {
		t.Errorf("after a success: %v", got)
	}
	th.Reset()
	if n, _ := th.Generated(); n != 0 || th.Rows() != nil {
		t.Errorf("after Reset: %d, %v", n, th.Rows())
	}
}

// Many names from one host wait as many passwords do, and so do many hosts of one IPv6 network; a
// host is forgiven with the time.
func TestHosts(t *testing.T) {
	for _, addr := range []func(i int) string{
		func(int) string { return "10.0.0.1" },
		func(i int) string { return fmt.Sprintf("2001:db8::%x", i) },
		func(int) string { return "::ffff:10.0.0.1" },
	} {
		th, clock := newThrottle()
		for i := range 10 * limits.Threshold {
			if got := th.fail(client(fmt.Sprint(i), addr(i))); got != 0 {
				t.Fatalf("failure %d waits %v", i, got)
			}
		}
		if got := th.fail(client("new", addr(99))); got != time.Second {
			t.Errorf("another name waits %v", got)
		}
		clock.at = clock.at.Add(10 * forgetTime)
		if got := th.fail(client("newer", addr(98))); got != 0 {
			t.Errorf("after a while: %v", got)
		}
	}
}

// Neither many names nor many hosts take more memory than there is for them, and those that wait
// leave room for others.
func TestBounds(t *testing.T) {
	th, _ := newThrottle()
	for i := range 3 * entriesMax {
		th.fail(client(fmt.Sprint(i), fmt.Sprintf("10.%d.%d.1", i>>8, i&255)))
	}
	if n, m := len(th.users.byKey), len(th.hosts.byKey); n != entriesMax || m != entriesMax || th.users.order.Len() != n || th.hosts.order.Len() != m {
		t.Errorf("%d users, %d hosts", n, m)
	}
	synctest.Test(t, func(t *testing.T) {
		th, _ := newThrottle()
		ctx, leave := context.WithCancel(t.Context())
		var attempts sync.WaitGroup
		begin := func(c Client) {
			for range limits.Threshold {
				th.mu.Lock()
				th.users.add(c.key(), th.now())
				th.mu.Unlock()
			}
			attempts.Go(func() {
				a := th.Begin(ctx, c)
				defer a.Waited()
				if !a.Refused {
					<-ctx.Done()
				}
			})
			synctest.Wait()
		}
		count := func(what string, delayed, waiting, hosts int) {
			t.Helper()
			queued := th.delayed.Waiting()
			for _, h := range th.hostTurns {
				queued += h.Waiting()
			}
			if _, n := th.Generated(); n != delayed || queued != waiting || len(th.hostTurns) != hosts {
				t.Errorf("%s: %d are delayed, %d wait, of %d hosts; want %d, %d, %d", what, n, queued, len(th.hostTurns), delayed, waiting, hosts)
			}
		}
		for i := range 2 * waitingHostMax {
			begin(client(fmt.Sprint(i%4), "10.0.0.1"))
		}
		count("a host", waitingHostMax, waitingHostMax, 1)
		for range 2 * queuedMax {
			begin(client("root", "10.0.0.1"))
		}
		count("a host of many", waitingHostMax, queuedMax, 1)
		for i := range waitingMax - waitingHostMax {
			begin(client("root", fmt.Sprintf("10.1.%d.1", i)))
		}
		count("hosts", waitingMax, queuedMax, 1+waitingMax-waitingHostMax)
		for i := range 2 * queuedMax {
			begin(client("root", fmt.Sprintf("10.2.%d.%d", i>>8, i&255)))
		}
		count("many hosts", waitingMax, 2*queuedMax, 1+waitingMax-waitingHostMax+queuedMax)
		leave()
		attempts.Wait()
		count("nobody", 0, 0, 0)
	})
}

// Whoever has the right password signs in, however many attempts with wrong ones there are from its host, or with its name: the delay is
// its own, and that of one turn for each other name, which as many take at a time as there are places.
func TestWrongSignInsDelayOthersByTurns(t *testing.T) {
	const loops = 24
	longest := limits.Max
	for _, c := range []struct {
		what  string
		name  func(i, n int) string // of the nth attempt of loop i
		turns int
	}{
		{"one name", func(int, int) string { return "mallory" }, 2},
		{"a name for each", func(i, _ int) string { return fmt.Sprint("mallory", i) }, 1 + (loops+waitingHostMax)/waitingHostMax},
		{"names that change", func(i, n int) string { return fmt.Sprint("mallory", i, " ", n) }, 1 + (loops+waitingHostMax)/waitingHostMax},
		{"its own name", func(int, int) string { return "root" }, 1 + (loops+waitingHostMax)/waitingHostMax},
	} {
		synctest.Test(t, func(t *testing.T) {
			th := New(func() Limits { return limits })
			ctx, stop := context.WithCancel(t.Context())
			var guesses sync.WaitGroup
			for i := range loops {
				guesses.Go(func() {
					for n := 0; ctx.Err() == nil; n++ {
						a := th.Begin(ctx, client(c.name(i, n), "127.0.0.1"))
						if !a.Refused {
							a.Failed()
							a.Delayed(ctx)
						} else if ctx.Err() == nil {
							t.Errorf("%s: an attempt is refused", c.what)
						}
						a.Waited()
					}
				})
			}
			time.Sleep(10 * time.Minute)
			for try := range 20 {
				time.Sleep(time.Duration(try) * 700 * time.Millisecond) // at other moments of their delays
				began := time.Now()
				a := th.Begin(ctx, client("root", "127.0.0.1"))
				if a.Refused || !a.Delayed(ctx) {
					t.Errorf("%s: the right password is refused", c.what)
				}
				a.Succeeded()
				a.Waited()
				if took := time.Since(began); took > time.Duration(c.turns)*longest {
					t.Errorf("%s: the right password takes %v, want at most %d turns of %v", c.what, took, c.turns, longest)
				}
			}
			stop()
			guesses.Wait()
		})
	}
}

// The limits are in effect at once, and those of nothing are none.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		Limits
		n    int
		want time.Duration
	}{
		{Limits{3, time.Second, time.Hour}, 1, time.Second}, {Limits{3, 1500 * time.Millisecond, time.Hour}, 1, 1500 * time.Millisecond},
		{Limits{3, 1500 * time.Millisecond, time.Hour}, 2, 2 * time.Second}, {Limits{3, time.Second, 5 * time.Second}, 9, 5 * time.Second},
	} {
		if got := c.delay(c.n); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	th := New(func() Limits { return Limits{} })
	for range 100 {
		if got := th.fail(client("root", "10.0.0.1")); got != 0 {
			t.Fatalf("waits %v", got)
		}
	}
}
