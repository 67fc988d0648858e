package record

import "math"

// ClassWaits is the statistics of a class.
type ClassWaits struct {
	Class uint32
	Stat
}

// ThreadWaits returns the statistics of those classes that a goroutine has waited in, and how many of its waits are in none of
// them, because there was no room. It returns nothing of a goroutine that has ended.
func (r *Recording) ThreadWaits(t Thread) (all []ClassWaits, lost uint64) {
	if t.slot == 0 || t.slot >= recMaxWaits {
		return nil, 0
	}
	c, next := r.clock(), uint64(t.slot)
	for range recWaitChain {
		at := recAtWaits + next*recWaitsSize
		next = 0
		r.stable(at, recWaitsSize, 1, true, func(_ int, b []byte) {
			row := decode[recWaits](b)
			if row.goid != t.ID {
				return
			}
			lost += row.lost
			for i, class := range row.classes {
				if class == 0 {
					return
				}
				if class < recMaxClasses && row.stats[i].count > 0 {
					all = append(all, ClassWaits{uint32(class), c.waitStat(row.stats[i])})
				}
			}
			next = uint64(row.next)
		})
		if next < recMaxWaits || next >= recWaitRows {
			break
		}
	}
	return all, lost
}

func (c clock) waitStat(s recWaitStat) Stat {
	out := Stat{Count: s.count, Untimed: min(s.untimed, s.count), Sum: c.nanoseconds(s.ticks), Min: math.MaxUint64}
	if out.Count > out.Untimed {
		out.Min, out.Max = c.nanoseconds(^s.least), c.nanoseconds(s.longest)
	}
	return out
}

// lostWaits is how many events the statistics of goroutines had no room for.
func (r *Recording) lostWaits(procs uint32) (n uint64) {
	for p := range min(procs, recMaxProcs) {
		n += readRow[recStatRow](r, statAt(p, 0)).stat.count
	}
	return n
}
