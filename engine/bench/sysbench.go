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
)

// sysbench runs the transactions of sysbench, unmodified, against pfsd and MariaDB in alternating slices, and prints the transactions per
// second and the processor time of each. Each server has its own tables on disk.
func sysbench(args []string) error {
	flags := flag.NewFlagSet("bench sysbench", flag.ExitOnError)
	pfsd := flags.String("pfsd", "bin/pfsd", "pfsd's `binary`")
	mariadbd := flags.String("mariadbd", "mariadbd", "MariaDB's `binary`")
	install := flags.String("mariadb-install-db", "mariadb-install-db", "the `program` that makes MariaDB's system tables")
	program := flags.String("sysbench", "sysbench", "sysbench's `binary`")
	tests := flags.String("tests", "oltp_point_select,oltp_read_only,oltp_read_write,oltp_update_index,oltp_update_non_index,oltp_insert,oltp_delete",
		"`names` of tests, in their order")
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

	options := []string{"--max-connections=200", fmt.Sprintf("--innodb-flush-log-at-trx-commit=%d", *flush)}
	return withOptions(*pfsd, *mariadbd, *install, options, nil, func(tested, peer *server) error {
		b := &sysbenchRun{program: *program, rows: *rows, prepared: !*unprepared}
		for _, s := range []*server{tested, peer} {
			if _, err := s.db.Exec("CREATE DATABASE IF NOT EXISTS sbtest"); err != nil {
				return s.failed(err)
			}
			if err := b.fill(s); err != nil {
				return err
			}
		}
		fmt.Printf("%d rows, %d slices of %v, flush %d\n", *rows, *slices, *slice, *flush)
		fmt.Printf("%-24s %7s %10s %7s %10s %7s %6s\n", "events/s, us of CPU", "clients", tested.name, "us", peer.name, "us", "ratio")
		for _, test := range strings.Split(*tests, ",") {
			for _, n := range strings.Split(*threads, ",") {
				clients, err := strconv.Atoi(n)
				if err != nil {
					return fmt.Errorf("-threads %s: %w", *threads, err)
				}
				var done [2]sysbenchTotal
				for i := range 2 * *slices {
					which := (i + i/2) % 2 // tested, peer, peer, tested
					s := []*server{tested, peer}[which]
					if test == "oltp_delete" { // the last slice has left few rows
						if err := b.fill(s); err != nil {
							return err
						}
					}
					events, cpu, err := b.run(s, test, "run", clients, *slice)
					if err != nil {
						return err
					}
					done[which].add(events, cpu)
				}
				a, b := done[0].rate(*slice), done[1].rate(*slice)
				fmt.Printf("%-24s %7d %10.0f %7.0f %10.0f %7.0f %6.2f\n", test, clients, a, done[0].cost(), b, done[1].cost(), a/b)
			}
		}
		return nil
	})
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

// fill makes the table anew, with all its rows.
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

// processCPU is the processor time of the server's process, with that of its threads that have ended, in steps of the kernel's tick.
func (s *server) processCPU() time.Duration {
	const tick = 10 * time.Millisecond // USER_HZ is 100
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.command.Process.Pid))
	if err != nil {
		return 0
	}
	// Fields count from the end of the name, which may have spaces: state is the first, utime and stime are the 12th and 13th.
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	total := 0
	for _, f := range fields[11:13] {
		n, _ := strconv.Atoi(string(f))
		total += n
	}
	return time.Duration(total) * tick
}
