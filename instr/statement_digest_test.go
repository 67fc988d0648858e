package instr

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// digestClock is a clock that a test sets.
type digestClock struct{ micros atomic.Int64 }

func (c *digestClock) now() time.Time { return time.UnixMicro(c.micros.Load()) }

func (c *digestClock) advance(d time.Duration) { c.micros.Add(d.Microseconds()) }

func digestRegistry() (*Registry, *digestClock) {
	r, c := NewRegistry(), &digestClock{}
	c.micros.Store(1_700_000_000_000_000)
	r.Setup().SetClock(c.now)
	return r, c
}

// testDigest is a digest; each n has another one.
func testDigest(n int) *Digest {
	d := &Digest{tokens: []byte{1}}
	binary.BigEndian.PutUint64(d.hash[24:], uint64(n))
	return d
}

func (d *Digest) number() int {
	if d == nil {
		return -1
	}
	return int(binary.BigEndian.Uint64(d.hash[24:]))
}

// oneStatement is the statistics of one that took ps picoseconds.
func oneStatement(timed bool, ps uint64) *StatementStat {
	s := &StatementStat{WorkStat: WorkStat{Count: 1, Sum: ps, Min: ps, Max: ps}}
	if !timed {
		s.WorkStat = NoWorkStat
		s.Count = 1
	}
	return s
}

func (r *Registry) recordTest(schema string, n int, ps uint64) {
	r.recordDigest(schema, testDigest(n), oneStatement(true, ps), fmt.Sprint("SELECT ", n), true)
}

// digestCounts prints the rows: schema.digest:count, NULL for the NULL row.
func digestCounts(r *Registry) string {
	var s []string
	for _, row := range r.Reader().Digests(DigestFilter{}) {
		name := "NULL"
		if row.Digest != nil {
			name = fmt.Sprintf("%s.%d", row.Schema, row.Digest.number())
		}
		s = append(s, fmt.Sprintf("%s:%d", name, row.Stat.Count))
	}
	return strings.Join(s, " ")
}

func wantDigests(t *testing.T, r *Registry, want string, lost uint64) {
	t.Helper()
	if got := digestCounts(r); got != want {
		t.Errorf("the digests are %q, want %q", got, want)
	}
	if got := r.Reader().DigestsLost(); got != lost {
		t.Errorf("%d are lost, want %d", got, lost)
	}
}

func TestDigestsFull(t *testing.T) {
	r, clock := digestRegistry()
	r.Setup().SetDigestsSize(3)
	r.recordTest("a", 1, 10)
	r.recordTest("b", 1, 10)
	r.recordTest("a", 1, 10)
	wantDigests(t, r, "a.1:2 b.1:1", 0)
	first := clock.now()
	r.recordTest("a", 2, 10) // the first that has no room is not lost
	wantDigests(t, r, "NULL:1 a.1:2 b.1:1", 0)
	clock.advance(time.Second)
	r.recordTest("a", 2, 10)
	r.recordTest("a", 3, 10)
	wantDigests(t, r, "NULL:3 a.1:2 b.1:1", 2)
	null := r.Reader().Digests(DigestFilter{})[0]
	if null.Schema != "" || !null.First.Equal(first) || !null.Last.Equal(clock.now()) {
		t.Errorf("the NULL row has the schema %q and is from %v to %v, want from %v to %v", null.Schema, null.First, null.Last, first, clock.now())
	}
	r.recordTest("b", 1, 10)
	wantDigests(t, r, "NULL:3 a.1:2 b.1:2", 2)

	r.Reader().TruncateDigests()
	wantDigests(t, r, "", 2)
	r.recordTest("a", 4, 10)
	r.recordTest("a", 5, 10)
	r.recordTest("a", 6, 10)
	wantDigests(t, r, "NULL:1 a.4:1 a.5:1", 2)

	r.Setup().SetDigestsSize(4)
	r.recordTest("a", 6, 10)
	wantDigests(t, r, "NULL:1 a.4:1 a.5:1 a.6:1", 2)
}

func TestDigestsSizes(t *testing.T) {
	r, _ := digestRegistry()
	if got := r.Setup().DigestsSize(); got != 10_000 {
		t.Errorf("the default size is %d", got)
	}
	r.Setup().SetDigestsSize(0)
	r.recordTest("a", 1, 10)
	wantDigests(t, r, "", 0)
	for _, evict := range []bool{false, true} {
		r, _ := digestRegistry()
		r.Setup().SetDigestEviction(evict)
		r.Setup().SetDigestsSize(1)
		r.recordTest("a", 1, 10)
		r.recordTest("a", 2, 10)
		wantDigests(t, r, "NULL:2", 1)
	}
	r.Setup().SetDigestsSize(-1)
	if got := r.Setup().DigestsSize(); got != DefaultDigestsSize {
		t.Errorf("the size is %d, want the default", got)
	}
	r.recordDigest("a", nil, oneStatement(true, 1), "SELECT", true)
	wantDigests(t, r, "", 0)
}

func TestDigestEviction(t *testing.T) {
	r, clock := digestRegistry()
	r.Setup().SetDigestsSize(4)
	r.Setup().SetDigestEviction(true)
	start := clock.now()
	for _, n := range []int{1, 2, 3, 1} {
		r.recordTest("a", n, 1000)
		clock.advance(time.Second)
	}
	r.recordTest("a", 4, 1000) // 2 has not been seen for longest
	wantDigests(t, r, "NULL:1 a.1:2 a.4:1 a.3:1", 1)
	null := r.Reader().Digests(DigestFilter{})[0]
	if want := start.Add(time.Second); !null.First.Equal(want) || !null.Last.Equal(want) || null.SampleText != "SELECT 2" {
		t.Errorf("the NULL row is from %v to %v with the sample %q, want what was of 2, seen at %v", null.First, null.Last, null.SampleText, want)
	}
	r.recordTest("a", 5, 1000) // now 3
	r.recordTest("a", 6, 1000) // now 1, which has been seen at an earlier time than 4
	wantDigests(t, r, "NULL:4 a.6:1 a.4:1 a.5:1", 3)
	r.recordTest("a", 7, 1000) // 4, 5 and 6 have been seen at the same time
	wantDigests(t, r, "NULL:5 a.6:1 a.7:1 a.5:1", 4)
	if null := r.Reader().Digests(DigestFilter{})[0]; !null.First.Equal(start) {
		t.Errorf("the NULL row is from %v, want %v", null.First, start)
	}
}

func TestDigestRow(t *testing.T) {
	r, clock := digestRegistry()
	d := testDigest(1)
	first := clock.now()
	for i := range uint64(1000) {
		s := oneStatement(true, (i+1)*1_000_000)
		s.Counters[RowsSent], s.Counters[MaxTotalMemory] = 2, i%100
		r.recordDigest("db", d, s, "", true)
		clock.advance(time.Microsecond)
	}
	r.recordDigest("db", d, oneStatement(false, 0), "", false)
	row := r.Reader().Digests(DigestFilter{})[0]
	if row.Schema != "db" || row.Digest != d || !row.First.Equal(first) || !row.Last.Equal(first.Add(time.Millisecond)) {
		t.Errorf("the row is of %q, from %v to %v", row.Schema, row.First, row.Last)
	}
	if want := (WorkStat{1001, 500_500_000_000, 1_000_000, 1_000_000_000, 0}); row.Stat.WorkStat != want {
		t.Errorf("the statistics are %v, want %v", row.Stat.WorkStat, want)
	}
	if row.Stat.Counters[RowsSent] != 2000 || row.Stat.Counters[MaxTotalMemory] != 99 {
		t.Errorf("the counters are %v", row.Stat.Counters)
	}
	for _, q := range []struct{ got, of uint64 }{{row.Quantile95, 950}, {row.Quantile99, 990}, {row.Quantile999, 999}} {
		if _, want := StatementHistogramBounds(searchBucket(q.of * 1_000_000)); q.got != want {
			t.Errorf("the quantile of %d is %d, want %d", q.of, q.got, want)
		}
	}
	if row.SampleText != "" || !row.SampleSeen.IsZero() || row.SampleWait != 0 {
		t.Errorf("statements without a text have the sample %q", row.SampleText)
	}
}

func TestDigestSample(t *testing.T) {
	r, clock := digestRegistry()
	d := testDigest(1)
	for _, step := range []struct {
		wait  uint64 // 0: not timed
		after time.Duration
		age   time.Duration
		want  bool
	}{
		{0, 0, time.Minute, true}, // the first one
		{0, time.Second, time.Minute, false},
		{10, time.Second, time.Minute, true}, // slower
		{10, time.Second, time.Minute, false},
		{9, time.Minute - time.Second, time.Minute, false}, // just as old as it may be
		{9, time.Microsecond, time.Minute, true},           // older
		{8, time.Hour, 0, false},                           // any age will do
		{10, 0, 0, true},
		{0, time.Second + time.Microsecond, time.Second, true},
		{1, 0, time.Second, true},
	} {
		r.Setup().SetMaxDigestSampleAge(step.age)
		clock.advance(step.after)
		text := fmt.Sprintf("step %+v", step)
		r.recordDigest("", d, oneStatement(step.wait != 0, step.wait), text, step.wait != 0)
		row := r.Reader().Digests(DigestFilter{})[0]
		if got := row.SampleText == text; got != step.want {
			t.Errorf("after %s the sample is %q", text, row.SampleText)
		}
		if step.want && (row.SampleWait != step.wait || !row.SampleSeen.Equal(clock.now())) {
			t.Errorf("after %s the sample is of %v and took %d", text, row.SampleSeen, row.SampleWait)
		}
	}
	if got := r.Setup().MaxDigestSampleAge(); got != time.Second {
		t.Errorf("the age is %v", got)
	}
}

func TestDigestHistograms(t *testing.T) {
	r, _ := digestRegistry()
	r.Setup().SetDigestsSize(2)
	r.recordTest("a", 1, 10_000_000)
	r.recordTest("a", 2, 20_000_000)
	want := func(null, a uint64) {
		t.Helper()
		got := r.Reader().DigestHistograms(DigestFilter{})
		if len(got) != 2 || got[0].Digest != nil || got[1].Digest.number() != 1 || got[0].Counts.total() != null || got[1].Counts.total() != a {
			t.Errorf("the histograms are %v, want %d and %d statements", got, null, a)
		}
	}
	want(1, 1)
	if n := r.Reader().DigestHistograms(DigestFilter{})[0].Counts.Count(searchBucket(20_000_000)); n != 1 {
		t.Errorf("the NULL row has %d statements in the bucket, want 1", n)
	}
	r.Reader().ResetDigestHistograms()
	want(0, 0)
	wantDigests(t, r, "NULL:1 a.1:1", 0)
	if row := r.Reader().Digests(DigestFilter{})[1]; row.Quantile95 != 0 {
		t.Errorf("an emptied histogram has the quantile %d", row.Quantile95)
	}
	r.recordTest("a", 1, 10_000_000)
	r.recordTest("a", 3, 10_000_000)

	// The histogram of the NULL row survives the rows.
	r.Reader().TruncateDigests()
	if got := r.Reader().DigestHistograms(DigestFilter{}); len(got) != 0 {
		t.Errorf("the histograms without rows are %v", got)
	}
	r.recordTest("a", 1, 10_000_000)
	r.recordTest("a", 2, 10_000_000)
	want(2, 1)

	only := r.Reader().DigestHistograms(DigestFilter{Only: func(schema string, d *Digest) bool { return schema == "a" }})
	if len(only) != 1 || only[0].Schema != "a" {
		t.Errorf("the histograms of a are %v", only)
	}
}

// digestModel is the digests as a list.
type digestModel struct {
	made  uint64 // how many rows
	size  int
	evict bool
	full  bool
	age   time.Duration
	lost  uint64
	null  *modelDigest
	rows  []*modelDigest
}

type modelDigest struct {
	row    DigestRow
	n      int // -1: NULL
	born   int
	counts [StatementHistogramBuckets]uint64
}

func (m *digestModel) sample(d *modelDigest, text string, wait uint64, now time.Time) {
	if r := &d.row; r.SampleText == "" || wait > r.SampleWait || m.age > 0 && now.Sub(r.SampleSeen) > m.age {
		r.SampleText, r.SampleWait, r.SampleSeen = text, wait, now
	}
}

func (m *digestModel) count(d *modelDigest, s StatementStat, timed bool, text string, now time.Time) {
	if d.row.First.IsZero() {
		d.row.First = now
	}
	d.row.Last = now
	d.row.Stat.Add(s)
	wait := uint64(0)
	if timed {
		wait = s.Sum
		d.counts[searchBucket(wait)]++
	}
	m.sample(d, text, wait, now)
}

func newModelDigest(schema string, n, born int) *modelDigest {
	return &modelDigest{row: DigestRow{Schema: schema, Stat: StatementStat{WorkStat: NoWorkStat}}, n: n, born: born}
}

func (m *digestModel) record(schema string, n int, s StatementStat, timed bool, text string, now time.Time, born int) {
	if m.size == 0 {
		return
	}
	i := slices.IndexFunc(m.rows, func(d *modelDigest) bool { return d.n == n && d.row.Schema == schema })
	defer func() {
		if d := m.rows; i >= 0 && i < len(d) && d[i].row.Number == 0 {
			m.made++
			d[i].row.Number = m.made
		}
	}()
	switch {
	case i >= 0:
	case len(m.rows) < m.size-1:
		i = len(m.rows)
		m.rows = append(m.rows, newModelDigest(schema, n, born))
	case m.evict && len(m.rows) > 0:
		i = 0
		for j, d := range m.rows {
			if old := m.rows[i]; d.row.Last.Before(old.row.Last) || d.row.Last.Equal(old.row.Last) && d.born < old.born {
				i = j
			}
		}
		old := m.rows[i]
		m.lost++
		m.null.row.Stat.Add(old.row.Stat)
		for b, n := range old.counts {
			m.null.counts[b] += n
		}
		if r := &m.null.row; r.First.IsZero() || old.row.First.Before(r.First) {
			r.First = old.row.First
		}
		if old.row.Last.After(m.null.row.Last) {
			m.null.row.Last = old.row.Last
		}
		m.sample(m.null, old.row.SampleText, old.row.SampleWait, old.row.SampleSeen)
		m.rows[i] = newModelDigest(schema, n, born)
	default:
		if m.full {
			m.lost++
		}
		m.full = true
		m.count(m.null, s, timed, text, now)
		return
	}
	m.count(m.rows[i], s, timed, text, now)
}

// check compares the registry with the model.
func (m *digestModel) check(r *Registry) error {
	want := slices.Clone(m.rows)
	if !m.null.row.First.IsZero() {
		want = slices.Insert(want, 0, m.null)
	}
	rows, histograms := r.Reader().Digests(DigestFilter{}), r.Reader().DigestHistograms(DigestFilter{})
	if len(rows) != len(want) || len(histograms) != len(want) || r.Reader().DigestsLost() != m.lost {
		return fmt.Errorf("%d rows, %d histograms, %d lost; want %d and %d lost", len(rows), len(histograms), r.Reader().DigestsLost(), len(want), m.lost)
	}
	for i, d := range want {
		row, h := rows[i], &histograms[i]
		if row.Digest.number() != d.n || h.Digest.number() != d.n || h.Schema != d.row.Schema {
			return fmt.Errorf("row %d is of %q and digest %d, want %q and %d", i, row.Schema, row.Digest.number(), d.row.Schema, d.n)
		}
		var total, lower uint64
		for b, n := range d.counts {
			if total += n; h.Counts.Count(b) != n {
				return fmt.Errorf("row %d has %d in bucket %d, want %d", i, h.Counts.Count(b), b, n)
			}
		}
		w := d.row
		w.Digest = row.Digest
		for b := len(d.counts) - 1; b >= 0 && total > 0; b-- {
			// The statements above the bucket are so few that the quantile is not above it.
			_, high := StatementHistogramBounds(b)
			for _, q := range []struct {
				to   *uint64
				part uint64
			}{{&w.Quantile95, 950}, {&w.Quantile99, 990}, {&w.Quantile999, 999}} {
				if (total-lower)*1000 >= total*q.part {
					*q.to = high
				}
			}
			lower += d.counts[b]
		}
		if row != w {
			return fmt.Errorf("row %d is\n%+v, want\n%+v", i, row, w)
		}
	}
	return nil
}

func (s StatementStat) withCounters(r *rand.Rand) StatementStat {
	for i := range s.Counters {
		s.Counters[i] = r.Uint64N(5)
	}
	return s
}

// TestDigestModel does the same with a registry and with a list.
func TestDigestModel(t *testing.T) {
	seeds := uint64(60)
	if raceEnabled { // there is one goroutine
		seeds = 5
	}
	for seed := range seeds {
		rnd := rand.New(rand.NewPCG(seed, 1))
		r, clock := digestRegistry()
		m := &digestModel{size: rnd.IntN(8), evict: rnd.IntN(2) == 0, age: time.Minute, null: newModelDigest("", -1, 0)}
		r.Setup().SetDigestsSize(m.size)
		r.Setup().SetDigestEviction(m.evict)
		digests := make([]*Digest, 8)
		for i := range digests {
			digests[i] = testDigest(i)
		}
		for step := range 400 {
			switch k := rnd.IntN(100); {
			case k < 85:
				schema, n := string("ab"[rnd.IntN(2)]), rnd.IntN(len(digests))
				ps := rnd.Uint64N(1 << (10 + rnd.IntN(30)))
				timed := rnd.IntN(5) > 0
				s := oneStatement(timed, ps).withCounters(rnd)
				text := fmt.Sprintf("seed %d step %d", seed, step)
				d := digests[n]
				if rnd.IntN(4) == 0 {
					d = testDigest(n) // another text's
				}
				r.recordDigest(schema, d, &s, text, timed)
				m.record(schema, n, s, timed, text, clock.now(), step)
			case k < 94:
				clock.advance(time.Duration(rnd.Int64N(int64(20 * time.Second))).Truncate(time.Microsecond))
			case k < 95:
				m.evict = !m.evict
				r.Setup().SetDigestEviction(m.evict)
			case k < 96:
				m.size = rnd.IntN(8)
				m.full = false
				r.Setup().SetDigestsSize(m.size)
			case k < 97:
				m.age = []time.Duration{0, time.Second, time.Minute}[rnd.IntN(3)]
				r.Setup().SetMaxDigestSampleAge(m.age)
			case k < 98:
				m.rows, m.full = nil, false
				null := newModelDigest("", -1, 0)
				null.counts = m.null.counts
				m.null = null
				r.Reader().TruncateDigests()
			case k < 99:
				for _, d := range append(m.rows, m.null) {
					clear(d.counts[:])
				}
				r.Reader().ResetDigestHistograms()
			default:
				r.spreadDigests()
			}
			if err := m.check(r); err != nil {
				t.Fatalf("seed %d step %d: %v", seed, step, err)
			}
		}
	}
}

// spreadDigests gives each row a shard for each processor.
func (r *Registry) spreadDigests() {
	s := &r.digests
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, row := range append(s.rows, s.null.Load()) {
		for row.spread.Load() == nil {
			row.main.mu.Lock()
			row.conflict()
			row.main.mu.Unlock()
		}
	}
}

// digestRecorders runs writers of each statements in some digests, which all take the same
// time and send one row, while the function runs again and again.
func digestRecorders(r *Registry, writers, each, digests int, ended *atomic.Uint64, meanwhile ...func()) {
	var recorders, others sync.WaitGroup
	var done atomic.Bool
	all := make([]*Digest, digests)
	for i := range all {
		all[i] = testDigest(i)
	}
	for w := range writers {
		recorders.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(w), 7))
			s := oneStatement(true, 50_000_000)
			s.Counters[RowsSent] = 1
			for range each {
				d := all[rnd.IntN(digests)]
				r.recordDigest(string("ab"[rnd.IntN(2)]), d, s, "SELECT", true)
				ended.Add(1)
			}
		})
	}
	for _, f := range meanwhile {
		others.Go(func() {
			for !done.Load() {
				f()
			}
		})
	}
	recorders.Wait()
	done.Store(true)
	others.Wait()
}

// wholeDigest checks that the parts of a row are about the same statements.
func wholeDigest(t *testing.T, row DigestRow) {
	n := row.Stat.Count
	if n == 0 || row.Stat.Sum != n*50_000_000 || row.Stat.Counters[RowsSent] != n || row.Stat.Min != row.Stat.Max || row.First.After(row.Last) {
		t.Errorf("a row is torn: %+v", row)
	}
}

// TestDigestsConcurrently: each statement is in each copy exactly once, whatever rows are evicted
// meanwhile.
func TestDigestsConcurrently(t *testing.T) {
	for _, evict := range []bool{false, true} {
		t.Run(fmt.Sprint("evict=", evict), func(t *testing.T) {
			r := NewRegistry()
			r.Setup().SetDigestsSize(9)
			r.Setup().SetDigestEviction(evict)
			const writers, each = 4, 5_000
			var ended atomic.Uint64
			inAll := func(count func() uint64) {
				before := ended.Load()
				n := count()
				if after := ended.Load(); n < before || n > after+writers {
					t.Errorf("a copy has %d statements: %d ended before it and %d until after it", n, before, after)
				}
			}
			digestRecorders(r, writers, each, 12, &ended,
				func() {
					inAll(func() (n uint64) {
						for _, row := range r.Reader().Digests(DigestFilter{}) {
							wholeDigest(t, row)
							n += row.Stat.Count
						}
						return n
					})
				},
				func() {
					inAll(func() (n uint64) {
						for _, h := range r.Reader().DigestHistograms(DigestFilter{}) {
							n += h.Counts.total()
						}
						return n
					})
				},
				r.spreadDigests)
			rows := r.Reader().Digests(DigestFilter{})
			n := uint64(0)
			for _, row := range rows {
				n += row.Stat.Count
			}
			if len(rows) != 9 || n != writers*each {
				t.Errorf("%d rows have %d statements, want 9 and %d", len(rows), n, writers*each)
			}
			if null := rows[0].Stat.Count; !evict && r.Reader().DigestsLost() != null-1 {
				t.Errorf("%d statements are lost, want %d", r.Reader().DigestsLost(), null-1)
			}
		})
	}
}

// TestDigestsTruncatedConcurrently: rows stay consistent, and statements that end after the last
// TRUNCATE are there.
func TestDigestsTruncatedConcurrently(t *testing.T) {
	for _, evict := range []bool{false, true} {
		t.Run(fmt.Sprint("evict=", evict), func(t *testing.T) {
			r := NewRegistry()
			r.Setup().SetDigestsSize(9)
			r.Setup().SetDigestEviction(evict)
			var ended atomic.Uint64
			read := func() {
				for _, row := range r.Reader().Digests(DigestFilter{}) {
					wholeDigest(t, row)
				}
			}
			digestRecorders(r, 4, 5_000, 12, &ended, read, r.Reader().TruncateDigests, r.Reader().ResetDigestHistograms, r.spreadDigests)
			r.Reader().TruncateDigests()
			if rows := r.Reader().Digests(DigestFilter{}); len(rows) != 0 {
				t.Errorf("%d rows are left: %+v", len(rows), rows)
			}
			digestRecorders(r, 4, 1_000, 12, &ended, read)
			n := uint64(0)
			for _, row := range r.Reader().Digests(DigestFilter{}) {
				n += row.Stat.Count
			}
			if n != 4_000 {
				t.Errorf("%d statements are there, want 4000", n)
			}
		})
	}
}

func BenchmarkRecordDigest(b *testing.B) {
	for _, bench := range []struct {
		name   string
		evict  bool
		size   int
		spread bool
	}{{"same", false, 100, false}, {"spread", false, 100, true}, {"full", false, 1, false}} {
		b.Run("row="+bench.name, func(b *testing.B) {
			r := NewRegistry()
			r.Setup().SetDigestsSize(bench.size)
			d, s := testDigest(1), oneStatement(true, 50_000_000)
			r.recordDigest("db", d, s, "SELECT", true)
			if bench.spread {
				r.spreadDigests()
			}
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					r.recordDigest("db", d, s, "SELECT", true)
				}
			})
		})
	}
}

func BenchmarkRecordStatementHistogram(b *testing.B) {
	r := NewRegistry()
	b.RunParallel(func(pb *testing.PB) {
		for ps := uint64(1); pb.Next(); ps += 12_345_678 {
			r.recordStatementHistogram(ps)
		}
	})
}

// BenchmarkEvictDigest has a new digest in each statement.
func BenchmarkEvictDigest(b *testing.B) {
	r := NewRegistry()
	r.Setup().SetDigestEviction(true)
	s := oneStatement(true, 50_000_000)
	for n := range DefaultDigestsSize {
		r.recordDigest("db", testDigest(n), s, "SELECT", true)
	}
	b.ReportAllocs()
	for n := DefaultDigestsSize; b.Loop(); n++ {
		r.recordDigest("db", testDigest(n), s, "SELECT", true)
	}
}

func BenchmarkReadDigests(b *testing.B) {
	r := NewRegistry()
	for n := range DefaultDigestsSize {
		r.recordDigest("db", testDigest(n), oneStatement(true, 50_000_000), "SELECT", true)
	}
	b.ReportAllocs()
	for b.Loop() {
		r.Reader().Digests(DigestFilter{})
	}
}

// TestGrownDigests: a reader that knows how many statements the rows have counted gets those that have counted more, with their times, and
// is told which have made room for others.
func TestGrownDigests(t *testing.T) {
	r := NewRegistry()
	th := r.Attach("test/worker")
	t.Cleanup(th.Detach)
	class := r.NewStatementClass("sql/select")
	run := func(text string) {
		s := th.StartStatement(class)
		s.SetText(text)
		s.SetDigest(r.DigestOf(text))
		s.End()
	}
	known := map[uint64]uint64{}
	grown := func(number, count uint64) bool { return known[number] != count }
	read := func() (texts []string) {
		t.Helper()
		for _, row := range r.Reader().Digests(DigestFilter{Grown: grown, Times: true}) {
			if row.Times.total() != row.Stat.Count {
				t.Errorf("%d times of %d statements", row.Times.total(), row.Stat.Count)
			}
			known[row.Number] = row.Stat.Count
			texts = append(texts, row.Digest.Text())
		}
		return texts
	}
	run("SELECT a")
	run("SELECT b")
	if got, want := read(), []string{"SELECT `a`", "SELECT `b`"}; !slices.Equal(got, want) {
		t.Errorf("at first %q, want %q", got, want)
	}
	if got := read(); len(got) > 0 {
		t.Errorf("%q have grown, want none", got)
	}
	run("SELECT b")
	if got, want := read(), []string{"SELECT `b`"}; !slices.Equal(got, want) {
		t.Errorf("%q have grown, want %q", got, want)
	}
	r.Reader().TruncateDigests()
	run("SELECT b")
	run("SELECT b")
	if got, want := read(), []string{"SELECT `b`"}; !slices.Equal(got, want) { // it has as many as before, in another row
		t.Errorf("%q after all were removed, want %q", got, want)
	}

	r.Setup().SetDigestEviction(true)
	r.Setup().SetDigestsSize(2) // one, and the row of the others
	asked, gone := uint64(0), uint64(0)
	rows := r.Reader().Digests(DigestFilter{
		Grown: func(number, _ uint64) bool {
			asked = number
			run("SELECT c") // takes its place
			return true
		},
		Gone: func(number uint64) { gone = number },
	})
	if len(rows) != 1 || rows[0].Number != 0 || rows[0].Stat.Count != 2 || gone != asked || gone == 0 {
		t.Errorf("row %d went, want %d: %+v", gone, asked, rows)
	}
}
