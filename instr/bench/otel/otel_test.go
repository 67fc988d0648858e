// Package otel measures instrhttp and instrsql beside OpenTelemetry's wrappers of the same things, in a module of its own, which
// alone needs them: go test -bench . -count 5 in its directory. The wrappers of OpenTelemetry have the SDK's providers, but no
// exporter.
package otel

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/XSAM/otelsql"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"

	"pfsd/instr"
	"pfsd/instr/instrhttp"
	"pfsd/instr/instrsql"
)

// everything is a registry with all that can be switched on.
func everything() *instr.Registry {
	r := instr.NewRegistry()
	for c := range instr.ConsumerCount {
		r.Setup().SetConsumer(c, true)
	}
	r.Setup().AddPattern("%", instr.PatternOn)
	return r
}

// off is a registry with nothing switched on.
func off() *instr.Registry {
	r := instr.NewRegistry()
	r.Setup().SetConsumer(instr.ConsumerGlobalInstrumentation, false)
	return r
}

func BenchmarkHelloWorld(b *testing.B) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "hello\n") })
	for _, way := range []struct {
		name    string
		handler http.Handler
	}{
		{"plain", mux},
		{"instrhttp-off", instrhttp.NewHandler(mux, instrhttp.WithRegistry(off()))},
		{"instrhttp-default", instrhttp.NewHandler(mux, instrhttp.WithRegistry(instr.NewRegistry()))},
		{"instrhttp-everything", instrhttp.NewHandler(mux, instrhttp.WithRegistry(everything()))},
		{"otelhttp", otelhttp.NewHandler(mux, "hello", otelhttp.WithTracerProvider(trace.NewTracerProvider()), otelhttp.WithMeterProvider(metric.NewMeterProvider()))},
	} {
		b.Run(way.name, func(b *testing.B) {
			server := httptest.NewServer(way.handler)
			defer server.Close()
			client := server.Client()
			for b.Loop() {
				response, err := client.Get(server.URL + "/hello")
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, response.Body)
				_ = response.Body.Close()
			}
		})
	}
}

func BenchmarkQuery(b *testing.B) {
	for _, way := range []struct {
		name string
		open func() *sql.DB
	}{
		{"plain", func() *sql.DB { return sql.OpenDB(source{}) }},
		{"instrsql-off", func() *sql.DB { return instrsql.OpenDB(source{}, instrsql.WithRegistry(off())) }},
		{"instrsql-default", func() *sql.DB { return instrsql.OpenDB(source{}, instrsql.WithRegistry(instr.NewRegistry())) }},
		{"instrsql-everything", func() *sql.DB { return instrsql.OpenDB(source{}, instrsql.WithRegistry(everything())) }},
		{"otelsql", func() *sql.DB {
			return otelsql.OpenDB(source{}, otelsql.WithTracerProvider(trace.NewTracerProvider()), otelsql.WithMeterProvider(metric.NewMeterProvider()))
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			db := way.open()
			defer func() { _ = db.Close() }()
			for b.Loop() {
				var n int
				if err := db.QueryRow("SELECT n FROM t WHERE id = ?", 7).Scan(&n); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// source is a database that answers each query with one row, at once.
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
