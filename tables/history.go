package tables

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"pfsd/instr"
)

// HistorySchema is the database of the tables of time buckets.
const HistorySchema = "history"

// HistoryRow is what a summary has counted for one key in one bucket of time.
type HistoryRow struct {
	Boot     string
	Start    time.Time
	Seconds  uint32
	Measured time.Duration
	Finest   bool
	Others   uint64
	Key      []Value  // one for each of HistoryTable.Keys
	Sums     []uint64 // one for each of HistoryTable.Sums
	Latest   []uint64 // one for each of HistoryTable.Latest: the bits of the value
	// Max is the longest time, picoseconds; HasMax reports whether it is known.
	Max    uint64
	HasMax bool
	Times  []TimeCount // by bucket
	Text   func() Value
}

// TimeCount is how many events belong to a bucket of a histogram; it is never 0.
type TimeCount struct {
	Bucket int
	Count  uint64
}

// HistoryTable is a table of the schema history: which columns of which summary its buckets have.
type HistoryTable struct {
	Name, Doc string
	// From is the summary. Rows of it with the same Keys are added up.
	From string
	Keys []string
	// Text is a column that follows from the keys; "" if there is none.
	Text string
	// Sums are the columns that only grow, Rank the one by which the rows of a bucket are chosen.
	Sums []string
	Rank string
	// Latest are columns of which a bucket has the last value.
	Latest []string
	// Max is the column of the longest time; "" if there is none.
	Max string
	// Merge adds later sums, where they are not plainly added up; else it is nil.
	Merge func(into, later []uint64)
	// bounds are those of the buckets of the histogram; nil if the table has none.
	bounds func(bucket int) (low, high uint64)
	// numbered reports whether it is the table of digests, whose rows have numbers.
	numbered bool
	// times calls each for the histograms whose keys are wanted; nil if there are none, or numbered.
	times func(model Model, wanted func(key []Value) bool, each func(key []Value, times []TimeCount))
	// table is the table as SQL has it, and summary the one that From names.
	table, summary Table
}

var (
	ioSums    = []string{"COUNT_STAR", "SUM_TIMER_WAIT", "COUNT_READ", "SUM_TIMER_READ", "SUM_NUMBER_OF_BYTES_READ", "COUNT_WRITE", "SUM_TIMER_WRITE", "SUM_NUMBER_OF_BYTES_WRITE", "COUNT_MISC", "SUM_TIMER_MISC"}
	workSums  = []string{"COUNT_STAR", "SUM_TIMER_WAIT"}
	queryCols = []string{
		"COUNT_STAR", "SUM_TIMER_WAIT", "SUM_LOCK_TIME", "SUM_ERRORS", "SUM_WARNINGS", "SUM_ROWS_AFFECTED", "SUM_ROWS_SENT", "SUM_ROWS_EXAMINED",
		"SUM_CREATED_TMP_DISK_TABLES", "SUM_CREATED_TMP_TABLES", "SUM_SELECT_SCAN", "SUM_SORT_ROWS", "SUM_NO_INDEX_USED", "SUM_CPU_TIME",
	}
	byEvent = []string{"EVENT_NAME"}
)

const (
	timerSum = "SUM_TIMER_WAIT"
	timerMax = "MAX_TIMER_WAIT"
)

// historyTables are the tables of the schema history. Their places are in stored keys: a new one comes last.
var historyTables = []*HistoryTable{
	{
		Name: "statements_by_digest", Doc: "The statements of each bucket of time, by default database and digest.", From: "events_statements_summary_by_digest",
		Keys: []string{"SCHEMA_NAME", "DIGEST"}, Text: "DIGEST_TEXT", Sums: queryCols, Rank: timerSum, Max: timerMax,
		bounds: instr.StatementHistogramBounds, numbered: true,
	},
	{
		Name: "waits_by_event_name", Doc: "The waits of each bucket of time, by instrument.", From: "events_waits_summary_global_by_event_name",
		Keys: byEvent, Sums: workSums, Rank: timerSum, Max: timerMax, bounds: instr.HistogramBounds, times: waitTimes,
	},
	{Name: "files_by_event_name", Doc: "What was done with files in each bucket of time, by instrument.", From: "file_summary_by_event_name", Keys: byEvent, Sums: ioSums, Rank: timerSum, Max: timerMax},
	{Name: "sockets_by_event_name", Doc: "What was done with sockets in each bucket of time, by instrument.", From: "socket_summary_by_event_name", Keys: byEvent, Sums: ioSums, Rank: timerSum, Max: timerMax},
	{
		Name: "table_io_by_table", Doc: "The rows read and written in each bucket of time, by table.", From: "table_io_waits_summary_by_table",
		Keys: []string{"OBJECT_TYPE", "OBJECT_SCHEMA", "OBJECT_NAME"},
		Sums: []string{"COUNT_STAR", "SUM_TIMER_WAIT", "COUNT_FETCH", "SUM_TIMER_FETCH", "COUNT_INSERT", "SUM_TIMER_INSERT", "COUNT_UPDATE", "SUM_TIMER_UPDATE", "COUNT_DELETE", "SUM_TIMER_DELETE"},
		Rank: timerSum, Max: timerMax,
	},
	{Name: "stages_by_event_name", Doc: "The stages of each bucket of time, by instrument.", From: "events_stages_summary_global_by_event_name", Keys: byEvent, Sums: workSums, Rank: timerSum, Max: timerMax},
	{
		Name: "transactions_by_event_name", Doc: "The transactions of each bucket of time, by instrument.", From: "events_transactions_summary_global_by_event_name",
		Keys: byEvent, Sums: []string{"COUNT_STAR", "SUM_TIMER_WAIT", "COUNT_READ_WRITE", "SUM_TIMER_READ_WRITE", "COUNT_READ_ONLY", "SUM_TIMER_READ_ONLY"}, Rank: timerSum, Max: timerMax,
	},
	{
		Name: "errors_by_error", Doc: "The errors of each bucket of time, by their number.", From: "events_errors_summary_global_by_error",
		Keys: []string{"ERROR_NUMBER", "ERROR_NAME", "SQL_STATE"}, Sums: []string{"SUM_ERROR_RAISED", "SUM_ERROR_HANDLED"}, Rank: "SUM_ERROR_RAISED",
	},
	{
		Name: "memory_by_event_name", Doc: "The memory allocated and freed in each bucket of time, by instrument.", From: "memory_summary_global_by_event_name",
		Keys: byEvent, Sums: []string{"COUNT_ALLOC", "COUNT_FREE", "SUM_NUMBER_OF_BYTES_ALLOC", "SUM_NUMBER_OF_BYTES_FREE"}, Rank: "SUM_NUMBER_OF_BYTES_ALLOC",
		Latest: []string{"CURRENT_COUNT_USED", "CURRENT_NUMBER_OF_BYTES_USED"},
	},
	{Name: "statements_by_user", Doc: "The statements of each bucket of time, by user.", From: "events_statements_summary_by_user_by_event_name", Keys: []string{"USER"}, Sums: queryCols, Rank: timerSum, Max: timerMax},
	{Name: "statements_by_host", Doc: "The statements of each bucket of time, by host.", From: "events_statements_summary_by_host_by_event_name", Keys: []string{"HOST"}, Sums: queryCols, Rank: timerSum, Max: timerMax},
}

// waitTimes reads the histograms of waits by instrument.
func waitTimes(model Model, wanted func(key []Value) bool, each func(key []Value, times []TimeCount)) {
	if !model.Setup().Consumer(instr.ConsumerEventsWaitsHistogram) {
		return
	}
	var times []TimeCount
	key := make([]Value, 1)
	for _, c := range classes(model, nil, "", waitKinds...) {
		key[0] = Text(c.Name())
		if !wanted(key) {
			continue
		}
		times = times[:0]
		h := model.ClassHistogram(c)
		for i, n := range &h {
			if n > 0 {
				times = append(times, TimeCount{i, n})
			}
		}
		each(key, times)
	}
}

// HistoryTables returns the tables of the schema history, always in the same order. Safe for concurrent use.
var HistoryTables = sync.OnceValue(func() []*HistoryTable {
	summaries := map[string]Table{}
	for _, t := range All() {
		summaries[t.Name()] = t
	}
	for i, h := range historyTables {
		h.summary = summaries[h.From]
		h.table = h.define(i)
	}
	return historyTables
})

// Table is the table as SQL has it, and Summary the one that From names.
func (h *HistoryTable) Table() Table   { return h.table }
func (h *HistoryTable) Summary() Table { return h.summary }

// HasTimes reports whether ReadTimes finds histograms.
func (h *HistoryTable) HasTimes() bool { return h.times != nil }

// ReadTimes calls each for the present histograms whose keys are wanted; what each gets is valid until it returns.
func (h *HistoryTable) ReadTimes(model Model, wanted func(key []Value) bool, each func(key []Value, times []TimeCount)) {
	h.times(model, wanted, each)
}

// LongestOf is the most that an event can have taken that is in the histogram, picoseconds; 0 if there is none.
func (h *HistoryTable) LongestOf(times []TimeCount) uint64 {
	if len(times) == 0 {
		return 0
	}
	_, high := h.bounds(times[len(times)-1].Bucket)
	return high
}

// quantile is the time that a share of the events did not exceed: the end of a bucket, but no more than the longest time.
func (h *HistoryTable) quantile(r *HistoryRow, percent uint64) Value {
	total := uint64(0)
	for _, t := range r.Times {
		total += t.Count
	}
	if total == 0 {
		return Null
	}
	least, sum := (total*percent+99)/100, uint64(0)
	for _, t := range r.Times {
		if sum += t.Count; sum >= least {
			_, high := h.bounds(t.Bucket)
			if r.HasMax {
				high = min(high, r.Max)
			}
			return Uint(high)
		}
	}
	return Null
}

// Position is the place of a column in the summary. It panics if there is none.
func (h *HistoryTable) Position(column string) int {
	for i, c := range h.summary.Columns() {
		if c.Name == column {
			return i
		}
	}
	panic("tables: " + h.From + " has no column " + column)
}

// source is a column of the summary.
func (h *HistoryTable) source(column string) ColumnInfo {
	return h.summary.Columns()[h.Position(column)]
}

// bucketColumns are the columns that say which bucket a row is of.
var bucketColumns = []Column[*HistoryRow]{
	{Name: "BOOT_ID", Kind: char(36).asciiText(), Get: func(r *HistoryRow) Value { return Text(r.Boot) }, Doc: "Which run of the server it was: another identifier after each start."},
	{Name: "BUCKET_START", Kind: timestamp(0), Get: func(r *HistoryRow) Value { return Time(r.Start) }, Doc: "When the bucket starts, by the wall clock: a multiple of BUCKET_SECONDS."},
	{Name: "BUCKET_SECONDS", Kind: intUnsigned, Get: func(r *HistoryRow) Value { return Uint(uint64(r.Seconds)) }, Doc: "How long the bucket is by the wall clock, seconds: history_buckets_interval, 60 or 3600. The same time is in a bucket of each length that is still kept."},
	{Name: "MEASURED_SECONDS", Kind: Kind{Type: TypeDouble, Len: 12, Decimals: 3}, Get: func(r *HistoryRow) Value { return Double(float64(r.Measured.Milliseconds()) / 1000) }, Doc: "How long the server has counted for the bucket, by a clock that nobody sets, seconds: less if it started or ended meanwhile, more if the wall clock was set back."},
	{Name: "FINEST", Kind: yesNo, Get: func(r *HistoryRow) Value { return yes(r.Finest) }, Doc: "YES if no shorter buckets have the same time: WHERE FINEST = 'YES' counts everything once."},
	{Name: "OTHER_KEYS", Kind: bigintUnsigned, Get: func(r *HistoryRow) Value { return Uint(r.Others) }, Doc: "0 for a row of one key. Else the row has what had no row of its own, its keys are NULL, and this is how many keys they are, at least."},
}

// define makes the table, which is number place.
func (h *HistoryTable) define(place int) Table {
	columns := append([]Column[*HistoryRow]{}, bucketColumns...)
	add := func(name string, kind Kind, get func(*HistoryRow) Value, doc string) {
		columns = append(columns, Column[*HistoryRow]{Name: name, Kind: kind, Get: get, Doc: doc})
	}
	for i, name := range h.Keys {
		c := h.source(name)
		add(name, c.Kind.nullable(), func(r *HistoryRow) Value { return r.Key[i] }, c.Doc)
	}
	if h.Text != "" {
		add(h.Text, longtext.nullable(), func(r *HistoryRow) Value { return r.Text() }, "The normalised statement, its first 4,096 bytes; NULL in the row of what has no row of its own.")
	}
	for i, name := range h.Sums {
		add(name, h.source(name).Kind, func(r *HistoryRow) Value { return Uint(r.Sums[i]) }, h.source(name).Doc)
	}
	for i, name := range h.Latest {
		add(name, h.source(name).Kind, func(r *HistoryRow) Value { return Int(int64(r.Latest[i])) }, h.source(name).Doc+" At the end of the bucket.")
	}
	if h.Max != "" {
		doc := "Longest time of the timed events, picoseconds, where it is known: if it is longer than all before it, exactly; else at most so long, by the histogram; NULL where neither says it."
		if h.bounds == nil {
			doc = "Longest time of the timed events, picoseconds, if it is longer than all before it since the summary was emptied; else NULL, as the summary does not say it."
		}
		add(h.Max, bigintUnsigned.nullable(), (*HistoryRow).max, doc)
	}
	if h.bounds != nil {
		add("QUANTILE_95", bigintUnsigned.nullable(), func(r *HistoryRow) Value { return h.quantile(r, 95) }, "95 % of the timed events took no longer, picoseconds; NULL without a histogram.")
		add("QUANTILE_99", bigintUnsigned.nullable(), func(r *HistoryRow) Value { return h.quantile(r, 99) }, "99 % of the timed events took no longer, picoseconds; NULL without a histogram.")
		add("HISTOGRAM", jsonText.nullable(), (*HistoryRow).histogram, "How many timed events took how long: an object of the numbers of the summary's histogram buckets, BUCKET_NUMBER, and counts; NULL without a histogram.")
	}
	return newTable(HistorySchema, Def[*HistoryRow]{
		Name: h.Name, Doc: h.Doc, Columns: columns, Estimate: fixedEstimate,
		Rows: func(model Model, key Key) Source[*HistoryRow] {
			if b, _ := model.Provided(historyKey{}).(HistoryBuckets); b != nil {
				return b.Read(place, key)
			}
			return list[*HistoryRow](nil)
		},
		Truncate: func(model Model) {
			if b, _ := model.Provided(historyKey{}).(HistoryBuckets); b != nil {
				b.Truncate(place)
			}
		},
	})
}

func (r *HistoryRow) max() Value {
	if !r.HasMax {
		return Null
	}
	return Uint(r.Max)
}

// histogram is the histogram as JSON.
func (r *HistoryRow) histogram() Value {
	if len(r.Times) == 0 {
		return Null
	}
	var b strings.Builder
	for i, t := range r.Times {
		fmt.Fprintf(&b, "%s%q: %d", [...]string{"{", ", "}[min(i, 1)], strconv.Itoa(t.Bucket), t.Count)
	}
	b.WriteByte('}')
	return Text(b.String())
}

// HistoryBuckets is where the rows of the schema history are; table is a place in HistoryTables. Safe for concurrent use.
type HistoryBuckets interface {
	// Read starts a scan of the rows of a table: all of those that match key, and maybe others.
	Read(table int, key Key) Source[*HistoryRow]
	Truncate(table int)
}

type historyKey struct{}

// ProvideHistory makes b the source of the rows of the schema history in a model; nil removes it. Safe for concurrent use.
func ProvideHistory(model Model, b HistoryBuckets) {
	if b == nil {
		model.Provide(historyKey{}, nil)
		return
	}
	model.Provide(historyKey{}, b)
}

type aroundKey struct{}

// ProvideAroundTruncate has around called before each TRUNCATE that may empty a summary, and what it returns afterwards, so that
// nothing is lost of what was counted until then; nil removes it. Safe for concurrent use.
func ProvideAroundTruncate(model Model, around func() (after func())) {
	if around == nil {
		model.Provide(aroundKey{}, nil)
		return
	}
	model.Provide(aroundKey{}, around)
}

// isCumulative reports whether TRUNCATE of a table may empty a summary that the schema history has.
func isCumulative(name string) bool {
	switch name {
	case "accounts", "users", "hosts", "event_histograms", "event_percentiles":
		return true
	}
	return strings.Contains(name, "_summary_") || strings.Contains(name, "_histogram_")
}
