package instr

import (
	"math"
	"slices"
	"sync"
	"testing"
	"testing/quick"

	"pfsd/timers"
)

// TestStatementHistogramBounds compares with bounds that MySQL's manual shows.
func TestStatementHistogramBounds(t *testing.T) {
	for bucket, want := range map[int][2]timers.Picoseconds{
		0:  {0, 10_000_000},
		1:  {10_000_000, 10_471_285},
		2:  {10_471_285, 10_964_781},
		42: {66_069_344, 69_183_097},
		43: {69_183_097, 72_443_596},
	} {
		if low, high := StatementHistogramBounds(bucket); low != want[0] || high != want[1] {
			t.Errorf("bucket %d is from %d to %d, want %d to %d", bucket, low, high, want[0], want[1])
		}
	}
	low, high := StatementHistogramBounds(StatementHistogramBuckets - 1)
	// A product of 448 factors is not exact to the last place.
	if want := math.Pow(10, 7+448.0/50); math.Abs(float64(low)/want-1) > 1e-12 || high != math.MaxUint64 {
		t.Errorf("the last bucket is from %d to %d, want about %.0f and the largest number", low, high, want)
	}
	for b := range StatementHistogramBuckets - 1 {
		_, high := StatementHistogramBounds(b)
		if low, _ := StatementHistogramBounds(b + 1); low != high {
			t.Errorf("bucket %d ends at %d, the next one begins at %d", b, high, low)
		}
	}
}

// searchBucket finds the bucket by trying all of them.
func searchBucket(ps uint64) int {
	for b := range StatementHistogramBuckets - 1 {
		if _, high := StatementHistogramBounds(b); ps/1000 < high/1000 {
			return b
		}
	}
	return StatementHistogramBuckets - 1
}

func TestStatementBucket(t *testing.T) {
	check := func(ps uint64) bool {
		if got, want := statementBucket(ps), searchBucket(ps); got != want {
			t.Errorf("%d ps are in bucket %d, want %d", ps, got, want)
			return false
		}
		return true
	}
	for b := range StatementHistogramBuckets {
		low, high := StatementHistogramBounds(b)
		for _, ps := range []uint64{low, low - 1, low + 1, low - 1000, low + 1000, low / 1000 * 1000, high, high - 1} {
			check(ps)
		}
	}
	if err := quick.Check(func(ps uint64, shift uint8) bool { return check(ps >> (shift % 64)) }, &quick.Config{MaxCount: 20_000}); err != nil {
		t.Error(err)
	}
}

// TestStatementHistogramQuantiles compares with sorted times.
func TestStatementHistogramQuantiles(t *testing.T) {
	var h StatementHistogram
	if got := h.quantile(950, h.total()); got != 0 {
		t.Errorf("an empty histogram has the quantile %d, want 0", got)
	}
	err := quick.Check(func(times []uint32, thousandths uint16) bool {
		if len(times) == 0 {
			return true
		}
		part := uint64(thousandths%999) + 1
		var h StatementHistogram
		for _, ps := range times {
			h.count(statementBucket(uint64(ps)), 1)
		}
		slices.Sort(times)
		rank := (uint64(len(times))*part + 999) / 1000
		_, want := StatementHistogramBounds(searchBucket(uint64(times[rank-1])))
		if got := h.quantile(part, h.total()); got != want {
			t.Errorf("the quantile %d/1000 of %d is %d, want %d", part, times, got, want)
			return false
		}
		return h.total() == uint64(len(times))
	}, nil)
	if err != nil {
		t.Error(err)
	}
	h.count(StatementHistogramBuckets-1, math.MaxUint64)
	if got := h.quantile(999, h.total()); got != math.MaxUint64 {
		t.Errorf("the quantile of the most there can be is %d, want the largest number", got)
	}
}

func TestGlobalStatementHistogram(t *testing.T) {
	r := NewRegistry()
	if n := r.Reader().GlobalStatementHistogram().total(); n != 0 {
		t.Errorf("a new histogram has %d statements", n)
	}
	const writers, each = 4, 10_000
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				r.recordStatementHistogram(uint64(i%100) * 1_000_000 << w)
			}
		})
	}
	last := uint64(0)
	for range 50 {
		n := r.Reader().GlobalStatementHistogram().total()
		if n < last || n > writers*each {
			t.Errorf("the histogram has %d statements after %d", n, last)
		}
		last = n
	}
	wg.Wait()
	want := new(StatementHistogram)
	for w := range writers {
		for i := range each {
			want.count(searchBucket(uint64(i%100)*1_000_000<<w), 1)
		}
	}
	got := r.Reader().GlobalStatementHistogram()
	for b := range StatementHistogramBuckets {
		if got.Count(b) != want.Count(b) {
			t.Errorf("bucket %d has %d statements, want %d", b, got.Count(b), want.Count(b))
		}
	}
	r.Reader().ResetGlobalStatementHistogram()
	if n := r.Reader().GlobalStatementHistogram().total(); n != 0 {
		t.Errorf("an emptied histogram has %d statements", n)
	}
}
