package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"

	"pfsd/engine"
	"pfsd/instr"
)

// serve starts a server of r in this process. It returns one connection to it, and what
// ends both.
func serve(r *instr.Registry) (*sql.Conn, func() error, error) {
	s, err := engine.New(engine.Options{Addr: "127.0.0.1:0", Registry: r, LogError: os.DevNull})
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	db, err := sql.Open("mysql", "root@tcp("+s.Addr().String()+")/performance_schema")
	var c *sql.Conn
	if err == nil {
		c, err = db.Conn(ctx)
	}
	stop := func() error {
		if c != nil {
			_ = c.Close()
		}
		if db != nil {
			_ = db.Close()
		}
		cancel()
		return <-served
	}
	if err != nil {
		_ = stop()
		return nil, nil, err
	}
	return c, stop, nil
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
