package instrhttp

import (
	"bufio"
	"io"
	"net"
	"net/http"

	"github.com/felixge/httpsnoop"
)

// writer records what is written to a response writer.
type writer struct {
	plain   http.ResponseWriter
	serving *serving
	status  int   // 0: none yet
	written int64 // bytes of the body
}

// wrapped is a response writer with the optional interfaces of the plain one. For the writers of net/http's own
// servers, http1Writer and http2Writer have these at no cost; for all others httpsnoop makes a writer.
func (w *writer) wrapped() http.ResponseWriter {
	switch plain := w.plain.(type) {
	case http1Plain:
		if _, ok := plain.(http.Pusher); !ok {
			return (*http1Writer)(w)
		}
	case http2Plain:
		_, hijacks := plain.(http.Hijacker)
		_, copies := plain.(io.ReaderFrom)
		if !hijacks && !copies {
			return (*http2Writer)(w)
		}
	}
	return httpsnoop.Wrap(w.plain, httpsnoop.Hooks{
		WriteHeader: func(next httpsnoop.WriteHeaderFunc) httpsnoop.WriteHeaderFunc {
			return func(status int) { w.noteStatus(status); next(status) }
		},
		Write: func(next httpsnoop.WriteFunc) httpsnoop.WriteFunc {
			return func(p []byte) (int, error) { return w.noteWrite(next(w.begin(p))) }
		},
		ReadFrom: func(next httpsnoop.ReadFromFunc) httpsnoop.ReadFromFunc {
			return func(from io.Reader) (int64, error) {
				w.begin(nil)
				n, err := next(from)
				w.written += n
				return n, err
			}
		},
	})
}

// The interfaces that the response writers of net/http's servers have, for HTTP/1 and for HTTP/2. Their other methods
// are found by Unwrap.
type (
	http1Plain interface {
		http.ResponseWriter
		http.Flusher
		http.Hijacker
		io.ReaderFrom
		io.StringWriter
	}
	http2Plain interface {
		http.ResponseWriter
		http.Flusher
		http.Pusher
		io.StringWriter
	}
	http1Writer writer
	http2Writer writer
)

// noteStatus records the first final status.
func (w *writer) noteStatus(status int) {
	if w.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		w.status = status
		w.serving.stage(w.serving.h.writing)
	}
}

// begin records that p is about to be written.
func (w *writer) begin(p []byte) []byte {
	w.noteStatus(http.StatusOK)
	return p
}

// noteWrite records the result of a write.
func (w *writer) noteWrite(n int, err error) (int, error) {
	w.written += int64(n)
	return n, err
}

func (w *writer) writeHeader(status int) {
	w.noteStatus(status)
	w.plain.WriteHeader(status)
}

func (w *writer) writeString(s string) (int, error) {
	w.noteStatus(http.StatusOK)
	return w.noteWrite(w.plain.(io.StringWriter).WriteString(s))
}

func (w *http1Writer) Header() http.Header { return w.plain.Header() }

func (w *http1Writer) WriteHeader(status int) { (*writer)(w).writeHeader(status) }

func (w *http1Writer) Write(p []byte) (int, error) {
	return (*writer)(w).noteWrite(w.plain.Write((*writer)(w).begin(p)))
}

func (w *http1Writer) WriteString(s string) (int, error) { return (*writer)(w).writeString(s) }

func (w *http1Writer) Flush() {
	(*writer)(w).begin(nil)
	w.plain.(http.Flusher).Flush()
}

func (w *http1Writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := w.plain.(http.Hijacker).Hijack()
	if err == nil {
		(*writer)(w).noteStatus(http.StatusSwitchingProtocols)
	}
	return conn, buffered, err
}

func (w *http1Writer) ReadFrom(from io.Reader) (int64, error) {
	(*writer)(w).begin(nil)
	n, err := w.plain.(io.ReaderFrom).ReadFrom(from)
	w.written += n
	return n, err
}

// Unwrap is what [http.ResponseController] looks for.
func (w *http1Writer) Unwrap() http.ResponseWriter { return w.plain }

func (w *http2Writer) Header() http.Header { return w.plain.Header() }

func (w *http2Writer) WriteHeader(status int) { (*writer)(w).writeHeader(status) }

func (w *http2Writer) Write(p []byte) (int, error) {
	return (*writer)(w).noteWrite(w.plain.Write((*writer)(w).begin(p)))
}

func (w *http2Writer) WriteString(s string) (int, error) { return (*writer)(w).writeString(s) }

func (w *http2Writer) Flush() {
	(*writer)(w).begin(nil)
	w.plain.(http.Flusher).Flush()
}

func (w *http2Writer) Push(target string, opts *http.PushOptions) error {
	return w.plain.(http.Pusher).Push(target, opts)
}

// Unwrap is what [http.ResponseController] looks for.
func (w *http2Writer) Unwrap() http.ResponseWriter { return w.plain }
