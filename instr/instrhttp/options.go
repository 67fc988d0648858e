package instrhttp

import (
	"net/http"
	"strings"
	"sync"

	"pfsd/instr"
	"pfsd/instr/traceparent"
)

// Option changes what [NewHandler] or [NewTransport] does.
type Option func(*options)

type options struct {
	registry *instr.Registry
	filter   func(*http.Request) bool
	route    func(*http.Request) string
}

func makeOptions(opts []Option) options {
	o := options{registry: instr.Default}
	for _, set := range opts {
		set(&o)
	}
	return o
}

// WithRegistry records requests in r instead of instr.Default.
func WithRegistry(r *instr.Registry) Option { return func(o *options) { o.registry = r } }

// WithFilter records only requests for which wanted returns true. It is called before the request is served or sent, by
// several goroutines at once.
func WithFilter(wanted func(*http.Request) bool) Option {
	return func(o *options) { o.filter = wanted }
}

// WithRoute groups requests by what route returns, such as the pattern of another router than [http.ServeMux]. There must be few
// different routes, and they must not depend on what a client sends. If route returns "", the request has no route. It is called
// when the handler has returned, or before a request is sent, by several goroutines at once.
func WithRoute(route func(*http.Request) string) Option {
	return func(o *options) { o.route = route }
}

// wanted reports whether the request is to be recorded.
func (o *options) wanted(r *http.Request) bool { return o.filter == nil || o.filter(r) }

// thread returns the calling goroutine's thread; attached says that it became one here, so that it must be detached. thread
// returns nil if the goroutine is a thread of another registry.
func (o *options) thread(class string) (t *instr.Thread, attached bool) {
	if t := o.registry.Enter(); t != nil {
		return t, false
	}
	if instr.Current() != nil {
		return nil, false
	}
	return o.registry.Attach(class), true
}

// method is the request's method if that is a standard one, else _OTHER, because a client can send
// any text.
func method(r *http.Request) string {
	switch r.Method {
	case "":
		return http.MethodGet
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodConnect, http.MethodOptions,
		http.MethodTrace, "QUERY":
		return r.Method
	}
	return "_OTHER"
}

// maxRoutes is how many routes have a digest of their own.
const maxRoutes = 10_000

// routes has the instruments and digests of routes. Safe for concurrent use.
type routes struct {
	registry *instr.Registry
	prefix   string // of the names of the classes
	known    sync.Map
	mu       sync.Mutex
	count    int // of known; guarded by mu
}

// route is a method and a route.
type route struct {
	class  *instr.StatementClass // nil if there is room neither for it nor for its method alone
	digest *instr.Digest
}

type routeKey struct {
	method, name string
	instrument   bool
}

// find returns the route of this name; "" is no route. If instrument is true, it has an instrument of its own, else that of its
// method alone. If the name begins with the method, the method is not repeated.
func (r *routes) find(method, name string, instrument bool) *route {
	key := routeKey{method, name, instrument}
	if x, ok := r.known.Load(key); ok {
		return x.(*route)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if x, ok := r.known.Load(key); ok {
		return x.(*route)
	}
	if r.count >= maxRoutes && name != "" {
		return r.make(method, "", false)
	}
	x := r.make(method, name, instrument)
	r.known.Store(key, x)
	r.count++
	return x
}

func (r *routes) make(method, name string, instrument bool) *route {
	full := method
	if rest, ok := strings.CutPrefix(name, method+" "); ok {
		name = rest
	}
	if name != "" {
		full += " " + name
	}
	x := &route{digest: r.registry.NewDigest(full)}
	if instrument {
		x.class = r.class(full)
	}
	if x.class == nil {
		x.class = r.class(method)
	}
	return x
}

// class is the instrument of this name, nil if there is no room for it.
func (r *routes) class(name string) *instr.StatementClass {
	if c := r.registry.NewStatementClass(className(r.prefix, name)); c.Class().ID() != 0 {
		return c
	}
	return nil
}

// maxClassName is how long the name of an instrument can be, bytes.
const maxClassName = 128

// className makes the name of an instrument: characters that such a name cannot have become _.
func className(prefix, name string) string {
	clean := strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.ContainsRune("/_:.- (),;'{}$*", c):
			return c
		}
		return '_'
	}, name)
	for strings.Contains(clean, "//") {
		clean = strings.ReplaceAll(clean, "//", "/_/")
	}
	full := prefix + clean
	return full[:min(len(full), maxClassName-len("statement/"))]
}

// textOf is a statement's text: the method, the target, and the trace that the request is part of.
func textOf(method, target string, h http.Header) string {
	if trace := h["Traceparent"]; len(trace) == 1 {
		return method + " " + target + traceparent.Comment(trace[0])
	}
	return method + " " + target
}

// statusText is the message of a status.
func statusText(status int) string {
	digits := [3]byte{byte('0' + status/100%10), byte('0' + status/10%10), byte('0' + status%10)}
	if text := http.StatusText(status); text != "" {
		return string(digits[:]) + " " + text
	}
	return string(digits[:])
}
