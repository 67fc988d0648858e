package instr

import "sync"

// globalWork is the statistics of work that belongs to no thread, account or host, or does not any
// more. Where threads.mu is needed, too, it is taken first.
type globalWork struct {
	mu    sync.Mutex
	stats workStats // guarded by mu
	slack slackTable
}

// moveWork moves the families ks of from up: to the actors above, and to the global statistics
// unless an account or a host is among these, whose statistics count globally too. If ended is
// false, memory in use is not moved. slack is that of the actor that from belongs to, nil for a
// thread. The caller holds threads.mu and the lock that guards from.
func (r *Registry) moveWork(from *workStats, slack *slackTable, ks workKinds, above [2]*actor, ended bool) {
	if ks.has(WorkMemory) {
		r.moveMemory(from, slack, above, ended)
		ks &^= WorkMemory.set()
	}
	if from.empty(ks) {
		return
	}
	counted := false
	for _, a := range above {
		if a != nil {
			a.work.add(from, ks)
			counted = counted || a.level != LevelUser
		}
	}
	if !counted {
		r.global.mu.Lock()
		r.global.stats.add(from, ks)
		r.global.mu.Unlock()
	}
	from.clear(ks)
}

// foldAccountWork moves some families of statistics of accounts to their users and hosts.
// The caller holds threads.mu.
func (r *Registry) foldAccountWork(ks workKinds) {
	for _, a := range r.threads.actors.levels[LevelAccount].all {
		r.moveWork(&a.work, &a.slack, ks, a.above, false)
	}
}

// dropWork empties some families of statistics of a user or a host; removed says that the user or
// host is removed. A host's statistics still count globally. The caller holds threads.mu.
func (r *Registry) dropWork(a *actor, ks workKinds, removed bool) {
	if a.level == LevelHost {
		r.moveWork(&a.work, &a.slack, ks, [2]*actor{}, removed)
	}
	a.work.clear(ks)
	if ks.has(WorkMemory) {
		a.work.rebaseMemory(&a.slack)
	}
}

// foldWork moves some families of the thread's statistics to its account, or else to its user and
// its host. If ended is false, memory in use stays with the thread. The caller holds threads.mu.
func (t *Thread) foldWork(ks workKinds, ended bool) {
	if a := t.activity.Load(); a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		t.registry.moveWork(&a.stats, nil, ks, t.above, ended)
	}
}

// foldThreadWork moves some families of the statistics of all threads.
func (r *Registry) foldThreadWork(ks workKinds) {
	ts := &r.threads
	for _, t := range ts.all() {
		ts.mu.Lock()
		t.foldWork(ks, false)
		ts.mu.Unlock()
	}
}

// threadWork is what a reader has read of a thread.
type threadWork struct {
	thread   *Thread
	id       uint64 // after the reading
	activity *activity
	stats    workStats // in the memory of a workScratch
	place    int       // of the actor in the reader's list; -1 for none
}

// workScratch is the memory that a reading of all threads needs: see scratch.
type workScratch struct {
	threads    []threadWork
	stages     workList[WorkStat]
	statements workList[StatementStat]
	errors     workList[ErrorStat]
	memory     workList[MemoryStat]
}

// noSlack is the slack table of threads: it is empty, because the statistics of a thread contain
// its slack.
var noSlack slackTable

var workScratches = sync.Pool{New: func() any { return new(workScratch) }}

// release gives the memory to the next reader.
func (s *workScratch) release() {
	clear(s.threads) // a registry that is no more must not stay for them
	*s = workScratch{s.threads[:0], s.stages[:0], s.statements[:0], s.errors[:0], s.memory[:0]}
	workScratches.Put(s)
}

// read copies some families of the thread's statistics, if there are any. It keeps the owner
// from counting meanwhile.
func (s *workScratch) read(t *Thread, ks workKinds) {
	a := t.activity.Load()
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stats.empty(ks) {
		return
	}
	c := workStats{cleared: a.stats.cleared}
	if ks.has(WorkStages) {
		c.stages = appendWork(&s.stages, a.stats.stages)
	}
	if ks.has(WorkStatements) {
		c.statements = appendWork(&s.statements, a.stats.statements)
	}
	if ks.has(WorkTransactions) {
		c.transactions = a.stats.transactions
	}
	if ks.has(WorkErrors) {
		c.errors = appendWork(&s.errors, a.stats.errors)
	}
	if ks.has(WorkMemory) {
		c.memory = appendWork(&s.memory, a.stats.memory)
	}
	s.threads = append(s.threads, threadWork{t, t.ID(), a, c, -1})
}

// appendWork appends a list to a longer one and returns it as part of that.
func appendWork[S any](to *workList[S], from workList[S]) workList[S] {
	begin := len(*to)
	*to = append(*to, from...)
	return (*to)[begin:len(*to):len(*to)]
}

// dropFolded throws away what threads have moved up since it was read. The memory of such a thread
// is read again, because memory in use has stayed with it. The caller holds threads.mu.
func (s *workScratch) dropFolded() {
	for i := range s.threads {
		t := &s.threads[i]
		for k := range WorkMemory {
			if t.activity.stats.cleared[k] != t.stats.cleared[k] {
				t.stats.clear(k.set())
			}
		}
		if t.activity.stats.cleared[WorkMemory] != t.stats.cleared[WorkMemory] {
			t.activity.mu.Lock()
			t.stats.memory = appendWork(&s.memory, t.activity.stats.memory)
			t.activity.mu.Unlock()
		}
	}
}

// addTo adds the statistics of threads to the rows at their places.
func (s *workScratch) addTo(rows []Work, ks workKinds) {
	for i := range s.threads {
		if t := &s.threads[i]; t.place >= 0 {
			rows[t.place].stats.add(&t.stats, ks)
			if ks.has(WorkMemory) {
				rows[t.place].stats.readMemory(&t.stats, &noSlack)
			}
		}
	}
}

// readThreadWork reads some families of threads, each of which it stops for the time of a copy.
func readThreadWork(threads []*Thread, ks workKinds) *workScratch {
	s := workScratches.Get().(*workScratch)
	for _, t := range threads {
		s.read(t, ks)
	}
	return s
}

// Work returns the statistics of the thread, of the families that are named, and of all if
// none is. Safe for concurrent use.
func (t *Thread) Work(kinds ...WorkKind) Work {
	var s workScratch
	w := Work{ThreadID: t.ID()}
	s.read(t, workKindsOf(kinds))
	if len(s.threads) > 0 && s.threads[0].id == w.ThreadID {
		w.stats = s.threads[0].stats
	}
	return w
}

// ThreadWork returns the statistics of each thread, of the families that are named, and of
// all if none is. Safe for concurrent use.
func (h Reader) ThreadWork(kinds ...WorkKind) []Work {
	threads := h.r.threads.all()
	rows := make([]Work, 0, len(threads))
	s := workScratch{threads: make([]threadWork, 0, len(threads))}
	for _, t := range threads {
		id, read := t.ID(), len(s.threads)
		if id == 0 {
			continue
		}
		s.read(t, workKindsOf(kinds))
		switch {
		case len(s.threads) == read:
			rows = append(rows, Work{ThreadID: id})
		case s.threads[read].id == id:
			rows = append(rows, Work{ThreadID: id, stats: s.threads[read].stats})
		}
	}
	return rows
}

// ActorWork returns the statistics of the accounts, users or hosts that f picks. They are of
// the families that are named, and of all if none is. Each event that ended before the call
// counts exactly once. Safe for concurrent use.
//
// It reads threads and actors in the way in which ActorWaits does.
func (h Reader) ActorWork(l ActorLevel, f ActorFilter, kinds ...WorkKind) []Work {
	ks := workKindsOf(kinds)
	s := readThreadWork(h.r.threads.threadsOf(l, f), ks)
	defer s.release()
	rows := h.r.foldedWork(l, f, ks, s)
	s.addTo(rows, ks)
	return rows
}

// foldedWork returns the actors with what has been folded, and sets the places of the threads. It
// drops what these have folded since they were read.
func (r *Registry) foldedWork(l ActorLevel, f ActorFilter, ks workKinds, s *workScratch) []Work {
	r.threads.mu.Lock()
	defer r.threads.mu.Unlock()
	of, rows := actorRows(&r.threads.actors, l, f,
		func(name Account) Work { return Work{User: name.User, Host: name.Host} },
		func(row *Work, a *actor) { row.stats.addActor(a, ks) })
	s.dropFolded()
	for i := range s.threads {
		s.threads[i].place = of.place(s.threads[i].thread.at(l))
	}
	return rows
}

// GlobalWork returns the statistics of everything, of the families that are named, and of
// all if none is. Each event that ended before the call counts exactly once. Safe for
// concurrent use.
func (h Reader) GlobalWork(kinds ...WorkKind) Work {
	ks := workKindsOf(kinds)
	s := readThreadWork(h.r.threads.all(), ks)
	defer s.release()
	rows := []Work{h.r.foldedGlobalWork(ks, s)}
	s.addTo(rows, ks)
	return rows[0]
}

// addActor adds some families of an actor's own statistics.
func (w *workStats) addActor(a *actor, ks workKinds) {
	w.add(&a.work, ks)
	if ks.has(WorkMemory) {
		w.readMemory(&a.work, &a.slack)
	}
}

// foldedGlobalWork returns what counts globally besides the threads in s, and sets the places of
// these. It drops what they have folded since they were read. Users are left out, because hosts
// have the same statistics.
func (r *Registry) foldedGlobalWork(ks workKinds, s *workScratch) (w Work) {
	r.threads.mu.Lock()
	defer r.threads.mu.Unlock()
	for _, l := range []ActorLevel{LevelAccount, LevelHost} {
		for _, a := range r.threads.actors.levels[l].all {
			w.stats.addActor(a, ks)
		}
	}
	r.global.mu.Lock()
	w.stats.add(&r.global.stats, ks)
	if ks.has(WorkMemory) {
		w.stats.readMemory(&r.global.stats, &r.global.slack)
	}
	r.global.mu.Unlock()
	s.dropFolded()
	for i := range s.threads {
		s.threads[i].place = 0
	}
	return w
}

// ResetThreadWork moves one family of statistics of all threads to their accounts, or else
// to users and hosts, or else to the global ones. Safe for concurrent use.
func (h Reader) ResetThreadWork(k WorkKind) { h.r.foldThreadWork(k.set()) }

// ResetActorWork empties one family of statistics of a level, after those of the levels
// below have been moved up. A host's still count globally. Safe for concurrent use.
func (h Reader) ResetActorWork(k WorkKind, l ActorLevel) {
	h.ResetThreadWork(k)
	h.r.threads.mu.Lock()
	defer h.r.threads.mu.Unlock()
	h.r.foldAccountWork(k.set())
	if l == LevelAccount {
		return
	}
	for _, a := range h.r.threads.actors.levels[l].all {
		h.r.dropWork(a, k.set(), false)
	}
}

// ResetGlobalWork empties one family of the statistics of everything; for WorkStatements also the
// histogram of statements. Memory in use stays. Safe for concurrent use.
func (h Reader) ResetGlobalWork(k WorkKind) {
	h.ResetThreadWork(k)
	if k == WorkMemory {
		h.r.resetSharedMemory()
	}
	h.r.threads.mu.Lock()
	defer h.r.threads.mu.Unlock()
	for l := range levelCount {
		for _, a := range h.r.threads.actors.levels[l].all {
			a.work.clear(k.set())
			if k == WorkMemory {
				a.work.rebaseMemory(&a.slack)
			}
		}
	}
	h.r.global.mu.Lock()
	h.r.global.stats.clear(k.set())
	if k == WorkMemory {
		h.r.global.stats.rebaseMemory(&h.r.global.slack)
	}
	h.r.global.mu.Unlock()
	if k == WorkStatements {
		h.ResetGlobalStatementHistogram()
	}
}
