package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"pfsd/engine"
	"pfsd/engine/pfsdweb"
)

// serveWeb serves the page for browsers, if the options have an address for it. The function that it returns ends
// that and waits for it.
func serveWeb(s *engine.Server, o engine.Options, stdout io.Writer) (func(), error) {
	if o.Web == "" {
		return func() {}, nil
	}
	mux := http.NewServeMux()
	page, err := pfsdweb.Register(mux, s, pfsdweb.Options{Write: o.WebWrite})
	if err != nil {
		return nil, fmt.Errorf("cannot use --web %s: %w", o.Web, err)
	}
	l, err := net.Listen("tcp", o.Web)
	if err != nil {
		page.Close()
		return nil, fmt.Errorf("cannot use --web %s: %w", o.Web, err)
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: time.Minute, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(l) // until it is closed
	}()
	fmt.Fprintf(stdout, "pfsd: page at http://%s/\n", l.Addr())
	return func() {
		_ = server.Close()
		<-ended
		page.Close()
	}, nil
}
