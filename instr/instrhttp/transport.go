package instrhttp

import (
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"sync/atomic"

	"pfsd/instr"
)

// errNoResponse is MySQL's error number for a connection that is lost before the answer, CR_SERVER_LOST.
const errNoResponse = 2013

// NewTransport returns a transport that sends requests by next, such as [http.DefaultTransport], and records each. The statement
// ends when the header of the response has arrived; reading its body is a stage of what the reading goroutine is doing then. Safe
// for concurrent use.
func NewTransport(next http.RoundTripper, opts ...Option) http.RoundTripper {
	o := makeOptions(opts)
	t := &transport{next: next, options: o, routes: routes{registry: o.registry, prefix: "http.client/"}}
	for i, name := range phaseNames {
		t.phases[i] = o.registry.NewStageClass("http.client/"+name, false)
	}
	return t
}

type transport struct {
	next http.RoundTripper
	options
	phases [phaseCount]*instr.StageClass
	routes routes
}

// phase is a phase of a request that is sent.
type phase int

const (
	phaseQueue phase = iota
	phaseDNS
	phaseConnect
	phaseTLS
	phaseSend
	phaseWait
	phaseBody
	phaseCount
)

var phaseNames = [phaseCount]string{
	"waiting for a connection", "looking up the host", "connecting", "TLS handshake", "sending the request", "waiting for the response", "reading body",
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if !t.wanted(r) {
		return t.next.RoundTrip(r)
	}
	route := t.routeOf(r)
	if route.class == nil || !route.class.Watched() {
		return t.next.RoundTrip(r)
	}
	thread, attached := t.thread("http/client")
	if attached {
		defer thread.Detach()
	}
	statement := thread.StartStatement(route.class)
	if statement == (instr.Statement{}) {
		return t.next.RoundTrip(r)
	}
	defer statement.End() // if next panics
	statement.SetText(textOf(method(r), shownURL(r.URL), r.Header))
	statement.SetDigest(route.digest)

	p := &phases{transport: t, thread: thread, before: thread.State()}
	p.enter(phaseQueue)
	defer p.finish()
	sent := r.WithContext(httptrace.WithClientTrace(r.Context(), p.trace()))
	count := countBody(sent)
	response, err := t.next.RoundTrip(sent)
	p.finish()

	result := instr.StatementResult{SQLState: "00000"}
	result.Counters[instr.RowsSent] = count()
	if err != nil {
		result.Errno, result.SQLState, result.Message = errNoResponse, "HY000", err.Error()
		statement.Finish(&result)
		return response, err
	}
	if response.StatusCode >= 400 {
		result.Errno, result.SQLState, result.Message = response.StatusCode, "HY000", statusText(response.StatusCode)
	}
	result.Counters[instr.RowsExamined] = uint64(max(0, response.ContentLength))
	statement.Finish(&result)
	if response.Request == sent {
		response.Request = r
	}
	response.Body = t.watchBody(response.Body)
	return response, nil
}

// routeOf is the route by which the request is grouped: that of WithRoute, else the host.
func (t *transport) routeOf(r *http.Request) *route {
	if t.route != nil {
		if name := t.route(r); name != "" {
			return t.routes.find(method(r), name, true)
		}
	}
	return t.routes.find(method(r), r.URL.Scheme+"://"+r.URL.Host, false)
}

// shownURL is the URL without the parts that may be secret.
func shownURL(u *url.URL) string {
	shown := url.URL{Scheme: u.Scheme, Opaque: u.Opaque, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return shown.String()
}

// countBody makes r, which belongs to the caller, count the bytes that are read of its body; count returns their number.
func countBody(r *http.Request) (count func() uint64) {
	if r.Body == nil || r.Body == http.NoBody {
		return func() uint64 { return 0 }
	}
	if n := r.ContentLength; n > 0 {
		return func() uint64 { return uint64(n) }
	}
	read := new(atomic.Int64)
	r.Body = &sentBody{r.Body, read}
	if again := r.GetBody; again != nil {
		r.GetBody = func() (io.ReadCloser, error) {
			body, err := again()
			if err != nil {
				return nil, err
			}
			return &sentBody{body, read}, nil
		}
	}
	return func() uint64 { return uint64(read.Load()) }
}

// sentBody is the body of a request whose length is not known.
type sentBody struct {
	io.ReadCloser
	read *atomic.Int64 // bytes
}

// Read implements io.Reader.
func (b *sentBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read.Add(int64(n))
	return n, err
}

// phases are the phases of a request so far. Goroutines of the transport report them; when the header of the response has
// arrived, the request's own goroutine records them.
type phases struct {
	transport *transport
	thread    *instr.Thread
	before    string // the thread's state before the request

	mu    sync.Mutex // guards the rest
	over  bool
	in    phase
	since instr.StageTime
	ended []endedPhase
}

type endedPhase struct {
	phase      phase
	start, end instr.StageTime
}

// enter ends the present phase and begins another one. It does nothing when the request is over: what the transport still does
// then, such as connecting, is for another request.
func (p *phases) enter(next phase) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	now := p.transport.phases[next].Now()
	p.leave(now)
	p.in, p.since = next, now
	p.thread.SetState(phaseNames[next])
}

// leave adds the present phase to the ended ones. The caller holds mu.
func (p *phases) leave(now instr.StageTime) {
	if p.since != (instr.StageTime{}) || now != (instr.StageTime{}) {
		p.ended = append(p.ended, endedPhase{p.in, p.since, now})
	}
}

// finish records the phases, once. Owned by the thread's goroutine.
func (p *phases) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	p.over = true
	p.leave(p.transport.phases[p.in].Now())
	for _, x := range p.ended {
		p.thread.AddStage(p.transport.phases[x.phase], x.start, x.end)
	}
	p.thread.SetState(p.before)
}

// trace returns the hooks by which the transport reports its phases.
func (p *phases) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		DNSStart:          func(httptrace.DNSStartInfo) { p.enter(phaseDNS) },
		ConnectStart:      func(string, string) { p.enter(phaseConnect) },
		TLSHandshakeStart: func() { p.enter(phaseTLS) },
		GotConn:           func(httptrace.GotConnInfo) { p.enter(phaseSend) },
		WroteRequest:      func(httptrace.WroteRequestInfo) { p.enter(phaseWait) },
	}
}

// watchBody returns the body of a response; reading it is a stage, from the first read until its end. The body of an upgraded
// connection, which can be written to, is returned unchanged.
func (t *transport) watchBody(body io.ReadCloser) io.ReadCloser {
	if _, upgraded := body.(io.Writer); upgraded || body == http.NoBody {
		return body
	}
	return &receivedBody{ReadCloser: body, stage: t.phases[phaseBody]}
}

// receivedBody is the body of a response. As with any body, one goroutine at a time reads it, and another one may close it
// meanwhile.
type receivedBody struct {
	io.ReadCloser
	stage *instr.StageClass

	mu    sync.Mutex // guards the rest
	begun bool
	start instr.StageTime
	over  bool
}

// Read implements io.Reader.
func (b *receivedBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	if !b.begun {
		b.begun, b.start = true, b.stage.Now()
	}
	b.mu.Unlock()
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.end()
	}
	return n, err
}

// Close implements io.Closer.
func (b *receivedBody) Close() error {
	err := b.ReadCloser.Close()
	b.end()
	return err
}

// end records the stage, once, for the goroutine that found the end.
func (b *receivedBody) end() {
	b.mu.Lock()
	begun, over, start := b.begun, b.over, b.start
	b.over = true
	b.mu.Unlock()
	if begun && !over {
		instr.Current().AddStage(b.stage, start, b.stage.Now())
	}
}
