package instrhttp_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"pfsd/instr"
	"pfsd/instr/instrhttp"
)

// hello is a handler that does as little as possible.
func hello() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello\n") })
	return mux
}

// ways to serve hello: plain, with no instruments, with those that are on from the start, and with all.
var ways = []struct {
	name     string
	registry func() *instr.Registry
}{
	{"plain", nil},
	{"off", func() *instr.Registry {
		r := instr.NewRegistry()
		r.Setup().SetConsumer(instr.ConsumerGlobalInstrumentation, false)
		return r
	}},
	{"default", instr.NewRegistry},
	{"everything", recorder},
}

func each(b *testing.B, run func(b *testing.B, h http.Handler, r *instr.Registry)) {
	for _, w := range ways {
		h, r := hello(), instr.NewRegistry()
		if w.registry != nil {
			r = w.registry()
			h = instrhttp.NewHandler(h, instrhttp.WithRegistry(r))
		}
		b.Run(w.name, func(b *testing.B) { run(b, h, r) })
	}
}

// What a request costs in its handler alone, in a goroutine that is a thread and in one that is none.
func BenchmarkHandler(b *testing.B) {
	for _, attach := range []bool{true, false} {
		b.Run(map[bool]string{true: "thread", false: "goroutine"}[attach], func(b *testing.B) {
			each(b, func(b *testing.B, h http.Handler, reg *instr.Registry) {
				if attach {
					defer reg.Attach("test/server").Detach()
				}
				w, r := &discard{header: http.Header{}}, httptest.NewRequest("GET", "/hello", nil)
				for b.Loop() {
					h.ServeHTTP(w, r)
				}
			})
		})
	}
}

// What a request costs in all, with a client in the same process.
func BenchmarkHelloWorld(b *testing.B) {
	each(b, func(b *testing.B, h http.Handler, _ *instr.Registry) {
		server := httptest.NewServer(h)
		defer server.Close()
		client := server.Client()
		for b.Loop() {
			response, err := client.Get(server.URL + "/hello")
			if err != nil {
				b.Fatal(err)
			}
			io.Copy(io.Discard, response.Body)
			response.Body.Close()
		}
	})
}

// discard is a response writer with the interfaces of net/http's own.
type discard struct {
	http1
	header http.Header
}

type http1 interface {
	http.Flusher
	http.Hijacker
	io.ReaderFrom
}

func (d *discard) Header() http.Header               { return d.header }
func (d *discard) WriteHeader(int)                   {}
func (d *discard) Write(p []byte) (int, error)       { return len(p), nil }
func (d *discard) WriteString(s string) (int, error) { return len(s), nil }
