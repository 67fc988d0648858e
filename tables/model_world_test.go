package tables

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"pfsd/instr"
	"pfsd/timers"
)

// modelStep is one random step: what to do, and numbers that say with which objects. The numbers
// have a meaning in any state, so that any steps of a list can be left out.
type modelStep struct {
	op      int
	a, b, c uint32
}

// modelWorld is a registry, the model, and goroutines that do the same steps with both.
type modelWorld struct {
	*model
	reg      *instr.Registry
	dir      string
	listener net.Listener
	routines []*modelRoutine
	locks    []*modelLock
	files    []*modelFile
	pairs    []*modelPair
	fileMade [modelFileNames]bool // what there is in dir
	process  uint64
	seen     map[uint64]bool // ids of locks
	records  map[*modelObject]instr.Instance
	bounds   [][2]uint64 // of the histograms' buckets; picoseconds
	factor   uint64      // the calibration that bounds are of
	checks   int
	now      time.Time // what the registry takes for it
	resizes  bool      // how many digests there can be changes
	err      error
}

// modelOp is a kind of step. do returns what it has done, "" if that was not possible.
type modelOp struct {
	name   string
	weight int
	do     func(w *modelWorld, a, b, c uint32) string
}

// modelOps are the steps.
var modelOps = slices.Concat(modelWaitOps, modelStatementOps, modelStageOps, modelTransactionOps, modelErrorOps, modelMemoryOps, modelDigestOps, modelProgramOps, modelTableOps, modelPreparedOps, modelManyOps, modelSetupOps)

// modelRoutine is a goroutine, which is a thread or not.
type modelRoutine struct {
	do     chan func()
	done   chan error
	thread *modelThread  // nil: it is none
	handle *instr.Thread // what Attach has returned last
	lost   bool          // handle is no thread, and never was one
	idle   []openIdle    // the outermost first

	statements []*openStatement // the outermost first
	runs       []*openRun       // the same
}

type openIdle struct {
	wait  instr.Wait
	model *modelWait
}

// modelLock is a mutex, a readers-writer lock or a condition variable with its mutex.
type modelLock struct {
	mutex  *instr.Mutex
	rw     *instr.RWMutex
	cond   *instr.Cond
	object *modelObject // nil: not instrumented
	inner  *modelLock   // a condition variable's mutex
}

const (
	modelRoutines  = 5
	modelFileNames = 3
)

// modelVariant is a world: what is limited in it, and how much is kept.
type modelVariant struct {
	name   string
	limits map[instr.Limit]int
	sizes  modelSizes
}

// modelSizes is how much is kept; 0 is the default of the world, and a negative number means 0.
type modelSizes struct {
	stack, history, digests, text, errors int
	evict, resizes                        bool
}

func newModelWorld(dir string, v modelVariant) *modelWorld {
	w := &modelWorld{model: newModel(), reg: instr.NewRegistry(), dir: must(os.MkdirTemp(dir, "")), seen: map[uint64]bool{}, records: map[*modelObject]instr.Instance{}}
	w.listener = must(net.Listen("tcp", "127.0.0.1:0"))
	w.reg.Setup().AddPattern("%", instr.PatternOn)
	w.reg.Setup().SetGoroutineThreads(0) // the model says which routine is a thread
	w.reg.Setup().SetHistorySize(instr.FamilyWaits, w.historySize)
	w.reg.Setup().SetHistoryLongSize(instr.FamilyWaits, modelLongWaits)
	for _, c := range w.reg.Reader().Classes() {
		if c.Kind() == instr.KindMemory {
			w.ownMemory = append(w.ownMemory, c.Name())
		}
	}
	for l, n := range v.limits {
		w.setLimit(l, n)
	}
	w.setSizes(v.sizes)
	w.now = time.Unix(1_700_000_000, 0)
	w.reg.Setup().SetClock(func() time.Time { return w.now })
	w.reg.Setup().SetServerErrors(knownErrors)
	for k := range instr.TimerKindCount {
		w.timers[k] = w.reg.Setup().Timer(k).String()
	}
	for range modelRoutines {
		r := new(modelRoutine)
		r.start(func(loop func()) { go loop() })
		w.routines = append(w.routines, r)
	}
	return w
}

// setSizes says how much is kept.
func (w *modelWorld) setSizes(s modelSizes) {
	or := func(n, otherwise int) int {
		if n == 0 {
			return otherwise
		}
		return max(0, n)
	}
	w.stackSize = or(s.stack, 3)
	w.reg.Setup().SetStatementStackSize(w.stackSize)
	for f, family := range modelEventFamilies {
		w.historySizes[f], w.longSize[f] = or(s.history, 4), or(2*s.history, 16)
		w.reg.Setup().SetHistorySize(family, w.historySizes[f])
		w.reg.Setup().SetHistoryLongSize(family, w.longSize[f])
	}
	w.textLength = or(s.text, 14)
	w.reg.Setup().SetSQLTextLength(w.textLength)
	w.errors = append([]instr.ServerError{{}}, knownErrors...)
	w.errors = w.errors[:min(or(s.errors, len(w.errors)), len(w.errors))]
	w.reg.Setup().SetErrorSize(len(w.errors))
	w.resizes = s.resizes
	w.sizeDigests(or(s.digests, 200), s.evict)
}

// consumeAll switches on what is off by default.
func (w *modelWorld) consumeAll() {
	for c, on := range w.consumers {
		if !on {
			w.consumers[c] = true
			w.reg.Setup().SetConsumer(instr.Consumer(c), true)
		}
	}
}

// modelTicks are possible times between one step and the next.
var modelTicks = []time.Duration{0, time.Microsecond, 300 * time.Millisecond, 7 * time.Second, 45 * time.Second}

// tick lets some time pass.
func (w *modelWorld) tick(n uint32) { w.now = w.now.Add(pick(modelTicks, n)) }

func (w *modelWorld) setLimit(l instr.Limit, n int) {
	w.limits[l] = n
	w.reg.Setup().SetLimit(l, n)
}

// modelManyOps does several steps without a comparison between them.
var modelManyOps = []modelOp{
	{"many", 5, func(w *modelWorld, a, b, c uint32) string {
		all := slices.Concat(modelWaitOps, modelStatementOps, modelStageOps, modelStageOps, modelTransactionOps, modelErrorOps, modelMemoryOps, modelProgramOps, modelTableOps, modelPreparedOps)
		all = slices.DeleteFunc(all, func(op modelOp) bool { return op.name == "drop lock" }) // which takes long
		random := rand.New(rand.NewPCG(uint64(a), uint64(b)))
		var some []modelOp
		for range 3 {
			some = append(some, all[random.IntN(len(all))])
		}
		var done []string
		for range 4 + c%48 {
			op := some[random.IntN(len(some))]
			w.tick(random.Uint32())
			if what := op.do(w, random.Uint32(), random.Uint32(), random.Uint32()); what != "" {
				done = append(done, op.name+": "+what)
			}
		}
		return strings.Join(done, "; ")
	}},
}

// start starts a goroutine in which run runs the loop.
func (r *modelRoutine) start(run func(loop func())) {
	do, done := make(chan func()), make(chan error)
	r.do, r.done = do, done
	run(func() { r.loop(do, done) })
}

// attached reports whether handle is the routine's thread, or a lost one: the record of an ended
// thread may serve another routine by now.
func (r *modelRoutine) attached() bool { return r.thread != nil || r.lost }

// stop ends the goroutine.
func (r *modelRoutine) stop() {
	close(r.do)
	<-r.done
}

func (r *modelRoutine) loop(do chan func(), done chan error) {
	for f := range do {
		done <- func() (err error) {
			defer func() {
				if p := recover(); p != nil {
					err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
				}
			}()
			f()
			return nil
		}()
	}
	if r.handle != nil {
		r.handle.Detach()
	}
	close(done)
}

func (w *modelWorld) close() {
	for _, r := range w.routines {
		r.stop()
	}
	for _, f := range w.files {
		f.file.Close()
	}
	for _, p := range w.pairs {
		p[0].conn.Close()
		p[1].conn.Close()
	}
	w.listener.Close()
	os.RemoveAll(w.dir)
}

// fail records the first failure.
func (w *modelWorld) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// in runs f in a goroutine of the world.
func (w *modelWorld) in(r *modelRoutine, f func()) {
	r.do <- f
	if err := <-r.done; err != nil {
		w.fail("%v", err)
	}
}

// bucket is the bucket of a duration, by the bounds of the buckets.
func (w *modelWorld) bucket(cycles uint64) int {
	w.calibrated(func() {
		w.readBounds()
	})
	ps := timers.Cycle.PicosecondsSaturated(cycles)
	for b, bound := range w.bounds {
		if bound[0] <= ps && (ps < bound[1] || b == len(w.bounds)-1) {
			return b
		}
	}
	w.fail("no bucket for %d picoseconds", ps)
	return 0
}

func calibration() uint64 { return timers.Cycle.Picoseconds(1 << 50) }

// calibrated calls f, again if the calibration of cycles has changed meanwhile.
func (w *modelWorld) calibrated(f func()) {
	for before := uint64(0); before != calibration(); {
		before = calibration()
		f()
	}
}

func (w *modelWorld) readBounds() {
	if w.factor == calibration() {
		return
	}
	w.factor = calibration()
	w.bounds = nil
	for b := range instr.HistogramBuckets {
		low, high := instr.HistogramBounds(b)
		w.bounds = append(w.bounds, [2]uint64{low, high})
		if low >= high || b == 0 && low != 0 || b > 0 && low != w.bounds[b-1][1] {
			w.fail("bucket %d is from %d to %d picoseconds", b, low, high)
		}
	}
}

// learn calls f, which ends a wait, and returns how long the wait took, by the statistics of its
// object, or of its instrument if o is nil.
func (w *modelWorld) learn(wait *modelWait, o *modelObject, f func()) (cycles uint64, bucket int) {
	var waits func() instr.Stat
	switch {
	case o != nil:
		waits = w.records[o].Waits
	case wait.class != nil:
		waits = func() instr.Stat {
			c := w.reg.Reader().ClassByName(wait.class.name)
			if c == nil {
				return instr.NoStat // f is the first to name it
			}
			return c.Waits()
		}
	default:
		f()
		return 0, 0
	}
	before := waits()
	f()
	after := waits()
	want := uint64(0)
	if wait.counted {
		want = 1
	}
	if got := after.Count - before.Count; got != want {
		w.fail("%s %s: counted %d times, want %d", wait.class.name, wait.op, got, want)
	}
	cycles = after.Sum - before.Sum
	if wait.buckets {
		bucket = w.bucket(cycles)
	}
	return cycles, bucket
}

// know sets the record of an object.
func (w *modelWorld) know(o *modelObject, in instr.Instance) {
	o.id = in.ID()
	w.records[o] = in
}

// wait lets a goroutine wait once.
func (w *modelWorld) wait(r *modelRoutine, c *modelClass, o *modelObject, op instr.Op, do func()) {
	m := w.begin(r.thread, c, op, false)
	cycles, bucket := w.learn(m, o, func() { w.in(r, do) })
	w.end(m, o, cycles, bucket, 0)
}

func (w *modelWorld) table(name string) Table {
	i := slices.IndexFunc(all[8], func(tb Table) bool { return tb.Name() == name })
	return all[8][i]
}

// classNames are the instruments' short names by kind.
var modelNames = map[instr.Kind][]string{
	instr.KindMutex:   {"sql/LOCK_a", "sql/LOCK_b", "innodb/log", "mysys/pool"},
	instr.KindRWMutex: {"sql/LOCK_grant", "innodb/index"},
	instr.KindCond:    {"sql/COND_a"},
	instr.KindFile:    {"sql/binlog", "innodb/data"},
	instr.KindSocket:  {"sql/client", "sql/server"},
}

var (
	modelUsers = []string{"alice", "bob", ""}
	modelHosts = []string{"h1", "h2", ""}
)

func pick[T any](all []T, n uint32) T { return all[n%uint32(len(all))] }

// found sets the record of the lock that has just been made.
func found(w *modelWorld, o *modelObject, c *modelClass, all []instr.Instance) {
	n := 0
	for _, in := range all {
		if w.seen[in.ID()] {
			continue
		}
		n++
		w.seen[in.ID()] = true
		if o == nil || in.Class().Name() != c.name {
			w.fail("unexpected instance %d of %s", in.ID(), in.Class().Name())
			return
		}
		w.know(o, in)
	}
	if o != nil && n != 1 {
		w.fail("%d new instances of %s", n, c.name)
		w.removed(o)
	}
}

func (w *modelWorld) newMutex(name string) *modelLock {
	c := w.class(instr.KindMutex, name)
	l := &modelLock{mutex: w.reg.NewMutex(name), object: w.object(c)}
	found(w, l.object, c, w.instances(instr.KindMutex))
	return l
}

// instances are the objects of a kind that exist now.
func (w *modelWorld) instances(k instr.Kind) []instr.Instance {
	var all []instr.Instance
	for _, c := range w.reg.Reader().Classes() {
		if c.Kind() == k {
			all = append(all, c.Instances()...)
		}
	}
	return all
}

// modelWaitOps are the steps of threads that come, wait and go.
var modelWaitOps = []modelOp{
	{"attach", 6, func(w *modelWorld, a, b, c uint32) string {
		r := pick(w.routines, a)
		if r.thread != nil && c%8 != 0 {
			return "" // seldom a thread that replaces another one
		}
		class := pick([]string{"test/background", "test/purge", "sql/one_connection"}, b)
		process := uint64(0)
		if class == "sql/one_connection" {
			w.process++
			process = w.process
		}
		if r.thread != nil {
			w.detach(r.thread)
			r.thread = nil
		}
		w.in(r, func() {
			if process > 0 {
				r.handle = w.reg.AttachConnection(class, process)
			} else {
				r.handle = w.reg.Attach(class)
			}
		})
		r.thread = w.attach(class, process)
		r.lost = r.thread == nil
		if r.lost {
			if r.handle.ID() != 0 {
				w.fail("thread %d is beyond the limit", r.handle.ID())
			}
			return "lost " + class
		}
		r.thread.id = r.handle.ID()
		return fmt.Sprintf("%s is thread %d", class, r.thread.id)
	}},
	{"go", 1, func(w *modelWorld, a, b, c uint32) string {
		r := pick(w.routines, a)
		if r.thread != nil || len(r.idle) > 0 {
			return ""
		}
		class := pick([]string{"test/background", "test/purge"}, b)
		r.stop()
		r.start(func(loop func()) { w.reg.Go(class, loop) })
		w.in(r, func() { r.handle = instr.Current() })
		r.thread, r.lost = w.attach(class, 0), false
		if (r.thread == nil) != (r.handle == nil) {
			w.fail("the current thread is %v", r.handle)
		}
		if r.thread == nil || r.handle == nil {
			return "lost " + class
		}
		r.thread.id = r.handle.ID()
		return fmt.Sprintf("%s is thread %d", class, r.thread.id)
	}},
	{"login", 6, func(w *modelWorld, a, b, c uint32) string {
		r := pick(w.routines, a)
		if !r.attached() {
			return ""
		}
		user, host := pick(modelUsers, b), pick(modelHosts, c)
		w.in(r, func() { r.handle.SetAccount(user, host) })
		if r.thread == nil {
			return fmt.Sprintf("%q@%q, of no thread", user, host)
		}
		w.setAccount(r.thread, user, host)
		return fmt.Sprintf("thread %d is %q@%q", r.thread.id, user, host)
	}},
	{"detach", 4, func(w *modelWorld, a, b, c uint32) string {
		r := pick(w.routines, a)
		if r.handle == nil {
			return ""
		}
		w.in(r, r.handle.Detach)
		t := r.thread
		r.thread = nil
		if t == nil {
			return "no thread"
		}
		w.detach(t)
		return fmt.Sprintf("thread %d", t.id)
	}},
	{"new lock", 3, func(w *modelWorld, a, b, c uint32) string {
		if len(w.locks) >= 10 {
			return ""
		}
		var l *modelLock
		name := ""
		switch a % 5 {
		case 0, 1, 2:
			name = pick(modelNames[instr.KindMutex], b)
			l = w.newMutex(name)
		case 3:
			name = pick(modelNames[instr.KindRWMutex], b)
			class := w.class(instr.KindRWMutex, name)
			l = &modelLock{rw: w.reg.NewRWMutex(name), object: w.object(class)}
			found(w, l.object, class, w.instances(instr.KindRWMutex))
		case 4:
			inner := w.newMutex(pick(modelNames[instr.KindMutex], c))
			name = pick(modelNames[instr.KindCond], b)
			class := w.class(instr.KindCond, name)
			l = &modelLock{cond: w.reg.NewCond(name, inner.mutex), object: w.object(class), inner: inner}
			found(w, l.object, class, w.instances(instr.KindCond))
		}
		w.locks = append(w.locks, l)
		if l.object == nil {
			return name + " lost"
		}
		return fmt.Sprintf("%s %d", l.object.class.name, l.object.id)
	}},
	{"drop lock", 1, func(w *modelWorld, a, b, c uint32) string {
		if len(w.locks) == 0 {
			return ""
		}
		return w.drop(int(a % uint32(len(w.locks))))
	}},
	{"lock", 20, func(w *modelWorld, a, b, c uint32) string {
		if len(w.locks) == 0 {
			return ""
		}
		r, l := pick(w.routines, a), pick(w.locks, b)
		op := w.lock(r, l, c)
		return fmt.Sprintf("%s %s", r, op)
	}},
	{"idle", 4, func(w *modelWorld, a, b, c uint32) string {
		r := pick(w.routines, a)
		if r.thread == nil || len(r.idle) > 6 {
			return ""
		}
		n := 1
		if b%4 == 0 {
			n = int(c % 7) // as deep as the stack, and deeper
		}
		for range n {
			m := w.begin(r.thread, w.idle(), instr.OpIdle, false)
			w.in(r, func() { r.idle = append(r.idle, openIdle{r.handle.StartIdle(), m}) })
		}
		return fmt.Sprintf("%s begins %d", r, n)
	}},
	{"idle end", 6, func(w *modelWorld, a, b, c uint32) string {
		r := pick(w.routines, a)
		n := 0
		for ; len(r.idle) > 0 && (n == 0 || b%2 == 0); n++ {
			i := r.idle[len(r.idle)-1]
			r.idle = r.idle[:len(r.idle)-1]
			cycles, bucket := w.learn(i.model, nil, func() { w.in(r, i.wait.End) })
			w.end(i.model, nil, cycles, bucket, 0)
		}
		if n == 0 {
			return ""
		}
		return fmt.Sprintf("%s ends %d", r, n)
	}},
	{"open file", 5, func(w *modelWorld, a, b, c uint32) string { return w.openFile(pick(w.routines, a), b, c) }},
	{"use file", 12, func(w *modelWorld, a, b, c uint32) string {
		if len(w.files) == 0 {
			return ""
		}
		return w.useFile(pick(w.routines, a), int(b%uint32(len(w.files))), c)
	}},
	{"file by name", 4, func(w *modelWorld, a, b, c uint32) string { return w.fileByName(pick(w.routines, a), b, c) }},
	{"connect", 1, func(w *modelWorld, a, b, c uint32) string { return w.connect(pick(w.routines, a)) }},
	{"use socket", 10, func(w *modelWorld, a, b, c uint32) string {
		if len(w.pairs) == 0 {
			return ""
		}
		return w.useSocket(pick(w.routines, a), int(b%uint32(len(w.pairs))), c)
	}},
}

func (r *modelRoutine) String() string {
	if r.thread == nil {
		return "no thread"
	}
	return fmt.Sprintf("thread %d", r.thread.id)
}

// drop drops a lock, and waits until its row is gone.
func (w *modelWorld) drop(i int) string {
	var objects []*modelObject
	for l := w.locks[i]; l != nil; l = l.inner {
		if l.object != nil {
			objects = append(objects, l.object)
		}
	}
	w.locks[i] = nil
	w.locks = slices.Delete(w.locks, i, i+1)
	text := "of no instance"
	for _, o := range objects {
		text = fmt.Sprintf("%s %d", o.class.name, o.id)
		for deadline := time.Now().Add(2 * time.Minute); w.reg.Reader().Instance(o.id) != nil; runtime.Gosched() {
			runtime.GC()
			if time.Now().After(deadline) {
				w.fail("%s is never collected", text)
				return text
			}
		}
		w.removed(o)
	}
	return text
}

// lock lets a goroutine wait for a lock in one of the ways that there are.
func (w *modelWorld) lock(r *modelRoutine, l *modelLock, way uint32) string {
	var class *modelClass
	name := "lost"
	if l.object != nil {
		class = l.object.class
		name = fmt.Sprintf("%s %d", class.name, l.object.id)
	}
	var op instr.Op
	switch {
	case l.mutex != nil && way%4 == 0:
		op = instr.OpTryLock
		w.wait(r, class, l.object, op, func() { l.mutex.TryLock() })
		w.in(r, l.mutex.Unlock)
	case l.mutex != nil && way%4 == 1:
		// A failed attempt.
		var holder *modelRoutine
		for _, other := range w.routines {
			if other != r {
				holder = other
			}
		}
		op = instr.OpTryLock
		w.wait(holder, class, l.object, instr.OpLock, l.mutex.Lock)
		w.wait(r, class, l.object, op, func() { l.mutex.TryLock() })
		w.in(holder, l.mutex.Unlock)
	case l.mutex != nil && way%4 == 2 && r.handle != nil && r.thread != nil:
		op = instr.OpLock
		w.wait(r, class, l.object, op, func() { l.mutex.LockAs(r.handle) })
		w.in(r, l.mutex.Unlock)
	case l.mutex != nil:
		op = instr.OpLock
		w.wait(r, class, l.object, op, l.mutex.Lock)
		w.in(r, l.mutex.Unlock)
	case l.rw != nil && way%4 == 0:
		op = instr.OpReadLock
		w.wait(r, class, l.object, op, l.rw.RLock)
		w.in(r, l.rw.RUnlock)
	case l.rw != nil && way%4 == 1:
		op = instr.OpTryReadLock
		w.wait(r, class, l.object, op, func() { l.rw.TryRLock() })
		w.in(r, l.rw.RUnlock)
	case l.rw != nil && way%4 == 2:
		op = instr.OpTryWriteLock
		w.wait(r, class, l.object, op, func() { l.rw.TryLock() })
		w.in(r, l.rw.Unlock)
	case l.rw != nil:
		op = instr.OpWriteLock
		w.wait(r, class, l.object, op, l.rw.Lock)
		w.in(r, l.rw.Unlock)
	default:
		// The mutex is locked, and then locked again within the wait.
		op = instr.OpTimedWait
		inner := l.inner.object
		var innerClass *modelClass
		if inner != nil {
			innerClass = inner.class
		}
		w.wait(r, innerClass, inner, instr.OpLock, l.inner.mutex.Lock)
		outside := w.begin(r.thread, class, op, false)
		inside := w.begin(r.thread, innerClass, instr.OpLock, false)
		var innerCycles uint64
		var innerBucket int
		cycles, bucket := w.learn(outside, l.object, func() {
			innerCycles, innerBucket = w.learn(inside, inner, func() {
				w.in(r, func() { l.cond.WaitTimeout(time.Microsecond) })
			})
		})
		w.end(inside, inner, innerCycles, innerBucket, 0)
		w.end(outside, l.object, cycles, bucket, 0)
		w.in(r, l.inner.mutex.Unlock)
	}
	return fmt.Sprintf("%s %s", op, name)
}
