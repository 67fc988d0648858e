package tables

import (
	"fmt"
	"math"
	"slices"
	"time"

	"pfsd/instr"
	"pfsd/instr/digest"
)

// digestModel is the statements by digest.
type digestModel struct {
	digests     []*modelDigest // as they came
	other       *modelDigest   // the NULL row
	otherUsed   bool           // it is to be seen
	overflown   bool           // a digest had no room
	digestsSize int
	evict       bool
	digestsLost uint64
	born        int
	sampleAge   time.Duration
}

func newDigestModel() digestModel {
	return digestModel{other: newModelDigest("", nil), digestsSize: instr.DefaultDigestsSize, sampleAge: instr.DefaultMaxDigestSampleAge}
}

// modelText is a statement, its normalised text and its hash.
type modelText struct{ sql, normal, hash string }

// modelTexts are statements: those with the same normal form are of the same digest.
var modelTexts = func() (all []*modelText) {
	for _, t := range [][2]string{
		{"SELECT 1", "SELECT ?"}, {"SELECT 2  /* two */", "SELECT ?"}, {"SELECT a FROM t", "SELECT `a` FROM `t`"},
		{"INSERT INTO t VALUES (1, 2)", "INSERT INTO `t` VALUES (...)"}, {"DELETE FROM t", "DELETE FROM `t`"}, {"BEGIN", "BEGIN"},
	} {
		hash, _ := digest.Compute(t[0], digest.DefaultMaxLength, 0)
		all = append(all, &modelText{t[0], t[1], digest.Hex(hash)})
	}
	return all
}()

// modelDigest is a row of events_statements_summary_by_digest.
type modelDigest struct {
	schema      string
	text        *modelText // nil of the NULL row
	born        int
	sum         modelSum
	histogram   []uint64
	first, last time.Time
	sample      modelSample
}

// modelSample is QUERY_SAMPLE_*.
type modelSample struct {
	text string // "": none
	seen time.Time
	wait uint64
}

func newModelDigest(schema string, text *modelText) *modelDigest {
	return &modelDigest{schema: schema, text: text, sum: noSum, histogram: make([]uint64, len(modelStatementBounds))}
}

func (d *modelDigest) is(schema string, text *modelText) bool {
	return d.schema == schema && d.text.hash == text.hash
}

// count counts a statement.
func (d *modelDigest) count(one modelSum, sql string, now time.Time, age time.Duration) {
	if d.first.IsZero() {
		d.first = now
	}
	d.last = now
	d.sum.add(one)
	if one.min <= one.max {
		d.histogram[modelStatementBucket(one.sum)]++
	}
	if sql != "" {
		d.offer(modelSample{sql, now, one.sum}, age)
	}
}

// offer makes a statement the sample if it is slower than the present sample, or that is too old.
func (d *modelDigest) offer(s modelSample, age time.Duration) {
	if old := d.sample; old.text == "" || s.wait > old.wait || age > 0 && s.seen.Sub(old.seen) > age {
		d.sample = s
	}
}

// countDigest counts a statement in the row of its schema and digest, or in the NULL row if
// there is no room, or in the place of the row that was not seen for longest.
func (m *model) countDigest(schema string, text *modelText, one modelSum, sql string, now time.Time) {
	if m.digestsSize == 0 {
		return
	}
	at := slices.IndexFunc(m.digests, func(d *modelDigest) bool { return d.is(schema, text) })
	switch {
	case at >= 0:
	case len(m.digests) < m.digestsSize-1:
		at = len(m.digests)
		m.digests = append(m.digests, newModelDigest(schema, text))
	case m.evict && len(m.digests) > 0:
		at = m.leastRecent()
		m.evictDigest(m.digests[at])
		m.digests[at] = newModelDigest(schema, text)
	default:
		if m.overflown {
			m.digestsLost++
		}
		m.overflown, m.otherUsed = true, true
		m.other.count(one, sql, now, m.sampleAge)
		return
	}
	d := m.digests[at]
	if d.first.IsZero() {
		m.born++
		d.born = m.born
	}
	d.count(one, sql, now, m.sampleAge)
}

// leastRecent is the place of the digest that was not seen for the longest time, the oldest of
// several.
func (m *model) leastRecent() (at int) {
	for i, d := range m.digests {
		if than := m.digests[at]; d.last.Before(than.last) || d.last.Equal(than.last) && d.born < than.born {
			at = i
		}
	}
	return at
}

// evictDigest adds a row to the NULL row.
func (m *model) evictDigest(d *modelDigest) {
	m.digestsLost++
	m.otherUsed = true
	to := m.other
	to.sum.add(d.sum)
	for b, n := range d.histogram {
		to.histogram[b] += n
	}
	if to.first.IsZero() || d.first.Before(to.first) {
		to.first = d.first
	}
	if d.last.After(to.last) {
		to.last = d.last
	}
	if d.sample.text != "" {
		to.offer(d.sample, m.sampleAge)
	}
}

// truncateDigests leaves the histogram of the NULL row.
func (m *model) truncateDigests() {
	histogram := m.other.histogram
	m.digests, m.other, m.otherUsed, m.overflown = nil, newModelDigest("", nil), false, false
	m.other.histogram = histogram
}

func (m *model) clearDigestHistograms() {
	clear(m.other.histogram)
	for _, d := range m.digests {
		clear(d.histogram)
	}
}

// shownDigests are the digests that have rows.
func (m *model) shownDigests() []*modelDigest {
	if m.otherUsed {
		return append([]*modelDigest{m.other}, m.digests...)
	}
	return m.digests
}

func (d *modelDigest) key() (schema, hash, text string) {
	if d.text == nil {
		return "NULL", "NULL", "NULL"
	}
	return orNull(d.schema), d.text.hash, d.text.normal
}

// quantile is the upper bound of the first bucket that has, with those below, so many
// thousandths of all.
func (d *modelDigest) quantile(thousandths uint64) uint64 {
	total, lower := uint64(0), uint64(0)
	for _, n := range d.histogram {
		total += n
	}
	for b, n := range d.histogram {
		if lower += n; total > 0 && lower >= (total*thousandths+999)/1000 {
			return modelStatementBounds[b][1]
		}
	}
	return 0
}

// expectDigests is events_statements_summary_by_digest.
func (m *model) expectDigests(x *expectation) {
	e := x.table("events_statements_summary_by_digest", 2, slices.Concat([]string{"SCHEMA_NAME", "DIGEST", "DIGEST_TEXT"}, waitStatNames, statementSums, []string{
		"FIRST_SEEN", "LAST_SEEN", "QUANTILE_95", "QUANTILE_99", "QUANTILE_999", "QUERY_SAMPLE_TEXT", "QUERY_SAMPLE_SEEN", "QUERY_SAMPLE_TIMER_WAIT",
	})...)
	for _, d := range m.shownDigests() {
		schema, hash, text := d.key()
		seen := time.Unix(0, 0)
		if d.sample.text != "" {
			seen = d.sample.seen
		}
		e.row(slices.Concat([]string{schema, hash, text}, d.sum.cells(), nums(d.sum.counters[:]), []string{
			microCell(d.first), microCell(d.last), num(d.quantile(950)), num(d.quantile(990)), num(d.quantile(999)),
			orNull(d.sample.text), microCell(seen), num(d.sample.wait),
		})...)
	}
}

// digestHistogram is the histogram of a digest.
func (m *model) digestHistogram(d *modelDigest) *expected {
	schema, hash, _ := d.key()
	e := &expected{table: "events_statements_histogram_by_digest", keys: 3, columns: slices.Concat([]string{"SCHEMA_NAME", "DIGEST"}, bucketNames)}
	for i, sought := range []string{schema, hash} {
		value := Text(sought)
		if sought == "NULL" {
			value = Null
		}
		e.where = append(e.where, Eq{Column: e.columns[i], Value: value, Same: true})
	}
	e.buckets([]string{schema, hash}, modelStatementBounds, d.histogram)
	return e
}

// globalHistogram is events_statements_histogram_global.
func (m *model) globalHistogram() *expected {
	e := &expected{table: "events_statements_histogram_global", keys: 1, columns: bucketNames}
	e.buckets(nil, modelStatementBounds, m.histogram)
	return e
}

// modelStatementBounds are where the buckets of statements begin and end, picoseconds.
var modelStatementBounds = func() [][2]uint64 {
	var all [450][2]uint64
	for b, bound := 1, 10_000_000.0; b < len(all); b++ {
		all[b][0] = uint64(bound)
		all[b-1][1] = all[b][0]
		bound *= math.Pow(10, 1.0/50)
	}
	all[len(all)-1][1] = math.MaxUint64
	return all[:]
}()

// modelStatementBucket is where a statement belongs that took so many picoseconds: they are
// compared in nanoseconds.
func modelStatementBucket(ps uint64) (bucket int) {
	for b, bound := range modelStatementBounds {
		if bound[0]/1000 <= ps/1000 {
			bucket = b
		}
	}
	return bucket
}

// sizeDigests sets how many rows there can be, and whether a new digest evicts another one.
func (w *modelWorld) sizeDigests(n int, evict bool) {
	w.digestsSize, w.evict, w.overflown = n, evict, false
	w.reg.Setup().SetDigestsSize(n)
	w.reg.Setup().SetDigestEviction(evict)
}

var modelDigestOps = []modelOp{
	{"digests", 1, func(w *modelWorld, a, b, c uint32) string {
		if !w.resizes {
			return "" // only in worlds that do this
		}
		w.sizeDigests(1+int(a%4), b%3 != 0)
		w.sampleAge = pick([]time.Duration{0, 20 * time.Second, time.Minute}, c)
		w.reg.Setup().SetMaxDigestSampleAge(w.sampleAge)
		return fmt.Sprintf("%d, eviction %v, samples of %v", w.digestsSize, w.evict, w.sampleAge)
	}},
}
