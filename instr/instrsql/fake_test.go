package instrsql_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
)

// fake is a driver that records its calls. The text of a statement says what it returns: "fail" an error, "rows N" N rows.
type fake struct {
	mu  sync.Mutex
	log []string // guarded by mu
	// conn makes the driver's connections, which have more or fewer optional interfaces.
	conn func(*fakeConn) driver.Conn
}

func (f *fake) note(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, fmt.Sprintf(format, args...))
}

// calls returns the recorded calls, and drops them.
func (f *fake) calls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	log := f.log
	f.log = nil
	return log
}

func (f *fake) Open(name string) (driver.Conn, error) {
	f.note("open %s", name)
	if name == "refused" {
		return nil, errFake
	}
	return f.conn(&fakeConn{fake: f}), nil
}

// fakeError is an error as go-sql-driver has them.
type fakeError struct {
	Number   uint16
	SQLState [5]byte
	Message  string
}

func (e *fakeError) Error() string { return e.Message }

var errFake = error(&fakeError{1146, [5]byte([]byte("42S02")), "no such table"})

func failing(text string) error {
	switch {
	case strings.Contains(text, "fail"):
		return fmt.Errorf("wrapped: %w", errFake)
	case strings.Contains(text, "cancelled"):
		return context.Canceled
	case strings.Contains(text, "skip"):
		return driver.ErrSkip
	case strings.Contains(text, "panic"):
		panic("driver")
	}
	return nil
}

// fakeConn has no optional interface.
type fakeConn struct {
	fake  *fake
	wraps func(*fakeStmt) driver.Stmt
}

func (c *fakeConn) Prepare(query string) (driver.Stmt, error) {
	c.fake.note("prepare %s", query)
	if strings.Contains(query, "malformed") {
		return nil, errFake
	}
	s := &fakeStmt{c, query}
	if c.wraps != nil {
		return c.wraps(s), nil
	}
	return s, nil
}

func (c *fakeConn) Close() error { c.fake.note("close"); return nil }

func (c *fakeConn) Begin() (driver.Tx, error) { c.fake.note("begin"); return fakeTx{c.fake}, nil }

type fakeTx struct{ fake *fake }

func (t fakeTx) Commit() error   { t.fake.note("commit"); return nil }
func (t fakeTx) Rollback() error { t.fake.note("rollback"); return nil }

type fakeStmt struct {
	conn *fakeConn
	text string
}

func (s *fakeStmt) Close() error { s.conn.fake.note("close statement"); return nil }

func (s *fakeStmt) NumInput() int { return strings.Count(s.text, "?") }

func (s *fakeStmt) Exec(args []driver.Value) (driver.Result, error) {
	s.conn.fake.note("exec %s %v", s.text, args)
	if err := failing(s.text); err != nil && err != driver.ErrSkip {
		return nil, err
	}
	return driver.RowsAffected(3), nil
}

func (s *fakeStmt) Query(args []driver.Value) (driver.Rows, error) {
	s.conn.fake.note("query %s %v", s.text, args)
	if err := failing(s.text); err != nil && err != driver.ErrSkip {
		return nil, err
	}
	return fakeRowsOf(s.text), nil
}

type fakeRows struct{ left, fails int }

func fakeRowsOf(text string) *fakeRows {
	r := &fakeRows{fails: -1}
	if _, n, ok := strings.Cut(text, "rows "); ok {
		fmt.Sscan(n, &r.left)
	}
	if strings.Contains(text, "broken") {
		r.fails = 1
	}
	return r
}

func (*fakeRows) Columns() []string { return []string{"n"} }
func (*fakeRows) Close() error      { return nil }
func (r *fakeRows) Next(to []driver.Value) error {
	if r.left == r.fails {
		return errFake
	}
	if r.left == 0 {
		return io.EOF
	}
	to[0] = int64(r.left)
	r.left--
	return nil
}

// richRows has all optional interfaces.
type richRows struct {
	*fakeRows
	sets int
}

func (r *richRows) HasNextResultSet() bool { return r.sets > 0 }
func (r *richRows) NextResultSet() error {
	if r.sets == 0 {
		return io.EOF
	}
	r.sets--
	r.left = 2
	return nil
}
func (*richRows) ColumnTypeScanType(int) reflect.Type                { return reflect.TypeFor[int32]() }
func (*richRows) ColumnTypeDatabaseTypeName(int) string              { return "BIGINT" }
func (*richRows) ColumnTypeLength(int) (int64, bool)                 { return 7, true }
func (*richRows) ColumnTypeNullable(int) (nullable, ok bool)         { return true, true }
func (*richRows) ColumnTypePrecisionScale(int) (p, s int64, ok bool) { return 5, 2, true }

// oldConn has the optional interfaces without contexts.
type oldConn struct{ *fakeConn }

func (c oldConn) Exec(query string, args []driver.Value) (driver.Result, error) {
	c.fake.note("conn exec %s %v", query, args)
	if err := failing(query); err != nil {
		return nil, err
	}
	return driver.RowsAffected(2), nil
}

func (c oldConn) Query(query string, args []driver.Value) (driver.Rows, error) {
	c.fake.note("conn query %s %v", query, args)
	if err := failing(query); err != nil {
		return nil, err
	}
	return fakeRowsOf(query), nil
}

// convertingStmt converts arguments by column.
type convertingStmt struct{ *fakeStmt }

func (convertingStmt) ColumnConverter(int) driver.ValueConverter { return upper{} }

type upper struct{}

func (upper) ConvertValue(v any) (driver.Value, error) { return strings.ToUpper(fmt.Sprint(v)), nil }

// richConn has all optional interfaces.
type richConn struct{ *fakeConn }

func (c richConn) Ping(context.Context) error { c.fake.note("ping"); return nil }

func (c richConn) ExecContext(_ context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.fake.note("conn exec context %s %v", query, args)
	if err := failing(query); err != nil {
		return nil, err
	}
	return driver.RowsAffected(1), nil
}

func (c richConn) QueryContext(_ context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.fake.note("conn query context %s %v", query, args)
	if err := failing(query); err != nil {
		return nil, err
	}
	return &richRows{fakeRowsOf(query), 1}, nil
}

func (c richConn) PrepareContext(_ context.Context, query string) (driver.Stmt, error) {
	c.fake.note("prepare context %s", query)
	if strings.Contains(query, "malformed") {
		return nil, errFake
	}
	return richStmt{&fakeStmt{c.fakeConn, query}}, nil
}

func (c richConn) BeginTx(_ context.Context, o driver.TxOptions) (driver.Tx, error) {
	c.fake.note("begin %v %v", o.Isolation, o.ReadOnly)
	return fakeTx{c.fake}, nil
}

func (c richConn) CheckNamedValue(v *driver.NamedValue) error {
	c.fake.note("check %v", v.Value)
	if s, ok := v.Value.(fmt.Stringer); ok {
		v.Value = s.String()
		return nil
	}
	return driver.ErrSkip
}

func (c richConn) ResetSession(context.Context) error { c.fake.note("reset"); return nil }
func (c richConn) IsValid() bool                      { c.fake.note("valid"); return true }

// richStmt has methods with contexts, and no check of arguments, so that its connection checks
// them.
type richStmt struct{ *fakeStmt }

func (s richStmt) ExecContext(_ context.Context, args []driver.NamedValue) (driver.Result, error) {
	s.conn.fake.note("exec context %s %v", s.text, args)
	if err := failing(s.text); err != nil && !errors.Is(err, driver.ErrSkip) {
		return nil, err
	}
	return driver.RowsAffected(1), nil
}

func (s richStmt) QueryContext(_ context.Context, args []driver.NamedValue) (driver.Rows, error) {
	s.conn.fake.note("query context %s %v", s.text, args)
	if err := failing(s.text); err != nil && !errors.Is(err, driver.ErrSkip) {
		return nil, err
	}
	return &richRows{fakeRowsOf(s.text), 0}, nil
}

// fakes are drivers with more and fewer optional interfaces.
var fakes = map[string]func() *fake{
	"bare": func() *fake { return &fake{conn: func(c *fakeConn) driver.Conn { return c }} },
	"old":  func() *fake { return &fake{conn: func(c *fakeConn) driver.Conn { return oldConn{c} }} },
	"converting": func() *fake {
		return &fake{conn: func(c *fakeConn) driver.Conn {
			c.wraps = func(s *fakeStmt) driver.Stmt { return convertingStmt{s} }
			return c
		}}
	},
	"rich": func() *fake { return &fake{conn: func(c *fakeConn) driver.Conn { return richConn{c} }} },
}
