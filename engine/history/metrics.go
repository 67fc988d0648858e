package history

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"pfsd/instr"
	"pfsd/tables"
)

// maxMetrics is how many metrics there are at most.
const maxMetrics = 100

// Sampling is how the metrics of people are read. Its functions are safe for concurrent use.
type Sampling struct {
	// Meter is the one that lists the metrics beside those of the program.
	Meter *instr.Meter
	// Check returns why a metric that somebody makes is not accepted, a tables.Refusal.
	Check func(m tables.UserMetric) error
	// Read reads a metric, on the calling goroutine.
	Read func(ctx context.Context, m tables.UserMetric) (float64, error)
	// On reports whether metrics are to be read at the moment.
	On func() bool
	// Changed is told that Due may return something else.
	Changed func()
	// Failed is told once for each metric that it cannot be read.
	Failed func(m tables.UserMetric, err error)
}

// userMetric is a metric, and what is known of it. Store.mu guards what changes.
type userMetric struct {
	tables.UserMetric
	id      string // names its rows in the buckets: a metric that is made again has none of those before
	bytes   int    // of its definition
	sums    tables.MetricSums
	next    time.Time // when it is read next
	running bool
	dropped bool
	told    bool          // Sampling.Failed knows that it fails
	latest  atomic.Uint64 // the bits of the last number
	shown   *instr.Metric // nil if another metric has the name
}

var _ tables.UserMetrics = (*Store)(nil)

// Sample has metrics be read from now on, by who calls Due, and lists them.
func (s *Store) Sample(c Sampling) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sampling = &c
	for _, m := range s.metrics {
		m.show(c.Meter)
	}
}

// show lists a metric, and reports whether nobody else has its name.
func (m *userMetric) show(meter *instr.Meter) bool {
	m.latest.Store(math.Float64bits(math.NaN()))
	m.shown = meter.TryFloatMetric(instr.MetricGauge, m.Name, "", "Read by a SELECT: see the table events_waits_history_metric.", func() float64 {
		return math.Float64frombits(m.latest.Load())
	})
	return m.shown != nil
}

func (m *userMetric) hide() {
	if m.shown != nil {
		m.shown.Remove()
	}
}

// loadMetrics finds the metrics that are there.
func (s *Store) loadMetrics() error {
	s.metrics = nil
	return s.medium.scan([]byte{metricKeys}, []byte{metricKeys + 1}, func(key, value []byte) {
		m, err := decodeMetric(string(key[1:]), value)
		if err != nil {
			s.unreadable(err)
			return
		}
		m.bytes = len(key) + len(value)
		s.kept += int64(m.bytes)
		s.metrics = append(s.metrics, m)
	})
}

// metricAt is the place of a metric in metrics, and whether there is one. The caller holds writing or mu.
func (s *Store) metricAt(name string) (int, bool) {
	return slices.BinarySearchFunc(s.metrics, name, func(m *userMetric, name string) int { return cmp.Compare(m.Name, name) })
}

// MakeMetric implements tables.UserMetrics.
func (s *Store) MakeMetric(made tables.UserMetric) error {
	s.mu.Lock()
	c := s.sampling
	s.mu.Unlock()
	if c == nil {
		return tables.ErrFull
	}
	if err := c.Check(made); err != nil {
		return err
	}
	if err := s.addMetric(c.Meter, made); err != nil {
		return err
	}
	c.Changed()
	return nil
}

func (s *Store) addMetric(meter *instr.Meter, made tables.UserMetric) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	id := uuid.New()
	m := &userMetric{UserMetric: made, id: id.String(), next: time.Now()}
	i, found := s.metricAt(m.Name)
	if found || !m.show(meter) {
		return &tables.DuplicateError{Value: m.Name, Key: "METRIC_NAME"}
	}
	key, value := metricKey(m.Name), encodeMetric(&made, id)
	m.bytes = len(key) + len(value)
	err := tables.ErrFull
	if len(s.metrics) < maxMetrics && s.room(m.bytes) {
		var b batch
		b.put(key, value)
		err = s.keep(&b, m.bytes)
	}
	if err != nil {
		m.hide()
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.metrics = slices.Insert(s.metrics, i, m)
	return nil
}

// DropMetric implements tables.UserMetrics. Its rows are in the buckets until these go, and nobody sees them.
func (s *Store) DropMetric(name string) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	i, found := s.metricAt(name)
	if !found {
		return nil
	}
	m := s.metrics[i]
	var b batch
	b.put(metricKey(name), nil)
	if err := s.keep(&b, -m.bytes); err != nil {
		return err
	}
	m.hide()
	s.mu.Lock()
	defer s.mu.Unlock()
	m.dropped = true
	s.metrics = slices.Delete(s.metrics, i, i+1)
	return nil
}

// ClearMetrics implements tables.UserMetrics.
func (s *Store) ClearMetrics() error {
	if err := s.truncate(metricPlace()); err != nil {
		return notKept(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.metrics {
		m.sums = tables.MetricSums{}
	}
	return nil
}

// Due returns what reads the metric that is to be read now, nil if none is. Then due is when one will be, the zero time for never.
func (s *Store) Due(now time.Time) (read func(context.Context), due time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.sampling
	if c == nil {
		return nil, due
	}
	for _, m := range s.metrics {
		if m.running {
			continue
		}
		if !m.next.After(now) {
			period := time.Duration(m.Period) * time.Second
			if m.next = m.next.Add(period); !m.next.After(now) {
				m.next = now.Add(period) // it is read for the first time, or was late
			}
			if c.On() {
				m.running = true
				return func(ctx context.Context) { s.readMetric(ctx, c, m) }, now
			}
		}
		if due.IsZero() || m.next.Before(due) {
			due = m.next
		}
	}
	return nil, due
}

// readMetric reads a metric. What it gives for one that is dropped meanwhile, or because the server ends, is nothing.
func (s *Store) readMetric(ctx context.Context, c *Sampling, m *userMetric) {
	s.mu.Lock()
	of := m.UserMetric
	s.mu.Unlock()
	value, err := c.Read(ctx, of)
	if s.noteReading(ctx, m, value, err) {
		c.Failed(of, err)
	}
	c.Changed()
}

// noteReading adds what a metric has given, and reports whether it has failed for the first time.
func (s *Store) noteReading(ctx context.Context, m *userMetric, value float64, err error) (first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m.running = false
	switch {
	case m.dropped || ctx.Err() != nil:
	case err != nil:
		m.Error = err.Error()
		m.sums.Add(tables.MetricSums{Errors: 1})
		first, m.told = !m.told, true
	default:
		m.Error = ""
		m.sums.Add(tables.MetricSums{Count: 1, Min: value, Max: value, Mean: value, Latest: value})
		m.latest.Store(math.Float64bits(value))
	}
	return first
}

// takeMetrics is the bucket of what metrics have given since it was taken last; nil if there is nothing.
func (s *Store) takeMetrics() *bucket {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := &bucket{merge: tables.MetricHistory.Merge}
	for _, m := range s.metrics {
		if m.sums.Count+m.sums.Errors == 0 {
			continue
		}
		sums := make([]uint64, len(tables.MetricHistory.Sums))
		m.sums.Put(sums)
		b.rows = append(b.rows, row{key: string(appendKey(nil, tables.Text(m.id))), sums: sums})
		m.sums = tables.MetricSums{}
	}
	if len(b.rows) == 0 {
		return nil
	}
	return b
}

// Metrics implements tables.UserMetrics.
func (s *Store) Metrics() []tables.MetricRow {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]tables.MetricRow, len(s.metrics))
	start := time.Time{} // nothing is collected yet
	if at := s.open.Load(); at != 0 {
		start = time.Unix(at, 0)
	}
	for i, m := range s.metrics {
		of := m.UserMetric
		all[i] = tables.MetricRow{Metric: &of, Boot: s.boot.String(), Start: start, Finest: true, MetricSums: m.sums}
	}
	return all
}

// ReadMetrics implements tables.UserMetrics.
func (s *Store) ReadMetrics(key tables.Key) tables.Source[*tables.MetricRow] {
	metrics := map[string]*tables.UserMetric{}
	wanted, one := key.Text("METRIC_NAME")
	s.mu.Lock()
	for _, m := range s.metrics {
		if of := m.UserMetric; !one || wanted == of.Name {
			metrics[m.id] = &of
		}
	}
	s.mu.Unlock()
	if len(metrics) == 0 {
		return func([]*tables.MetricRow) int { return 0 }
	}
	r := &reading{store: s, h: tables.MetricHistory, todo: s.wanted(metricPlace(), key), names: map[string]*name{}}
	var raw []*tables.HistoryRow
	var rows []tables.MetricRow
	return func(buf []*tables.MetricRow) int {
		if len(raw) < len(buf) {
			raw, rows = make([]*tables.HistoryRow, len(buf)), make([]tables.MetricRow, len(buf))
		}
		for n := r.fill(raw[:len(buf)]); n > 0; n = r.fill(raw[:len(buf)]) {
			kept := 0
			for _, h := range raw[:n] {
				if of := metrics[h.Key[0].Str()]; of != nil {
					rows[kept] = tables.MetricRow{Metric: of, Boot: h.Boot, Start: h.Start, Seconds: h.Seconds, Finest: h.Finest, MetricSums: tables.MetricOf(h.Sums)}
					buf[kept] = &rows[kept]
					kept++
				}
			}
			if kept > 0 {
				return kept
			}
		}
		return 0
	}
}

// metricForm is the first byte of an encoded definition.
const metricForm = 1

// encodeMetric is the value of a definition. Numbers are varints.
func encodeMetric(m *tables.UserMetric, id uuid.UUID) []byte {
	to := append([]byte{metricForm}, id[:]...)
	to = binary.AppendUvarint(to, uint64(m.Period))
	for _, text := range []string{m.By, m.Text} {
		to = binary.AppendUvarint(to, uint64(len(text)))
		to = append(to, text...)
	}
	return to
}

// decodeMetric is the reverse of encodeMetric.
func decodeMetric(name string, value []byte) (*userMetric, error) {
	if len(value) < 17 || value[0] != metricForm {
		return nil, errForm
	}
	d := decoder{text: value[17:]}
	m := &userMetric{id: uuid.UUID(value[1:17]).String(), next: time.Now()}
	period := d.number()
	m.UserMetric = tables.UserMetric{Name: name, Period: uint32(period), By: d.string(), Text: d.string()}
	if d.bad || period == 0 || period > math.MaxUint32 {
		return nil, errForm
	}
	return m, nil
}
