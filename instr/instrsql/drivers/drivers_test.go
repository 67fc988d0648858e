// Package drivers tests instrsql with the drivers that people use, in a module of its own, which alone needs them: go test in its directory.
// SQLite is a real database, PostgreSQL's protocol is spoken by a server of a few lines, and of SQL Server's
// driver there are the types alone. TestWatchedDriver of package engine does the same with go-sql-driver and a server of this repository.
package drivers

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/stdlib"
	mssql "github.com/microsoft/go-mssqldb"
	_ "modernc.org/sqlite"

	"pfsd/instr"
	"pfsd/instr/instrsql"
)

// recorder is a registry where everything is on.
func recorder() *instr.Registry {
	r := instr.NewRegistry()
	for c := range instr.ConsumerCount {
		r.Setup().SetConsumer(c, true)
	}
	r.Setup().AddPattern("%", instr.PatternOn)
	return r
}

// connInterfaces and the others are the optional interfaces of what a driver has.
var (
	driverInterfaces = []reflect.Type{reflect.TypeFor[driver.DriverContext]()}
	connInterfaces   = []reflect.Type{
		reflect.TypeFor[driver.ConnBeginTx](), reflect.TypeFor[driver.ConnPrepareContext](), reflect.TypeFor[driver.ExecerContext](),
		reflect.TypeFor[driver.QueryerContext](), reflect.TypeFor[driver.NamedValueChecker](), reflect.TypeFor[driver.Pinger](),
		reflect.TypeFor[driver.SessionResetter](), reflect.TypeFor[driver.Validator](), reflect.TypeFor[driver.Execer](), reflect.TypeFor[driver.Queryer](),
	}
	stmtInterfaces = []reflect.Type{
		reflect.TypeFor[driver.StmtExecContext](), reflect.TypeFor[driver.StmtQueryContext](), reflect.TypeFor[driver.NamedValueChecker](),
		reflect.TypeFor[driver.ColumnConverter](),
	}
	rowsInterfaces = []reflect.Type{
		reflect.TypeFor[driver.RowsNextResultSet](), reflect.TypeFor[driver.RowsColumnTypeScanType](), reflect.TypeFor[driver.RowsColumnTypeDatabaseTypeName](),
		reflect.TypeFor[driver.RowsColumnTypeLength](), reflect.TypeFor[driver.RowsColumnTypeNullable](), reflect.TypeFor[driver.RowsColumnTypePrecisionScale](),
	}
)

// without are those for whose want database/sql does the same by another interface, which is kept.
var without = map[string]bool{"Execer": true, "Queryer": true}

// keeps reports an interface of plain that ours lacks.
func keeps(t *testing.T, what string, plain, ours any, of []reflect.Type) {
	t.Helper()
	for _, i := range of {
		if reflect.TypeOf(plain).Implements(i) && !reflect.TypeOf(ours).Implements(i) && !without[i.Name()] {
			t.Errorf("%s: %T is no %v, but %T is", what, ours, i, plain)
		}
	}
}

// database is a database of a driver, with a table t of n and s.
type database struct {
	name   string
	driver driver.Driver
	source string
	mark   string // the first parameter
	// errors are what numbers the tables show of a text that is no SQL, "" for any.
	broken string
}

func databases(t *testing.T) []database {
	file := "file:" + filepath.Join(t.TempDir(), "db")
	lite, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lite.Close() }()
	if _, err := lite.Exec("CREATE TABLE t (n INT PRIMARY KEY, s TEXT)"); err != nil {
		t.Fatal(err)
	}
	return []database{
		{"sqlite", lite.Driver(), file, "?", "1 HY000"},
		{"pgx", stdlib.GetDefaultDriver(), "postgres://u@" + servePostgres(t) + "/d?sslmode=disable", "$1", "1105 42601"},
	}
}

// use does what programs do with a database, and returns what they see.
func use(t *testing.T, db *sql.DB, d database) (seen []string) {
	ctx := t.Context()
	see := func(what string, values ...any) {
		for i, v := range values {
			if err, ok := v.(error); ok {
				values[i] = err.Error()
			}
		}
		seen = append(seen, fmt.Sprintln(append([]any{what}, values...)...))
	}
	see("ping", db.PingContext(ctx))
	r, err := db.ExecContext(ctx, "INSERT INTO t (n, s) VALUES ("+d.mark+", 'x')", int64(7))
	if err != nil {
		t.Fatal(d.name, err)
	}
	n, err := r.RowsAffected()
	see("insert", n, err)
	rows, err := db.QueryContext(ctx, "SELECT n FROM t WHERE n = "+d.mark, int64(7))
	if err != nil {
		t.Fatal(d.name, err)
	}
	types, err := rows.ColumnTypes()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range types {
		length, hasLength := c.Length()
		null, hasNull := c.Nullable()
		see("column", c.Name(), c.DatabaseTypeName(), c.ScanType(), length, hasLength, null, hasNull)
	}
	for rows.Next() {
		var n int
		see("row", rows.Scan(&n), n)
	}
	see("rows", rows.Err(), rows.NextResultSet(), rows.Close())
	s, err := db.PrepareContext(ctx, "SELECT n FROM t WHERE n = "+d.mark)
	if err != nil {
		t.Fatal(d.name, err)
	}
	for range 2 {
		see("prepared", s.QueryRowContext(ctx, int64(7)).Scan(&n), n)
	}
	// What the driver converts itself, its connection if not its statement.
	see("uint64", s.QueryRowContext(ctx, uint64(7)).Scan(&n), n)
	see("bytes", db.QueryRowContext(ctx, "SELECT n FROM t WHERE n = "+d.mark, []byte("7")).Scan(&n) == nil)
	see("named", db.QueryRowContext(ctx, "SELECT n FROM t WHERE n = "+d.mark, sql.Named("n", 7)).Scan(&n) == nil)
	see("close", s.Close())
	tx, err := db.BeginTx(ctx, &sql.TxOptions{})
	if err != nil {
		t.Fatal(d.name, err)
	}
	_, err = tx.ExecContext(ctx, "DELETE FROM t WHERE n = "+d.mark, int64(7))
	see("transaction", err, tx.Commit())
	_, err = db.ExecContext(ctx, "this is no SQL")
	see("error", err)
	ended, end := context.WithCancel(ctx)
	end()
	see("ended", errors.Is(db.PingContext(ended), context.Canceled))
	c, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	see("raw", instrsql.Raw(c, func(x any) error { see("raw", fmt.Sprintf("%T", x)); return nil }))
	return seen
}

// A program sees the same, whether or not its database is watched, and each statement is recorded.
func TestDrivers(t *testing.T) {
	for _, d := range databases(t) {
		t.Run(d.name, func(t *testing.T) {
			open := func(of driver.Driver) *sql.DB {
				if c, ok := of.(driver.DriverContext); ok {
					c, err := c.OpenConnector(d.source)
					if err != nil {
						t.Fatal(err)
					}
					return sql.OpenDB(c)
				}
				return sql.OpenDB(source{of: of, name: d.source})
			}
			plain := open(d.driver)
			defer func() { _ = plain.Close() }()
			reg := recorder()
			watched := open(instrsql.WrapDriver(d.driver, instrsql.WithRegistry(reg)))
			defer func() { _ = watched.Close() }()
			want, got := use(t, plain, d), use(t, watched, d)
			if !slices.Equal(got, want) {
				for i := range min(len(got), len(want)) {
					if got[i] != want[i] {
						t.Errorf("watched: %splain: %s", got[i], want[i])
					}
				}
			}
			counts, broken := map[string]int{}, ""
			for _, s := range reg.Reader().StatementsHistoryLong() {
				counts[strings.TrimPrefix(s.Class.Name(), "statement/db.client/")]++
				if strings.HasPrefix(s.SQLText, "this is") && s.Errno != 0 {
					broken = fmt.Sprint(s.Errno, " ", s.SQLState)
				}
			}
			for verb, least := range map[string]int{"connect": 1, "ping": 1, "insert": 1, "select": 4, "prepare": 1, "delete": 1, "begin": 1, "commit": 1} {
				if counts[verb] < least {
					t.Errorf("%d statements %s are recorded: %v", counts[verb], verb, counts)
				}
			}
			if broken != d.broken {
				t.Errorf("what is no SQL has the error %q, want %q", broken, d.broken)
			}
			sees(t, d, reg)
		})
	}
}

// sees compares the interfaces of the driver, its connection, statement and rows with ours.
func sees(t *testing.T, d database, reg *instr.Registry) {
	ours := instrsql.WrapDriver(d.driver, instrsql.WithRegistry(reg))
	keeps(t, d.name, d.driver, ours, driverInterfaces)
	conns := [2]driver.Conn{}
	for i, of := range []driver.Driver{d.driver, ours} {
		c, err := of.Open(d.source)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		conns[i] = c
	}
	keeps(t, d.name, conns[0], conns[1], connInterfaces)
	var stmts [2]driver.Stmt
	var rows [2]driver.Rows
	for i, c := range conns {
		var err error
		if stmts[i], err = c.Prepare("SELECT n FROM t"); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = stmts[i].Close() }()
		if rows[i], err = stmts[i].(driver.StmtQueryContext).QueryContext(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if err := rows[i].Close(); err != nil {
			t.Fatal(err)
		}
	}
	keeps(t, d.name, stmts[0], stmts[1], stmtInterfaces)
	keeps(t, d.name, rows[0], rows[1], rowsInterfaces)
}

// A connection of SQL Server's driver keeps what it has, too.
func TestSQLServer(t *testing.T) {
	reg := recorder()
	plain := &mssql.Conn{}
	c, err := instrsql.WrapDriver(source{conn: plain}, instrsql.WithRegistry(reg)).Open("")
	if err != nil {
		t.Fatal(err)
	}
	keeps(t, "mssql", plain, c, connInterfaces)
	keeps(t, "mssql", &mssql.Driver{}, instrsql.WrapDriver(&mssql.Driver{}), driverInterfaces)
	db, err := instrsql.Open("sqlserver", "sqlserver://u:p@127.0.0.1:1?dial+timeout=1", instrsql.WithRegistry(reg))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := db.PingContext(t.Context()); err == nil {
		t.Error("there is a server")
	}
	if s := reg.Reader().StatementsHistoryLong(); len(s) == 0 || s[len(s)-1].Errno == 0 {
		t.Error("the connection that fails is not recorded")
	}
	// Arguments that only this driver knows come through.
	if err := c.(driver.NamedValueChecker).CheckNamedValue(&driver.NamedValue{Value: mssql.VarChar("x")}); err != nil {
		t.Error(err)
	}
}

// source is a connector of a driver that has none, or a driver that has one connection.
type source struct {
	of   driver.Driver
	name string
	conn driver.Conn
}

func (s source) Connect(context.Context) (driver.Conn, error) { return s.of.Open(s.name) }
func (s source) Driver() driver.Driver                        { return s.of }
func (s source) Open(string) (driver.Conn, error)             { return s.conn, nil }

// servePostgres serves a database with a table t of a number 7 as PostgreSQL does.
func servePostgres(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go postgres(c)
		}
	}()
	return l.Addr().String()
}

// postgres serves a connection.
func postgres(c net.Conn) {
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	b := pgproto3.NewBackend(c, c)
	if _, err := b.ReceiveStartupMessage(); err != nil {
		return
	}
	ready := func() { b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'}) }
	b.Send(&pgproto3.AuthenticationOk{})
	b.Send(&pgproto3.ParameterStatus{Name: "standard_conforming_strings", Value: "on"})
	b.Send(&pgproto3.ParameterStatus{Name: "client_encoding", Value: "UTF8"})
	b.Send(&pgproto3.BackendKeyData{ProcessID: 1, SecretKey: 1})
	ready()
	text, failed := "", false
	texts := map[string]string{} // of prepared statements
	fields := &pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{Name: []byte("n"), DataTypeOID: 20, DataTypeSize: 8, Format: 1}}}
	for b.Flush() == nil {
		m, err := b.Receive()
		if err != nil {
			return
		}
		selects := strings.HasPrefix(text, "SELECT")
		switch m := m.(type) {
		case *pgproto3.Query:
			switch {
			case strings.HasPrefix(m.String, "this"):
				b.Send(&pgproto3.ErrorResponse{Severity: "ERROR", Code: "42601", Message: "syntax error"})
			case strings.Trim(m.String, "-; ") == "" || strings.HasPrefix(m.String, "--"):
				b.Send(&pgproto3.EmptyQueryResponse{})
			default:
				b.Send(&pgproto3.CommandComplete{CommandTag: []byte(strings.ToUpper(strings.Fields(strings.TrimSuffix(m.String, ";"))[0]))})
			}
			ready()
		case *pgproto3.Parse:
			texts[m.Name] = m.Query
			if text = m.Query; strings.HasPrefix(text, "this") {
				failed = true
				b.Send(&pgproto3.ErrorResponse{Severity: "ERROR", Code: "42601", Message: "syntax error"})
				continue
			}
			b.Send(&pgproto3.ParseComplete{})
		case *pgproto3.Describe:
			if failed {
				continue
			}
			if m.ObjectType == 'S' {
				oids := make([]uint32, strings.Count(text, "$"))
				for i := range oids {
					oids[i] = 20
				}
				b.Send(&pgproto3.ParameterDescription{ParameterOIDs: oids})
			}
			if selects {
				b.Send(fields)
			} else {
				b.Send(&pgproto3.NoData{})
			}
		case *pgproto3.Bind:
			b.Send(&pgproto3.BindComplete{})
			text = texts[m.PreparedStatement]
		case *pgproto3.Execute:
			if failed {
				continue
			}
			if selects {
				b.Send(&pgproto3.DataRow{Values: [][]byte{{0, 0, 0, 0, 0, 0, 0, 7}}})
				b.Send(&pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")})
			} else {
				verb, _, _ := strings.Cut(text, " ")
				b.Send(&pgproto3.CommandComplete{CommandTag: []byte(map[string]string{"INSERT": "INSERT 0 1"}[verb] + map[string]string{"DELETE": "DELETE 1"}[verb])})
			}
		case *pgproto3.Close:
			b.Send(&pgproto3.CloseComplete{})
		case *pgproto3.Sync:
			failed = false
			ready()
		case *pgproto3.Terminate:
			return
		}
	}
}
