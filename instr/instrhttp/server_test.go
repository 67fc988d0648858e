package instrhttp_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"pfsd/instr"
	"pfsd/instr/instrhttp"
)

// headerTimes are the times of the stage http/reading headers, picoseconds.
func headerTimes(reg *instr.Registry) (all []uint64) {
	for _, s := range reg.Reader().StagesHistoryLong() {
		if s.Class.Name() == "stage/http/reading headers" {
			all = append(all, s.TimerWait())
		}
	}
	return all
}

// The headers of a request last from their first byte on: not while a connection is idle, and as long as a client takes.
func TestReadingHeaders(t *testing.T) {
	const slow, idle = 400 * time.Millisecond, time.Second
	reg := recorder()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var states atomic.Int64
	server := &http.Server{
		Handler:   http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") }),
		ConnState: func(net.Conn, http.ConnState) { states.Add(1) },
	}
	served := make(chan error)
	go func() { served <- instrhttp.Serve(server, l, instrhttp.WithRegistry(reg)) }()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(c)
	for _, wait := range []time.Duration{0, slow, 0} {
		time.Sleep(idle)
		fmt.Fprint(c, "GET / HTTP/1.1\r\n")
		time.Sleep(wait)
		fmt.Fprint(c, "Host: x\r\n\r\n")
		r, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, r.Body)
	}
	waitFor(reg, 3)
	times := headerTimes(reg)
	if len(times) != 3 || times[1] < uint64(slow/2)*1000 || times[0] > uint64(idle)*1000 || times[2] > uint64(idle)*1000 {
		t.Errorf("headers took %v ps; the second ones %v, less what their first line needs to arrive; the others no idle time", times, slow)
	}
	c.Close()
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if err := <-served; err != http.ErrServerClosed {
		t.Error(err)
	}
	if states.Load() == 0 {
		t.Error("the program's own ConnState is not called")
	}
}

// Over TLS and HTTP/2, and where files are sent, a server that is watched answers as any other.
func TestServeAnswersAsEver(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	like := httptest.NewTLSServer(nil)
	defer like.Close()
	for _, protocol := range []string{"http", "https", "h2"} {
		reg := recorder()
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, name) })}
		server.TLSConfig = &tls.Config{Certificates: like.TLS.Certificates}
		server.Protocols = new(http.Protocols)
		server.Protocols.SetHTTP1(protocol != "h2")
		server.Protocols.SetHTTP2(protocol == "h2")
		transport := like.Client().Transport.(*http.Transport).Clone()
		transport.ForceAttemptHTTP2 = protocol == "h2"
		client := &http.Client{Transport: transport}
		served := make(chan error)
		go func() {
			if protocol == "http" {
				served <- instrhttp.Serve(server, l, instrhttp.WithRegistry(reg))
			} else {
				served <- instrhttp.ServeTLS(server, l, "", "", instrhttp.WithRegistry(reg))
			}
		}()
		scheme := "https"
		if protocol == "http" {
			scheme = "http"
		}
		const requests = 3
		for range requests {
			r, err := client.Get(scheme + "://" + l.Addr().String() + "/")
			if err != nil {
				t.Fatal(protocol, err)
			}
			if n, err := io.Copy(io.Discard, r.Body); n != 1<<20 || err != nil || r.ProtoMajor != map[bool]int{false: 1, true: 2}[protocol == "h2"] {
				t.Errorf("%s: %d bytes, %v, %s", protocol, n, err, r.Proto)
			}
			r.Body.Close()
		}
		waitFor(reg, requests)
		if n, want := len(headerTimes(reg)), map[bool]int{false: requests, true: 0}[protocol == "h2"]; n != want {
			t.Errorf("%s: the headers of %d requests, want %d", protocol, n, want)
		}
		transport.CloseIdleConnections()
		server.Close()
		<-served
	}
}
