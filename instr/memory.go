package instr

import "sync/atomic"

// MemoryClass is a kind of memory, the instrument memory/NAME: who allocates and frees it says so.
// Safe for concurrent use. A nil one counts nothing.
//
// What a thread allocates and frees counts for the thread, and so for its account, user and host;
// it is the thread's alone to write. What other goroutines do counts for everybody alone. So does
// what anybody does with memory whose class is GlobalStatistics: memory that one thread
// allocates and another one frees, as that of a cache, should be, as its least and most are then
// exact, where otherwise one thread has less than nothing in use. Many goroutines at a time that
// write the same statistics wait for each other.
type MemoryClass struct{ class *Class }

// NewMemoryClass returns the class of memory memory/NAME, made if need be, with the properties
// besides those that it has already.
func (r *Registry) NewMemoryClass(name string, properties ...Property) *MemoryClass {
	c := r.class(KindMemory, name)
	for _, p := range properties {
		c.SetProperties(p)
	}
	return &MemoryClass{c}
}

// NewMemoryClass returns the default registry's class of memory memory/NAME.
func NewMemoryClass(name string, properties ...Property) *MemoryClass {
	return Default.NewMemoryClass(name, properties...)
}

// Class is the instrument.
func (m *MemoryClass) Class() *Class { return m.class }

// Alloc counts one piece of memory that is allocated, of so many bytes.
func (m *MemoryClass) Alloc(bytes int) {
	if m != nil {
		if sw := switches(m.class.switches.Load()); sw != 0 {
			m.class.alloc(Current(), sw, uint64(bytes))
		}
	}
}

// Free counts one piece of memory that is freed. Where the instrument was off when it was
// allocated, it should not be: the class would have less than nothing in use.
func (m *MemoryClass) Free(bytes int) {
	if m != nil {
		if sw := switches(m.class.switches.Load()); sw != 0 {
			m.class.free(Current(), sw, uint64(bytes))
		}
	}
}

// Alloc is MemoryClass.Alloc where the goroutine's thread is known; nil for none. Owned by the
// thread's goroutine.
func (t *Thread) Alloc(m *MemoryClass, bytes int) {
	if m != nil {
		if sw := switches(m.class.switches.Load()); sw != 0 {
			m.class.alloc(t, sw, uint64(bytes))
		}
	}
}

// Free is MemoryClass.Free where the goroutine's thread is known; nil for none. Owned by the
// thread's goroutine.
func (t *Thread) Free(m *MemoryClass, bytes int) {
	if m != nil {
		if sw := switches(m.class.switches.Load()); sw != 0 {
			m.class.free(t, sw, uint64(bytes))
		}
	}
}

func (c *Class) alloc(t *Thread, sw switches, bytes uint64) {
	a, counted := c.counts(t, sw)
	switch {
	case a != nil:
		a.mu.Lock()
		a.memory.add(int64(bytes), c.Controlled())
		count, bytes := a.stats.memoryOf(c.id).alloc(1, bytes)
		a.mu.Unlock()
		if count|bytes != 0 {
			t.raisePeak(c.id, count, bytes)
		}
	case counted:
		c.memory.alloc(bytes)
	}
}

func (c *Class) free(t *Thread, sw switches, bytes uint64) {
	a, counted := c.counts(t, sw)
	switch {
	case a != nil:
		a.mu.Lock()
		a.memory.add(-int64(bytes), c.Controlled())
		count, bytes := a.stats.memoryOf(c.id).free(1, bytes)
		a.mu.Unlock()
		if count|bytes != 0 {
			t.lowerLeast(c.id, count, bytes)
		}
	case counted:
		c.memory.free(bytes)
	}
}

// counts returns where memory of the class that a goroutine allocates or frees counts: for its
// thread, or else, if counted is true, for everybody. As in MySQL it does not count for a thread
// that is not instrumented, nor anywhere else then.
func (c *Class) counts(t *Thread, sw switches) (a *activity, counted bool) {
	if sw&swThreads == 0 || t == nil || t.registry != c.registry || t.ID() == 0 {
		return nil, true
	}
	if !t.instrumented() {
		return nil, false
	}
	return t.working(), true
}

// memoryOf returns the statistics of a class, made if need be.
func (w *workStats) memoryOf(class uint16) *MemoryStat {
	i := w.lastMemory // mostly the same again
	if i >= len(w.memory) || w.memory[i].id != int(class) {
		i = w.memory.place(int(class))
		w.lastMemory = i
	}
	return &w.memory[i].stat
}

// A thread's memory is added to that of its account, its user, its host and everybody: so are the
// most and the least. As threads come and go these would grow and grow, though they follow one
// another. What an actor has once had in use beyond what it has now is its slack: a thread that
// has more in use than it ever had takes it from there, as its account has had that much before.
// Slack comes to an actor when a thread's statistics do.

// memorySlack is how far the most and the least of an actor are from what it has in use. Added to
// by who holds threads.mu, taken from by anybody.
type memorySlack struct{ countAbove, countBelow, bytesAbove, bytesBelow atomic.Uint64 }

// take takes up to n away, and returns what has not been there.
func take(from *atomic.Uint64, n uint64) (rest uint64) {
	for n > 0 {
		have := from.Load()
		if have == 0 {
			break
		}
		some := min(have, n)
		if from.CompareAndSwap(have, have-some) {
			return n - some
		}
	}
	return n
}

// slackTable is slack by class. Who adds a class holds threads.mu; anybody may read. The zero
// slackTable is empty.
type slackTable struct {
	byClass atomic.Pointer[[]*memorySlack]
}

// of returns the slack of a class, nil if there is none.
func (s *slackTable) of(class uint16) *memorySlack {
	if all := s.byClass.Load(); all != nil && int(class) < len(*all) {
		return (*all)[class]
	}
	return nil
}

// add adds the slack of a thread's statistics. The caller holds threads.mu.
func (s *slackTable) add(class uint16, m *MemoryStat) {
	if m.countAbove|m.countBelow|m.bytesAbove|m.bytesBelow == 0 {
		return
	}
	to := s.of(class)
	if to == nil {
		var longer []*memorySlack
		if all := s.byClass.Load(); all != nil {
			longer = append(longer, *all...)
		}
		for len(longer) <= int(class) {
			longer = append(longer, nil)
		}
		to = new(memorySlack)
		longer[class] = to
		s.byClass.Store(&longer)
	}
	to.countAbove.Add(m.countAbove)
	to.countBelow.Add(m.countBelow)
	to.bytesAbove.Add(m.bytesAbove)
	to.bytesBelow.Add(m.bytesBelow)
}

// read adds the slack of a class to statistics.
func (s *slackTable) read(class uint16, to *MemoryStat) {
	if from := s.of(class); from != nil {
		to.countAbove += from.countAbove.Load()
		to.countBelow += from.countBelow.Load()
		to.bytesAbove += from.bytesAbove.Load()
		to.bytesBelow += from.bytesBelow.Load()
	}
}

// takeAll is read, and leaves nothing behind.
func (s *slackTable) takeAll(class uint16, to *MemoryStat) {
	if from := s.of(class); from != nil {
		to.countAbove += from.countAbove.Swap(0)
		to.countBelow += from.countBelow.Swap(0)
		to.bytesAbove += from.bytesAbove.Swap(0)
		to.bytesBelow += from.bytesBelow.Swap(0)
	}
}

// raisePeak is called when the thread uses more memory than ever, by this much.
func (t *Thread) raisePeak(class uint16, count, bytes uint64) {
	t.takeSlack(class, count, bytes, func(s *memorySlack) (count, bytes *atomic.Uint64) { return &s.countAbove, &s.bytesAbove })
}

// lowerLeast is called when the thread uses less memory than ever, by this much.
func (t *Thread) lowerLeast(class uint16, count, bytes uint64) {
	t.takeSlack(class, count, bytes, func(s *memorySlack) (count, bytes *atomic.Uint64) { return &s.countBelow, &s.bytesBelow })
}

// takeSlack takes from the slack of all that the thread's statistics are added to: what its
// account has not, from its user and its host; what the host has not, from everybody's. Which
// actors those are only the thread's own goroutine changes.
func (t *Thread) takeSlack(class uint16, count, bytes uint64, which func(*memorySlack) (count, bytes *atomic.Uint64)) {
	from := func(s *slackTable, count, bytes uint64) (uint64, uint64) {
		if s := s.of(class); s != nil {
			c, b := which(s)
			return take(c, count), take(b, bytes)
		}
		return count, bytes
	}
	above := t.above
	if a := above[0]; a != nil && a.level == LevelAccount {
		count, bytes = from(&a.slack, count, bytes)
		above = a.above
	}
	for _, a := range above {
		if a == nil {
			continue
		}
		c, b := from(&a.slack, count, bytes)
		if a.level == LevelHost {
			count, bytes = c, b
		}
	}
	from(&t.registry.global.slack, count, bytes)
}

// joinMemory has the thread's actors, which it has just come to with what it has in use and has
// had, give up as much of their slack: they have had that much before. Of everybody's statistics
// the thread's have been part all the time; so what an account or a host gives up everybody gets.
// The caller holds threads.mu.
func (t *Thread) joinMemory() {
	a := t.activity.Load()
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.stats.memory {
		class, s := uint16(a.stats.memory[i].id), &a.stats.memory[i].stat
		has := func(n int64) uint64 { return uint64(max(0, n)) }
		t.giveUp(class, MemoryStat{countAbove: has(s.HighCount()), countBelow: has(-s.LowCount()), bytesAbove: has(s.HighBytes()), bytesBelow: has(-s.LowBytes())})
	}
}

// giveUp is joinMemory of a class. The caller holds threads.mu.
func (t *Thread) giveUp(class uint16, s MemoryStat) {
	from := func(a *actor) {
		slack := a.slack.of(class)
		if slack == nil {
			return
		}
		given := s
		s = MemoryStat{
			countAbove: take(&slack.countAbove, s.countAbove), countBelow: take(&slack.countBelow, s.countBelow),
			bytesAbove: take(&slack.bytesAbove, s.bytesAbove), bytesBelow: take(&slack.bytesBelow, s.bytesBelow),
		}
		given.countAbove -= s.countAbove
		given.countBelow -= s.countBelow
		given.bytesAbove -= s.bytesAbove
		given.bytesBelow -= s.bytesBelow
		if a.level != LevelUser {
			r := t.registry
			r.global.mu.Lock()
			r.global.stats.addMemory(class, &r.global.slack, given)
			r.global.mu.Unlock()
		}
	}
	above := t.above
	if a := above[0]; a != nil && a.level == LevelAccount {
		from(a)
		above = a.above
	}
	for _, a := range above {
		if a != nil {
			rest := s
			from(a)
			if a.level == LevelUser {
				s = rest
			}
		}
	}
}

// moveMemory is moveWork of memory. If ended is false what is in use stays where it is. slack is
// that of the actor whose statistics from is, nil if it is a thread's.
func (r *Registry) moveMemory(from *workStats, slack *slackTable, above [2]*actor, ended bool) {
	if !from.has(WorkMemory) {
		return
	}
	for i := range from.memory {
		class, s := uint16(from.memory[i].id), &from.memory[i].stat
		if slack != nil {
			slack.takeAll(class, s)
		}
		moved := *s
		if ended {
			*s = MemoryStat{}
		} else {
			moved = s.rebase()
		}
		if moved == (MemoryStat{}) {
			continue
		}
		counted := false
		for _, a := range above {
			if a != nil {
				a.work.addMemory(class, &a.slack, moved)
				counted = counted || a.level != LevelUser
			}
		}
		if !counted {
			r.global.mu.Lock()
			r.global.stats.addMemory(class, &r.global.slack, moved)
			r.global.mu.Unlock()
		}
	}
	if ended {
		from.memory = from.memory[:0]
	}
	from.cleared[WorkMemory]++
}

// addMemory adds to the statistics of an actor, or of everybody, whose slack is apart.
func (w *workStats) addMemory(class uint16, slack *slackTable, s MemoryStat) {
	slack.add(class, &s)
	s.countAbove, s.countBelow, s.bytesAbove, s.bytesBelow = 0, 0, 0, 0
	w.memoryOf(class).Add(s)
}

// rebaseMemory forgets what has been allocated and freed again.
func (w *workStats) rebaseMemory(slack *slackTable) {
	for i := range w.memory {
		s := &w.memory[i].stat
		if slack != nil {
			slack.takeAll(uint16(w.memory[i].id), s)
		}
		s.rebase()
	}
	w.cleared[WorkMemory]++
}

// readMemory adds the memory of an actor, or of everybody, to a row.
func (w *workStats) readMemory(from *workStats, slack *slackTable) {
	for i := range from.memory {
		s := from.memory[i].stat
		slack.read(uint16(from.memory[i].id), &s)
		w.memoryOf(uint16(from.memory[i].id)).Add(s)
	}
}

// Memory is the statistics of a class of memory.
func (w *Work) Memory(c *Class) MemoryStat {
	if s := w.stats.memory.get(int(c.id)); s != nil {
		return *s
	}
	return MemoryStat{}
}
