package tables

import (
	"slices"
	"strconv"
	"time"

	"pfsd/instr"
)

// LockWait says that a thread waits for a lock, and who is in its way. Those for mutexes and readers-writer
// locks are the model's; those for metadata locks and rows are provided by who has these locks.
type LockWait struct {
	Class  *instr.Class          // the instrument of the wait
	Object uint64                // OBJECT_INSTANCE_BEGIN
	On     *instr.MetadataObject // what the lock is on; nil of a mutex and a readers-writer lock
	Waiter LockParty
	// Blocker holds the lock or, Pending, waits for it in front of the waiter. Its Thread is 0 if nobody is known to
	// be in the way.
	Blocker LockParty
	// Certain is false if the blocker is perhaps in nobody's way any more.
	Certain bool
}

// LockParty is who waits for a lock or is in the way of others.
type LockParty struct {
	Thread, Goroutine uint64 // 0 if unknown; a goroutine that is no thread is 2^63 plus its number in Thread
	Name              string // the thread's; "" if it is to be looked up
	// Number tells a thread's waits for locks, and its holds, apart.
	Number uint64
	// Mode is how it wants the lock, or has it.
	Mode    string
	Pending bool
	// Source is where it asked for the lock, "" if unknown, and Since for how long it has waited, or held it, picoseconds,
	// if Timed.
	Source string
	Since  uint64
	Timed  bool
	// Statement is in which statement it asked for the lock, "" if unknown or in none.
	Statement string
}

// LockWaits returns who waits for locks of all kinds now. Safe for concurrent use.
func LockWaits(model Model) []LockWait {
	all := model.LockWaits()
	if p, _ := model.Provided(providerKey[LockWait]{}).(Provider[LockWait]); p != nil {
		all = append(all, p(nil)...)
	}
	return all
}

// link is what two readings of the same wait for the same hold of a lock have in common.
type link struct{ object, waiter, wait, blocker, hold uint64 }

func (w *LockWait) link() link {
	return link{w.Object, w.Waiter.Thread, w.Waiter.Number, w.Blocker.Thread, w.Blocker.Number}
}

// lockPause is between two readings that look for deadlocks: one who waits to write is in the way of readers
// a little later than its wait begins.
const lockPause = 10 * time.Millisecond

// deadlocks returns the cycles of threads that wait for each other: of what two readings, one after the other, found alike. What
// both have was there all the time between them, so a cycle of it was there at one moment; and whoever waits in a
// cycle waits for ever.
func deadlocks(model Model) [][]*LockWait {
	before := LockWaits(model)
	if len(lockCycles(before)) == 0 {
		return nil
	}
	time.Sleep(lockPause)
	seen := make(map[link]bool, len(before))
	for i := range before {
		seen[before[i].link()] = true
	}
	both := slices.DeleteFunc(LockWaits(model), func(w LockWait) bool { return !seen[w.link()] })
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

// maxCycles is how many cycles are looked for.
const maxCycles = 100

// lockCycles returns cycles of waits, as places in the list: each waits for the next one's thread, the last for the
// first one's, which has the smallest number. Every thread that is in a cycle is in one of a part of the graph that has one of those
// returned.
func lockCycles(waits []LockWait) (cycles [][]int) {
	const (
		unseen = iota
		onPath
		done
	)
	byThread := map[uint64][]int{}
	var threads []uint64
	for i := range waits {
		t := waits[i].Waiter.Thread
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

// lockGraph is who waits for whom, as one scan has read it. Owned by one goroutine.
type lockGraph struct {
	model   Model
	waits   []LockWait
	next    map[uint64]uint64 // whom a thread waits for, of several the first
	chains  map[uint64]lockChain
	parties map[uint64]*lockThread
}

// lockChain is a thread, who it waits for, and so on.
type lockChain struct {
	root   uint64 // who waits for nobody; 0 if the chain leads into a cycle
	length int    // how many of them wait; of a cycle each counts once
}

func newLockGraph(model Model, waits []LockWait) *lockGraph {
	g := &lockGraph{model: model, waits: waits, next: map[uint64]uint64{}, chains: map[uint64]lockChain{}, parties: map[uint64]*lockThread{}}
	for i := range waits {
		if w := &waits[i]; w.Blocker.Thread != 0 && g.next[w.Waiter.Thread] == 0 {
			g.next[w.Waiter.Thread] = w.Blocker.Thread
		}
	}
	return g
}

// chain is the chain that begins at a thread.
func (g *lockGraph) chain(thread uint64) lockChain {
	var path []uint64
	place := map[uint64]int{}
	at := thread
	var end lockChain
	for {
		if c, ok := g.chains[at]; ok {
			end = c
			break
		}
		if i, again := place[at]; again {
			end = lockChain{0, len(path) - i}
			for _, t := range path[i:] {
				g.chains[t] = end
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
		place[at] = len(path)
		path = append(path, at)
		at = next
	}
	for _, t := range slices.Backward(path) {
		end.length++
		g.chains[t] = end
	}
	return end
}

// maxChain is how many threads the text of a chain has.
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

// lockThread is what is known of a thread that waits for a lock or is in the way.
type lockThread struct {
	name      string
	goroutine uint64
	// The innermost wait of the thread that runs: its instrument and place.
	waitsFor, waitsAt string
	thread            Thread // nil if it has ended
	looked            bool   // at waitsFor
}

// goroutineHolder marks a goroutine that is no thread: the rest of the number is its own.
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
	// A whole copy would look for the thread's parent, too.
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

// waiting is party, with what the thread waits for.
func (g *lockGraph) waiting(id uint64) *lockThread {
	t := g.party(id)
	if t.looked || t.thread == nil {
		return t
	}
	t.looked = true
	for _, e := range t.thread.CurrentWaits(nil) {
		if !e.Ended && e.ThreadID == id && e.Class != nil {
			t.waitsFor, t.waitsAt = e.Class.Name(), e.Source()
		}
	}
	return t
}

// statement is the text of the statement that a thread runs, or has run last; "" if there is none.
func (g *lockGraph) statement(id uint64) string {
	if t := g.party(id); t.thread != nil {
		for _, e := range t.thread.CurrentStatements(nil) {
			return e.SQLText
		}
	}
	return ""
}
