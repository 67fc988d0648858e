package main

import (
	"bytes"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"pfsd/engine/bench/ratios"
)

// sysbench runs the transactions of sysbench, unmodified, against pfsd and MariaDB in alternating slices, and prints the transactions per
// second and the processor time of each. Each server has its own tables on disk.
func sysbench(args []string) error {
	flags := flag.NewFlagSet("bench sysbench", flag.ExitOnError)
	pfsd := flags.String("pfsd", "bin/pfsd", "pfsd's `binary`")
	mariadbd := flags.String("mariadbd", "mariadbd", "MariaDB's `binary`")
	install := flags.String("mariadb-install-db", "mariadb-install-db", "the `program` that makes MariaDB's system tables")
	program := flags.String("sysbench", "sysbench", "sysbench's `binary`")
	tests := flags.String("tests", sysbenchTests, "`names` of tests, in their order")
	threads := flags.String("threads", "1,2,8,32", "`numbers` of clients")
	rows := flags.Int("rows", 10_000, "rows of the table")
	slice := flags.Duration("slice", 3*time.Second, "how long one server is measured at a time, whole seconds")
	slices := flags.Int("slices", 4, "how often each server is measured")
	flush := flags.Int("flush", 0, "innodb_flush_log_at_trx_commit of both")
	unprepared := flags.Bool("unprepared", false, "send texts, do not prepare")
	_ = flags.Parse(args)
	if *slice < time.Second || *slice%time.Second != 0 {
		return fmt.Errorf("-slice %v: sysbench runs for whole seconds", *slice)
	}

	var clients []int
	for _, n := range strings.Split(*threads, ",") {
		count, err := strconv.Atoi(n)
		if err != nil {
			return fmt.Errorf("-threads %s: %w", *threads, err)
		}
		clients = append(clients, count)
	}
	return withOptions(*pfsd, *mariadbd, *install, sysbenchOptions(*flush), nil, func(tested, peer *server) error {
		fmt.Printf("%d rows, %d slices of %v, flush %d\n", *rows, *slices, *slice, *flush)
		fmt.Printf("%-24s %7s %10s %7s %10s %7s %6s\n", "events/s, us of CPU", "clients", tested.name, "us", peer.name, "us", "ratio")
		b := &sysbenchRun{program: *program, rows: *rows, prepared: !*unprepared}
		return b.measure(tested, peer, strings.Split(*tests, ","), clients, *slice, *slices, func(test string, clients int, done [2]sysbenchTotal) {
			a, b := done[0].rate(*slice), done[1].rate(*slice)
			fmt.Printf("%-24s %7d %10.0f %7.0f %10.0f %7.0f %6.2f\n", test, clients, a, done[0].cost(), b, done[1].cost(), a/b)
		})
	})
}

// sysbenchTests are the tests of sysbench to run, in this order.
const sysbenchTests = "oltp_point_select,oltp_read_only,oltp_read_write,oltp_update_index,oltp_update_non_index,oltp_insert,oltp_delete"

// sysbenchOptions returns the options of both servers.
func sysbenchOptions(flush int) []string {
	return []string{"--max-connections=200", fmt.Sprintf("--innodb-flush-log-at-trx-commit=%d", flush)}
}

// measure fills the table of each server, and runs tests with each number of clients in alternating
// slices. It calls each with the totals of the two servers.
func (b *sysbenchRun) measure(tested, peer *server, tests []string, clients []int, slice time.Duration, slices int, each func(test string, clients int, done [2]sysbenchTotal)) error {
	servers := []*server{tested, peer}
	for _, s := range servers {
		if _, err := s.db.Exec("CREATE DATABASE IF NOT EXISTS sbtest"); err != nil {
			return s.failed(err)
		}
		if err := b.fill(s); err != nil {
			return err
		}
	}
	for _, test := range tests {
		for _, n := range clients {
			var done [2]sysbenchTotal
			for i := range 2 * slices {
				which := (i + i/2) % 2 // tested, peer, peer, tested
				s := servers[which]
				if test == "oltp_delete" { // the last slice has deleted most rows
					if err := b.fill(s); err != nil {
						return err
					}
				}
				events, cpu, err := b.run(s, test, "run", n, slice)
				if err != nil {
					return err
				}
				done[which].add(events, cpu)
			}
			each(test, n, done)
		}
	}
	return nil
}

// sysbenchRows compares sysbench's transactions with MariaDB: the ratios of times and of processor
// times. Commits are not synced, because the device would decide the result, except in the test
// that updates one row.
func sysbenchRows(pfsd string, file []ratios.Row) (rows []ratios.Row, err error) {
	if missing := missingPeer(file, "sysbench, "); missing != nil {
		return missing, nil
	}
	const slice = 2 * time.Second
	add := func(name string, done [2]sysbenchTotal, budget float64) {
		rows = append(rows, ratios.Row{
			Name: "sysbench, " + name, Value: done[1].rate(slice) / max(done[0].rate(slice), 1), Unit: timesMariaDB, Margin: 0.5, Slack: 0.3, Budget: budget,
		}, ratios.Row{
			Name: "sysbench, " + name + ", processor time", Value: done[0].cost() / done[1].cost(), Unit: timesMariaDB, Margin: 0.25, Slack: 0.2, Budget: -1,
		})
	}
	b := &sysbenchRun{program: "sysbench", rows: 10_000, prepared: true}
	err = withOptions(pfsd, "mariadbd", "mariadb-install-db", sysbenchOptions(0), nil, func(tested, peer *server) error {
		return b.measure(tested, peer, strings.Split(sysbenchTests, ","), []int{1, 2, 8, 32}, slice, 2, func(test string, clients int, done [2]sysbenchTotal) {
			add(fmt.Sprintf("%s, %d clients", test, clients), done, 2)
		})
	})
	if err != nil {
		return nil, err
	}
	err = withOptions(pfsd, "mariadbd", "mariadb-install-db", sysbenchOptions(1), nil, func(tested, peer *server) error {
		return b.measure(tested, peer, []string{"oltp_update_non_index"}, []int{32}, slice, 2, func(test string, clients int, done [2]sysbenchTotal) {
			add(fmt.Sprintf("%s, %d clients, synced", test, clients), done, 1.3)
		})
	})
	return rows, err
}

// sysbenchTotal sums up the slices of a server.
type sysbenchTotal struct {
	events, slices int
	cpu            time.Duration
}

func (t *sysbenchTotal) add(events int, cpu time.Duration) {
	t.events += events
	t.slices++
	t.cpu += cpu
}

// rate returns the events per second.
func (t *sysbenchTotal) rate(slice time.Duration) float64 {
	return float64(t.events) / (float64(t.slices) * slice.Seconds())
}

// cost returns the processor time of an event, in microseconds.
func (t *sysbenchTotal) cost() float64 {
	return float64(t.cpu.Microseconds()) / float64(max(t.events, 1))
}

// sysbenchRun has the arguments of sysbench.
type sysbenchRun struct {
	program  string
	rows     int
	prepared bool
}

var (
	sysbenchEvents = regexp.MustCompile(`total number of events:\s+(\d+)`)
	sysbenchError  = regexp.MustCompile(`(?m)^FATAL.*$`)
)

// fill creates the table again, with all its rows.
func (b *sysbenchRun) fill(s *server) error {
	if _, err := s.db.Exec("DROP TABLE IF EXISTS sbtest.sbtest1"); err != nil {
		return s.failed(err)
	}
	_, _, err := b.run(s, "oltp_common", "prepare", 1, 0)
	return err
}

// run runs a test for a time. It returns its events, and the server's processor time.
func (b *sysbenchRun) run(s *server, test, what string, clients int, slice time.Duration) (events int, cpu time.Duration, err error) {
	host, port, err := net.SplitHostPort(s.addr)
	if err != nil {
		return 0, 0, err
	}
	mode := "auto"
	if !b.prepared {
		mode = "disable"
	}
	before := s.processCPU()
	out, err := exec.Command(b.program, test, "--db-driver=mysql", "--mysql-host="+host, "--mysql-port="+port, "--mysql-user=root", "--mysql-db=sbtest",
		"--mysql-ssl=off", "--db-ps-mode="+mode, "--tables=1", "--table-size="+strconv.Itoa(b.rows), "--threads="+strconv.Itoa(clients), "--events=0",
		"--time="+strconv.FormatFloat(slice.Seconds(), 'f', -1, 64), "--mysql-ignore-errors=1213,1020,1205,1062", what).CombinedOutput()
	cpu = s.processCPU() - before
	if err != nil {
		fatal := sysbenchError.Find(out)
		if fatal == nil {
			fatal = out
		}
		return 0, 0, s.failed(fmt.Errorf("%s %s: %w: %s", test, what, err, fatal))
	}
	if m := sysbenchEvents.FindSubmatch(out); m != nil {
		events, err = strconv.Atoi(string(m[1]))
	}
	return events, cpu, err
}

// processCPU returns the processor time of the server's process, including threads that have ended,
// in steps of the kernel's tick.
func (s *server) processCPU() time.Duration {
	const tick = 10 * time.Millisecond // USER_HZ is 100
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.command.Process.Pid))
	if err != nil {
		return 0
	}
	// The name of the process may contain spaces, so fields count from its end: state is the first,
	// utime and stime are the 12th and 13th.
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	total := 0
	for _, f := range fields[11:13] {
		n, _ := strconv.Atoi(string(f))
		total += n
	}
	return time.Duration(total) * tick
}
