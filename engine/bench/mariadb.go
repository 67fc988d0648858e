package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"

	"pfsd/engine/bench/readings"
)

// mariadb measures how long pfsd and MariaDB take to read the long history of waits, 10,000 rows:
// the same queries, in turn, with the same client, over TCP on the loopback interface. Both servers
// record all waits meanwhile, except in the long history, which does not change after it is full.
// The function starts and stops both servers.
func mariadb(args []string) error {
	flags := flag.NewFlagSet("bench mariadb", flag.ExitOnError)
	pfsd := flags.String("pfsd", "bin/pfsd", "pfsd's `binary`")
	mariadbd := flags.String("mariadbd", "mariadbd", "MariaDB's `binary`")
	install := flags.String("mariadb-install-db", "mariadb-install-db", "the `program` that makes MariaDB's system tables")
	rounds := flags.Int("rounds", 100, "how often each query is run")
	only := flags.String("only", "", "an `expression` that the names of the statements match")
	_ = flags.Parse(args)
	which, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	return withServers(*pfsd, *mariadbd, *install, func(tested, peer *server) error {
		if err := measureBoth(tested, peer, *rounds, which); err != nil {
			return err
		}
		return printBoth(tested, peer, *rounds)
	})
}

// historySize is the number of rows of the history.
const historySize = 10_000

// withServers starts both servers with a full history, calls measure, and stops them.
func withServers(pfsd, mariadbd, install string, measure func(tested, peer *server) error) error {
	options := []string{
		"--performance-schema-instrument=wait/%=ON",
		"--performance-schema-consumer-events-waits-current=ON",
		"--performance-schema-consumer-events-waits-history=ON",
		"--performance-schema-consumer-events-waits-history-long=ON",
		// MariaDB has no history of statements by default. With it both servers return the same rows.
		"--performance-schema-consumer-events-statements-current=ON",
		"--performance-schema-consumer-events-statements-history=ON",
		"--performance-schema-events-statements-history-size=10",
		"--performance-schema-events-waits-history-long-size=" + strconv.Itoa(historySize),
	}
	return withOptions(pfsd, mariadbd, install, options, nil, func(tested, peer *server) error {
		for _, s := range []*server{tested, peer} {
			rest, end := s.load()
			defer end()
			if err := s.fill(); err != nil {
				return err
			}
			rest()
		}
		return measure(tested, peer)
	})
}

// withOptions starts both servers with options, and MariaDB with more options, calls measure, and stops them.
func withOptions(pfsd, mariadbd, install string, options, more []string, measure func(tested, peer *server) error) (err error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	options = append([]string{"--bind-address=127.0.0.1", "--performance-schema=ON"}, options...)
	tested := &server{name: "pfsd", binary: pfsd, dir: filepath.Join(dir, "pfsd"), options: options}
	peer := &server{name: "MariaDB", binary: mariadbd, dir: filepath.Join(dir, "mariadb"), options: slices.Concat([]string{"--no-defaults"}, options, more)}
	if out, err := exec.Command(install, "--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db",
		"--datadir="+peer.dir, "--user="+peer.user()).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", install, err, out)
	}
	peer.options = append(peer.options, "--user="+peer.user(), "--loose-skip-ssl")
	for _, s := range []*server{tested, peer} {
		if err := s.start(); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.stop()) }()
	}
	return measure(tested, peer)
}

// server is a server that is measured.
type server struct {
	name, binary, dir string
	options           []string

	command *exec.Cmd
	exited  chan error
	log     string
	addr    string
	db      *sql.DB
	version string
	queries []query
}

// user returns the account of the server's process. MariaDB refuses root unless an option names it.
func (s *server) user() string {
	if os.Getuid() == 0 {
		return "root"
	}
	return os.Getenv("USER")
}

// start starts the server on a free port and waits until it answers.
func (s *server) start() error {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	port := free.Addr().(*net.TCPAddr).Port
	_ = free.Close()
	s.log = s.dir + ".log"
	log, err := os.Create(s.log)
	if err != nil {
		return err
	}
	defer log.Close()
	s.command = exec.Command(s.binary, append(s.options, "--datadir="+s.dir, "--socket="+s.dir+".sock", "--port="+strconv.Itoa(port))...)
	s.command.Stdout, s.command.Stderr = log, log
	if err := s.command.Start(); err != nil {
		return err
	}
	s.exited = make(chan error, 1)
	go func() { s.exited <- s.command.Wait() }()

	s.addr = fmt.Sprintf("127.0.0.1:%d", port)
	s.db, err = sql.Open("mysql", "root@tcp("+s.addr+")/performance_schema")
	if err != nil {
		return errors.Join(err, s.stop())
	}
	deadline := time.After(60 * time.Second)
	for s.db.QueryRow("SELECT VERSION()").Scan(&s.version) != nil {
		select {
		case err := <-s.exited:
			s.exited <- err
			return s.failed(fmt.Errorf("ended: %w", err))
		case <-deadline:
			return errors.Join(s.failed(errors.New("does not answer")), s.stop())
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

// failed returns err with the server's output.
func (s *server) failed(err error) error {
	log, _ := os.ReadFile(s.log)
	return fmt.Errorf("%s: %w\n%s", s.name, err, log)
}

// stop stops the server, and waits until its process has ended.
func (s *server) stop() error {
	if s.db != nil {
		_ = s.db.Close()
	}
	_ = s.command.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-s.exited:
		return err
	case <-time.After(30 * time.Second):
		_ = s.command.Process.Kill()
		return s.failed(errors.New("did not stop"))
	}
}

// sessions is the number of connections whose waits are in the history.
const sessions = 8

// load opens sessions that work until rest is called, and stay connected until end is called.
func (s *server) load() (rest, end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	working, rested := context.WithCancel(ctx)
	var workers, sleepers sync.WaitGroup
	for range sessions {
		workers.Add(1)
		sleepers.Go(func() {
			c, err := s.db.Conn(ctx)
			if err == nil {
				defer c.Close()
			}
			for err == nil && working.Err() == nil {
				_, err = c.ExecContext(ctx, "SELECT 1")
			}
			workers.Done()
			<-ctx.Done()
		})
	}
	return func() { rested(); workers.Wait() }, func() { cancel(); sleepers.Wait() }
}

// rows returns the number of rows of the history.
func (s *server) rows(ctx context.Context) (n int) {
	_ = s.db.QueryRowContext(ctx, "SELECT COUNT(*) FROM events_waits_history_long").Scan(&n)
	return n
}

// query is a query that is measured.
type query struct {
	name, text string
	rows       int
	took       []time.Duration
	cpu        []time.Duration // processor time of the server
}

// fill waits until the history is full, and stops recording into it. Then it chooses the queries:
// those for the thread and the event that have about a tenth of all rows.
func (s *server) fill() error {
	for deadline := time.Now().Add(60 * time.Second); s.rows(context.Background()) < historySize; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			return s.failed(fmt.Errorf("the history has %d rows", s.rows(context.Background())))
		}
	}
	if _, err := s.db.Exec("UPDATE setup_consumers SET ENABLED = 'NO' WHERE NAME = 'events_waits_history_long'"); err != nil {
		return s.failed(err)
	}
	const from = "FROM events_waits_history_long"
	choose := func(column string) (value string, err error) {
		err = s.db.QueryRow(fmt.Sprintf("SELECT %[1]s %[2]s GROUP BY %[1]s ORDER BY ABS(COUNT(*) - %[3]d) LIMIT 1", column, from, historySize/10)).Scan(&value)
		return value, err
	}
	thread, err := choose("THREAD_ID")
	if err != nil {
		return s.failed(err)
	}
	event, err := choose("EVENT_NAME")
	if err != nil {
		return s.failed(err)
	}
	for _, r := range readings.All(thread, event) {
		s.queries = append(s.queries, query{name: r.Name, text: r.Text})
	}
	return nil
}

// cpu returns the processor time that the server's threads have used.
func (s *server) cpu() time.Duration {
	total := time.Duration(0)
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", s.command.Process.Pid))
	for _, task := range tasks {
		var ns int64
		if b, err := os.ReadFile(task); err == nil {
			_, _ = fmt.Sscan(string(b), &ns)
		}
		total += time.Duration(ns)
	}
	return total
}

// measure runs a query once, and records its time.
func (s *server) measure(q *query, c *rawClient) (err error) {
	cpu, begin := s.cpu(), time.Now()
	if q.rows, err = c.query(q.text); err != nil {
		return s.failed(fmt.Errorf("%s: %w", q.text, err))
	}
	q.took = append(q.took, time.Since(begin))
	q.cpu = append(q.cpu, s.cpu()-cpu)
	return nil
}

// slowQuery: a query that takes longer runs a quarter as often.
const slowQuery = 4 * time.Second

// measureBoth runs each query on both servers in turn.
func measureBoth(tested, peer *server, rounds int, only *regexp.Regexp) error {
	servers := []*server{tested, peer}
	clients := make([]*rawClient, len(servers))
	for i, s := range servers {
		c, err := dialRaw(s.addr, "performance_schema")
		if err != nil {
			return err
		}
		defer c.close()
		clients[i] = c
	}
	const warmUp = 3
	for q := range tested.queries {
		if !only.MatchString(tested.queries[q].name) {
			continue
		}
		for round, begin := 0, time.Now(); round < warmUp+rounds && (round < warmUp+rounds/4 || time.Since(begin) < slowQuery); round++ {
			for i := range servers {
				i = (i + round) % len(servers)
				query := &servers[i].queries[q]
				if err := servers[i].measure(query, clients[i]); err != nil {
					return err
				}
				if round < warmUp {
					query.took, query.cpu = query.took[:0], query.cpu[:0]
				}
			}
		}
	}
	return nil
}

// printBoth prints how long the queries took.
func printBoth(tested, peer *server, rounds int) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%d rounds, ms\t%s %s\t\t\t\t%s %s\t\t\t\t\t\n", rounds, tested.name, tested.version, peer.name, peer.version)
	fmt.Fprintln(w, "\trows\tbest tenth\tmedian\tserver's CPU\trows\tbest tenth\tmedian\tserver's CPU\tverdict\t")
	for i := range tested.queries {
		a, b := &tested.queries[i], &peer.queries[i]
		if a.took == nil {
			continue
		}
		best, their := quantile(a.took, 0.1), quantile(b.took, 0.1)
		verdict := fmt.Sprintf("faster, %.2f times", float64(their)/float64(best))
		if best > their {
			verdict = fmt.Sprintf("SLOWER, %.2f times", float64(best)/float64(their))
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t\n", a.name,
			a.rows, ms(best), ms(quantile(a.took, 0.5)), ms(quantile(a.cpu, 0.1)),
			b.rows, ms(their), ms(quantile(b.took, 0.5)), ms(quantile(b.cpu, 0.1)), verdict)
	}
	return w.Flush()
}

func ms(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()*1000) }
