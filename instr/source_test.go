package instr

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// line is the line that it is called in.
func line() int {
	_, _, line, _ := runtime.Caller(1)
	return line
}

// Each method records the line that calls it, and the operations that its documentation names.
func TestSourceIsTheCaller(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	th := r.Attach("test/caller")
	defer th.Detach()
	if !HasThreadLookup {
		t.Skip("this platform finds no thread")
	}
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	files := r.NewFileClass("test/file")
	f := must(files.Create(path("f")))
	defer f.Close()
	d := must(files.Open(dir))
	defer d.Close()
	root := must(os.OpenRoot(dir))
	defer root.Close()
	l, client, server := socketPair(t, r, "tcp", "127.0.0.1:0")
	addr := l.Addr().String()
	var peer *Conn
	var opened *File
	var foreign *ForeignFile
	var wrapped fs.File
	directory := files.DirFS(dir)
	virtual := files.WrapFS(fstest.MapFS{"f": {Data: []byte("text")}}, "virtual")
	var m Mutex
	m.init(r.class(KindMutex, "test/mutex"))
	rw := r.NewRWMutex("test/rwlock")
	rl := rw.RLocker()
	cond := r.NewCond("test/cond", &noLock{})
	// wake wakes the next goroutine that waits.
	wake := func() {
		for cond.waiting() == 0 {
			runtime.Gosched()
		}
		cond.Broadcast()
	}
	queue, semaphore, group := NewChanIn[int](r, "test/queue", 1), r.NewSemaphore("test/slots", 1), r.NewGroup("test/group")
	group.SetLimit(1)
	ended, end := context.WithCancel(context.Background())
	end()
	at := time.Now().Add(time.Hour)
	b := make([]byte, 1)
	none := func(error) {}
	use := func(any, error) {}

	type call struct {
		name, ops string
		do        func() int // makes the call, and returns its line
	}
	calls := []call{
		{"Mutex.Lock", "lock", func() int { m.Lock(); return line() }},
		{"Mutex.TryLock", "try_lock", func() int { m.TryLock(); return line() }},
		{"Mutex.LockAs", "lock", func() int { m.Unlock(); m.LockAs(th); return line() }},
		{"RWMutex.Lock", "write_lock", func() int { rw.Lock(); return line() }},
		{"RWMutex.TryLock", "try_write_lock", func() int { rw.TryLock(); return line() }},
		{"RWMutex.TryRLock", "try_read_lock", func() int { rw.TryRLock(); return line() }},
		{"RWMutex.LockAs", "write_lock", func() int { rw.Unlock(); rw.LockAs(th); return line() }},
		{"RWMutex.RLock", "read_lock", func() int { rw.Unlock(); rw.RLock(); return line() }},
		{"RWMutex.RLockAs", "read_lock", func() int { rw.RLockAs(th); return line() }},
		{"RLocker.Lock", "read_lock", func() int { rl.Lock(); return line() }},
		{"Cond.Wait", "wait", func() int { go wake(); cond.Wait(); return line() }},
		{"Cond.WaitTimeout", "timed_wait", func() int { cond.WaitTimeout(0); return line() }},
		{"Chan.Send", "send", func() int { queue.Send(1); return line() }},
		{"Chan.TrySend", "try_send", func() int { queue.TrySend(1); return line() }},
		{"Chan.SendContext", "send", func() int { none(queue.SendContext(ended, 1)); return line() }},
		{"Chan.Receive", "receive", func() int { queue.Receive(); return line() }},
		{"Chan.TryReceive", "try_receive", func() int { queue.TryReceive(); return line() }},
		{"Chan.ReceiveContext", "receive", func() int { queue.ReceiveContext(ended); return line() }},
		{"Once.Do", "wait", func() int { r.NewOnce("test/once").Do(func() {}); return line() }},
		{"WaitGroup.Wait", "wait", func() int { r.NewWaitGroup("test/group").Wait(); return line() }},
		{"Pool.Get", "create", func() int { r.NewPool("test/pool", func() any { return 1 }).Get(); return line() }},
		{"Semaphore.Acquire", "acquire", func() int { none(semaphore.Acquire(context.Background(), 0)); return line() }},
		{"Semaphore.TryAcquire", "try_acquire", func() int { semaphore.TryAcquire(0); return line() }},
		{"Group.Go", "acquire", func() int { group.Go(func() error { return nil }); return line() }},
		{"Group.Wait", "wait", func() int { none(group.Wait()); return line() }},
		{"ContextWait.Done", "wait", func() int { none(r.NewContextWait("test/end").Done(ended)); return line() }},
		{"ContextWait.Sleep", "timed_wait", func() int { none(r.NewContextWait("test/end").Sleep(ended, 0)); return line() }},
		{"Thread.StartIdle", "idle", func() int { w := th.StartIdle(); defer w.End(); return line() }},

		{"FileClass.Create", "create", func() int { opened, _ = files.Create(path("g")); return line() }},
		{"File.Close", "close", func() int { none(opened.Close()); return line() }},
		{"FileClass.Open", "open", func() int { opened, _ = files.Open(path("g")); return line() }},
		{"FileClass.OpenFile", "create", func() int { use(files.OpenFile(path("h"), 0x42, 0o600)); return line() }},
		{"FileClass.OpenInRoot", "open", func() int { use(files.OpenInRoot(root, "g", os.O_RDONLY, 0)); return line() }},
		{"FileClass.CreateTemp", "create", func() int { use(files.CreateTemp(dir, "x")); return line() }},
		{"FileClass.WriteFile", "create,write,close", func() int { none(files.WriteFile(path("g"), b, 0o600)); return line() }},
		{"FileClass.ReadRegular", "open,stat,read,read,close", func() int { use(files.ReadRegular(path("g"), 1000)); return line() }},
		{"FileClass.OpenRegular", "open,stat", func() int { use(files.OpenRegular(path("g"))); return line() }},
		{"FileClass.ReadFile", "open,stat,read,read,close", func() int { use(files.ReadFile(path("g"))); return line() }},
		{"FileClass.Stat", "stat", func() int { use(files.Stat(path("g"))); return line() }},
		{"FileClass.Lstat", "stat", func() int { use(files.Lstat(path("g"))); return line() }},
		{"FileClass.Truncate", "chsize", func() int { none(files.Truncate(path("g"), 1)); return line() }},
		{"FileClass.Chmod", "chmod", func() int { none(files.Chmod(path("g"), 0o600)); return line() }},
		{"FileClass.Chown", "chmod", func() int { none(files.Chown(path("g"), -1, -1)); return line() }},
		{"FileClass.Chtimes", "chmod", func() int { none(files.Chtimes(path("g"), at, at)); return line() }},
		{"FileClass.Link", "link", func() int { none(files.Link(path("g"), path("l"))); return line() }},
		{"FileClass.Symlink", "link", func() int { none(files.Symlink(path("g"), path("s"))); return line() }},
		{"FileClass.Rename", "rename", func() int { none(files.Rename(path("g"), path("k"))); return line() }},
		{"FileClass.Remove", "delete", func() int { none(files.Remove(path("k"))); return line() }},
		{"FileClass.Mkdir", "mkdir", func() int { none(files.Mkdir(path("d"), 0o700)); return line() }},
		{"FileClass.MkdirAll", "mkdir", func() int { none(files.MkdirAll(path("d/e"), 0o700)); return line() }},
		{"FileClass.ReadDir", "readdir", func() int { use(files.ReadDir(path("d"))); return line() }},
		{"FileClass.RemoveAll", "rmdir", func() int { none(files.RemoveAll(path("d"))); return line() }},
		{"FileClass.Lchown", "chmod", func() int { none(files.Lchown(path("f"), -1, -1)); return line() }},
		{"FileClass.Readlink", "stat", func() int { use(files.Readlink(path("f"))); return line() }},
		{"FileClass.MkdirTemp", "mkdir", func() int { use(files.MkdirTemp(dir, "x")); return line() }},
		{"FileClass.Begin", "stat", func() int { files.Begin(OpStat, path("f")).End(0); return line() }},
		{"FileClass.Opened", "open", func() int { foreign = files.Opened(files.Begin(OpOpen, path("f")), path("f")); return line() }},
		{"ForeignFile.Begin", "read", func() int { foreign.Begin(OpRead).End(1); return line() }},

		{"File.Write", "write", func() int { use(f.Write(b)); return line() }},
		{"File.WriteString", "write", func() int { use(f.WriteString("x")); return line() }},
		{"File.WriteAt", "write", func() int { use(f.WriteAt(b, 1)); return line() }},
		{"File.ReadFrom", "write", func() int { use(f.ReadFrom(struct{ io.Reader }{strings.NewReader("x")})); return line() }},
		{"File.Seek", "seek", func() int { use(f.Seek(0, 0)); return line() }},
		{"File.Tell", "tell", func() int { use(f.Tell()); return line() }},
		{"File.Read", "read", func() int { use(f.Read(b)); return line() }},
		{"File.ReadAt", "read", func() int { use(f.ReadAt(b, 0)); return line() }},
		{"File.WriteTo", "read,read", func() int { use(f.WriteTo(new(bytes.Buffer))); return line() }},
		{"File.Flush", "flush", func() int { none(f.Flush()); return line() }},
		{"File.Sync", "sync", func() int { none(f.Sync()); return line() }},
		{"File.Stat", "stat", func() int { use(f.Stat()); return line() }},
		{"File.Truncate", "chsize", func() int { none(f.Truncate(1)); return line() }},
		{"File.Chmod", "chmod", func() int { none(f.Chmod(0o600)); return line() }},
		{"File.Chown", "chmod", func() int { none(f.Chown(-1, -1)); return line() }},
		{"File.ReadDir", "readdir", func() int { use(d.ReadDir(1)); return line() }},
		{"File.Readdir", "readdir", func() int { use(d.Readdir(1)); return line() }},
		{"File.Readdirnames", "readdir", func() int { use(d.Readdirnames(1)); return line() }},

		{"FileClass.CopyFS", "mkdir,create,write,close", func() int { none(files.CopyFS(path("copy"), fstest.MapFS{"f": {Data: b}})); return line() }},
		{"directory Open", "open", func() int { wrapped = must(directory.Open("f")); return line() }},
		{"directory Close", "close", func() int { none(wrapped.Close()); return line() }},
		{"directory Stat", "stat", func() int { use(directory.(fs.StatFS).Stat("f")); return line() }},
		{"directory ReadDir", "readdir", func() int { use(directory.(fs.ReadDirFS).ReadDir(".")); return line() }},
		{"wrapped ReadDir", "readdir", func() int { use(virtual.(fs.ReadDirFS).ReadDir(".")); return line() }},
		{"wrapped Lstat", "stat", func() int { use(virtual.(fs.ReadLinkFS).Lstat("f")); return line() }},
		{"wrapped Open", "open", func() int { wrapped = must(virtual.Open("f")); return line() }},
		{"wrapped Stat", "stat", func() int { use(virtual.(fs.StatFS).Stat("f")); return line() }},
		{"wrapped Read", "read", func() int { use(wrapped.Read(b)); return line() }},
		{"wrapped ReadAt", "read", func() int { use(wrapped.(io.ReaderAt).ReadAt(b, 0)); return line() }},
		{"wrapped Seek", "seek", func() int { use(wrapped.(io.Seeker).Seek(0, io.SeekStart)); return line() }},
		{"wrapped ReadDir of a file", "open,readdir", func() int { use(must(virtual.Open(".")).(fs.ReadDirFile).ReadDir(-1)); return line() }},
		{"wrapped Close", "close", func() int { none(wrapped.Close()); return line() }},
		{"Registry.Listen", "bind,listen", func() int { l2, _ := r.Listen("tcp", "127.0.0.1:0", "test/l"); defer tidy(l2); return line() }},
		{"Registry.Dial", "connect", func() int { peer, _ = r.Dial("tcp", addr, "test/c"); defer tidy(peer); return line() }},
		{"Listener.Accept", "accept", func() int { c, _ := l.Accept(); defer tidy(c); return line() }},
		{"Registry.DialContext", "connect", func() int { peer, _ = r.DialContext(context.Background(), "tcp", addr, "test/c"); return line() }},
		{"Listener.AcceptConn", "accept", func() int { c, _ := l.AcceptConn(); defer tidy(c); return line() }},
		{"Conn.Close", "close", func() int { none(peer.Close()); return line() }},
		{"Listener.SetDeadline", "opt", func() int { none(l.SetDeadline(at)); return line() }},
		{"Conn.Write", "send", func() int { use(client.Write([]byte("xy"))); return line() }},
		{"Conn.Read", "recv", func() int { use(server.Read(b)); return line() }},
		{"Conn.ReadFrom", "send", func() int { use(client.ReadFrom(struct{ io.Reader }{strings.NewReader("x")})); return line() }},
		{"Conn.SetDeadline", "opt", func() int { none(server.SetDeadline(at)); return line() }},
		{"Conn.SetReadDeadline", "opt", func() int { none(server.SetReadDeadline(at)); return line() }},
		{"Conn.SetWriteDeadline", "opt", func() int { none(server.SetWriteDeadline(at)); return line() }},
		{"Conn.SetNoDelay", "opt", func() int { none(server.SetNoDelay(true)); return line() }},
		{"Conn.SetKeepAlive", "opt", func() int { none(server.SetKeepAlive(true)); return line() }},
		{"Conn.SetKeepAlivePeriod", "opt", func() int { none(server.SetKeepAlivePeriod(time.Hour)); return line() }},
		{"Conn.SetKeepAliveConfig", "opt", func() int { none(server.SetKeepAliveConfig(net.KeepAliveConfig{})); return line() }},
		{"Conn.SetLinger", "opt", func() int { none(server.SetLinger(-1)); return line() }},
		{"Conn.SetReadBuffer", "opt", func() int { none(server.SetReadBuffer(8192)); return line() }},
		{"Conn.SetWriteBuffer", "opt", func() int { none(server.SetWriteBuffer(8192)); return line() }},
		{"Conn.CloseWrite", "shutdown", func() int { none(client.CloseWrite()); return line() }},
		{"Conn.WriteTo", "recv,recv", func() int { use(server.WriteTo(struct{ io.Writer }{new(bytes.Buffer)})); return line() }},
		{"Conn.CloseRead", "shutdown", func() int { none(server.CloseRead()); return line() }},
		{"Listener.Close", "close", func() int { none(l.Close()); return line() }},
	}
	for _, c := range calls {
		r.Reader().TruncateWaitsHistoryLong()
		want := fmt.Sprintf("source_test.go:%d", c.do())
		var ops []string
		for _, e := range longEvents(r) {
			if e.Op == OpSocketClose && c.ops != "close" {
				continue // what the case itself has tidied up
			}
			ops = append(ops, e.Op.String())
			if got := e.Source(); got != want {
				t.Errorf("%s: the source of %v is %s, want %s", c.name, e.Op, got, want)
			}
		}
		if want := strings.Split(c.ops, ","); !slices.Equal(ops, want) {
			t.Errorf("%s: operations %v, want %v", c.name, ops, want)
		}
	}

	// The other methods of these types record nothing.
	silent := strings.Fields(`Mutex.Unlock RWMutex.Unlock RWMutex.RUnlock RWMutex.RLocker Cond.Signal Cond.Broadcast FileClass.Class
		FileClass.DirFS FileClass.WrapFS FileClass.Removed FileClass.Renamed ForeignFile.Close File.Name File.Fd File.SyscallConn File.Chdir File.SetDeadline File.SetReadDeadline File.SetWriteDeadline
		Listener.Addr Listener.Instance Listener.NetListener Listener.SetConnClass Listener.SetConnFunc Listener.SetOwner Listener.SyscallConn
		Conn.Instance Conn.LocalAddr Conn.NetConn Conn.RemoteAddr Conn.SetIdle Conn.SetOwner Conn.SyscallConn`)
	for _, v := range []any{&m, rw, cond, files, f, foreign, l, client} {
		typ := reflect.TypeOf(v)
		for method := range typ.Methods() {
			name := typ.Elem().Name() + "." + method.Name
			if !slices.Contains(silent, name) && !slices.ContainsFunc(calls, func(c call) bool { return c.name == name }) {
				t.Errorf("%s is not tested", name)
			}
		}
	}
}

func tidy(c io.Closer) { _ = c.Close() }

// noLock is a lock that records nothing.
type noLock struct{}

func (noLock) Lock()   {}
func (noLock) Unlock() {}
