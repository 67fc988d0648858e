package instrgrpc

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"

	"pfsd/instr"
	"pfsd/instr/traceparent"
)

// Option changes what [NewServerHandler] or [NewClientHandler] does.
type Option func(*handler)

// WithRegistry records calls in r instead of instr.Default.
func WithRegistry(r *instr.Registry) Option { return func(h *handler) { h.registry = r } }

// WithFilter records only calls for which wanted returns true. Several goroutines may call wanted at once.
func WithFilter(wanted func(*stats.RPCTagInfo) bool) Option {
	return func(h *handler) { h.filter = wanted }
}

// NewServerHandler returns a handler for grpc.StatsHandler. Safe for concurrent use.
func NewServerHandler(opts ...Option) stats.Handler { return newHandler(false, opts) }

// NewClientHandler returns a handler for grpc.WithStatsHandler. Safe for concurrent use.
func NewClientHandler(opts ...Option) stats.Handler { return newHandler(true, opts) }

// handler implements stats.Handler.
type handler struct {
	registry *instr.Registry
	filter   func(*stats.RPCTagInfo) bool
	client   bool
	prefix   string // of the names of the classes
	any      *instr.StatementClass

	mu      sync.Mutex
	methods map[string]*method // guarded by mu
}

// method is the instrument and the digest of a method.
type method struct {
	class  *instr.StatementClass
	digest *instr.Digest
}

func newHandler(client bool, opts []Option) *handler {
	h := &handler{registry: instr.Default, client: client, prefix: "grpc/", methods: map[string]*method{}}
	if client {
		h.prefix = "grpc.client/"
	}
	for _, set := range opts {
		set(h)
	}
	h.any = h.registry.NewStatementClass(h.prefix + "call")
	return h
}

// maxMethods is how many methods have an instrument and a digest of their own.
const maxMethods = 100

// maxName is how long a method's name can be in that of an instrument, bytes.
const maxName = 128 - len("statement/grpc.client/")

// method returns the instrument and the digest of this method, nil if there are too many methods.
func (h *handler) method(name string) *method {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m := h.methods[name]; m != nil {
		return m
	}
	if len(h.methods) >= maxMethods {
		return nil
	}
	clean := strings.Map(func(c rune) rune {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("/_.-", c) {
			return c
		}
		return '_'
	}, name)
	for strings.Contains(clean, "//") {
		clean = strings.ReplaceAll(clean, "//", "/_/")
	}
	m := &method{class: h.any, digest: h.registry.NewDigest(name)}
	if c := h.registry.NewStatementClass(h.prefix + strings.Trim(clean[:min(len(clean), maxName)], "/")); c.Class().ID() != 0 {
		m.class = c
	}
	h.methods[name] = m
	return m
}

// call is a call that is recorded. Only the goroutine in which it begins may use its statement; any goroutine may use
// the other fields.
type call struct {
	h              *handler
	name           string
	thread         *instr.Thread
	attached       bool
	statement      instr.Statement
	left           atomic.Pointer[instr.DetachedStatement]
	stream         bool
	trace          string
	received, sent atomic.Uint64 // bytes
}

type callKey struct{ h *handler }

// TagConn implements stats.Handler.
func (h *handler) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn implements stats.Handler.
func (h *handler) HandleConn(context.Context, stats.ConnStats) {}

// TagRPC implements stats.Handler.
func (h *handler) TagRPC(ctx context.Context, info *stats.RPCTagInfo) context.Context {
	if !h.any.Watched() || h.filter != nil && !h.filter(info) {
		return context.WithValue(ctx, callKey{h}, (*call)(nil))
	}
	return context.WithValue(ctx, callKey{h}, &call{h: h, name: strings.TrimPrefix(info.FullMethodName, "/")})
}

// HandleRPC implements stats.Handler.
func (h *handler) HandleRPC(ctx context.Context, event stats.RPCStats) {
	c, _ := ctx.Value(callKey{h}).(*call)
	if c == nil {
		return
	}
	switch e := event.(type) {
	case *stats.Begin:
		c.begin(e)
	case *stats.InHeader:
		if !h.client {
			c.setTrace(e.Header["traceparent"])
		}
	case *stats.OutHeader:
		if h.client && c.owned() {
			c.setTrace(e.Header["traceparent"])
			if c.stream {
				c.leave()
			}
		}
	case *stats.InPayload:
		c.received.Add(uint64(max(0, e.WireLength)))
	case *stats.OutPayload:
		c.sent.Add(uint64(max(0, e.WireLength)))
	case *stats.End:
		c.end(e.Error)
	}
}

func (c *call) begin(e *stats.Begin) {
	if c.statement != (instr.Statement{}) {
		return // this is another attempt of the same call
	}
	if c.thread = c.h.registry.Enter(); c.thread == nil {
		if instr.Current() != nil {
			return // a thread of another registry
		}
		name := "grpc/server"
		if c.h.client {
			name = "grpc/client"
		}
		c.thread, c.attached = c.h.registry.Attach(name), true
	}
	class := c.h.any
	if c.h.client {
		if m := c.h.method(c.name); m != nil {
			class = m.class
		}
	}
	c.stream = e.IsClientStream || e.IsServerStream
	c.statement = c.thread.StartStatement(class)
	c.statement.SetText(c.name + c.trace)
	if m := c.known(); m != nil && c.h.client {
		c.statement.SetDigest(m.digest)
	}
}

func (c *call) known() *method { return c.h.method(c.name) }

// setTrace sets the trace that the call is part of.
func (c *call) setTrace(values []string) {
	if len(values) != 1 {
		return
	}
	if c.trace = traceparent.Comment(values[0]); c.trace != "" && c.owned() {
		c.statement.SetText(c.name + c.trace)
	}
}

// owned reports whether the statement is running and belongs to the calling goroutine.
func (c *call) owned() bool {
	return c.thread != nil && c.left.Load() == nil && instr.Current() == c.thread
}

// leave ends the statement of a stream, because other goroutines may use the stream from now on.
func (c *call) leave() {
	c.left.Store(c.statement.Detach())
	c.detach()
}

func (c *call) detach() {
	if c.attached {
		c.attached = false
		c.thread.Detach()
	}
}

func (c *call) end(err error) {
	result := c.result(err)
	result.Counters[instr.RowsExamined], result.Counters[instr.RowsSent] = c.received.Load(), c.sent.Load()
	if left := c.left.Load(); left != nil {
		left.Finish(&result)
		return
	}
	if !c.owned() {
		return // the statement ends with the statement that it is part of, or with its thread
	}
	if !c.h.client && status.Code(err) != codes.Unimplemented {
		if m := c.known(); m != nil {
			c.statement.Refine(m.class)
			c.statement.SetDigest(m.digest)
		}
	}
	c.statement.Finish(&result)
	c.detach()
}

// result returns what the tables show of a call's error; err is nil if it has none.
func (c *call) result(err error) instr.StatementResult {
	code := status.Code(err)
	result := instr.StatementResult{SQLState: "00000"}
	switch {
	case code == codes.OK:
	case c.h.client || failed(code):
		result.Errno, result.SQLState, result.Message = int(code), "HY000", code.String()+": "+status.Convert(err).Message()
	default:
		result.Message = code.String()
		result.Counters[instr.Warnings] = 1
	}
	return result
}

// failed reports whether this code means that the server has failed.
func failed(code codes.Code) bool {
	switch code {
	case codes.Unknown, codes.DeadlineExceeded, codes.Unimplemented, codes.Internal, codes.Unavailable, codes.DataLoss:
		return true
	}
	return false
}
