package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// server is a process that answers statements: pfsd, or the one it is compared with.
type server struct {
	name    string
	addr    string
	command *exec.Cmd
	end     func() // asks the process to end
	log     string
}

// startPfsd starts pfsd on a free port; dir is for its log.
func startPfsd(binary, dir string) (*server, error) {
	s := &server{name: "pfsd", log: filepath.Join(dir, "pfsd.log")}
	return s, s.start(binary, "--bind-address=127.0.0.1")
}

// startMariaDB starts MariaDB on a free port, with its data below dir.
func startMariaDB(binary, install, dir string) (*server, error) {
	user := os.Getenv("USER")
	if os.Getuid() == 0 { // MariaDB refuses root unless an option names it
		user = "root"
	}
	data := filepath.Join(dir, "mariadb")
	if out, err := exec.Command(install, "--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db", "--datadir="+data, "--user="+user).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", install, err, out)
	}
	s := &server{name: "MariaDB", log: filepath.Join(dir, "mariadb.log")}
	return s, s.start(binary, "--no-defaults", "--bind-address=127.0.0.1", "--datadir="+data, "--user="+user, "--socket="+filepath.Join(dir, "m.sock"), "--default-time-zone=+00:00",
		"--character-set-server=utf8mb4", "--collation-server=utf8mb4_general_ci", "--innodb-flush-log-at-trx-commit=0", "--innodb-flush-method=nosync", "--sync-frm=OFF", "--skip-innodb-doublewrite", "--innodb-buffer-pool-size=64M", "--loose-skip-ssl")
}

// start starts the process, and waits until it answers.
func (s *server) start(binary string, options ...string) error {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	port := free.Addr().(*net.TCPAddr).Port
	_ = free.Close()
	s.addr = "127.0.0.1:" + strconv.Itoa(port)
	log, err := os.Create(s.log)
	if err != nil {
		return err
	}
	defer log.Close()
	var ctx context.Context
	ctx, s.end = context.WithCancel(context.Background())
	s.command = exec.CommandContext(ctx, binary, append(options, "--port="+strconv.Itoa(port))...)
	s.command.Cancel = func() error { return s.command.Process.Signal(syscall.SIGTERM) }
	s.command.WaitDelay = 30 * time.Second // it is killed then
	s.command.Stdout, s.command.Stderr = log, log
	s.command.Env = append(os.Environ(), "GOMEMLIMIT=2GiB")
	if err := s.command.Start(); err != nil {
		return err
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		c, err := dial(s.addr, 5*time.Second)
		if err == nil {
			return c.close()
		}
		if time.Now().After(deadline) {
			return errors.Join(s.failed(err), s.stop())
		}
	}
}

// failed returns err with the server's output.
func (s *server) failed(err error) error {
	log, _ := os.ReadFile(s.log)
	return fmt.Errorf("%s: %w\n%s", s.name, err, log)
}

// stop stops the server, and waits until its process has ended.
func (s *server) stop() error {
	if s == nil || s.command == nil || s.command.Process == nil {
		return nil
	}
	s.end()
	if err := s.command.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return s.failed(err)
	}
	return nil
}

// session is a connection to a server, with a world in a database of its own. A connection that is lost is opened again.
type session struct {
	addr, database string
	current        string // the database in use
	keys           bool   // the tables have all their keys
	conn           *client
	loaded         string // the statements that made the tables, as long as nothing has changed them
	modes          string
}

// patience is how long a statement may take.
const patience = 10 * time.Second

// lostConnection is the error of a statement in which the connection broke or the patience ended.
const lostConnection = 2013

func (s *session) open() error {
	if s.conn != nil {
		return nil
	}
	if s.current == "" {
		s.current = s.database
	}
	c, err := dial(s.addr, patience)
	if err != nil {
		return err
	}
	s.conn = c
	for _, q := range []string{"SET NAMES utf8mb4 COLLATE utf8mb4_general_ci", "SET time_zone = '+00:00'", "USE " + s.current} {
		if _, err := c.query(q); err != nil {
			return err
		}
	}
	s.modes = "unknown"
	return nil
}

func (s *session) close() {
	if s.conn != nil {
		_ = s.conn.close()
		s.conn = nil
	}
}

func (s *session) broken(err error) *outcome {
	s.close()
	return &outcome{err: &serverError{number: lostConnection, state: "HY000", message: err.Error()}}
}

// run sends a statement as text.
func (s *session) run(text string) *outcome {
	if err := s.open(); err != nil {
		return s.broken(err)
	}
	o, err := s.conn.query(text)
	if err != nil {
		return s.broken(err)
	}
	return o
}

// prepared prepares and executes a statement.
func (s *session) prepared(text string, sets ...[]any) []*outcome {
	if err := s.open(); err != nil {
		return []*outcome{s.broken(err)}
	}
	o, err := s.conn.prepared(text, sets...)
	if err != nil {
		return []*outcome{s.broken(err)}
	}
	return o
}

// load makes the tables of a world, unless they are there already. It returns the statement that failed, and its error.
func (s *session) load(w *world) (string, *serverError) {
	all := w.statements(s.keys)
	script := w.collation + strings.Join(all, ";\n")
	if s.modes != w.modes {
		if o := s.run("SET sql_mode = '" + w.modes + "'"); o.err != nil {
			return "SET sql_mode", o.err
		}
		s.modes = w.modes
	}
	if s.loaded == script && script != "" || w.frozen {
		if w.frozen && s.current != "performance_schema" {
			s.current, s.loaded = "performance_schema", ""
			s.run("USE performance_schema")
		}
		return "", nil
	}
	s.loaded, s.current = "", s.database
	for _, text := range append([]string{"DROP DATABASE IF EXISTS " + s.database, w.database(s.database), "USE " + s.current}, all...) {
		if o := s.run(text); o.err != nil {
			return text, o.err
		}
	}
	s.loaded = script
	return "", nil
}
