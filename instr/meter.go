package instr

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// defaultMeterFrequency is the time from one reading of a meter to the next, by default.
const defaultMeterFrequency = 10 * time.Second

// Meter is a group of metrics that an exporter reads together: a row of setup_meters. Safe for
// concurrent use.
//
// MySQL: PSI_meter, since 8.4.
type Meter struct {
	registry          *Registry
	name, description string
	frequency         atomic.Int64 // nanoseconds
	disabled          atomic.Bool
}

// MetricType is what the readings of a metric mean.
type MetricType uint8

// The types of metrics.
const (
	MetricCounter       MetricType = iota // grows
	MetricUpDownCounter                   // grows and shrinks; the readings of several programs can be added
	MetricGauge                           // readings cannot be added
)

// String is the type's name, as METRIC_TYPE has it.
func (t MetricType) String() string {
	return [...]string{"ASYNC COUNTER", "ASYNC UPDOWN COUNTER", "ASYNC GAUGE COUNTER"}[t]
}

// Metric is one figure of a meter: a row of setup_metrics. Safe for concurrent use.
//
// MySQL: PSI_metric, since 8.4.
type Metric struct {
	meter                   *Meter
	name, unit, description string
	kind                    MetricType
	integer                 func() int64
	float                   func() float64
}

// meters are those of a registry. Guarded by mu.
type meters struct {
	mu      sync.Mutex
	all     []*Meter
	metrics []*Metric
}

// maxMeterName is the length of the longest name of a meter or a metric, bytes.
const maxMeterName = 63

func checkMeterName(name string) {
	if name == "" || len(name) > maxMeterName {
		panic(fmt.Sprintf("instr: the name of a meter or metric %q does not have 1 to %d bytes", name, maxMeterName))
	}
}

// NewMeter returns the meter with this name. If there is none, it makes one that is enabled and is
// read every ten seconds. A meter beyond LimitMeters works, but no exporter sees it. It panics if
// the name is empty or longer than 63 bytes.
func (r *Registry) NewMeter(name, description string) *Meter {
	checkMeterName(name)
	r.meters.mu.Lock()
	defer r.meters.mu.Unlock()
	if i := slices.IndexFunc(r.meters.all, func(m *Meter) bool { return m.name == name }); i >= 0 {
		return r.meters.all[i]
	}
	m := &Meter{registry: r, name: name, description: description}
	m.frequency.Store(int64(defaultMeterFrequency))
	if r.acquire(LimitMeters) {
		r.meters.all = append(r.meters.all, m)
	}
	return m
}

// NewMeter is Registry.NewMeter of the default registry.
func NewMeter(name, description string) *Meter { return Default.NewMeter(name, description) }

// NewMetric adds a figure to the meter; read returns its present value. unit is a unit of UCUM,
// such as By or s, or "". Exporters do not see a metric beyond LimitMetrics, or of a meter beyond
// LimitMeters. NewMetric panics if the name is empty, longer than 63 bytes, or the name of another
// metric.
func (m *Meter) NewMetric(t MetricType, name, unit, description string, read func() int64) *Metric {
	return m.add(&Metric{meter: m, name: name, unit: unit, description: description, kind: t, integer: read})
}

// NewFloatMetric is NewMetric for a figure that is not a whole number.
func (m *Meter) NewFloatMetric(t MetricType, name, unit, description string, read func() float64) *Metric {
	return m.add(&Metric{meter: m, name: name, unit: unit, description: description, kind: t, float: read})
}

// TryFloatMetric is NewFloatMetric for a name that somebody chooses while the program runs: if another metric has it, it returns nil.
func (m *Meter) TryFloatMetric(t MetricType, name, unit, description string, read func() float64) *Metric {
	r := m.registry
	checkMeterName(name)
	r.meters.mu.Lock()
	defer r.meters.mu.Unlock()
	if slices.ContainsFunc(r.meters.metrics, func(o *Metric) bool { return o.name == name }) {
		return nil
	}
	metric := &Metric{meter: m, name: name, unit: unit, description: description, kind: t, float: read}
	m.put(metric)
	return metric
}

func (m *Meter) add(metric *Metric) *Metric {
	checkMeterName(metric.name)
	r := m.registry
	r.meters.mu.Lock()
	defer r.meters.mu.Unlock()
	if slices.ContainsFunc(r.meters.metrics, func(o *Metric) bool { return o.name == metric.name }) {
		panic("instr: there are two metrics " + metric.name)
	}
	m.put(metric)
	return metric
}

// put has exporters see the metric, if the limits let it. The caller holds mu.
func (m *Meter) put(metric *Metric) {
	r := m.registry
	switch {
	case !slices.Contains(r.meters.all, m):
		r.lost[LimitMetrics].Add(1)
	case r.acquire(LimitMetrics):
		r.meters.metrics = append(r.meters.metrics, metric)
	}
}

// Remove removes the metric; its name can be used again.
func (c *Metric) Remove() {
	r := c.meter.registry
	r.meters.mu.Lock()
	defer r.meters.mu.Unlock()
	if i := slices.Index(r.meters.metrics, c); i >= 0 {
		r.meters.metrics = slices.Delete(r.meters.metrics, i, i+1)
		r.release(LimitMetrics)
	}
}

// Meters returns the meters, in the order in which they were made. Safe for concurrent use.
func (h Reader) Meters() []*Meter {
	h.r.meters.mu.Lock()
	defer h.r.meters.mu.Unlock()
	return slices.Clone(h.r.meters.all)
}

// Metrics returns the figures of all meters, in the order in which they were made. Safe for
// concurrent use.
func (h Reader) Metrics() []*Metric {
	h.r.meters.mu.Lock()
	defer h.r.meters.mu.Unlock()
	return slices.Clone(h.r.meters.metrics)
}

// Name is the meter's name.
func (m *Meter) Name() string { return m.name }

// Description is what the meter is about.
func (m *Meter) Description() string { return m.description }

// Enabled reports whether exporters read the meter.
func (m *Meter) Enabled() bool { return !m.disabled.Load() }

// SetEnabled says whether exporters read the meter.
func (m *Meter) SetEnabled(on bool) { m.disabled.Store(!on) }

// Frequency is the time from one reading to the next.
func (m *Meter) Frequency() time.Duration { return time.Duration(m.frequency.Load()) }

// SetFrequency sets the time from one reading to the next.
func (m *Meter) SetFrequency(d time.Duration) { m.frequency.Store(int64(d)) }

// Meter is the metric's group.
func (c *Metric) Meter() *Meter { return c.meter }

// Name is the metric's name.
func (c *Metric) Name() string { return c.name }

// Unit is the readings' unit, "" if they are plain counts.
func (c *Metric) Unit() string { return c.unit }

// Description is what the readings are.
func (c *Metric) Description() string { return c.description }

// Type is what the readings mean.
func (c *Metric) Type() MetricType { return c.kind }

// Integer reports whether the readings are whole numbers.
func (c *Metric) Integer() bool { return c.integer != nil }

// Read is the figure now.
func (c *Metric) Read() float64 {
	if c.integer != nil {
		return float64(c.integer())
	}
	return c.float()
}

// ReadInteger is the figure now; one that is not a whole number is truncated.
func (c *Metric) ReadInteger() int64 {
	if c.integer != nil {
		return c.integer()
	}
	return int64(c.float())
}
