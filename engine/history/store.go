package history

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"pfsd/engine/txkv"
	"pfsd/instr"
	"pfsd/tables"
)

// Limits say what is kept.
type Limits struct {
	// How old buckets become that are shorter than a minute, a minute and an hour long, seconds.
	Fine, Minutes, Hours int64
	// Bytes is how many bytes all together have; a store in memory has a quarter.
	Bytes int64
	// Keys is how many keys a table has in one bucket; the others are together in one row.
	Keys int
}

const (
	minute = 60
	hour   = 3600
)

// longestText is how many bytes of a text are kept.
const longestText = 4096

// entry is a bucket of a table and of a length.
type entry struct {
	start    int64 // seconds since 1970
	boot     bootID
	bytes    int
	measured time.Duration // of the buckets of clock, else 0
}

// clock returns the place of a table without rows, whose buckets say how long was counted for those of the others: these have none where
// nothing happened.
func clock() int { return len(tables.HistoryTables()) }

// metricPlace is the place of the buckets of metrics.
func metricPlace() int { return clock() + 1 }

func compareEntries(a, b entry) int {
	return cmp.Or(cmp.Compare(a.start, b.start), slices.Compare(a.boot[:], b.boot[:]))
}

// index is the buckets of a table, by their length in seconds, in the order of their starts.
type index map[uint32][]entry

// Store has the buckets of all tables. Safe for concurrent use.
type Store struct {
	medium  medium
	share   int64 // by which Limits.Bytes is divided
	boot    bootID
	warn    func(error)
	limits  atomic.Pointer[Limits]
	lost    atomic.Uint64
	others  atomic.Uint64
	refused error  // why the directory is not used
	forget  func() // removes the instrument of its memory

	open   atomic.Int64 // when the bucket starts that is not over, seconds since 1970; 0 if there is none
	unread atomic.Bool  // a bucket could not be read, and warn knows

	writing sync.Mutex // held by who changes the store; guards the next ones
	failing bool       // the last batch could not be written, and warn knows
	days    map[int64]int
	known   map[string]bool // digests whose text is there for knownDay
	today   int64
	dropped map[uint32]int64 // by length: periods up to this one went for lack of room, and are not made again

	mu    sync.Mutex // guards the next ones, which change while writing is held, too
	index []index    // by table
	size  int64      // of all there is, bytes
	kept  int64      // of what is not removed for lack of room
	// snapshots are those that are kept, in the order in which they were taken.
	snapshots []keptSnapshot
	// metrics are those of people, by name; sampling is nil until they are read.
	metrics  []*userMetric
	sampling *Sampling

	life   sync.RWMutex // held by who uses medium; guards closed
	closed bool
}

// Open opens the store in a directory, and makes it if need be. With dir "" the store is in memory; so it is if the directory cannot
// be opened as a store, which warn is told, and which stays as it is. warn also gets what goes wrong later, once each. Safe for
// concurrent use.
func Open(reg *instr.Registry, dir string, limits Limits, warn func(error)) *Store {
	return openOn(reg, txkv.Options{}, dir, limits, warn)
}

// openOn is Open on the file system of o.
func openOn(reg *instr.Registry, o txkv.Options, dir string, limits Limits, warn func(error)) *Store {
	s := &Store{boot: uuid.New(), warn: warn, share: 1, days: map[int64]int{}, known: map[string]bool{}, dropped: map[uint32]int64{}}
	s.SetLimits(limits)
	if dir != "" {
		d, err := openDisk(reg, o, dir, warn)
		if err == nil {
			s.medium = d
			if err = s.load(); err != nil {
				_ = d.close() // nothing was written
			}
		}
		if err != nil {
			s.medium, s.refused = nil, err
			warn(fmt.Errorf("the buckets of history in %s cannot be used, new ones are in memory: %w", dir, err))
		}
	}
	if s.medium == nil {
		s.medium, s.share = &memory{}, 4
		s.clear()
	}
	s.forget = reg.MeasureMemory([]instr.MemoryPart{{Name: "history/buckets", Doc: "Time buckets of the schema history, or what is in memory of them."}}, func(bytes []int) { bytes[0] = s.medium.bytes() })
	return s
}

// Refused is why the store is not in the directory that Open got; nil if it is, or there was none.
func (s *Store) Refused() error { return s.refused }

func (s *Store) clear() {
	s.index, s.size, s.kept, s.snapshots, s.metrics = make([]index, metricPlace()+1), 0, 0, nil, nil
	for i := range s.index {
		s.index[i] = index{}
	}
	clear(s.days)
}

// load finds the buckets that are there.
func (s *Store) load() error {
	s.clear()
	err := s.medium.scan([]byte{bucketKeys}, []byte{bucketKeys + 1}, func(key, value []byte) {
		if table, seconds, e, ok := parseBucketKey(key); ok {
			e.bytes = len(key) + len(value)
			if table == clock() {
				if b, err := decode(nothing, value); err == nil {
					e.measured = b.measured
				}
			}
			s.size += int64(e.bytes)
			s.index[table][seconds] = append(s.index[table][seconds], e)
		}
	})
	if err != nil {
		return err
	}
	err = s.medium.scan([]byte{textKeys}, []byte{textKeys + 1}, func(key, value []byte) {
		if len(key) == len(textPrefix(0))+32 {
			s.days[parseDay(key)] += len(key) + len(value)
			s.size += int64(len(key) + len(value))
		}
	})
	if err == nil {
		err = s.loadSnapshots()
	}
	if err == nil {
		err = s.loadMetrics()
	}
	s.size += s.kept
	return err
}

// Close ends the store.
func (s *Store) Close() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.life.Lock()
	defer s.life.Unlock()
	s.closed = true
	s.forget()
	for _, m := range s.metrics {
		m.hide()
	}
	return s.medium.close()
}

// SetLimits changes what is kept, from the next bucket on.
func (s *Store) SetLimits(l Limits) { s.limits.Store(&l) }

// Lost is how many buckets of all tables together could not be written.
func (s *Store) Lost() uint64 { return s.lost.Load() }

// Others is how many keys have gone into a row of others.
func (s *Store) Others() uint64 { return s.others.Load() }

// change is what is written at once, and what that does to the index.
type change struct {
	batch
	set  []located
	cut  []span
	days map[int64]int // bytes of texts that are added
}

// located is a bucket of a table.
type located struct {
	table   int
	seconds uint32
	entry
}

// span is the buckets of a table and a length that start from from up to, without, to.
type span struct {
	table    int
	seconds  uint32
	from, to int64
}

// nothing is a table without columns.
var nothing = new(tables.HistoryTable)

// tableAt is a table by its place.
func tableAt(place int) *tables.HistoryTable {
	switch place {
	case clock():
		return nothing
	case metricPlace():
		return tables.MetricHistory
	}
	return tables.HistoryTables()[place]
}

// put adds a bucket to the change, in place of the one that is there.
func (c *change) put(table int, seconds uint32, e entry, b *bucket) {
	key, value := bucketKey(table, seconds, e), b.append(nil)
	e.bytes = len(key) + len(value)
	if table == clock() {
		e.measured = b.measured
	}
	c.batch.put(key, value)
	c.set = append(c.set, located{table, seconds, e})
}

// removeSpan adds the removal of buckets to the change.
func (c *change) removeSpan(r span) {
	c.remove(bucketPrefix(r.table, r.seconds, r.from), bucketPrefix(r.table, r.seconds, r.to))
	c.cut = append(c.cut, r)
}

// apply makes the changes of a batch. The caller holds writing.
func (s *Store) apply(b *batch) error {
	s.life.RLock()
	defer s.life.RUnlock()
	if s.closed {
		return txkv.ErrClosed
	}
	return s.medium.apply(b)
}

// write makes a change. The caller holds writing. A change that fails is told once, until one succeeds.
func (s *Store) write(c *change) error {
	if c.empty() {
		return nil
	}
	if err := s.apply(&c.batch); err != nil {
		if !s.failing {
			s.failing = true
			s.warn(fmt.Errorf("buckets of history are not written: %w", err))
		}
		return err
	}
	s.failing = false
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range c.cut {
		list := s.index[r.table][r.seconds]
		kept := make([]entry, 0, len(list)+1)
		for _, e := range list {
			if e.start >= r.from && e.start < r.to {
				s.size -= int64(e.bytes)
			} else {
				kept = append(kept, e)
			}
		}
		s.index[r.table][r.seconds] = kept
	}
	for _, l := range c.set {
		list := s.index[l.table][l.seconds]
		i, found := slices.BinarySearchFunc(list, l.entry, compareEntries)
		if found {
			s.size -= int64(list[i].bytes)
			list[i] = l.entry
		} else {
			s.index[l.table][l.seconds] = slices.Insert(list, i, l.entry)
		}
		s.size += int64(l.bytes)
	}
	for day, n := range c.days {
		s.days[day] += n
		s.size += int64(n)
	}
	return nil
}

// get returns the value of a key, nil if there is none or the store is closed.
func (s *Store) get(key []byte) ([]byte, error) {
	s.life.RLock()
	defer s.life.RUnlock()
	if s.closed {
		return nil, nil
	}
	return s.medium.get(key)
}

// read reads a bucket; nil if there is none, or it cannot be read.
func (s *Store) read(table int, seconds uint32, e entry) *bucket {
	value, err := s.get(bucketKey(table, seconds, e))
	if value == nil && err == nil {
		return nil
	}
	var b *bucket
	if err == nil {
		b, err = decode(tableAt(table), value)
	}
	if err != nil {
		s.unreadable(err)
		return nil
	}
	return b
}

// unreadable tells of a bucket that cannot be read, once.
func (s *Store) unreadable(err error) {
	if !s.unread.Swap(true) {
		s.warn(fmt.Errorf("a bucket of history cannot be read, and is left out: %w", err))
	}
}

// Add adds the rows of all tables to the bucket that starts at start, and to the minute and the hour that have it, if these are
// made already: then the clock was set back. text returns the text of a digest.
func (s *Store) Add(start int64, seconds uint32, measured time.Duration, all []*bucket, text func(digest string) string) {
	s.writing.Lock()
	defer s.writing.Unlock()
	var c change
	c.days = map[int64]int{}
	limits, added := s.limits.Load(), 0
	for table, b := range all {
		if len(b.rows) == 0 {
			continue
		}
		added++
		h := tableAt(table)
		s.others.Add(uint64(b.limit(limits.Keys, rankOf(h))))
		if h.Text != "" {
			s.addTexts(&c, h, start, b, text)
		}
		s.addBucket(&c, table, start, seconds, b)
	}
	s.addBucket(&c, clock(), start, seconds, &bucket{measured: measured})
	if b := s.takeMetrics(); b != nil {
		added++
		s.addBucket(&c, metricPlace(), start, seconds, b)
	}
	if s.write(&c) != nil {
		s.lost.Add(uint64(added))
		clear(s.known)
	}
}

// keys is how many rows a table has in a bucket. Metrics that were dropped have some, too, until the bucket goes.
func (s *Store) keys(table int) int {
	if table == metricPlace() {
		return 2 * maxMetrics
	}
	return s.limits.Load().Keys
}

// rankOf is the place of the sum by which the rows of a table are chosen.
func rankOf(h *tables.HistoryTable) int { return slices.Index(h.Sums, h.Rank) }

// addBucket adds a bucket of a table to a change, and to the longer ones that exist. A longer one that does not is made when it is over;
// but one that would have had no rows is not made then, and is now.
func (s *Store) addBucket(c *change, table int, start int64, seconds uint32, b *bucket) {
	h := tableAt(table)
	for _, length := range []uint32{seconds, minute, hour} {
		e := entry{start: floor(start, int64(length)), boot: s.boot}
		if length != seconds && !has(s.index[clock()][length], e) {
			continue
		}
		merged := &bucket{merge: h.Merge}
		if has(s.index[table][length], e) {
			if old := s.read(table, length, e); old != nil {
				merged = old
			}
		}
		merged.add(b)
		merged.limit(s.keys(table), rankOf(h))
		c.put(table, length, e, merged)
	}
}

// has reports whether a list has a bucket.
func has(list []entry, e entry) bool {
	_, found := slices.BinarySearchFunc(list, e, compareEntries)
	return found
}

// addTexts adds the texts of a bucket's digests to a change, once for each day.
func (s *Store) addTexts(c *change, h *tables.HistoryTable, start int64, b *bucket, text func(digest string) string) {
	day := dayOf(start)
	if day != s.today {
		clear(s.known)
		s.today = day
	}
	for i := range b.rows {
		digest := digestOf(h, b.rows[i].key)
		key, ok := textKey(day, digest)
		if !ok || s.known[digest] {
			continue
		}
		s.known[digest] = true
		if there, err := s.get(key); err != nil || there != nil {
			continue
		}
		value := []byte(cut(text(digest)))
		c.batch.put(key, value)
		c.days[day] += len(key) + len(value)
	}
}

// digestOf is the digest in the key of a row; "" if there is none.
func digestOf(h *tables.HistoryTable, key string) string {
	return parseKey([]byte(key), len(h.Keys))[slices.Index(h.Keys, "DIGEST")].Str()
}

// cut is the beginning of a text, whole characters of it.
func cut(text string) string {
	if len(text) <= longestText {
		return text
	}
	n := longestText
	for n > 0 && text[n]&0xc0 == 0x80 {
		n--
	}
	return text[:n]
}

// Truncate removes the buckets of a table.
func (s *Store) Truncate(table int) { _ = s.truncate(table) }

// truncate is Truncate, and returns why it cannot.
func (s *Store) truncate(table int) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	var c change
	c.remove([]byte{bucketKeys, tableByte(table)}, []byte{bucketKeys, tableByte(table) + 1})
	for seconds, list := range s.index[table] {
		if len(list) > 0 {
			c.cut = append(c.cut, span{table, seconds, list[0].start, list[len(list)-1].start + 1})
		}
	}
	return s.write(&c)
}
