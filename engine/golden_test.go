package engine

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/go-sql-driver/mysql"

	"pfsd/instr"
	"pfsd/tables"
)

// The golden files stand in testdata/sql: a file for each table, and some for work across
// tables. Each runs against a server of its own, on a socket, whose registry holds what the
// file makes. Its directives:
//
//	server [defaults] [instruments=(PATTERN=VALUE, ...)] [history=N] [history-long=N] [text]
//	    starts the server, with everything that MySQL has switched on unless it says defaults,
//	    and with instruments as its options say. text is for statements that cannot be prepared.
//	do
//	    operations of package instr, one a line; see the verbs of world.
//	query [mask=(COLUMN, ...)] [positive=(COLUMN, ...)] [args=(VALUE, ...)] [conn=NAME [user=NAME]]
//	    one statement, prepared if it has args, numbers or strings, for its parameters. Where the machine and the moment decide, # stands in the columns of
//	    mask for anything but NULL, and in those of positive for anything but NULL and 0.
//	exec [conn=NAME [user=NAME]]
//	    statements without rows, one a line, each answered with ok or its error.
//	disconnect conn=NAME
//	    ends a connection; its thread is gone afterwards.
//
// Without conn a statement goes over the file's first connection. A connection is opened by
// its first statement, as user root unless that says another. The files run through
// other clients too: see TestClients. "go test ./engine -run TestGolden -rewrite" writes
// them anew; read the difference before you keep it.

const goldens = "../testdata/sql"

// sqlClient is one connection of a client.
type sqlClient interface {
	// run carries out one statement; args are int64 or string. A *mysql.MySQLError is the
	// server's.
	run(statement string, args ...any) (answer, error)
	close()
}

// answer is the rows of a statement as text; a nil cell is NULL. Clients that do not tell
// the columns of a result without rows leave them empty.
type answer struct {
	columns []string
	rows    [][]*string
}

// dialer connects a client to a server as a user: its TCP address, and the path of its unix
// socket.
type dialer func(t *testing.T, addr, socket, user string) sqlClient

func TestGolden(t *testing.T) { runGoldens(t, dialGo(false), false) }

func TestEveryTableHasAGolden(t *testing.T) {
	for _, def := range tables.All() {
		if _, err := os.Stat(filepath.Join(goldens, def.Name())); err != nil {
			t.Error(err)
		}
	}
}

// rewriting tells whether the golden files are being written anew.
func rewriting() bool {
	f := flag.Lookup("rewrite")
	return f != nil && f.Value.String() == "true"
}

// runGoldens runs the golden files through a client; prepares tells whether it prepares
// every statement.
func runGoldens(t *testing.T, dial dialer, prepares bool) {
	files, err := filepath.Glob(goldens + "/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if head, _, _ := strings.Cut(string(text), "\n"); prepares && strings.HasSuffix(head, " text") {
			continue
		}
		t.Run(filepath.Base(f), func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(string(text), " conn=") && !strings.Contains(string(text), "\nbg: ") { // one client, and one thread
				oneAtATime(t)
			}
			g := &golden{t: t, dial: dial, clients: map[string]sqlClient{}}
			datadriven.RunTest(t, f, g.directive)
		})
	}
}

// golden runs one file.
type golden struct {
	t       *testing.T
	dial    dialer
	server  *running
	addr    string
	socket  string
	world   *world
	clients map[string]sqlClient
}

func (g *golden) directive(t *testing.T, d *datadriven.TestData) string {
	if g.world == nil && d.Cmd != "server" {
		d.Fatalf(t, "the first directive must be server")
	}
	switch d.Cmd {
	case "server":
		g.serve(d)
		return ""
	case "do":
		return g.world.do(t, d.Input)
	case "query":
		a, err := g.client(d).run(d.Input, arguments(d)...)
		if err != nil {
			return errorText(t, err)
		}
		return render(a, d)
	case "exec":
		var out strings.Builder
		for line := range strings.Lines(d.Input) {
			if _, err := g.client(d).run(strings.TrimSpace(line)); err != nil {
				out.WriteString(errorText(t, err))
			} else {
				out.WriteString("ok\n")
			}
		}
		return out.String()
	case "disconnect":
		g.disconnect(d)
		return ""
	}
	d.Fatalf(t, "unknown directive %s", d.Cmd)
	return ""
}

// arguments are the values for the parameters of a statement.
func arguments(d *datadriven.TestData) (args []any) {
	for _, arg := range d.CmdArgs {
		if arg.Key != "args" {
			continue
		}
		for _, v := range arg.Vals {
			if n, err := strconv.ParseInt(v, 10, 64); err == nil {
				args = append(args, n)
			} else {
				args = append(args, v)
			}
		}
	}
	return args
}

func (g *golden) serve(d *datadriven.TestData) {
	// Not the test's own directory: a socket's path must be short.
	dir, err := os.MkdirTemp("", "pfsd")
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { _ = os.RemoveAll(dir) })
	o := Options{Registry: instr.NewRegistry(), Socket: filepath.Join(dir, "s.sock")}
	o.Registry.Setup().SetGoroutineThreads(0) // those of libraries come and go as they like
	if !d.HasArg("defaults") {
		o.Instruments = []string{"%=ON"}
		o.Consumers = map[string]bool{"events_waits_current": true, "events_waits_history": true, "events_waits_history_long": true}
	}
	for _, arg := range d.CmdArgs {
		if arg.Key == "instruments" {
			o.Instruments = append(o.Instruments, arg.Vals...)
		}
	}
	o.HistorySize, o.HistoryLongSize = size(g.t, d, "history"), size(g.t, d, "history-long")
	r := serve(g.t, o, tables.All()...)
	g.t.Cleanup(g.close)
	g.server, g.addr, g.socket = r, r.addr, o.Socket
	g.world = newWorld(g.t, o.Registry)
}

// size is the number that a directive gives for key, nil if it gives none.
func size(t *testing.T, d *datadriven.TestData, key string) *int {
	if !d.HasArg(key) {
		return nil
	}
	var n int
	d.ScanArgs(t, key, &n)
	return &n
}

func (g *golden) client(d *datadriven.TestData) sqlClient {
	name, user := "", "root"
	d.MaybeScanArgs(g.t, "conn", &name)
	d.MaybeScanArgs(g.t, "user", &user)
	if g.clients[name] == nil {
		g.server.user(g.t, user)
		g.clients[name] = g.dial(g.t, g.addr, g.socket, user)
	}
	return g.clients[name]
}

// disconnect ends a connection and waits for the end of its thread.
func (g *golden) disconnect(d *datadriven.TestData) {
	var name string
	d.ScanArgs(g.t, "conn", &name)
	g.clients[name].close()
	delete(g.clients, name)
	eventually(g.t, "the end of connection "+name, func() bool {
		n, threads := 0, g.world.reg.Reader().Threads()
		for _, th := range threads {
			if info, ok := th.Snapshot(); ok && info.Process != 0 {
				n++
			}
		}
		return n <= len(g.clients) && len(threads) == g.world.reg.Reader().ThreadCount() // none is about to end
	})
}

// close ends the connections that are left.
func (g *golden) close() {
	for _, c := range g.clients {
		c.close()
	}
}

func errorText(t *testing.T, err error) string {
	var e *mysql.MySQLError
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	return fmt.Sprintf("ERROR %d (%s): %s\n", e.Number, e.SQLState[:], e.Message)
}

func render(a answer, d *datadriven.TestData) string {
	if len(a.rows) == 0 {
		return "no rows\n"
	}
	named := func(key, column string) bool {
		return slices.ContainsFunc(d.CmdArgs, func(arg datadriven.CmdArg) bool {
			return arg.Key == key && slices.Contains(arg.Vals, column)
		})
	}
	var lines []string
	for _, row := range a.rows {
		cells := make([]string, len(row))
		for i, c := range row {
			switch {
			case c == nil:
				cells[i] = "NULL"
			case named("mask", a.columns[i]), named("positive", a.columns[i]) && *c != "0":
				cells[i] = "#"
			default:
				cells[i] = *c
			}
		}
		lines = append(lines, strings.Join(cells, "|"))
	}
	return strings.Join(a.columns, "|") + "\n" + strings.Join(lines, "\n") + "\n"
}

// goClient is a connection of go-sql-driver.
type goClient struct {
	db       *sql.DB
	conn     *sql.Conn
	prepared bool
}

// dialGo connects go-sql-driver, which sends statements as text or prepares them, if MySQL does that.
func dialGo(prepared bool) dialer {
	return func(t *testing.T, addr, _, user string) sqlClient {
		db, err := sql.Open("mysql", user+"@tcp("+addr+")/performance_schema")
		if err != nil {
			t.Fatal(err)
		}
		conn, err := db.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return &goClient{db, conn, prepared}
	}
}

func (c *goClient) close() {
	_ = c.conn.Close()
	_ = c.db.Close()
}

func (c *goClient) run(q string, args ...any) (a answer, err error) {
	query := func() (*sql.Rows, error) { return c.conn.QueryContext(context.Background(), q, args...) }
	// MySQL prepares no statement about conditions, and would say so among them.
	if c.prepared && !strings.HasPrefix(q, "SHOW WARNINGS") && !strings.HasPrefix(q, "SHOW ERRORS") && !strings.HasPrefix(q, "SHOW COUNT") {
		stmt, err := c.conn.PrepareContext(context.Background(), q)
		var e *mysql.MySQLError
		switch {
		case errors.As(err, &e) && e.Number == 1295:
		case err != nil:
			return a, err
		default:
			defer func() { _ = stmt.Close() }()
			query = func() (*sql.Rows, error) { return stmt.Query(args...) }
		}
	}
	rows, err := query()
	if err != nil {
		return a, err
	}
	defer func() { _ = rows.Close() }()
	if a.columns, err = rows.Columns(); err != nil {
		return a, err
	}
	types, err := rows.ColumnTypes()
	if err != nil {
		return a, err
	}
	cells := make([]any, len(a.columns))
	dest := make([]any, len(cells))
	for i := range cells {
		dest[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return a, err
		}
		row := make([]*string, len(cells))
		for i, v := range cells {
			row[i] = textOf(v, types[i])
		}
		a.rows = append(a.rows, row)
	}
	return a, rows.Err()
}

// anyDecimals is the number of decimals of a column with as many digits as it needs.
const anyDecimals = 31

// textOf is a value of the driver as text, nil for NULL.
func textOf(v any, column *sql.ColumnType) *string {
	digits := -1
	if _, scale, ok := column.DecimalSize(); ok && scale < anyDecimals {
		digits = int(scale)
	}
	var s string
	switch v := v.(type) {
	case nil:
		return nil
	case []byte:
		s = string(v)
	case float32:
		s = strconv.FormatFloat(float64(v), 'f', digits, 32)
	case float64:
		s = strconv.FormatFloat(v, 'f', digits, 64)
	default:
		s = fmt.Sprint(v)
	}
	return &s
}
