package instr

import (
	"math"
	"math/bits"
	"runtime"
	"sync"

	"pfsd/ringbuf"
	"pfsd/timers"
)

// stat counts events and adds up how long they took, in cycles. It has one writer at a
// time; anybody may read, and reset.
//
// The writer makes n odd, changes the rest, and makes n even and larger by 2; a reader whose copy
// has seen an odd or a changed n copies again. Count and sum only grow. A reset copies them to the
// base fields, which readers subtract, and clears the extremes. The base is a copy of one moment:
// what a reset takes away, and what it leaves, are together all events. A writer in the middle of
// an event may put that event's time back into the extremes, or lose it there. The smallest time is
// kept inverted, so that the zero stat is an empty one.
type stat struct {
	n      uint64 // twice the events, plus 1 while the writer is at work
	sum    uint64 // cycles
	minInv uint64 // ^ the shortest, cycles
	max    uint64 // cycles
	timed  uint64 // how many of the events were timed
	// What the last reset has taken away. The same protocol applies; the writer is the goroutine
	// that resets, which holds resetMu, or threads.mu for the statistics of a thread.
	baseN     uint64
	baseSum   uint64
	baseTimed uint64
}

// resetMu is held by whoever resets the statistics of instances and classes.
var resetMu sync.Mutex

// record counts an event, which took d cycles if it was timed. Owned by the writer.
func (s *stat) record(timed bool, d uint64) { s.recordMany(timed, d, 1) }

// recordMany counts so many events, 1 at least, which took d cycles together if they were timed:
// each of them an equal part of it. Owned by the writer.
func (s *stat) recordMany(timed bool, d, events uint64) {
	n := ringbuf.Load(&s.n)
	if timed {
		ringbuf.Publish(&s.n, n|1)
		ringbuf.Store(&s.timed, ringbuf.Load(&s.timed)+events)
		ringbuf.Store(&s.sum, ringbuf.Load(&s.sum)+d)
		each := d
		if events > 1 {
			each = d / events
		}
		if ^each > ringbuf.Load(&s.minInv) {
			ringbuf.Store(&s.minInv, ^each)
		}
		if each > ringbuf.Load(&s.max) {
			ringbuf.Store(&s.max, each)
		}
	}
	ringbuf.Publish(&s.n, n+2*events)
}

// Stat is a copy of statistics. Times are in cycles; Min is the largest number there is
// while no event was timed. Untimed of the Count events have no time.
type Stat struct {
	Count, Sum, Min, Max uint64
	Untimed              uint64
}

// NoStat is the statistics of no event. The zero Stat is not, because its Min is 0.
var NoStat = Stat{Min: math.MaxUint64}

// Timed reports whether any event was timed.
func (s Stat) Timed() bool { return s.Count > 0 && s.Min <= s.Max }

// Add adds the events of o to those of s.
func (s *Stat) Add(o Stat) {
	s.Count += o.Count
	s.Sum += o.Sum
	s.Min = min(s.Min, o.Min)
	s.Max = max(s.Max, o.Max)
	s.Untimed += o.Untimed
}

// average is the sum divided by the timed events, so that it is between the extremes.
func (s Stat) average() uint64 {
	if s.Count <= s.Untimed {
		return 0
	}
	return s.Sum / (s.Count - s.Untimed)
}

// SumPicoseconds, MinPicoseconds, AvgPicoseconds and MaxPicoseconds are the times in
// picoseconds, all 0 while no event was timed. The sum stays at 2^64-1 where it would wrap.
func (s Stat) SumPicoseconds() uint64 { return s.picoseconds(s.Sum) }

// MinPicoseconds is the shortest time.
func (s Stat) MinPicoseconds() uint64 { return s.picoseconds(s.Min) }

// AvgPicoseconds is the average time of the timed events.
func (s Stat) AvgPicoseconds() uint64 { return s.picoseconds(s.average()) }

// MaxPicoseconds is the longest time.
func (s Stat) MaxPicoseconds() uint64 { return s.picoseconds(s.Max) }

func (s Stat) picoseconds(cycles uint64) uint64 {
	if !s.Timed() {
		return 0
	}
	return timers.Cycle.PicosecondsSaturated(cycles)
}

// read copies the statistics since the last reset. Safe for concurrent use.
func (s *stat) read() Stat {
	for try := 0; ; try++ {
		letWriterFinish(try)
		base := ringbuf.Load(&s.baseN)
		baseSum := ringbuf.Load(&s.baseSum)
		baseTimed := ringbuf.Load(&s.baseTimed)
		n := ringbuf.Load(&s.n)
		c := Stat{
			Count:   (n - base) / 2,
			Sum:     ringbuf.Load(&s.sum) - baseSum,
			Min:     ^ringbuf.Load(&s.minInv),
			Max:     ringbuf.Load(&s.max),
			Untimed: (n-base)/2 - (ringbuf.Load(&s.timed) - baseTimed),
		}
		if n&1 != 0 || base&1 != 0 || ringbuf.Load(&s.n) != n || ringbuf.Load(&s.baseN) != base {
			continue
		}
		return c.withoutResets()
	}
}

// withoutResets corrects the copy for the effects of resets on the extremes.
func (s Stat) withoutResets() Stat {
	if s.Count == 0 {
		return NoStat
	}
	if s.Count <= s.Untimed {
		return s
	}
	// The reset may have cleared the extremes of an event that it did not take away. This runs at
	// each end of a thread: a multiplication costs less than a division.
	low, least := bits.Mul64(s.Min, s.Count-s.Untimed)
	high, most := bits.Mul64(s.Max, s.Count-s.Untimed)
	if low > 0 || least > s.Sum || high == 0 && most < s.Sum {
		avg := s.average()
		s.Min, s.Max = min(s.Min, avg), max(s.Max, avg)
	}
	return s
}

// empty reports whether read would return NoStat. Safe for concurrent use.
func (s *stat) empty() bool {
	n := ringbuf.Load(&s.n)
	return n == ringbuf.Load(&s.baseN)
}

// reset makes the events so far disappear from what read returns. Safe for concurrent use.
func (s *stat) reset() {
	resetMu.Lock()
	defer resetMu.Unlock()
	s.take()
}

// take is read and reset in one. The caller keeps others from resetting: see stat.
func (s *stat) take() Stat {
	for try := 0; ; try++ {
		letWriterFinish(try)
		n := ringbuf.Load(&s.n)
		sum := ringbuf.Load(&s.sum)
		timed := ringbuf.Load(&s.timed)
		c := Stat{
			Count:   (n - s.baseN) / 2,
			Sum:     sum - s.baseSum,
			Min:     ^ringbuf.Load(&s.minInv),
			Max:     ringbuf.Load(&s.max),
			Untimed: (n-s.baseN)/2 - (timed - s.baseTimed),
		}
		if n&1 != 0 || ringbuf.Load(&s.n) != n {
			continue
		}
		ringbuf.Publish(&s.baseN, s.baseN|1)
		ringbuf.Store(&s.baseSum, sum)
		ringbuf.Store(&s.baseTimed, timed)
		ringbuf.Store(&s.minInv, 0)
		ringbuf.Store(&s.max, 0)
		ringbuf.Publish(&s.baseN, n)
		return c.withoutResets()
	}
}

// letWriterFinish yields the processor when a reader has failed to read a few times: the writer may
// have been interrupted in the middle of an event.
func letWriterFinish(try int) {
	if try >= 100 {
		runtime.Gosched()
	}
}

// sharedStat is a stat with many writers, one for each processor. The zero sharedStat is
// empty.
type sharedStat struct {
	cells ringbuf.PerP[paddedStat]
}

type paddedStat struct {
	stat
	_ [128 - 64]byte
}

func newPaddedStat() *paddedStat { return new(paddedStat) }

func (s *sharedStat) record(timed bool, d uint64) {
	s.cells.Pin(newPaddedStat).record(timed, d)
	ringbuf.Unpin()
}

func (s *sharedStat) recordMany(timed bool, d, n uint64) {
	s.cells.Pin(newPaddedStat).recordMany(timed, d, n)
	ringbuf.Unpin()
}

func (s *sharedStat) read() Stat {
	sum := NoStat
	for _, c := range s.cells.All() {
		if c != nil {
			sum.Add(c.read())
		}
	}
	return sum
}

func (s *sharedStat) reset() {
	for _, c := range s.cells.All() {
		if c != nil {
			c.reset()
		}
	}
}

// ioStat is what a file or a socket counts on one processor: reads and writes with their
// bytes, and everything else.
type ioStat struct {
	read, write, misc     stat
	readBytes, writeBytes byteCount
	_                     [7]uint64 // two cache lines from the next one's
}

// byteCount adds up bytes: one writer, and a base that a reset sets.
type byteCount struct{ n, base uint64 }

func (b *byteCount) add(n uint64) { ringbuf.Publish(&b.n, ringbuf.Load(&b.n)+n) }

func (b *byteCount) load() uint64 { return ringbuf.Load(&b.n) - ringbuf.Load(&b.base) }

func (b *byteCount) resetLocked() { ringbuf.Publish(&b.base, ringbuf.Load(&b.n)) }

// IOStat is a copy of the statistics of a file or a socket, or of a class of them.
type IOStat struct {
	Read, Write, Misc     Stat
	ReadBytes, WriteBytes uint64
}

// NoIOStat is the statistics of no operation.
var NoIOStat = IOStat{Read: NoStat, Write: NoStat, Misc: NoStat}

// All is reads, writes and the rest together.
func (s IOStat) All() Stat {
	all := s.Read
	all.Add(s.Write)
	all.Add(s.Misc)
	return all
}

// Add adds the operations of o to those of s.
func (s *IOStat) Add(o IOStat) {
	s.Read.Add(o.Read)
	s.Write.Add(o.Write)
	s.Misc.Add(o.Misc)
	s.ReadBytes += o.ReadBytes
	s.WriteBytes += o.WriteBytes
}

// sharedIOStat is an ioStat with many writers, one for each processor. The zero
// sharedIOStat is empty.
type sharedIOStat struct {
	cells ringbuf.PerP[ioStat]
}

func newIOStat() *ioStat { return new(ioStat) }

// record counts an operation of kind op that moved n bytes.
func (s *sharedIOStat) record(op Op, timed bool, d, n uint64) {
	c := s.cells.Pin(newIOStat)
	switch op.direction() {
	case reading:
		c.read.record(timed, d)
		c.readBytes.add(n)
	case writing:
		c.write.record(timed, d)
		c.writeBytes.add(n)
	default:
		c.misc.record(timed, d)
	}
	ringbuf.Unpin()
}

func (s *sharedIOStat) read() IOStat {
	sum := NoIOStat
	for _, c := range s.cells.All() {
		if c != nil {
			sum.Add(c.load())
		}
	}
	return sum
}

// load copies the statistics. A writer counts the bytes of an operation after the operation, and a reset
// resets them after it: so without operations there are no bytes.
func (c *ioStat) load() IOStat {
	s := IOStat{c.read.read(), c.write.read(), c.misc.read(), c.readBytes.load(), c.writeBytes.load()}
	if s.Read.Count == 0 {
		s.ReadBytes = 0
	}
	if s.Write.Count == 0 {
		s.WriteBytes = 0
	}
	return s
}

func (s *sharedIOStat) reset() {
	resetMu.Lock()
	defer resetMu.Unlock()
	for _, c := range s.cells.All() {
		if c != nil {
			c.read.take()
			c.write.take()
			c.misc.take()
			c.readBytes.resetLocked()
			c.writeBytes.resetLocked()
		}
	}
}
