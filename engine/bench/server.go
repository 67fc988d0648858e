package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"pfsd/engine"
	"pfsd/instr"
)

// listen starts a server of r in this process. It returns its address, and a function that stops it.
func listen(r *instr.Registry) (addr string, stop func() error, err error) {
	return listenWith(engine.Options{Addr: "127.0.0.1:0", Registry: r, LogError: os.DevNull, ProcessorShare: -1, MaxRunningStatements: -1, InitializeInsecure: true})
}

// listenWith does the same as listen for a server with options.
func listenWith(o engine.Options) (addr string, stop func() error, err error) {
	s, err := engine.New(o)
	if err != nil {
		return "", nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	return s.Addr().String(), func() error { cancel(); return <-served }, nil
}

// serve starts a server as listen does. It returns a connection to it, and a function that ends both.
func serve(r *instr.Registry) (*sql.Conn, func() error, error) {
	addr, stop, err := listen(r)
	if err != nil {
		return nil, nil, err
	}
	db, err := sql.Open("mysql", "root@tcp("+addr+")/performance_schema")
	if err != nil {
		return nil, nil, errors.Join(err, stop())
	}
	c, err := db.Conn(context.Background())
	if err != nil {
		return nil, nil, errors.Join(err, db.Close(), stop())
	}
	return c, func() error { return errors.Join(c.Close(), db.Close(), stop()) }, nil
}

// run runs a statement, and reads its result to the end.
func run(c *sql.Conn, query string) error {
	rows, err := c.QueryContext(context.Background(), query)
	if err != nil {
		return fmt.Errorf("%s: %w", query, err)
	}
	for rows.Next() {
	}
	return rows.Close()
}
