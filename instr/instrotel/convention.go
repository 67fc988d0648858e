package instrotel

import (
	"strings"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.37.0"
	"go.opentelemetry.io/otel/trace"
)

// Option changes what [NewProducer] and [NewSpans] make of what is recorded.
type Option func(*options)

type options struct{ system attribute.KeyValue }

// WithDBSystem says which database queries go to, db.system.name: mysql, postgresql and so on. Without it that is other_sql.
func WithDBSystem(name string) Option {
	return func(o *options) { o.system = semconv.DBSystemNameKey.String(name) }
}

func makeOptions(opts []Option) options {
	o := options{semconv.DBSystemNameOtherSQL}
	for _, set := range opts {
		set(&o)
	}
	return o
}

// work is what a statement is in the words of the conventions.
type work struct {
	metric string // of its duration
	unit   string
	scale  float64 // units a second
	bounds []float64
	kind   trace.SpanKind
	name   string // of the span
	attrs  []attribute.KeyValue
}

// The bounds that the conventions advise.
var (
	httpBounds = []float64{0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10}
	dbBounds   = []float64{0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10}
	rpcBounds  = []float64{5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10000} // milliseconds
)

// workOf is what the statements of an instrument are, by its name; false of those that the conventions do not know.
func (o *options) workOf(instrument string) (work, bool) {
	family, rest, _ := strings.Cut(strings.TrimPrefix(instrument, "statement/"), "/")
	switch family {
	case "http":
		w := work{"http.server.request.duration", "s", 1, httpBounds, trace.SpanKindServer, rest, nil}
		method, route, _ := strings.Cut(rest, " ")
		if method == "request" {
			method, w.name = "_OTHER", "HTTP" // it ended before its method was known
		}
		w.attrs = append(w.attrs, semconv.HTTPRequestMethodKey.String(method))
		if route != "" {
			w.attrs = append(w.attrs, semconv.HTTPRoute(route))
		}
		return w, true
	case "http.client":
		method, _, _ := strings.Cut(rest, " ")
		return work{
			"http.client.request.duration", "s", 1, httpBounds, trace.SpanKindClient, method,
			[]attribute.KeyValue{semconv.HTTPRequestMethodKey.String(method)},
		}, true
	case "db.client":
		verb := strings.ToUpper(rest)
		return work{
			"db.client.operation.duration", "s", 1, dbBounds, trace.SpanKindClient, verb,
			[]attribute.KeyValue{o.system, semconv.DBOperationName(verb)},
		}, true
	case "grpc", "grpc.client":
		w := work{"rpc.server.duration", "ms", 1000, rpcBounds, trace.SpanKindServer, rest, []attribute.KeyValue{semconv.RPCSystemGRPC}}
		if family == "grpc.client" {
			w.metric, w.kind = "rpc.client.duration", trace.SpanKindClient
		}
		if at := strings.LastIndex(rest, "/"); at >= 0 {
			w.attrs = append(w.attrs, semconv.RPCService(rest[:at]), semconv.RPCMethod(rest[at+1:]))
		}
		return w, true
	}
	return work{}, false
}
