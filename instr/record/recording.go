package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// Errors of Open.
var (
	// ErrNotARecording says that a file is no recording, or that its recorder is not ready yet.
	ErrNotARecording = errors.New("not a recording")
	// ErrCut says that the end of a recording's file is missing: it was shortened, or is a copy that broke off.
	ErrCut = errors.New("a recording whose file was cut")
	// ErrVersion says that a recording has another layout than this package.
	ErrVersion = errors.New("a recording of another version")
)

// Kind is the kind of a class.
type Kind uint8

// The kinds.
const (
	Goroutine Kind = recGoroutine
	Place     Kind = recPlace
	Mutex     Kind = recMutex
	ReadLock  Kind = recReadLock
	WriteLock Kind = recWriteLock
	Cond      Kind = recCond
	WaitGroup Kind = recWaitGroup
	Receive   Kind = recReceive
	Send      Kind = recSend
	Select    Kind = recSelect
	Sleep     Kind = recSleep
	Network   Kind = recNetwork
	FileIO    Kind = recFileIO
	SocketIO  Kind = recSocketIO
	Pool      Kind = recPool
	Scheduler Kind = recScheduler
	PauseGC   Kind = recPauseGC
	PauseElse Kind = recPauseElse
	HoldPlace Kind = recHoldPlace // where a lock was got without a wait
	// StatementPlace is the code that began a statement.
	StatementPlace Kind = recWorkPlace
	// HostPool is a wait for a connection of net/http to a host.
	HostPool Kind = recHostPool
	Kinds    Kind = recKinds
)

// Op is the operation of a class of the kind FileIO or SocketIO.
type Op uint8

// The operations.
const (
	NoOp        Op = recNoOp
	OpenFile    Op = recOpenFile
	CloseFile   Op = recCloseFile
	Read        Op = recRead
	Write       Op = recWrite
	Seek        Op = recSeek
	Sync        Op = recSync
	StatFile    Op = recStatFile
	ChangeSize  Op = recChangeSize
	Delete      Op = recDelete
	Rename      Op = recRename
	MakeDir     Op = recMakeDir
	ReadDir     Op = recReadDir
	Link        Op = recLink
	LockFile    Op = recLockFile
	Connect     Op = recConnect
	Accept      Op = recAccept
	SendTo      Op = recSendTo
	ReceiveFrom Op = recReceiveFrom
	Shutdown    Op = recShutdown
)

// Switches are bits that say what is not recorded. Histograms is the other way round: they are
// recorded if it is set.
type Switches uint32

// The bits.
const (
	Off       Switches = recOff
	Untimed   Switches = recUntimed
	NoHistory Switches = recNoHistory
	// Histograms only has an effect on kinds.
	Histograms Switches = recTimed
)

// Recording is a recording. Safe for concurrent use.
type Recording struct {
	file   *os.File
	path   string
	info   Info
	std    map[string]bool
	module string // the path of the main module
	torn   atomic.Uint64

	reached uint64                // bytes that the file had when it was opened, at least
	end     atomic.Uint64         // the last moment of a recording whose process has ended; 0 if it has not, or nobody has asked
	failed  atomic.Pointer[error] // see Err

	mu      sync.Mutex
	classes []Class // guarded by mu; what is in it never changes
	// The same of statements, stages and transactions.
	workClasses []WorkClass
	ids         []uint64 // the goroutines of rows, when one was last looked for; guarded by mu

	seen seen
}

// Info is what does not change in a recording.
type Info struct {
	Path      string
	PID       uint64 // in the PID namespace of the program
	Program   string // the path of its executable
	GoVersion string
	// Overlay is the overlay that the program was built with: the version of Go, and what identifies
	// the generator.
	Overlay string
	Started time.Time
}

// Class is events of one kind that happen at one place in the code.
type Class struct {
	Kind Kind
	Op   Op
	// PC is the innermost return address, and tells places apart within one recording.
	PC uint64
	// Frames are the functions, the innermost first. Of a goroutine it is the start function. After Gap of them others are left out, if it is
	// not 0: the next are the first ones outside of the standard library and in the main module.
	Frames []Frame
	Gap    int
	pcs    [recHoldFrames]uint64
}

// Frame is a line of code.
type Frame struct {
	Function, File string
	Line           int
}

// Stat is statistics. Times are in nanoseconds; Min is the largest number while no event was timed.
// Untimed of the Count events have no times.
type Stat struct{ Count, Untimed, Sum, Min, Max, Bytes uint64 }

// Thread is a goroutine that exists. Times are in nanoseconds since the recording began.
type Thread struct {
	ID, Parent   uint64 // goroutines
	Class, Place uint32 // classes of its start function and of the go statement
	Created      uint64
	Events       uint64 // that have begun, without Running
	Switches     Switches
	Running      Event // the present wait; its Class is 0 if there is none
	// Channels, as the Object of who waits for them: the last one that the goroutine has sent to, or received from, before its last wait began; and the last
	// one with room for values of no size that it, or who began it before that, has sent to, and not received from since. 0 if there is none.
	Sent, Received, Took uint64
	Signals              uint32 // how often the condition variable that it waits for had been signalled when the wait began
	Group                uint64 // the WaitGroup whose method Go has begun it, as the Object of those who wait for it; 0 if none has
	object               uint32
	slot                 uint32
	work                 uint32
	seq                  uint64 // of the row
}

// Event is a wait. Its times are in nanoseconds since the recording began, 0 if Timed is false.
type Event struct {
	Thread     uint64 // goroutine
	ID         uint64 // its number among those of the goroutine, from 1
	Class      uint32
	Object     uint64 // the ID of a File, or the address of a lock, channel or condition; 0 if there is none
	Bytes      uint64
	Start, End uint64
	Timed      bool
	NestingID  uint64 // the event that it is part of, 0 if there is none
	Nesting    Nesting
	// Spins is how often a wait for a mutex that has ended looked at the mutex again before it slept or had it.
	Spins uint32
}

// File is a file, known by the name that it was opened with, or a socket.
type File struct {
	ID                 uint64
	Kind               Kind // FileIO or SocketIO
	Name               string
	Opens              uint32
	FD                 uint32
	Class              uint32 // of an operation on it, 0 if there was none
	Reads, Writes, All Stat   // All is the operations that neither read nor write
}

// Open opens a recording. The errors are ErrNotARecording, ErrCut, ErrVersion and those of files; they name the file.
func Open(path string) (*Recording, error) {
	r, err := open(path)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// open is Open. With ErrCut and ErrVersion it returns a closed Recording as well, which has its Info only.
func open(path string) (*Recording, error) {
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0) // opening a pipe would wait for another process
	if errors.Is(err, os.ErrPermission) {
		f, err = os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	}
	if err != nil {
		return nil, err
	}
	r := &Recording{file: f, path: path, classes: make([]Class, 1)}
	if err := r.open(); err != nil {
		_ = f.Close()
		return r, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// minReached is less than any recorder has reserved when its header is complete.
const minReached = recAtWaits + recWaitsSize

func (r *Recording) open() error {
	if file, err := r.file.Stat(); err != nil || !file.Mode().IsRegular() {
		return ErrNotARecording
	}
	h := r.head()
	file, err := r.file.Stat() // after the header: before, it may have had none
	if err != nil {
		return err
	}
	r.info = Info{Path: r.path, PID: h.pid, Started: time.Unix(0, int64(min(h.wall0, math.MaxInt64)))}
	if h.wall0 == 0 { // the header is not all there
		r.info.Started = file.ModTime()
	}
	switch {
	case h.magic != recMagic:
		return ErrNotARecording
	case file.Size() < recHeadSize:
		return fmt.Errorf("%w: %d of the first %d bytes are there", ErrCut, file.Size(), recHeadSize)
	case h.version != recVersion:
		return fmt.Errorf("%w: %d, not %d", ErrVersion, h.version, recVersion)
	case h.size != recSize:
		return fmt.Errorf("%w: its head says that it has %d bytes, and version %d has %d; the head is damaged", ErrNotARecording, h.size, recVersion, recSize)
	case h.reached > recSize:
		return fmt.Errorf("%w: its head says that %d of %d bytes are there; the head is damaged", ErrNotARecording, h.reached, recSize)
	}
	r.reached = minReached
	if err := r.check(); err != nil {
		return err
	}
	if h.reached < minReached {
		return fmt.Errorf("%w: its head says that only %d bytes are there; the head is damaged", ErrNotARecording, h.reached)
	}
	r.reached = max(h.reached, uint64(file.Size())) // a file never becomes shorter
	r.info.Program, r.info.GoVersion, r.info.Overlay = r.text(h.program, h.programLen), r.text(h.goVersion, h.goVersionLen), r.text(h.overlay, h.overlayLen)
	r.std = map[string]bool{}
	for _, name := range strings.Fields(r.text(h.std, h.stdLen)) {
		r.std[name] = true
	}
	r.module = r.text(h.module, h.moduleLen)
	return r.Err()
}

// Close closes the file. No other method may be called afterwards.
func (r *Recording) Close() error { return r.file.Close() }

// Info returns what does not change.
func (r *Recording) Info() Info { return r.info }

// Torn is how many rows were left out because they kept changing, or were being written when the
// process ended.
func (r *Recording) Torn() uint64 { return r.torn.Load() }

// Lost is how much was not recorded because there was no room: places in the code, goroutines,
// files, locks, events, events in the statistics of goroutines and in histograms, waits for locks of goroutines without a row, connections of pools, and
// waits for channels and the like.
type Lost struct{ Classes, Threads, Files, Locks, Events, Waits, Times, LockWaits, Connections, Waited uint64 }

// Lost is what was not recorded.
func (r *Recording) Lost() Lost {
	h := r.head()
	return Lost{h.lostClasses, h.lostThreads, h.lostFiles, h.lostObjects, h.lostEvents, r.lostWaits(h.procs), h.lostTimes, h.lostLockWaits, h.lostConns, h.lostWaited}
}

// Unshown is how many goroutines exist that Threads has only while they wait for locks.
func (r *Recording) Unshown() uint64 { return r.head().unshown }

// Standard reports whether the package of a function belongs to the standard library.
func (r *Recording) Standard(function string) bool {
	name := function
	if i := strings.IndexAny(name, "[("); i >= 0 { // type arguments and receivers may have paths of their own
		name = name[:i]
	}
	first, _, inside := strings.Cut(name, "/")
	if !inside {
		first, _, _ = strings.Cut(name, ".")
	}
	return r.std[first]
}

// Own reports whether a function belongs to the main module.
func (r *Recording) Own(function string) bool {
	rest, ok := strings.CutPrefix(function, r.module)
	return strings.HasPrefix(function, "main.") || ok && r.module != "" && rest != "" && (rest[0] == '.' || rest[0] == '/')
}

// readRow copies a row that starts at a place of the file. R has no pointers.
func readRow[R any](r *Recording, at uint64) R {
	var row R
	r.read(at, unsafe.Slice((*byte)(unsafe.Pointer(&row)), unsafe.Sizeof(row)))
	return row
}

func (r *Recording) head() recHeader { return readRow[recHeader](r, 0) }

// text is a text of the file, "" if it is not within its bounds.
func (r *Recording) text(at, n uint32) string {
	const most = 64 << 10 // of the lines of a class
	if n == 0 || n > most || uint64(at)+uint64(n) > recTextSize {
		return ""
	}
	buf := make([]byte, n)
	r.read(recAtText+uint64(at), buf)
	return strings.ToValidUTF8(strings.ReplaceAll(string(buf), "\x00", ""), "?")
}

// retries is how often a row that changes is read again.
const retries = 8

// stable copies n rows of so many bytes, each of which begins with its seq, and calls each with the
// rows that were not being written. If half is true and the process has ended, it also calls each
// with the rows that the process was writing when it ended: their first words may be one event
// ahead of the others.
//
// A row is good if its seq is even and the same in a copy made before and in one made after it.
func (r *Recording) stable(at uint64, size, n int, half bool, each func(i int, row []byte)) {
	const batch = 512
	part := min(batch, n) * size
	buf := bufferOf(4 * part)
	defer buffers.Put(buf)
	copies := [3][]byte{(*buf)[:part], (*buf)[part : 2*part], (*buf)[2*part : 3*part]}
	good := (*buf)[3*part : 4*part]
	var found [batch]bool
	for first := 0; first < n; first += batch {
		rows := min(batch, n-first)
		clear(found[:])
		missing := rows
		for try := 0; missing > 0 && try <= retries; try++ {
			for i := range copies {
				r.read(at+uint64(first*size), copies[i][:rows*size])
			}
			for i := range rows {
				from, to := i*size, (i+1)*size
				if !found[i] && same(copies[0][from:to], copies[1][from:to], copies[2][from:to]) {
					copy(good[from:to], copies[1][from:to])
					found[i] = true
					missing--
				}
			}
		}
		half := half && missing > 0 && !r.Alive()
		for i := range rows {
			switch from, to := i*size, (i+1)*size; {
			case found[i]:
				each(first+i, good[from:to])
			case half:
				each(first+i, copies[1][from:to])
			default:
				r.torn.Add(1)
			}
		}
	}
}

// buffers are for copies of rows: *[]byte.
var buffers sync.Pool

// bufferOf returns a buffer of at least so many bytes.
func bufferOf(size int) *[]byte {
	if buf, ok := buffers.Get().(*[]byte); ok && len(*buf) >= size {
		return buf
	}
	buf := make([]byte, size)
	return &buf
}

func same(one, two, three []byte) bool {
	return one[0]&1 == 0 && bytes.Equal(one[:8], two[:8]) && bytes.Equal(two[:8], three[:8])
}

// decode is the row in bytes.
func decode[R any](b []byte) *R {
	row := new(R)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(row)), unsafe.Sizeof(*row)), b)
	return row
}

// Classes returns the classes; the one with number 0 is not used. The list must not be changed.
func (r *Recording) Classes() []Class {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := min(r.head().classes, recMaxClasses)
	for i := uint32(len(r.classes)); i < n; i++ {
		r.classes = append(r.classes, r.class(readRow[recClass](r, classAt(i))))
	}
	return r.classes
}

func classAt(i uint32) uint64 { return recAtClasses + uint64(i)*recClassSize }

// statAt is where a processor's statistics of a class are: those of recClassChunk classes are together for each processor.
func statAt(p, class uint32) uint64 {
	const chunk = recClassChunk * recStatSize
	return recAtStats + uint64(class/recClassChunk)*recMaxProcs*chunk + uint64(p)*chunk + uint64(class%recClassChunk)*recStatSize
}

func (r *Recording) class(c recClass) Class {
	kind, op := Kind(c.kind), Op(c.kind>>8)
	if kind == 0 || kind >= Kinds || op >= recOps {
		return Class{}
	}
	out := Class{Kind: kind, Op: op, PC: c.pcs[0], Gap: int(min(c.gap, 1<<10)), pcs: [recHoldFrames]uint64(c.pcs[:recHoldFrames])}
	for _, line := range strings.Split(r.text(c.text, c.textLen), "\n") {
		function, place, _ := strings.Cut(line, "\t")
		colon := strings.LastIndexByte(place, ':')
		if function == "" || colon < 0 {
			continue
		}
		n, _ := strconv.Atoi(place[colon+1:])
		out.Frames = append(out.Frames, Frame{function, place[:colon], n})
	}
	return out
}

// ClassSwitches are the switches of a class.
func (r *Recording) ClassSwitches(class uint32) Switches {
	if class == 0 || class >= recMaxClasses {
		return 0
	}
	return Switches(readRow[recClass](r, classAt(class)).switches)
}

// KindSwitches are the switches of all classes of a kind; those of kind 0 are for everything that
// is recorded.
func (r *Recording) KindSwitches(k Kind) Switches { return Switches(r.head().switches[k&31]) }

// SetClassSwitches changes the switches of a class, at once and for all readers of the file. It
// fails if the file may only be read.
func (r *Recording) SetClassSwitches(class uint32, s Switches) error {
	if class == 0 || class >= recMaxClasses {
		return nil
	}
	return r.set(classAt(class)+uint64(unsafe.Offsetof(recClass{}.switches)), s)
}

// SetKindSwitches changes the switches of a kind, as SetClassSwitches does.
func (r *Recording) SetKindSwitches(k Kind, s Switches) error {
	return r.set(uint64(unsafe.Offsetof(recHeader{}.switches))+uint64(k&31)*4, s)
}

// SetThreadSwitches changes the switches of a goroutine, as SetClassSwitches does. A goroutine that
// takes over its row at this moment may get them instead.
func (r *Recording) SetThreadSwitches(t Thread, s Switches) error {
	if now, ok := r.Thread(t.ID); !ok || now.slot != t.slot {
		return nil
	}
	return r.set(recAtThreads+uint64(t.slot)*recThreadSize+uint64(unsafe.Offsetof(recThread{}.switches)), s)
}

func (r *Recording) set(at uint64, s Switches) error {
	var word [4]byte
	binary.LittleEndian.PutUint32(word[:], uint32(s))
	if err := r.whole(); err != nil { // the write would have a cut file grow
		return err
	}
	_, err := r.file.WriteAt(word[:], int64(at))
	return err
}

// ClassStat is the statistics of a class.
func (r *Recording) ClassStat(class uint32) Stat {
	sum := Stat{Min: math.MaxUint64}
	if class == 0 || class >= recMaxClasses {
		return sum
	}
	c := r.clockOf(class)
	for p := range min(r.head().procs, recMaxProcs) {
		r.stable(statAt(p, class), recStatSize, 1, true, func(_ int, b []byte) {
			sum.Add(c.stat(decode[recStatRow](b).stat))
		})
	}
	return sum
}

// Add adds the events of o to those of s.
func (s *Stat) Add(o Stat) {
	s.Count += o.Count
	s.Untimed += o.Untimed
	s.Sum += o.Sum
	s.Min = min(s.Min, o.Min)
	s.Max = max(s.Max, o.Max)
	s.Bytes += o.Bytes
}

// clock converts ticks to nanoseconds.
type clock struct {
	ticks0    uint64
	last      uint64 // nanoseconds from the start to the last pair
	num, den  uint64 // nanoseconds and ticks from the start to the last pair
	monotonic uint64 // what the monotonic clock was at the start
}

func (r *Recording) clock() clock {
	for try := 0; ; try++ {
		one, h, three := r.head(), r.head(), r.head()
		if one.seq == h.seq && h.seq == three.seq && h.seq&1 == 0 || try == retries {
			c := clock{ticks0: h.ticks0, monotonic: h.nano0, num: 1, den: 1}
			if h.nano1 > h.nano0 && h.ticks1 > h.ticks0 {
				c.num, c.den = h.nano1-h.nano0, h.ticks1-h.ticks0
				c.last = c.num
			}
			return c
		}
	}
}

// nanoseconds is the length of so many ticks; it stays at the largest number where it would wrap.
func (c clock) nanoseconds(ticks uint64) uint64 {
	hi, lo := bits.Mul64(ticks, c.num)
	if hi >= c.den {
		return math.MaxUint64
	}
	q, _ := bits.Div64(hi, lo, c.den)
	return q
}

// since is a moment in nanoseconds since the start.
func (c clock) since(ticks uint64) uint64 { return c.nanoseconds(ticks - min(ticks, c.ticks0)) }

func (c clock) stat(s recFileStat) Stat {
	out := Stat{Count: s.count, Untimed: min(s.untimed, s.count), Sum: c.nanoseconds(s.ticks), Min: math.MaxUint64, Bytes: s.bytes}
	if out.Count > out.Untimed {
		out.Min, out.Max = c.nanoseconds(^s.least), c.nanoseconds(s.longest)
	}
	return out
}

// History is the last ended waits of a goroutine, the oldest first.
func (r *Recording) History(t Thread) []Event {
	if t.slot >= recMaxRings {
		return nil
	}
	var list []Event
	c := r.clock()
	at := recAtRings + uint64(t.slot)*recHistory*recEventSize
	r.stable(at, recEventSize, recHistory, false, func(_ int, b []byte) {
		if e, ok := c.event(b); ok && e.Thread == t.ID {
			list = append(list, e)
		}
	})
	slices.SortFunc(list, func(a, b Event) int { return order(a.ID, b.ID) })
	return list
}

func order(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (c clock) event(b []byte) (Event, bool) {
	row := decode[recEvent](b)
	e := Event{Thread: row.goid, ID: row.id, Class: uint32(row.class), Object: row.address, Bytes: row.bytes, Timed: row.start != 0, Spins: uint32(row.spins)}
	if e.Timed {
		e.Start = c.since(row.start)
		e.End = e.Start + min(c.nanoseconds(row.ticks), math.MaxInt64)
	}
	e.nest(row.nesting)
	return e, row.seq != 0 && row.goid != 0
}

// nest sets what the event is part of.
func (e *Event) nest(word uint32) {
	if before := uint64(word >> recNestBits); before != 0 && before < e.ID {
		e.NestingID, e.Nesting = e.ID-before, Nesting(word&(1<<recNestBits-1))
	}
}

// HistoryLong is the last ended waits of all goroutines, including goroutines that have ended, in
// the order of their ends.
func (r *Recording) HistoryLong() []Event {
	var list []Event
	c := r.clock()
	r.stable(recAtLong, recEventSize, int(min(r.head().procs, recMaxProcs))*recHistoryLong, false, func(_ int, b []byte) {
		if e, ok := c.event(b); ok {
			list = append(list, e)
		}
	})
	slices.SortStableFunc(list, func(a, b Event) int { return order(a.End, b.End) })
	return list
}

// Files returns the files and the open sockets.
func (r *Recording) Files() []File {
	var list []File
	c := r.clock()
	r.stable(recAtFiles, recFileSize, int(min(r.head().files, recMaxFiles)), true, func(_ int, b []byte) {
		row := decode[recFile](b)
		if row.hash < 2 || row.kind != recFileIO && row.kind != recSocketIO {
			return
		}
		name := row.name[:min(row.len, recNameSize)]
		list = append(list, File{
			ID: row.hash, Kind: Kind(row.kind), Name: strings.ToValidUTF8(string(name), "?"), Opens: row.opens, FD: row.fd, Class: row.class,
			Reads: c.stat(row.io[0]), Writes: c.stat(row.io[1]), All: c.stat(row.io[2]),
		})
	})
	return list
}

// HistorySize is how many events History has at most.
const HistorySize = recHistory

// HistoryLongSize is how many events HistoryLong has at most.
func (r *Recording) HistoryLongSize() int {
	return int(min(r.head().procs, recMaxProcs)) * recHistoryLong
}

// ThreadRows is how many goroutines there have been at a time.
func (r *Recording) ThreadRows() int { return int(min(r.head().threads, recMaxThreads)) }
