package instrotel_test

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"pfsd/instr"
	"pfsd/instr/instrhttp"
	"pfsd/instr/instrotel"
	"pfsd/instr/instrsql"
)

const parent = "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01"

// recorder is a registry where everything is on.
func recorder() *instr.Registry {
	r := instr.NewRegistry()
	for c := range instr.ConsumerCount {
		r.Setup().SetConsumer(c, true)
	}
	r.Setup().AddPattern("%", instr.PatternOn)
	return r
}

// service serves users, each with a query, and panics of /broken.
func service(r *instr.Registry, during func()) http.Handler {
	db := instrsql.OpenDB(source{}, instrsql.WithRegistry(r), instrsql.WithName("shop"))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /users/{id}", func(w http.ResponseWriter, req *http.Request) {
		var n int
		if err := db.QueryRow("SELECT n FROM t WHERE secret = 4711").Scan(&n); err != nil {
			panic(err)
		}
		during()
		fmt.Fprint(w, n)
	})
	mux.HandleFunc("GET /broken", func(w http.ResponseWriter, req *http.Request) { w.WriteHeader(503) })
	return instrhttp.NewHandler(mux, instrhttp.WithRegistry(r))
}

func get(h http.Handler, path string, header ...string) {
	req := httptest.NewRequest("GET", path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	h.ServeHTTP(httptest.NewRecorder(), req)
}

// A request is a span with those of its queries below it, in the trace that its header names, with the names of the conventions.
func TestSpans(t *testing.T) {
	r := recorder()
	exporter := tracetest.NewInMemoryExporter()
	provider := trace.NewTracerProvider(trace.WithSyncer(exporter))
	var spans *instrotel.Spans
	h := service(r, func() {
		if spans != nil {
			spans.Collect() // the query has ended, its request has not
		}
	})
	get(h, "/users/1") // before there is anybody
	spans = instrotel.NewSpans(r, provider, instrotel.WithDBSystem("mysql"))
	began := time.Now()
	get(h, "/users/17?token=secret", "traceparent", parent)
	get(h, "/broken")
	spans.Collect()
	spans.Collect()
	got := exporter.GetSpans()
	if len(got) != 3 {
		t.Fatalf("%d spans: %+v", len(got), got)
	}
	byName := map[string]tracetest.SpanStub{}
	for _, s := range got {
		byName[s.Name] = s
		if s.StartTime.Before(began.Add(-time.Second)) || s.EndTime.Before(s.StartTime) || s.EndTime.After(time.Now().Add(time.Second)) {
			t.Errorf("%s is from %v to %v", s.Name, s.StartTime, s.EndTime)
		}
	}
	request, query, broken := byName["GET /users/{id}"], byName["SELECT"], byName["GET /broken"]
	if request.SpanContext.TraceID().String() != parent[3:35] || request.Parent.SpanID().String() != parent[36:52] || !request.Parent.IsRemote() {
		t.Errorf("the request is in trace %v below %v", request.SpanContext.TraceID(), request.Parent.SpanID())
	}
	if query.Parent.SpanID() != request.SpanContext.SpanID() || query.SpanContext.TraceID() != request.SpanContext.TraceID() {
		t.Errorf("the query is below %v, the request is %v", query.Parent.SpanID(), request.SpanContext.SpanID())
	}
	if query.StartTime.Before(request.StartTime) || query.EndTime.After(request.EndTime) {
		t.Errorf("the query is from %v to %v, its request from %v to %v", query.StartTime, query.EndTime, request.StartTime, request.EndTime)
	}
	if broken.Parent.IsValid() || broken.Status.Code != codes.Error || broken.SpanKind.String() != "server" || query.SpanKind.String() != "client" {
		t.Errorf("%+v", broken)
	}
	for _, c := range []struct {
		of   tracetest.SpanStub
		want string
	}{
		{request, "http.request.method=GET http.route=/users/{id} url.path=/users/17"},
		{query, "db.namespace=shop db.operation.name=SELECT db.query.text=SELECT `n` FROM `t` WHERE `secret` = ? db.response.returned_rows=1 db.system.name=mysql"},
		{broken, "error.type=503 http.request.method=GET http.response.status_code=503 http.route=/broken url.path=/broken"},
	} {
		var attrs []string
		for _, a := range c.of.Attributes {
			if !strings.HasPrefix(string(a.Key), "pfsd.") {
				attrs = append(attrs, string(a.Key)+"="+a.Value.Emit())
			}
		}
		slices.Sort(attrs)
		if got := strings.Join(attrs, " "); got != c.want {
			t.Errorf("%s has\n%s\nwant\n%s", c.of.Name, got, c.want)
		}
	}
}

// Run collects what is left when it ends.
func TestRun(t *testing.T) {
	r := recorder()
	exporter := tracetest.NewInMemoryExporter()
	spans := instrotel.NewSpans(r, trace.NewTracerProvider(trace.WithSyncer(exporter)))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan bool)
	go func() {
		defer close(done)
		spans.Run(ctx, time.Hour)
	}()
	get(service(r, func() {}), "/users/1")
	cancel()
	<-done
	if n := len(exporter.GetSpans()); n != 3 {
		t.Errorf("%d spans, want a request, a connection and a query", n)
	}
}

// The metrics have the names, units and attributes of the conventions, and the numbers of the snapshot.
func TestMetrics(t *testing.T) {
	for _, histograms := range []bool{true, false} {
		t.Run(fmt.Sprint("histograms=", histograms), func(t *testing.T) { testMetrics(t, histograms) })
	}
}

func testMetrics(t *testing.T, histograms bool) {
	r := recorder()
	r.Setup().SetConsumer(instr.ConsumerEventsStatementsHistogram, histograms)
	reader := metric.NewManualReader(metric.WithProducer(instrotel.NewProducer(r, instrotel.WithDBSystem("mysql"))))
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	defer func() { _ = provider.Shutdown(context.Background()) }()
	h := service(r, func() { time.Sleep(6 * time.Millisecond) })
	const requests = 3
	for range requests {
		get(h, "/users/1")
	}
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	found := map[string]metricdata.Metrics{}
	for _, s := range all.ScopeMetrics {
		for _, m := range s.Metrics {
			if found[m.Name].Name != "" {
				t.Errorf("there are two metrics %s", m.Name)
			}
			found[m.Name] = m
		}
	}
	for name, want := range map[string]string{
		"http.server.request.duration": "s http.request.method=GET,http.route=/users/{id}",
		"db.client.operation.duration": "s db.operation.name=SELECT,db.system.name=mysql",
		"db.client.connection.count":   "{connection} db.client.connection.pool.name=shop,db.client.connection.state=idle",
		"pfsd.event.duration":          "s", "pfsd.memory.usage": "By", "pfsd.threads": "{thread}", "pfsd.lost": "{event}", "pfsd.errors": "{error}",
	} {
		m := found[name]
		unit, attrs, _ := strings.Cut(want, " ")
		if m.Unit != unit {
			t.Errorf("%s has the unit %q, want %q", name, m.Unit, unit)
		}
		var sets []string
		add := func(s attribute.Set) { sets = append(sets, s.Encoded(attribute.DefaultEncoder())) }
		switch d := m.Data.(type) {
		case metricdata.Histogram[float64]:
			for _, p := range d.DataPoints {
				add(p.Attributes)
				var n uint64
				for _, c := range p.BucketCounts {
					n += c
				}
				if n != p.Count || len(p.BucketCounts) != len(p.Bounds)+1 {
					t.Errorf("%s: %d in %d buckets with %d bounds, want %d", name, n, len(p.BucketCounts), len(p.Bounds), p.Count)
				}
			}
		case metricdata.Sum[int64]:
			for _, p := range d.DataPoints {
				add(p.Attributes)
			}
		}
		if attrs != "" && !slices.Contains(sets, attrs) {
			t.Errorf("%s has %q, want %q", name, sets, attrs)
		}
	}
	p := found["http.server.request.duration"].Data.(metricdata.Histogram[float64]).DataPoints[0]
	if p.Count != requests || p.Sum < requests*0.006 || p.Sum > 60 {
		t.Errorf("%d requests took %v s", p.Count, p.Sum)
	}
	if least, ok := p.Min.Value(); !ok || least < 0.006 {
		t.Errorf("the shortest took %v", least)
	}
	if histograms && (len(p.Bounds) != 14 || p.BucketCounts[0] != 0) || !histograms && len(p.Bounds) != 0 {
		t.Errorf("histograms %v: bounds %v, counts %v", histograms, p.Bounds, p.BucketCounts)
	}
}

// source is a database that answers each query with one row.
type source struct{}

func (source) Connect(context.Context) (driver.Conn, error) { return conn{}, nil }
func (source) Driver() driver.Driver                        { return nil }

type conn struct{}

func (conn) Prepare(string) (driver.Stmt, error) { return nil, driver.ErrSkip }
func (conn) Close() error                        { return nil }
func (conn) Begin() (driver.Tx, error)           { return nil, driver.ErrSkip }

func (conn) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return &rows{}, nil
}

type rows struct{ read bool }

func (*rows) Columns() []string { return []string{"n"} }
func (*rows) Close() error      { return nil }
func (r *rows) Next(to []driver.Value) error {
	if r.read {
		return io.EOF
	}
	r.read = true
	to[0] = int64(1)
	return nil
}
