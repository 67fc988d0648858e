package timers

import (
	"math"
	"math/big"
	"testing"
	"time"
)

func TestParseIsTheInverseOfString(t *testing.T) {
	for id := range Count {
		for _, name := range []string{id.String(), string([]byte{id.String()[0] | 0x20}) + id.String()[1:]} {
			if got, ok := Parse(name); !ok || got != id {
				t.Errorf("Parse(%q) = %v, %v; want %v", name, got, ok, id)
			}
		}
	}
	if _, ok := Parse("FORTNIGHT"); ok {
		t.Error("Parse accepts FORTNIGHT")
	}
}

func TestTimersAdvance(t *testing.T) {
	for id := range Count {
		if !id.Available() {
			continue
		}
		start := id.Now()
		var sink uint64
		for deadline := time.Now().Add(10 * time.Second); id.Now() <= start; sink++ {
			if time.Now().After(deadline) {
				t.Fatalf("%v stays at %d", id, start)
			}
		}
	}
}

// The calibrated cycle counter and the monotonic clock must measure the same for an interval.
func TestCycleAgreesWithTheClock(t *testing.T) {
	c0, n0 := readPair()
	for time.Since(epoch)-n0 < 50*time.Millisecond {
	}
	c1, n1 := readPair()
	got, want := float64(Cycle.Picoseconds(c1-c0)), float64(n1-n0)*1000
	if math.Abs(got-want)/want > 1e-3 {
		t.Errorf("the cycle counter says %.0f ps, the clock %.0f", got, want)
	}
}

// The nanoseconds of the cycle counter are those of the monotonic clock, when the timer begins to
// use the counter and later.
func TestCountedNanoseconds(t *testing.T) {
	c0, n0 := readPair()
	for time.Since(epoch)-n0 < 50*time.Millisecond {
	}
	c1, n1 := readPair()
	c := newCounter(c1, n1, factor(float64(c1-c0)/(n1-n0).Seconds()))
	if got := c.nanoseconds(c1); got != uint64(n1) {
		t.Errorf("counting begins at %d, the clock is at %d", got, n1)
	}
	if got := c.nanoseconds(c1 - 1); got != uint64(n1) {
		t.Errorf("a processor that is behind reads %d, the clock is at %d", got, n1)
	}
	for time.Since(epoch)-n1 < 50*time.Millisecond {
	}
	c2, n2 := readPair()
	got, want := float64(c.nanoseconds(c2)-uint64(n1)), float64(n2-n1)
	if math.Abs(got-want)/want > 1e-3 {
		t.Errorf("%.0f ns are counted, the clock says %.0f", got, want)
	}
}

// Wall is between two readings of the system's clock, except for what the two clocks can drift
// apart within a second.
func TestWallAgreesWithTheClock(t *testing.T) {
	const drift = 5 * time.Millisecond
	for range 1000 {
		before, now, after := time.Now(), Wall(), time.Now()
		if now.Before(before.Add(-drift)) || now.After(after.Add(drift)) {
			t.Fatalf("%v is not between %v and %v", now, before, after)
		}
	}
}

// The rate is exact to the digits of the factor, whatever the counter's frequency.
func TestCounterRate(t *testing.T) {
	for _, frequency := range []float64{24e6, 1e9, 2.6e9, 5e9} {
		c := newCounter(0, 0, factor(frequency))
		day := uint64(86400 * frequency)
		got, want := float64(c.nanoseconds(day)), 86400e9
		if math.Abs(got-want)/want > 1e-8 {
			t.Errorf("at %g Hz a day has %.0f ns", frequency, got)
		}
	}
}

func TestPicosecondsOfPlainUnits(t *testing.T) {
	for _, c := range []struct {
		id   ID
		raw  uint64
		want uint64
	}{
		{Nanosecond, 1, 1_000}, {Nanosecond, 123_456_789_012_345, 123_456_789_012_345_000},
		{Microsecond, 7, 7_000_000}, {Millisecond, 7, 7_000_000_000}, {ThreadCPU, 3, 3_000},
	} {
		if got := c.id.Picoseconds(c.raw); got != c.want {
			t.Errorf("%v.Picoseconds(%d) = %d, want %d", c.id, c.raw, got, c.want)
		}
	}
}

func TestDurationsDoNotWrapWithPicoseconds(t *testing.T) {
	year := 365 * 24 * time.Hour
	if got := Microsecond.Duration(uint64(year / time.Microsecond)); got != year {
		t.Errorf("a year is %v", got)
	}
	if got := Millisecond.Duration(math.MaxUint64); got != math.MaxInt64 {
		t.Errorf("longer than there is is %v", got)
	}
}

func TestSumsSaturate(t *testing.T) {
	if got := Nanosecond.PicosecondsSaturated(math.MaxUint64); got != math.MaxUint64 {
		t.Errorf("saturated to %d", got)
	}
	if got := Nanosecond.PicosecondsSaturated(5); got != 5_000 {
		t.Errorf("5 ns = %d ps", got)
	}
}

func TestToCyclesRoundTrip(t *testing.T) {
	for id := range Count {
		raw := uint64(1_000_003)
		got, want := Cycle.Picoseconds(uint64(id.ToCycles(raw))), id.Picoseconds(raw)
		diff := math.Abs(float64(got) - float64(want))
		if id.Available() && diff > float64(Cycle.Picoseconds(1))+1 {
			t.Errorf("%v: %d ps through cycles, %d directly", id, got, want)
		}
	}
}

func TestMeasure(t *testing.T) {
	rows := Measure()
	if len(rows) != int(Count) {
		t.Fatalf("%d rows", len(rows))
	}
	for _, m := range rows {
		if m.Available != (m.Frequency > 0) || m.Available && (m.Resolution < 1 || m.Overhead < 1) {
			t.Errorf("%+v", m)
		}
	}
	if f := rows[Tick].Frequency; rows[Tick].Available && f != 100 {
		t.Errorf("TICK runs at %d Hz", f)
	}
	if f := rows[Microsecond].Frequency; f != 1_000_000 {
		t.Errorf("MICROSECOND runs at %d Hz", f)
	}
}

// FuzzPicoseconds compares the 128-bit arithmetic with big integers.
func FuzzPicoseconds(f *testing.F) {
	f.Add(uint64(0))
	f.Add(uint64(1))
	f.Add(uint64(math.MaxUint64))
	f.Add(uint64(1) << 57)
	f.Fuzz(func(t *testing.T, raw uint64) {
		for id := range Count {
			exact := new(big.Int).Mul(new(big.Int).SetUint64(raw), new(big.Int).SetUint64(id.factor()))
			exact.Rsh(exact, fractionBits)
			wrapped := new(big.Int).And(exact, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
			if got := id.Picoseconds(raw); got != wrapped {
				t.Errorf("%v.Picoseconds(%d) = %d, want %d", id, raw, got, wrapped)
			}
			saturated := uint64(math.MaxUint64)
			if exact.IsUint64() {
				saturated = exact.Uint64()
			}
			if got := id.PicosecondsSaturated(raw); got != saturated {
				t.Errorf("%v.PicosecondsSaturated(%d) = %d, want %d", id, raw, got, saturated)
			}
		}
	})
}

func BenchmarkNow(b *testing.B) {
	for id := range Count {
		b.Run("timer="+id.String(), func(b *testing.B) {
			for b.Loop() {
				id.Now()
			}
		})
	}
}
