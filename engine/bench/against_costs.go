package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"pfsd/engine/bench/readings"
)

// side is the revision or the working tree.
type side struct {
	name, tree string
	dir        string // of what is built from it
	server     *server
	conn       *sql.Conn
	prepared   *sql.Stmt // of the point select
}

// file is a file that is built from the side.
func (s *side) file(name string) string { return filepath.Join(s.dir, name) }

// build builds a command of the side.
func (s *side) build(name, path string) error {
	cmd := exec.Command("go", "build", "-tags", "gms_pure_go", "-ldflags=-s", "-o", s.file(name), path)
	cmd.Dir = s.tree
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", s.name, err, out)
	}
	return nil
}

// costsOf builds both sides, starts their servers, and returns what is compared. end stops the servers, if there are any.
func costsOf(sides [2]*side, which *regexp.Regexp, quick, builds bool) (all []cost, end func() error, err error) {
	end = func() (err error) {
		for _, s := range sides {
			if s.server != nil {
				err = errors.Join(err, s.server.stop())
			}
		}
		return err
	}
	add := func(prepare func(s *side) error, costs ...cost) error {
		var wanted []cost
		for _, c := range costs {
			if which.MatchString(c.name) {
				wanted = append(wanted, c)
			}
		}
		for _, s := range sides {
			if len(wanted) > 0 && prepare != nil {
				if s.dir, err = filepath.Abs(s.dir); err != nil {
					return err
				}
				if err := errors.Join(os.MkdirAll(s.dir, 0o700), prepare(s)); err != nil {
					return err
				}
			}
		}
		all = append(all, wanted...)
		return nil
	}
	pfsd := func(s *side) error {
		if _, err := os.Stat(s.file("pfsd")); err == nil {
			return nil
		}
		return s.build("pfsd", "./cmd/pfsd")
	}
	err = errors.Join(
		add(pfsd, cost{name: "binary size", unit: "bytes", once: true, slice: func(s *side) (map[string]float64, error) {
			info, err := os.Stat(s.file("pfsd"))
			if err != nil {
				return nil, err
			}
			return map[string]float64{"": float64(info.Size())}, nil
		}}),
		add(pfsd, cost{name: "start and end of pfsd --version", unit: "ns of CPU", slice: func(s *side) (map[string]float64, error) {
			return spent(exec.Command(s.file("pfsd"), "--version"))
		}}),
		add(func(s *side) error { return errors.Join(pfsd(s), s.serve()) }, statementCosts()...),
		add(func(s *side) error { return s.build("hotpath", "./instr/bench") }, cost{name: "hot path:", unit: "times plain", slice: hotPathSlice}),
	)
	if err == nil && !quick {
		err = add(func(s *side) error { return errors.Join(pfsd(s), s.weave()) }, wovenCosts()...)
	}
	if err == nil && builds {
		err = add(nil, cost{name: "build from empty caches", unit: "ns of CPU", once: true, slice: func(s *side) (map[string]float64, error) {
			cache, err := os.MkdirTemp("", "bench-cache")
			if err != nil {
				return nil, err
			}
			defer os.RemoveAll(cache)
			cmd := exec.Command("go", "build", "-tags", "gms_pure_go", "-o", os.DevNull, "./cmd/pfsd")
			cmd.Dir = s.tree
			cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOCACHE="+cache)
			return spent(cmd)
		}})
	}
	return all, end, err
}

// spent runs a command, and returns the processor time that it and its children have taken.
func spent(cmd *exec.Cmd) (map[string]float64, error) {
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return map[string]float64{"": float64(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime())}, nil
}

// serve starts the side's server on one processor, fills tables, and connects. The client uses the others.
func (s *side) serve() error {
	if s.server != nil {
		return nil
	}
	runtime.LockOSThread() // the server inherits the processors of the thread
	defer runtime.UnlockOSThread()
	var before, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return err
	}
	for i := range 1024 {
		if before.IsSet(i) {
			one.Set(i)
			break
		}
	}
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return err
	}
	server := &server{name: s.name, binary: s.file("pfsd"), dir: s.file("data"), options: []string{"--bind-address=127.0.0.1"}}
	err := errors.Join(server.start(), unix.SchedSetaffinity(0, &before))
	if err != nil {
		return err
	}
	s.server = server
	if s.conn, err = server.db.Conn(context.Background()); err != nil {
		return err
	}
	for _, q := range []string{
		"CREATE DATABASE bench", "USE bench", "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(50), c DECIMAL(10, 2), d INT, KEY (b), KEY (d))",
		"SET SESSION cte_max_recursion_depth = 10000",
		"INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i, CONCAT('text ', i), i / 7, i % 10 FROM n",
		"CREATE VIEW v AS SELECT a, b FROM t WHERE a > 10", "CREATE PROCEDURE p(IN x INT) SELECT b FROM t WHERE a = x",
		"CREATE FUNCTION f(x INT) RETURNS INT NO SQL RETURN x + 1", "CREATE TABLE child (a INT PRIMARY KEY, t INT, FOREIGN KEY (t) REFERENCES t (a))",
		"INSERT INTO child SELECT a, a FROM t WHERE a < 100", "USE performance_schema",
	} {
		if err := run(s.conn, q); err != nil {
			return err
		}
	}
	return nil
}

// processorTime is how much processor time the server has taken.
func (s *side) processorTime() (time.Duration, error) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", s.server.command.Process.Pid))
	if err != nil || len(files) == 0 {
		return 0, errors.Join(err, errors.New("the system does not say how much processor time a thread has taken"))
	}
	sum := time.Duration(0)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue // the thread has ended, which a Go program's seldom do
		}
		first, _, _ := strings.Cut(string(text), " ")
		n, err := strconv.ParseInt(first, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", f, err)
		}
		sum += time.Duration(n)
	}
	return sum, nil
}

// statementCosts are the processor time that the server takes for statements and connections.
func statementCosts() (all []cost) {
	timed := func(name string, do func(s *side) error) {
		all = append(all, cost{name: name, unit: "ns of CPU", slice: func(s *side) (map[string]float64, error) {
			before, err := s.processorTime()
			if err != nil {
				return nil, err
			}
			n := 0
			for end := time.Now().Add(40 * time.Millisecond); n == 0 || time.Now().Before(end); n++ {
				if err := do(s); err != nil {
					return nil, err
				}
			}
			after, err := s.processorTime()
			return map[string]float64{"": float64(after-before) / float64(n)}, err
		}})
	}
	for _, q := range []readings.Statement{
		{Name: "point select", Text: "SELECT b FROM bench.t WHERE a = 500"},
		{Name: "select by index", Text: "SELECT a, c FROM bench.t WHERE b = 'text 77'"},
		{Name: "select from a view", Text: "SELECT b FROM bench.v WHERE a = 500"},
		{Name: "join of two tables", Text: "SELECT t.b FROM bench.t JOIN bench.child ON child.t = t.a WHERE t.d = 3"},
		{Name: "groups", Text: "SELECT d, COUNT(*), SUM(c) FROM bench.t GROUP BY d"},
		{Name: "sorted rows", Text: "SELECT * FROM bench.t ORDER BY c DESC LIMIT 10"},
		{Name: "window", Text: "SELECT a, ROW_NUMBER() OVER (PARTITION BY d ORDER BY c) FROM bench.t WHERE a < 100"},
		{Name: "update by key", Text: "UPDATE bench.t SET c = c + 1 WHERE a = 500"},
		{Name: "insert and delete", Text: "INSERT INTO bench.t VALUES (5000, 'x', 1, 1);DELETE FROM bench.t WHERE a = 5000"},
		{Name: "call of a procedure", Text: "CALL bench.p(500)"},
		{Name: "call of a function", Text: "SELECT bench.f(1)"},
	} {
		texts := strings.Split(q.Text, ";")
		timed("statement: "+q.Name, func(s *side) error {
			for _, text := range texts {
				if err := run(s.conn, text); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for _, q := range readings.All("1", "wait/synch/mutex/sql/LOCK_thd_list") {
		timed("reading: "+q.Name, func(s *side) error { return run(s.conn, q.Text) })
	}
	const byKey = "SELECT b FROM bench.t WHERE a = ?"
	timed("prepared: point select", func(s *side) error {
		if s.prepared == nil {
			p, err := s.conn.PrepareContext(context.Background(), byKey)
			if err != nil {
				return err
			}
			s.prepared = p
		}
		var b string
		return s.prepared.QueryRow(500).Scan(&b)
	})
	timed("connection with a statement", func(s *side) error {
		c, err := dialRaw(s.server.addr, "performance_schema")
		if err != nil {
			return err
		}
		_, err = c.query("SELECT 1")
		return errors.Join(err, c.close())
	})
	return all
}

// hotPathSlice measures the library's operations once, as how many times as long as plain ones they take.
func hotPathSlice(s *side) (map[string]float64, error) {
	out, err := exec.Command(s.file("hotpath"), "-runs=1", "-d=10ms", "-tsv").Output()
	if err != nil {
		return nil, err
	}
	all := map[string]float64{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		cells := strings.Split(lines.Text(), "\t")
		if len(cells) != 4 {
			return nil, fmt.Errorf("%q has %d columns, want 4", lines.Text(), len(cells))
		}
		if all[cells[0]], err = strconv.ParseFloat(cells[1], 64); err != nil {
			return nil, err
		}
	}
	return all, nil
}
