package history

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"pfsd/engine/txkv"
	"pfsd/tables"
)

// readings has the metrics of a world read when the test says so.
type readings struct {
	*world
	give   func(m tables.UserMetric) (float64, error)
	on     bool
	failed []string
}

func newReadings(w *world) *readings {
	r := &readings{world: w, on: true, give: func(tables.UserMetric) (float64, error) { return 1, nil }}
	r.sample()
	return r
}

func (r *readings) sample() {
	r.Sample(Sampling{
		Meter: r.reg.NewMeter("test", ""), Check: func(tables.UserMetric) error { return nil }, On: func() bool { return r.on }, Changed: func() {},
		Read:   func(_ context.Context, m tables.UserMetric) (float64, error) { return r.give(m) },
		Failed: func(m tables.UserMetric, err error) { r.failed = append(r.failed, m.Name+": "+err.Error()) },
	})
}

func (r *readings) create(name string, period uint32) {
	r.t.Helper()
	if err := r.MakeMetric(tables.UserMetric{Name: name, By: "ann@%", Text: "SELECT 1", Period: period}); err != nil {
		r.t.Fatal(err)
	}
}

// due reads what is due so long from now on, and returns how much later the next one is.
func (r *readings) due(after time.Duration) time.Duration {
	now := time.Now().Add(after)
	for {
		read, next := r.Due(now)
		if read == nil {
			return next.Sub(now)
		}
		read(r.t.Context())
	}
}

// buckets are the readings that are over and match key.
func (r *readings) buckets(key tables.Key) (all []string) {
	source, buf := r.ReadMetrics(key), make([]*tables.MetricRow, 2)
	for n := source(buf); n > 0; n = source(buf) {
		for _, m := range buf[:n] {
			all = append(all, fmt.Sprintf("%s %s %d: %d %d %v %v %v %v", m.Metric.Name, m.Start.UTC().Format(time.TimeOnly), m.Seconds, m.Count, m.Errors, m.Min, m.Max, m.Mean, m.Latest))
		}
	}
	slices.Sort(all)
	return all
}

func (r *readings) want(key tables.Key, want ...string) {
	r.t.Helper()
	if diff := cmp.Diff(want, r.buckets(key)); diff != "" {
		r.t.Error(diff)
	}
}

// Readings are added up in buckets of each length, also across a restart; a failed one counts, and takes nothing away.
func TestReadings(t *testing.T) {
	r := newReadings(newWorld(t, t.TempDir(), wide))
	r.create("a", 10)
	values := []float64{4, -2, 7}
	r.give = func(tables.UserMetric) (float64, error) {
		v := values[0]
		values = values[1:]
		if v == 7 {
			return 0, errors.New("no number")
		}
		return v, nil
	}
	for i := range 3 {
		if i == 2 { // a restart: the definition and what is over stay
			r.end()
			r.open(wide)
			r.sample()
		}
		if wait := r.due(time.Duration(i) * 10 * time.Second); wait < 9*time.Second || wait > 10*time.Second {
			t.Errorf("the next reading is in %v", wait)
		}
		r.pass(10 * time.Second)
	}
	r.want(seconds(10), "a 03:00:00 10: 1 0 4 4 4 4", "a 03:00:10 10: 1 0 -2 -2 -2 -2", "a 03:00:20 10: 0 1 0 0 0 0")
	if all := r.Metrics(); len(all) != 1 || all[0].Metric.Error != "no number" || all[0].Count != 0 || len(r.failed) != 1 {
		t.Errorf("%+v, failed %q", all, r.failed)
	}
	r.end()
	r.open(wide)
	r.sample()
	r.pass(2 * time.Hour)
	r.want(seconds(60), "a 03:00:00 60: 0 1 0 0 0 0", "a 03:00:00 60: 2 0 -2 4 1 -2") // of the two runs before, the second of which took one
	r.want(slices.Concat(seconds(3600), tables.Key{{Column: "METRIC_NAME", Value: tables.Text("b")}}))
	if err := r.DropMetric("a"); err != nil {
		t.Fatal(err)
	}
	r.create("a", 1)
	r.want(nil) // it is another one
	r.give = func(tables.UserMetric) (float64, error) { return math.MaxFloat64, nil }
	r.due(0)
	r.due(time.Second)
	r.pass(10 * time.Second)
	if got := r.buckets(nil); len(got) != 1 {
		t.Errorf("%q", got)
	}
	if err := r.ClearMetrics(); err != nil || r.buckets(nil) != nil || len(r.Metrics()) != 1 {
		t.Errorf("%v %q", err, r.buckets(nil))
	}
}

// A metric is read once at a time, not while that is switched off, and not after it was dropped; there is an end to their number.
func TestMetricsDue(t *testing.T) {
	r := newReadings(newWorld(t, "", wide))
	if read, due := r.Due(time.Now()); read != nil || !due.IsZero() {
		t.Errorf("without metrics one is due: %v", due)
	}
	r.create("a", 1)
	reads := 0
	r.give = func(tables.UserMetric) (float64, error) {
		reads++
		if read, due := r.Due(time.Now().Add(time.Hour)); read != nil || !due.IsZero() {
			t.Errorf("a metric that is being read is due: %v", due)
		}
		if reads == 2 {
			if err := r.DropMetric("a"); err != nil {
				t.Error(err)
			}
		}
		return 1, nil
	}
	r.on = false
	if wait := r.due(0); reads != 0 || wait <= 0 {
		t.Errorf("%d reads while it is off, next in %v", reads, wait)
	}
	r.on = true
	r.due(2 * time.Second)
	r.due(4 * time.Second)
	if reads != 2 || len(r.Metrics()) != 0 || r.takeMetrics() != nil {
		t.Errorf("%d reads, %v", reads, r.Metrics())
	}
	for i := range maxMetrics {
		r.create(fmt.Sprint(i), 3600)
	}
	if err := r.MakeMetric(tables.UserMetric{Name: "one more", Period: 1}); err != tables.ErrFull {
		t.Errorf("%v", err)
	}
	var double *tables.DuplicateError
	if err := r.MakeMetric(tables.UserMetric{Name: "7", Period: 1}); !errors.As(err, &double) {
		t.Errorf("%v", err)
	}
	if n := len(r.reg.Reader().Metrics()); n != maxMetrics {
		t.Errorf("%d metrics are listed", n)
	}
}

// What the device refuses is an error, and changes nothing.
func TestMetricsNotWritten(t *testing.T) {
	r := newReadings(newWorld(t, "", wide))
	r.create("a", 1)
	f := &full{medium: r.medium, err: fmt.Errorf("%w: no space left", txkv.ErrDiskFull)}
	r.medium = f
	for _, err := range []error{r.MakeMetric(tables.UserMetric{Name: "b", Period: 1}), r.DropMetric("a"), r.ClearMetrics()} {
		if !errors.Is(err, tables.ErrDiskFull) {
			t.Errorf("%v", err)
		}
	}
	if all := r.Metrics(); len(all) != 1 || len(r.reg.Reader().Metrics()) != 1 {
		t.Errorf("%v, listed %d", all, len(r.reg.Reader().Metrics()))
	}
	f.err = nil
	r.create("b", 1)
}

// A definition that is cut off or changed is refused or read, and nothing worse.
func FuzzDecodeMetric(f *testing.F) {
	f.Add(encodeMetric(&tables.UserMetric{By: "ann@%", Text: "SELECT 1", Period: 3600}, uuid.Max))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := decodeMetric("x", text)
		if err != nil {
			return
		}
		again, err := decodeMetric("x", encodeMetric(&m.UserMetric, uuid.MustParse(m.id)))
		if err != nil || again.UserMetric != m.UserMetric || again.id != m.id {
			t.Errorf("%v %+v", err, again)
		}
	})
}
