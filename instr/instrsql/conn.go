package instrsql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"

	"pfsd/instr"
)

// conn is a connection whose calls are recorded. It always has those optional interfaces for which it can do what database/sql
// does if a driver lacks them; execConn and queryConn have the others. As with any connection, one goroutine at a time uses it.
type conn struct {
	plain driver.Conn
	db    *database
	place *instr.PoolConn
	tx    *instr.Thread // the thread in whose transaction the connection is, nil for none
	txID  uint64        // the id of tx, because its record may serve another thread later
}

var _ interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.NamedValueChecker
	driver.Pinger
	driver.SessionResetter
	driver.Validator
} = (*conn)(nil)

// execConn and queryConn are for connections that can execute a statement, or run a query, without preparing it. If a connection
// lacks them, database/sql prepares the text before it looks at the arguments.
type (
	execConn  struct{ conn *conn }
	queryConn struct{ conn *conn }
)

// wrapped is the connection with execConn and queryConn, as far as the plain one has their
// interfaces.
func (w *conn) wrapped() driver.Conn {
	execs, queries := false, false
	switch w.plain.(type) {
	case driver.ExecerContext, driver.Execer: //nolint:staticcheck // drivers still have it
		execs = true
	}
	switch w.plain.(type) {
	case driver.QueryerContext, driver.Queryer: //nolint:staticcheck // drivers still have it
		queries = true
	}
	switch {
	case execs && queries:
		return struct {
			*conn
			execConn
			queryConn
		}{w, execConn{w}, queryConn{w}}
	case execs:
		return struct {
			*conn
			execConn
		}{w, execConn{w}}
	case queries:
		return struct {
			*conn
			queryConn
		}{w, queryConn{w}}
	}
	return w
}

// connect opens a connection and records that.
func (d *database) connect(open func() (driver.Conn, error)) (driver.Conn, error) {
	c := d.begin("connect")
	defer c.abandon()
	plain, err := open()
	c.end(err, 0)
	if err != nil {
		return nil, err
	}
	return (&conn{plain: plain, db: d, place: d.pool.Open()}).wrapped(), nil
}

// use records who uses a new connection: database/sql does not call ResetSession for it.
func (w *conn) use() {
	if !w.place.Taken() {
		w.db.noteWaits()
		w.place.Take()
	}
}

// Raw returns the plain connection.
func (w *conn) Raw() driver.Conn { return w.plain }

// Close implements driver.Conn.
func (w *conn) Close() error {
	w.place.Close()
	return w.plain.Close()
}

// Ping implements driver.Pinger.
func (w *conn) Ping(ctx context.Context) error {
	p, ok := w.plain.(driver.Pinger)
	if !ok {
		return nil
	}
	w.use()
	c := w.db.begin("ping")
	defer c.abandon()
	err := p.Ping(ctx)
	c.end(err, 0)
	return err
}

// ResetSession implements driver.SessionResetter: a goroutine takes the connection from the pool.
func (w *conn) ResetSession(ctx context.Context) error {
	w.db.noteWaits()
	w.place.Take()
	if r, ok := w.plain.(driver.SessionResetter); ok {
		return r.ResetSession(ctx)
	}
	return nil
}

// IsValid implements driver.Validator: the connection goes back to the pool.
func (w *conn) IsValid() bool {
	w.place.GiveBack()
	if v, ok := w.plain.(driver.Validator); ok {
		return v.IsValid()
	}
	return true
}

// CheckNamedValue implements driver.NamedValueChecker.
func (w *conn) CheckNamedValue(v *driver.NamedValue) error {
	if c, ok := w.plain.(driver.NamedValueChecker); ok {
		return c.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

// Prepare implements driver.Conn.
func (w *conn) Prepare(query string) (driver.Stmt, error) {
	return w.PrepareContext(context.Background(), query)
}

// PrepareContext implements driver.ConnPrepareContext.
func (w *conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	w.use()
	c := w.db.beginText(w.db.class([]byte("prepare")), query, "PREPARE "+query) // what is executed counts alone in the digest of the query
	defer c.abandon()
	plain, err := w.prepare(ctx, query)
	var prepared *instr.PreparedStatement
	if err == nil {
		prepared = c.thread.Prepare(instr.PreparedOptions{StatementID: w.db.statements.Add(1), SQLText: query})
	}
	c.end(err, 0)
	if err != nil {
		return nil, err
	}
	s := &stmt{plain: plain, conn: w, text: query, prepared: prepared}
	if converts, ok := plain.(driver.ColumnConverter); ok { //nolint:staticcheck // drivers still have it
		return &convertingStmt{s, converts}, nil
	}
	return s, nil
}

func (w *conn) prepare(ctx context.Context, query string) (driver.Stmt, error) {
	if p, ok := w.plain.(driver.ConnPrepareContext); ok {
		return p.PrepareContext(ctx, query)
	}
	s, err := w.plain.Prepare(query)
	if err == nil && ctx.Err() != nil {
		_ = s.Close()
		return nil, ctx.Err()
	}
	return s, err
}

// ExecContext implements driver.ExecerContext.
func (c execConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	var exec func() (driver.Result, error)
	switch p := c.conn.plain.(type) {
	case driver.ExecerContext:
		exec = func() (driver.Result, error) { return p.ExecContext(ctx, query, args) }
	case driver.Execer: //nolint:staticcheck // drivers still have it
		exec = func() (driver.Result, error) {
			return withValues(ctx, args, func(v []driver.Value) (driver.Result, error) { return p.Exec(query, v) })
		}
	}
	c.conn.use()
	return c.conn.db.exec(query, nil, exec)
}

// QueryContext implements driver.QueryerContext.
func (c queryConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	var run func() (driver.Rows, error)
	switch p := c.conn.plain.(type) {
	case driver.QueryerContext:
		run = func() (driver.Rows, error) { return p.QueryContext(ctx, query, args) }
	case driver.Queryer: //nolint:staticcheck // drivers still have it
		run = func() (driver.Rows, error) {
			return withValues(ctx, args, func(v []driver.Value) (driver.Rows, error) { return p.Query(query, v) })
		}
	}
	c.conn.use()
	return c.conn.db.query(query, nil, run)
}

// exec runs and records a statement that returns no rows.
func (d *database) exec(text string, prepared *instr.PreparedStatement, exec func() (driver.Result, error)) (driver.Result, error) {
	c := d.beginQuery(text, prepared)
	defer c.abandon()
	result, err := exec()
	affected := int64(0)
	if err == nil && result != nil && c.thread != nil {
		affected, _ = result.RowsAffected() // 0 if the driver does not know
	}
	c.end(err, affected)
	return result, err
}

// query runs and records a statement that returns rows.
func (d *database) query(text string, prepared *instr.PreparedStatement, run func() (driver.Rows, error)) (driver.Rows, error) {
	c := d.beginQuery(text, prepared)
	defer c.abandon()
	plain, err := run()
	if err != nil || plain == nil || c.thread == nil {
		c.end(err, 0)
		return plain, err
	}
	left := c.statement.Detach()
	c.leave()
	return &rows{plain: plain, statement: left}, nil
}

// errNamed is the error of database/sql for a driver that does not support named arguments.
var errNamed = errors.New("sql: driver does not support the use of Named Parameters")

// withValues calls do with the arguments without names, unless the context has ended.
func withValues[R any](ctx context.Context, args []driver.NamedValue, do func([]driver.Value) (R, error)) (r R, err error) {
	values := make([]driver.Value, len(args))
	for i, a := range args {
		if a.Name != "" {
			return r, errNamed
		}
		values[i] = a.Value
	}
	if err := ctx.Err(); err != nil {
		return r, err
	}
	return do(values)
}

// Begin implements driver.Conn.
func (w *conn) Begin() (driver.Tx, error) {
	return w.BeginTx(context.Background(), driver.TxOptions{})
}

// BeginTx implements driver.ConnBeginTx.
func (w *conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	w.use()
	c := w.db.begin("begin")
	defer c.abandon()
	plain, err := w.begin(ctx, o)
	thread := c.thread
	attached := c.attached
	c.end(err, 0)
	if err != nil {
		return nil, err
	}
	if thread != nil && !attached && !thread.InTransaction() {
		thread.StartTransaction(instr.TransactionOptions{ReadOnly: o.ReadOnly, Isolation: isolation(o.Isolation)})
		w.tx, w.txID = thread, thread.ID()
	}
	return &tx{plain, w}, nil
}

func (w *conn) begin(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if b, ok := w.plain.(driver.ConnBeginTx); ok {
		return b.BeginTx(ctx, o)
	}
	switch {
	case sql.IsolationLevel(o.Isolation) != sql.LevelDefault:
		return nil, errors.New("sql: driver does not support non-default isolation level")
	case o.ReadOnly:
		return nil, errors.New("sql: driver does not support read-only transactions")
	}
	plain, err := w.plain.Begin() //nolint:staticcheck // for drivers without BeginTx
	if err == nil && ctx.Err() != nil {
		_ = plain.Rollback()
		return nil, ctx.Err()
	}
	return plain, err
}

// isolation is ISOLATION_LEVEL of a transaction, "" for the database's default.
func isolation(level driver.IsolationLevel) string {
	if sql.IsolationLevel(level) == sql.LevelDefault {
		return ""
	}
	return strings.ToUpper(sql.IsolationLevel(level).String())
}

// tx is a transaction that is recorded.
type tx struct {
	plain driver.Tx
	conn  *conn
}

// Commit implements driver.Tx.
func (t *tx) Commit() error { return t.end("commit", t.plain.Commit, true) }

// Rollback implements driver.Tx.
func (t *tx) Rollback() error { return t.end("rollback", t.plain.Rollback, false) }

func (t *tx) end(verb string, end func() error, committed bool) error {
	w := t.conn
	w.use()
	c := w.db.begin(verb)
	defer c.abandon()
	err := end()
	c.end(err, 0)
	if w.tx != nil && w.tx == instr.Current() && w.tx.ID() == w.txID {
		w.tx.EndTransaction(committed && err == nil)
	}
	w.tx = nil
	return err
}
