package timers

import (
	"math"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
)

// Picoseconds is a length of time, or a moment since the server's start. It wraps at
// 2^64, after 213 days, as the BIGINT UNSIGNED columns that show it do.
type Picoseconds = uint64

// fractionBits is how many bits of a factor are after the binary point. These 30 bits, and the 8 or
// more before the point, are 11 decimal digits, and the factor of Tick still fits in a word.
const fractionBits = 30

const picosecondsPerSecond = 1_000_000_000_000

// factor is picoseconds per raw unit, times 2^fractionBits.
func factor(frequency float64) uint64 {
	return uint64(math.Round(picosecondsPerSecond / frequency * (1 << fractionBits)))
}

// Picoseconds converts a number of raw units. The result is exact to the factor's 11
// digits and wraps at 2^64. Safe for concurrent use.
func (id ID) Picoseconds(raw uint64) Picoseconds {
	hi, lo := bits.Mul64(raw, id.factor())
	return hi<<(64-fractionBits) | lo>>fractionBits
}

// PicosecondsSaturated is Picoseconds, but returns 2^64-1 if the result would wrap: for sums. Safe
// for concurrent use.
func (id ID) PicosecondsSaturated(raw uint64) Picoseconds {
	hi, lo := bits.Mul64(raw, id.factor())
	if hi>>fractionBits != 0 {
		return math.MaxUint64
	}
	return hi<<(64-fractionBits) | lo>>fractionBits
}

// Duration converts a number of raw units to a duration, at most 292 years, the longest one. Safe
// for concurrent use.
func (id ID) Duration(raw uint64) time.Duration {
	hi, lo := bits.Mul64(raw, id.factor())
	if hi >= 500<<fractionBits {
		return math.MaxInt64
	}
	ns, _ := bits.Div64(hi, lo, 1000<<fractionBits)
	return time.Duration(ns)
}

// ToCycles converts a number of raw units to those of the Cycle timer, rounded: all
// statistics are kept in these, whatever timer their events were timed with. Safe for
// concurrent use.
func (id ID) ToCycles(raw uint64) Cycles {
	if id == Cycle {
		return Cycles(raw)
	}
	hi, lo := bits.Mul64(raw, id.factor())
	f := Cycle.factor()
	lo, carry := bits.Add64(lo, f/2, 0)
	hi += carry
	if hi >= f {
		return math.MaxUint64
	}
	q, _ := bits.Div64(hi, lo, f)
	return Cycles(q)
}

// Frequency is the timer's units per second; 0 if it is not available.
func (id ID) Frequency() int64 {
	if !id.Available() {
		return 0
	}
	return int64(math.Round(picosecondsPerSecond / (float64(id.factor()) / (1 << fractionBits))))
}

func (id ID) factor() uint64 {
	switch id {
	case Cycle:
		return calibration.factor()
	case Nanosecond, ThreadCPU:
		return 1_000 << fractionBits
	case Microsecond:
		return 1_000_000 << fractionBits
	case Millisecond:
		return 1_000_000_000 << fractionBits
	case Tick:
		return factor(float64(max(tickFrequency, 1)))
	}
	return 0
}

// calibration measures the rate of the cycle counter by the monotonic clock, over the time between
// the process's start and the present use. After finalSpan the rate is final and not measured any
// more. The first use waits until goodSpan has passed.
var calibration = newCalibrator()

const (
	goodSpan  = 20 * time.Millisecond // within a few millionths
	finalSpan = 2 * time.Second       // within a few hundred-millionths
)

type calibrator struct {
	cycle0 uint64
	clock0 time.Duration

	final atomic.Uint64 // picoseconds per cycle, times 2^fractionBits; 0: not yet final

	mu    sync.Mutex
	value uint64 // the same, as it was measured last; guarded by mu
}

func newCalibrator() *calibrator {
	c := &calibrator{}
	c.cycle0, c.clock0 = readPair()
	return c
}

// readPair reads both clocks as nearly at the same moment as it can: it returns the closest pair of
// a few tries.
func readPair() (cycle uint64, clock time.Duration) {
	best := uint64(math.MaxUint64)
	for range 8 {
		before := ReadCycle()
		now := time.Since(epoch)
		after := ReadCycle()
		if after-before < best {
			best, cycle, clock = after-before, before+(after-before)/2, now
		}
	}
	return cycle, clock
}

func (c *calibrator) factor() uint64 {
	if v := c.final.Load(); v != 0 {
		return v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	span := time.Since(epoch) - c.clock0
	if c.value != 0 && span < finalSpan {
		return c.value
	}
	if span < goodSpan {
		time.Sleep(goodSpan - span)
	}
	cycle, clock := readPair()
	c.value = factor(float64(cycle-c.cycle0) / (clock - c.clock0).Seconds())
	if clock-c.clock0 >= finalSpan {
		c.final.Store(c.value)
		if cycleTrusted {
			nanosecondCounter.Store(newCounter(cycle, clock, c.value))
		}
	}
	return c.value
}
