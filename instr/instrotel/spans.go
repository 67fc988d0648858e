package instrotel

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.37.0"
	"go.opentelemetry.io/otel/trace"

	"pfsd/instr"
	"pfsd/instr/traceparent"
)

// Spans makes spans of statements that have ended. Safe for concurrent use.
type Spans struct {
	reader instr.Reader
	tracer trace.Tracer
	options

	mu      sync.Mutex // guards the rest
	seen    map[uint64]bool
	waiting map[eventKey]instr.StatementEvent // whose request has not ended
}

// eventKey is an event of a thread.
type eventKey struct{ thread, event uint64 }

// maxWaiting is how many statements wait for the one that they are part of; beyond it they are spans without a parent.
const maxWaiting = 10_000

// NewSpans makes spans of the statements of r by the tracers of p. Those that have ended before are left out.
func NewSpans(r *instr.Registry, p trace.TracerProvider, opts ...Option) *Spans {
	s := &Spans{
		reader: r.Reader(), tracer: p.Tracer(scope), options: makeOptions(opts),
		seen: map[uint64]bool{}, waiting: map[eventKey]instr.StatementEvent{},
	}
	for _, e := range s.reader.StatementsHistoryLong() {
		s.seen[e.StatementID] = true
	}
	return s
}

// Run calls Collect at this interval, and once more when the context ends.
func (s *Spans) Run(ctx context.Context, interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			s.Collect()
			return
		case <-ticker.C:
			s.Collect()
		}
	}
}

// Collect makes spans of the statements that have ended since the last time, but for those whose request has not ended.
func (s *Spans) Collect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.reader.StatementsHistoryLong()
	seen := make(map[uint64]bool, len(all))
	fresh := s.waiting
	for _, e := range all {
		seen[e.StatementID] = true
		if _, known := s.workOf(e.Class.Name()); known && !s.seen[e.StatementID] && e.Timed() {
			fresh[eventKey{e.ThreadID, e.ID}] = e
		}
	}
	s.seen, s.waiting = seen, map[eventKey]instr.StatementEvent{}

	// A statement is part of those that began before it in its thread, the outermost first.
	events := make([]instr.StatementEvent, 0, len(fresh))
	for _, e := range fresh {
		events = append(events, e)
	}
	slices.SortFunc(events, func(a, b instr.StatementEvent) int {
		return cmp.Or(cmp.Compare(a.ThreadID, b.ThreadID), cmp.Compare(a.ID, b.ID))
	})
	contexts := map[eventKey]context.Context{}
	for _, e := range events {
		key := eventKey{e.ThreadID, e.ID}
		parent, ok := contexts[eventKey{e.ThreadID, e.NestingID}]
		if !ok && e.NestingType == instr.NestingStatement && s.runs(e.ThreadID, e.NestingID) && len(s.waiting) < maxWaiting {
			s.waiting[key] = e
			continue
		}
		if !ok {
			parent = remote(e.SQLText)
		}
		contexts[key] = s.span(parent, &e)
	}
}

// runs reports whether a statement of a thread has not ended.
func (s *Spans) runs(thread, event uint64) bool {
	t := s.reader.ThreadByID(thread)
	return t != nil && slices.ContainsFunc(t.CurrentStatements(nil), func(e instr.StatementEvent) bool { return e.ID == event && !e.Ended })
}

// span makes a span of a statement, and returns a context with it.
func (s *Spans) span(parent context.Context, e *instr.StatementEvent) context.Context {
	w, _ := s.workOf(e.Class.Name())
	start := e.StartTime()
	ctx, span := s.tracer.Start(parent, w.name, trace.WithTimestamp(start), trace.WithSpanKind(w.kind), trace.WithAttributes(w.attrs...), trace.WithAttributes(
		attribute.Int64("pfsd.thread.id", int64(e.ThreadID)), attribute.Int64("pfsd.event.id", int64(e.ID))))
	text := strings.TrimSuffix(e.SQLText, traceparent.Comment(traceparent.Find(e.SQLText)))
	switch w.metric {
	case "http.server.request.duration":
		if _, path, ok := strings.Cut(text, " "); ok {
			span.SetAttributes(semconv.URLPath(path))
		}
		if status, ok := statusOf(e); ok {
			span.SetAttributes(semconv.HTTPResponseStatusCode(status))
		}
	case "http.client.request.duration":
		if _, url, ok := strings.Cut(text, " "); ok {
			span.SetAttributes(semconv.URLFull(url))
		}
		if status, ok := statusOf(e); ok {
			span.SetAttributes(semconv.HTTPResponseStatusCode(status))
		}
	case "db.client.operation.duration":
		if e.Schema != "" {
			span.SetAttributes(semconv.DBNamespace(e.Schema))
		}
		if e.Digest != nil {
			span.SetAttributes(semconv.DBQueryText(e.Digest.Text()))
		}
		if e.Errno != 0 {
			span.SetAttributes(semconv.DBResponseStatusCode(e.SQLState))
		} else {
			span.SetAttributes(semconv.DBResponseReturnedRows(int(e.Counters[instr.RowsSent])))
		}
	default:
		span.SetAttributes(semconv.RPCGRPCStatusCodeKey.Int(e.Errno))
	}
	if e.Errno != 0 {
		span.SetAttributes(semconv.ErrorTypeKey.String(strconv.Itoa(e.Errno)))
		span.SetStatus(codes.Error, e.Message)
	}
	span.End(trace.WithTimestamp(start.Add(time.Duration(e.TimerWait() / 1000))))
	return ctx
}

// statusOf is the status of a request, where it is known: that of errors and warnings.
func statusOf(e *instr.StatementEvent) (status int, ok bool) {
	text, _, _ := strings.Cut(e.Message, " ")
	status, err := strconv.Atoi(text)
	return status, err == nil && 100 <= status && status <= 999
}

// remote returns a context with the span that a text's traceparent names, if it has a valid one.
func remote(text string) context.Context {
	return propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": traceparent.Find(text)})
}
