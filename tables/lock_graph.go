package tables

import (
	"slices"
	"strconv"
	"time"

	"pfsd/instr"
)

// LockWait says that a thread waits for a lock, and who is in its way. The model has those for mutexes and
// readers-writer locks; the server, which has metadata locks and locks on rows, provides those for these.
type LockWait struct {
	Class  *instr.Class          // the instrument of the wait
	Object uint64                // OBJECT_INSTANCE_BEGIN
	On     *instr.MetadataObject // what the lock is on; nil for a mutex and a readers-writer lock
	Waiter LockParty
	// Blocker holds the lock or, if it is Pending, waits for it in front of the waiter. Its Thread is 0 if it is not
	// known who is in the way.
	Blocker LockParty
	// Certain is false if the blocker may not be in the way any more, or may not be who ends the wait; Doubt is why, "" if nothing more is known.
	Certain bool
	Doubt   string
	// Any is true if any one of the waiter's blockers can end the wait, as each one who has a connection of a pool; else all have to.
	Any bool
	// Group is true of a wait for a WaitGroup, which is no lock, and of one to receive from a channel: it only counts where threads wait for each
	// other for ever.
	Group bool
}

// How a WaitGroup is waited for, and how the goroutines are in the way that its method Go has begun.
const (
	LockModeWait = "WAIT"
	LockModeGo   = "GO"
	// LockModeConnection is that of a connection of a pool, LockModeBody that of one that is kept by the body of a response.
	LockModeConnection = "CONNECTION"
	LockModeBody       = "BODY"
	// LockModeSend and LockModeReceive are those of who waits to send to a channel, or to receive from it, and of who has done so last;
	// LockModePlace is that of who has a place in a channel.
	LockModeSend    = "SEND"
	LockModeReceive = "RECEIVE"
	LockModePlace   = "PLACE"
)

// LockParty is a thread that waits for a lock or is in the way of others.
type LockParty struct {
	Thread, Goroutine uint64 // 0 if unknown; a goroutine that is no thread is 2^63 plus its number in Thread
	Name              string // the thread's name; "" if the reader must look it up
	// Number tells a thread's waits for locks, and its holds, apart.
	Number uint64
	// Mode is the mode in which it requests or holds the lock.
	Mode    string
	Pending bool
	// Source is where it requested the lock, "" if unknown. Since is for how long it has waited for the lock, or held it,
	// in picoseconds, if Timed is true.
	Source string
	Since  uint64
	Timed  bool
	// Statement is the statement in which it requested the lock, "" if unknown or in none.
	Statement string
	// record is the thread's record, nil if the reader must look it up. It may be that of another thread by now.
	record Thread
}

// LockWaits returns the present waits for locks of all kinds. Safe for concurrent use.
func LockWaits(model Model) []LockWait {
	return slices.DeleteFunc(allWaits(model), func(w LockWait) bool { return w.Group })
}

// allWaits is LockWaits with the waits that are for no locks.
func allWaits(model Model) []LockWait {
	all := model.LockWaits()
	if model.Origin(Schema, "data_lock_waits") != OfProgram { // those of rows and of metadata are the server's
		return all
	}
	if p, _ := model.Provided(providerKey[LockWait]{}).(Provider[LockWait]); p != nil {
		all = append(all, p(nil)...)
	}
	return all
}

// link identifies a wait for one hold of a lock: two readings of it have the same link.
type link struct{ object, waiter, wait, blocker, hold uint64 }

func (w *LockWait) link() link {
	return link{w.Object, w.Waiter.Thread, w.Waiter.Number, w.Blocker.Thread, w.Blocker.Number}
}

// lockPause is the time between two readings that look for deadlocks: a writer is in the way of readers only
// a little after its wait has begun.
const lockPause = 10 * time.Millisecond

// deadlocks returns the cycles of threads that wait for each other. It makes two readings and uses the waits that are in both.
// Such a wait has lasted all the time between the readings. So all waits of a cycle existed at the same moment, and a thread
// that waits in a cycle waits for ever.
func deadlocks(model Model) [][]*LockWait {
	before := allWaits(model)
	if len(lockCycles(before)) == 0 {
		return nil
	}
	time.Sleep(lockPause)
	seen := make(map[link]bool, len(before))
	for i := range before {
		seen[before[i].link()] = true
	}
	both := slices.DeleteFunc(allWaits(model), func(w LockWait) bool { return !seen[w.link()] })
	var all [][]*LockWait
	for _, places := range lockCycles(both) {
		var cycle []*LockWait
		for _, i := range places {
			cycle = append(cycle, &both[i])
		}
		all = append(all, cycle)
	}
	return all
}

// maxCycles is how many cycles are returned at most.
const maxCycles = 100

// lockCycles returns cycles of waits, as places in the list. Each wait is for the thread of the next one, the last for that of
// the first one, which has the smallest number. Up to maxCycles, each strongly connected part of the graph that has a cycle has
// at least one among those returned.
func lockCycles(waits []LockWait) (cycles [][]int) {
	const (
		unseen = iota
		onPath
		done
	)
	byThread := map[uint64][]int{}
	var threads []uint64
	stuck := stuckThreads(waits)
	for i := range waits {
		t := waits[i].Waiter.Thread
		if !stuck[t] {
			continue
		}
		if len(byThread[t]) == 0 {
			threads = append(threads, t)
		}
		byThread[t] = append(byThread[t], i)
	}
	slices.Sort(threads)
	state := map[uint64]int{}
	type step struct {
		thread uint64
		next   int // of its waits
	}
	for _, start := range threads {
		if state[start] != unseen {
			continue
		}
		path := []step{{thread: start}}
		state[start] = onPath
		for len(path) > 0 && len(cycles) < maxCycles {
			s := &path[len(path)-1]
			if s.next == len(byThread[s.thread]) {
				state[s.thread] = done
				path = path[:len(path)-1]
				continue
			}
			blocker := waits[byThread[s.thread][s.next]].Blocker.Thread
			s.next++
			if blocker == 0 || len(byThread[blocker]) == 0 {
				continue
			}
			switch state[blocker] {
			case unseen:
				state[blocker] = onPath
				path = append(path, step{thread: blocker})
			case onPath:
				var cycle []int
				for k := len(path) - 1; ; k-- {
					cycle = append(cycle, byThread[path[k].thread][path[k].next-1])
					if path[k].thread == blocker {
						break
					}
				}
				slices.Reverse(cycle)
				cycles = append(cycles, smallestFirst(waits, cycle))
			}
		}
	}
	return cycles
}

// stuckThreads are the threads that nobody ends the waits of who does not wait himself: of those who can end a wait alone all are stuck, else one.
func stuckThreads(waits []LockWait) map[uint64]bool {
	stuck := map[uint64]bool{}
	for i := range waits {
		stuck[waits[i].Waiter.Thread] = true
	}
	for changed := true; changed; {
		held, free := map[uint64]bool{}, map[uint64]bool{} // threads with a blocker that is stuck, and with one that alone may end the wait
		for i := range waits {
			w := &waits[i]
			held[w.Waiter.Thread] = held[w.Waiter.Thread] || stuck[w.Blocker.Thread]
			free[w.Waiter.Thread] = free[w.Waiter.Thread] || w.Any && !stuck[w.Blocker.Thread]
		}
		changed = false
		for t := range stuck {
			if !held[t] || free[t] {
				delete(stuck, t)
				changed = true
			}
		}
	}
	return stuck
}

// smallestFirst turns a cycle so that the thread with the smallest number is first.
func smallestFirst(waits []LockWait, cycle []int) []int {
	first := 0
	for i, w := range cycle {
		if waits[w].Waiter.Thread < waits[cycle[first]].Waiter.Thread {
			first = i
		}
	}
	return append(slices.Clone(cycle[first:]), cycle[:first]...)
}

// lockGraph is which thread waits for which, as one scan has read it. Owned by one goroutine.
type lockGraph struct {
	model   Model
	waits   []LockWait
	next    map[uint64]uint64    // the thread that a thread waits for; the first of several
	first   map[uint64]*LockWait // that wait
	chains  map[uint64]lockChain
	parties map[uint64]*lockThread
	// same are the waits that a second reading has found as well, which was made after what the blocking threads wait for was read; nil
	// before that. Such a wait has lasted, and the lock was held, all the time in between.
	same map[link]bool
	// The path of the chain that is being followed, and the places of its threads in it; empty in between.
	path  []uint64
	place map[uint64]int
}

// lockChain is a thread, the thread that it waits for, and so on.
type lockChain struct {
	root   uint64 // the last thread, which waits for no lock; 0 if the chain leads into a cycle
	length int    // how many threads of the chain wait for a lock; those of a cycle count once
}

func newLockGraph(model Model, waits []LockWait) *lockGraph {
	n := len(waits)
	g := &lockGraph{
		model: model, waits: waits, next: make(map[uint64]uint64, n), first: make(map[uint64]*LockWait, n), chains: make(map[uint64]lockChain, n), parties: make(map[uint64]*lockThread, n),
		place: map[uint64]int{},
	}
	for i := range waits {
		if w := &waits[i]; w.Blocker.Thread != 0 && g.next[w.Waiter.Thread] == 0 {
			g.next[w.Waiter.Thread], g.first[w.Waiter.Thread] = w.Blocker.Thread, w
		}
	}
	return g
}

// chain is the chain that begins at a thread.
func (g *lockGraph) chain(thread uint64) lockChain {
	path := g.path[:0]
	at := thread
	var end lockChain
	for {
		if c, ok := g.chains[at]; ok {
			end = c
			break
		}
		if i, again := g.place[at]; again {
			end = lockChain{0, len(path) - i}
			for _, t := range path[i:] {
				g.chains[t] = end
				delete(g.place, t)
			}
			path = path[:i]
			break
		}
		next := g.next[at]
		if next == 0 {
			end = lockChain{root: at}
			g.chains[at] = end
			break
		}
		g.place[at] = len(path)
		path = append(path, at)
		at = next
	}
	for _, t := range slices.Backward(path) {
		end.length++
		g.chains[t] = end
		delete(g.place, t)
	}
	g.path = path
	return end
}

// maxChain is how many threads the text of a chain has at most.
const maxChain = 20

// chainText is the ids of the threads of a chain that begins with a wait.
func (g *lockGraph) chainText(w *LockWait) string {
	text := strconv.AppendUint(nil, w.Waiter.Thread, 10)
	seen := []uint64{w.Waiter.Thread}
	for at := w.Blocker.Thread; at != 0; at = g.next[at] {
		text = append(text, " > "...)
		if len(seen) == maxChain {
			return string(append(text, "..."...))
		}
		text = strconv.AppendUint(text, at, 10)
		if slices.Contains(seen, at) {
			break
		}
		seen = append(seen, at)
	}
	return string(text)
}

// lockThread is what is known of a thread that waits for a lock or is in the way of another.
type lockThread struct {
	name      string
	goroutine uint64
	wait      lockThreadWait
	thread    Thread // nil if it has ended
}

// lockThreadWait is the innermost running wait of a thread: its instrument and its place in the code.
type lockThreadWait struct{ instrument, place string }

// goroutineHolder marks a goroutine that is no thread: the rest of the number is the goroutine's
// number.
const goroutineHolder = 1 << 63

func (g *lockGraph) party(id uint64) *lockThread {
	if t := g.parties[id]; t != nil {
		return t
	}
	t := new(lockThread)
	g.parties[id] = t
	if id&goroutineHolder != 0 {
		t.goroutine = id &^ goroutineHolder
		return t
	}
	thread := g.model.ThreadByID(id)
	if thread == nil {
		return t
	}
	// Snapshot would look for the thread's parent, too.
	if n, ok := thread.(interface {
		Name() string
		Goroutine() uint64
	}); ok {
		t.name, t.goroutine = n.Name(), n.Goroutine()
		if thread.ID() == id {
			t.thread = thread
		} else {
			t.name, t.goroutine = "", 0
		}
	} else if info, ok := thread.Snapshot(); ok && info.ID == id {
		t.name, t.goroutine, t.thread = info.Name, info.Goroutine, thread
	}
	return t
}

// readTwice reads what the threads wait for that are in the way of others, and then the waits for locks again.
func (g *lockGraph) readTwice() {
	if g.same != nil {
		return
	}
	g.same = map[link]bool{}
	read := map[uint64]bool{}
	for i := range g.waits {
		id := g.waits[i].Blocker.Thread
		if id == 0 || read[id] {
			continue
		}
		read[id] = true
		t := g.party(id)
		if t.thread == nil {
			continue
		}
		for _, e := range t.thread.CurrentWaits(nil) {
			if !e.Ended && e.ThreadID == id && e.Class != nil {
				t.wait = lockThreadWait{e.Class.Name(), e.Source()}
			}
		}
	}
	again := LockWaits(g.model)
	for i := range again {
		g.same[again[i].link()] = true
	}
}

// blockerWaits is what the thread waits for that is in the way of a wait, if it was in the way when that was read. What it waits for later, or
// has waited for before, is not why the other one waits.
func (g *lockGraph) blockerWaits(w *LockWait) lockThreadWait {
	if w.Blocker.Thread == 0 {
		return lockThreadWait{}
	}
	if g.readTwice(); !g.same[w.link()] {
		return lockThreadWait{}
	}
	return g.party(w.Blocker.Thread).wait
}

// BlockerEvents returns a function that returns the instrument of what the blocking thread of one of the waits waits for itself while it is in
// the way, "" if it does not wait or that is not known. The function is owned by one goroutine.
func BlockerEvents(model Model, waits []LockWait) func(*LockWait) string {
	g := newLockGraph(model, waits)
	return func(w *LockWait) string { return g.blockerWaits(w).instrument }
}

// rootWaits is what the thread at the end of the chain waits for that begins with a wait, if all threads of the chain were in the way of the one
// before when that was read.
func (g *lockGraph) rootWaits(w *LockWait) lockThreadWait {
	for last := w; last != nil; last = g.first[last.Blocker.Thread] {
		if next := g.first[last.Blocker.Thread]; next == nil || next.Blocker.Thread == 0 {
			return g.blockerWaits(last)
		}
		if g.readTwice(); !g.same[last.link()] {
			break
		}
	}
	return lockThreadWait{}
}

// statement is the text of the statement that a thread runs, or has run last; "" if there is none.
func (g *lockGraph) statement(p *LockParty) string {
	t := p.record
	if t == nil || t.ID() != p.Thread {
		if t = g.party(p.Thread).thread; t == nil {
			return ""
		}
	}
	for _, e := range t.CurrentStatements(nil) {
		if e.ThreadID == p.Thread {
			return e.SQLText
		}
	}
	return ""
}
