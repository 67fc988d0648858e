package instr

import (
	"container/heap"
	"encoding/hex"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pfsd/ringbuf"
	"pfsd/timers"
)

// The defaults of what is kept of digests.
const (
	DefaultDigestsSize        = 10_000
	DefaultMaxDigestLength    = 1024             // bytes
	defaultKeptDigestLength   = 1024             // bytes
	DefaultMaxDigestSampleAge = 60 * time.Second // 0: samples do not age
)

// DigestRow is a copy of a row of events_statements_summary_by_digest. Digest is nil in the row for
// all statements whose digest has no row.
type DigestRow struct {
	// Number is another one for each row that has ever been made, and 0 of the row without a digest.
	Number      uint64
	Schema      string // "" for NULL
	Digest      *Digest
	Stat        StatementStat
	First, Last time.Time // to the microsecond
	// Quantiles of the time, picoseconds: upper bounds of histogram buckets.
	Quantile95, Quantile99, Quantile999 timers.Picoseconds
	// The sample is the slowest recent statement: see SetMaxDigestSampleAge. SampleSeen is zero if
	// there is none.
	SampleText string
	SampleSeen time.Time
	SampleWait timers.Picoseconds
	// Times is how long the statements took, which Stat counts; nil unless DigestFilter.Times is set.
	Times *StatementHistogram
}

// DigestHistogram is a copy of the histogram of a row of events_statements_summary_by_digest.
type DigestHistogram struct {
	Schema string  // "" for NULL
	Digest *Digest // nil in the row for all statements whose digest has no row
	Counts StatementHistogram
}

// digests are the statistics of statements by schema and digest.
//
// A statement finds its row without a lock that all statements share: in its Digest, else in the
// index. A row that must not be used any more is dead: a statement that finds its row dead looks
// for it again. Locks are taken in this order: mu, a shard of the index, a shard of a row.
type digests struct {
	wanted     atomic.Bool // the consumer statements_digest
	cache      atomic.Pointer[digestCache]
	maxLength  atomic.Int64 // of tokens that count, bytes
	keptLength atomic.Int64 // of tokens that are kept, bytes
	maxAge     atomic.Int64 // of samples, microseconds

	size  atomic.Int64              // of rows, the NULL row included
	evict atomic.Bool               // a new digest takes the place of one when there is no room
	lost  atomic.Uint64             // statements, or with eviction digests
	null  atomic.Pointer[digestRow] // counts all that has no row; TRUNCATE replaces it
	index [digestIndexShards]digestIndex
	seed  maphash.Seed

	mu   sync.Mutex   // guards the rest, and which rows there are
	rows []*digestRow // all but the NULL row, by place
	// byHash are the same rows by the digest's hash.
	byHash map[[32]byte][]*digestRow
	heap   digestHeap // the same rows
	born   uint64     // how many rows have been made

	memory *sharedMemory
}

// init makes the digests of a new registry.
func (s *digests) init(memory *sharedMemory) {
	s.memory = memory
	s.memory.grow(1, size[digestRow]()) // the NULL row
	s.wanted.Store(true)
	s.maxLength.Store(DefaultMaxDigestLength)
	s.keptLength.Store(defaultKeptDigestLength)
	s.maxAge.Store(DefaultMaxDigestSampleAge.Microseconds())
	s.size.Store(DefaultDigestsSize)
	s.null.Store(newDigestRow(s, "", nil))
	s.seed = maphash.MakeSeed()
}

const digestIndexShards = 32

type digestKey struct {
	schema string
	hash   [32]byte
}

// digestIndex is a part of the rows by their key.
type digestIndex struct {
	mu   sync.Mutex
	rows map[digestKey]*digestRow // guarded by mu
	_    [48]byte                 // a cache line of its own
}

func (s *digests) shard(schema string, d *Digest) *digestIndex {
	return &s.index[(uint64(d.hash[0])^maphash.String(s.seed, schema))%digestIndexShards]
}

func (s *digests) lookup(schema string, d *Digest) *digestRow {
	x := s.shard(schema, d)
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.rows[digestKey{schema, d.hash}]
}

// digestRow is a row of events_statements_summary_by_digest.
type digestRow struct {
	store  *digests
	schema string
	digest *Digest // nil of the NULL row
	dead   atomic.Bool
	full   atomic.Bool  // of the NULL row: there is no room for other rows
	first  atomic.Int64 // microseconds; 0 of a NULL row that is not used yet
	sample atomic.Pointer[digestSample]

	// Statements count in main, until that was locked too often when a statement ended; from then
	// on each processor has a shard of its own.
	main      digestShard
	conflicts atomic.Uint32
	spread    atomic.Pointer[ringbuf.PerP[digestShard]]

	// Guarded by store.mu.
	place int    // in store.rows
	born  uint64 // its number among all rows that have been made, from 1 on; never changes once others see the row
	seen  int64  // when it was seen last, as the heap knows it: it may have been seen later
}

// conflictsToSpread is how often main must have been locked before the row gets a shard for each
// processor.
const conflictsToSpread = 8

// digestShard is some of the statements of a row.
type digestShard struct {
	mu        ringbuf.Latch
	stat      StatementStat // guarded by mu, as the next two
	last      int64         // microseconds
	histogram StatementHistogram
}

func newDigestShard() *digestShard { return new(digestShard) }

// digestSample is a statement that stands for its digest. It never changes.
type digestSample struct {
	text string
	seen int64 // microseconds
	wait timers.Picoseconds
}

// digestEvent is a statement that has ended.
type digestEvent struct {
	stat  *StatementStat
	sql   string
	timed bool
	now   int64 // microseconds
}

func newDigestRow(s *digests, schema string, d *Digest) *digestRow {
	return &digestRow{store: s, schema: strings.Clone(schema), digest: d}
}

// recordDigest counts a statement that has ended in the row of its schema and digest. sql is
// its text, as SQL_TEXT shows it.
func (r *Registry) recordDigest(schema string, d *Digest, stat *StatementStat, sql string, timed bool) {
	s := &r.digests
	if d == nil || s.size.Load() <= 0 {
		return
	}
	e := digestEvent{stat, sql, timed, r.now().UnixMicro()}
	for {
		row := s.find(schema, d)
		if row == nil {
			if row = s.add(schema, d, &e); row == nil {
				return
			}
		}
		if row.record(&e) {
			if row.digest == nil {
				s.lost.Add(1)
			}
			return
		}
	}
}

// find returns the row in which the statement counts, nil if mu is needed to find it.
func (s *digests) find(schema string, d *Digest) *digestRow {
	row := d.row.Load()
	known := row != nil && !row.dead.Load()
	if known && row.schema == schema && row.store == s {
		return row
	}
	if row = s.lookup(schema, d); row != nil {
		if !known {
			d.row.Store(row)
		}
		return row
	}
	if null := s.null.Load(); null.full.Load() && !s.evict.Load() {
		return null
	}
	return nil
}

// add makes a row for a new digest and counts its first statement, or counts that in the NULL row
// if there is no room. It returns a row if the caller has to count the statement there: another
// goroutine has made the row meanwhile, or the statement is lost.
func (s *digests) add(schema string, d *Digest, e *digestEvent) *digestRow {
	s.mu.Lock()
	defer s.mu.Unlock()
	if row := s.lookup(schema, d); row != nil {
		return row
	}
	room := int(s.size.Load()) - 1
	evict := len(s.rows) >= room
	if evict && (!s.evict.Load() || len(s.rows) == 0) {
		null := s.null.Load()
		if null.full.Load() {
			return null
		}
		// MySQL does not count the first one as lost.
		null.full.Store(true)
		null.record(e)
		return nil
	}
	row := newDigestRow(s, schema, d)
	s.memory.grow(1, size[digestRow]())
	row.record(e)
	s.born++
	row.born, row.seen = s.born, e.now
	if evict {
		old := s.leastRecent()
		s.evictRow(old)
		row.place = old.place
		s.rows[row.place] = row
		s.heap[0] = row
		heap.Fix(&s.heap, 0)
	} else {
		row.place = len(s.rows)
		s.rows = append(s.rows, row)
		heap.Push(&s.heap, row)
	}
	if s.byHash == nil {
		s.byHash = map[[32]byte][]*digestRow{}
	}
	s.byHash[d.hash] = append(s.byHash[d.hash], row)
	x := s.shard(schema, d)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.rows == nil {
		x.rows = map[digestKey]*digestRow{}
	}
	x.rows[digestKey{row.schema, d.hash}] = row
	d.row.Store(row)
	return nil
}

// leastRecent returns the row that was not seen for the longest time, the oldest of several; it is
// on top of the heap then. The caller holds mu.
func (s *digests) leastRecent() *digestRow {
	for {
		row := s.heap[0]
		last := row.lastSeen()
		if last <= row.seen {
			return row
		}
		row.seen = last
		heap.Fix(&s.heap, 0)
	}
}

// evictRow moves the statements of a row to the NULL row, so that none is lost. The caller holds
// mu.
func (s *digests) evictRow(row *digestRow) {
	x := s.shard(row.schema, row.digest)
	x.mu.Lock()
	delete(x.rows, digestKey{row.schema, row.digest.hash})
	x.mu.Unlock()

	s.memory.shrink(1, size[digestRow]())
	if left := slices.DeleteFunc(s.byHash[row.digest.hash], func(o *digestRow) bool { return o == row }); len(left) > 0 {
		s.byHash[row.digest.hash] = left
	} else {
		delete(s.byHash, row.digest.hash)
	}

	rest := newDigestShard()
	row.kill(rest)
	null := s.null.Load()
	null.main.mu.Lock()
	defer null.main.mu.Unlock()
	null.main.merge(rest)
	for {
		first := null.first.Load()
		if first != 0 && first <= row.first.Load() || null.first.CompareAndSwap(first, row.first.Load()) {
			break
		}
	}
	if sample := row.sample.Load(); sample != nil {
		null.offerSample(sample)
	}
	s.lost.Add(1)
}

// digestHeap has the row on top that was not seen for the longest time. Its times may be out of date: see seen.
type digestHeap []*digestRow

func (h digestHeap) Len() int { return len(h) }
func (h digestHeap) Less(i, j int) bool {
	return h[i].seen < h[j].seen || h[i].seen == h[j].seen && h[i].born < h[j].born
}
func (h digestHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *digestHeap) Push(row any) { *h = append(*h, row.(*digestRow)) }
func (h *digestHeap) Pop() any     { panic("instr: rows leave the heap by being replaced") }

// lock locks the shard of the row that the caller's statement counts in.
func (row *digestRow) lock() *digestShard {
	if spread := row.spread.Load(); spread != nil {
		shard := spread.Pin(newDigestShard)
		ringbuf.Unpin()
		shard.mu.Lock()
		return shard
	}
	if !row.main.mu.TryLock() {
		row.conflict()
		row.main.mu.Lock()
	}
	return &row.main
}

// conflict counts that main was locked when a statement ended.
func (row *digestRow) conflict() {
	if row.conflicts.Add(1) == conflictsToSpread {
		row.spread.Store(new(ringbuf.PerP[digestShard]))
	}
}

// record counts a statement, unless the row is dead. Safe for concurrent use: kill sets dead before
// it looks for shards to lock. So a statement that found the row alive while it held a shard is
// among those that kill moves.
func (row *digestRow) record(e *digestEvent) bool {
	shard := row.lock()
	defer shard.mu.Unlock()
	if row.dead.Load() {
		return false
	}
	shard.add(e)
	if row.first.Load() == 0 {
		row.first.CompareAndSwap(0, e.now)
	}
	wait := timers.Picoseconds(0)
	if e.timed {
		wait = e.stat.Sum
	}
	if e.sql != "" && row.isBetterSample(e.now, wait, row.sample.Load()) {
		row.offerSample(&digestSample{strings.Clone(e.sql), e.now, wait})
	}
	return true
}

// isBetterSample reports whether a statement is a better sample than the present one: it is slower, or the present one is too old.
func (row *digestRow) isBetterSample(now int64, wait timers.Picoseconds, than *digestSample) bool {
	if than == nil || wait > than.wait {
		return true
	}
	age := row.store.maxAge.Load()
	return age > 0 && now-than.seen > age
}

// offerSample makes a statement the sample, if it is a better one.
func (row *digestRow) offerSample(sample *digestSample) {
	for {
		old := row.sample.Load()
		if !row.isBetterSample(sample.seen, sample.wait, old) || row.sample.CompareAndSwap(old, sample) {
			return
		}
	}
}

// add counts a statement. The caller holds mu.
func (shard *digestShard) add(e *digestEvent) {
	shard.stat.add(e.stat)
	shard.last = max(shard.last, e.now)
	if e.timed {
		shard.histogram.count(statementBucket(e.stat.Sum), 1)
	}
}

// merge adds the statements of o. The caller holds mu of both.
func (shard *digestShard) merge(o *digestShard) {
	shard.stat.add(&o.stat)
	shard.last = max(shard.last, o.last)
	shard.histogram.add(&o.histogram)
}

// shards locks each shard of the row and calls f with it.
func (row *digestRow) shards(f func(*digestShard)) {
	locked := func(shard *digestShard) {
		shard.mu.Lock()
		defer shard.mu.Unlock()
		f(shard)
	}
	locked(&row.main)
	if spread := row.spread.Load(); spread != nil {
		for _, shard := range spread.All() {
			if shard != nil {
				locked(shard)
			}
		}
	}
}

// count is how many statements the row has counted.
func (row *digestRow) count() (n uint64) {
	row.shards(func(shard *digestShard) { n += shard.stat.Count })
	return n
}

// kill ends the use of the row, and adds its statements to the shard to. The caller holds store.mu.
func (row *digestRow) kill(to *digestShard) {
	row.dead.Store(true)
	if row.digest != nil {
		row.digest.row.CompareAndSwap(row, nil) // the digest must not keep the row's memory alive
	}
	row.shards(func(shard *digestShard) {
		to.merge(shard)
		shard.histogram = StatementHistogram{}
	})
}

// lastSeen is when the row's last statement ended.
func (row *digestRow) lastSeen() (last int64) {
	row.shards(func(shard *digestShard) { last = max(last, shard.last) })
	return last
}

// DigestFilter picks rows of events_statements_summary_by_digest. The zero filter picks all.
type DigestFilter struct {
	// Hex is the hash of the rows' digest, 64 hexadecimal digits; "" allows any.
	Hex string
	// Only reports whether a row is wanted; nil means all rows. For the row without a digest, which collects the digests without a row, d is
	// nil.
	Only func(schema string, d *Digest) bool
	// Grown reports whether a row is wanted, by its Number and by how many statements it has counted; nil means all rows. It is asked
	// of each row that Only wants, in any order, but not of the row without a digest, which is wanted.
	Grown func(number, count uint64) bool
	// Gone is told the Number of each row of which Grown was asked and that has given its place to another one since: its statements
	// are in the row without a digest. nil means that nobody wants to know.
	Gone func(number uint64)
	// Times asks for DigestRow.Times.
	Times bool
}

// some returns the rows with the digest that the filter names, all if it names none. The caller
// holds s.mu.
func (f DigestFilter) some(s *digests) []*digestRow {
	if f.Hex == "" {
		return slices.Clone(s.rows)
	}
	hash, err := hex.DecodeString(f.Hex)
	if err != nil || len(hash) != 32 {
		return nil
	}
	return slices.Clone(s.byHash[[32]byte(hash)])
}

// readDigests reads the rows that f picks, in MySQL's order: first the NULL row, if it has been
// used. It reads rows without stopping anybody. Rows that have died meanwhile are left out, because
// their statements are in the NULL row, which is read last.
func readDigests[T any](s *digests, f DigestFilter, read func(*T, *digestRow)) []T {
	s.mu.Lock()
	rows := f.some(s)
	s.mu.Unlock()
	if f.Only != nil {
		rows = slices.DeleteFunc(rows, func(row *digestRow) bool { return !f.Only(row.schema, row.digest) })
	}
	var asked []*digestRow
	if f.Grown != nil {
		if f.Gone != nil && s.evict.Load() {
			asked = slices.Clone(rows)
		}
		rows = slices.DeleteFunc(rows, func(row *digestRow) bool { return !f.Grown(row.born, row.count()) })
	}
	out := make([]T, len(rows)+1)
	for i, row := range rows {
		read(&out[i+1], row)
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	n := 1
	for i, row := range rows {
		if !row.dead.Load() {
			out[n] = out[i+1]
			n++
		}
	}
	for _, row := range asked {
		if row.dead.Load() {
			f.Gone(row.born)
		}
	}
	if null := s.null.Load(); null.first.Load() != 0 && f.Hex == "" && (f.Only == nil || f.Only("", nil)) {
		read(&out[0], null)
		return out[:n]
	}
	return out[1:n]
}

// Digests returns the rows of events_statements_summary_by_digest that f picks. The row for all
// statements whose digest has no row comes first, once it is used. A statement that has ended
// counts in one row. Safe for concurrent use.
func (h Reader) Digests(f DigestFilter) []DigestRow {
	var merged StatementHistogram
	return readDigests(&h.r.digests, f, func(to *DigestRow, row *digestRow) {
		merged.clear()
		sum := StatementStat{WorkStat: NoWorkStat}
		last := int64(0)
		row.shards(func(shard *digestShard) {
			sum.Add(shard.stat)
			last = max(last, shard.last)
			merged.add(&shard.histogram)
		})
		total := merged.total()
		*to = DigestRow{
			Number: row.born, Schema: row.schema, Digest: row.digest, Stat: sum,
			First: time.UnixMicro(row.first.Load()), Last: time.UnixMicro(last),
			Quantile95: merged.quantile(950, total), Quantile99: merged.quantile(990, total), Quantile999: merged.quantile(999, total),
		}
		if f.Times {
			to.Times = new(StatementHistogram)
			to.Times.add(&merged)
		}
		if sample := row.sample.Load(); sample != nil {
			to.SampleText, to.SampleSeen, to.SampleWait = sample.text, time.UnixMicro(sample.seen), sample.wait
		}
	})
}

// DigestHistograms returns the histograms of the rows that Digests returns. Safe for
// concurrent use.
func (h Reader) DigestHistograms(f DigestFilter) []DigestHistogram {
	return readDigests(&h.r.digests, f, func(to *DigestHistogram, row *digestRow) {
		to.Schema, to.Digest = row.schema, row.digest
		row.shards(func(shard *digestShard) { to.Counts.add(&shard.histogram) })
	})
}

// TruncateDigests removes all rows. The histogram of the NULL row stays, as in MySQL: it shows
// again as soon as the NULL row is used again. Safe for concurrent use.
func (h Reader) TruncateDigests() {
	s := &h.r.digests
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.index {
		x := &s.index[i]
		x.mu.Lock()
		x.rows = nil
		x.mu.Unlock()
	}
	for _, row := range s.rows {
		row.kill(newDigestShard())
		s.memory.shrink(1, size[digestRow]())
	}
	s.rows, s.heap, s.byHash = nil, nil, nil
	old, null := newDigestShard(), newDigestRow(s, "", nil)
	s.null.Load().kill(old)
	null.main.histogram = old.histogram
	s.null.Store(null)
}

// ResetDigestHistograms empties the histograms of all digests. Safe for concurrent use.
func (h Reader) ResetDigestHistograms() {
	s := &h.r.digests
	s.mu.Lock()
	defer s.mu.Unlock()
	empty := func(shard *digestShard) { shard.histogram = StatementHistogram{} }
	s.null.Load().shards(empty)
	for _, row := range s.rows {
		row.shards(empty)
	}
}

// DigestsLost is Performance_schema_digest_lost: how many statements counted in the NULL row
// because there was no room for another row, without the first of them; with SetDigestEviction, how
// many digests were evicted. Safe for concurrent use.
func (h Reader) DigestsLost() uint64 { return h.r.digests.lost.Load() }

// SetDigestsSize sets how many rows there can be, including the NULL row. 0 means no rows at all, a
// negative number the default. Rows that exist stay. Safe for concurrent use.
func (h Setup) SetDigestsSize(n int) {
	if n < 0 {
		n = DefaultDigestsSize
	}
	s := &h.r.digests
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size.Store(int64(n))
	s.null.Load().full.Store(false)
}

// DigestsSize is how many rows there can be. Safe for concurrent use.
func (h Setup) DigestsSize() int { return int(h.r.digests.size.Load()) }

// SetDigestEviction says what happens to a new digest when there is no room. If on is true, it
// takes the row of the digest that was not seen for the longest time, whose statistics go to the
// NULL row. Else the statements of the new digest count in the NULL row, as in MySQL. Safe for
// concurrent use.
func (h Setup) SetDigestEviction(on bool) { h.r.digests.evict.Store(on) }

// DigestEviction reports whether new digests take the place of others. Safe for concurrent use.
func (h Setup) DigestEviction() bool { return h.r.digests.evict.Load() }

// SetMaxDigestSampleAge sets how old a sample can become before a faster statement takes its place;
// 0 means any age. Safe for concurrent use.
func (h Setup) SetMaxDigestSampleAge(age time.Duration) {
	h.r.digests.maxAge.Store(age.Microseconds())
}

// MaxDigestSampleAge is how old a sample can be. Safe for concurrent use.
func (h Setup) MaxDigestSampleAge() time.Duration {
	return time.Duration(h.r.digests.maxAge.Load()) * time.Microsecond
}
