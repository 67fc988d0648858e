package history

import (
	"slices"
	"strings"

	"pfsd/tables"
)

// digests is what is known of the summary of statements by digest. There may be very many, of which few grow in a bucket: a row that has not
// grown is not read, only its count. Owned by the collector.
type digests struct {
	table *tables.HistoryTable
	cols  []int // of the summary: keys, sums, the longest time
	times []bool
	known map[uint64]*countedDigest // by number of the row
	turn  uint64                    // of the last reading
	now   []uint64                  // sums of the row that is read
}

// countedDigest is what a row of the summary had counted.
type countedDigest struct {
	turn    uint64 // of the reading that found it
	key     string
	sums    []uint64
	longest uint64
	times   []tables.TimeCount
}

// count is how many statements that is.
func (k *countedDigest) count() uint64 { return k.sums[0] }

func newDigests(h *tables.HistoryTable) *digests {
	d := &digests{table: h, known: map[uint64]*countedDigest{}, now: make([]uint64, len(h.Sums))}
	for _, name := range append(slices.Concat(h.Keys, h.Sums), h.Max) {
		d.cols = append(d.cols, h.Position(name))
	}
	for _, name := range h.Sums {
		d.times = append(d.times, strings.Contains(name, "TIME"))
	}
	return d
}

func (d *digests) forget() { clear(d.known) }

// begin implements reader.
func (d *digests) begin(model tables.Model) { d.read(model) }

// read implements reader.
func (d *digests) read(model tables.Model) *bucket {
	d.turn++
	b := &bucket{}
	there := 0 // how many of the known rows the summary has
	grown := func(number, count uint64) bool {
		k := d.known[number]
		if k == nil {
			return true
		}
		k.turn = d.turn
		there++
		return count != k.count()
	}
	gone := func(number uint64) {
		if k := d.known[number]; k != nil {
			k.turn = 0
			there--
		}
	}
	forgot := false
	d.table.ReadGrown(model, d.cols, grown, gone, func(from *tables.GrownRow) {
		if !forgot { // all rows have been asked for now
			forgot = true
			d.forgetGone(there)
		}
		k := d.known[from.Number]
		if k == nil {
			k = d.add(from.Number, d.key(from))
		}
		k.turn = d.turn
		if r, ok := d.grow(k, from); ok {
			b.rows = append(b.rows, r)
		}
	})
	if !forgot {
		d.forgetGone(there)
	}
	return b
}

func (d *digests) add(number uint64, key string) *countedDigest {
	k := &countedDigest{key: key, sums: make([]uint64, len(d.now))}
	d.known[number] = k
	return k
}

// forgetGone forgets the rows that the summary does not have any more; it has there of those that are known. What they had counted is in
// the row without a digest, and has been in a bucket already.
func (d *digests) forgetGone(there int) {
	if there == len(d.known) || there == len(d.known)-1 && d.known[0] != nil {
		return
	}
	rest := d.known[0]
	if rest == nil {
		rest = d.add(0, string(appendKey(appendKey(nil, tables.Null), tables.Null)))
	}
	for number, k := range d.known {
		if number == 0 || k.turn == d.turn {
			continue
		}
		for i, n := range k.sums {
			rest.sums[i] = sum(rest.sums[i], n)
		}
		rest.times = addTimes(rest.times, k.times)
		delete(d.known, number)
	}
}

// key is the key of a row.
func (d *digests) key(from *tables.GrownRow) string {
	var key []byte
	for i := range d.table.Keys {
		key = appendKey(key, from.Value(i))
	}
	return string(key)
}

// grow makes a row of what a row of the summary has counted since it was read last, and remembers what there is now. ok is false if that is
// nothing.
func (d *digests) grow(k *countedDigest, from *tables.GrownRow) (r row, ok bool) {
	keys, grew, emptied := len(d.table.Keys), false, false
	for i := range d.now {
		d.now[i] = from.Value(keys + i).Bits()
		if !d.times[i] {
			grew = grew || d.now[i] > k.sums[i]
			emptied = emptied || d.now[i] < k.sums[i]
		}
	}
	if !grew && !emptied {
		return r, false
	}
	if emptied {
		clear(k.sums)
		k.longest, k.times = 0, nil
	}
	r = row{key: k.key, sums: make([]uint64, len(d.now))}
	for i, n := range d.now {
		r.sums[i] = n - min(n, k.sums[i])
	}
	longest := from.Value(keys + len(d.now)).Bits()
	if longest > k.longest+k.longest/maxDrift {
		r.max, r.hasMax = longest, true
	}
	r.addTimes(d.table, from.Times, k.times, longest)
	copy(k.sums, d.now)
	k.longest, k.times = longest, slices.Clone(from.Times)
	return r, true
}
