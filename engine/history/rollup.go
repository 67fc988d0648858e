package history

import (
	"encoding/binary"
	"math"
	"slices"

	"pfsd/tables"
)

// parseDay is the day of the key of a text.
func parseDay(key []byte) int64 { return int64(binary.BigEndian.Uint64(key[1:]) ^ signBit) }

// Settle adds up the minutes and hours that are over at now, seconds since 1970, and removes what is too old or too much.
func (s *Store) Settle(now int64) {
	s.writing.Lock()
	defer s.writing.Unlock()
	for table := range s.index {
		s.rollUp(table, minute, now)
	}
	for table := range s.index {
		s.rollUp(table, hour, now)
	}
	s.age(now)
	s.shrink()
	s.forgetTexts(now)
}

// group is by how many seconds buckets of a length go: so that a longer bucket has all or none of the shorter ones beside it.
func group(seconds uint32) int64 {
	if seconds < minute {
		return minute
	}
	return hour
}

// period is a bucket that is to be made.
type period struct {
	start int64
	boot  bootID
}

// rollUp makes the buckets of a table of one length out of the next shorter ones: those that are over and do not exist.
func (s *Store) rollUp(table int, length uint32, now int64) {
	exists := map[period]bool{}
	for _, e := range s.index[table][length] {
		exists[period{e.start, e.boot}] = true
	}
	parts := map[period][]located{}
	for seconds, list := range s.index[table] {
		if seconds >= length || length == hour && seconds < minute {
			continue
		}
		for _, e := range list {
			p := period{floor(e.start, int64(length)), e.boot}
			if last, ok := s.dropped[length]; exists[p] || e.boot == s.boot && p.start+int64(length) > now || ok && p.start <= last {
				continue
			}
			parts[p] = append(parts[p], located{table, seconds, e})
		}
	}
	if len(parts) == 0 {
		return
	}
	var c change
	for p, list := range parts {
		slices.SortFunc(list, func(a, b located) int { return compareEntries(a.entry, b.entry) })
		all := bucket{merge: tableAt(table).Merge}
		for _, l := range list {
			if b := s.read(table, l.seconds, l.entry); b != nil {
				all.add(b)
			}
		}
		if len(all.rows) > 0 || table == clock() {
			all.limit(s.keys(table), rankOf(tableAt(table)))
			c.put(table, length, entry{start: p.start, boot: p.boot}, &all)
		}
	}
	_ = s.write(&c) // it is told, and tried again
}

// age removes the buckets that are older than what is kept of their length.
func (s *Store) age(now int64) {
	limits := s.limits.Load()
	var c change
	for table := range s.index {
		for seconds, list := range s.index[table] {
			keep := limits.Hours
			switch {
			case seconds < minute:
				keep = limits.Fine
			case seconds < hour:
				keep = limits.Minutes
			}
			before := floor(now-keep, group(seconds))
			if len(list) > 0 && list[0].start < before {
				c.removeSpan(span{table, seconds, math.MinInt64, before})
			}
		}
	}
	_ = s.write(&c) // it is told, and tried again
}

// shrink removes the oldest buckets while all together, and what is kept, take too many bytes. At least half of the bytes are for buckets,
// however much is kept from before the limit became less.
func (s *Store) shrink() {
	most := s.limits.Load().Bytes / s.share
	for s.size > most && s.size-s.kept > most/2 {
		oldest, length, found := int64(math.MaxInt64), uint32(0), false
		for table := range s.index {
			for seconds, list := range s.index[table] {
				if len(list) == 0 {
					continue
				}
				if start := floor(list[0].start, group(seconds)); !found || start < oldest || start == oldest && seconds < length {
					oldest, length, found = start, seconds, true
				}
			}
		}
		if !found {
			return
		}
		var c change
		for table := range s.index {
			for seconds, list := range s.index[table] {
				if len(list) > 0 && list[0].start < oldest+group(length) && group(seconds) == group(length) && (seconds < hour) == (length < hour) {
					c.removeSpan(span{table, seconds, math.MinInt64, oldest + group(length)})
				}
			}
		}
		if length >= minute {
			s.dropped[length] = oldest + group(length) - 1
		}
		if s.write(&c) != nil {
			return
		}
		s.forgetTexts(oldest)
	}
}

// forgetTexts removes the texts of days before all buckets of a table with texts; at the latest now.
func (s *Store) forgetTexts(now int64) {
	first := dayOf(now)
	for table, h := range tables.HistoryTables() {
		if h.Text == "" {
			continue
		}
		for _, list := range s.index[table] {
			if len(list) > 0 {
				first = min(first, dayOf(list[0].start))
			}
		}
	}
	var c change
	gone := 0
	for day, n := range s.days {
		if day < first {
			gone += n
		}
	}
	if gone == 0 {
		return
	}
	c.remove(textPrefix(math.MinInt64), textPrefix(first))
	if s.write(&c) != nil {
		return
	}
	for day := range s.days {
		if day < first {
			delete(s.days, day)
		}
	}
	s.mu.Lock()
	s.size -= int64(gone)
	s.mu.Unlock()
}
