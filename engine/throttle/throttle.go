// Package throttle slows down who guesses passwords: attempts to sign in wait longer and longer
// while they fail. MySQL: the plugin connection_control.
//
//  1. New makes a Throttle, for a server.
//  2. Throttle.Begin says how long an attempt has to wait before it is answered, and whether there is
//     room for one that waits.
//  3. Throttle.End notes how it has ended.
//
// Failures are counted by user and host, as the plugin does, and besides by host alone, so that
// trying many names is as slow as trying many passwords; a host's count goes down by itself. The
// hosts of an IPv6 network of 64 bits count as one. What is kept is bounded, and so are the attempts
// that wait: neither a flood of names nor one of addresses takes memory, or the places of others.
//
// All of it is safe for concurrent use.
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
	// entriesMax is how many users with their hosts are counted, and how many hosts; the one that
	// failed longest ago makes room.
	entriesMax = 4096
	// waitingMax is how many attempts can wait at a time, and waitingHostMax how many from a host.
	waitingMax     = 64
	waitingHostMax = 16
	// hostFactor is how many times more failures a host has than a user before it waits, and
	// forgetTime is how long it takes until one of them is forgotten.
	hostFactor = 10
	forgetTime = 2 * time.Second
)

// Limits are the variables connection_control_*: after how many failures in a row attempts wait, 0
// for never, and how long they do at least and at most.
type Limits struct {
	Threshold int
	Min, Max  time.Duration
}

// delay is how long an attempt waits that would be the nth failure above the threshold.
func (l Limits) delay(n int) time.Duration {
	return max(min(time.Duration(n)*time.Second, l.Max), min(l.Min, l.Max))
}

// A Throttle counts failures. Safe for concurrent use.
type Throttle struct {
	limits func() Limits
	now    func() time.Time

	mu        sync.Mutex
	users     counts         // by user and host; guarded by mu, as what follows
	hosts     counts         // by host
	waiting   map[string]int // by host
	waits     int
	generated uint64
}

// New makes a Throttle; limits tells what holds at the moment.
func New(limits func() Limits) *Throttle {
	return &Throttle{limits: limits, now: time.Now, users: newCounts(), hosts: newCounts(), waiting: map[string]int{}}
}

// A Client is who tries to sign in: the user and host as messages name them, and the address, which
// is not valid on a unix socket.
type Client struct {
	User, Host string
	Addr       netip.Addr
}

// key is how the client is counted.
func (c Client) key() string { return "'" + c.User + "'@'" + c.Host + "'" }

// hostKey is how the client's host is counted.
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

// An Attempt is one to sign in. Owned by one goroutine.
type Attempt struct {
	// Delay is how long it has to wait; 0 is not at all.
	Delay time.Duration
	// Refused tells that so many wait already that it is to be ended at once.
	Refused bool

	throttle *Throttle
	client   Client
	waits    bool
}

// Begin begins an attempt, which End ends.
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
	if t.waits >= waitingMax || t.waiting[host] >= waitingHostMax {
		a.Refused = true
		return a
	}
	t.waits++
	t.waiting[host]++
	t.generated++
	a.waits = true
	return a
}

// Waited notes that the attempt does not wait any more.
func (a *Attempt) Waited() {
	t := a.throttle
	t.mu.Lock()
	defer t.mu.Unlock()
	if !a.waits {
		return
	}
	a.waits = false
	host := a.client.hostKey()
	t.waits--
	if t.waiting[host]--; t.waiting[host] <= 0 {
		delete(t.waiting, host)
	}
}

// Failed notes that the attempt has failed. It is called before it waits, so that others that
// come at the same time wait, too.
func (a *Attempt) Failed() {
	t := a.throttle
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	t.users.add(a.client.key(), now)
	t.hosts.add(a.client.hostKey(), now)
}

// Succeeded notes that the client has signed in: its failures are forgotten.
func (a *Attempt) Succeeded() {
	t := a.throttle
	t.mu.Lock()
	defer t.mu.Unlock()
	t.users.remove(a.client.key())
}

// A Row is a user with its host, and how often it has failed in a row.
type Row struct {
	UserHost string
	Failures int
}

// Rows are all users that have failed, in the order of their names.
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

// Generated is how many attempts have waited since Reset, and Waiting how many do.
func (t *Throttle) Generated() (generated uint64, waiting int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.generated, t.waits
}

// Reset forgets all failures.
func (t *Throttle) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.users, t.hosts, t.generated = newCounts(), newCounts(), 0
}

// count is how often something has failed.
type count struct {
	key      string
	failures int
	last     time.Time
}

// remembered are the failures that are not forgotten yet.
func (c count) remembered(now time.Time) int {
	return max(c.failures-int(now.Sub(c.last)/forgetTime), 0)
}

// counts are counts by key, the one that changed last at the front.
type counts struct {
	of    map[string]*list.Element
	order *list.List
}

func newCounts() counts { return counts{map[string]*list.Element{}, list.New()} }

// get is the count of key.
func (c counts) get(key string) count {
	if e, ok := c.of[key]; ok {
		return *e.Value.(*count)
	}
	return count{}
}

// add counts a failure of key.
func (c counts) add(key string, now time.Time) {
	e, ok := c.of[key]
	if !ok {
		if len(c.of) >= entriesMax {
			oldest := c.order.Back()
			delete(c.of, oldest.Value.(*count).key)
			c.order.Remove(oldest)
		}
		e = c.order.PushFront(&count{key: strings.Clone(key)})
		c.of[e.Value.(*count).key] = e
	}
	n := e.Value.(*count)
	n.failures, n.last = n.failures+1, now
	c.order.MoveToFront(e)
}

// remove forgets key.
func (c counts) remove(key string) {
	if e, ok := c.of[key]; ok {
		delete(c.of, key)
		c.order.Remove(e)
	}
}
