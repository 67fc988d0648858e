package processor

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// grain is how long a statement runs before its time is charged.
	grain = time.Millisecond
	// burst is the size of the bucket.
	burst = 50 * time.Millisecond
	// debtMax bounds the debt that uninterruptible statements leave.
	debtMax = time.Second
	// nap is how long a statement sleeps before it checks again.
	nap = 100 * time.Millisecond
	// returnWait bounds the wait for a place after a wait for something else: the statement may hold a lock that
	// those with places wait for.
	returnWait = 100 * time.Millisecond
)

// An Account is whose statements a Meter meters, by user and host.
type Account struct{ User, Host string }

// A Budget limits the processor time of all statements of a server together. A nil Budget has no limit. Safe
// for concurrent use.
type Budget struct {
	share  float64 // processors; 0 is no limit
	places chan struct{}
	taken  overdue // who has the places
	now    func() time.Duration
	sleep  func(ctx context.Context, d time.Duration)

	mu   sync.Mutex
	debt time.Duration // used and not refilled yet; guarded by mu
	at   time.Duration // the time of debt; guarded by mu

	heldBack atomic.Int64 // how often a statement had to wait
}

// New returns a budget of share processors and of so many statements at a time; 0 means no limit. It returns nil
// if there is no limit at all.
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

// HeldBack returns how often a statement had to wait. Safe for concurrent use.
func (b *Budget) HeldBack() int64 {
	if b == nil {
		return 0
	}
	return b.heldBack.Load()
}

// pay charges the time that a statement ran, and returns how long it has to sleep until the bucket is refilled.
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

// A Meter meters the statements of one connection. Owned by one goroutine.
type Meter struct {
	budget *Budget
	// onHeldBack is called when the statement is held back; the function that it returns, when it continues.
	onHeldBack func() func()
	ctx        context.Context // of the statement; nil if none runs
	account    Account         // of the statement
	last       time.Duration   // when the statement was charged last
	owed       time.Duration   // what the statement that ended last was not charged: less than a grain
	goesOn     bool            // the next statement belongs to the same command
	rows       uint            // since then
	waiting    bool            // for something that needs no processor
	hasPlace   bool            // it has one
	exempt     bool            // it needs none
}

// NewMeter returns a meter for a connection. held is called when a statement is held back; the function that it
// returns, when it continues. The result is nil if there is no limit.
func (b *Budget) NewMeter(held func() func()) *Meter {
	if b == nil {
		return nil
	}
	return &Meter{budget: b, onHeldBack: held}
}

// Begin begins a statement of account once there is a place for it; an administrator needs none. The error is the cause of
// ctx's end.
func (u *Meter) Begin(ctx context.Context, account Account, administrator bool) error {
	if u == nil {
		return nil
	}
	u.ctx, u.account, u.exempt, u.waiting = ctx, account, administrator, false
	if !u.acquire(0) {
		u.ctx = nil
		return context.Cause(ctx)
	}
	if u.last = u.budget.now(); u.goesOn {
		u.last -= u.owed
		u.goesOn = false
	}
	return nil
}

// GoOn says that the next statement belongs to the command of the last one: many short ones are charged as one.
func (u *Meter) GoOn() {
	if u != nil {
		u.goesOn = true
	}
}

// acquire acquires a place, and waits at most that long for it; 0 means forever. It reports false if ctx has ended.
func (u *Meter) acquire(most time.Duration) bool {
	b := u.budget
	if b.places == nil || u.exempt {
		return true
	}
	select {
	case b.places <- struct{}{}:
		if u.take() {
			return true
		}
	default:
	}
	b.heldBack.Add(1)
	defer u.onHeldBack()()
	var over <-chan time.Time
	if most > 0 {
		t := time.NewTimer(most)
		defer t.Stop()
		over = t.C
	}
	look := time.NewTicker(grace / 4)
	defer look.Stop()
	for {
		places, fewer := b.places, b.taken.refuses(u.account, cap(b.places))
		if fewer != nil {
			places = nil
		}
		select {
		case places <- struct{}{}:
			if u.take() {
				return true
			}
		case <-fewer:
		case <-over:
			return true
		case <-u.ctx.Done():
			return false
		case <-look.C:
			for range b.taken.withdraw(b.now(), cap(b.places)) {
				<-b.places
			}
		}
	}
}

// take notes that the statement has the place that it has just got, or gives that back and reports false if its account may have no more.
func (u *Meter) take() bool {
	b := u.budget
	if u.hasPlace = b.taken.add(u, cap(b.places)); !u.hasPlace {
		<-b.places
	}
	return u.hasPlace
}

// release releases the place, unless it was withdrawn.
func (u *Meter) release() {
	if u.hasPlace {
		u.hasPlace = false
		if u.budget.taken.remove(u) {
			<-u.budget.places
		}
	}
}

// rowsBetween is the number of rows between two readings of the clock.
const rowsBetween = 64

// Row is called after n rows, or as much other work; it may hold the statement back. The error is the cause of the
// end of the statement's context.
func (u *Meter) Row(n uint) error {
	if u == nil || u.ctx == nil {
		return nil
	}
	before := u.rows
	if u.rows += n; before/rowsBetween == u.rows/rowsBetween {
		return nil
	}
	return u.payAndSleep()
}

// payAndSleep charges the statement, and sleeps until the bucket is refilled.
func (u *Meter) payAndSleep() error {
	b := u.budget
	now := b.now()
	if now-u.last < grain {
		return nil
	}
	WakeScheduler()
	wait := b.pay(now, now-u.last)
	u.last = now
	if wait <= 0 {
		return nil
	}
	b.heldBack.Add(1)
	u.release()
	goOn := u.onHeldBack()
	for wait > 0 && u.ctx.Err() == nil {
		b.sleep(u.ctx, min(wait, nap))
		wait = b.pay(b.now(), 0)
	}
	goOn()
	if u.ctx.Err() != nil || !u.acquire(returnWait) {
		return context.Cause(u.ctx)
	}
	u.last = b.now()
	return nil
}

// Wait is called before the statement waits for something that needs no processor, such as a lock or a client. The
// statement has no place until the function that Wait returns is called.
func (u *Meter) Wait() (done func()) {
	if u == nil || u.ctx == nil || u.waiting {
		return func() {}
	}
	b := u.budget
	if now := b.now(); now > u.last {
		b.pay(now, now-u.last)
	}
	u.waiting = true
	u.release()
	return func() {
		u.waiting = false
		u.acquire(returnWait)
		u.last = b.now()
	}
}

// End ends the statement. It charges the time since the last row, and holds the statement back for it.
func (u *Meter) End() {
	if u == nil || u.ctx == nil {
		return
	}
	u.exempt = true // it has ended and needs no place
	_ = u.payAndSleep()
	u.owed = u.budget.now() - u.last
	u.release()
	u.ctx = nil
}
