package timers

import (
	"math"
	"math/bits"
	"sync/atomic"
	"time"
)

// The Nanosecond timer, and with it Microsecond and Millisecond, is the monotonic clock. Reading
// that costs three times as much as reading the cycle counter, by which the kernel keeps it: so
// where the counter is trusted, and as soon as its rate is known for good, the timer goes on by
// the counter. From then on it is some hundred-millionths fast or slow, as the Cycle timer is,
// and like that not corrected by those who set the kernel's clock.

// counted is how the timer goes on by the cycle counter; nil while it does not.
var counted atomic.Pointer[counter]

// counter turns readings of the cycle counter into nanoseconds.
type counter struct {
	cycle uint64 // a reading
	clock uint64 // what the monotonic clock said then, nanoseconds
	rate  uint64 // nanoseconds per cycle, times 2^rateBits
}

const rateBits = 48

// newCounter is a counter from a reading of both clocks on; factor is as that of Cycle.
func newCounter(cycle uint64, clock time.Duration, factor uint64) *counter {
	rate, _ := bits.Div64(factor>>(64-(rateBits-fractionBits)), factor<<(rateBits-fractionBits), 1000)
	return &counter{cycle, uint64(clock), rate}
}

// nanoseconds is what the monotonic clock says at a reading of the cycle counter.
func (c *counter) nanoseconds(cycle uint64) uint64 {
	if int64(cycle-c.cycle) < 0 { // the counters of two processors can be apart by a little
		return c.clock
	}
	hi, lo := bits.Mul64(cycle-c.cycle, c.rate)
	return c.clock + (hi<<(64-rateBits) | lo>>rateBits)
}

func readNanosecond() uint64 {
	if c := counted.Load(); c != nil {
		return c.nanoseconds(ReadCycle())
	}
	now := time.Since(epoch)
	if cycleTrusted && now >= finalSpan+calibration.clock0 {
		calibration.factor() // is final, and starts to count
	}
	return uint64(now)
}

// wall is what the system's clock said at a reading of the Nanosecond timer.
type wall struct {
	at   uint64
	unix int64 // nanoseconds since 1970
}

var lastWall atomic.Pointer[wall]

// Wall is the time of day, for less than half of what [time.Now] costs: it looks at the system's
// clock once a second and counts from there, so that it is as late to notice that the clock has
// been set. Safe for concurrent use.
func Wall() time.Time {
	now := readNanosecond()
	w := lastWall.Load()
	if w == nil || now-w.at >= uint64(time.Second) {
		w = readWall()
		lastWall.Store(w)
	}
	return time.Unix(0, w.unix+int64(now-w.at))
}

// readWall reads both clocks as nearly at once as it can, see readPair: a second long Wall is wrong
// by what lies between them.
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
