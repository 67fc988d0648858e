package instr

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/quick"
	"time"
)

// limited is a kind of objects with limits: make makes an object of the class NAME, uses it, and
// returns a function that ends it.
type limited struct {
	kind Kind
	make func(t *testing.T, r *Registry, name string) (end func())
}

func limitedKinds(t *testing.T) []limited {
	dir := t.TempDir()
	var files atomic.Int64
	return []limited{
		{KindMutex, func(t *testing.T, r *Registry, name string) func() {
			m := r.NewMutex(name)
			excludes(t, m)
			if m.Lock(); m.TryLock() {
				t.Error("a locked mutex can be locked")
			}
			m.Unlock()
			if !m.TryLock() {
				t.Error("a free mutex cannot be locked")
			}
			m.Unlock()
			return func() { runtime.KeepAlive(m) }
		}},
		{KindRWMutex, func(t *testing.T, r *Registry, name string) func() {
			m := r.NewRWMutex(name)
			excludes(t, m)
			m.RLock()
			m.RLocker().Lock()
			if m.TryLock() || !m.TryRLock() {
				t.Error("readers share the lock with the wrong others")
			}
			for range 3 {
				m.RUnlock()
			}
			m.LockAs(nil)
			m.Unlock()
			return func() { runtime.KeepAlive(m) }
		}},
		{KindCond, func(t *testing.T, r *Registry, name string) func() {
			c := r.NewCond(name, new(sync.Mutex))
			c.L.Lock()
			if c.WaitTimeout(0) {
				t.Error("woken by nobody")
			}
			woken := false
			go func() {
				c.L.Lock()
				woken = true
				c.L.Unlock()
				c.Broadcast()
			}()
			for !woken {
				c.Wait()
			}
			c.L.Unlock()
			return func() { runtime.KeepAlive(c) }
		}},
		{KindFile, func(t *testing.T, r *Registry, name string) func() {
			class, path := r.NewFileClass(name), filepath.Join(dir, fmt.Sprint(files.Add(1)))
			f := must(class.Create(path))
			text := []byte(path)
			must(f.Write(text[:3]))
			must(f.WriteString(string(text[3:])))
			check(t, f.Sync())
			got := make([]byte, len(text))
			if must(f.ReadAt(got, 0)); !bytes.Equal(got, text) {
				t.Errorf("read back %q, want %q", got, text)
			}
			must(f.Seek(0, io.SeekStart))
			if got := must(io.ReadAll(f)); !bytes.Equal(got, text) {
				t.Errorf("read back %q, want %q", got, text)
			}
			check(t, f.Close())
			if err := f.Flush(); err == nil {
				t.Error("a closed file can be flushed")
			}
			if got := must(class.ReadFile(path)); !bytes.Equal(got, text) {
				t.Errorf("read back %q, want %q", got, text)
			}
			return func() {
				if err := class.Remove(path); err != nil {
					t.Error(err)
				}
			}
		}},
		{KindSocket, func(t *testing.T, r *Registry, name string) func() {
			a, b := net.Pipe()
			conn := r.WrapConn(a, name)
			conn.SetOwner(nil)
			conn.SetIdle(true)
			go b.Write([]byte("ping"))
			got := make([]byte, 4)
			if must(io.ReadFull(conn, got)); string(got) != "ping" {
				t.Errorf("received %q", got)
			}
			go conn.Write([]byte("pong"))
			if must(io.ReadFull(b, got)); string(got) != "pong" {
				t.Errorf("sent %q", got)
			}
			return func() {
				if err := conn.Close(); err != nil {
					t.Error(err)
				}
				b.Close()
			}
		}},
	}
}

// excludes checks that two goroutines cannot hold l at the same time.
func excludes(t *testing.T, l sync.Locker) {
	n, both := 0, sync.WaitGroup{}
	for range 2 {
		both.Go(func() {
			for range 50 {
				l.Lock()
				n++
				l.Unlock()
			}
		})
	}
	if both.Wait(); n != 100 {
		t.Errorf("counted to %d under the lock, want 100", n)
	}
}

// all is the objects of a kind that exist.
func (k Kind) all(r *Registry) (all []Instance) {
	for _, c := range r.Reader().Classes() {
		if c.kind == k {
			all = append(all, c.Instances()...)
		}
	}
	return all
}

// classes is the instruments of a kind.
func (k Kind) classes(r *Registry) (n int) {
	for _, c := range r.Reader().Classes() {
		if c.kind == k {
			n++
		}
	}
	return n
}

// wantLost checks that exactly these limits have lost something.
func wantLost(t *testing.T, r *Registry, want map[Limit]uint64) {
	t.Helper()
	for l := range LimitCount {
		if got := r.Reader().Lost(l); got != want[l] {
			t.Errorf("%s: %d lost, want %d", l, got, want[l])
		}
	}
}

// tryLimits calls try for each kind that has the limit limitOf, with several values of the limit.
func tryLimits(t *testing.T, limitOf func(Kind) Limit, try func(t *testing.T, r *Registry, k limited, limit Limit, n int)) {
	for _, k := range limitedKinds(t) {
		limit := limitOf(k.kind)
		for _, n := range []int{0, 1, 3} {
			t.Run(fmt.Sprintf("%s=%d", limit, n), func(t *testing.T) {
				r := NewRegistry()
				watchAll(r)
				r.Setup().SetLimit(limit, n)
				try(t, r, k, limit, n)
			})
		}
	}
}

func TestLimitsOfClasses(t *testing.T) {
	tryLimits(t, func(k Kind) Limit { return kinds[k].classes }, func(t *testing.T, r *Registry, k limited, limit Limit, n int) {
		const names = 5
		for range 2 { // the second time no name is new
			for i := range names {
				end := k.make(t, r, fmt.Sprint("test/", i))
				defer end()
			}
		}
		wantLost(t, r, map[Limit]uint64{limit: uint64(names - n)})
		if got := k.kind.classes(r); got != n {
			t.Errorf("%d classes, want %d", got, n)
		}
		if got := len(k.kind.all(r)); got != 2*n {
			t.Errorf("%d instances, want %d", got, 2*n)
		}
		for i := range names {
			c := r.Reader().ClassByName(fmt.Sprint(kinds[k.kind].prefix, "test/", i))
			if (c != nil) != (i < n) || c != nil && c.Waits().Count == 0 {
				t.Errorf("class %d is %v", i, c)
			}
		}

		// A higher limit only applies to new names.
		r.Setup().SetLimit(limit, n+1)
		defer k.make(t, r, "test/4")()
		defer k.make(t, r, "test/new")()
		defer k.make(t, r, "test/newer")()
		if got := k.kind.classes(r); got != n+1 || r.Reader().ClassByName(kinds[k.kind].prefix+"test/new") == nil {
			t.Errorf("%d classes, want %d with the new one", got, n+1)
		}
		wantLost(t, r, map[Limit]uint64{limit: uint64(names - n + 1)})
	})
}

// A lost class cannot be switched on, and none of its statistics changes.
func TestLostClassStaysOff(t *testing.T) {
	r := NewRegistry()
	r.Setup().SetLimit(LimitFileClasses, 1)
	seen, lost := r.NewFileClass("test/seen"), r.NewFileClass("test/lost")
	c := lost.Class()
	c.SetEnabled(true)
	c.SetTimed(true)
	watchAll(r)
	if c.Enabled() || c.Timed() || c.switches.Load() != 0 || r.classByID(c.id) != nil {
		t.Errorf("enabled %v, timed %v, id %d", c.Enabled(), c.Timed(), c.id)
	}
	// An operation of a lost class does not count for a file of another class, but removing the
	// file does remove its instance.
	path := filepath.Join(t.TempDir(), "f")
	check(t, seen.WriteFile(path, []byte("1"), 0o600))
	before := seen.Class().IO()
	f := must(lost.Open(path))
	must(f.Read(make([]byte, 1)))
	check(t, f.Close())
	must(lost.Stat(path))
	if got := seen.Class().IO(); got != before || r.Reader().FileByName(path).OpenCount() != 0 {
		t.Errorf("the lost class counts in another: %+v, before %+v", got, before)
	}
	check(t, lost.Rename(path, path+"2"))
	if r.Reader().FileByName(path) != nil || r.Reader().FileByName(path+"2") == nil {
		t.Error("a renamed file has its old name")
	}
	check(t, lost.Remove(path+"2"))
	if len(instancesOf[*FileInstance](r, KindFile)) != 0 {
		t.Error("a deleted file is there")
	}
	if s := c.Waits(); s != NoStat {
		t.Errorf("%+v", s)
	}
}

// All kinds of waits together have less than maxClasses classes; further ones are lost in their
// kind. The classes of other families do not count.
func TestLimitOfAllClasses(t *testing.T) {
	r := NewRegistry()
	r.Setup().SetLimit(LimitMutexClasses, -1)
	before := len(r.Reader().FamilyClasses(FamilyWaits))
	for i := range maxClasses {
		r.NewMutex(fmt.Sprint("test/", i))
	}
	for range 2 {
		r.NewRWMutex("test/lock").Lock()
	}
	if got := len(r.Reader().FamilyClasses(FamilyWaits)); got != maxClasses-1 {
		t.Errorf("%d classes, want %d", got, maxClasses-1)
	}
	wantLost(t, r, map[Limit]uint64{LimitMutexClasses: uint64(before + 1), LimitRWMutexClasses: 1})
	if c := r.NewStatementClass("sql/select").Class(); c.ID() != 1 || c.switches.Load() == 0 {
		t.Errorf("%s has the id %d and is off", c.Name(), c.ID())
	}
}

func TestLimitsOfInstances(t *testing.T) {
	tryLimits(t, func(k Kind) Limit { return kinds[k].instances }, func(t *testing.T, r *Registry, k limited, limit Limit, n int) {
		attempts := uint64(1)
		if k.kind == KindFile {
			attempts = 2 // each file is opened twice
		}
		var ends []func()
		for i := range 5 {
			ends = append(ends, k.make(t, r, fmt.Sprint("test/", i%2)))
		}
		lost := attempts * uint64(5-n)
		wantLost(t, r, map[Limit]uint64{limit: lost})
		if got := len(k.kind.all(r)); got != n {
			t.Fatalf("%d instances, want %d", got, n)
		}

		// What exists stays when the limit falls, and new objects are lost.
		r.Setup().SetLimit(limit, 0)
		ends = append(ends, k.make(t, r, "test/0"))
		lost += attempts
		wantLost(t, r, map[Limit]uint64{limit: lost})
		if got := len(k.kind.all(r)); got != n {
			t.Fatalf("%d instances, want %d", got, n)
		}

		// An object that goes frees its place; a lost object has no place to free.
		for _, end := range ends {
			end()
		}
		ends = nil
		collected(t, "what has ended", func() bool { return len(k.kind.all(r)) == 0 })
		if got := r.used[limit].Load(); got != 0 {
			t.Fatalf("%d places are taken when nothing exists", got)
		}
		r.Setup().SetLimit(limit, 2)
		for range 3 {
			ends = append(ends, k.make(t, r, "test/again"))
		}
		if got := len(k.kind.all(r)); got != 2 {
			t.Errorf("%d instances, want 2", got)
		}
		wantLost(t, r, map[Limit]uint64{limit: lost + attempts})
		for _, end := range ends {
			end()
		}
	})
}

// If many objects are made at the same time, exactly as many as the limit allows exist, and all
// others are lost.
func TestLimitsUnderConcurrency(t *testing.T) {
	const goroutines, each = 8, 25
	for _, k := range limitedKinds(t) {
		t.Run(kinds[k.kind].prefix, func(t *testing.T) {
			classes, instances := kinds[k.kind].classes, kinds[k.kind].instances
			r := NewRegistry()
			watchAll(r)
			r.Setup().SetLimit(classes, 7)
			r.Setup().SetLimit(instances, 9)
			run := func(name func(g, i int) string) (ends []func()) {
				var all sync.WaitGroup
				var mu sync.Mutex
				for g := range goroutines {
					all.Go(func() {
						for i := range each {
							end := k.make(t, r, name(g, i))
							mu.Lock()
							ends = append(ends, end)
							mu.Unlock()
						}
					})
				}
				all.Wait()
				return ends
			}
			first := run(func(_, i int) string { return fmt.Sprint("test/", i) })
			if got := k.kind.classes(r); got != 7 {
				t.Errorf("%d classes, want 7", got)
			}
			attempts := uint64(1)
			if k.kind == KindFile {
				attempts = 2
			}
			lost := attempts * (7*goroutines - 9)
			wantLost(t, r, map[Limit]uint64{classes: each - 7, instances: lost})
			name := k.kind.all(r)[0].Class().Name()
			second := run(func(int, int) string { return name })
			wantLost(t, r, map[Limit]uint64{classes: each - 7, instances: lost + attempts*goroutines*each})
			if got := len(k.kind.all(r)); got != 9 {
				t.Errorf("%d instances, want 9", got)
			}
			var all sync.WaitGroup
			for _, end := range append(first, second...) {
				all.Go(end)
			}
			all.Wait()
			collected(t, "everything", func() bool { return len(k.kind.all(r)) == 0 && r.used[instances].Load() == 0 })
		})
	}
}

// The first users of a zero lock together make one instance, or lose one.
func TestLimitsOfZeroValues(t *testing.T) {
	for _, k := range []struct {
		kind Kind
		make func() (use func())
	}{
		{KindMutex, func() func() { m := new(Mutex); return func() { m.Lock(); m.Unlock() } }},
		{KindRWMutex, func() func() { m := new(RWMutex); return func() { m.RLock(); m.RUnlock() } }},
		{KindCond, func() func() {
			c := &Cond{L: new(sync.Mutex)}
			return func() { c.L.Lock(); c.WaitTimeout(0); c.L.Unlock() }
		}},
	} {
		t.Run(kinds[k.kind].prefix, func(t *testing.T) {
			limit := kinds[k.kind].instances
			defer Default.Setup().SetLimit(limit, Default.Setup().Limit(limit))
			// numbers is how many instances of the kind have ever been made.
			numbers := func() (n uint64) {
				for _, c := range Default.Reader().Classes() {
					if c.kind == k.kind {
						c.mu.Lock()
						n += c.nextID
						c.mu.Unlock()
					}
				}
				return n
			}
			for _, l := range []int{-1, 0} {
				Default.Setup().SetLimit(limit, l)
				made, lost := numbers(), Default.Reader().Lost(limit)
				const objects, users = 50, 4
				var uses []func()
				for range objects {
					uses = append(uses, k.make())
				}
				var all sync.WaitGroup
				for range users {
					all.Go(func() {
						for _, use := range uses {
							use()
						}
					})
				}
				all.Wait()
				if made, lost := numbers()-made, Default.Reader().Lost(limit)-lost; made+lost != objects || (made == 0) != (l == 0) || (lost == 0) != (l < 0) {
					t.Errorf("limit %d: %d made and %d lost, of %d", l, made, lost, objects)
				}
			}
		})
	}
}

func TestLimitOfFileInstances(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	r.Setup().SetLimit(LimitFileInstances, 2)
	class, dir := r.NewFileClass("test/file"), t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	create := func(name string) { check(t, class.WriteFile(path(name), []byte(name), 0o600)) }
	want := func(what string, lost uint64, names ...string) {
		t.Helper()
		if got := len(instancesOf[*FileInstance](r, KindFile)); got != len(names) {
			t.Errorf("%s: %d files, want %v", what, got, names)
		}
		for _, name := range names {
			if r.Reader().FileByName(path(name)) == nil {
				t.Errorf("%s: %s is not there", what, name)
			}
		}
		wantLost(t, r, map[Limit]uint64{LimitFileInstances: lost})
	}
	create("a")
	create("b")
	want("full", 0, "a", "b")

	// For a lost file only its opening and operations by name count, in the class.
	before := class.Class().IO()
	create("c")
	want("beyond", 1, "a", "b")
	f := must(class.Open(path("c")))
	must(io.ReadAll(f))
	check(t, f.Close())
	want("again", 2, "a", "b")
	must(class.Stat(path("c")))
	if got, b := countsOf(class.Class().IO()), countsOf(before); got != (counts{b.reads, b.readBytes, b.writes, b.writeBytes, b.misc + 3}) {
		t.Errorf("after a lost file: %+v, before %+v", got, b)
	}
	create("a")
	want("a known file", 2, "a", "b")

	check(t, class.Remove(path("a")))
	want("after delete", 2, "b")
	must(class.ReadFile(path("c")))
	want("c in its place", 2, "b", "c")
	create("d")
	want("full again", 3, "b", "c")

	check(t, class.Rename(path("b"), path("c")))
	want("c replaced", 3, "c")
	create("d")
	want("d in its place", 3, "c", "d")
	check(t, class.Rename(path("c"), path("e")))
	create("f")
	want("renamed without an old file", 4, "d", "e")

	// A lost file that replaces another file frees the place of that file.
	check(t, class.Rename(path("f"), path("e")))
	want("replaced by a lost file", 4, "d")

	// A file that cannot be deleted keeps its place.
	check(t, os.Mkdir(path("dir"), 0o700))
	check(t, os.WriteFile(path("dir/file"), nil, 0o600))
	check(t, must(class.Open(path("dir"))).Close())
	want("directory", 4, "d", "dir")
	if err := class.Remove(path("dir")); err == nil {
		t.Fatal("removed a directory that is not empty")
	}
	want("not deleted", 4, "d", "dir")
	create("g")
	want("full with the directory", 5, "d", "dir")
	check(t, class.RemoveAll(dir))
	want("nothing", 5)
	if got := r.used[LimitFileInstances].Load(); got != 0 {
		t.Errorf("%d places are taken", got)
	}
}

// A file whose deletion fails is shown again, even if another file has taken its place meanwhile.
func TestLimitLetsHiddenFilesReturn(t *testing.T) {
	r := NewRegistry()
	r.Setup().SetLimit(LimitFileInstances, 1)
	class, dir := r.NewFileClass("test/file"), t.TempDir()
	name := filepath.Join(dir, "a")
	check(t, class.WriteFile(name, nil, 0o600))
	gone := r.files.remove(name, false)
	check(t, class.WriteFile(filepath.Join(dir, "b"), nil, 0o600))
	r.files.restore(gone)
	if got := r.used[LimitFileInstances].Load(); len(instancesOf[*FileInstance](r, KindFile)) != 2 || got != 2 {
		t.Errorf("%d files in %d places, want 2", len(instancesOf[*FileInstance](r, KindFile)), got)
	}
	check(t, class.WriteFile(filepath.Join(dir, "c"), nil, 0o600))
	wantLost(t, r, map[Limit]uint64{LimitFileInstances: 1})
}

func TestLimitOfFileHandles(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	r.Setup().SetLimit(LimitFileHandles, 1)
	class, dir := r.NewFileClass("test/file"), t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	first := must(class.Create(a))
	second := must(class.Create(b))
	third := must(class.Open(a))
	wantLost(t, r, map[Limit]uint64{LimitFileHandles: 2})
	in, other := r.Reader().FileByName(a), r.Reader().FileByName(b)
	if in.OpenCount() != 1 || other.OpenCount() != 0 {
		t.Errorf("open %d and %d times, want 1 and 0", in.OpenCount(), other.OpenCount())
	}
	must(first.WriteString("hello"))
	must(second.WriteString("unseen"))
	if got := must(io.ReadAll(third)); string(got) != "hello" {
		t.Errorf("read %q", got)
	}
	check(t, second.Close())
	check(t, third.Close())
	if err := third.Close(); err == nil {
		t.Error("a closed file can be closed")
	}
	if got := countsOf(in.IO()); got != (counts{writes: 1, writeBytes: 5, misc: 2}) {
		t.Errorf("%+v: want one write and two openings", got)
	}
	if got := countsOf(other.IO()); got != (counts{misc: 1}) {
		t.Errorf("%+v: want one opening", got)
	}
	// The places of Files that are closed, once or more often, or collected are free again.
	check(t, first.Close())
	if err := first.Close(); err == nil {
		t.Error("a closed file can be closed")
	}
	func() { must(class.Open(b)) }()
	if other.OpenCount() != 1 {
		t.Error("no place for another File")
	}
	collected(t, "a File that nobody has closed", func() bool { return other.OpenCount() == 0 })
	if got := r.used[LimitFileHandles].Load(); got != 0 {
		t.Errorf("%d places are taken", got)
	}

	// If there is no place for the instance, the File does not count as lost too.
	r.Setup().SetLimit(LimitFileInstances, 0)
	r.Setup().SetLimit(LimitFileHandles, 0)
	check(t, must(class.Create(filepath.Join(dir, "c"))).Close())
	wantLost(t, r, map[Limit]uint64{LimitFileHandles: 2, LimitFileInstances: 1})
}

func TestLimitOfFileHandlesUnderConcurrency(t *testing.T) {
	r := NewRegistry()
	const files, limit = 40, 15
	r.Setup().SetLimit(LimitFileHandles, limit)
	class, dir := r.NewFileClass("test/file"), t.TempDir()
	for range 3 {
		before := r.Reader().Lost(LimitFileHandles)
		open := make([]*File, files)
		var all sync.WaitGroup
		for i := range open {
			all.Go(func() { open[i] = must(class.Create(filepath.Join(dir, fmt.Sprint(i%4)))) })
		}
		all.Wait()
		count := int64(0)
		for _, in := range instancesOf[*FileInstance](r, KindFile) {
			count += in.OpenCount()
		}
		if lost := r.Reader().Lost(LimitFileHandles) - before; count != limit || lost != files-limit {
			t.Errorf("%d open and %d lost, want %d and %d", count, lost, limit, files-limit)
		}
		for _, f := range open {
			all.Go(func() {
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if got := r.used[LimitFileHandles].Load(); got != 0 {
			t.Fatalf("%d places are taken when all are closed", got)
		}
	}
}

// A lost listener accepts connections, each of which takes a place if there is one.
func TestLimitOfListeners(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	th := r.Attach("test/worker")
	defer th.Detach()
	r.Setup().SetLimit(LimitSocketInstances, 0)
	l := must(r.Listen("tcp", "127.0.0.1:0", "test/listener"))
	l.SetConnClass("test/server")
	l.SetOwner(th)
	if l.Instance() != nil || l.Addr() == nil || l.NetListener() == nil || must(l.SyscallConn()) == nil {
		t.Error("a lost listener has an instance, or no listener")
	}
	talk := func() (client, server *Conn) {
		client = must(r.Dial("tcp", l.Addr().String(), "test/client"))
		server = must(l.AcceptConn())
		client.SetOwner(th)
		server.SetOwner(th)
		server.SetIdle(true)
		must(client.Write([]byte("hello")))
		check(t, client.CloseWrite())
		if got := must(io.ReadAll(server)); string(got) != "hello" {
			t.Errorf("received %q", got)
		}
		return client, server
	}
	client, server := talk()
	if client.Instance() != nil || server.Instance() != nil || len(instancesOf[*SocketInstance](r, KindSocket)) != 0 {
		t.Error("a lost connection has an instance")
	}
	check(t, server.SetNoDelay(true))
	check(t, client.Close())
	check(t, server.Close())
	wantLost(t, r, map[Limit]uint64{LimitSocketInstances: 3})

	r.Setup().SetLimit(LimitSocketInstances, 2)
	client, server = talk()
	if c := server.Instance(); c == nil || c.Class().Name() != "wait/io/socket/test/server" || c.Owner() != th.ID() || !c.Idle() {
		t.Errorf("a connection of a lost listener is %+v", c)
	}
	if got := countsOf(server.Instance().IO()); got.readBytes != 5 {
		t.Errorf("%+v", got)
	}
	conn := must(net.Dial("tcp", l.Addr().String()))
	defer conn.Close()
	third := must(l.Accept())
	check(t, third.Close())
	wantLost(t, r, map[Limit]uint64{LimitSocketInstances: 4})
	check(t, client.Close())
	check(t, server.Close())
	check(t, l.SetDeadline(time.Time{}))
	check(t, l.Close())
	if got := r.used[LimitSocketInstances].Load(); got != 0 || len(instancesOf[*SocketInstance](r, KindSocket)) != 0 {
		t.Errorf("%d places are taken when all are closed", got)
	}
	// Operations on a lost socket count nowhere; the operation that makes it counts in its class.
	if got := r.Reader().ClassByName("wait/io/socket/test/listener").Waits().Count; got != 1 {
		t.Errorf("the listener counts %d operations, want its bind alone", got)
	}
}

// Sockets that come and go at random under a limit that changes, against a model.
func TestLimitsAgainstModel(t *testing.T) {
	run := func(seed uint64) bool {
		rng := rand.New(rand.NewPCG(seed, 1))
		r := NewRegistry()
		limit, seen, lost := -1, 0, uint64(0)
		type socket struct {
			conn *Conn
			seen bool
		}
		var open []socket
		for range 200 {
			switch n := rng.IntN(10); {
			case n == 0:
				limit = rng.IntN(8) - 1
				r.Setup().SetLimit(LimitSocketInstances, limit)
			case n < 6:
				a, b := net.Pipe()
				defer b.Close()
				s := socket{r.WrapConn(a, "test/socket"), limit < 0 || seen < limit}
				if open = append(open, s); s.seen {
					seen++
				} else {
					lost++
				}
			case len(open) > 0:
				i := rng.IntN(len(open))
				if open[i].conn.Close(); open[i].seen {
					seen--
				}
				open = append(open[:i], open[i+1:]...)
			}
			if len(instancesOf[*SocketInstance](r, KindSocket)) != seen || r.Reader().Lost(LimitSocketInstances) != lost {
				t.Logf("%d seen and %d lost, want %d and %d", len(instancesOf[*SocketInstance](r, KindSocket)), r.Reader().Lost(LimitSocketInstances), seen, lost)
				return false
			}
			for _, s := range open {
				if (s.conn.Instance() != nil) != s.seen {
					t.Logf("a connection is seen: %v", !s.seen)
					return false
				}
			}
		}
		for _, s := range open {
			s.conn.Close()
		}
		return true
	}
	if err := quick.Check(run, &quick.Config{MaxCount: 20}); err != nil {
		t.Error(err)
	}
}

// atOnce returns a function that returns when n goroutines have called it, in all of them as nearly
// at the same moment as possible.
func atOnce(n int64) func() {
	var here atomic.Int64
	return func() {
		for here.Add(1); here.Load() < n; {
			runtime.Gosched()
		}
	}
}

// Many goroutines take and give back places at the same time.
func TestLimitPlaces(t *testing.T) {
	r := NewRegistry()
	const goroutines, each, limit = 4, 400_000, 900_000
	r.Setup().SetLimit(LimitMutexInstances, limit)
	var taken atomic.Int64
	var all sync.WaitGroup
	together := atOnce(goroutines)
	for range goroutines {
		all.Go(func() {
			together()
			for range each {
				if r.acquire(LimitMutexInstances) {
					taken.Add(1)
				}
			}
		})
	}
	all.Wait()
	if got := r.used[LimitMutexInstances].Load(); got != limit || taken.Load() != limit {
		t.Errorf("%d places are taken, by %d, want %d", got, taken.Load(), limit)
	}
	wantLost(t, r, map[Limit]uint64{LimitMutexInstances: goroutines*each - limit})
	together = atOnce(goroutines)
	for range goroutines {
		all.Go(func() {
			together()
			for range limit / goroutines {
				r.release(LimitMutexInstances)
			}
		})
	}
	all.Wait()
	if got := r.used[LimitMutexInstances].Load(); got != 0 {
		t.Errorf("%d places are taken when all are given back", got)
	}
}

func TestLimitNames(t *testing.T) {
	seen := map[string]Limit{}
	for l := range LimitCount {
		for _, name := range []string{l.String(), l.LostName()} {
			if other, again := seen[name]; again && name != "" {
				t.Errorf("%d and %d are both %s", l, other, name)
			}
			seen[name] = l
		}
		if l.String() == "" || l.Default() > l.Max() || l.Default() < -1 || NewRegistry().Setup().Limit(l) != l.Default() {
			t.Errorf("%d is %q, %d of at most %d", l, l, l.Default(), l.Max())
		}
	}
}
