package engine

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"net"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/sysvar"
	"pfsd/engine/wire"
	"pfsd/instr"
	"pfsd/tables"
)

// client is one connection. What is not guarded by the list's lock is owned by the
// connection's goroutine.
type client struct {
	id      uint32
	wire    *wire.Conn
	thread  *instr.Thread
	work    *work
	session sql.Session
	// variables are those of the session.
	variables atomic.Pointer[sysvar.Session]
	counted   bool // among the connections whose clients have signed in
	// prepared are the texts whose syntax trees the session keeps for COM_STMT_EXECUTE.
	prepared map[string]struct{}

	// Guarded by clientList.mu.
	user, host, db string
	address        string // host, with the client's port if it has one
	account        accounts.ID
	command        string
	query          string
	since          time.Time
	cancel         context.CancelCauseFunc // of the running statement, else nil
	ready          bool                    // logged in
}

// clientList knows the connections. It is the process list of the SQL engine, which for
// its own book-keeping would have wanted more. Safe for concurrent use.
type clientList struct {
	sql.EmptyProcessList
	mu      *instr.Mutex
	clients map[uint32]*client       // guarded by mu
	events  map[uint32]*runningEvent // guarded by mu
	ending  bool                     // guarded by mu; the server stops
}

func newClientList(reg *instr.Registry) *clientList {
	return &clientList{mu: reg.NewMutex("sql/LOCK_thd_list"), clients: map[uint32]*client{}, events: map[uint32]*runningEvent{}}
}

// add makes c known, and reports false if the server is stopping.
func (l *clientList) add(c *client) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.command, c.user, c.since = "Connect", "unauthenticated user", time.Now()
	l.clients[c.id] = c
	return !l.ending
}

// each calls fn with the connections that have logged in, and the threads that they are.
func (l *clientList) each(fn func(c *client, thread uint64)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.clients {
		if c.variables.Load() != nil {
			fn(c, c.thread.ID())
		}
	}
}

func (l *clientList) remove(c *client) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.clients, c.id)
}

// login tells who c is, and with which account.
func (l *clientList) login(c *client, user, host string, account accounts.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.account, c.address = account, host
	if a, ok := c.wire.RemoteAddr().(*net.TCPAddr); ok && host != "" {
		c.address = net.JoinHostPort(host, strconv.Itoa(a.Port))
	}
	c.user, c.host, c.command, c.since, c.ready = user, host, "Sleep", time.Now(), true
}

// begin notes that c carries out command from now on, and returns when that is; cancel stops it.
func (l *clientList) begin(c *client, command, query string, cancel context.CancelCauseFunc) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.command, c.query, c.since, c.cancel = command, query, time.Now(), cancel
	if l.ending {
		cancel(mysqlerr.Shutdown)
	}
	return c.since
}

// show notes that what connection id carries out is to be seen as query.
func (l *clientList) show(id uint32, query string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.clients[id]; c != nil {
		c.query = query
	}
}

// end notes that c has carried out its command now, and has default database db. It returns when
// that is.
func (l *clientList) end(c *client, db string) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.command, c.query, c.db, c.since, c.cancel = "Sleep", "", db, time.Now(), nil
	return c.since
}

// counts returns how many connections there are, and how many of them carry out a command.
func (l *clientList) counts() (connected, running int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.clients {
		if c.cancel != nil {
			running++
		}
	}
	return len(l.clients), running
}

// wireOf returns the wire of the connection whose thread is t, nil if that has not logged in.
func (l *clientList) wireOf(t tables.Thread) *wire.Conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	if info, ok := t.Snapshot(); ok {
		if c := l.clients[uint32(info.Process)]; c != nil && tables.Thread(c.thread) == t && c.ready {
			return c.wire
		}
		return nil
	}
	for _, c := range l.clients { // one that there is no room for among the threads
		if tables.Thread(c.thread) == t && c.ready {
			return c.wire
		}
	}
	return nil
}

// kill stops the statement of connection id, and the connection too if asked; of an event it stops all. It reports
// false if there is neither.
func (l *clientList) kill(id uint32, connection bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.events[id]; e != nil {
		e.cancel(mysqlerr.QueryKilled)
		return true
	}
	c, ok := l.clients[id]
	if !ok {
		return false
	}
	if c.cancel != nil {
		c.cancel(mysqlerr.QueryKilled)
	}
	if connection {
		_ = c.wire.Close()
	}
	return true
}

// waits notes how a client that has not signed in yet stops waiting, nil if it does not wait.
func (l *clientList) waits(c *client, cancel context.CancelCauseFunc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.cancel = cancel
}

// workOf is the work of a connection, nil if there is none.
func (l *clientList) workOf(id uint32) *work {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.events[id]; e != nil {
		return e.work
	}
	if c := l.clients[id]; c != nil {
		return c.work
	}
	return nil
}

// killAll stops every statement and closes every connection, those to come as well. A client that has asked
// for it gets its answer.
func (l *clientList) killAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ending = true
	for _, c := range l.clients {
		if c.wire.AnswersLast() {
			continue
		}
		if c.cancel != nil {
			c.cancel(mysqlerr.Shutdown)
		}
		_ = c.wire.Close()
	}
}

// left are the connections that are still there, which it closes.
func (l *clientList) left() []sql.Process {
	l.mu.Lock()
	for _, c := range l.clients {
		_ = c.wire.Close()
	}
	l.mu.Unlock()
	return l.Processes()
}

// cancelGone stops the statements whose client gone says is no longer there.
func (l *clientList) cancelGone(gone func(*wire.Conn) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.clients {
		if c.cancel != nil && gone(c.wire) {
			c.cancel(mysqlerr.ClientGone)
		}
	}
}

// Processes implements sql.ProcessList.
func (l *clientList) Processes() (all []sql.Process) {
	l.everyProcess(func(p *sql.Process, _ *instr.Thread) { all = append(all, *p) })
	slices.SortFunc(all, func(a, b sql.Process) int { return cmp.Compare(a.Connection, b.Connection) })
	return all
}

// everyProcess calls do with each process and its thread, the same memory every time.
func (l *clientList) everyProcess(do func(p *sql.Process, thread *instr.Thread)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var p sql.Process
	for _, c := range l.clients {
		p = sql.Process{
			Connection: c.id, User: c.user, Host: c.address, Database: c.db,
			Command: sql.ProcessCommand(c.command), Query: c.query, StartedAt: c.since,
		}
		do(&p, c.thread)
	}
	for _, e := range l.events {
		p = e.process()
		do(&p, e.work.thread)
	}
}

// BeginQuery and its sisters are called by procedures; the handler has done what they ask.
func (l *clientList) BeginQuery(ctx *sql.Context, _ string) (*sql.Context, error) { return ctx, nil }

// EndQuery implements sql.ProcessList.
func (l *clientList) EndQuery(*sql.Context) {}

// BeginOperation implements sql.ProcessList.
func (l *clientList) BeginOperation(ctx *sql.Context) (*sql.Context, error) { return ctx, nil }

// EndOperation implements sql.ProcessList.
func (l *clientList) EndOperation(*sql.Context) {}

// Kill implements sql.ProcessList.
func (l *clientList) Kill(id uint32) { l.kill(id, false) }

// owner is the user of connection id; it reports false if there is no such connection.
func (l *clientList) owner(id uint32) (user string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.events[id]; e != nil {
		return e.user, true
	}
	c, ok := l.clients[id]
	if !ok {
		return "", false
	}
	return c.user, true
}

// onlyUser tells whose processes alone the connection or the event of the calling goroutine may see, as rights.onlyUser does.
func (l *clientList) onlyUser() (user string, only bool) {
	t := instr.Current()
	l.mu.Lock()
	var c *client
	for _, o := range l.clients {
		if o.thread == t && t != nil {
			c = o
		}
	}
	var event *work
	for _, e := range l.events {
		if e.work.thread == t && t != nil {
			event = e.work
		}
	}
	l.mu.Unlock()
	switch {
	case c != nil:
		return c.work.rights.OnlyUser()
	case event != nil:
		return event.rights.OnlyUser()
	}
	return "", false
}

// state is what the thread of connection id is doing, "" if nothing.
func (l *clientList) state(id uint32) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var thread *instr.Thread
	if e := l.events[id]; e != nil {
		thread = e.work.thread
	} else if c := l.clients[id]; c != nil {
		thread = c.thread
	}
	return thread.State()
}

// keepPrepared lets the session forget the texts whose statements are closed: text is new, live are the
// connection's statements.
func (c *client) keepPrepared(text string, live *preparedStatements) {
	if c.prepared == nil {
		c.prepared = map[string]struct{}{}
	}
	c.prepared[preparedKey(text)] = struct{}{}
	if len(c.prepared) <= 2*(len(live.byID)+len(live.byName))+16 {
		return
	}
	open := map[string]struct{}{}
	for _, p := range live.byID {
		open[preparedKey(p.text)] = struct{}{}
	}
	for _, p := range live.byName {
		open[preparedKey(p.text)] = struct{}{}
	}
	for t := range c.prepared {
		if _, ok := open[t]; !ok {
			c.session.UnprepareQuery(t)
			delete(c.prepared, t)
		}
	}
}

// forgetPrepared lets the session forget a text that has not been prepared after all; live are the connection's statements.
func (c *client) forgetPrepared(text string, live *preparedStatements) {
	key := preparedKey(text)
	for _, all := range []iter.Seq[preparedStatement]{maps.Values(live.byID), maps.Values(live.byName)} {
		for p := range all {
			if preparedKey(p.text) == key {
				return
			}
		}
	}
	c.session.UnprepareQuery(key)
}

// preparedKey is what the session knows a prepared text by.
func preparedKey(text string) string { return sql.RemoveSpaceAndDelimiter(text, ';') }
