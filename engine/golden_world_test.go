package engine

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pfsd/instr"
)

// world is what the operations of a golden file act on. An operation is a line
//
//	[THREAD:] VERB OBJECT [ARGUMENT ...]
//
// that names what it makes or uses. Without THREAD it is done by a goroutine that is no
// thread; THREAD: start [CLASS] makes one, of the class test/THREAD unless it says another, and
// THREAD: end ends it. THREAD: connect N makes one that is the connection with this number. An operation that goes on in the background ends with & and is awaited by join.
// Owned by one goroutine.
type world struct {
	t          testing.TB
	reg        *instr.Registry
	dir        string
	class      *instr.FileClass
	actors     map[string]*actor
	mutexes    map[string]*instr.Mutex
	rwlocks    map[string]*instr.RWMutex
	conds      map[string]*instr.Cond
	chans      map[string]*instr.Chan[int]
	semaphores map[string]*instr.Semaphore
	files      map[string]*instr.File
	listeners  map[string]*instr.Listener
	conns      map[string]*instr.Conn
	pools      map[string][]*instr.PoolConn

	statements map[*instr.Thread][]*instr.Statement // that run, of each thread the innermost last
	prepared   map[string]*instr.PreparedStatement
	tables     map[string]*instr.Table
	handles    map[worldTable]*instr.TableHandle
}

// actor does operations on a goroutine of its own.
type actor struct {
	work    chan func()
	done    chan struct{} // one for each work
	thread  *instr.Thread
	pending bool // done is still to be received
}

func newWorld(t testing.TB, reg *instr.Registry) *world {
	w := &world{
		t: t, reg: reg, dir: t.TempDir(), class: reg.NewFileClass("test/data"), actors: map[string]*actor{},
		mutexes: map[string]*instr.Mutex{}, rwlocks: map[string]*instr.RWMutex{}, conds: map[string]*instr.Cond{},
		chans: map[string]*instr.Chan[int]{}, semaphores: map[string]*instr.Semaphore{},
		files: map[string]*instr.File{}, listeners: map[string]*instr.Listener{}, conns: map[string]*instr.Conn{},
		pools: map[string][]*instr.PoolConn{}, statements: map[*instr.Thread][]*instr.Statement{}, prepared: map[string]*instr.PreparedStatement{},
		tables: map[string]*instr.Table{}, handles: map[worldTable]*instr.TableHandle{},
	}
	w.start("", "", 0)
	t.Cleanup(w.close)
	return w
}

// close ends what the file has left running.
func (w *world) close() {
	for _, c := range w.conns {
		_ = c.Close()
	}
	for _, l := range w.listeners {
		_ = l.Close()
	}
	for name, a := range w.actors {
		if a.pending {
			w.t.Errorf("thread %q still works", name)
			continue
		}
		close(a.work)
		<-a.done
	}
	for _, f := range w.files {
		_ = f.Close()
	}
}

// start makes an actor, a thread of the class test/CLASS unless that is empty, and of a
// connection unless process is 0.
func (w *world) start(name, class string, process uint64) {
	a := &actor{work: make(chan func()), done: make(chan struct{})}
	w.actors[name] = a
	go func() {
		defer close(a.done)
		if class != "" {
			if process == 0 {
				a.thread = w.reg.Attach("test/" + class)
			} else {
				a.thread = w.reg.AttachConnection("test/"+class, process)
			}
			defer a.thread.Detach()
		}
		for f := range a.work {
			f()
			a.done <- struct{}{}
		}
	}()
	w.by(a, func() {})
}

// by lets an actor do something.
func (w *world) by(a *actor, f func()) {
	a.work <- f
	<-a.done
}

// do carries out operations and returns the errors they end with.
func (w *world) do(t *testing.T, lines string) string {
	var out strings.Builder
	for line := range strings.Lines(lines) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		name := ""
		if n, ok := strings.CutSuffix(words[0], ":"); ok {
			name, words = n, words[1:]
		}
		a := w.actors[name]
		if a == nil && words[0] != "start" && words[0] != "connect" {
			t.Fatalf("%s: no such thread", line)
		}
		background := words[len(words)-1] == "&"
		if background {
			words = words[:len(words)-1]
		}
		words = append(words, "", "")
		verb, object, arg := words[0], words[1], strings.TrimSpace(strings.Join(words[2:], " "))
		var err error
		op := func() { err = w.operation(verb, object, arg) }
		switch {
		case words[0] == "start":
			w.start(name, cmp.Or(words[1], name), 0)
		case words[0] == "connect":
			process, _ := strconv.ParseUint(words[1], 10, 64)
			w.start(name, name, process)
		case words[0] == "end":
			close(a.work)
			<-a.done
			delete(w.actors, name)
		case words[0] == "join":
			<-a.done
			a.pending = false
		case background:
			a.work <- func() { _ = w.operation(verb, object, arg) }
			a.pending = true
			eventually(t, line+" waits", func() bool { return waits(a.thread, words[0]) })
		default:
			w.by(a, op)
		}
		if err != nil {
			fmt.Fprintf(&out, "%s: %v\n", strings.TrimSpace(line), err)
		}
	}
	return out.String()
}

// waits tells whether a thread is in the middle of the wait that the operation verb is for.
func waits(th *instr.Thread, verb string) bool {
	return slices.ContainsFunc(th.CurrentWaits(nil), func(e instr.WaitEvent) bool {
		return !e.Ended && (verb == "wait") == (e.Class.Kind() == instr.KindCond)
	})
}

func object[T any](all map[string]T, name string, make func() T) T {
	o, ok := all[name]
	if !ok {
		o = make()
		all[name] = o
	}
	return o
}

func (w *world) mutex(name string) *instr.Mutex {
	return object(w.mutexes, name, func() *instr.Mutex { return w.reg.NewMutex("test/" + name) })
}

func (w *world) rwlock(name string) *instr.RWMutex {
	return object(w.rwlocks, name, func() *instr.RWMutex { return w.reg.NewRWMutex("test/" + name) })
}

// cond returns a condition variable, whose lock is the mutex of the same name.
func (w *world) cond(name string) *instr.Cond {
	return object(w.conds, name, func() *instr.Cond { return w.reg.NewCond("test/"+name, w.mutex(name)) })
}

func (w *world) path(name string) string { return filepath.Join(w.dir, name) }

// times does f as often as arg says, once if it says nothing.
func times(arg string, f func()) {
	n := 1
	if arg != "" {
		n, _ = strconv.Atoi(arg)
	}
	for range n {
		f()
	}
}

// operation is one line, on the goroutine of its thread.
func (w *world) operation(verb, name, arg string) (err error) {
	n, _ := strconv.Atoi(arg)
	switch verb {
	// Mutexes.
	case "mutex":
		w.mutex(name)
	case "lock":
		m := w.mutex(name)
		times(arg, func() { m.Lock(); m.Unlock() })
	case "trylock":
		if m := w.mutex(name); m.TryLock() {
			m.Unlock()
		}
	case "hold":
		w.mutex(name).Lock()
	case "release":
		w.mutex(name).Unlock()

	// Readers-writer locks.
	case "rwlock":
		w.rwlock(name)
	case "rlock":
		m := w.rwlock(name)
		times(arg, func() { m.RLock(); m.RUnlock() })
	case "wlock":
		m := w.rwlock(name)
		times(arg, func() { m.Lock(); m.Unlock() })
	case "tryrlock":
		if m := w.rwlock(name); m.TryRLock() {
			m.RUnlock()
		}
	case "trywlock":
		if m := w.rwlock(name); m.TryLock() {
			m.Unlock()
		}
	case "rhold":
		w.rwlock(name).RLock()
	case "rrelease":
		w.rwlock(name).RUnlock()
	case "whold":
		w.rwlock(name).Lock()
	case "wrelease":
		w.rwlock(name).Unlock()

	// Pools of connections: each pool opens one, a thread takes the one that was opened last.
	case "pool":
		pool := w.reg.NewConnPool("test/pool", name)
		times(arg, func() { w.pools[name] = append(w.pools[name], pool.Open()) })
	case "take":
		w.pools[name][len(w.pools[name])-1].Take()
	case "giveback":
		w.pools[name][len(w.pools[name])-1].GiveBack()

	// Channels of four values, and semaphores of four units.
	case "put":
		c := object(w.chans, name, func() *instr.Chan[int] { return instr.NewChanIn[int](w.reg, "test/"+name, 4) })
		times(arg, func() { c.Send(1) })
	case "get":
		times(arg, func() { w.chans[name].Receive() })
	case "acquire":
		s := object(w.semaphores, name, func() *instr.Semaphore { return w.reg.NewSemaphore("test/"+name, 4) })
		times(arg, func() { _ = s.Acquire(context.Background(), 1) })

	// Condition variables.
	case "cond":
		w.cond(name)
	case "wait":
		c := w.cond(name)
		c.L.Lock()
		c.Wait()
		c.L.Unlock()
	case "timedwait": // nobody signals
		c := w.cond(name)
		c.L.Lock()
		times(arg, func() { c.WaitTimeout(time.Microsecond) })
		c.L.Unlock()
	case "signal": // under the lock: who waits has begun to
		c := w.cond(name)
		c.L.Lock()
		c.Signal()
		c.L.Unlock()

	// Files.
	case "create":
		w.files[name], err = w.class.Create(w.path(name))
	case "open":
		w.files[name], err = w.class.OpenFile(w.path(name), os.O_RDWR, 0)
	case "write":
		_, err = w.files[name].Write(make([]byte, n))
	case "read":
		_, err = w.files[name].Read(make([]byte, n))
	case "seek":
		_, err = w.files[name].Seek(int64(n), io.SeekStart)
	case "tell":
		_, err = w.files[name].Tell()
	case "flush":
		err = w.files[name].Flush()
	case "sync":
		err = w.files[name].Sync()
	case "stat":
		_, err = w.files[name].Stat()
	case "truncate":
		err = w.files[name].Truncate(int64(n))
	case "close":
		err = w.files[name].Close()
		delete(w.files, name)
	case "rename":
		err = w.class.Rename(w.path(name), w.path(arg))
	case "delete":
		err = w.class.Remove(w.path(name))
	case "mkdir":
		err = w.class.Mkdir(w.path(name), 0o755)
	case "rmdir":
		err = w.class.Remove(w.path(name))

	// Sockets: listen L, dial CONN L, accept CONN L.
	case "listen":
		w.listeners[name], err = w.reg.Listen("tcp", "127.0.0.1:0", "test/listener")
		if err == nil {
			w.listeners[name].SetConnClass("test/server")
		}
	case "dial":
		w.conns[name], err = w.reg.Dial("tcp", w.listeners[arg].Addr().String(), "test/client")
	case "accept":
		w.conns[name], err = w.listeners[arg].AcceptConn()
	case "own":
		w.conns[name].SetOwner(instr.Current())
	case "send":
		_, err = w.conns[name].Write(make([]byte, n))
	case "recv":
		_, err = w.conns[name].Read(make([]byte, n))
	case "shutdown":
		err = w.conns[name].CloseWrite()
	case "idle":
		w.conns[name].SetIdle(arg == "on")
	case "opt":
		err = w.conns[name].SetNoDelay(true)
	case "hangup":
		err = w.conns[name].Close()
		delete(w.conns, name)
	case "unlisten":
		err = w.listeners[name].Close()
		delete(w.listeners, name)

	// Who the thread works for, as a connection's does after login: login USER HOST.
	case "login":
		instr.Current().SetAccount(name, arg)

	// The statements SELECT a FROM TABLE WHERE b = 1, 2, ... N: statement SCHEMA.TABLE [N].
	case "statement":
		schema, table, _ := strings.Cut(name, ".")
		for i := range max(n, 1) {
			sql := fmt.Sprintf("SELECT a FROM %s WHERE b = %d", table, i+1)
			s := instr.Current().StartStatement(w.reg.NewStatementClass("sql/select"))
			s.SetText(sql)
			s.SetSchema(schema)
			s.SetDigest(w.reg.DigestOf(sql))
			s.Add(instr.RowsSent, 2)
			s.End()
		}

	// Meters and their figures: meter NAME, metric NAME METER.
	case "meter":
		w.reg.NewMeter(name, "A meter for tests.")
	case "metric":
		w.reg.NewMeter(arg, "").NewMetric(instr.MetricCounter, name, "By", "A figure for tests.", func() int64 { return 1 })
	case "gauge":
		w.reg.NewMeter(arg, "").NewFloatMetric(instr.MetricGauge, name, "", "", func() float64 { return 0.5 })

	// Memory of the class test/NAME, N bytes: alloc NAME N, free NAME N.
	case "alloc":
		w.reg.NewMemoryClass("test/" + name).Alloc(n)
	case "free":
		w.reg.NewMemoryClass("test/" + name).Free(n)
	case "share": // what NAME allocates counts for no thread from now on
		w.reg.NewMemoryClass("test/"+name, instr.GlobalStatistics)

	// What the registry has room for: limit VARIABLE N, the variable without performance_schema_.
	case "limit":
		for l := range instr.LimitCount {
			if l.String() == name {
				w.reg.Setup().SetLimit(l, n)
				return nil
			}
		}
		err = fmt.Errorf("unknown limit")

	// The instrument idle, N times.
	case "rest":
		times(name, func() { instr.Current().StartIdle().End() })
	default:
		known := false
		if known, err = w.table(verb, name, arg); !known {
			err = w.session(verb, name, arg)
		}
	}
	return err
}
