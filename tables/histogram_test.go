package tables

import (
	"fmt"
	"math"
	"testing"

	"pfsd/instr"
)

const histogramGlobal, histogramByName = "events_waits_histogram_global", "events_waits_histogram_by_event_name"

// checkHistogram tests the rows of one histogram: how many there are, and how many events they
// count in all.
func checkHistogram(t *testing.T, all []row, buckets int, total uint64) {
	t.Helper()
	if len(all) != buckets {
		t.Fatalf("%d buckets, want %d", len(all), buckets)
	}
	low, lower := uint64(0), uint64(0)
	for i, r := range all {
		lower += numberIn(t, r, "COUNT_BUCKET")
		quantile := 0.0
		if total > 0 {
			quantile = float64(lower) / float64(total)
		}
		expect(t, r, row{
			"BUCKET_NUMBER": fmt.Sprint(i), "BUCKET_TIMER_LOW": fmt.Sprint(low),
			"COUNT_BUCKET_AND_LOWER": fmt.Sprint(lower), "BUCKET_QUANTILE": fmt.Sprintf("%.6f", quantile),
		})
		high := numberIn(t, r, "BUCKET_TIMER_HIGH")
		if high <= low {
			t.Errorf("bucket %d is from %d to %d", i, low, high)
		}
		low = high
	}
	if low != math.MaxUint64 || lower != total {
		t.Errorf("%d events in buckets up to %d, want %d", lower, low, total)
	}
}

func TestHistograms(t *testing.T) {
	reg := watched()
	a, b := keep(t, reg.NewMutex("test/a")), keep(t, reg.NewMutex("test/b"))
	check := func(inA, inB uint64) {
		t.Helper()
		checkHistogram(t, rows(t, reg, histogramByName, is("EVENT_NAME", mutexA)), instr.HistogramBuckets, inA)
		checkHistogram(t, rows(t, reg, histogramByName, is("EVENT_NAME", mutexB)), instr.HistogramBuckets, inB)
		checkHistogram(t, rows(t, reg, histogramGlobal), instr.HistogramBuckets, inA+inB)
	}
	lock(a, 3) // the consumer is off
	check(0, 0)
	update := func(consumer, v string) {
		t.Helper()
		if err := tableNamed(t, "setup_consumers").Update(Of(reg), Key{is("NAME", consumer)}, "ENABLED", Text(v)); err != nil {
			t.Fatal(err)
		}
	}
	update("events_waits_histogram", "YES")
	lock(a, 3) // by a goroutine that is no thread
	th := reg.Attach("test/worker")
	lock(b, 4)
	update("thread_instrumentation", "NO")
	lock(b, 3)
	th.Detach()
	check(3, 7)
	update("global_instrumentation", "NO")
	lock(a, 1)
	update("global_instrumentation", "YES")
	reg.Reader().ClassByName(mutexA).SetTimed(false)
	lock(a, 1)
	reg.Reader().ClassByName(mutexA).SetTimed(true)
	update("events_waits_histogram", "NO")
	lock(a, 1)
	check(3, 7)
	update("events_waits_histogram", "YES")
	for _, table := range []string{histogramGlobal, histogramByName} {
		tableNamed(t, table).Truncate(Of(reg))
		check(0, 0)
		lock(b, 5)
		check(0, 5)
	}
	if n, want := len(rows(t, reg, histogramByName)), len(reg.Reader().FamilyClasses(instr.FamilyWaits))*instr.HistogramBuckets; n != want {
		t.Errorf("%d rows, want %d", n, want)
	}
}

// A quantile has the six digits that its column shows, so that it can be looked for.
func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		lower, total uint64
		want         float64
	}{{0, 0, 0}, {0, 3, 0}, {1, 3, 0.333333}, {2, 3, 0.666667}, {37, 128, 0.289062}, {5, 128, 0.039062}, {3, 3, 1}, {1, 10_000_000, 0}, {math.MaxUint64, math.MaxUint64, 1}} {
		if got := (&histogramRow{lower: c.lower, total: c.total}).quantile(); got != Double(c.want) {
			t.Errorf("%d of %d: %v, want %v", c.lower, c.total, got.Float(), c.want)
		}
	}
}
