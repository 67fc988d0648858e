package instr

import "sync"

// ActorWaits is the waits of an account, a user or a host. User and Host are "" where the
// tables show NULL, and where they have no such column.
type ActorWaits struct {
	User, Host string
	waits      waitTable
}

// Waits is the statistics of a class, NoStat if that is none of waits. Safe for concurrent use.
func (a *ActorWaits) Waits(c *Class) Stat {
	if kinds[c.kind].family != FamilyWaits {
		return NoStat
	}
	return a.waits.get(c.id)
}

// waitTable is statistics by class id, in blocks that are made when they are needed. A class
// without events has the zero Stat, not NoStat. The zero waitTable is empty.
type waitTable []*[statBlockSize]Stat

func (w waitTable) get(class uint16) Stat {
	if b := int(class / statBlockSize); b < len(w) && w[b] != nil && w[b][class%statBlockSize].Count > 0 {
		return w[b][class%statBlockSize]
	}
	return NoStat
}

func (w *waitTable) add(class uint16, s Stat) {
	if s.Count == 0 {
		return
	}
	b := int(class / statBlockSize)
	if b >= len(*w) {
		longer := make(waitTable, b+1)
		copy(longer, *w)
		*w = longer
	}
	if (*w)[b] == nil {
		(*w)[b] = new([statBlockSize]Stat)
	}
	if sum := &(*w)[b][class%statBlockSize]; sum.Count == 0 {
		*sum = s
	} else {
		sum.Add(s)
	}
}

func (w *waitTable) addAll(o waitTable) {
	for b, block := range o {
		if block == nil {
			continue
		}
		for i := range block {
			w.add(uint16(b*statBlockSize+i), block[i])
		}
	}
}

// foldWaits moves the thread's waits to its account, or else to its user and its host. The
// owner may be counting. The counter changes last: a reader that finds the new number finds
// the statistics gone. The caller holds threads.mu.
func (t *Thread) foldWaits() {
	t.eachStatBlock(func(n int, b *statBlock) {
		for i := range b {
			if b[i].empty() {
				continue
			}
			s := b[i].take()
			for _, a := range t.above {
				if a != nil {
					a.waits.add(uint16(n*statBlockSize+i), s)
				}
			}
		}
	})
	t.folds.Add(1)
}

// foldAccounts moves the statistics of accounts to their users and hosts. The caller holds
// threads.mu.
func (as *actors) foldAccounts() {
	for _, a := range as.levels[LevelAccount].all {
		for _, up := range a.above {
			if up != nil {
				up.waits.addAll(a.waits)
			}
		}
		clear(a.waits)
	}
}

// threadWaits is what a reader has read of a thread.
type threadWaits struct {
	thread *Thread
	folds  uint64 // as the reading began
	end    int    // where the thread's statistics end; they begin where those of the thread before end
	place  int    // of the actor in the reader's list; -1 for none
}

// ClassWaits is statistics of one class: the one whose ID is Class.
type ClassWaits struct {
	Class uint16
	Stat
}

// AppendWaits appends the thread's statistics of each class that it has waited in. Safe for
// concurrent use.
func (t *Thread) AppendWaits(waits []ClassWaits) []ClassWaits {
	t.eachStatBlock(func(n int, b *statBlock) {
		for i := range b {
			if b[i].empty() {
				continue
			}
			if s := b[i].read(); s.Count > 0 {
				waits = append(waits, ClassWaits{uint16(n*statBlockSize + i), s})
			}
		}
	})
	return waits
}

// scratch is the memory that a reading of all threads needs, kept for the next one: it is
// megabytes, and collecting it would cost the threads more than the reading.
type scratch struct {
	threads []threadWaits
	waits   []ClassWaits
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// readThreads appends the statistics of the threads that have any, without stopping them.
func readThreads(all []*Thread, threads []threadWaits, waits []ClassWaits) ([]threadWaits, []ClassWaits) {
	for _, t := range all {
		begin, folds := len(waits), t.folds.Load()
		if waits = t.AppendWaits(waits); len(waits) > begin {
			threads = append(threads, threadWaits{thread: t, folds: folds, end: len(waits)})
		}
	}
	return threads, waits
}

// ActorWaits returns the waits of the accounts, users or hosts that f picks. Each wait that
// ended before the call counts exactly once. Safe for concurrent use.
//
// The statistics of threads are read first, without stopping anyone; then under the lock, for a
// short time, those that threads and accounts have folded. If a thread has folded its statistics in
// between, what was read of it is thrown away, because the folded statistics contain it. Every
// other thread counts for the account that it has while the lock is held: it may have logged in
// meanwhile.
func (h Reader) ActorWaits(l ActorLevel, f ActorFilter) []ActorWaits {
	s := scratches.Get().(*scratch)
	s.threads, s.waits = readThreads(h.r.threads.threadsOf(l, f), s.threads[:0], s.waits[:0])
	rows := h.r.foldedWaits(l, f, s.threads)
	addThreads(rows, s.threads, s.waits)
	clear(s.threads) // the pool must not keep a registry alive
	scratches.Put(s)
	return rows
}

// foldedWaits returns the actors with what has been folded, and sets the places of the
// threads that have not folded since they were read.
func (r *Registry) foldedWaits(l ActorLevel, f ActorFilter, threads []threadWaits) []ActorWaits {
	r.threads.mu.Lock()
	defer r.threads.mu.Unlock()
	of, rows := actorRows(&r.threads.actors, l, f,
		func(name Account) ActorWaits { return ActorWaits{User: name.User, Host: name.Host} },
		func(row *ActorWaits, a *actor) { row.waits.addAll(a.waits) })
	for i := range threads {
		t := &threads[i]
		t.place = -1
		if t.thread.folds.Load() == t.folds {
			t.place = of.place(t.thread.at(l))
		}
	}
	return rows
}

// addThreads adds the statistics of threads to the rows at their places.
func addThreads(rows []ActorWaits, threads []threadWaits, waits []ClassWaits) {
	begin := 0
	for i := range threads {
		t := &threads[i]
		if t.place >= 0 {
			sum := &rows[t.place].waits
			for _, s := range waits[begin:t.end] {
				sum.add(s.Class, s.Stat)
			}
		}
		begin = t.end
	}
}

// ResetThreadWaits moves the statistics of all threads to their accounts, or else to their
// users and hosts: TRUNCATE of events_waits_summary_by_thread_by_event_name. Safe for
// concurrent use.
func (h Reader) ResetThreadWaits() {
	ts := &h.r.threads
	for _, t := range ts.all() {
		ts.mu.Lock()
		t.foldWaits()
		ts.mu.Unlock()
	}
}

// ResetActorWaits empties the statistics of a level: TRUNCATE of
// events_waits_summary_by_account_by_event_name and its sisters. Those of the threads and
// the accounts go to users and hosts first. Safe for concurrent use.
func (h Reader) ResetActorWaits(l ActorLevel) {
	h.ResetThreadWaits()
	h.r.threads.mu.Lock()
	defer h.r.threads.mu.Unlock()
	as := &h.r.threads.actors
	as.foldAccounts()
	if l == LevelAccount {
		return
	}
	for _, a := range as.levels[l].all {
		clear(a.waits)
	}
}
