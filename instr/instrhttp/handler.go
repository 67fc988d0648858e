package instrhttp

import (
	"io"
	"net/http"
	"sync/atomic"

	"pfsd/instr"
)

// NewHandler returns a handler that serves requests by next, and records each. The response writer that next gets has the
// optional interfaces of the original one. For the route to be known, nothing between this handler and [http.ServeMux]
// may copy the request, as Request.WithContext does: put middleware that does so outside of this handler. Safe for
// concurrent use.
func NewHandler(next http.Handler, opts ...Option) http.Handler {
	o := makeOptions(opts)
	mux, _ := next.(router)
	if o.route != nil {
		mux = nil
	}
	return &handler{
		next:    next,
		mux:     mux,
		options: o,
		request: o.registry.NewStatementClass("http/request"),
		headers: o.registry.NewStageClass("http/reading headers", false),
		running: o.registry.NewStageClass("http/running handler", false),
		reading: o.registry.NewStageClass("http/reading body", false),
		writing: o.registry.NewStageClass("http/writing response", false),
		routes:  routes{registry: o.registry, prefix: "http/"},
	}
}

// A router finds the pattern of a request, as [http.ServeMux] does.
type router interface {
	Handler(*http.Request) (http.Handler, string)
}

type handler struct {
	next http.Handler
	mux  router // nil if the route is only known when the handler has returned
	options
	request                            *instr.StatementClass // until the route is known
	headers, running, reading, writing *instr.StageClass
	routes                             routes
}

// serving is a request that is being served. Owned by the goroutine that serves it; other goroutines of the handler may read
// the body and write the response if they could do so without this package.
type serving struct {
	h         *handler
	r         *http.Request
	thread    *instr.Thread
	attached  bool
	statement instr.Statement
	writer    writer
	body      requestBody
	returned  bool // the handler has returned; else it panics
}

// ServeHTTP implements http.Handler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.request.Watched() || !h.wanted(r) {
		h.next.ServeHTTP(w, r)
		return
	}
	s := &serving{h: h, r: r}
	s.thread, s.attached = h.thread("http/server")
	s.statement = s.thread.StartStatement(h.request)
	if s.statement == (instr.Statement{}) {
		if s.attached {
			defer s.thread.Detach()
		}
		h.next.ServeHTTP(w, r)
		return
	}
	defer s.end()
	s.statement.SetText(textOf(r.Method, target(r), r.Header))
	if h.mux != nil { // who looks at the request while it is served sees its route
		_, pattern := h.mux.Handler(r)
		s.statement.SetDigest(h.routes.find(method(r), pattern, true).digest)
	}
	s.addHeaders()
	s.writer = writer{plain: w, serving: s}
	if r.Body != nil && r.Body != http.NoBody {
		s.body.plain, s.body.serving = r.Body, s
		r.Body = &s.body
	}
	s.statement.StartStage(h.running)
	h.next.ServeHTTP(s.writer.wrapped(), r)
	s.returned = true
}

// target is the path of the request, without the query.
func target(r *http.Request) string {
	if path := r.URL.EscapedPath(); path != "" {
		return path
	}
	return r.Host // the method is CONNECT
}

// end ends the statement, also in a panic.
func (s *serving) end() {
	if s.body.plain != nil && s.r.Body == &s.body {
		s.r.Body = s.body.plain
	}
	name := s.r.Pattern
	if s.h.route != nil && s.returned {
		name = s.h.route(s.r)
	}
	route := s.h.routes.find(method(s.r), name, true)
	s.statement.Refine(route.class)
	s.statement.SetDigest(route.digest)

	status := s.writer.status
	if status == 0 {
		status = http.StatusOK
	}
	result := instr.StatementResult{SQLState: "00000"}
	switch {
	case !s.returned:
		result = instr.StatementResult{Errno: http.StatusInternalServerError, SQLState: "HY000", Message: "the handler panics"}
	case status >= 500:
		result = instr.StatementResult{Errno: status, SQLState: "HY000", Message: statusText(status)}
	case status >= 400:
		result.Message = statusText(status)
		result.Counters[instr.Warnings] = 1
	}
	result.Counters[instr.RowsExamined] = uint64(s.body.read.Load())
	result.Counters[instr.RowsSent] = uint64(s.writer.written)
	s.thread.EndStage()
	s.statement.Finish(&result)
	if s.attached {
		s.thread.Detach()
	}
}

// stage starts a stage of the thread, if the caller is the thread's goroutine.
func (s *serving) stage(c *instr.StageClass) {
	if instr.Current() == s.thread {
		s.statement.StartStage(c)
	}
}

// requestBody is the body of a request that is served.
type requestBody struct {
	plain   io.ReadCloser
	serving *serving
	read    atomic.Int64 // bytes; atomic, because a proxy reads in another goroutine
}

// Read implements io.Reader.
func (b *requestBody) Read(p []byte) (int, error) {
	s := b.serving
	if instr.Current() != s.thread {
		n, err := b.plain.Read(p)
		b.read.Add(int64(n))
		return n, err
	}
	s.statement.StartStage(s.h.reading)
	n, err := b.plain.Read(p)
	b.read.Add(int64(n))
	if s.writer.status == 0 {
		s.statement.StartStage(s.h.running)
	} else {
		s.statement.StartStage(s.h.writing)
	}
	return n, err
}

// Close implements io.Closer.
func (b *requestBody) Close() error { return b.plain.Close() }
