package tables

import "slices"

// The threads that wait for each other and will do so for ever: a row for each thread of a cycle, which waits for the next one, the last for
// the first. Cycles go over mutexes, readers-writer locks, metadata locks and locks on rows; what closes a cycle of metadata locks or
// of rows alone is refused at once, and never here. In a recording, who waits for a WaitGroup waits for the goroutines that its method Go has
// begun. A cycle that goes over the connections of a pool is a suspicion, as another goroutine can give one back: CERTAIN is NO in that row, and
// DOUBT says why; it is shown if all who have connections of the pool wait in their turn. So is one that goes over a
// channel, if all who have used that last wait in their turn. A cycle is one that two readings, 10 ms apart, have found alike;
// the second is made only if the first finds any. At most 100 are shown. What has to be on is said at lock_waits.
//
// MySQL: none.
var _ = register(Def[*lockWaitRow]{
	Name:     "deadlocks",
	Doc:      "Threads that wait for each other, and will do so for ever.",
	Recorded: OfProgram,
	Columns: slices.Concat([]Column[*lockWaitRow]{
		{Name: "DEADLOCK_ID", Kind: bigintUnsigned, Get: func(r *lockWaitRow) Value { return Uint(uint64(r.cycle)) }, Doc: "The number of the cycle among those of this reading, from 1."},
		{Name: "PLACE", Kind: bigintUnsigned, Get: func(r *lockWaitRow) Value { return Uint(uint64(r.place)) }, Doc: "The place in the cycle, from 1: the thread with the smallest id."},
	}, lockWaitColumns()),
	Indexes: []Index{
		{Name: "PRIMARY", Columns: []string{"DEADLOCK_ID", "PLACE"}, Unique: true},
		{Name: "REQUESTING_THREAD_ID", Columns: []string{"REQUESTING_THREAD_ID"}},
	},
	Unknown:  unknownWaits,
	Estimate: func(Model) int { return 0 },
	Rows: func(model Model, key Key) Source[*lockWaitRow] {
		var rows []*lockWaitRow
		graph := newLockGraph(model, nil)
		for i, cycle := range deadlocks(model) {
			for j, w := range cycle {
				r := &lockWaitRow{w, graph, i + 1, j + 1}
				if key.allows("DEADLOCK_ID", Uint(uint64(r.cycle))) && key.allows("PLACE", Uint(uint64(r.place))) && key.allows("REQUESTING_THREAD_ID", Uint(w.Waiter.Thread)) {
					rows = append(rows, r)
				}
			}
		}
		return list(rows)
	},
})
