package top

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"
)

// A Flavour is a kind of server.
type Flavour int

// The kinds of servers.
const (
	PFSD Flavour = iota
	MySQL
	MariaDB
)

// flavourOf returns the kind of a server from its version, as it says itself.
func flavourOf(version string) Flavour {
	switch {
	case strings.Contains(version, "pfsd"):
		return PFSD
	case strings.Contains(version, "MariaDB"):
		return MariaDB
	}
	return MySQL
}

const (
	askTimeout = 5 * time.Second // of each question, and of signing in
	maxRows    = 10_000          // of an answer; the questions of the views have lower limits of their own
	maxValue   = 64 << 10        // bytes of a value
)

// A Server is what is known about a server that has been reached.
type Server struct {
	Version string
	Flavour Flavour
	// Schema is whether its performance schema is on: without it, most views are empty.
	Schema bool
	// Started is when it started, by its own clock and to a second or two.
	Started time.Time
	// Skew is how much its clock is ahead of this machine's.
	Skew time.Duration
}

// An Answer is what a server said.
type Answer struct {
	Columns []Column
	Rows    [][]Value
}

// A Source asks one server, one question at a time. Safe for concurrent use.
type Source struct {
	mu     sync.Mutex // held during each question; guards the fields
	db     *sql.DB
	conn   *sql.Conn // nil while there is none
	server Server
	known  bool // server was reached before
	// returned is what there is to say after a new connection, "" after that was read.
	returned string
}

// Open returns a source for the server of a configuration. It does not connect: the first question does.
func Open(cfg *mysql.Config) (*Source, error) {
	cfg.Logger, cfg.Timeout, cfg.ReadTimeout, cfg.WriteTimeout = &mysql.NopLogger{}, askTimeout, 2*askTimeout, askTimeout
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	return &Source{db: db}, nil
}

// Close ends the connection.
func (s *Source) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
	return s.db.Close()
}

func (s *Source) drop() {
	if s.conn != nil {
		_ = s.conn.Close()
		s.conn = nil
	}
}

// connect makes the connection, if there is none. It returns an error if the server does not let it.
func (s *Source) connect(ctx context.Context) error {
	if s.conn != nil {
		return nil
	}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	server, err := greet(ctx, conn)
	if err != nil {
		_ = conn.Close()
		return err
	}
	if s.known {
		s.returned = "connected again"
		if server.Started.Sub(s.server.Started).Abs() > 3*time.Second {
			s.returned = "the server has restarted; " + s.returned
		}
	}
	s.conn, s.server, s.known = conn, server, true
	return nil
}

// greet prepares a connection, and asks what the server is.
func greet(ctx context.Context, conn *sql.Conn) (server Server, err error) {
	if _, err = conn.ExecContext(ctx, "SET time_zone = '+00:00', @pfsd_top_since = UTC_TIMESTAMP(6)"); err != nil {
		return server, err
	}
	var now float64
	err = conn.QueryRowContext(ctx, "SELECT VERSION(), @@performance_schema, UNIX_TIMESTAMP(NOW(6))").Scan(&server.Version, &server.Schema, &now)
	if err != nil {
		return server, err
	}
	server.Version = Clean(cutBytes(server.Version, 60))
	server.Flavour = flavourOf(server.Version)
	at := time.UnixMicro(int64(now * 1e6))
	server.Skew = time.Until(at)
	var name string
	var uptime int64
	if err = conn.QueryRowContext(ctx, "SHOW GLOBAL STATUS LIKE 'Uptime'").Scan(&name, &uptime); err != nil {
		return server, err
	}
	server.Started = at.Add(-time.Duration(uptime) * time.Second)
	// The server ends a statement that takes too long, even if nobody is there to cancel it.
	limit := fmt.Sprintf("SET SESSION max_execution_time = %d", askTimeout.Milliseconds())
	if server.Flavour == MariaDB {
		limit = fmt.Sprintf("SET SESSION max_statement_time = %d", int(askTimeout.Seconds()))
	}
	if _, err = conn.ExecContext(ctx, limit); err != nil {
		return server, err
	}
	// What this program asks shall not count. The account need not have the right to that: the views leave
	// the connection out anyway.
	_, err = conn.ExecContext(ctx, "UPDATE performance_schema.threads SET INSTRUMENTED = 'NO' WHERE PROCESSLIST_ID = CONNECTION_ID()")
	if isAnswer(err) {
		err = nil
	}
	return server, err
}

// endings are the errors with which a server ends a connection.
var endings = []uint16{
	1053, // it shuts down
	1927, // somebody killed the connection, MariaDB
	4031, // nobody used the connection for too long
}

// isAnswer reports whether an error is the server's answer to a statement, after which the connection is
// still there.
func isAnswer(err error) bool {
	var answer *mysql.MySQLError
	return errors.As(err, &answer) && !slices.Contains(endings, answer.Number)
}

// do executes f with a connection and a time limit.
func (s *Source) do(ctx context.Context, f func(context.Context, *sql.Conn) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	err := s.connect(ctx)
	if err != nil {
		return &ConnectionError{err}
	}
	if err = f(ctx, s.conn); err == nil || isAnswer(err) {
		return err
	}
	s.drop()
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %s", askTimeout)
	}
	return &ConnectionError{err}
}

// A ConnectionError says that the server cannot be reached. You get it from each question until it can be again.
type ConnectionError struct{ Err error }

// Error is the cause.
func (e *ConnectionError) Error() string { return "no connection: " + e.Err.Error() }

// Unwrap is the cause.
func (e *ConnectionError) Unwrap() error { return e.Err }

// Server connects, if there is no connection, and returns what the server is. The text is what there is to say
// about a new connection, "" if it is the first or there is nothing new.
func (s *Source) Server(ctx context.Context) (server Server, text string, err error) {
	err = s.do(ctx, func(context.Context, *sql.Conn) error {
		server, text, s.returned = s.server, s.returned, ""
		return nil
	})
	return server, text, err
}

// Ask asks the server. The texts of the answer are cleaned.
func (s *Source) Ask(ctx context.Context, q *Query, args ...any) (a *Answer, err error) {
	err = s.do(ctx, func(ctx context.Context, conn *sql.Conn) error {
		rows, err := conn.QueryContext(ctx, q.SQL, args...)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		a, err = read(rows, q.Columns)
		return err
	})
	return a, err
}

// read reads an answer with these columns.
func read(rows *sql.Rows, columns []Column) (*Answer, error) {
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	if len(names) != len(columns) {
		return nil, fmt.Errorf("the answer has %d columns, not %d", len(names), len(columns))
	}
	a := &Answer{Columns: columns}
	raw, into := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
	for i := range raw {
		into[i] = &raw[i]
	}
	for len(a.Rows) < maxRows && rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		row := make([]Value, len(columns))
		for i, b := range raw {
			row[i] = Value{Text: Clean(cutBytes(string(b[:min(len(b), maxValue+4)]), maxValue)), Null: b == nil}
		}
		a.Rows = append(a.Rows, row)
	}
	return a, rows.Err()
}

// Kill ends the statement of a connection, or the connection.
func (s *Source) Kill(ctx context.Context, connection uint64, whole bool) error {
	what := "KILL QUERY"
	if whole {
		what = "KILL"
	}
	return s.do(ctx, func(ctx context.Context, conn *sql.Conn) error {
		_, err := conn.ExecContext(ctx, fmt.Sprintf("%s %d", what, connection))
		return err
	})
}
