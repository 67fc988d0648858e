package processor

import (
	"context"
	"errors"
	"testing"
	"time"
)

// clock is a time that tests set; who sleeps has it go on.
type clock struct {
	at, slept time.Duration
}

func (c *clock) of(b *Budget) *Budget {
	b.now = func() time.Duration { return c.at }
	b.sleep = func(_ context.Context, d time.Duration) { c.at, c.slept = c.at+d, c.slept+d }
	return b
}

func nothing() func() { return func() {} }

// A busy statement gets its share of real time, and the burst.
func TestShare(t *testing.T) {
	for _, share := range []float64{0.1, 0.25, 1, 3} {
		var c clock
		u := c.of(New(share, 0)).NewMeter(nothing)
		if err := u.Begin(t.Context(), Account{}, false); err != nil {
			t.Fatal(err)
		}
		busy := time.Duration(0)
		for range 10000 {
			c.at += 2 * time.Millisecond
			busy += 2 * time.Millisecond
			if err := u.Row(rowsBetween); err != nil {
				t.Fatal(err)
			}
		}
		u.End()
		want := min(1, share)
		if got := float64(busy-burst) / float64(c.at); got > want*1.01 || got < want*0.99 {
			t.Errorf("a share of %v: busy for %v of real time", share, got)
		}
	}
}

// A statement that is short never sleeps, whatever others have used is paid by them.
func TestShortStatements(t *testing.T) {
	var c clock
	b := c.of(New(0.25, 0))
	for range 1000 {
		u := b.NewMeter(nothing)
		_ = u.Begin(t.Context(), Account{}, false)
		c.at += 100 * time.Microsecond
		_ = u.Row(rowsBetween)
		u.End()
	}
	if c.slept > 0 {
		t.Errorf("short statements have slept for %v", c.slept)
	}
}

// What nothing can interrupt is paid at the end, up to a limit.
func TestUninterruptible(t *testing.T) {
	var c clock
	u := c.of(New(0.25, 0)).NewMeter(nothing)
	_ = u.Begin(t.Context(), Account{}, false)
	c.at += 250 * time.Millisecond
	u.End()
	if c.slept < 700*time.Millisecond || c.slept > 900*time.Millisecond {
		t.Errorf("slept for %v", c.slept)
	}
	c.slept = 0
	_ = u.Begin(t.Context(), Account{}, false)
	c.at += time.Hour
	u.End()
	if c.slept > time.Duration(float64(debtMax)/0.25)+nap {
		t.Errorf("slept for %v", c.slept)
	}
}

// Time in which a statement waits is not paid.
func TestWaitIsFree(t *testing.T) {
	var c clock
	b := c.of(New(0.25, 1))
	u := b.NewMeter(nothing)
	_ = u.Begin(t.Context(), Account{}, false)
	done := u.Wait()
	if len(b.places) != 0 {
		t.Error("one that waits holds a place")
	}
	c.at += time.Hour
	done()
	if len(b.places) != 1 {
		t.Error("one that goes on has no place")
	}
	u.End()
	if c.slept > 0 || len(b.places) != 0 {
		t.Errorf("slept for %v, %d places are taken", c.slept, len(b.places))
	}
}

// No more statements than there are places run; one that waits for a place can be killed, and an administrator
// always has one.
func TestPlaces(t *testing.T) {
	b := New(0, 2)
	waits := make(chan bool, 10)
	held := func() func() { waits <- true; return func() { waits <- false } }
	first, second, third, admin := b.NewMeter(held), b.NewMeter(held), b.NewMeter(held), b.NewMeter(held)
	for _, u := range []*Meter{first, second} {
		if err := u.Begin(t.Context(), Account{}, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := admin.Begin(t.Context(), Account{}, true); err != nil {
		t.Error(err)
	}
	admin.End()
	killed := errors.New("killed")
	ctx, kill := context.WithCancelCause(t.Context())
	ended := make(chan error)
	go func() { ended <- third.Begin(ctx, Account{}, false) }()
	<-waits // it is held back
	kill(killed)
	if err := <-ended; err != killed {
		t.Errorf("got %v", err)
	}
	<-waits
	go func() { ended <- third.Begin(t.Context(), Account{}, false) }()
	<-waits
	first.End()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	second.End()
	third.End()
	if len(b.places) != 0 {
		t.Errorf("%d places are taken", len(b.places))
	}
}

// A statement that was ended and goes on loses its place after a while, and others have it. It still counts as a place of its account, and
// no more statements are without their places than there are places.
func TestPlacesOfEndedStatements(t *testing.T) {
	const places = 2
	var c clock
	b := c.of(New(0, places))
	waits := make(chan struct{}, 10)
	held := func() func() { waits <- struct{}{}; return func() {} }
	bad, good := Account{User: "bad"}, Account{User: "good"}
	ended, end := context.WithCancel(t.Context())
	begin := func(ctx context.Context, account Account) (u *Meter, begun chan error) {
		u, begun = b.NewMeter(held), make(chan error, 1)
		go func() { begun <- u.Begin(ctx, account, false) }()
		return u, begun
	}
	var endless []*Meter
	for range places {
		u, begun := begin(ended, bad)
		if err := <-begun; err != nil {
			t.Fatal(err)
		}
		endless = append(endless, u)
	}
	if free := b.taken.withdraw(time.Hour, places); free != 0 {
		t.Fatalf("%d places of statements that may run are withdrawn", free)
	}
	end()
	if free := b.taken.withdraw(time.Hour, places); free != 0 {
		t.Fatalf("%d places are withdrawn at once", free)
	}
	if free := b.taken.withdraw(time.Hour+grace, 1); free != 1 {
		t.Fatalf("%d places are withdrawn where one may be", free)
	}
	<-b.places
	if free := b.taken.withdraw(time.Hour+grace, places); free != 1 {
		t.Fatalf("%d more places are withdrawn", free)
	}
	<-b.places
	_, barred := begin(t.Context(), bad)
	select {
	case <-waits: // it is held back, though there are places
	case err := <-barred:
		t.Fatalf("an account whose statements go on has a place more: %v", err)
	}
	killed, kill := context.WithCancel(t.Context())
	_, alike := begin(killed, bad)
	<-waits
	kill()
	if err := <-alike; err == nil {
		t.Error("one that waits for others of its account cannot be killed")
	}
	var others []*Meter
	stopped, stop := context.WithCancel(t.Context())
	for range places {
		u, begun := begin(stopped, good)
		if err := <-begun; err != nil {
			t.Fatal(err)
		}
		others = append(others, u)
	}
	stop()
	b.taken.withdraw(2*time.Hour, places)
	if free := b.taken.withdraw(3*time.Hour, places); free != 0 {
		t.Fatalf("%d statements are without places", places+free)
	}
	for _, u := range others {
		u.End()
	}
	endless[0].End() // while the other one goes on
	if err := <-barred; err != nil {
		t.Error(err)
	}
	endless[1].End()
	if len(b.taken.withdrawn)+len(b.taken.groups) != 0 || len(b.places) != 1 || len(b.taken.holders) != 1 {
		t.Errorf("left: %d statements without places, %d accounts, %d places", len(b.taken.withdrawn), len(b.taken.groups), len(b.places))
	}
}

// A budget without limits costs nothing, and nothing fails.
func TestNoLimit(t *testing.T) {
	u := New(0, 0).NewMeter(nothing)
	if err := u.Begin(t.Context(), Account{}, false); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { _ = u.Row(1) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	u.Wait()()
	u.End()
}

func BenchmarkRow(b *testing.B) {
	for name, budget := range map[string]*Budget{"limit=none": nil, "limit=1": New(1000, 2)} {
		b.Run(name, func(b *testing.B) {
			u := budget.NewMeter(nothing)
			_ = u.Begin(b.Context(), Account{}, false)
			defer u.End()
			for b.Loop() {
				_ = u.Row(1)
			}
		})
	}
}

// Short statements of one command are charged together; those of several commands are not.
func TestShortStatementsOfACommand(t *testing.T) {
	for _, goesOn := range []bool{true, false} {
		var c clock
		u := c.of(New(0.25, 0)).NewMeter(nothing)
		for range 10000 {
			if goesOn {
				u.GoOn()
			}
			_ = u.Begin(t.Context(), Account{}, false)
			c.at += 100 * time.Microsecond
			u.End()
		}
		if held := c.slept > 2*time.Second; held != goesOn { // 1 s of a quarter of a processor takes 4 s
			t.Errorf("goes on %v: slept for %v", goesOn, c.slept)
		}
	}
}
