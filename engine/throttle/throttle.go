package throttle

import (
	"container/list"
	"context"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// entriesMax is the number of counters by user and host, and of counters by host; the one that changed
	// longest ago is dropped first.
	entriesMax = 4096
	// waitingMax is how many attempts are delayed at a time, waitingHostMax how many from a host.
	waitingMax     = 64
	waitingHostMax = 16
	// queuedMax is how many attempts wait until they are delayed, of a host as of all: more than the connections that may be open
	// without having signed in, so that an attempt is refused only where these change.
	queuedMax = 256
	// hostFactor is how many times more failures than a user a host may have before it is delayed,
	// forgetTime the time after which its count decreases by one.
	hostFactor = 10
	forgetTime = 2 * time.Second
)

// Limits are the variables connection_control_*: the number of failures in a row after which attempts are
// delayed, 0 for never, and the least and the greatest delay.
type Limits struct {
	Threshold int
	Min, Max  time.Duration
}

// delay returns the delay of an attempt after n failures above the threshold.
func (l Limits) delay(n int) time.Duration {
	return max(min(time.Duration(n)*time.Second, l.Max), min(l.Min, l.Max))
}

// A Throttle counts failures. Safe for concurrent use.
type Throttle struct {
	limits func() Limits
	now    func() time.Time

	delayed *Turns // the places of all; hosts take turns

	mu        sync.Mutex
	users     counts                // by user and host; guarded by mu, as what follows
	hosts     counts                // by host
	hostTurns map[string]*hostTurns // of hosts with attempts that are delayed or wait for it
	generated uint64
}

// hostTurns are the places of a host, in which its users take turns.
type hostTurns struct {
	*Turns
	attempts int // that have a place, or wait for one; guarded by Throttle.mu
}

// New makes a Throttle; limits returns the current limits.
func New(limits func() Limits) *Throttle {
	return &Throttle{
		limits: limits, now: time.Now, delayed: NewTurns(waitingMax, queuedMax),
		users: newCounts(), hosts: newCounts(), hostTurns: map[string]*hostTurns{},
	}
}

// A Client is a client that logs in: user and host as messages name them, and the address, which is
// invalid for a unix socket.
type Client struct {
	User, Host string
	Addr       netip.Addr
}

// key returns the key of the client's counter.
func (c Client) key() string { return "'" + c.User + "'@'" + c.Host + "'" }

// hostKey returns the key of the host's counter.
func (c Client) hostKey() string {
	if addr := c.Addr.Unmap(); addr.Is6() {
		if p, err := addr.WithZone("").Prefix(64); err == nil {
			return p.String()
		}
	} else if addr.IsValid() {
		return addr.String()
	}
	return c.Host
}

// An Attempt is an attempt to log in. Owned by one goroutine.
type Attempt struct {
	// Delay is how long it has to wait; may be 0.
	Delay time.Duration
	// Refused is true if too many attempts wait already, or the client has gone: close the connection at once.
	Refused bool

	throttle *Throttle
	client   Client
	turns    *hostTurns // with a place for the attempt; nil if it has none
}

// Begin begins an attempt. If it has to be delayed, Begin waits until it has a place among those that are, or ctx has ended.
func (t *Throttle) Begin(ctx context.Context, c Client) *Attempt {
	a := &Attempt{throttle: t, client: c}
	if t.delay(c) == 0 {
		return a
	}
	if a.turns = t.take(ctx, c); a.turns == nil {
		a.Refused = true
		return a
	}
	if a.Delay = t.delay(c); a.Delay == 0 { // the user has signed in meanwhile
		a.Waited()
		return a
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.generated++
	return a
}

// delay returns the delay of an attempt.
func (t *Throttle) delay(c Client) (d time.Duration) {
	limits := t.limits()
	if limits.Threshold <= 0 {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := t.users.get(c.key()).failures; n >= limits.Threshold {
		d = limits.delay(n + 1 - limits.Threshold)
	}
	if n := t.hosts.get(c.hostKey()).remembered(t.now()); n >= hostFactor*limits.Threshold {
		d = max(d, limits.delay(n+1-hostFactor*limits.Threshold))
	}
	return d
}

// take waits for a place of the client's host, then for one of all. It returns nil if there is none.
func (t *Throttle) take(ctx context.Context, c Client) *hostTurns {
	host := c.hostKey()
	t.mu.Lock()
	turns := t.hostTurns[host]
	if turns == nil {
		turns = &hostTurns{Turns: NewTurns(waitingHostMax, queuedMax)}
		t.hostTurns[host] = turns
	}
	turns.attempts++
	t.mu.Unlock()
	if turns.Take(ctx, c.User) {
		if t.delayed.Take(ctx, host) {
			return turns
		}
		turns.Give()
	}
	t.leave(host, turns)
	return nil
}

// leave notes that an attempt of a host neither has a place nor waits for one any more.
func (t *Throttle) leave(host string, turns *hostTurns) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if turns.attempts--; turns.attempts == 0 {
		delete(t.hostTurns, host)
	}
}

// Delayed delays the attempt. It reports false if ctx has ended before the delay has. Call Waited then in either case.
func (a *Attempt) Delayed(ctx context.Context) bool {
	if a.Delay == 0 {
		return true
	}
	timer := time.NewTimer(a.Delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Waited records that the attempt is not delayed any more.
func (a *Attempt) Waited() {
	if a.turns == nil {
		return
	}
	a.throttle.delayed.Give()
	a.turns.Give()
	a.throttle.leave(a.client.hostKey(), a.turns)
	a.turns = nil
}

// Failed records that the attempt failed. Call it before the delay, so that simultaneous attempts are
// delayed, too.
func (a *Attempt) Failed() {
	t := a.throttle
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	t.users.add(a.client.key(), now)
	t.hosts.add(a.client.hostKey(), now)
}

// Succeeded records that the client logged in, and resets its counter.
func (a *Attempt) Succeeded() {
	t := a.throttle
	t.mu.Lock()
	defer t.mu.Unlock()
	t.users.remove(a.client.key())
}

// A Row is a user with its host, and its number of failures in a row.
type Row struct {
	UserHost string
	Failures int
}

// Rows returns all users with failures, by name.
func (t *Throttle) Rows() (rows []Row) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for e := t.users.order.Front(); e != nil; e = e.Next() {
		c := e.Value.(*count)
		rows = append(rows, Row{c.key, c.failures})
	}
	slices.SortFunc(rows, func(a, b Row) int { return strings.Compare(a.UserHost, b.UserHost) })
	return rows
}

// Generated returns how many attempts were delayed since Reset, and how many are delayed now.
func (t *Throttle) Generated() (generated uint64, delayed int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.generated, t.delayed.Taken()
}

// Reset resets all counters.
func (t *Throttle) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.users, t.hosts, t.generated = newCounts(), newCounts(), 0
}

// count is a counter of failures.
type count struct {
	key      string
	failures int
	last     time.Time
}

// remembered returns the failures that have not decayed yet.
func (c count) remembered(now time.Time) int {
	return max(c.failures-int(now.Sub(c.last)/forgetTime), 0)
}

// counts has counters by key, ordered by their last change.
type counts struct {
	byKey map[string]*list.Element
	order *list.List
}

func newCounts() counts { return counts{map[string]*list.Element{}, list.New()} }

// get returns the counter of key.
func (c counts) get(key string) count {
	if e, ok := c.byKey[key]; ok {
		return *e.Value.(*count)
	}
	return count{}
}

// add counts a failure of key.
func (c counts) add(key string, now time.Time) {
	e, ok := c.byKey[key]
	if !ok {
		if len(c.byKey) >= entriesMax {
			oldest := c.order.Back()
			delete(c.byKey, oldest.Value.(*count).key)
			c.order.Remove(oldest)
		}
		e = c.order.PushFront(&count{key: strings.Clone(key)})
		c.byKey[e.Value.(*count).key] = e
	}
	n := e.Value.(*count)
	n.failures, n.last = n.failures+1, now
	c.order.MoveToFront(e)
}

// remove removes the counter of key.
func (c counts) remove(key string) {
	if e, ok := c.byKey[key]; ok {
		delete(c.byKey, key)
		c.order.Remove(e)
	}
}
