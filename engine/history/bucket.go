package history

import (
	"cmp"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"pfsd/tables"
)

// row is what one key has in a bucket. The row of others has no key.
type row struct {
	key    string // as appendKey makes it
	others uint64 // how many keys are together in it, 0 for one
	sums   []uint64
	latest []uint64
	max    uint64
	hasMax bool
	times  []tables.TimeCount // by bucket
}

// bucket is what one table has in one bucket of time.
type bucket struct {
	measured time.Duration
	rows     []row
	// merge adds the sums of a later row; nil to add them up.
	merge func(into, later []uint64)
}

// sum is a+b, or the largest number there is.
func sum(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

// add adds the counts of a later row. It does not change memory that r shares with others.
func (r *row) add(later *row, merge func(into, later []uint64)) {
	r.sums = slices.Clone(r.sums)
	if merge == nil {
		merge = addSums
	}
	merge(r.sums, later.sums)
	if later.hasMax {
		r.max, r.hasMax = max(r.max, later.max), true
	}
	r.times = addTimes(r.times, later.times)
	r.others = max(r.others, later.others)
}

// addSums adds up sums.
func addSums(into, later []uint64) {
	for i, n := range later {
		into[i] = sum(into[i], n)
	}
}

// addTimes adds two histograms.
func addTimes(a, b []tables.TimeCount) (all []tables.TimeCount) {
	if len(a) == 0 {
		return b
	}
	for len(a) > 0 && len(b) > 0 {
		switch c := cmp.Compare(a[0].Bucket, b[0].Bucket); {
		case c < 0:
			all, a = append(all, a[0]), a[1:]
		case c > 0:
			all, b = append(all, b[0]), b[1:]
		default:
			all = append(all, tables.TimeCount{Bucket: a[0].Bucket, Count: sum(a[0].Count, b[0].Count)})
			a, b = a[1:], b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// add adds a later bucket.
func (b *bucket) add(later *bucket) {
	b.measured += later.measured
	place := make(map[string]int, len(b.rows))
	for i := range b.rows {
		place[b.rows[i].key] = i
	}
	for i := range later.rows {
		r := &later.rows[i]
		if at, ok := place[r.key]; ok {
			b.rows[at].add(r, b.merge)
			b.rows[at].latest = r.latest
			continue
		}
		place[r.key] = len(b.rows)
		b.rows = append(b.rows, *r)
	}
}

// limit leaves the rows with the most of the sum at rank, and puts the others into one. It returns how many keys these are.
func (b *bucket) limit(keep, rank int) (merged int) {
	var others row
	i := slices.IndexFunc(b.rows, func(r row) bool { return r.others > 0 })
	if i >= 0 {
		others = b.rows[i]
		b.rows = slices.Delete(b.rows, i, i+1)
	}
	order := make([]*row, len(b.rows))
	for i := range b.rows {
		order[i] = &b.rows[i]
	}
	slices.SortFunc(order, func(x, y *row) int {
		if c := cmp.Compare(y.sums[rank], x.sums[rank]); c != 0 {
			return c
		}
		return cmp.Compare(x.key, y.key)
	})
	sorted := make([]row, len(b.rows))
	for i, r := range order {
		sorted[i] = *r
	}
	b.rows = sorted
	if len(b.rows) > keep {
		merged = len(b.rows) - keep
		others.mergeAll(b.rows[keep:], b.merge)
		b.rows = slices.Clip(b.rows[:keep])
	}
	if others.sums != nil {
		b.rows = append(b.rows, others)
	}
	return merged
}

// mergeAll adds rows of other keys to the row of others. It does not change memory that r shares with others.
func (r *row) mergeAll(rows []row, merge func(into, later []uint64)) {
	if merge == nil {
		merge = addSums
	}
	r.others += uint64(len(rows))
	sums, latest := make([]uint64, len(rows[0].sums)), make([]uint64, len(rows[0].latest))
	copy(sums, r.sums)
	copy(latest, r.latest)
	times := map[int]uint64{}
	for _, t := range r.times {
		times[t.Bucket] = t.Count
	}
	for i := range rows {
		from := &rows[i]
		merge(sums, from.sums)
		for j, n := range from.latest {
			latest[j] += n
		}
		if from.hasMax {
			r.max, r.hasMax = max(r.max, from.max), true
		}
		for _, t := range from.times {
			times[t.Bucket] = sum(times[t.Bucket], t.Count)
		}
	}
	r.sums, r.latest, r.times = sums, latest, nil
	for _, bucket := range slices.Sorted(maps.Keys(times)) {
		r.times = append(r.times, tables.TimeCount{Bucket: bucket, Count: times[bucket]})
	}
}

// form is the first byte of an encoded bucket.
const form = 1

var errForm = errors.New("not in the form of a bucket")

// append appends the encoded bucket. Numbers are varints.
func (b *bucket) append(to []byte) []byte {
	number := func(n uint64) { to = binary.AppendUvarint(to, n) }
	to = append(to, form)
	number(uint64(b.measured.Milliseconds()))
	number(uint64(len(b.rows)))
	for i := range b.rows {
		r := &b.rows[i]
		number(uint64(len(r.key)))
		to = append(to, r.key...)
		number(r.others)
		for _, n := range r.sums {
			number(n)
		}
		for _, n := range r.latest {
			number(n)
		}
		has := uint64(0)
		if r.hasMax {
			has = 1
		}
		number(uint64(len(r.times))<<1 | has)
		if r.hasMax {
			number(r.max)
		}
		last := 0
		for _, t := range r.times {
			number(uint64(t.Bucket - last))
			number(t.Count)
			last = t.Bucket
		}
	}
	return to
}

// decoder reads an encoded bucket, row by row.
type decoder struct {
	text         []byte
	sums, latest int // how many there are
	measured     time.Duration
	left         uint64 // rows
	bad          bool
}

func (d *decoder) number() uint64 {
	n, size := binary.Uvarint(d.text)
	if size <= 0 {
		d.bad, d.text = true, nil
		return 0
	}
	d.text = d.text[size:]
	return n
}

// string reads a length and so many bytes.
func (d *decoder) string() string {
	n := d.number()
	if n > uint64(len(d.text)) {
		d.bad, n = true, 0
	}
	text := string(d.text[:n])
	d.text = d.text[n:]
	return text
}

// newDecoder reads the head of a bucket of a table.
func newDecoder(h *tables.HistoryTable, text []byte) (*decoder, error) {
	if len(text) == 0 || text[0] != form {
		return nil, errForm
	}
	d := &decoder{text: text[1:], sums: len(h.Sums), latest: len(h.Latest)}
	d.measured = time.Duration(d.number()) * time.Millisecond
	if d.left = d.number(); d.bad || d.left > uint64(len(text)) {
		return nil, errForm
	}
	return d, nil
}

// row reads the next row into r, whose memory it uses again. It returns the key, which is part of the encoded bucket.
func (d *decoder) row(r *row) (key []byte, err error) {
	d.left--
	if n := d.number(); n <= uint64(len(d.text)) {
		key, d.text = d.text[:n], d.text[n:]
	} else {
		d.bad = true
	}
	r.others = d.number()
	r.sums, r.latest, r.times = r.sums[:0], r.latest[:0], r.times[:0]
	for range d.sums {
		r.sums = append(r.sums, d.number())
	}
	for range d.latest {
		r.latest = append(r.latest, d.number())
	}
	n := d.number()
	if r.max, r.hasMax = 0, n&1 != 0; r.hasMax {
		r.max = d.number()
	}
	last := uint64(0)
	for range n >> 1 {
		if last += d.number(); d.bad || last > math.MaxUint16 {
			return nil, errForm
		}
		r.times = append(r.times, tables.TimeCount{Bucket: int(last), Count: d.number()})
	}
	if d.bad {
		return nil, errForm
	}
	return key, nil
}

// decode reads a whole bucket.
func decode(h *tables.HistoryTable, text []byte) (*bucket, error) {
	d, err := newDecoder(h, text)
	if err != nil {
		return nil, err
	}
	b := &bucket{measured: d.measured, merge: h.Merge}
	for d.left > 0 {
		var r row
		key, err := d.row(&r)
		if err != nil {
			return nil, err
		}
		r.key = string(key)
		b.rows = append(b.rows, r)
	}
	return b, nil
}
