package throttle

import (
	"container/list"
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
	// waitingMax is how many attempts may wait at a time, waitingHostMax how many from a host.
	waitingMax     = 64
	waitingHostMax = 16
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

	mu           sync.Mutex
	users        counts         // by user and host; guarded by mu, as what follows
	hosts        counts         // by host
	waiting      map[string]int // by host
	waitingTotal int
	generated    uint64
}

// New makes a Throttle; limits returns the current limits.
func New(limits func() Limits) *Throttle {
	return &Throttle{limits: limits, now: time.Now, users: newCounts(), hosts: newCounts(), waiting: map[string]int{}}
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
	// Refused is true if too many attempts wait already: close the connection at once.
	Refused bool

	throttle *Throttle
	client   Client
	waits    bool
}

// Begin begins an attempt.
func (t *Throttle) Begin(c Client) *Attempt {
	a := &Attempt{throttle: t, client: c}
	limits := t.limits()
	if limits.Threshold <= 0 {
		return a
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if n := t.users.get(c.key()).failures; n >= limits.Threshold {
		a.Delay = limits.delay(n + 1 - limits.Threshold)
	}
	if n := t.hosts.get(c.hostKey()).remembered(now); n >= hostFactor*limits.Threshold {
		a.Delay = max(a.Delay, limits.delay(n+1-hostFactor*limits.Threshold))
	}
	if a.Delay == 0 {
		return a
	}
	host := c.hostKey()
	if t.waitingTotal >= waitingMax || t.waiting[host] >= waitingHostMax {
		a.Refused = true
		return a
	}
	t.waitingTotal++
	t.waiting[host]++
	t.generated++
	a.waits = true
	return a
}

// Waited records that the attempt does not wait any more.
func (a *Attempt) Waited() {
	t := a.throttle
	t.mu.Lock()
	defer t.mu.Unlock()
	if !a.waits {
		return
	}
	a.waits = false
	host := a.client.hostKey()
	t.waitingTotal--
	if t.waiting[host]--; t.waiting[host] <= 0 {
		delete(t.waiting, host)
	}
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

// Generated returns how many attempts were delayed since Reset, and how many wait now.
func (t *Throttle) Generated() (generated uint64, waiting int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.generated, t.waitingTotal
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
