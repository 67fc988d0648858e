package history

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pfsd/tables"
)

// Collector reads the summaries of a model, and adds what they have counted to a store. Safe for concurrent use.
type Collector struct {
	model    tables.Model
	store    *Store
	interval atomic.Int64 // seconds
	on       atomic.Bool
	started  time.Time
	changed  chan struct{} // gets a value when interval or on changes; has room for one

	mu      sync.Mutex // guards the rest
	sources []reader
	begin   Moment // when the bucket began that is not over
	length  int64  // of that bucket, seconds
	ready   bool   // the sources have the counts of begin
	settled int64  // the minute of the last Settle
}

// Moment is a time by two clocks: Wall may be set, Uptime only goes on.
type Moment struct {
	Wall   time.Time
	Uptime time.Duration
}

// A reader reads one summary.
type reader interface {
	// begin reads what the summary has counted, so that the next bucket has what it counts from now on.
	begin(tables.Model)
	// read returns what has grown since the summary was read last.
	read(tables.Model) *bucket
	// forget forgets what was read.
	forget()
}

// source is what is known of a summary.
type source struct {
	table *tables.HistoryTable
	cols  []int  // of the summary: keys, sums, latest values, the longest time
	times []bool // which of the sums are times
	known map[string]*counted
	turn  uint64 // of the last reading
	key   []byte
}

// counted is what a summary had counted for a key.
type counted struct {
	turn         uint64 // of the reading that found it
	now, before  []uint64
	latest       []uint64
	max, longest uint64 // now and before
	times        []tables.TimeCount
}

// New makes a collector.
func New(model tables.Model, store *Store) *Collector {
	c := &Collector{model: model, store: store, started: time.Now(), changed: make(chan struct{}, 1)}
	for _, h := range tables.HistoryTables() {
		if h.Numbered() {
			c.sources = append(c.sources, newDigests(h))
			continue
		}
		s := &source{table: h, known: map[string]*counted{}}
		for _, name := range slices.Concat(h.Keys, h.Sums, h.Latest) {
			s.cols = append(s.cols, h.Position(name))
		}
		if h.Max != "" {
			s.cols = append(s.cols, h.Position(h.Max))
		}
		for _, name := range h.Sums {
			s.times = append(s.times, strings.Contains(name, "TIME"))
		}
		c.sources = append(c.sources, s)
	}
	c.interval.Store(10)
	c.on.Store(true)
	tables.ProvideHistory(model, store)
	tables.ProvideSnapshots(model, store)
	tables.ProvideMetrics(model, store)
	tables.ProvideAroundTruncate(model, func() func() { return c.aroundTruncate(c.now()) })
	return c
}

// Close removes the rows from the model.
func (c *Collector) Close() {
	tables.ProvideHistory(c.model, nil)
	tables.ProvideSnapshots(c.model, nil)
	tables.ProvideMetrics(c.model, nil)
	tables.ProvideAroundTruncate(c.model, nil)
}

// now is the present moment.
func (c *Collector) now() Moment {
	t := time.Now()
	return Moment{t.Round(0), t.Sub(c.started)}
}

// aroundTruncate keeps what was counted until m, before a summary is emptied. What it returns is called afterwards.
func (c *Collector) aroundTruncate(m Moment) (after func()) {
	c.mu.Lock()
	if c.ready {
		c.take(m)
	}
	return func() {
		defer c.mu.Unlock()
		if !c.ready {
			return
		}
		for _, s := range c.sources {
			s.begin(c.model)
		}
	}
}

func (c *Collector) change() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// SetInterval changes how long buckets are: the longest time that divides a minute, and is at most so many seconds and half a minute. The
// bucket that is not over ends at once.
func (c *Collector) SetInterval(seconds int64) {
	seconds = min(max(seconds, 1), minute/2)
	for minute%seconds != 0 {
		seconds--
	}
	c.interval.Store(seconds)
	c.change()
}

// SwitchOn switches collecting on or off. Off, the bucket that is not over ends at once.
func (c *Collector) SwitchOn(on bool) {
	c.on.Store(on)
	c.change()
}

// On reports whether collecting is switched on.
func (c *Collector) On() bool { return c.on.Load() }

// Run collects until ctx ends.
func (c *Collector) Run(ctx context.Context) {
	c.Take(c.now())
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		m := c.now()
		length := time.Duration(c.interval.Load()) * time.Second
		timer.Reset(m.Wall.Truncate(length).Add(length).Sub(m.Wall))
		select {
		case <-ctx.Done():
			c.Take(c.now())
			return
		case <-c.changed:
		case <-timer.C:
		}
		c.Take(c.now())
	}
}

// Take ends a bucket at m, and begins the next one.
func (c *Collector) Take(m Moment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.take(m)
}

// take is Take. The caller holds mu.
func (c *Collector) take(m Moment) {
	if c.ready {
		all := make([]*bucket, len(c.sources))
		for i, s := range c.sources {
			all[i] = s.read(c.model)
		}
		if c.model.Err() == nil { // else what is missing would look as if it had been counted before
			c.store.Add(floor(c.begin.Wall.Unix(), c.length), uint32(c.length), m.Uptime-c.begin.Uptime, all, c.text)
		}
	}
	now := m.Wall.Unix()
	if at := floor(now, minute); at != c.settled || !c.ready {
		c.settled = at
		c.store.Settle(now)
	}
	if on := c.on.Load(); on != c.ready {
		for _, s := range c.sources {
			s.forget()
			if on {
				s.begin(c.model)
			}
		}
		c.ready = on
	}
	c.begin, c.length = m, c.interval.Load()
	c.store.open.Store(floor(m.Wall.Unix(), c.length))
}

// text finds the text of a digest; "" if there is none.
func (c *Collector) text(digest string) string {
	i := slices.IndexFunc(tables.HistoryTables(), func(h *tables.HistoryTable) bool { return h.Text != "" })
	h := tables.HistoryTables()[i]
	rows := h.Summary().Scan(c.model, []int{h.Position(h.Text)}, tables.Key{{Column: "DIGEST", Value: tables.Text(digest)}})
	if !rows.Advance() {
		return ""
	}
	return rows.Value(0).Str()
}

func (s *source) forget() { clear(s.known) }

// begin implements reader.
func (s *source) begin(model tables.Model) {
	s.read(model)
	if !s.table.HasTimes() {
		return
	}
	for _, k := range s.known {
		k.times = nil
	}
	s.table.ReadTimes(model, func([]tables.Value) bool { return true }, func(key []tables.Value, times []tables.TimeCount) {
		s.key = s.key[:0]
		for _, v := range key {
			s.key = appendKey(s.key, v)
		}
		if k := s.known[string(s.key)]; k != nil {
			k.times = slices.Clone(times)
		}
	})
}

// read implements reader.
func (s *source) read(model tables.Model) *bucket {
	h := s.table
	s.turn++
	keys, sums, latest := len(h.Keys), len(h.Sums), len(h.Latest)
	counts := make([]uint64, sums)
	for rows := h.Summary().Scan(model, s.cols, nil); rows.Advance(); {
		some := false
		for i := range counts {
			counts[i] = rows.Value(keys + i).Bits()
			some = some || counts[i] != 0
		}
		if !some {
			continue
		}
		s.key = s.key[:0]
		for i := range keys {
			s.key = appendKey(s.key, rows.Value(i))
		}
		k := s.known[string(s.key)]
		if k == nil {
			k = &counted{now: make([]uint64, sums), before: make([]uint64, sums), latest: make([]uint64, latest)}
			s.known[string(s.key)] = k
		}
		if k.turn != s.turn {
			k.turn, k.max = s.turn, 0
			clear(k.now)
			clear(k.latest)
		}
		for i, n := range counts {
			k.now[i] = sum(k.now[i], n)
		}
		for i := range k.latest {
			k.latest[i] += rows.Value(keys + sums + i).Bits()
		}
		if h.Max != "" {
			k.max = max(k.max, rows.Value(keys+sums+latest).Bits())
		}
	}
	return s.difference(model)
}

// maxDrift is how much less precise times are in the first two seconds of a process, while the rate of the processor's counter is
// measured: a ten-thousandth, more than they may change without an event.
const maxDrift = 10_000

// compare reports whether any count of a key has grown, and whether one has become less, because somebody emptied the summary. Times do
// not count for either.
func (s *source) compare(k *counted) (grew, emptied bool) {
	for i, n := range k.now {
		if !s.times[i] {
			grew = grew || n > k.before[i]
			emptied = emptied || n < k.before[i]
		}
	}
	return grew, emptied
}

// difference makes rows of the keys that have grown, and remembers what there is now.
func (s *source) difference(model tables.Model) *bucket {
	b := &bucket{}
	grown := map[string]int{} // places in b.rows
	for key, k := range s.known {
		if k.turn != s.turn { // the summary has forgotten it
			delete(s.known, key)
			continue
		}
		grew, emptied := s.compare(k)
		if emptied {
			clear(k.before)
			k.longest, k.times = 0, nil
		}
		if !grew && !emptied {
			continue
		}
		r := row{key: key, sums: make([]uint64, len(k.now)), latest: slices.Clone(k.latest)}
		for i, n := range k.now {
			r.sums[i] = n - min(n, k.before[i])
		}
		if k.max > k.longest+k.longest/maxDrift {
			r.max, r.hasMax = k.max, true
		}
		copy(k.before, k.now)
		k.longest = k.max
		grown[key] = len(b.rows)
		b.rows = append(b.rows, r)
	}
	if s.table.HasTimes() && len(grown) > 0 {
		s.readTimes(model, b, grown)
	}
	return b
}

// readTimes adds histograms to the rows.
func (s *source) readTimes(model tables.Model, b *bucket, grown map[string]int) {
	place := func(key []tables.Value) (int, bool) {
		s.key = s.key[:0]
		for _, v := range key {
			s.key = appendKey(s.key, v)
		}
		i, ok := grown[string(s.key)]
		return i, ok
	}
	wanted := func(key []tables.Value) bool { _, ok := place(key); return ok }
	s.table.ReadTimes(model, wanted, func(key []tables.Value, times []tables.TimeCount) {
		i, ok := place(key)
		if !ok {
			return
		}
		r, k := &b.rows[i], s.known[b.rows[i].key]
		r.addTimes(s.table, times, k.times, k.max)
		k.times = slices.Clone(times)
	})
}

// addTimes adds what a histogram has more than before, and the longest time, if it is not known: that is at most longest.
func (r *row) addTimes(h *tables.HistoryTable, now, before []tables.TimeCount, longest uint64) {
	r.times = subtract(now, before)
	total := uint64(0)
	for _, t := range r.times {
		total += t.Count
	}
	if !r.hasMax && total > 0 && total >= r.sums[0] { // all of them are in the histogram
		r.max, r.hasMax = min(h.LongestOf(r.times), longest), true
	}
}

// subtract is what a histogram has more than before; all of it, if it was emptied meanwhile.
func subtract(now, before []tables.TimeCount) []tables.TimeCount {
	var grown []tables.TimeCount
	rest := before
	for _, t := range now {
		if len(rest) > 0 && rest[0].Bucket == t.Bucket {
			if t.Count < rest[0].Count {
				return slices.Clone(now)
			}
			t.Count -= rest[0].Count
			rest = rest[1:]
		} else if len(rest) > 0 && rest[0].Bucket < t.Bucket {
			return slices.Clone(now)
		}
		if t.Count > 0 {
			grown = append(grown, t)
		}
	}
	if len(rest) > 0 {
		return slices.Clone(now)
	}
	return grown
}
