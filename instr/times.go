package instr

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"pfsd/timers"
)

// Times is how long the timed events of an instrument took, or those of one operation or one object of it. Add adds up
// the Times of several instruments or programs; Sub leaves what happened between two moments.
type Times struct {
	Operation string // READ, WRITE or MISC of files and sockets; "" for all operations together
	Instance  uint64 // the object's id; 0 for all objects together
	Buckets   Histogram
	Max       uint64 // the longest time, cycles
}

// Count is how many events there are.
func (t *Times) Count() (n uint64) {
	for _, in := range &t.Buckets {
		n += in
	}
	return n
}

// Add adds the events of o.
func (t *Times) Add(o *Times) {
	for i, n := range &o.Buckets {
		t.Buckets[i] += n
	}
	t.Max = max(t.Max, o.Max)
}

// Sub takes away the events of an earlier copy. If the histogram has been emptied since then, it takes nothing away. Max stays
// the longest time of all events, but is at most the end of the longest bucket that is left.
func (t *Times) Sub(earlier *Times) {
	left, longest := t.Buckets, 0
	for i, n := range &earlier.Buckets {
		if left[i] < n {
			return
		}
		if left[i] -= n; left[i] > 0 {
			longest = i
		}
	}
	t.Buckets = left
	if longest < HistogramBuckets-1 {
		t.Max = min(t.Max, histogramLow(longest+1)-1)
	}
	if t.Count() == 0 {
		t.Max = 0
	}
}

// Quantile is a time in picoseconds that so many thousandths of the events, rounded up, did not exceed. It is the end of a
// bucket, which is at most an eighth longer than the true time, or Max if that is less; 0 if there are no events.
func (t *Times) Quantile(thousandths uint64) timers.Picoseconds {
	total := t.Count()
	if total == 0 {
		return 0
	}
	hi, lo := bits.Mul64(total, thousandths)
	lo, carry := bits.Add64(lo, 999, 0)
	enough, _ := bits.Div64(hi+carry, lo, 1000)
	below := uint64(0)
	for i, n := range &t.Buckets {
		if below += n; below >= enough && n > 0 {
			_, high := HistogramBounds(i)
			return min(high, t.MaxPicoseconds())
		}
	}
	return t.MaxPicoseconds()
}

// MaxPicoseconds is the longest time, picoseconds.
func (t *Times) MaxPicoseconds() timers.Picoseconds { return timers.Cycle.PicosecondsSaturated(t.Max) }

// recordTime counts an event that is no wait and took ps picoseconds, if its switches say so.
func (c *Class) recordTime(sw switches, ps timers.Picoseconds) {
	if sw&swHistogram != 0 {
		c.histogram.record(picosecondsToCycles(ps))
	}
}

func picosecondsToCycles(ps timers.Picoseconds) uint64 {
	hi, lo := bits.Mul64(ps, uint64(timers.Cycle.Frequency()))
	const second = 1_000_000_000_000
	if hi >= second {
		return math.MaxUint64
	}
	cycles, _ := bits.Div64(hi, lo, second)
	return cycles
}

// recordIO counts an operation on a file or socket.
func (c *Class) recordIO(sw switches, op Op, cycles uint64) {
	if sw&(swHistogram|swTimed) == swHistogram|swTimed {
		c.directed[op.direction()].record(cycles)
	}
}

// maxInstanceTimes is how many histograms the objects of a registry can have; they are made when they are needed.
const maxInstanceTimes = 10_000

// instanceTime says what a histogram of an object is about.
type instanceTime struct {
	id        uint64
	direction direction // of files and sockets
}

// instanceTimes are the histograms of objects. Counting finds a histogram without a lock; adding or dropping one makes a new
// map for its shard.
type instanceTimes struct {
	mu     sync.Mutex
	shards [16]atomic.Pointer[map[instanceTime]*histogram]
}

func (m *instanceTimes) shard(key instanceTime) *atomic.Pointer[map[instanceTime]*histogram] {
	return &m.shards[key.id*0x9e3779b97f4a7c15>>60] // ids are multiples of some number
}

func (m *instanceTimes) get(key instanceTime) *histogram {
	if shard := m.shard(key).Load(); shard != nil {
		return (*shard)[key]
	}
	return nil
}

// add returns the histogram, made if need be; nil if the registry has no room for one.
func (m *instanceTimes) add(r *Registry, key instanceTime) *histogram {
	m.mu.Lock()
	defer m.mu.Unlock()
	if h := m.get(key); h != nil {
		return h
	}
	if r.instanceTimes.Add(1) > maxInstanceTimes {
		r.instanceTimes.Add(-1)
		r.instanceTimesLost.Add(1)
		return nil
	}
	grown := map[instanceTime]*histogram{}
	if old := m.shard(key).Load(); old != nil {
		grown = maps.Clone(*old)
	}
	h := new(histogram)
	grown[key] = h
	m.shard(key).Store(&grown)
	return h
}

func (m *instanceTimes) drop(r *Registry, key instanceTime) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.get(key) == nil {
		return
	}
	left := maps.Clone(*m.shard(key).Load())
	delete(left, key)
	m.shard(key).Store(&left)
	r.instanceTimes.Add(-1)
}

// bytes is how many bytes the maps take, without the histograms.
func (m *instanceTimes) bytes() int {
	if m == nil {
		return 0
	}
	n := size[instanceTimes]()
	for i := range m.shards {
		if shard := m.shards[i].Load(); shard != nil {
			n += size[map[instanceTime]*histogram]() + len(*shard)*(size[instanceTime]()+size[*histogram]()+size[histogram]())
		}
	}
	return n
}

// recordInstance counts a wait for an object that took so many cycles.
//
//go:noinline
func (c *Class) recordInstance(e *event, cycles uint64) {
	key := instanceTime{id: e[eventObject]}
	if key.id == 0 {
		return
	}
	if c.kind == KindFile || c.kind == KindSocket {
		key.direction = Op(e[eventWhat] >> whatOp).direction()
	}
	m := c.instanceTimes.Load()
	for m == nil {
		c.instanceTimes.CompareAndSwap(nil, new(instanceTimes))
		m = c.instanceTimes.Load()
	}
	h := m.get(key)
	if h == nil {
		h = m.add(c.registry, key)
	}
	if h != nil {
		h.record(cycles)
	}
}

// eachHistogram calls f with all histograms of the class.
func (c *Class) eachHistogram(f func(*histogram)) {
	f(&c.histogram)
	for i := range c.directed {
		f(&c.directed[i])
	}
	for _, h := range c.eachInstanceTime {
		f(h)
	}
}

// eachInstanceTime calls f with all histograms of objects, until it returns false.
func (c *Class) eachInstanceTime(f func(instanceTime, *histogram) bool) {
	m := c.instanceTimes.Load()
	if m == nil {
		return
	}
	for i := range m.shards {
		if shard := m.shards[i].Load(); shard != nil {
			for key, h := range *shard {
				if !f(key, h) {
					return
				}
			}
		}
	}
}

// dropInstanceTimes drops some of the histograms that eachInstanceTime has found.
func (c *Class) dropInstanceTimes(keys []instanceTime) {
	if m := c.instanceTimes.Load(); m != nil {
		for _, key := range keys {
			m.drop(c.registry, key)
		}
	}
}

// InstanceTimesLost is how many waits are in no histogram of their object because there are 10,000 already. Safe for concurrent use.
func (h Reader) InstanceTimesLost() uint64 { return h.r.instanceTimesLost.Load() }

// Times returns how long the timed events of an instrument took while the consumer of its family's histograms was on: first all
// of them, then each operation of files and sockets, then the objects that exist, by id. Histograms without events are left out.
// Safe for concurrent use.
func (h Reader) Times(c *Class) (all []Times) {
	h.r.runtimeWaits.fetch(c)
	io := c.kind == KindFile || c.kind == KindSocket
	add := func(of *histogram, operation string, instance uint64) {
		t := Times{Operation: operation, Instance: instance}
		if of.addTo(&t); t.Count() > 0 {
			all = append(all, t)
		}
	}
	add(&c.histogram, "", 0)
	for d := range c.directed {
		if io {
			add(&c.directed[d], direction(d).operation(), 0)
		}
	}
	type entry struct {
		instanceTime
		*histogram
	}
	var entries []entry
	for key, h := range c.eachInstanceTime {
		entries = append(entries, entry{key, h})
	}
	if len(entries) == 0 {
		return all
	}
	exists := map[uint64]bool{}
	for _, in := range c.Instances() {
		exists[in.ID()] = true
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.direction, b.direction))
	})
	var gone []instanceTime
	for i, e := range entries {
		if !exists[e.id] {
			gone = append(gone, e.instanceTime)
			continue
		}
		if io && (i == 0 || entries[i-1].id != e.id) {
			t := Times{Instance: e.id}
			for _, o := range entries[i:] {
				if o.id != e.id {
					break
				}
				o.addTo(&t)
			}
			if t.Count() > 0 {
				all = append(all, t)
			}
		}
		operation := ""
		if io {
			operation = e.direction.operation()
		}
		add(e.histogram, operation, e.id)
	}
	c.dropInstanceTimes(gone)
	return all
}
