package instrotel

import (
	"context"
	"maps"
	"slices"
	"sort"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	semconv "go.opentelemetry.io/otel/semconv/v1.37.0"

	"pfsd/instr"
)

// scope is the name that the SDK knows the package by.
const scope = "pfsd/instr/instrotel"

// NewProducer returns what [metric.WithProducer] takes: the metrics of a registry, cumulative since the call, or since somebody has emptied
// what is recorded. Safe for concurrent use.
func NewProducer(r *instr.Registry, opts ...Option) metric.Producer {
	return &producer{r.Reader(), makeOptions(opts), time.Now()}
}

type producer struct {
	reader instr.Reader
	options
	start time.Time
}

// Produce implements [metric.Producer].
func (p *producer) Produce(context.Context) ([]metricdata.ScopeMetrics, error) {
	s := p.reader.Snapshot()
	b := builder{start: p.start, now: s.Time, durations: map[string]*duration{}, counts: map[string]*metricdata.Metrics{}}
	for i := range s.Instruments {
		p.add(&b, &s.Instruments[i])
	}
	type pool struct{ name, state string }
	pools := map[pool]int64{}
	for _, c := range s.Connections {
		state := "idle"
		if c.Taken {
			state = "used"
		}
		for _, s := range []string{"idle", "used"} {
			pools[pool{c.Pool, s}] += 0
		}
		pools[pool{c.Pool, state}]++
	}
	for _, k := range slices.SortedFunc(maps.Keys(pools), func(a, b pool) int { return slices.Compare([]string{a.name, a.state}, []string{b.name, b.state}) }) {
		b.count("db.client.connection.count", "{connection}", "The number of connections that are currently in state described by the state attribute.", false,
			pools[k], semconv.DBClientConnectionPoolName(k.name), semconv.DBClientConnectionStateKey.String(k.state))
	}
	b.count("pfsd.threads", "{thread}", "Threads that there are.", false, int64(s.Threads))
	for _, what := range slices.Sorted(maps.Keys(s.Lost)) {
		b.count("pfsd.lost", "{event}", "What was not recorded for want of room.", true, int64(s.Lost[what]), attribute.String("pfsd.lost.what", what))
	}
	return []metricdata.ScopeMetrics{{Scope: instrumentation.Scope{Name: scope}, Metrics: b.metrics()}}, nil
}

func (p *producer) add(b *builder, i *instr.InstrumentSnapshot) {
	instrument := attribute.String("pfsd.instrument", i.Name)
	if i.Memory != nil {
		b.count("pfsd.memory.usage", "By", "Memory in use.", false, i.Memory.UsedBytes, instrument)
		return
	}
	w, known := work{}, false
	if i.Kind == instr.KindStatement {
		w, known = p.workOf(i.Name)
	}
	if !known {
		w = work{metric: "pfsd.event.duration", unit: "s", scale: 1, bounds: dbBounds, attrs: []attribute.KeyValue{instrument}}
	}
	b.duration(&w, i)
	if i.IO != nil {
		const what = "Bytes read from and written to files and sockets."
		b.count("pfsd.io.size", "By", what, true, int64(i.IO.ReadBytes), instrument, attribute.String("pfsd.io.operation", "read"))
		b.count("pfsd.io.size", "By", what, true, int64(i.IO.WriteBytes), instrument, attribute.String("pfsd.io.operation", "write"))
	}
	if i.Statements != nil {
		b.count("pfsd.errors", "{error}", "Errors of statements.", true, int64(i.Statements.Errors), instrument)
	}
}

// builder puts metrics together, in the order in which they are first met.
type builder struct {
	start, now time.Time
	names      []string
	durations  map[string]*duration
	counts     map[string]*metricdata.Metrics
}

type duration struct {
	unit   string
	points []metricdata.HistogramDataPoint[float64]
}

func (b *builder) duration(w *work, i *instr.InstrumentSnapshot) {
	e := &i.Events
	if e.Timed == 0 {
		return
	}
	d := b.durations[w.metric]
	if d == nil {
		d = &duration{unit: w.unit}
		b.durations[w.metric] = d
		b.names = append(b.names, w.metric)
	}
	point := metricdata.HistogramDataPoint[float64]{
		Attributes: attribute.NewSet(w.attrs...), StartTime: b.start, Time: b.now,
		Count: e.Timed, Sum: e.Sum.Seconds() * w.scale, BucketCounts: []uint64{e.Timed},
		Min: metricdata.NewExtrema(e.Min.Seconds() * w.scale), Max: metricdata.NewExtrema(e.Max.Seconds() * w.scale),
	}
	if len(i.Times) > 0 && i.Times[0].Instance == 0 && i.Times[0].Operation == "" {
		t := &i.Times[0]
		point.Bounds, point.BucketCounts, point.Count = w.bounds, make([]uint64, len(w.bounds)+1), t.Count()
		// The events whose times are in no bucket had, as far as anybody knows, times like the others.
		point.Sum *= float64(point.Count) / float64(e.Timed)
		for bucket, n := range &t.Buckets {
			if n > 0 {
				low, high := instr.HistogramBounds(bucket)
				middle := (float64(low) + float64(min(high, t.MaxPicoseconds()))) / 2 / 1e12 * w.scale
				point.BucketCounts[sort.SearchFloat64s(w.bounds, middle)] += n
			}
		}
	}
	d.points = append(d.points, point)
}

func (b *builder) count(name, unit, what string, grows bool, value int64, attrs ...attribute.KeyValue) {
	m := b.counts[name]
	if m == nil {
		m = &metricdata.Metrics{Name: name, Unit: unit, Description: what, Data: metricdata.Sum[int64]{Temporality: metricdata.CumulativeTemporality, IsMonotonic: grows}}
		b.counts[name] = m
		b.names = append(b.names, name)
	}
	sum := m.Data.(metricdata.Sum[int64])
	sum.DataPoints = append(sum.DataPoints, metricdata.DataPoint[int64]{Attributes: attribute.NewSet(attrs...), StartTime: b.start, Time: b.now, Value: value})
	m.Data = sum
}

func (b *builder) metrics() (all []metricdata.Metrics) {
	for _, name := range b.names {
		if d := b.durations[name]; d != nil {
			all = append(all, metricdata.Metrics{
				Name: name, Unit: d.unit, Description: "Time that it took.",
				Data: metricdata.Histogram[float64]{Temporality: metricdata.CumulativeTemporality, DataPoints: d.points},
			})
			continue
		}
		all = append(all, *b.counts[name])
	}
	return all
}
