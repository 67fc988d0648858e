package tables

import (
	"cmp"
	"slices"

	"pfsd/instr"
)

// lockWaitRow is a row of lock_waits and of deadlocks.
type lockWaitRow struct {
	*LockWait
	graph *lockGraph
	// In deadlocks: the number of the cycle, and the place in it.
	cycle, place int
}

// The threads that wait for a lock: each with those in its way, from where and since when these have the lock, what they wait
// for themselves, and so on down to who waits for no lock. Of a thread that waits for several there is a row for each; at most 64 of
// a readers-writer lock's readers are named. Each row is true of one moment; all of them need not be of the same one.
// A wait for a mutex or a readers-writer lock is known while its instrument and the consumer events_waits_current are on, and
// who has the lock if the instrument was on when it was locked. A recording also has waits for connections of pools, with all who have some, and waits to
// send to a channel, with those who have received from it last, or have a place in it. To read the table stops nobody.
//
// MySQL: none.
var _ = register(Def[*lockWaitRow]{
	Name:     "lock_waits",
	Doc:      "Who waits for a lock, who is in the way, and what those wait for: mutexes, readers-writer locks, metadata locks, rows, connections of pools, and in a recording receivers and places of channels.",
	Recorded: OfProgram,
	Columns: slices.Concat(lockWaitColumns(), []Column[*lockWaitRow]{
		{Name: "BLOCKING_WAITS_FOR", Kind: varchar(128).nullable(), Get: func(r *lockWaitRow) Value { return textOrNull(r.graph.blockerWaits(r.LockWait).instrument) }, Doc: "The instrument of what the blocking thread waits for itself while it is in the way, which need not be a lock; NULL if it does not wait, or that is not known."},
		{Name: "BLOCKING_WAITS_AT", Kind: varchar(64).nullable(), Get: func(r *lockWaitRow) Value {
			return textOrNull(cut(r.graph.blockerWaits(r.LockWait).place, 64))
		}, Doc: "The file and line of that wait."},
		{Name: "CHAIN", Kind: varchar(512), Get: func(r *lockWaitRow) Value { return Text(r.graph.chainText(r.LockWait)) }, Doc: "The ids of the waiting thread, of the one that it waits for, and so on, of several the first; at most 20, and the last one twice where the chain ends in a cycle."},
		{Name: "CHAIN_LENGTH", Kind: intUnsigned, Get: func(r *lockWaitRow) Value {
			return Uint(uint64(r.graph.chain(r.Waiter.Thread).length))
		}, Doc: "How many threads of the chain wait for a lock."},
		{Name: "ROOT_THREAD_ID", Kind: bigintUnsigned.nullable(), Get: func(r *lockWaitRow) Value { return uintOrNull(r.root()) }, Doc: "The thread at the end of the chain, which waits for no lock; NULL in a deadlock, and if nobody is known to be in the way."},
		{Name: "ROOT_THREAD_NAME", Kind: varchar(128).nullable(), Get: func(r *lockWaitRow) Value { return textOrNull(r.graph.party(r.root()).name) }, Doc: "Its name; NULL if it is no thread any more."},
		{Name: "ROOT_WAITS_FOR", Kind: varchar(128).nullable(), Get: func(r *lockWaitRow) Value { return textOrNull(r.rootWaits().instrument) }, Doc: "The instrument of what it waits for; NULL if it does not wait, or that is not known."},
		{Name: "ROOT_WAITS_AT", Kind: varchar(64).nullable(), Get: func(r *lockWaitRow) Value { return textOrNull(cut(r.rootWaits().place, 64)) }, Doc: "The file and line of that wait."},
	}),
	Indexes: []Index{
		{Name: "BLOCKING_THREAD_ID", Columns: []string{"BLOCKING_THREAD_ID"}},
		{Name: "OBJECT_INSTANCE_BEGIN", Columns: []string{"OBJECT_INSTANCE_BEGIN"}},
		{Name: "REQUESTING_THREAD_ID", Columns: []string{"REQUESTING_THREAD_ID"}},
	},
	Unknown:  unknownWaits,
	Order:    &Order{Column: "TIMER_WAIT", Descending: true},
	Estimate: fixedEstimate,
	Rows: func(model Model, key Key) Source[*lockWaitRow] {
		graph := newLockGraph(model, LockWaits(model))
		places := make([]int, len(graph.waits))
		for i := range places {
			places[i] = i
		}
		slices.SortStableFunc(places, func(a, b int) int { return compareAge(&graph.waits[b].Waiter, &graph.waits[a].Waiter) })
		return mapped(list(places), func(r *lockWaitRow, i int) bool {
			w := &graph.waits[i]
			*r = lockWaitRow{LockWait: w, graph: graph}
			return key.allows("REQUESTING_THREAD_ID", Uint(w.Waiter.Thread)) && key.allows("BLOCKING_THREAD_ID", uintOrNull(w.Blocker.Thread)) &&
				key.allows("OBJECT_INSTANCE_BEGIN", Uint(w.Object))
		})
	},
})

// compareAge is negative if a has waited shorter than b, or if only its wait is not timed.
func compareAge(a, b *LockParty) int {
	if a.Timed != b.Timed {
		if b.Timed {
			return -1
		}
		return 1
	}
	return cmp.Compare(a.Since, b.Since)
}

// root is the thread at the end of the chain, 0 if there is none.
func (r *lockWaitRow) root() uint64 {
	if r.Blocker.Thread == 0 {
		return 0
	}
	return r.graph.chain(r.Blocker.Thread).root
}

func (r *lockWaitRow) rootWaits() lockThreadWait {
	if r.root() == 0 {
		return lockThreadWait{}
	}
	return r.graph.rootWaits(r.LockWait)
}

// lockWaitColumns are the columns that say which thread waits for which lock, and which thread is
// in its way.
func lockWaitColumns() []Column[*lockWaitRow] {
	waiter := func(r *lockWaitRow) *LockParty { return &r.Waiter }
	blocker := func(r *lockWaitRow) *LockParty { return &r.Blocker }
	on := func(part func(*instr.MetadataObject) string) func(*lockWaitRow) Value {
		return func(r *lockWaitRow) Value {
			if r.On == nil {
				return Null
			}
			return textOrNull(part(r.On))
		}
	}
	return []Column[*lockWaitRow]{
		{Name: "REQUESTING_THREAD_ID", Kind: bigintUnsigned, Get: func(r *lockWaitRow) Value { return Uint(r.Waiter.Thread) }, Doc: "The thread that waits."},
		{Name: "REQUESTING_GOROUTINE_ID", Kind: bigintUnsigned.nullable(), Get: partyGoroutine(waiter), Doc: "The number of its goroutine; NULL if unknown."},
		{Name: "REQUESTING_THREAD_NAME", Kind: varchar(128).nullable(), Get: partyName(waiter), Doc: "Its name; NULL if it has ended meanwhile."},
		{Name: "REQUESTING_STATEMENT", Kind: longtext.nullable(), Get: partyStatement(waiter), Doc: "The statement that it runs; NULL if there is none."},
		{Name: "EVENT_NAME", Kind: varchar(128), Get: func(r *lockWaitRow) Value { return Text(r.Class.Name()) }, Doc: "The instrument of the wait."},
		objectInstance(func(r *lockWaitRow) uint64 { return r.Object }),
		{Name: "OBJECT_TYPE", Kind: varchar(64).nullable(), Get: on(func(o *instr.MetadataObject) string { return o.Type }), Doc: "What the lock is on, as TABLE, or POOL of a connection; NULL of mutexes and readers-writer locks."},
		{Name: "OBJECT_SCHEMA", Kind: varchar(64).nullable(), Get: on(func(o *instr.MetadataObject) string { return cut(o.Schema, 64) }), Doc: "Its schema; NULL if it is in none."},
		{Name: "OBJECT_NAME", Kind: varchar(64).nullable(), Get: on(func(o *instr.MetadataObject) string { return cut(o.Name, 64) }), Doc: "Its name."},
		{Name: "INDEX_NAME", Kind: varchar(64).nullable(), Get: on(func(o *instr.MetadataObject) string { return cut(o.Index, 64) }), Doc: "The index whose entry is locked; NULL of other locks."},
		{Name: "LOCK_MODE", Kind: varchar(32), Get: func(r *lockWaitRow) Value { return Text(r.Waiter.Mode) }, Doc: "How the lock is wanted: EXCLUSIVE or SHARED, a type of metadata locks, or X or S with or without GAP of rows; WAIT of a WaitGroup, CONNECTION of a pool, SEND and RECEIVE of a channel."},
		{Name: "SOURCE", Kind: varchar(64).nullable(), Get: func(r *lockWaitRow) Value { return textOrNull(cut(r.Waiter.Source, 64)) }, Doc: "The file and line of the code that waits; NULL if unknown."},
		{Name: "TIMER_WAIT", Kind: bigintUnsigned.nullable(), Get: partySince(waiter), Doc: "How long it has waited, picoseconds; NULL if the wait is not timed."},
		{Name: "BLOCKING_THREAD_ID", Kind: bigintUnsigned.nullable(), Get: func(r *lockWaitRow) Value { return uintOrNull(r.Blocker.Thread) }, Doc: "The thread in the way; of a goroutine that is no thread 2^63 plus its number; NULL if nobody is known to be."},
		{Name: "BLOCKING_GOROUTINE_ID", Kind: bigintUnsigned.nullable(), Get: partyGoroutine(blocker), Doc: "The number of its goroutine; NULL if unknown."},
		{Name: "BLOCKING_THREAD_NAME", Kind: varchar(128).nullable(), Get: partyName(blocker), Doc: "Its name; NULL if it is no thread, or has ended."},
		{Name: "BLOCKING_STATEMENT", Kind: longtext.nullable(), Get: partyStatement(blocker), Doc: "The statement in which it got the lock, or else the one that it runs or has run last; NULL if there is none."},
		{Name: "BLOCKING_LOCK_MODE", Kind: varchar(32).nullable(), Get: func(r *lockWaitRow) Value { return textOrNull(r.Blocker.Mode) }, Doc: "How it has the lock, or wants it; GO of a goroutine that the method Go of a WaitGroup has begun; CONNECTION of a connection of a pool, and BODY if the body of a response keeps that, neither read to its end nor closed; RECEIVE and SEND of who has done that to a channel last, PLACE of who has a place in it."},
		{Name: "BLOCKING_LOCK_STATUS", Kind: enum("GRANTED", "PENDING").nullable(), Get: blockingStatus, Doc: "PENDING if it waits for the lock too, in front of the other thread."},
		{Name: "BLOCKING_SOURCE", Kind: varchar(64).nullable(), Get: func(r *lockWaitRow) Value { return textOrNull(cut(r.Blocker.Source, 64)) }, Doc: "The file and line of the code that got the lock; NULL if unknown."},
		{Name: "BLOCKING_TIMER_HELD", Kind: bigintUnsigned.nullable(), Get: partySince(blocker), Doc: "How long it has had the lock, picoseconds; NULL if unknown."},
		{Name: "CERTAIN", Kind: yesNo.nullable(), Get: certain, Doc: "NO if the blocking thread is perhaps not in the way any more, which nothing disproves; NULL if nobody is known to be."},
		{Name: "DOUBT", Kind: varchar(256).nullable(), Get: doubt, Doc: "Why CERTAIN is NO; NULL if it is not."},
	}
}

func doubt(r *lockWaitRow) Value {
	switch {
	case r.Blocker.Thread == 0 || r.Certain:
		return Null
	case r.Doubt == "":
		return Text("another thread may have unlocked it")
	}
	return Text(r.Doubt)
}

func partyGoroutine(of func(*lockWaitRow) *LockParty) func(*lockWaitRow) Value {
	return func(r *lockWaitRow) Value {
		p := of(r)
		if p.Goroutine == 0 && p.Thread != 0 {
			return uintOrNull(r.graph.party(p.Thread).goroutine)
		}
		return uintOrNull(p.Goroutine)
	}
}

func partyName(of func(*lockWaitRow) *LockParty) func(*lockWaitRow) Value {
	return func(r *lockWaitRow) Value {
		p := of(r)
		if p.Name == "" && p.Thread != 0 {
			return textOrNull(r.graph.party(p.Thread).name)
		}
		return textOrNull(p.Name)
	}
}

func partyStatement(of func(*lockWaitRow) *LockParty) func(*lockWaitRow) Value {
	return func(r *lockWaitRow) Value {
		p := of(r)
		if p.Statement == "" && p.Thread != 0 {
			return textOrNull(r.graph.statement(p))
		}
		return textOrNull(p.Statement)
	}
}

func partySince(of func(*lockWaitRow) *LockParty) func(*lockWaitRow) Value {
	return func(r *lockWaitRow) Value {
		p := of(r)
		if !p.Timed {
			return Null
		}
		return Uint(p.Since)
	}
}

func certain(r *lockWaitRow) Value {
	if r.Blocker.Thread == 0 {
		return Null
	}
	return yes(r.Certain)
}

func blockingStatus(r *lockWaitRow) Value {
	switch {
	case r.Blocker.Thread == 0:
		return Null
	case r.Blocker.Pending:
		return Text("PENDING")
	}
	return Text("GRANTED")
}
