package instr

import "sync/atomic"

// MemoryClass is a kind of memory, the instrument memory/NAME: the code that allocates and frees it
// reports that. Safe for concurrent use. A nil one counts nothing.
//
// What a thread allocates and frees counts for the thread, and so for its account, user and host;
// only the thread writes these statistics. What other goroutines allocate and free counts only
// globally. So does all memory of a class that has the property GlobalStatistics. Memory that one
// thread allocates and another one frees, such as that of a cache, should have it: then its lowest
// and highest values are exact, while otherwise one of the threads has less than nothing in use.
// Goroutines that write the global statistics at the same time wait for each other.
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

// Free counts one piece of memory that is freed. Do not call it for memory that was allocated while
// the instrument was off: the class would have less than nothing in use.
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
	default:
		c.freeCounted(t, bytes)
	}
}

// freeCounted counts what a thread frees that is not instrumented, as far as memory was counted before it became so: else it would be in use
// forever. What the thread allocates meanwhile is not counted, and at its end all of it is free.
func (c *Class) freeCounted(t *Thread, bytes uint64) {
	a := t.activity.Load()
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.stats.memoryIn(c.id)
	if s == nil {
		return
	}
	count, bytes := min(1, uint64(max(0, s.Count()))), min(bytes, uint64(max(0, s.Bytes())))
	if count|bytes == 0 {
		return
	}
	a.memory.add(-int64(bytes), c.Controlled())
	s.free(count, bytes)
}

// counts returns where memory of the class that a goroutine allocates or frees counts: for its
// thread, if a is not nil; else globally, if counted is true; else nowhere. As in MySQL, memory of
// a thread that is not instrumented counts nowhere.
func (c *Class) counts(t *Thread, sw switches) (a *activity, counted bool) {
	if sw&swThreads == 0 || t == nil || t.registry != c.registry || t.ID() == 0 {
		return nil, true
	}
	if !t.instrumented() {
		return nil, false
	}
	return t.ensureActivity(), true
}

// memoryOf returns the statistics of a class, made if need be.
func (w *workStats) memoryOf(class uint16) *MemoryStat {
	i := w.lastMemory // most often the same class again
	if i >= len(w.memory) || w.memory[i].id != int(class) {
		i = w.memory.place(int(class))
		w.lastMemory = i
	}
	return &w.memory[i].stat
}

// memoryIn returns the statistics of a class, nil if there are none.
func (w *workStats) memoryIn(class uint16) *MemoryStat {
	for i := range w.memory {
		if w.memory[i].id == int(class) {
			return &w.memory[i].stat
		}
	}
	return nil
}

// The memory of a thread is added to that of its account, user and host, and to the global one, and
// so are its highest and lowest values. If threads come and go one after another, the sums would
// grow although no more memory is in use at a time. Therefore an actor has slack: what it once had
// in use beyond what it has now. When a thread exceeds its own highest value, it takes the
// difference from the slack, because its account has had that much in use before. Slack is added
// when the statistics of a thread are moved to the actor.

// memorySlack is how far the highest and the lowest value of an actor are from what it has in use.
// Only the holder of threads.mu adds to it; anybody may take from it.
type memorySlack struct{ countAbove, countBelow, bytesAbove, bytesBelow atomic.Uint64 }

// subtract subtracts n, but not below 0, and returns the part of n that it did not subtract.
func subtract(from *atomic.Uint64, n uint64) (rest uint64) {
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

// slackTable is slack by class. The caller that adds a class holds threads.mu; anybody may read.
// The zero slackTable is empty.
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

// takeAll is read, and sets the slack to 0.
func (s *slackTable) takeAll(class uint16, to *MemoryStat) {
	if from := s.of(class); from != nil {
		to.countAbove += from.countAbove.Swap(0)
		to.countBelow += from.countBelow.Swap(0)
		to.bytesAbove += from.bytesAbove.Swap(0)
		to.bytesBelow += from.bytesBelow.Swap(0)
	}
}

// raisePeak is called when the thread uses this much more memory than ever before.
func (t *Thread) raisePeak(class uint16, count, bytes uint64) {
	t.takeSlack(class, count, bytes, func(s *memorySlack) (count, bytes *atomic.Uint64) { return &s.countAbove, &s.bytesAbove })
}

// lowerLeast is called when the thread uses this much less memory than ever before.
func (t *Thread) lowerLeast(class uint16, count, bytes uint64) {
	t.takeSlack(class, count, bytes, func(s *memorySlack) (count, bytes *atomic.Uint64) { return &s.countBelow, &s.bytesBelow })
}

// takeSlack takes slack from everything that the thread's statistics are added to: first from its
// account; what the account does not have, from its user and its host; what the host does not have,
// from the global slack. It needs no lock to read which actors these are, because only the thread's
// own goroutine changes that.
func (t *Thread) takeSlack(class uint16, count, bytes uint64, which func(*memorySlack) (count, bytes *atomic.Uint64)) {
	from := func(s *slackTable, count, bytes uint64) (uint64, uint64) {
		if s := s.of(class); s != nil {
			c, b := which(s)
			return subtract(c, count), subtract(b, bytes)
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

// joinMemory is called when the thread has just come to its actors with its memory statistics. It
// takes as much from the slack of these actors, because they have had that much in use before. The
// thread's statistics have been part of the global ones all the time: so what an account or a host
// loses is added to the global slack. The caller holds threads.mu.
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
		t.joinClassMemory(class, MemoryStat{countAbove: has(s.HighCount()), countBelow: has(-s.LowCount()), bytesAbove: has(s.HighBytes()), bytesBelow: has(-s.LowBytes())})
	}
}

// joinClassMemory is joinMemory for one class. The caller holds threads.mu.
func (t *Thread) joinClassMemory(class uint16, s MemoryStat) {
	from := func(a *actor) {
		slack := a.slack.of(class)
		if slack == nil {
			return
		}
		given := s
		s = MemoryStat{
			countAbove: subtract(&slack.countAbove, s.countAbove), countBelow: subtract(&slack.countBelow, s.countBelow),
			bytesAbove: subtract(&slack.bytesAbove, s.bytesAbove), bytesBelow: subtract(&slack.bytesBelow, s.bytesBelow),
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

// moveMemory is moveWork of memory. If ended is false, memory in use is not moved. slack is that of
// the actor that from belongs to, nil for a thread.
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

// addMemory adds to the statistics of an actor, or to the global ones, which keep their slack in a
// table.
func (w *workStats) addMemory(class uint16, slack *slackTable, s MemoryStat) {
	slack.add(class, &s)
	s.countAbove, s.countBelow, s.bytesAbove, s.bytesBelow = 0, 0, 0, 0
	w.memoryOf(class).Add(s)
}

// rebaseMemory drops what has been allocated and freed again.
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

// readMemory adds the memory of an actor, or the global memory, to a row.
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
