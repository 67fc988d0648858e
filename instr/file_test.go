package instr

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"
)

// must returns a result that has no error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// check stops at an error.
func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// counts is the numbers of operations and bytes in statistics.
type counts struct{ reads, readBytes, writes, writeBytes, misc uint64 }

func countsOf(s IOStat) counts {
	return counts{s.Read.Count, s.ReadBytes, s.Write.Count, s.WriteBytes, s.Misc.Count}
}

func (c counts) all() uint64 { return c.reads + c.writes + c.misc }

// opsOf is how many events of each operation the long history has for a class.
func opsOf(r *Registry, c *Class) map[string]int {
	n := map[string]int{}
	for _, e := range longEvents(r) {
		if e.Class == c {
			n[e.Op.String()]++
		}
	}
	return n
}

// everyFileOperation does each operation of a File, and returns what must be counted.
func everyFileOperation(t *testing.T, f *File, dir string) (want counts, ops map[string]int) {
	t.Helper()
	buf := make([]byte, 10)
	must(f.Write([]byte("0123456789")))
	must(f.WriteString("abcde"))
	must(f.WriteAt([]byte("xyz"), 20)) // the file has 23 bytes
	must(f.Seek(0, io.SeekStart))
	must(f.Read(buf))
	if got := must(f.Tell()); got != 10 {
		t.Errorf("Tell = %d", got)
	}
	must(f.Seek(0, io.SeekCurrent)) // another tell
	must(f.ReadAt(buf, 5))
	if n, err := f.ReadAt(buf, 20); n != 3 || err != io.EOF {
		t.Errorf("ReadAt at the end = %d, %v", n, err)
	}
	if n, err := f.ReadAt(buf, -1); n != 0 || err == nil {
		t.Errorf("ReadAt before the beginning = %d, %v", n, err)
	}
	check(t, f.Flush())
	check(t, f.Sync())
	must(f.Stat())
	check(t, f.Truncate(12))
	check(t, f.Chmod(0o600))
	_, err := f.ReadDir(-1) // no directory
	if err == nil {
		t.Error("ReadDir of a file succeeds")
	}
	must(f.SyscallConn())
	if f.Fd() == ^uintptr(0) {
		t.Error("Fd of an open file fails")
	}
	return counts{reads: 4, readBytes: 23, writes: 3, writeBytes: 18, misc: 9}, map[string]int{
		"read": 4, "write": 3, "seek": 1, "tell": 2, "flush": 1, "sync": 1, "stat": 1, "chsize": 1, "chmod": 1, "readdir": 1,
	}
}

func TestFileCountsExactly(t *testing.T) {
	for _, threads := range []bool{true, false} {
		r := NewRegistry()
		watchAll(r)
		r.Setup().SetGoroutineThreads(0)
		dir := t.TempDir()
		c := r.NewFileClass("test/data")
		name := filepath.Join(dir, "f")
		var want counts
		var ops map[string]int
		var id uint64
		run := func() {
			f := must(c.Create(name))
			want, ops = everyFileOperation(t, f, dir)
			check(t, f.Close())
			want.misc += 2
			ops["create"]++
			ops["close"]++
			if th := Current(); th != nil {
				id = th.ID()
				if got := th.classWaits(c.Class()).Count; got != want.all() {
					t.Errorf("the thread counts %d, want %d", got, want.all())
				}
			}
		}
		done := make(chan bool)
		start := func() { defer close(done); run() }
		if threads {
			r.Go("test/worker", start)
		} else {
			go start()
		}
		<-done
		in := r.Reader().FileByName(name)
		if got := countsOf(in.IO()); got != want {
			t.Errorf("the instance counts %+v, want %+v", got, want)
		}
		if got := countsOf(c.Class().IO()); got != want {
			t.Errorf("the class counts %+v, want %+v", got, want)
		}
		if got := c.Class().Waits().Count; got != want.all() || in.Waits().Count != want.all() {
			t.Errorf("%d waits, want %d", got, want.all())
		}
		if in.OpenCount() != 0 {
			t.Errorf("open %d times after Close", in.OpenCount())
		}
		events := longEvents(r)
		if !threads || !HasThreadLookup {
			if len(events) != 0 {
				t.Errorf("%d events of a goroutine that is no thread", len(events))
			}
			continue
		}
		if got := opsOf(r, c.Class()); !equalMaps(got, ops) {
			t.Errorf("events %v, want %v", got, ops)
		}
		for _, e := range events {
			if e.Object != in.ID() || e.ThreadID != id || !e.Timed() {
				t.Errorf("%v: %+v", e.Op, e)
			}
			if want := e.Op == OpRead || e.Op == OpWrite || e.Op == OpChsize; e.HasBytes() != want {
				t.Errorf("%v has bytes: %v", e.Op, e.HasBytes())
			}
			if e.Op == OpChsize && e.Bytes != 12 {
				t.Errorf("chsize of %d bytes, want 12", e.Bytes)
			}
		}
		// Resetting an instance takes its counts out of the class, as there they are a sum.
		in.resetWaits()
		if got := c.Class().IO(); got != NoIOStat {
			t.Errorf("after a reset: %+v", got)
		}
	}
}

func equalMaps(a, b map[string]int) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

// Operations by name count in the instance if there is one, else only in the class.
func TestFileClassByName(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	defer r.Attach("test/worker").Detach()
	c := r.NewFileClass("test/data")
	dir := t.TempDir()
	known, unknown := filepath.Join(dir, "known"), filepath.Join(dir, "unknown")
	check(t, os.WriteFile(unknown, nil, 0o600))
	check(t, c.WriteFile(known, []byte("12345"), 0o600))
	in := r.Reader().FileByName(known)
	if got := countsOf(in.IO()); got != (counts{writes: 1, writeBytes: 5, misc: 2}) {
		t.Errorf("WriteFile counts %+v", got)
	}
	if got := must(c.ReadFile(known)); string(got) != "12345" {
		t.Errorf("ReadFile = %q", got)
	}
	// open, stat, read 5, read 0, close
	if got := countsOf(in.IO()); got != (counts{reads: 2, readBytes: 5, writes: 1, writeBytes: 5, misc: 5}) {
		t.Errorf("after ReadFile %+v", got)
	}
	c.Class().Reset()
	byName := func(name string) {
		must(c.Stat(name))
		must(c.Lstat(name))
		check(t, c.Truncate(name, 3))
		check(t, c.Chmod(name, 0o600))
		check(t, c.Chown(name, os.Getuid(), os.Getgid()))
		check(t, c.Chtimes(name, time.Now(), time.Now()))
		check(t, c.Link(name, name+".link"))
		check(t, c.Symlink(name, name+".symlink"))
	}
	byName(known)
	if got := countsOf(in.IO()); got != (counts{misc: 7}) { // the symbolic link is another name
		t.Errorf("by name with an instance: %+v", got)
	}
	byName(unknown)
	if got := countsOf(in.IO()); got != (counts{misc: 7}) {
		t.Errorf("another name's operations count: %+v", got)
	}
	sub := filepath.Join(dir, "a/b")
	check(t, c.MkdirAll(sub, 0o700))
	check(t, c.Mkdir(filepath.Join(sub, "c"), 0o700))
	must(c.ReadDir(sub))
	check(t, c.Remove(filepath.Join(sub, "c")))
	check(t, c.RemoveAll(filepath.Join(dir, "a")))
	if _, err := c.Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there opens: %v", err)
	}
	if _, err := c.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("a file that is not there has a size")
	}
	if got := countsOf(c.Class().IO()); got != (counts{misc: 16 + 7}) {
		t.Errorf("the class counts %+v", got)
	}
	if got := c.Class().Waits().Count; got != 16+7 {
		t.Errorf("the class counts %d waits", got)
	}
	if n := len(instancesOf[*FileInstance](r, KindFile)); n != 1 {
		t.Errorf("%d instances, want 1", n)
	}
	want := map[string]int{"create": 1, "write": 1, "close": 2, "open": 2, "stat": 6, "read": 2, "chsize": 2, "chmod": 6, "link": 4,
		"mkdir": 2, "readdir": 1, "rmdir": 2}
	if got := opsOf(r, c.Class()); HasThreadLookup && !equalMaps(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
}

func TestFileLifeCycle(t *testing.T) {
	r := NewRegistry()
	c, other := r.NewFileClass("test/data"), r.NewFileClass("test/other")
	dir := t.TempDir()
	t.Chdir(dir)
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")

	// All opens of a name share an instance, which belongs to the first class.
	f := must(c.Create("a"))
	g := must(other.Open("./../" + filepath.Base(dir) + "/a"))
	in := r.Reader().FileByName("a")
	if in == nil || in.Name() != a || in.OpenCount() != 2 || in.Class() != c.Class() || len(instancesOf[*FileInstance](r, KindFile)) != 1 {
		t.Fatalf("the instance is %+v", in)
	}
	if r.Reader().Instance(in.ID()) != Instance(in) {
		t.Error("the instance is not found by its id")
	}
	check(t, g.Close())
	if err := g.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("the second Close: %v", err)
	}
	if in.OpenCount() != 1 {
		t.Errorf("open %d times, want 1", in.OpenCount())
	}
	must(f.WriteString("12345"))
	before := countsOf(in.IO()) // create, open, close, close, write
	if before != (counts{writes: 1, writeBytes: 5, misc: 4}) {
		t.Errorf("counted %+v", before)
	}

	// A renamed file keeps its instance, and replaces that of the new name.
	check(t, c.WriteFile("b", []byte("123"), 0o600))
	replaced := r.Reader().FileByName("b")
	check(t, c.Rename("a", "b"))
	if r.Reader().FileByName("a") != nil || r.Reader().FileByName("b") != in || in.Name() != b || len(instancesOf[*FileInstance](r, KindFile)) != 1 {
		t.Errorf("after the renaming %v", names(r))
	}
	if r.Reader().Instance(replaced.ID()) != nil {
		t.Error("the replaced file's instance is still there")
	}
	before.misc++
	if got := countsOf(in.IO()); got != before {
		t.Errorf("the renamed file counts %+v, want %+v", got, before)
	}
	total := before
	total.writes, total.writeBytes, total.misc = total.writes+1, total.writeBytes+3, total.misc+2
	if got := countsOf(c.Class().IO()); got != total {
		t.Errorf("the class counts %+v, want %+v", got, total)
	}
	if err := c.Rename("none", "b"); err == nil || r.Reader().FileByName("b") != in {
		t.Errorf("a renaming that fails (%v) moves an instance", err)
	}
	total.misc++

	// A file that cannot be deleted keeps its instance.
	check(t, c.Mkdir("dir", 0o700))
	d := must(c.Open("dir"))
	check(t, c.WriteFile("dir/x", nil, 0o600))
	dirIn := r.Reader().FileByName("dir")
	if err := c.Remove("dir"); err == nil || r.Reader().FileByName("dir") != dirIn || r.Reader().Instance(dirIn.ID()) != Instance(dirIn) {
		t.Errorf("a deletion that fails (%v) takes the instance away: %v", err, names(r))
	}
	check(t, d.Close())
	total.misc, total.writes = total.misc+1+1+3+1+1-1, total.writes+1 // mkdir, open, create and write and close, rmdir, close

	// Renaming and deleting a directory applies to everything below it.
	check(t, c.Rename("dir", "dir2"))
	if got, want := names(r), []string{b, filepath.Join(dir, "dir2"), filepath.Join(dir, "dir2/x")}; !slices.Equal(got, want) {
		t.Errorf("after renaming a directory %v, want %v", got, want)
	}
	check(t, c.RemoveAll("dir2"))
	if got, want := names(r), []string{b}; !slices.Equal(got, want) {
		t.Errorf("after deleting a directory %v, want %v", got, want)
	}
	total.misc += 2

	// A deleted file's instance goes; what is counted in it later is not lost.
	check(t, c.Remove("b"))
	if r.Reader().FileByName("b") != nil || len(instancesOf[*FileInstance](r, KindFile)) != 0 || r.Reader().Instance(in.ID()) != nil {
		t.Errorf("after the deletion %v", names(r))
	}
	must(f.WriteString("67"))
	total.misc, total.writes, total.writeBytes = total.misc+1, total.writes+1, total.writeBytes+2
	if got := countsOf(c.Class().IO()); got != total {
		t.Errorf("the class counts %+v, want %+v", got, total)
	}
	// The name's next file is another one.
	check(t, c.WriteFile("b", nil, 0o600))
	if next := r.Reader().FileByName("b"); next == nil || next.ID() == in.ID() {
		t.Error("the new file has the deleted one's instance")
	}
	total.misc, total.writes = total.misc+2, total.writes+1
	check(t, f.Close())
	total.misc++
	f = nil
	collected(t, "the deleted file", func() bool {
		c.Class().mu.Lock()
		defer c.Class().mu.Unlock()
		return len(c.Class().hidden) == 0
	})
	if got := countsOf(c.Class().IO()); got != total {
		t.Errorf("the class counts %+v after the deleted file is collected, want %+v", got, total)
	}
	if got := c.Class().Waits().Count; got != total.all() {
		t.Errorf("the class counts %d waits, want %d", got, total.all())
	}
	c.Class().Reset()
	if got := c.Class().IO(); got != NoIOStat {
		t.Errorf("after a reset: %+v", got)
	}
}

// names are the names of the files that exist, sorted.
func names(r *Registry) []string {
	var all []string
	for _, in := range instancesOf[*FileInstance](r, KindFile) {
		all = append(all, in.Name())
	}
	slices.Sort(all)
	return all
}

func TestFileOff(t *testing.T) {
	r := NewRegistry()
	c := r.NewFileClass("test/data")
	c.Class().SetEnabled(false)
	name := filepath.Join(t.TempDir(), "f")
	f := must(c.Create(name))
	everyFileOperation(t, f, "")
	in := r.Reader().FileByName(name)
	if in == nil || in.OpenCount() != 1 {
		t.Fatal("a file opened while its class is off has no instance")
	}
	if got := c.Class().IO(); got != NoIOStat {
		t.Errorf("counted with the instrument off: %+v", got)
	}
	c.Class().SetEnabled(true)
	c.Class().SetTimed(false)
	must(f.WriteAt([]byte("12"), 0))
	if got := in.IO(); got.Write.Count != 1 || got.WriteBytes != 2 || got.Write.Timed() {
		t.Errorf("enabled later, untimed: %+v", got)
	}
	check(t, f.Close())
}

func TestFileZeroValues(t *testing.T) {
	var none *File
	for _, f := range []*File{none, {}} {
		if _, err := f.Read(nil); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("Read: %v", err)
		}
		if _, err := f.WriteAt(nil, 0); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("WriteAt: %v", err)
		}
		for what, err := range map[string]error{
			"Close": f.Close(), "Flush": f.Flush(), "Sync": f.Sync(), "Truncate": f.Truncate(0), "Chmod": f.Chmod(0),
			"SetDeadline": f.SetDeadline(time.Time{}), "Chdir": f.Chdir(),
		} {
			if err == nil {
				t.Errorf("%s succeeds", what)
			}
		}
		if _, err := f.ReadFrom(strings.NewReader("x")); err == nil {
			t.Error("ReadFrom succeeds")
		}
		if _, err := f.WriteTo(io.Discard); err == nil {
			t.Error("WriteTo succeeds")
		}
		if f.Name() != "" {
			t.Error("it has a name")
		}
	}
	var noClass *FileClass
	for _, c := range []*FileClass{noClass, {}} {
		name := filepath.Join(t.TempDir(), "f")
		check(t, c.WriteFile(name, []byte("x"), 0o600))
		f := must(c.Open(name))
		everyRead := must(io.ReadAll(f))
		check(t, f.Close())
		check(t, c.Rename(name, name+"2"))
		check(t, c.Remove(name+"2"))
		if string(everyRead) != "x" || c.Class() != nil {
			t.Errorf("read %q", everyRead)
		}
	}
}

// A File that becomes unreachable is closed by the garbage collector, and then it is not open any
// more.
func TestFileLeaked(t *testing.T) {
	r := NewRegistry()
	c := r.NewFileClass("test/data")
	name := filepath.Join(t.TempDir(), "f")
	func() { must(c.Create(name)) }()
	in := r.Reader().FileByName(name)
	collected(t, "the file", func() bool { return in.OpenCount() == 0 })
	if r.Reader().FileByName(name) != in {
		t.Error("its instance is gone")
	}
}

func TestFileCopies(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	defer r.Attach("test/worker").Detach()
	c := r.NewFileClass("test/data")
	dir := t.TempDir()
	text := strings.Repeat("0123456789", 10_000)
	check(t, os.WriteFile(filepath.Join(dir, "src"), []byte(text), 0o600))
	n := 0
	// Each copy starts with new files and must count this.
	try := func(what string, copy func(dst, src *File) (int64, error), size int, wantSrc, wantDst counts) {
		t.Helper()
		n++
		src := must(c.Open(filepath.Join(dir, "src")))
		dst := must(c.Create(filepath.Join(dir, "dst"+string(rune('a'+n)))))
		c.Class().Reset()
		if got, err := copy(dst, src); err != nil || got != int64(size) {
			t.Errorf("%s: %d, %v", what, got, err)
		}
		if got := countsOf(src.handle.instance.IO()); got != wantSrc {
			t.Errorf("%s: the source counts %+v, want %+v", what, got, wantSrc)
		}
		if got := countsOf(dst.handle.instance.IO()); got != wantDst {
			t.Errorf("%s: the destination counts %+v, want %+v", what, got, wantDst)
		}
		if wantDst.writes > 0 {
			if got := must(os.ReadFile(dst.Name())); string(got) != text[:size] {
				t.Errorf("%s: %d bytes arrived", what, len(got))
			}
		}
		check(t, src.Close())
		check(t, dst.Close())
	}
	all := uint64(len(text))
	oneRead, oneWrite := counts{reads: 1, readBytes: all}, counts{writes: 1, writeBytes: all}
	try("ReadFrom a File", func(dst, src *File) (int64, error) { return dst.ReadFrom(src) }, len(text), oneRead, oneWrite)
	try("WriteTo a File", func(dst, src *File) (int64, error) { return src.WriteTo(dst) }, len(text), oneRead, oneWrite)
	try("io.CopyN", func(dst, src *File) (int64, error) { return io.CopyN(dst, src, 5) }, 5, counts{reads: 1, readBytes: 5}, counts{writes: 1, writeBytes: 5})
	try("ReadFrom an os.File", func(dst, src *File) (int64, error) { return dst.ReadFrom(src.f) }, len(text), counts{}, oneWrite)
	try("WriteTo an os.File", func(dst, src *File) (int64, error) { return src.WriteTo(dst.f) }, len(text), oneRead, counts{})
	try("ReadFrom memory", func(dst, src *File) (int64, error) {
		return dst.ReadFrom(struct{ io.Reader }{strings.NewReader(text[:20])})
	},
		20, counts{}, counts{writes: 1, writeBytes: 20})
	var memory bytes.Buffer
	try("WriteTo memory", func(dst, src *File) (int64, error) { return src.WriteTo(struct{ io.Writer }{&memory}) }, len(text),
		counts{reads: 5, readBytes: all}, counts{}) // four of 32 KiB at the most, and the end
	if memory.String() != text {
		t.Errorf("%d bytes arrived in memory", memory.Len())
	}
}

func TestFileTwoGoroutines(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	c := r.NewFileClass("test/data")
	name := filepath.Join(t.TempDir(), "f")
	f := must(c.Create(name))
	const goroutines, rounds = 2, 500
	var wg sync.WaitGroup
	for i := range goroutines {
		wg.Add(1)
		r.Go("test/worker", func() {
			defer wg.Done()
			for range rounds {
				must(f.WriteAt([]byte("abc"), int64(i*3)))
				must(f.ReadAt(make([]byte, 3), int64(i*3)))
			}
		})
	}
	wg.Wait()
	const n = goroutines * rounds
	if got, want := countsOf(r.Reader().FileByName(name).IO()), (counts{n, 3 * n, n, 3 * n, 1}); got != want {
		t.Errorf("the instance counts %+v, want %+v", got, want)
	}
	// Files are deleted, reopened and renamed while other goroutines work on the same names.
	// Whenever the class is read, nothing that was counted is missing.
	stop, watched := make(chan bool), make(chan bool)
	go func() {
		defer close(watched)
		for last := (counts{}); ; {
			now := countsOf(c.Class().IO())
			if now.all() < last.all() || now.readBytes < last.readBytes || now.writeBytes < last.writeBytes {
				t.Errorf("the class counts %+v after %+v", now, last)
			}
			last = now
			for _, in := range instancesOf[*FileInstance](r, KindFile) {
				if in.Name() == "" || in.OpenCount() < 0 {
					t.Errorf("%q is open %d times", in.Name(), in.OpenCount())
				}
			}
			select {
			case <-stop:
				return
			default:
				runtime.GC() // lets the class take over what is deleted
			}
		}
	}()
	for i := range goroutines {
		wg.Add(1)
		r.Go("test/worker", func() {
			defer wg.Done()
			own := name + string(rune('a'+i))
			for range 50 {
				check := func(err error) {
					if err != nil && !errors.Is(err, fs.ErrNotExist) {
						t.Error(err)
					}
				}
				check(c.WriteFile(own, []byte("xy"), 0o600))
				check(c.Rename(own, name))
				_, err := c.ReadFile(name)
				check(err)
				check(c.Remove(name))
			}
		})
	}
	wg.Wait()
	close(stop)
	<-watched
	check(t, f.Close())
	if got := names(r); len(got) != 0 {
		t.Errorf("left over: %v", got)
	}
	if got, want := c.Class().IO().WriteBytes, uint64(3*n+goroutines*50*2); got != want {
		t.Errorf("the class counts %d bytes written, want %d", got, want)
	}
}

// A File is what package io/fs expects of one.
func TestFileAsFS(t *testing.T) {
	dir := t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, "f"), []byte("hello"), 0o600))
	check(t, os.Mkdir(filepath.Join(dir, "d"), 0o700))
	if err := fstest.TestFS(classFS{NewRegistry().NewFileClass("test/data"), dir}, "f", "d"); err != nil {
		t.Error(err)
	}
}

type classFS struct {
	class *FileClass
	dir   string
}

func (c classFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	f, err := c.class.Open(filepath.Join(c.dir, name))
	if err != nil {
		return nil, err
	}
	return f, nil
}

func TestFileAllocatesNothing(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	defer r.Attach("test/worker").Detach()
	f := must(r.NewFileClass("test/data").Create(filepath.Join(t.TempDir(), "f")))
	defer f.Close()
	b := make([]byte, 100)
	wantNoAllocs(t, "File", func() {
		f.WriteAt(b, 0)
		f.ReadAt(b, 0)
		f.Seek(0, io.SeekStart)
		f.Write(b)
		f.Tell()
		f.Flush()
		f.Truncate(50)
	})
	runtime.KeepAlive(f)
}
