package timers

import (
	"math"
	"math/bits"
	"sync/atomic"
	"time"
)

// The Nanosecond timer, and with it Microsecond and Millisecond, is the monotonic clock. To read
// this clock costs three times as much as to read the cycle counter, which the kernel itself uses
// for the clock. So if the counter is trusted, the timer uses the counter as soon as the rate of
// the counter is final. From then on it is fast or slow by some hundred-millionths, as the Cycle
// timer is, and like that timer it does not follow corrections of the kernel's clock.

// nanosecondCounter is the counter that the timer uses instead of the monotonic clock; nil while it
// does not.
var nanosecondCounter atomic.Pointer[counter]

// counter turns readings of the cycle counter into nanoseconds.
type counter struct {
	cycle uint64 // a reading
	clock uint64 // the reading of the monotonic clock at the same moment, nanoseconds
	rate  uint64 // nanoseconds per cycle, times 2^rateBits
}

const rateBits = 48

// newCounter makes a counter from one reading of both clocks; factor is that of the Cycle timer.
func newCounter(cycle uint64, clock time.Duration, factor uint64) *counter {
	rate, _ := bits.Div64(factor>>(64-(rateBits-fractionBits)), factor<<(rateBits-fractionBits), 1000)
	return &counter{cycle, uint64(clock), rate}
}

// nanoseconds converts a reading of the cycle counter to a reading of the monotonic clock.
func (c *counter) nanoseconds(cycle uint64) uint64 {
	if int64(cycle-c.cycle) < 0 { // the counters of two processors can differ a little
		return c.clock
	}
	hi, lo := bits.Mul64(cycle-c.cycle, c.rate)
	return c.clock + (hi<<(64-rateBits) | lo>>rateBits)
}

func readNanosecond() uint64 {
	if c := nanosecondCounter.Load(); c != nil {
		return c.nanoseconds(ReadCycle())
	}
	now := time.Since(epoch)
	if cycleTrusted && now >= finalSpan+calibration.clock0 {
		calibration.factor() // when it becomes final, it sets nanosecondCounter
	}
	return uint64(now)
}

// wall is a reading of the system's clock, and one of the Nanosecond timer at the same moment.
type wall struct {
	at   uint64
	unix int64 // nanoseconds since 1970
}

var lastWall atomic.Pointer[wall]

// Wall is the time of day, at less than half the cost of [time.Now]: it reads the system's clock
// once a second, and in between adds the time of the Nanosecond timer. So it notices up to a second
// later that the clock has been set. Safe for concurrent use.
func Wall() time.Time {
	now := readNanosecond()
	w := lastWall.Load()
	if w == nil || now-w.at >= uint64(time.Second) {
		w = readWall()
		lastWall.Store(w)
	}
	return time.Unix(0, w.unix+int64(now-w.at))
}

// readWall reads both clocks as nearly at the same moment as it can, see readPair: for one second,
// Wall is wrong by the time between the two readings.
func readWall() *wall {
	best, w := uint64(math.MaxUint64), &wall{}
	for range 4 {
		before := readNanosecond()
		unix := time.Now().UnixNano()
		if between := readNanosecond() - before; between < best {
			best, w.at, w.unix = between, before+between/2, unix
		}
	}
	return w
}
