package tables

import (
	"math"
	"strings"
	"time"

	"pfsd/instr"
)

// UserMetric is a metric that somebody has made: a SELECT whose value is read again and again.
type UserMetric struct {
	Name string
	// By is the account with whose rights it is read, as CURRENT_USER() has it.
	By string
	// Text is the SELECT, and Period the time from one reading to the next, seconds.
	Text   string
	Period uint32
	// Error is why the last reading has failed; "" if it has not.
	Error string
}

// MetricRow is the readings of a metric in one bucket of time.
type MetricRow struct {
	Metric *UserMetric
	// Boot, Start and Seconds are as in HistoryRow. Start is zero in the row of the bucket that is not over.
	Boot    string
	Start   time.Time
	Seconds uint32
	Finest  bool
	MetricSums
}

// MetricSums are readings, and what is known of them together. The numbers have no meaning if Count is 0.
type MetricSums struct {
	Count, Errors          uint64
	Min, Max, Mean, Latest float64
}

// Add adds later readings. A mean beyond the largest number is that.
func (m *MetricSums) Add(later MetricSums) {
	m.Errors += later.Errors
	switch {
	case later.Count == 0:
		return
	case m.Count == 0:
		later.Errors = m.Errors
		*m = later
		return
	}
	part := float64(later.Count) / float64(m.Count+later.Count)
	m.Count += later.Count
	m.Min, m.Max, m.Latest = min(m.Min, later.Min), max(m.Max, later.Max), later.Latest
	m.Mean = min(max(m.Mean*(1-part)+later.Mean*part, -math.MaxFloat64), math.MaxFloat64)
}

// metricSums is how many numbers MetricSums has in a bucket.
const metricSums = 6

// MetricHistory is the form of the buckets of metrics: as a table of the schema history, which it is not.
var MetricHistory = &HistoryTable{
	Name: "events_waits_history_metric", Keys: []string{"METRIC"}, Sums: make([]string, metricSums),
	Merge: func(into, later []uint64) {
		m := MetricOf(into)
		m.Add(MetricOf(later))
		m.Put(into)
	},
}

// Put writes the numbers of a bucket.
func (m *MetricSums) Put(to []uint64) {
	to[0], to[1] = m.Count, m.Errors
	for i, f := range []float64{m.Min, m.Max, m.Mean, m.Latest} {
		to[2+i] = math.Float64bits(f)
	}
}

// MetricOf reads the numbers of a bucket.
func MetricOf(sums []uint64) MetricSums {
	f := func(i int) float64 { return math.Float64frombits(sums[i]) }
	return MetricSums{Count: sums[0], Errors: sums[1], Min: f(2), Max: f(3), Mean: f(4), Latest: f(5)}
}

// UserMetrics has the metrics that people have made, and their readings. Safe for concurrent use.
type UserMetrics interface {
	// Metrics returns all, by name, with the readings of the bucket that is not over.
	Metrics() []MetricRow
	// ReadMetrics starts a scan of the buckets that are over: all rows that match key, and maybe others.
	ReadMetrics(key Key) Source[*MetricRow]
	// MakeMetric adds one. It returns a Refusal for a text that it does not accept, a DuplicateError for a name that there is, ErrFull if
	// there are too many, ErrDiskFull or ErrNotWritten.
	MakeMetric(m UserMetric) error
	// DropMetric removes one and its readings, and ClearMetrics the readings of all. They return ErrDiskFull or ErrNotWritten if they cannot.
	DropMetric(name string) error
	ClearMetrics() error
}

type metricsKey struct{}

// ProvideMetrics makes m what the table events_waits_history_metric of a model shows and changes; nil removes it. Safe for concurrent use.
func ProvideMetrics(model Model, m UserMetrics) {
	if m == nil {
		model.Provide(metricsKey{}, nil)
		return
	}
	model.Provide(metricsKey{}, m)
}

func metricsOf(model Model) UserMetrics {
	m, _ := model.Provided(metricsKey{}).(UserMetrics)
	return m
}

const (
	// maxMetricPeriod is the longest time from one reading to the next, seconds.
	maxMetricPeriod = 3600
	// maxMetricText is how long a SELECT is at most, bytes.
	maxMetricText = 64 << 10
)

// metricValue is a number of the readings, NULL if there are none.
func metricValue(of func(*MetricSums) float64) func(*MetricRow) Value {
	return func(r *MetricRow) Value {
		if r.Count == 0 {
			return Null
		}
		return Double(of(&r.MetricSums))
	}
}

// The readings of metrics that people have made, in buckets of time: a metric is a SELECT that gives one number, and is read again and
// again with the rights of the account that made it, in a transaction that changes nothing. An INSERT of METRIC_NAME, PERIOD_SECONDS and
// SELECT_TEXT makes one, and sys.create_metric does that; a DELETE of any of its rows drops it with all readings. TRUNCATE removes the
// readings. There are 100 at most.
//
// MySQL: none.
var _ = register(Def[*MetricRow]{
	Name:     "events_waits_history_metric",
	Doc:      "The readings of metrics that people have made, in buckets of time.",
	Recorded: OfProgram,
	Columns: []Column[*MetricRow]{
		{Name: "METRIC_NAME", Kind: varchar(63).binary(), Get: func(r *MetricRow) Value { return Text(r.Metric.Name) }, Doc: "The metric's name."},
		{Name: "BOOT_ID", Kind: char(36).asciiText().nullable(), Get: func(r *MetricRow) Value { return textOrNull(r.Boot) }, Doc: "Which run of the server it was, as in the tables of history."},
		{Name: "BUCKET_START", Kind: timestamp(0).nullable(), Get: func(r *MetricRow) Value { return timeOrNull(r.Start) }, Doc: "When the bucket starts, by the wall clock: a multiple of its length. Each metric has a row of the bucket that is not over, whose BUCKET_SECONDS is NULL."},
		{Name: "BUCKET_SECONDS", Kind: intUnsigned.nullable(), Get: func(r *MetricRow) Value { return uintOrNull(uint64(r.Seconds)) }, Doc: "How long the bucket is, seconds: history_buckets_interval, 60 or 3600; NULL for the bucket that is not over."},
		{Name: "FINEST", Kind: yesNo.nullable(), Get: func(r *MetricRow) Value { return yes(r.Finest) }, Doc: "YES if no shorter buckets have the same time: WHERE FINEST = 'YES' counts everything once."},
		{Name: "COUNT_STAR", Kind: bigintUnsigned, Default: "0", Get: func(r *MetricRow) Value { return Uint(r.Count) }, Doc: "How many readings gave a number."},
		{Name: "COUNT_ERRORS", Kind: bigintUnsigned, Default: "0", Get: func(r *MetricRow) Value { return Uint(r.Errors) }, Doc: "How many readings failed."},
		{Name: "MIN_VALUE", Kind: double.nullable(), Get: metricValue(func(m *MetricSums) float64 { return m.Min }), Doc: "The least number; NULL if there is none."},
		{Name: "MAX_VALUE", Kind: double.nullable(), Get: metricValue(func(m *MetricSums) float64 { return m.Max }), Doc: "The largest number; NULL if there is none."},
		{Name: "AVG_VALUE", Kind: double.nullable(), Get: metricValue(func(m *MetricSums) float64 { return m.Mean }), Doc: "The average of the numbers; NULL if there is none."},
		{Name: "LATEST_VALUE", Kind: double.nullable(), Get: metricValue(func(m *MetricSums) float64 { return m.Latest }), Doc: "The last number; NULL if there is none."},
		{Name: "LAST_ERROR", Kind: varchar(512).nullable(), Get: func(r *MetricRow) Value { return textOrNull(cut(r.Metric.Error, 512)) }, Doc: "Why the metric's last reading has failed, in all of its rows; NULL if it has not."},
		{Name: "CREATED_BY", Kind: varchar(288).nullable(), Get: func(r *MetricRow) Value { return Text(r.Metric.By) }, Doc: "The account that made the metric, with whose present rights it is read."},
		{Name: "PERIOD_SECONDS", Kind: intUnsigned, Default: "10", Get: func(r *MetricRow) Value { return Uint(uint64(r.Metric.Period)) }, Doc: "The time from one reading to the next, seconds: 1 to 3600."},
		{Name: "SELECT_TEXT", Kind: longtext.nullable(), Get: func(r *MetricRow) Value { return Text(r.Metric.Text) }, Doc: "The SELECT."},
	},
	Indexes:  []Index{{Name: "METRIC_NAME", Columns: []string{"METRIC_NAME", "BUCKET_START", "BUCKET_SECONDS", "BOOT_ID"}, Unique: true}},
	Estimate: fixedEstimate,
	Rows:     metricRows,
	Insert:   makeMetric,
	Delete: func(model Model, r *MetricRow) error {
		if m := metricsOf(model); m != nil {
			return m.DropMetric(r.Metric.Name)
		}
		return nil
	},
	Clear: func(model Model) error {
		if m := metricsOf(model); m != nil {
			return m.ClearMetrics()
		}
		return nil
	},
})

// makeMetric is an INSERT. The columns that it uses have the places of the declaration.
func makeMetric(model Model, row []Value) error {
	m, made := metricsOf(model), UserMetric{Name: row[0].s, By: writer(model), Text: row[14].s, Period: uint32(min(row[13].Bits(), math.MaxUint32))}
	switch {
	case made.Name == "" || strings.HasSuffix(made.Name, " ") || len(made.Name) > 63:
		return &ColumnError{"METRIC_NAME", ErrBadValue}
	case made.Period == 0 || made.Period > maxMetricPeriod:
		return &ColumnError{"PERIOD_SECONDS", ErrOutOfRange}
	case made.Text == "":
		return &ColumnError{"SELECT_TEXT", ErrNull}
	case len(made.Text) > maxMetricText:
		return &ColumnError{"SELECT_TEXT", ErrTooLong}
	case m == nil:
		return ErrFull
	case !model.Setup().Consumer(instr.ConsumerEventsWaitsHistoryMetric):
		return Refusal("No metric is made: the consumer events_waits_history_metric is switched off")
	}
	return m.MakeMetric(made)
}

// metricRows reads the buckets that are not over, and then the others.
func metricRows(model Model, key Key) Source[*MetricRow] {
	m := metricsOf(model)
	if m == nil {
		return list[*MetricRow](nil)
	}
	var present []*MetricRow
	for _, r := range m.Metrics() {
		if key.allows("METRIC_NAME", Text(r.Metric.Name)) && key.allows("BUCKET_START", timeOrNull(r.Start)) {
			present = append(present, &r)
		}
	}
	first, rest := list(present), m.ReadMetrics(key)
	return func(buf []*MetricRow) int {
		if n := first(buf); n > 0 {
			return n
		}
		return rest(buf)
	}
}
