package processlist

import (
	"cmp"
	"context"
	"net"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
	"pfsd/engine/infoschema"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/sysvar"
	"pfsd/engine/wire"
	"pfsd/instr"
	"pfsd/tables"
)

// Client is one connection. What is not guarded by the list's lock is owned by the
// connection's goroutine.
type Client struct {
	ID     uint32
	Wire   *wire.Conn
	Thread *instr.Thread
	Work   Work
	// Variables are those of the session, nil before the client has signed in.
	Variables atomic.Pointer[sysvar.Session]

	// Guarded by List.mu.
	user, host, db string
	address        string // host, with the client's port if it has one
	account        accounts.ID
	command        string
	query          string
	since          time.Time
	cancel         context.CancelCauseFunc // of the running statement, else nil
	stopped        error                   // why the command of the client has been stopped last, for the statements that are left of it
	ready          bool                    // logged in
	wake           func()                  // ends the SLEEP of the statement, which goes on; nil if it does not sleep
}

// User is who has signed in, "" if nobody has. Owned by the connection's goroutine.
func (c *Client) User() string { return c.user }

// Host is where the client that has signed in comes from, "" if none has. Owned by the connection's goroutine.
func (c *Client) Host() string { return c.host }

// Work is what a connection or an event is doing, as far as others may ask. Safe for concurrent use.
type Work interface {
	// OnlyUser tells whose processes alone it may see, if not all.
	OnlyUser() (user string, only bool)
	// Transaction is the transaction that it is in; it reports false if it is in none.
	Transaction() (row infoschema.Transaction, open bool)
}

// List knows the connections and the events that are carried out. It is the process list of the SQL engine, which for
// its own book-keeping would have wanted more. Safe for concurrent use.
type List struct {
	sql.EmptyProcessList
	mu      *instr.Mutex
	clients map[uint32]*Client // guarded by mu
	events  map[uint32]*Event  // guarded by mu
	ending  bool               // guarded by mu; the server stops
	watcher atomic.Pointer[Watcher]
}

// New returns a list without connections.
func New(reg *instr.Registry) *List {
	return &List{mu: reg.NewMutex("sql/LOCK_thd_list"), clients: map[uint32]*Client{}, events: map[uint32]*Event{}}
}

// Add makes c known, and reports false if the server is stopping.
func (l *List) Add(c *Client) bool {
	first, ok := l.add(c)
	if w := l.watcher.Load(); first && w != nil {
		w.begin()
	}
	return ok
}

// add is Add, and tells whether c is the only client.
func (l *List) add(c *Client) (first, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.command, c.user, c.since = "Connect", "unauthenticated user", time.Now()
	l.clients[c.ID] = c
	return len(l.clients) == 1, !l.ending
}

// empty tells whether there are no clients.
func (l *List) empty() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.clients) == 0
}

// Each calls fn with the connections that have logged in, and the threads that they are.
func (l *List) Each(fn func(c *Client, thread uint64)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.clients {
		if c.Variables.Load() != nil {
			fn(c, c.Thread.ID())
		}
	}
}

// Remove forgets c, which has ended.
func (l *List) Remove(c *Client) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.clients, c.ID)
}

// LogIn says who c is, and with which account.
func (l *List) LogIn(c *Client, user, host string, account accounts.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.account, c.address = account, host
	if a, ok := c.Wire.RemoteAddr().(*net.TCPAddr); ok && host != "" {
		c.address = net.JoinHostPort(host, strconv.Itoa(a.Port))
	}
	c.user, c.host, c.command, c.since, c.ready = user, host, "Sleep", time.Now(), true
}

// Begin notes that c carries out command from now on, and returns when that is; cancel stops it. If the command goes on with another
// statement, it stays stopped, even if it was stopped between two statements.
func (l *List) Begin(c *Client, command, query string, cancel context.CancelCauseFunc, goesOn bool) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !goesOn {
		c.stopped = nil
	}
	if c.stopped != nil {
		cancel(c.stopped)
	}
	c.command, c.query, c.since, c.cancel = command, query, time.Now(), cancel
	if l.ending {
		cancel(mysqlerr.Shutdown)
	}
	return c.since
}

// Show notes that what connection id carries out is to be seen as query.
func (l *List) Show(id uint32, query string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.clients[id]; c != nil {
		c.query = query
	}
}

// End notes that c has carried out its command now, and has default database db. It returns when
// that is.
func (l *List) End(c *Client, db string) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.command, c.query, c.db, c.since, c.cancel = "Sleep", "", db, time.Now(), nil
	return c.since
}

// Counts returns how many connections there are, and how many of them carry out a command.
func (l *List) Counts() (connected, running int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.clients {
		if c.cancel != nil {
			running++
		}
	}
	return len(l.clients), running
}

// WireOf returns the wire of the connection whose thread is t, nil if that has not logged in.
func (l *List) WireOf(t tables.Thread) *wire.Conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	if info, ok := t.Snapshot(); ok {
		if c := l.clients[uint32(info.Process)]; c != nil && tables.Thread(c.Thread) == t && c.ready {
			return c.Wire
		}
		return nil
	}
	for _, c := range l.clients { // one that there is no room for among the threads
		if tables.Thread(c.Thread) == t && c.ready {
			return c.Wire
		}
	}
	return nil
}

// Stop stops the statement of connection id, and the connection too if asked; of an event it stops all. It reports
// false if there is neither.
func (l *List) Stop(id uint32, connection bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.events[id]; e != nil {
		e.Cancel(mysqlerr.QueryKilled)
		return true
	}
	c, ok := l.clients[id]
	if !ok {
		return false
	}
	if wake := c.wake; wake != nil && !connection {
		c.wake = nil
		wake()
		return true
	}
	c.stop(mysqlerr.QueryKilled)
	if connection {
		_ = c.Wire.Close()
	}
	return true
}

// Sleeps notes that the statement of c sleeps, and goes on if wake is called, where another one would fail; nil: it sleeps no more.
func (l *List) Sleeps(c *Client, wake func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.wake = wake
}

// Wake ends the SLEEP of the statement of c, and reports false if it does not sleep.
func (l *List) Wake(c *Client) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	wake := c.wake
	if c.wake = nil; wake != nil {
		wake()
	}
	return wake != nil
}

// stop stops the client's statement, if it carries out one, and the statements that are left of its command. The list's lock is held.
func (c *Client) stop(cause error) {
	c.stopped = cause
	if c.cancel != nil {
		c.cancel(cause)
	}
}

// SetCancel notes how a client that has not signed in yet stops waiting, nil if it does not wait. If the server stops, it stops at once.
func (l *List) SetCancel(c *Client, cancel context.CancelCauseFunc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.cancel = cancel; cancel != nil && l.ending {
		cancel(mysqlerr.Shutdown)
	}
}

// Work is what connection or event id is doing, nil if there is none.
func (l *List) Work(id uint32) Work {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.events[id]; e != nil {
		return e.Work
	}
	if c := l.clients[id]; c != nil {
		return c.Work
	}
	return nil
}

// KillAll stops every statement and closes every connection, those to come as well. A client that has asked
// for it gets its answer.
func (l *List) KillAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ending = true
	for _, c := range l.clients {
		if c.Wire.AnswersLast() {
			continue
		}
		c.stop(mysqlerr.Shutdown)
		_ = c.Wire.Close()
	}
}

// Left are the connections that are still there, which it closes.
func (l *List) Left() []sql.Process {
	l.mu.Lock()
	for _, c := range l.clients {
		_ = c.Wire.Close()
	}
	l.mu.Unlock()
	return l.Processes()
}

// cancelGone stops the statements whose client gone says is no longer there.
func (l *List) cancelGone(gone func(*wire.Conn) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.clients {
		if c.cancel != nil && gone(c.Wire) {
			c.stop(mysqlerr.ClientGone)
		}
	}
}

// Processes implements sql.ProcessList.
func (l *List) Processes() (all []sql.Process) {
	l.each(func(p *sql.Process, _ *instr.Thread) { all = append(all, *p) })
	slices.SortFunc(all, func(a, b sql.Process) int { return cmp.Compare(a.Connection, b.Connection) })
	return all
}

// each calls do with each process and its thread, the same memory every time.
func (l *List) each(do func(p *sql.Process, thread *instr.Thread)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var p sql.Process
	for _, c := range l.clients {
		p = sql.Process{
			Connection: c.ID, User: c.user, Host: c.address, Database: c.db,
			Command: sql.ProcessCommand(c.command), Query: c.query, StartedAt: c.since,
		}
		do(&p, c.Thread)
	}
	for _, e := range l.events {
		p = e.process()
		do(&p, e.Thread)
	}
}

// BeginQuery and its sisters are called by procedures; the handler has done what they ask.
func (l *List) BeginQuery(ctx *sql.Context, _ string) (*sql.Context, error) { return ctx, nil }

// EndQuery implements sql.ProcessList.
func (l *List) EndQuery(*sql.Context) {}

// BeginOperation implements sql.ProcessList.
func (l *List) BeginOperation(ctx *sql.Context) (*sql.Context, error) { return ctx, nil }

// EndOperation implements sql.ProcessList.
func (l *List) EndOperation(*sql.Context) {}

// Kill implements sql.ProcessList.
func (l *List) Kill(id uint32) { l.Stop(id, false) }

// Owner is the user of connection id; it reports false if there is no such connection.
func (l *List) Owner(id uint32) (user string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.events[id]; e != nil {
		return e.User, true
	}
	c, ok := l.clients[id]
	if !ok {
		return "", false
	}
	return c.user, true
}

// OnlyUser tells whose processes alone the connection or the event of the calling goroutine may see, as rights.Rights does.
func (l *List) OnlyUser() (user string, only bool) {
	t := instr.Current()
	l.mu.Lock()
	var c *Client
	for _, o := range l.clients {
		if o.Thread == t && t != nil {
			c = o
		}
	}
	var event Work
	for _, e := range l.events {
		if e.Thread == t && t != nil {
			event = e.Work
		}
	}
	l.mu.Unlock()
	switch {
	case c != nil:
		return c.Work.OnlyUser()
	case event != nil:
		return event.OnlyUser()
	}
	return "", false
}

// Thread is the thread of connection or event id, nil if there is neither.
func (l *List) Thread(id uint32) *instr.Thread {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.events[id]; e != nil {
		return e.Thread
	}
	if c := l.clients[id]; c != nil {
		return c.Thread
	}
	return nil
}

// State is what the thread of connection id is doing, "" if nothing.
func (l *List) State(id uint32) string { return l.Thread(id).State() }
