package processor

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// grain is how long a statement is busy before it pays.
	grain = time.Millisecond
	// burst is how much is in a full bucket.
	burst = 50 * time.Millisecond
	// debtMax is how much statements that cannot be interrupted can leave to be paid.
	debtMax = time.Second
	// nap is how long a statement sleeps before it looks again.
	nap = 100 * time.Millisecond
	// returnWait is how long a statement that has waited for something waits for a place: it may hold what
	// those wait for that have the places.
	returnWait = 100 * time.Millisecond
)

// A Budget is what all statements of a server may take together. Nil is one without limits. Safe for
// concurrent use.
type Budget struct {
	share  float64 // processors; 0 is no limit
	places chan struct{}
	now    func() time.Duration
	sleep  func(ctx context.Context, d time.Duration)

	mu   sync.Mutex
	debt time.Duration // what has been used and is not filled yet; guarded by mu
	at   time.Duration // when that was so; guarded by mu

	heldBack atomic.Int64 // how often a statement has waited
}

// New makes a budget of so many processors, 0 is no limit, and of so many statements that run at a time, 0 is no
// limit. It returns nil if there is no limit at all.
func New(share float64, statements int) *Budget {
	if share <= 0 && statements <= 0 {
		return nil
	}
	start := time.Now()
	b := &Budget{share: max(share, 0), now: func() time.Duration { return time.Since(start) }, sleep: sleep, debt: -burst}
	if statements > 0 {
		b.places = make(chan struct{}, statements)
	}
	return b
}

// sleep returns after d, or when ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// HeldBack is how often a statement has had to wait. Safe for concurrent use.
func (b *Budget) HeldBack() int64 {
	if b == nil {
		return 0
	}
	return b.heldBack.Load()
}

// pay takes what a statement has been busy for from the bucket, and returns how long it has to sleep until
// that is filled.
func (b *Budget) pay(now, busy time.Duration) time.Duration {
	if b.share == 0 {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.debt = min(max(b.debt-time.Duration(float64(now-b.at)*b.share), -burst)+busy, debtMax)
	b.at = now
	if b.debt <= 0 {
		return 0
	}
	return time.Duration(float64(b.debt) / b.share)
}

// A Use is what one connection takes of a budget. Owned by one goroutine.
type Use struct {
	budget *Budget
	// held is called when the statement is held back; what it returns is called when it goes on.
	held    func() func()
	ctx     context.Context // of the statement; nil if none runs
	last    time.Duration   // when the statement has paid
	rows    uint            // that it has come to
	waiting bool            // for something that takes no processor
	place   bool            // it has one
	free    bool            // it needs none
}

// Use returns the use of a connection. held is called when a statement of it is held back, and returns what is
// to be called when it goes on. The result is nil if there is no limit.
func (b *Budget) Use(held func() func()) *Use {
	if b == nil {
		return nil
	}
	return &Use{budget: b, held: held}
}

// Begin begins a statement, when there is a place for it. An administrator always has one. The error is why
// ctx has ended.
func (u *Use) Begin(ctx context.Context, administrator bool) error {
	if u == nil {
		return nil
	}
	u.ctx, u.free, u.waiting = ctx, administrator, false
	if !u.take(0) {
		u.ctx = nil
		return context.Cause(ctx)
	}
	u.last = u.budget.now()
	return nil
}

// take takes a place, and waits for it, at the most so long; 0 is for ever. It reports false if ctx has ended.
func (u *Use) take(most time.Duration) bool {
	b := u.budget
	if b.places == nil || u.free {
		return true
	}
	select {
	case b.places <- struct{}{}:
		u.place = true
		return true
	default:
	}
	b.heldBack.Add(1)
	defer u.held()()
	var over <-chan time.Time
	if most > 0 {
		t := time.NewTimer(most)
		defer t.Stop()
		over = t.C
	}
	select {
	case b.places <- struct{}{}:
		u.place = true
	case <-over:
	case <-u.ctx.Done():
		return false
	}
	return true
}

// give gives the place back.
func (u *Use) give() {
	if u.place {
		u.place = false
		<-u.budget.places
	}
}

// rowsBetween is after how many rows a statement looks at the clock.
const rowsBetween = 64

// Row is a moment at which the statement can be held back, after so many rows, or as much work. The error is why
// the statement's context has ended.
func (u *Use) Row(n uint) error {
	if u == nil || u.ctx == nil {
		return nil
	}
	before := u.rows
	if u.rows += n; before/rowsBetween == u.rows/rowsBetween {
		return nil
	}
	return u.settle()
}

// settle pays for what the statement has done, and sleeps until that is filled.
func (u *Use) settle() error {
	b := u.budget
	now := b.now()
	if now-u.last < grain {
		return nil
	}
	Awake()
	wait := b.pay(now, now-u.last)
	u.last = now
	if wait <= 0 {
		return nil
	}
	b.heldBack.Add(1)
	u.give()
	goOn := u.held()
	for wait > 0 && u.ctx.Err() == nil {
		b.sleep(u.ctx, min(wait, nap))
		wait = b.pay(b.now(), 0)
	}
	goOn()
	if u.ctx.Err() != nil || !u.take(returnWait) {
		return context.Cause(u.ctx)
	}
	u.last = b.now()
	return nil
}

// Wait is called before the statement waits for something that takes no processor, such as a lock or a client. It
// holds no place until the function that it returns is called.
func (u *Use) Wait() (done func()) {
	if u == nil || u.ctx == nil || u.waiting {
		return func() {}
	}
	b := u.budget
	if now := b.now(); now > u.last {
		b.pay(now, now-u.last)
	}
	u.waiting = true
	u.give()
	return func() {
		u.waiting = false
		u.take(returnWait)
		u.last = b.now()
	}
}

// End ends the statement. One that has been busy since its last row, which nothing could interrupt, is held back
// until that is paid.
func (u *Use) End() {
	if u == nil || u.ctx == nil {
		return
	}
	u.free = true // it runs no more
	_ = u.settle()
	u.give()
	u.ctx = nil
}
