package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"
)

// image is a recording that a test makes.
type image struct {
	t    testing.TB
	path string
	file *os.File
}

func newImage(t testing.TB) *image {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pfsd.1.2")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if err := f.Truncate(recSize); err != nil { // all of it is there, with holes
		t.Fatal(err)
	}
	return &image{t, path, f}
}

// bytesOf is a row as it is in a file.
func bytesOf[R any](row *R) []byte {
	return slices.Clone(unsafe.Slice((*byte)(unsafe.Pointer(row)), unsafe.Sizeof(*row)))
}

// put writes a row to a place of the file.
func put[R any](im *image, at uint64, row R) {
	im.t.Helper()
	if _, err := im.file.WriteAt(unsafe.Slice((*byte)(unsafe.Pointer(&row)), unsafe.Sizeof(row)), int64(at)); err != nil {
		im.t.Fatal(err)
	}
}

// texts is the region of texts in the recordings of tests.
const texts = "?go1.26.8./server" + "net runtime sync" +
	"runtime.goexit\t/go/src/runtime/asm.s:1\n" +
	"sync.(*Mutex).Lock\t/go/src/sync/mutex.go:46\nexample.com/db.(*DB).Begin\t/src/db/tx.go:12\n"

// text is where a text is in texts.
func text(s string) (at, n uint32) { return uint32(strings.Index(texts, s)), uint32(len(s)) }

// header is that of a recording in which a tick is two nanoseconds.
func header() recHeader {
	h := recHeader{
		magic: recMagic, version: recVersion, size: recSize, pid: 4711, ticks0: 1000, nano0: 50, wall0: 1e18,
		ticks1: 2000, nano1: 2050, reached: recSize, classes: 3, threads: 4, text: uint32(len(texts)), procs: 2, files: 3, unshown: 5,
	}
	h.goVersion, h.goVersionLen = text("go1.26.8")
	h.program, h.programLen = text("./server")
	h.std, h.stdLen = text("net runtime sync")
	return h
}

// filled is a recording of a mutex that goroutine 7 holds and goroutine 8 waits for.
func filled(t testing.TB) *image {
	t.Helper()
	im := newImage(t)
	im.fill()
	return im
}

func (im *image) fill() {
	im.t.Helper()
	put(im, 0, header())
	if _, err := im.file.WriteAt([]byte(texts), recAtText); err != nil {
		im.t.Fatal(err)
	}
	start := recClass{kind: recGoroutine, frames: 1}
	start.text, start.textLen = text("runtime.goexit\t/go/src/runtime/asm.s:1\n")
	put(im, classAt(1), start)
	lock := recClass{kind: recMutex, frames: 2, pcs: [recFrames]uint64{77}}
	lock.text, lock.textLen = text(texts[strings.Index(texts, "sync.(*Mutex)"):])
	put(im, classAt(2), lock)

	put(im, recAtThreads+1*recThreadSize, recThread{seq: 4, goid: 7, class: 1, created: 1100, events: 1})
	put(im, recAtThreads+2*recThreadSize, recThread{seq: 4, goid: 8, parent: 7, class: 1, running: 2, object: 5, start: 1500, address: 0xc000})
	put(im, recAtThreads+3*recThreadSize, recThread{seq: 5, goid: 9, class: 1}) // being written

	past := recEvent{seq: 2, goid: 7, id: 1, class: 2, start: 1200, ticks: 100, address: 0xc000}
	put(im, recAtRings+1*recHistory*recEventSize, past)
	put(im, recAtLong+recHistoryLong*recEventSize, past)
	for p := range uint64(2) {
		put(im, statAt(uint32(p), 2), recStatRow{seq: 2, stat: recFileStat{count: 2, ticks: 300, least: ^uint64(100), longest: 200 + p}})
	}
	put(im, recAtObjects+5*recObjectSize, recObject{seq: 2, address: 0xc000, holder: 7, since: 1300, place: 2, stat: recFileStat{count: 1, ticks: 100, least: ^uint64(100), longest: 100}})
	f := recFile{seq: 2, hash: 99, kind: recFileIO, opens: 1, fd: 3, class: 2, len: 5, io: [3]recFileStat{{count: 1, untimed: 1, bytes: 10}}}
	copy(f.name[:], "a.txt")
	put(im, recAtFiles+2*recFileSize, f)
}

func (im *image) open() *Recording {
	im.t.Helper()
	r, err := Open(im.path)
	if err != nil {
		im.t.Fatal(err)
	}
	im.t.Cleanup(func() { _ = r.Close() })
	return r
}

// The sizes that the layout gives are those of the rows, and no region overlaps another.
func TestLayout(t *testing.T) {
	for name, size := range map[string][2]uintptr{
		"class": {unsafe.Sizeof(recClass{}), recClassSize}, "stat": {unsafe.Sizeof(recStatRow{}), recStatSize},
		"thread": {unsafe.Sizeof(recThread{}), recThreadSize}, "event": {unsafe.Sizeof(recEvent{}), recEventSize},
		"file": {unsafe.Sizeof(recFile{}), recFileSize}, "object": {unsafe.Sizeof(recObject{}), recObjectSize},
		"class of work": {unsafe.Sizeof(recWorkClass{}), recWorkClassSize}, "statistics of work": {unsafe.Sizeof(recWorkStat{}), recWorkStatSize},
		"step": {unsafe.Sizeof(recStep{}), recStepSize}, "statement": {unsafe.Sizeof(recStatement{}), recStatementSize}, "work": {unsafe.Sizeof(recWork{}), recWorkSize},
		"waits": {unsafe.Sizeof(recWaits{}), recWaitsSize}, "times": {unsafe.Sizeof(recTimes{}), recTimesSize},
		"holds": {unsafe.Sizeof(recHolds{}), recHoldsSize}, "connection": {unsafe.Sizeof(recConn{}), recConnSize},
	} {
		if size[0] != size[1] {
			t.Errorf("a row %s has %d bytes, not %d", name, size[0], size[1])
		}
	}
	if unsafe.Sizeof(recHeader{}) > recHeadSize {
		t.Error("the header does not fit")
	}
	if recAtWork%8 != 0 || recAtWorkRows%8 != 0 || recAtWorkRings%8 != 0 || recWorkSize%8 != 0 {
		t.Error("rows are not aligned")
	}
	if recMaxClasses > 1<<16 {
		t.Error("an event has no room for a class")
	}
	if recKinds > 32 {
		t.Error("more kinds than words of switches")
	}
}

func TestRead(t *testing.T) {
	r := filled(t).open()
	if info := r.Info(); info.PID != 4711 || info.GoVersion != "go1.26.8" || info.Program != "./server" || !info.Started.Equal(time.Unix(1e9, 0)) {
		t.Errorf("info %+v", info)
	}
	if r.Alive() {
		t.Error("a process that there never was is alive")
	}
	for function, want := range map[string]bool{
		"sync.(*Mutex).Lock": true, "net/http.Get": true, "net.Dial": true, "sync.OnceValue[go.shape.struct { example.com/db.a int }].func1": true,
		"example.com/db.Open": false, "net.example.com/db.Open": false, "net.example.com/db.(*DB).Begin": false, "main.main": false,
		"example.com/db.Get[net/http.Request]": false, "network.Dial": false,
	} {
		if got := r.Standard(function); got != want {
			t.Errorf("%s is standard: %v", function, got)
		}
	}
	c := r.Classes()
	if len(c) != 3 || c[2].Kind != Mutex || len(c[2].Frames) != 2 || c[2].Frames[1] != (Frame{"example.com/db.(*DB).Begin", "/src/db/tx.go", 12}) {
		t.Fatalf("classes %+v", c)
	}
	threads := r.Threads()
	if len(threads) != 2 || threads[0].ID != 7 || threads[0].Created != 200 || threads[1].Parent != 7 {
		t.Fatalf("threads %+v", threads)
	}
	if want := (Event{Thread: 8, ID: 1, Class: 2, Object: 0xc000, Start: 1000, Timed: true}); threads[1].Running != want {
		t.Errorf("running %+v, want %+v", threads[1].Running, want)
	}
	if r.Torn() != 1 {
		t.Errorf("%d torn rows, not that of goroutine 9", r.Torn())
	}
	want := Event{Thread: 7, ID: 1, Class: 2, Object: 0xc000, Start: 400, End: 600, Timed: true}
	if h := r.History(threads[0]); len(h) != 1 || h[0] != want {
		t.Errorf("history %+v", h)
	}
	if h := r.HistoryLong(); len(h) != 1 || h[0] != want {
		t.Errorf("long history %+v", h)
	}
	if s := r.ClassStat(2); s != (Stat{Count: 4, Sum: 1200, Min: 200, Max: 402}) {
		t.Errorf("statistics %+v", s)
	}
	l := r.Locks()
	if len(l) != 1 || l[0].Holder != 7 || l[0].Since != 600 || l[0].Class != 2 || l[0].Stat.Sum != 200 {
		t.Errorf("locks %+v", l)
	}
	f := r.Files()
	if len(f) != 1 || f[0].Name != "a.txt" || f[0].Opens != 1 || f[0].Reads.Bytes != 10 || f[0].Reads.Untimed != 1 {
		t.Errorf("files %+v", f)
	}
	if now := r.Now(); now != 2000 {
		t.Errorf("now %d, not when it last wrote", now)
	}
}

// Who holds a lock is not shown when nobody waits for it any more.
func TestHolderWithoutWaiters(t *testing.T) {
	im := filled(t)
	put(im, recAtThreads+2*recThreadSize, recThread{seq: 6, goid: 8, class: 1})
	if l := im.open().Locks(); len(l) != 1 || l[0].Holder != 0 {
		t.Errorf("locks %+v", l)
	}
}

func TestSwitches(t *testing.T) {
	im := filled(t)
	r, other := im.open(), im.open()
	if err := errors.Join(r.SetKindSwitches(Mutex, Off), r.SetClassSwitches(2, Untimed), r.SetThreadSwitches(r.Threads()[1], NoHistory)); err != nil {
		t.Fatal(err)
	}
	if other.KindSwitches(Mutex) != Off || other.KindSwitches(Cond) != 0 || other.ClassSwitches(2) != Untimed || other.ClassSwitches(1) != 0 {
		t.Error("other switches than those that were set")
	}
	if th, ok := other.Thread(8); !ok || th.Switches != NoHistory || th.Running.Class != 2 {
		t.Errorf("thread %+v", th)
	}
}

func TestRefuse(t *testing.T) {
	for name, test := range map[string]struct {
		change func(h *recHeader)
		want   error
	}{
		"magic":   {func(h *recHeader) { h.magic++ }, ErrNotARecording},
		"version": {func(h *recHeader) { h.version++ }, ErrVersion},
		"size":    {func(h *recHeader) { h.size-- }, ErrNotARecording},
		"beyond":  {func(h *recHeader) { h.reached = recSize + 1 }, ErrNotARecording},
		"reached": {func(h *recHeader) { h.reached = minReached - 1 }, ErrNotARecording},
	} {
		im := newImage(t)
		h := header()
		test.change(&h)
		put(im, 0, h)
		if _, err := Open(im.path); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		} else if name == "size" && !strings.Contains(err.Error(), fmt.Sprintf("has %d bytes, and version %d has %d", recSize-1, recVersion, recSize)) {
			t.Errorf("%s: %v", name, err) // not that version 3 is not version 3
		}
	}
	if _, err := Open(newImage(t).path); !errors.Is(err, ErrNotARecording) {
		t.Errorf("a file without a header: %v", err)
	}
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("a directory is a recording")
	}
}

func TestFind(t *testing.T) {
	im := filled(t)
	dir := filepath.Dir(im.path)
	t.Setenv("PFSD_RECORD", dir)
	if err := os.WriteFile(filepath.Join(dir, "pfsd.none"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{im.path, dir, "4711"} {
		r, err := Find(what)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		_ = r.Close()
	}
	for _, what := range []string{"4712", "nothing", t.TempDir()} {
		if _, err := Find(what); !errors.Is(err, ErrNoRecording) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// The recording of a process that runs is found wherever it is, without PFSD_RECORD. Another file that
// the process has open under such a name is not its recording.
func TestFindOfProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("programs record on linux only")
	}
	t.Setenv("PFSD_RECORD", filepath.Join(t.TempDir(), "missing"))
	pid := strconv.Itoa(os.Getpid())
	other := newImage(t)
	put(other, 0, header()) // of process 4711
	opened := func(from string) {
		t.Helper()
		to := filepath.Join(t.TempDir(), "pfsd."+pid+".1")
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(to)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
	}
	opened(other.path)
	if _, err := Find(pid); !errors.Is(err, ErrNoRecording) || !strings.Contains(err.Error(), "process "+pid) {
		t.Errorf("the recording of another process: %v", err)
	}
	im := newImage(t)
	h := header()
	h.pid = uint64(os.Getpid())
	put(im, 0, h)
	opened(im.path)
	r, err := Find(pid)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Info().PID != h.pid {
		t.Errorf("%+v", r.Info())
	}
}

// What a recording had no room for is what its header says.
func TestLost(t *testing.T) {
	im := filled(t)
	h := header()
	h.lostClasses, h.lostThreads, h.lostFiles, h.lostObjects, h.lostEvents, h.lostTimes = 1, 2, 3, 4, 5, 7
	put(im, 0, h)
	r, err := Find(im.path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	put(im, statAt(0, 0), recStatRow{stat: recFileStat{count: 4}})
	put(im, statAt(1, 0), recStatRow{stat: recFileStat{count: 2}})
	if got, want := r.Lost(), (Lost{Classes: 1, Threads: 2, Files: 3, Locks: 4, Events: 5, Waits: 6, Times: 7}); got != want {
		t.Errorf("lost %+v, want %+v", got, want)
	}
}

// reading is a part of a recording, by the method that reads it. It reads that of some threads.
type reading struct {
	name string
	read func(r *Recording, threads []Thread) []any
}

// each is a reading of something that each of the first rows or threads has.
func each[T any](name string, read func(r *Recording, i uint32) T) reading {
	return reading{name, func(r *Recording, _ []Thread) (all []any) {
		for i := range uint32(20) {
			all = append(all, read(r, i))
		}
		return all
	}}
}

func ofThreads(name string, read func(r *Recording, th Thread) []any) reading {
	return reading{name, func(r *Recording, threads []Thread) (all []any) {
		for _, th := range threads {
			all = append(all, read(r, th)...)
		}
		return all
	}}
}

func one[T any](name string, read func(r *Recording) T) reading {
	return reading{name, func(r *Recording, _ []Thread) []any { return []any{read(r)} }}
}

// values are the results of a method as a list.
func values(all ...any) []any { return all }

// readings are all that can be read.
var readings = []reading{
	one("Info", (*Recording).Info), one("Lost", (*Recording).Lost), one("Unshown", (*Recording).Unshown), one("Now", (*Recording).Now), one("HoldsRecorded", (*Recording).HoldsRecorded),
	one("ThreadRows", (*Recording).ThreadRows), one("HistoryLongSize", (*Recording).HistoryLongSize), one("Classes", (*Recording).Classes),
	each("ClassStat", (*Recording).ClassStat), each("ClassSwitches", (*Recording).ClassSwitches), each("ClassTimes", (*Recording).ClassTimes),
	each("BucketMiddles", (*Recording).BucketMiddles), each("KindSwitches", func(r *Recording, i uint32) Switches { return r.KindSwitches(Kind(i)) }),
	one("Threads", (*Recording).Threads), one("HistoryLong", (*Recording).HistoryLong), one("Files", (*Recording).Files), one("Locks", (*Recording).Locks),
	one("Busy", (*Recording).Busy), one("LockWaiters", (*Recording).LockWaiters), one("Connections", (*Recording).Connections), one("Waited", (*Recording).Waited),
	{"LocksOf", func(r *Recording, threads []Thread) []any { return values(r.LocksOf(threads)) }},
	ofThreads("Thread", func(r *Recording, th Thread) []any { return values(r.Thread(th.ID)) }),
	ofThreads("Unchanged", func(r *Recording, th Thread) []any { return []any{r.Unchanged(th)} }),
	ofThreads("History", func(r *Recording, th Thread) []any { return values(r.History(th)) }),
	ofThreads("ThreadWaits", func(r *Recording, th Thread) []any { return values(r.ThreadWaits(th)) }),
	one("LostWork", (*Recording).LostWork), one("WorkClasses", (*Recording).WorkClasses), one("WorkBucketMiddles", (*Recording).WorkBucketMiddles),
	each("WorkStat", (*Recording).WorkStat), each("WorkSwitches", (*Recording).WorkSwitches), each("WorkTimes", (*Recording).WorkTimes),
	each("WorkHistoryLongSize", func(r *Recording, i uint32) int { return r.WorkHistoryLongSize(Kind(i)) }),
	ofThreads("Work", func(r *Recording, th Thread) []any {
		w, ok := r.Work(th)
		return values(w, ok, w.Statistics(StatementWork), w.Statistics(StageWork), w.Statistics(TransactionWork))
	}),
	ofThreads("Statements", func(r *Recording, th Thread) []any { return values(r.Statements(th)) }),
	ofThreads("Steps", func(r *Recording, th Thread) []any {
		return values(r.Steps(th, StageWork), r.Steps(th, TransactionWork))
	}),
	one("StatementsLong", (*Recording).StatementsLong), one("Holds", (*Recording).Holds),
	each("StepsLong", func(r *Recording, i uint32) []Step { return r.StepsLong(StageWork + Kind(i%2)) }),
}

// readAll reads all of a recording, and returns that.
func readAll(r *Recording) string {
	var all strings.Builder
	threads := r.Threads()
	for _, part := range readings {
		fmt.Fprintln(&all, part.name, part.read(r, threads[:min(len(threads), 20)]))
	}
	return all.String()
}

// Whatever a file contains, the reader does not panic or hang.
func FuzzRecording(f *testing.F) {
	im := filled(f)
	whole := make([]byte, recAtClasses+3*recClassSize)
	if _, err := im.file.ReadAt(whole, 0); err != nil {
		f.Fatal(err)
	}
	f.Add(whole[:recHeadSize], uint32(recAtThreads), whole[recAtClasses:])
	f.Add(whole[:100], uint32(recAtText), []byte(texts))
	worked := working(f)
	for _, part := range [][2]int{{recAtWorkClasses, 5 * recWorkClassSize}, {recAtWorkRows, 2 * recWorkSize}, {recAtStatementsLong, recStatementSize}, {recAtWorkStats, 3 * recWorkStatSize}} {
		rest := make([]byte, part[1])
		if _, err := worked.file.ReadAt(whole[:recHeadSize], 0); err != nil {
			f.Fatal(err)
		}
		if _, err := worked.file.ReadAt(rest, int64(part[0])); err != nil && err != io.EOF {
			f.Fatal(err)
		}
		f.Add(slices.Clone(whole[:recHeadSize]), uint32(part[0]), rest)
	}
	// Rows of statistics, of histograms and of held locks, with numbers that lead elsewhere.
	held := header()
	held.holds = 1
	on := func(h recHeader) []byte { return bytesOf(&h) }
	f.Add(on(held), uint32(recAtWaits+recWaitsSize), bytesOf(&recWaits{seq: 2, goid: 7, classes: [recWaitClasses]uint16{2, 65535}, next: recMaxWaits}))
	f.Add(on(held), uint32(recAtHolds+recHoldsSize), bytesOf(&recHolds{seq: 2, goid: 7, level: 1, n: 1 << 30}))
	f.Add(on(held), uint32(classAt(2)), bytesOf(&recClass{kind: recMutex, times: recMaxTimes}))
	connected := header()
	connected.conns = 1 << 30
	f.Add(on(connected), uint32(recAtConns+recConnSize), bytesOf(&recConn{seq: 2, conn: 1, kind: recPool, goid: 7, state: recConnTaken, nameLen: 65535, textLen: 65535, place: 1 << 30}))
	waited := header()
	waited.waited = 1 << 30
	f.Add(on(waited), uint32(recAtWaited+recWaitedSize), bytesOf(&recWaited{
		seq: 2, address: 0xc000, kind: recWaitedChannel, waiters: 1 << 30, size: 1 << 63, used: 1 << 63, last: [2]recLatest{{goid: 7, ticks: 1 << 63, place: 1 << 30, op: recDidSend}},
	}))
	f.Add(on(header()), uint32(recAtStats), []byte{}) // cut there
	f.Fuzz(func(t *testing.T, head []byte, at uint32, rest []byte) {
		im := working(t)
		for _, part := range []struct {
			at   int64
			text []byte
		}{{int64(at % recSize), rest}, {0, head}} {
			if _, err := im.file.WriteAt(part.text, part.at); err != nil {
				t.Fatal(err)
			}
		}
		// What is not checked at the start may be anything. Fewer rows are read, because reading all takes long.
		valid, h := header(), readRow[recHeader](&Recording{file: im.file}, 0)
		h.magic, h.version, h.size = valid.magic, valid.version, valid.size
		h.reached = max(h.reached%(recSize+1), minReached)
		h.threads %= 2000
		h.procs %= 4
		h.work.rows %= 100
		put(im, 0, h)
		r, err := Open(im.path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		before := readAll(r)
		if err := r.Err(); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(im.path, int64(at%recSize)/2); err != nil { // while it is read
			t.Fatal(err)
		}
		if after := readAll(r); after != before && !errors.Is(r.Err(), ErrCut) {
			t.Errorf("the first %d of %d bytes are there, and it reads something else: %v", at%recSize/2, h.reached, r.Err())
		}
		if cut := int64(at%recSize)/2 < int64(h.reached); cut != errors.Is(reopened(im.path), ErrCut) && int64(at%recSize)/2 >= 8 {
			t.Errorf("the first %d of %d bytes are there: %v", at%recSize/2, h.reached, reopened(im.path))
		}
	})
}
