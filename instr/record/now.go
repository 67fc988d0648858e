package record

import "math"

// mostAhead is how far a row can be ahead of the last moment in the header, which is written at least once a second while the
// process runs; nanoseconds. A row that is further ahead is damaged.
const mostAhead = 60e9

// Now is the present moment, nanoseconds since the recording began; if the process has ended, the newest moment in the recording.
func (r *Recording) Now() uint64 {
	if end := r.end.Load(); end != 0 {
		return end
	}
	if c := r.clock(); r.Alive() {
		return max(monotonic(), c.monotonic) - c.monotonic
	}
	end := max(r.newest(), 1)
	r.end.Store(end)
	return end
}

// newest is the newest moment in any row, or in the header.
func (r *Recording) newest() uint64 {
	h, c := r.head(), r.clock()
	newest := c.last
	see := func(start, ticks uint64) {
		if ticks > math.MaxUint64-start {
			return
		}
		if at := c.since(start + ticks); at > newest && at <= c.last+mostAhead {
			newest = at
		}
	}
	procs := int(min(h.procs, recMaxProcs))
	threads := func(at uint64, n int) {
		r.stable(at, recThreadSize, n, true, func(_ int, b []byte) {
			row := decode[recThread](b)
			see(row.created, 0)
			see(row.start, 0)
		})
	}
	threads(recAtThreads, int(min(h.threads, recMaxThreads)))
	threads(recAtSpare, int(min(h.spare, recMaxSpare)))
	r.stable(recAtLong, recEventSize, procs*recHistoryLong, false, func(_ int, b []byte) {
		row := decode[recEvent](b)
		see(row.start, row.ticks)
	})
	r.stable(recAtObjects, recObjectSize, recMaxObjects, true, func(_ int, b []byte) {
		row := decode[recObject](b)
		see(row.since, 0)
		see(row.stray, 0)
	})
	if h.holds&1 != 0 {
		r.stable(recAtHolds, recHoldsSize, int(min(h.threads, recMaxHolds)), true, func(_ int, b []byte) {
			for _, l := range decode[recHolds](b).locks {
				see(l.ticks, 0)
			}
		})
	}
	r.stable(recAtConns, recConnSize, int(min(h.conns, recMaxConns)), true, func(_ int, b []byte) {
		row := decode[recConn](b)
		see(row.opened, 0)
		see(row.since, 0)
	})
	if !r.worked() {
		return newest
	}
	steps := func(at uint64, n int) {
		r.stable(at, recStepSize, n, false, func(_ int, b []byte) {
			row := decode[recStep](b)
			see(row.start, row.ticks)
		})
	}
	steps(recAtStagesLong, procs*recStageHistoryLong)
	steps(recAtTransactionLong, procs*recTransactHistoryLong)
	r.stable(recAtStatementsLong, recStatementSize, procs*recStatementHistoryLong, false, func(_ int, b []byte) {
		row := decode[recStatement](b)
		see(row.start, row.ticks)
	})
	for p := range uint64(procs) {
		r.stable(recAtWorkStats+p*recMaxWorkClasses*recWorkStatSize, recWorkStatSize, int(min(h.work.classes, recMaxWorkClasses)), true, func(_ int, b []byte) {
			see(decode[recWorkStat](b).last, 0)
		})
	}
	r.stable(recAtWorkRows, recWorkSize, int(min(h.work.rows, recMaxWork)), true, func(_ int, b []byte) {
		row := decode[recWork](b)
		see(row.transaction.start, row.transaction.ticks)
		for i := range row.statements {
			see(row.statements[i].start, row.statements[i].ticks)
			see(row.stages[i].start, row.stages[i].ticks)
		}
	})
	return newest
}
