package instrsql

import (
	"context"
	"database/sql/driver"
	"io"
	"reflect"
	"sync/atomic"

	"pfsd/instr"
)

// stmt is a prepared statement whose executions are recorded. As with any, one goroutine at a time
// uses it.
type stmt struct {
	plain    driver.Stmt
	conn     *conn
	text     string
	prepared *instr.PreparedStatement // nil if it is not recorded
}

var _ interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
	driver.NamedValueChecker
} = (*stmt)(nil)

// convertingStmt is a stmt for a driver that converts arguments itself.
type convertingStmt struct {
	*stmt
	converts driver.ColumnConverter //nolint:staticcheck // drivers still have it
}

// ColumnConverter implements driver.ColumnConverter.
func (s *convertingStmt) ColumnConverter(i int) driver.ValueConverter {
	return s.converts.ColumnConverter(i)
}

// Close implements driver.Stmt.
func (s *stmt) Close() error {
	s.prepared.Drop()
	return s.plain.Close()
}

// NumInput implements driver.Stmt.
func (s *stmt) NumInput() int { return s.plain.NumInput() }

// CheckNamedValue implements driver.NamedValueChecker by that of the plain statement, or else of
// the connection.
func (s *stmt) CheckNamedValue(v *driver.NamedValue) error {
	if c, ok := s.plain.(driver.NamedValueChecker); ok {
		return c.CheckNamedValue(v)
	}
	return s.conn.CheckNamedValue(v)
}

// Exec implements driver.Stmt.
func (s *stmt) Exec(args []driver.Value) (driver.Result, error) {
	s.conn.use()
	return s.conn.db.exec(s.text, s.prepared, func() (driver.Result, error) { return s.plain.Exec(args) }) //nolint:staticcheck // of drivers without contexts
}

// Query implements driver.Stmt.
func (s *stmt) Query(args []driver.Value) (driver.Rows, error) {
	s.conn.use()
	return s.conn.db.query(s.text, s.prepared, func() (driver.Rows, error) { return s.plain.Query(args) }) //nolint:staticcheck // of drivers without contexts
}

// ExecContext implements driver.StmtExecContext.
func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	p, ok := s.plain.(driver.StmtExecContext)
	if !ok {
		return withValues(ctx, args, s.Exec)
	}
	s.conn.use()
	return s.conn.db.exec(s.text, s.prepared, func() (driver.Result, error) { return p.ExecContext(ctx, args) })
}

// QueryContext implements driver.StmtQueryContext.
func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	p, ok := s.plain.(driver.StmtQueryContext)
	if !ok {
		return withValues(ctx, args, s.Query)
	}
	s.conn.use()
	return s.conn.db.query(s.text, s.prepared, func() (driver.Rows, error) { return p.QueryContext(ctx, args) })
}

// rows counts the rows that are read. If the plain rows lack an optional interface, its methods do what database/sql does then.
// One goroutine at a time reads rows; another one may close them meanwhile if the driver allows that.
type rows struct {
	plain     driver.Rows
	statement *instr.DetachedStatement
	read      atomic.Uint64
	failed    atomic.Pointer[error]
}

var _ interface {
	driver.RowsNextResultSet
	driver.RowsColumnTypeScanType
	driver.RowsColumnTypeDatabaseTypeName
	driver.RowsColumnTypeLength
	driver.RowsColumnTypeNullable
	driver.RowsColumnTypePrecisionScale
} = (*rows)(nil)

// Columns implements driver.Rows.
func (r *rows) Columns() []string { return r.plain.Columns() }

// Next implements driver.Rows.
func (r *rows) Next(to []driver.Value) error {
	err := r.plain.Next(to)
	switch err {
	case nil:
		r.read.Add(1)
	case io.EOF:
	default:
		r.failed.CompareAndSwap(nil, &err)
	}
	return err
}

// Close implements driver.Rows.
func (r *rows) Close() error {
	err := r.plain.Close()
	if failed := r.failed.Load(); failed != nil {
		r.finish(*failed)
	} else {
		r.finish(err)
	}
	return err
}

func (r *rows) finish(err error) {
	result := resultOf(err)
	result.Counters[instr.RowsSent] = r.read.Load()
	r.statement.Finish(&result)
}

// HasNextResultSet implements driver.RowsNextResultSet.
func (r *rows) HasNextResultSet() bool {
	p, ok := r.plain.(driver.RowsNextResultSet)
	return ok && p.HasNextResultSet()
}

// NextResultSet implements driver.RowsNextResultSet.
func (r *rows) NextResultSet() error {
	if p, ok := r.plain.(driver.RowsNextResultSet); ok {
		return p.NextResultSet()
	}
	return io.EOF
}

// ColumnTypeScanType implements driver.RowsColumnTypeScanType.
func (r *rows) ColumnTypeScanType(i int) reflect.Type {
	if p, ok := r.plain.(driver.RowsColumnTypeScanType); ok {
		return p.ColumnTypeScanType(i)
	}
	return reflect.TypeFor[any]()
}

// ColumnTypeDatabaseTypeName implements driver.RowsColumnTypeDatabaseTypeName.
func (r *rows) ColumnTypeDatabaseTypeName(i int) string {
	if p, ok := r.plain.(driver.RowsColumnTypeDatabaseTypeName); ok {
		return p.ColumnTypeDatabaseTypeName(i)
	}
	return ""
}

// ColumnTypeLength implements driver.RowsColumnTypeLength.
func (r *rows) ColumnTypeLength(i int) (int64, bool) {
	if p, ok := r.plain.(driver.RowsColumnTypeLength); ok {
		return p.ColumnTypeLength(i)
	}
	return 0, false
}

// ColumnTypeNullable implements driver.RowsColumnTypeNullable.
func (r *rows) ColumnTypeNullable(i int) (nullable, ok bool) {
	if p, ok := r.plain.(driver.RowsColumnTypeNullable); ok {
		return p.ColumnTypeNullable(i)
	}
	return false, false
}

// ColumnTypePrecisionScale implements driver.RowsColumnTypePrecisionScale.
func (r *rows) ColumnTypePrecisionScale(i int) (precision, scale int64, ok bool) {
	if p, ok := r.plain.(driver.RowsColumnTypePrecisionScale); ok {
		return p.ColumnTypePrecisionScale(i)
	}
	return 0, 0, false
}
