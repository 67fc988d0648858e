package instrhttp

import (
	"cmp"
	"context"
	"io"
	"net"
	"net/http"
	"sync"

	"pfsd/instr"
)

// ListenAndServe is s.ListenAndServe with [Serve].
func ListenAndServe(s *http.Server, opts ...Option) error {
	l, err := net.Listen("tcp", cmp.Or(s.Addr, ":http"))
	if err != nil {
		return err
	}
	return Serve(s, l, opts...)
}

// Serve is s.Serve of a server whose handler is watched as by [NewHandler], and which besides knows when the first byte of a
// request came: from there until the handler is called is the stage http/reading headers, of HTTP/1. Over TLS the stage of a
// connection's first request begins with the handshake. s must have a handler. Serve changes s: call it once, before anything
// else serves by s.
func Serve(s *http.Server, l net.Listener, opts ...Option) error {
	return s.Serve(watchServer(s, l, opts))
}

// ServeTLS is s.ServeTLS, as [Serve] is s.Serve.
func ServeTLS(s *http.Server, l net.Listener, certFile, keyFile string, opts ...Option) error {
	return s.ServeTLS(watchServer(s, l, opts), certFile, keyFile)
}

// watchServer prepares s, and returns what it must listen to.
func watchServer(s *http.Server, l net.Listener, opts []Option) net.Listener {
	h := NewHandler(s.Handler, opts...).(*handler)
	s.Handler = h
	inContext, onState := s.ConnContext, s.ConnState
	s.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if inContext != nil {
			ctx = inContext(ctx, c)
		}
		if w := watchedConn(c); w != nil {
			ctx = context.WithValue(ctx, connKey{}, w)
		}
		return ctx
	}
	s.ConnState = func(c net.Conn, state http.ConnState) {
		if w := watchedConn(c); w != nil && state == http.StateIdle {
			w.expect()
		}
		if onState != nil {
			onState(c, state)
		}
	}
	return &listener{l, h}
}

type connKey struct{}

// watchedConn is our connection below c, such as that of TLS; nil if there is none.
func watchedConn(c net.Conn) *serverConn {
	for {
		switch x := c.(type) {
		case *serverConn:
			return x
		case interface{ NetConn() net.Conn }:
			c = x.NetConn()
		default:
			return nil
		}
	}
}

// listener is the listener of a server that is watched.
type listener struct {
	net.Listener
	handler *handler
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &serverConn{Conn: c, stage: l.handler.headers}, nil
}

// serverConn is a connection that notes when the first byte of a request has come.
type serverConn struct {
	net.Conn
	stage *instr.StageClass

	mu    sync.Mutex // guards the rest
	begun bool
	since instr.StageTime // of the request's first byte, if begun
	last  instr.StageTime // when something was read last
}

// NetConn is the connection below.
func (c *serverConn) NetConn() net.Conn { return c.Conn }

// Read implements net.Conn.
func (c *serverConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.mu.Lock()
		if c.last = c.stage.Now(); !c.begun {
			c.begun, c.since = true, c.last
		}
		c.mu.Unlock()
	}
	return n, err
}

// ReadFrom implements io.ReaderFrom: the kernel copies what it can.
func (c *serverConn) ReadFrom(r io.Reader) (int64, error) {
	if to, ok := c.Conn.(io.ReaderFrom); ok {
		return to.ReadFrom(r)
	}
	return io.Copy(struct{ io.Writer }{c.Conn}, r)
}

// CloseWrite shuts down the writing side, as net/http does before it closes a connection.
func (c *serverConn) CloseWrite() error {
	if to, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return to.CloseWrite()
	}
	return nil
}

// expect says that the next byte is a request's first one.
func (c *serverConn) expect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun = false
}

// addHeaders records how long the headers of a request took whose handler is called now.
func (s *serving) addHeaders() {
	c, ok := s.r.Context().Value(connKey{}).(*serverConn)
	if !ok || s.r.ProtoMajor != 1 {
		return
	}
	c.mu.Lock()
	since := c.since
	if !c.begun { // it was read whole while the answer to the one before ended: TLS reads ahead
		since = c.last
	}
	c.mu.Unlock()
	s.thread.AddStage(c.stage, since, c.stage.Now())
}
