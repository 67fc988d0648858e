package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"pfsd/instr"
	"pfsd/tables"
)

// ledger is an independent account of instrumented operations, kept by those who carry
// them out. Safe for concurrent use.
type ledger struct {
	mu        sync.Mutex
	threads   map[string]int     // waits by "THREAD EVENT_NAME"
	classes   map[string]*ioTest // by EVENT_NAME
	instances map[string]*ioTest // by the EVENT_NAME of locks, the name of files, the id of sockets
	events    map[string]int     // by "THREAD EVENT_NAME OPERATION"
}

// ioTest is counts as the tables of files and sockets have them.
type ioTest struct{ all, reads, writes, readBytes, writtenBytes int }

func (c *ioTest) add(op string, bytes int) {
	c.all++
	switch op {
	case "read", "recv":
		c.reads++
		c.readBytes += bytes
	case "write", "send":
		c.writes++
		c.writtenBytes += bytes
	}
}

func newLedger() *ledger {
	return &ledger{threads: map[string]int{}, classes: map[string]*ioTest{}, instances: map[string]*ioTest{}, events: map[string]int{}}
}

// note writes down one operation of a thread, "" for none, on an instance, "" for none.
func (l *ledger) note(thread, class, instance, op string, bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if thread != "" {
		l.threads[thread+" "+class]++
		l.events[thread+" "+class+" "+op]++
	}
	object(l.classes, class, func() *ioTest { return new(ioTest) }).add(op, bytes)
	if instance != "" {
		object(l.instances, instance, func() *ioTest { return new(ioTest) }).add(op, bytes)
	}
}

// forget drops an instance: the file is deleted, or the socket closed.
func (l *ledger) forget(instance string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.instances, instance)
}

// rename gives an instance another name.
func (l *ledger) rename(from, to string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.instances[to] = l.instances[from]
	delete(l.instances, from)
}

const (
	mutexClass  = "wait/synch/mutex/count/"
	rwlockClass = "wait/synch/rwlock/count/"
	condClass   = "wait/synch/cond/count/"
	fileClass   = "wait/io/file/count/data"
	socketClass = "wait/io/socket/count/"
)

// counted is what the threads of TestCountsOfTheLibrary share.
type counted struct {
	*ledger
	t       *testing.T
	reg     *instr.Registry
	dir     string
	mutex   *instr.Mutex
	rwlock  *instr.RWMutex
	condMu  *instr.Mutex
	cond    *instr.Cond
	files   *instr.FileClass
	waiting atomic.Int64 // how many are about to wait for cond, or do
}

// TestCountsOfTheLibrary: threads carry out known numbers of operations of every kind at
// the same time, on objects of their own and on common ones, and each table that counts
// has exactly those, before and after the threads have ended.
func TestCountsOfTheLibrary(t *testing.T) {
	const workers = 4
	reg := instr.NewRegistry()
	reg.Setup().SetGoroutineThreads(0) // it counts what goroutines without a thread do, too
	long, short := 1<<17, 10
	r := serve(t, Options{
		Registry: reg, Instruments: []string{"%=ON"}, HistoryLongSize: &long, HistorySize: &short,
		Consumers: map[string]bool{"events_waits_current": true, "events_waits_history": true, "events_waits_history_long": true},
	}, tables.All()...)
	c := &counted{ledger: newLedger(), t: t, reg: reg, dir: t.TempDir(),
		mutex: reg.NewMutex("count/shared"), rwlock: reg.NewRWMutex("count/shared"), files: reg.NewFileClass("count/data")}
	c.condMu = reg.NewMutex("count/cond")
	c.cond = reg.NewCond("count/shared", c.condMu)

	var worked, ended sync.WaitGroup
	leave := make(chan struct{})
	worked.Add(workers)
	for i := range workers {
		ended.Go(func() {
			defer reg.Attach(fmt.Sprintf("count/%d", i)).Detach()
			func() {
				defer worked.Done()
				c.work(i, 50+7*i)
			}()
			<-leave
		})
	}
	c.signal(workers)
	worked.Wait()
	c.check(r, "before the threads end", true)
	close(leave)
	ended.Wait()
	c.check(r, "after the threads have ended", false)

	// What no thread has done is counted too, and gives no event.
	lockN(c.mutex, 3, func() { c.note("", mutexClass+"shared", mutexClass+"shared", "lock", 0) })
	c.check(r, "after a goroutine that is no thread", false)
}

// signal wakes each of n threads that wait for cond, once, from a goroutine that is none.
func (c *counted) signal(n int) {
	lock := mutexClass + "cond"
	for woken := 0; woken < n; {
		c.condMu.Lock()
		c.note("", lock, lock, "lock", 0)
		if c.waiting.Load() > 0 {
			c.waiting.Add(-1)
			c.cond.Signal()
			woken++
		}
		c.condMu.Unlock()
		time.Sleep(100 * time.Microsecond)
	}
}

func lockN(m *instr.Mutex, n int, note func()) {
	for range n {
		m.Lock()
		note()
		m.Unlock()
	}
}

// work is what one thread does, n times where it is not said otherwise.
func (c *counted) work(i, n int) {
	thread := fmt.Sprintf("thread/count/%d", i)
	c.locks(thread, i, n)
	c.conds(thread)
	if err := c.fileWork(thread, i, n); err != nil {
		c.t.Error(err)
	}
	if err := c.socketWork(thread, n); err != nil {
		c.t.Error(err)
	}
	for range n {
		instr.Current().StartIdle().End()
		c.note(thread, "idle", "", "idle", 0)
	}
}

func (c *counted) locks(thread string, i, n int) {
	own := mutexClass + fmt.Sprint(i)
	m := c.reg.NewMutex(own)
	lockN(m, n, func() { c.note(thread, own, own, "lock", 0) })
	shared := mutexClass + "shared"
	lockN(c.mutex, n, func() { c.note(thread, shared, shared, "lock", 0) })
	m.Lock()
	c.note(thread, own, own, "lock", 0)
	for range n / 2 { // it is locked: an attempt that fails counts
		if m.TryLock() {
			c.t.Error("a locked mutex was locked")
		}
		c.note(thread, own, own, "try_lock", 0)
	}
	m.Unlock()
	if !m.TryLock() {
		c.t.Error("a free mutex was not locked")
	}
	c.note(thread, own, own, "try_lock", 0)
	m.Unlock()
	rw := rwlockClass + "shared"
	for k := range n {
		c.rwlock.RLock()
		c.note(thread, rw, rw, "read_lock", 0)
		c.rwlock.RUnlock()
		if k%3 == 0 {
			c.rwlock.Lock()
			c.note(thread, rw, rw, "write_lock", 0)
			c.rwlock.Unlock()
		}
		if c.rwlock.TryRLock() {
			c.rwlock.RUnlock()
		}
		c.note(thread, rw, rw, "try_read_lock", 0)
		if c.rwlock.TryLock() {
			c.rwlock.Unlock()
		}
		c.note(thread, rw, rw, "try_write_lock", 0)
	}
	keep(c.t, m)
}

// keep keeps an object, and with it its rows, to the end of the test.
func keep(t *testing.T, object any) { t.Cleanup(func() { runtime.KeepAlive(object) }) }

// conds waits three times until its time is up, and once to be woken.
func (c *counted) conds(thread string) {
	lock, cond := mutexClass+"cond", condClass+"shared"
	c.condMu.Lock()
	c.note(thread, lock, lock, "lock", 0)
	c.waiting.Add(1)
	c.cond.Wait()
	c.note(thread, cond, cond, "wait", 0)
	c.note(thread, lock, lock, "lock", 0) // again, before it returns
	c.condMu.Unlock()
	own := mutexClass + "timed"
	m := c.reg.NewMutex(own)
	timed := c.reg.NewCond("count/timed", m)
	keep(c.t, m)
	keep(c.t, timed)
	m.Lock()
	c.note(thread, own, own, "lock", 0)
	for range 3 {
		if timed.WaitTimeout(time.Microsecond) {
			c.t.Error("nobody has signalled")
		}
		c.note(thread, condClass+"timed", condClass+"timed", "timed_wait", 0)
		c.note(thread, own, own, "lock", 0)
	}
	m.Unlock()
}

func (c *counted) fileWork(thread string, i, n int) error {
	name := filepath.Join(c.dir, fmt.Sprint("f", i))
	note := func(op string, bytes int) { c.note(thread, fileClass, name, op, bytes) }
	_, missing := c.files.Open(name)
	c.note(thread, fileClass, "", "open", 0) // failed: no file to count it
	f, err := c.files.Create(name)
	note("create", 0)
	if err != nil || !os.IsNotExist(missing) {
		return errors.Join(err, missing)
	}
	var errs []error
	ok := func(err error) { errs = append(errs, err) }
	size := 0
	for k := range n {
		w, err := f.Write(make([]byte, 3*k))
		note("write", w)
		ok(err)
		size += w
	}
	_, err = f.WriteAt([]byte("end"), int64(size))
	note("write", 3)
	ok(err)
	_, err = f.Seek(0, io.SeekStart)
	note("seek", 0)
	ok(err)
	for range n / 2 {
		got, err := f.Read(make([]byte, 11))
		note("read", got)
		ok(err)
	}
	got, err := f.ReadAt(make([]byte, 100), int64(size)) // at the end: fewer than asked for
	note("read", got)
	if got != 3 || err != io.EOF {
		ok(fmt.Errorf("read %d bytes at the end: %w", got, err))
	}
	_, err = f.Tell()
	note("tell", 0)
	ok(err)
	ok(f.Flush())
	note("flush", 0)
	ok(f.Sync())
	note("sync", 0)
	_, err = f.Stat()
	note("stat", 0)
	ok(err)
	_, err = c.files.Stat(name)
	note("stat", 0)
	ok(err)
	ok(f.Truncate(5))
	note("chsize", 0)
	ok(f.Close())
	note("close", 0)
	to := name + "-renamed"
	ok(c.files.Rename(name, to))
	note("rename", 0)
	c.rename(name, to)
	name = to
	f, err = c.files.Open(name)
	note("open", 0)
	ok(err)
	if err == nil {
		ok(f.Close())
		note("close", 0)
	}
	gone := filepath.Join(c.dir, fmt.Sprint("gone", i))
	ok(c.files.WriteFile(gone, make([]byte, 99), 0o600))
	for op, bytes := range map[string]int{"create": 0, "write": 99, "close": 0, "delete": 0} {
		c.note(thread, fileClass, gone, op, bytes)
	}
	ok(c.files.Remove(gone))
	c.forget(gone)
	dir := filepath.Join(c.dir, fmt.Sprint("d", i))
	ok(c.files.Mkdir(dir, 0o700))
	c.note(thread, fileClass, "", "mkdir", 0)
	ok(c.files.Remove(dir))
	c.note(thread, fileClass, "", "rmdir", 0)
	return errors.Join(errs...)
}

func (c *counted) socketWork(thread string, n int) error {
	l, err := c.reg.Listen("tcp", "127.0.0.1:0", "count/listener")
	if err != nil {
		return err
	}
	l.SetConnClass("count/server")
	listener := fmt.Sprint(l.Instance().ID())
	c.note(thread, socketClass+"listener", listener, "bind", 0)
	c.note(thread, socketClass+"listener", listener, "listen", 0)
	out, e1 := c.reg.Dial("tcp", l.Addr().String(), "count/client")
	in, e2 := l.AcceptConn()
	if err := errors.Join(e1, e2); err != nil {
		return err
	}
	client, server := fmt.Sprint(out.Instance().ID()), fmt.Sprint(in.Instance().ID())
	c.note(thread, socketClass+"client", client, "connect", 0)
	c.note(thread, socketClass+"listener", listener, "accept", 0)
	var errs []error
	ok := func(err error) { errs = append(errs, err) }
	recv := func(from *instr.Conn, class, id string, want int) {
		for got := 0; got < want; {
			k, err := from.Read(make([]byte, want-got))
			c.note(thread, class, id, "recv", k)
			if got += k; err != nil {
				ok(err)
				return
			}
		}
	}
	for k := range n {
		w, err := out.Write(make([]byte, 1+k))
		c.note(thread, socketClass+"client", client, "send", w)
		ok(err)
		recv(in, socketClass+"server", server, w)
	}
	w, err := in.Write(make([]byte, 1000))
	c.note(thread, socketClass+"server", server, "send", w)
	ok(err)
	recv(out, socketClass+"client", client, w)
	ok(out.SetNoDelay(true))
	c.note(thread, socketClass+"client", client, "opt", 0)
	ok(out.CloseWrite())
	c.note(thread, socketClass+"client", client, "shutdown", 0)
	if _, err := in.Read(make([]byte, 1)); err != io.EOF {
		ok(fmt.Errorf("after the shutdown: %w", err))
	}
	c.note(thread, socketClass+"server", server, "recv", 0)
	ok(in.Close())
	c.note(thread, socketClass+"server", server, "close", 0)
	c.forget(server)
	c.t.Cleanup(func() { _ = errors.Join(out.Close(), l.Close()) }) // their rows stay
	return errors.Join(errs...)
}

// check compares the tables with the ledger; alive tells whether the threads are.
func (c *counted) check(r *running, when string, alive bool) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	compare := func(what string, got []string, want []string) {
		c.t.Helper()
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			c.t.Errorf("%s: %s\n got %q\nwant %q", when, what, got, want)
		}
	}
	threads := []string{}
	if alive {
		for k, n := range c.threads {
			threads = append(threads, fmt.Sprintf("%s|%d", strings.Replace(k, " ", "|", 1), n))
		}
	}
	compare("by thread", r.query(c.t, `SELECT t.NAME, e.EVENT_NAME, e.COUNT_STAR FROM events_waits_summary_by_thread_by_event_name e
		JOIN threads t USING (THREAD_ID) WHERE t.NAME LIKE 'thread/count/%' AND e.COUNT_STAR > 0`), threads)

	var events []string
	for k, n := range c.events {
		part := strings.Fields(k)
		events = append(events, fmt.Sprintf("%s|%s|%d", part[1], part[2], n))
	}
	events = slices.DeleteFunc(events, func(s string) bool { return strings.HasPrefix(s, "idle|") }) // connections are, too
	compare("history_long", r.query(c.t, `SELECT EVENT_NAME, OPERATION, COUNT(*) FROM events_waits_history_long
		WHERE EVENT_NAME LIKE '%/count/%' GROUP BY THREAD_ID, EVENT_NAME, OPERATION`), events)

	var global, byEventName []string
	for class, n := range c.classes {
		if class == "idle" {
			continue // the server's connections are idle too
		}
		global = append(global, fmt.Sprintf("%s|%d", class, n.all))
		if strings.HasPrefix(class, "wait/io/") {
			byEventName = append(byEventName, class+"|"+n.String())
		}
	}
	compare("global", r.query(c.t, `SELECT EVENT_NAME, COUNT_STAR FROM events_waits_summary_global_by_event_name WHERE EVENT_NAME LIKE '%/count/%'`), global)
	const counts = `COUNT_STAR, COUNT_READ, SUM_NUMBER_OF_BYTES_READ, COUNT_WRITE, SUM_NUMBER_OF_BYTES_WRITE, COUNT_MISC`
	compare("by event name", append(
		r.query(c.t, `SELECT EVENT_NAME, `+counts+` FROM file_summary_by_event_name WHERE EVENT_NAME LIKE '%/count/%'`),
		r.query(c.t, `SELECT EVENT_NAME, `+counts+` FROM socket_summary_by_event_name WHERE EVENT_NAME LIKE '%/count/%'`)...), byEventName)

	var instances, byInstance []string
	for name, n := range c.instances {
		instances = append(instances, fmt.Sprintf("%s|%d", name, n.all))
		if !strings.HasPrefix(name, "wait/synch/") {
			byInstance = append(byInstance, name+"|"+n.String())
		}
	}
	compare("by instance", append(
		r.query(c.t, `SELECT FILE_NAME, `+counts+` FROM file_summary_by_instance WHERE EVENT_NAME LIKE '%/count/%'`),
		r.query(c.t, `SELECT OBJECT_INSTANCE_BEGIN, `+counts+` FROM socket_summary_by_instance WHERE EVENT_NAME LIKE '%/count/%'`)...), byInstance)
	// The locks of one class have one entry in the ledger.
	got := r.query(c.t, `SELECT EVENT_NAME, SUM(COUNT_STAR) FROM events_waits_summary_by_instance WHERE EVENT_NAME LIKE 'wait/synch/%/count/%' GROUP BY EVENT_NAME`)
	got = append(got, r.query(c.t, `SELECT FILE_NAME, w.COUNT_STAR FROM events_waits_summary_by_instance w JOIN file_summary_by_instance f USING (OBJECT_INSTANCE_BEGIN) WHERE f.EVENT_NAME LIKE '%/count/%'`)...)
	got = append(got, r.query(c.t, `SELECT OBJECT_INSTANCE_BEGIN, COUNT_STAR FROM events_waits_summary_by_instance WHERE EVENT_NAME LIKE 'wait/io/socket/count/%'`)...)
	compare("waits by instance", got, instances)
}

func (c *ioTest) String() string {
	return fmt.Sprintf("%d|%d|%d|%d|%d|%d", c.all, c.reads, c.readBytes, c.writes, c.writtenBytes, c.all-c.reads-c.writes)
}

// meter counts what goes over a client's connections. Safe for concurrent use.
type meter struct{ sent, received, conns atomic.Int64 }

type meteredConn struct {
	net.Conn
	m *meter
}

func (c meteredConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.m.received.Add(int64(n))
	return n, err
}

func (c meteredConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.m.sent.Add(int64(n))
	return n, err
}

// connect opens a connection whose bytes m counts.
func (m *meter) connect(t *testing.T, network, addr string) *sql.DB {
	t.Helper()
	mysql.RegisterDialContext(network, func(ctx context.Context, addr string) (net.Conn, error) {
		var d net.Dialer
		c, err := d.DialContext(ctx, "tcp", addr)
		if err != nil {
			return nil, err
		}
		m.conns.Add(1)
		return meteredConn{c, m}, nil
	})
	t.Cleanup(func() { mysql.DeregisterDialContext(network) })
	db, err := sql.Open("mysql", "root@"+network+"("+addr+")/performance_schema")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// TestCountsOfTheServer: what the server's tables say of a connection is what its client
// has sent and received, to the byte, while it lives and when it has ended.
func TestCountsOfTheServer(t *testing.T) {
	reg := instr.NewRegistry()
	r := serve(t, Options{Registry: reg, Instruments: []string{"%=ON"}, MaxAllowedPacket: 64 << 20}, tables.All()...)
	watched, watching := new(meter), new(meter)
	db, admin := watched.connect(t, "watched", r.addr), watching.connect(t, "watching", r.addr)
	number := func(q string, args ...any) (n int64) {
		t.Helper()
		if err := admin.QueryRow(fmt.Sprintf(q, args...)).Scan(&n); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		return n
	}
	var id int64
	if err := db.QueryRow("SELECT CONNECTION_ID()").Scan(&id); err != nil {
		t.Fatal(err)
	}
	thread := number("SELECT THREAD_ID FROM threads WHERE PROCESSLIST_ID = %d", id)
	// A client has its answer before the server has counted the sending of it.
	read := func(column string) int64 {
		return number("SELECT s.%s FROM socket_summary_by_instance s JOIN socket_instances i USING (OBJECT_INSTANCE_BEGIN) WHERE i.THREAD_ID = %d", column, thread)
	}
	settled := func(what string) {
		t.Helper()
		eventually(t, what+": bytes written", func() bool { return read("SUM_NUMBER_OF_BYTES_WRITE") >= watched.received.Load() })
		if got, want := read("SUM_NUMBER_OF_BYTES_WRITE"), watched.received.Load(); got != want {
			t.Errorf("%s: %d bytes written, the client has received %d", what, got, want)
		}
		if got, want := read("SUM_NUMBER_OF_BYTES_READ"), watched.sent.Load(); got != want {
			t.Errorf("%s: %d bytes read, the client has sent %d", what, got, want)
		}
	}
	settled("after login")

	const queries = 100
	reads, writes := read("COUNT_READ"), read("COUNT_WRITE")
	const idles = "SELECT COUNT_STAR FROM events_waits_summary_by_thread_by_event_name WHERE EVENT_NAME = 'idle' AND THREAD_ID = %d"
	idle := number(idles, thread)
	for i := range queries {
		var s string
		if err := db.QueryRow("SELECT REPEAT('x', " + fmt.Sprint(i) + ")").Scan(&s); err != nil || len(s) != i {
			t.Fatal(len(s), err)
		}
	}
	settled("after small queries")
	for column, before := range map[string]int64{"COUNT_READ": reads, "COUNT_WRITE": writes} {
		if got := read(column) - before; got != queries {
			t.Errorf("%s rose by %d in %d queries", column, got, queries)
		}
	}
	if got := number(idles, thread) - idle; got != queries {
		t.Errorf("%d idle events in %d queries", got, queries)
	}

	// Large ones, in both directions: many packets, and many reads and writes.
	var s string
	if err := db.QueryRow("SELECT '" + strings.Repeat("é", 1<<20) + "'").Scan(&s); err != nil || len(s) != 2<<20 {
		t.Fatal(len(s), err)
	}
	settled("after a large query")
	if rows, err := db.Query("SELECT * FROM setup_instruments a CROSS JOIN setup_instruments b"); err != nil {
		t.Fatal(err)
	} else if err := drain(rows); err != nil {
		t.Fatal(err)
	}
	settled("after a large result")
	if got, want := number("SELECT COUNT_STAR FROM events_waits_summary_by_thread_by_event_name WHERE EVENT_NAME = 'wait/io/socket/sql/client_connection' AND THREAD_ID = %d", thread), read("COUNT_STAR"); got != want {
		t.Errorf("the thread has %d operations on its socket, the socket %d", got, want)
	}

	// The class has what all clients have sent, this statement included.
	total := func(when string) {
		t.Helper()
		received := watched.received.Load() + watching.received.Load()
		var sent, written int64
		if err := admin.QueryRow("SELECT SUM_NUMBER_OF_BYTES_READ, SUM_NUMBER_OF_BYTES_WRITE FROM socket_summary_by_event_name WHERE EVENT_NAME = 'wait/io/socket/sql/client_connection'").Scan(&sent, &written); err != nil {
			t.Fatal(err)
		}
		if want := watched.sent.Load() + watching.sent.Load(); sent != want || written != received {
			t.Errorf("%s: %d bytes read, %d written, want %d and %d", when, sent, written, want, received)
		}
	}
	total("while the connection lives")
	_ = db.Close()
	eventually(t, "the thread ends", func() bool { return number("SELECT COUNT(*) FROM threads WHERE THREAD_ID = %d", thread) == 0 })
	if n := number("SELECT COUNT(*) FROM socket_instances WHERE THREAD_ID = %d", thread); n != 0 {
		t.Errorf("%d sockets of a connection that is closed", n)
	}
	total("when the connection has ended")
	if got, want := number("SELECT COUNT_STAR FROM socket_summary_by_event_name WHERE EVENT_NAME = 'wait/io/socket/sql/server_tcpip_socket'"), 2+watched.conns.Load()+watching.conns.Load(); got != want {
		t.Errorf("%d operations on the listener, want bind, listen and %d accepts", got, want-2)
	}

	// The server's own files.
	log := r.options.LogError
	info, err := os.Stat(log)
	if err != nil {
		t.Fatal(err)
	}
	if got := number("SELECT SUM_NUMBER_OF_BYTES_WRITE FROM file_summary_by_instance WHERE FILE_NAME = '%s'", log); got != info.Size() || got == 0 {
		t.Errorf("%d bytes written to the log, which has %d", got, info.Size())
	}
}

// drain reads rows to their end.
func drain(rows *sql.Rows) error {
	for rows.Next() {
	}
	return errors.Join(rows.Err(), rows.Close())
}
