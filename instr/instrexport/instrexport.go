package instrexport

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"pfsd/instr"
)

// Prometheus serves the metrics of a registry in the text format of Prometheus, version 0.0.4. Safe for concurrent use.
func Prometheus(r *instr.Registry) http.Handler {
	return handler(r, "text/plain; version=0.0.4; charset=utf-8", writeText)
}

// JSON serves a registry's snapshot as one object, see [Document]. Safe for concurrent use.
func JSON(r *instr.Registry) http.Handler {
	return handler(r, "application/json", func(w io.Writer, s *instr.Snapshot) error { return json.NewEncoder(w).Encode(document(s)) })
}

func handler(r *instr.Registry, contentType string, write func(io.Writer, *instr.Snapshot) error) http.Handler {
	var one sync.Mutex
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method != http.MethodGet && req.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
			return
		}
		one.Lock()
		s := r.Reader().Snapshot()
		one.Unlock()
		w.Header().Set("Content-Type", contentType)
		if req.Method == http.MethodGet {
			_ = write(w, &s) // an error says that the client has gone
		}
	})
}

// quantiles are the quantiles that are shown, in thousandths.
var quantiles = []uint64{500, 950, 990, 999, 1000}

// operations are the names of the operations, by their names in instr.Times.
var operations = map[string]string{"": "", "READ": "read", "WRITE": "write", "MISC": "other"}

// metric is one metric: its name, type and help text, and a function that adds its values.
type metric struct {
	name, kind, help string
	values           func(s *instr.Snapshot, add func(value float64, labels ...string))
}

// ofInstruments returns the values of a metric to which f adds those of one instrument.
func ofInstruments(f func(i *instr.InstrumentSnapshot, add func(value float64, labels ...string))) func(*instr.Snapshot, func(float64, ...string)) {
	return func(s *instr.Snapshot, add func(float64, ...string)) {
		for n := range s.Instruments {
			i := &s.Instruments[n]
			f(i, func(value float64, labels ...string) {
				add(value, append([]string{"instrument", i.Name}, labels...)...)
			})
		}
	}
}

var metrics = []metric{
	{"pfsd_events_total", "counter", "Events of the instrument.", ofInstruments(func(i *instr.InstrumentSnapshot, add func(float64, ...string)) {
		if i.Memory == nil {
			add(float64(i.Events.Count))
		}
	})},
	{"pfsd_event_seconds_total", "counter", "Time that events of the instrument took.", ofInstruments(func(i *instr.InstrumentSnapshot, add func(float64, ...string)) {
		if i.Events.Timed > 0 {
			add(i.Events.Sum.Seconds())
		}
	})},
	{"pfsd_event_seconds", "gauge", "Time that a share of the events did not exceed.", ofInstruments(func(i *instr.InstrumentSnapshot, add func(float64, ...string)) {
		for n := range i.Times {
			t := &i.Times[n]
			if t.Instance != 0 {
				continue
			}
			for _, q := range quantiles {
				add(float64(t.Quantile(q))/1e12, "operation", operations[t.Operation], "quantile", strconv.FormatFloat(float64(q)/1000, 'g', -1, 64))
			}
		}
	})},
	{"pfsd_io_operations_total", "counter", "Operations on files and sockets.", ofInstruments(func(i *instr.InstrumentSnapshot, add func(float64, ...string)) {
		if i.IO != nil {
			add(float64(i.IO.Read.Count), "operation", "read")
			add(float64(i.IO.Write.Count), "operation", "write")
			add(float64(i.IO.Other.Count), "operation", "other")
		}
	})},
	{"pfsd_io_bytes_total", "counter", "Bytes read from and written to files and sockets.", ofInstruments(func(i *instr.InstrumentSnapshot, add func(float64, ...string)) {
		if i.IO != nil {
			add(float64(i.IO.ReadBytes), "operation", "read")
			add(float64(i.IO.WriteBytes), "operation", "write")
		}
	})},
	{"pfsd_statement_errors_total", "counter", "Errors of statements.", ofInstruments(func(i *instr.InstrumentSnapshot, add func(float64, ...string)) {
		if i.Statements != nil {
			add(float64(i.Statements.Errors))
		}
	})},
	{"pfsd_statement_warnings_total", "counter", "Warnings of statements.", ofInstruments(func(i *instr.InstrumentSnapshot, add func(float64, ...string)) {
		if i.Statements != nil {
			add(float64(i.Statements.Warnings))
		}
	})},
	{"pfsd_statement_rows_total", "counter", "Rows of statements.", ofInstruments(func(i *instr.InstrumentSnapshot, add func(float64, ...string)) {
		if s := i.Statements; s != nil {
			add(float64(s.RowsAffected), "kind", "affected")
			add(float64(s.RowsSent), "kind", "sent")
			add(float64(s.RowsExamined), "kind", "examined")
		}
	})},
	{"pfsd_memory_used_bytes", "gauge", "Memory in use.", ofInstruments(func(i *instr.InstrumentSnapshot, add func(float64, ...string)) {
		if i.Memory != nil {
			add(float64(i.Memory.UsedBytes))
		}
	})},
	{"pfsd_memory_allocated_bytes_total", "counter", "Memory that was allocated.", ofInstruments(func(i *instr.InstrumentSnapshot, add func(float64, ...string)) {
		if i.Memory != nil {
			add(float64(i.Memory.AllocBytes))
		}
	})},
	{"pfsd_pool_connections", "gauge", "Open connections of pools.", func(s *instr.Snapshot, add func(float64, ...string)) {
		for _, p := range pools(s) {
			add(float64(p.Taken), "pool", p.Name, "state", "taken")
			add(float64(p.Idle), "pool", p.Name, "state", "idle")
		}
	}},
	{"pfsd_threads", "gauge", "Threads that there are.", func(s *instr.Snapshot, add func(float64, ...string)) { add(float64(s.Threads)) }},
	{"pfsd_lost_total", "counter", "What was not recorded for want of room.", func(s *instr.Snapshot, add func(float64, ...string)) {
		for _, what := range slices.Sorted(maps.Keys(s.Lost)) {
			add(float64(s.Lost[what]), "what", what)
		}
	}},
}

// escapes escapes label values.
var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func writeText(to io.Writer, s *instr.Snapshot) error {
	w := bufio.NewWriter(to)
	for _, m := range metrics {
		header := "# HELP " + m.name + " " + m.help + "\n# TYPE " + m.name + " " + m.kind + "\n"
		m.values(s, func(value float64, labels ...string) {
			_, _ = w.WriteString(header)
			header = ""
			_, _ = w.WriteString(m.name)
			between := "{"
			for i := 0; i < len(labels); i += 2 {
				if labels[i+1] == "" {
					continue // Prometheus treats this as no value
				}
				_, _ = w.WriteString(between + labels[i] + `="` + escapes.Replace(strings.ToValidUTF8(labels[i+1], "\uFFFD")) + `"`)
				between = ","
			}
			if between == "," {
				_ = w.WriteByte('}')
			}
			_, _ = w.WriteString(" " + strconv.FormatFloat(value, 'g', -1, 64) + "\n")
		})
	}
	return w.Flush()
}

// Document is what [JSON] serves.
type Document struct {
	Time        time.Time         `json:"time"`
	Threads     int               `json:"threads"`
	Instruments []Instrument      `json:"instruments"`
	Pools       []PoolNumbers     `json:"pools,omitempty"`
	Lost        map[string]uint64 `json:"lost"`
}

// Instrument is an instrument that has counted anything. Times are in seconds; within IO and Statements, which are those of
// package instr, they are in nanoseconds.
type Instrument struct {
	Name       string                  `json:"name"`
	Events     uint64                  `json:"events,omitempty"`
	Timed      uint64                  `json:"timed,omitempty"`
	Sum        float64                 `json:"sum_seconds,omitempty"`
	Min        float64                 `json:"min_seconds,omitempty"`
	Max        float64                 `json:"max_seconds,omitempty"`
	IO         *instr.IONumbers        `json:"io,omitempty"`
	Statements *instr.StatementNumbers `json:"statements,omitempty"`
	Memory     *instr.MemoryNumbers    `json:"memory,omitempty"`
	// Percentiles exist while histograms are on.
	Percentiles []Percentiles `json:"percentiles,omitempty"`
}

// Percentiles are times that a share of the events did not exceed, seconds: of all events, or of one operation of files and sockets.
type Percentiles struct {
	Operation string  `json:"operation,omitempty"` // read, write, other
	Count     uint64  `json:"count"`
	P50       float64 `json:"p50"`
	P95       float64 `json:"p95"`
	P99       float64 `json:"p99"`
	P999      float64 `json:"p999"`
	Max       float64 `json:"max"`
}

// PoolNumbers are how many connections of a pool are open.
type PoolNumbers struct {
	Name  string `json:"name"`
	Taken int    `json:"taken"`
	Idle  int    `json:"idle"`
}

func document(s *instr.Snapshot) Document {
	d := Document{Time: s.Time, Threads: s.Threads, Instruments: []Instrument{}, Pools: pools(s), Lost: s.Lost}
	for n := range s.Instruments {
		i := &s.Instruments[n]
		x := Instrument{
			Name: i.Name, Events: i.Events.Count, Timed: i.Events.Timed, Sum: i.Events.Sum.Seconds(), Min: i.Events.Min.Seconds(), Max: i.Events.Max.Seconds(),
			IO: i.IO, Statements: i.Statements, Memory: i.Memory,
		}
		for k := range i.Times {
			if t := &i.Times[k]; t.Instance == 0 {
				seconds := func(thousandths uint64) float64 { return float64(t.Quantile(thousandths)) / 1e12 }
				x.Percentiles = append(x.Percentiles, Percentiles{operations[t.Operation], t.Count(), seconds(500), seconds(950), seconds(990), seconds(999), seconds(1000)})
			}
		}
		d.Instruments = append(d.Instruments, x)
	}
	return d
}

// pools counts the connections, which are in the order of the pools' names.
func pools(s *instr.Snapshot) (all []PoolNumbers) {
	for _, c := range s.Connections {
		if len(all) == 0 || all[len(all)-1].Name != c.Pool {
			all = append(all, PoolNumbers{Name: c.Pool})
		}
		if p := &all[len(all)-1]; c.Taken {
			p.Taken++
		} else {
			p.Idle++
		}
	}
	return all
}
