package history

import (
	"slices"
	"time"

	"pfsd/tables"
)

// Read implements tables.HistoryBuckets.
func (s *Store) Read(table int, key tables.Key) tables.Source[*tables.HistoryRow] {
	r := &reading{store: s, h: tables.HistoryTables()[table], todo: s.wanted(table, key), names: map[string]*name{}}
	return r.fill
}

// wantedBucket is a bucket that a scan reads.
type wantedBucket struct {
	located
	measured time.Duration
	finest   bool
}

// wanted returns the buckets of a table that key allows, by length and start.
func (s *Store) wanted(table int, key tables.Key) (list []wantedBucket) {
	length, ofOne := key.Uint("BUCKET_SECONDS")
	finest, onlyFinest := key.Text("FINEST")
	s.mu.Lock()
	defer s.mu.Unlock()
	var lengths []uint32
	for seconds := range s.index[table] {
		lengths = append(lengths, seconds)
	}
	slices.Sort(lengths)
	shorter := map[period]bool{} // minutes and hours of which there are shorter buckets
	for _, seconds := range lengths {
		entries, clocks := s.index[table][seconds], s.index[clock()][seconds]
		for _, e := range entries {
			b := wantedBucket{located: located{table, seconds, e}, finest: seconds < minute || !shorter[period{e.start, e.boot}]}
			if ofOne && uint64(seconds) != length || !key.Allows("BUCKET_START", time.Unix(e.start, 0)) || onlyFinest && (finest == "YES") != b.finest && (finest == "YES" || finest == "NO") {
				continue
			}
			if i, ok := slices.BinarySearchFunc(clocks, e, compareEntries); ok {
				b.measured = clocks[i].measured
			}
			list = append(list, b)
		}
		for _, e := range entries {
			if seconds < minute {
				shorter[period{floor(e.start, minute), e.boot}] = true
			}
			if seconds < hour {
				shorter[period{floor(e.start, hour), e.boot}] = true
			}
		}
	}
	return list
}

// name is what the rows of one key have in common in a scan.
type name struct {
	values []tables.Value
	day    int64 // one of the days that have its text
	read   bool
	text   tables.Value
}

// reading is a scan. A bucket that is gone when the scan gets there is left out. Owned by one goroutine.
type reading struct {
	store *Store
	h     *tables.HistoryTable
	todo  []wantedBucket
	at    *decoder // of the first of todo; nil if it is not read yet
	names map[string]*name
	boot  string // of that bucket
	raw   row
	rows  []tables.HistoryRow
}

// next reads the next bucket, and reports whether there is one.
func (r *reading) next() bool {
	for ; len(r.todo) > 0; r.todo = r.todo[1:] {
		b := &r.todo[0]
		value, err := r.store.get(bucketKey(b.table, b.seconds, b.entry))
		if value == nil && err == nil {
			continue
		}
		if err == nil {
			r.at, err = newDecoder(r.h, value)
		}
		if err == nil {
			r.boot = b.boot.String()
			return true
		}
		r.store.unreadable(err)
	}
	return false
}

func (r *reading) fill(buf []*tables.HistoryRow) int {
	if len(r.rows) < len(buf) {
		r.rows = make([]tables.HistoryRow, len(buf))
	}
	n := 0
	for n < len(buf) {
		if r.at == nil && !r.next() {
			break
		}
		if r.at.left == 0 {
			r.at, r.todo = nil, r.todo[1:]
			continue
		}
		key, err := r.at.row(&r.raw)
		if err != nil {
			r.store.unreadable(err)
			r.at.left = 0
			continue
		}
		r.set(&r.rows[n], key)
		buf[n] = &r.rows[n]
		n++
	}
	return n
}

// set makes a row of what was read last.
func (r *reading) set(to *tables.HistoryRow, key []byte) {
	b := &r.todo[0]
	n := r.names[string(key)]
	if n == nil {
		n = &name{values: parseKey(key, len(r.h.Keys))}
		r.names[string(key)] = n
	}
	n.day = dayOf(b.start)
	*to = tables.HistoryRow{
		Boot: r.boot, Start: time.Unix(b.start, 0), Seconds: b.seconds, Measured: b.measured, Finest: b.finest, Others: r.raw.others,
		Key: n.values, Sums: append(to.Sums[:0], r.raw.sums...), Latest: append(to.Latest[:0], r.raw.latest...),
		Max: r.raw.max, HasMax: r.raw.hasMax, Times: append(to.Times[:0], r.raw.times...),
	}
	if r.h.Text != "" {
		to.Text = func() tables.Value { return r.text(n) }
	}
}

// text is the text of a name.
func (r *reading) text(n *name) tables.Value {
	if !n.read {
		n.read = true
		key, ok := textKey(n.day, n.values[slices.Index(r.h.Keys, "DIGEST")].Str())
		if ok {
			if value, err := r.store.get(key); err != nil {
				r.store.unreadable(err)
			} else if value != nil {
				n.text = tables.Text(string(value))
			}
		}
	}
	return n.text
}
