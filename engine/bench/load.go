package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// loadRows is the number of rows of the table that load reads. There are few, so that most of a
// statement's time is spent in the server and not in the storage.
const loadRows = 10

// load is a client in a process of its own. It reads lines, each with a number of milliseconds. For
// that time it selects single rows by their keys over all of its connections, and then prints the
// number of these statements. It ends when its input ends.
func load(args []string) (err error) {
	flags := flag.NewFlagSet("bench load", flag.ExitOnError)
	prepared := flags.Bool("prepared", false, "execute a prepared statement instead of sending texts")
	connections := flags.Int("connections", 1, "how many clients at once")
	_ = flags.Parse(args)

	db, err := sql.Open("mysql", "root@tcp("+flags.Arg(0)+")/bench")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	selects := make([]func() error, *connections)
	for i := range selects {
		if selects[i], err = pointSelect(db, *prepared); err != nil {
			return err
		}
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		ms, err := strconv.Atoi(in.Text())
		if err != nil {
			return err
		}
		n, err := selectFor(selects, time.Duration(ms)*time.Millisecond)
		if err != nil {
			return err
		}
		fmt.Println(n)
	}
	return nil
}

// pointSelect opens a connection, and returns a function that selects one row over it.
func pointSelect(db *sql.DB, prepared bool) (func() error, error) {
	ctx := context.Background()
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if !prepared {
		return func() error {
			return run(c, "SELECT b FROM t WHERE a = "+strconv.Itoa(rand.IntN(loadRows)))
		}, nil
	}
	s, err := c.PrepareContext(ctx, "SELECT b FROM t WHERE a = ?")
	if err != nil {
		return nil, err
	}
	return func() error {
		var b string
		return s.QueryRowContext(ctx, rand.IntN(loadRows)).Scan(&b)
	}, nil
}

// selectFor runs all of selects concurrently, each over and over, for d, and returns the number of calls.
func selectFor(selects []func() error, d time.Duration) (int64, error) {
	var n atomic.Int64
	errs := make([]error, len(selects))
	end := time.Now().Add(d)
	var all sync.WaitGroup
	for i, one := range selects {
		all.Go(func() {
			for errs[i] == nil && time.Now().Before(end) {
				errs[i] = one()
				n.Add(1)
			}
		})
	}
	all.Wait()
	return n.Load(), errors.Join(errs...)
}

// loader is the process that runs load.
type loader struct {
	in   *bufio.Scanner
	ask  func(ms int) error
	stop func() error
}

// startLoad starts a load on the server at addr.
func startLoad(addr string, connections int, prepared bool) (*loader, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "load", "-connections="+strconv.Itoa(connections), "-prepared="+strconv.FormatBool(prepared), addr)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	l := &loader{in: bufio.NewScanner(stdout)}
	l.ask = func(ms int) error { _, err := fmt.Fprintln(stdin, ms); return err }
	l.stop = func() error { return errors.Join(stdin.Close(), cmd.Wait()) }
	return l, cmd.Start()
}

// run makes the load run for d, and returns its number of statements.
func (l *loader) run(d time.Duration) (n int64, err error) {
	if err := l.ask(int(d.Milliseconds())); err != nil {
		return 0, err
	}
	if !l.in.Scan() {
		return 0, errors.Join(errors.New("the load has ended"), l.in.Err())
	}
	return strconv.ParseInt(strings.TrimSpace(l.in.Text()), 10, 64)
}
