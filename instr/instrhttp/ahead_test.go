package instrhttp_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"pfsd/instr/instrhttp"
)

// A request that TLS has read whole before the one before is answered has its headers' stage as any other.
func TestHeadersReadAhead(t *testing.T) {
	reg := recorder()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	like := httptest.NewTLSServer(nil)
	defer like.Close()
	server := &http.Server{
		Handler:   http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") }),
		TLSConfig: &tls.Config{Certificates: like.TLS.Certificates, NextProtos: []string{"http/1.1"}},
	}
	served := make(chan error)
	go func() { served <- instrhttp.ServeTLS(server, l, "", "", instrhttp.WithRegistry(reg)) }()
	c, err := tls.Dial("tcp", l.Addr().String(), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	const requests = 3
	one := "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
	if _, err := fmt.Fprint(c, one+one+one); err != nil { // one record
		t.Fatal(err)
	}
	answers := bufio.NewReader(c)
	for range requests {
		r, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Fatal(err)
		}
	}
	waitFor(reg, requests)
	if n := len(headerTimes(reg)); n != requests {
		t.Errorf("the headers of %d requests, want %d", n, requests)
	}
	_ = c.Close()
	_ = server.Close()
	<-served
}
