package workload

import (
	"context"
	"io"
	"net"
	"sync"

	"pfsd/instr"
)

// echo is a server that sends back what it gets, and clients that keep a connection to it
// for some messages.
func echo(r *run) ([]job, error) {
	listener, err := r.Registry.Listen("tcp", "127.0.0.1:0", "workload/echo_listener")
	if err != nil {
		return nil, err
	}
	listener.SetConnClass("workload/echo_server")
	var conns connSet
	r.closers = append(r.closers, func() {
		listener.Close()
		conns.close()
	})

	const messages = 20
	jobs := []job{{"echo_server", func(ctx context.Context) error {
		var served sync.WaitGroup
		defer served.Wait()
		for {
			conn, err := listener.Accept()
			if err != nil {
				return err
			}
			if !conns.add(conn) {
				return errEnded
			}
			served.Add(1)
			r.Registry.Go("workload/echo_connection", func() {
				defer served.Done()
				defer conns.remove(conn)
				if err := sendBack(conn); err != nil && ctx.Err() == nil {
					r.Logf("workload: echo_connection: %v", err)
				}
			})
		}
	}}}
	return append(jobs, r.perWorker("echo_client", func(int) func(context.Context) error {
		var conn *instr.Conn
		sent := 0
		message := make([]byte, 512)
		return func(context.Context) error {
			if conn == nil {
				c, err := r.Registry.Dial("tcp", listener.Addr().String(), "workload/echo_client")
				if err != nil {
					return err
				}
				if !conns.add(c) {
					return errEnded
				}
				conn, sent = c, 0
			}
			_, err := conn.Write(message)
			if err == nil {
				_, err = io.ReadFull(conn, message)
			}
			if sent++; sent == messages || err != nil {
				conns.remove(conn)
				conn = nil
			}
			return err
		}
	})...), nil
}

// sendBack writes to a connection what it reads from it, until its end.
func sendBack(conn net.Conn) error {
	buf := make([]byte, 4096)
	for {
		n, err := conn.Read(buf)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			_, err = conn.Write(buf[:n])
		}
		if err != nil {
			return err
		}
	}
}

// connSet is connections that are open, to be closed together.
type connSet struct {
	mu     sync.Mutex
	open   map[net.Conn]bool
	closed bool
}

// add adds a connection; if the set is closed already it closes it and returns false.
func (s *connSet) add(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		c.Close()
		return false
	}
	if s.open == nil {
		s.open = map[net.Conn]bool{}
	}
	s.open[c] = true
	return true
}

// remove closes a connection.
func (s *connSet) remove(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
	c.Close()
}

func (s *connSet) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for c := range s.open {
		c.Close()
	}
}
