package instr

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func metricNames(r *Registry) (names []string) {
	for _, m := range r.Reader().Metrics() {
		names = append(names, m.Name())
	}
	return names
}

// A metric reads what its function returns at the moment, and is seen until it is removed.
func TestMeters(t *testing.T) {
	r := NewRegistry()
	meter := r.NewMeter("cache", "What the cache does.")
	hits := int64(3)
	counter := meter.NewMetric(MetricCounter, "hits", "", "How many lookups found something.", func() int64 { return hits })
	ratio := meter.NewFloatMetric(MetricGauge, "ratio", "1", "The fraction of them.", func() float64 { return 0.5 })
	hits++
	if n, f := counter.ReadInteger(), counter.Read(); n != 4 || f != 4 || !counter.Integer() {
		t.Errorf("the counter reads %d and %v", n, f)
	}
	if n, f := ratio.ReadInteger(), ratio.Read(); n != 0 || f != 0.5 || ratio.Integer() {
		t.Errorf("the gauge reads %d and %v", n, f)
	}
	if again := r.NewMeter("cache", "Another text."); again != meter || again.Description() != "What the cache does." {
		t.Errorf("a second meter of the same name")
	}
	if !meter.Enabled() || meter.Frequency() != defaultMeterFrequency {
		t.Errorf("a new meter is enabled %t, read each %v", meter.Enabled(), meter.Frequency())
	}
	meter.SetEnabled(false)
	meter.SetFrequency(time.Minute)
	if meter.Enabled() || meter.Frequency() != time.Minute {
		t.Errorf("the switches of the meter have no effect")
	}
	if got := metricNames(r); !slices.Equal(got, []string{"hits", "ratio"}) {
		t.Errorf("metrics %v", got)
	}
	counter.Remove()
	counter.Remove()
	if got := metricNames(r); !slices.Equal(got, []string{"ratio"}) {
		t.Errorf("metrics %v after one was removed", got)
	}
	meter.NewMetric(MetricUpDownCounter, "hits", "", "The name is free again.", func() int64 { return 0 })
}

// What is beyond a limit is not seen, and counted.
func TestMeterLimits(t *testing.T) {
	r := NewRegistry()
	r.Setup().SetLimit(LimitMeters, 1)
	r.Setup().SetLimit(LimitMetrics, 1)
	zero := func() int64 { return 0 }
	seen, lost := r.NewMeter("seen", ""), r.NewMeter("lost", "")
	first := seen.NewMetric(MetricCounter, "a", "", "", zero)
	seen.NewMetric(MetricCounter, "b", "", "", zero)
	lost.NewMetric(MetricCounter, "c", "", "", zero)
	if got := metricNames(r); len(r.Reader().Meters()) != 1 || !slices.Equal(got, []string{"a"}) {
		t.Errorf("%d meters, metrics %v", len(r.Reader().Meters()), got)
	}
	if m, n := r.Reader().Lost(LimitMeters), r.Reader().Lost(LimitMetrics); m != 1 || n != 2 {
		t.Errorf("lost %d meters and %d metrics, not 1 and 2", m, n)
	}
	first.Remove()
	seen.NewMetric(MetricCounter, "d", "", "", zero)
	if got := metricNames(r); !slices.Equal(got, []string{"d"}) {
		t.Errorf("metrics %v: the place was not free again", got)
	}
}

func TestMeterNames(t *testing.T) {
	r := NewRegistry()
	meter := r.NewMeter(strings.Repeat("m", 63), "")
	meter.NewMetric(MetricCounter, "a", "", "", func() int64 { return 0 })
	for name, f := range map[string]func(){
		"an empty meter":  func() { r.NewMeter("", "") },
		"a long meter":    func() { r.NewMeter(strings.Repeat("m", 64), "") },
		"an empty metric": func() { meter.NewMetric(MetricCounter, "", "", "", nil) },
		"the same metric": func() { r.NewMeter("b", "").NewMetric(MetricCounter, "a", "", "", nil) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}
