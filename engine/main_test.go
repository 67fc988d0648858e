package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"go.uber.org/goleak"

	"pfsd/engine/accounts"
	"pfsd/instr"
	"pfsd/tables"
)

func TestMain(m *testing.M) {
	_ = mysql.SetLogger(&mysql.NopLogger{})
	status := m.Run()
	// What closed connections leave behind ends soon, but not on a busy machine within the second that goleak waits.
	for range 60 {
		leak := goleak.Find()
		if status != 0 || leak == nil {
			os.Exit(status)
		}
		fmt.Fprintln(os.Stderr, leak)
	}
	os.Exit(1)
}

// fake is a table for tests: numbers from 0, some names, and two switches a row.
type fake struct {
	name     string
	rows     int
	readOnly bool
	at       func(row int)        // called before each row is read
	flags    map[int][2]string    // ENABLED and FLAG of a row, where changed
	scanned  func(key tables.Key) // called at each scan
}

var fakeColumns = []tables.ColumnInfo{
	{Name: "ID", Kind: tables.Kind{Type: tables.TypeBigIntUnsigned}},
	{Name: "EVENT_NAME", Kind: tables.Kind{Type: tables.TypeVarChar, Len: 128}},
	{Name: "ENABLED", Kind: tables.Kind{Type: tables.TypeEnum, Values: []string{"YES", "NO"}}, Updatable: true},
	{Name: "FLAG", Kind: tables.Kind{Type: tables.TypeEnum, Values: []string{"YES", "NO"}, Nullable: true}, Updatable: true},
	{Name: "DOC", Kind: tables.Kind{Type: tables.TypeLongText, Nullable: true}},
	{Name: "LEVEL", Kind: tables.Kind{Type: tables.TypeInt}},
}

func (f *fake) Name() string { return f.name }
func (f *fake) Doc() string  { return "a table for tests" }
func (*fake) Empty() string  { return "" }
func (*fake) Static() string { return "" }
func (f *fake) Columns() []tables.ColumnInfo {
	if !f.readOnly {
		return fakeColumns
	}
	c := slices.Clone(fakeColumns)
	for i := range c {
		c[i].Updatable = false
	}
	return c
}
func (f *fake) Indexes() []tables.Index {
	return []tables.Index{{Name: "PRIMARY", Columns: []string{"ID"}, Unique: true}}
}
func (f *fake) Estimate(tables.Model) int { return f.rows }
func (f *fake) Updatable() bool           { return !f.readOnly }
func (f *fake) Truncatable() bool         { return f.readOnly }
func (f *fake) Insertable() bool          { return false }
func (f *fake) Binary() bool              { return false }
func (f *fake) Order() *tables.Order      { return nil }
func (f *fake) Deletable() bool           { return false }

func (f *fake) Insert(tables.Model, []tables.Value) error { panic("not insertable") }
func (f *fake) Delete(tables.Model, tables.Key) error     { panic("not deletable") }

func (f *fake) Truncate(tables.Model) error {
	f.rows = 0
	return nil
}

func (f *fake) row(i int) []tables.Value {
	flags := [2]string{"YES", "NO"}
	if own, ok := f.flags[i]; ok {
		flags = own
	}
	doc := tables.Null
	if i%2 == 0 {
		doc = tables.Text(fmt.Sprintf("row %d é", i))
	}
	return []tables.Value{
		tables.Uint(uint64(i)), tables.Text(fmt.Sprintf("wait/test/%d", i%100)),
		tables.Text(flags[0]), tables.Text(flags[1]), doc, tables.Int(int64(-i)),
	}
}

type fakeCursor struct {
	f    *fake
	cols []int
	key  tables.Key
	next int
	row  []tables.Value
}

func (f *fake) Scan(_ tables.Model, cols []int, key tables.Key) tables.Cursor {
	if f.scanned != nil {
		f.scanned(key)
	}
	return &fakeCursor{f: f, cols: cols, key: key}
}

func (c *fakeCursor) Next(dst []tables.Value) bool {
	if !c.Advance() {
		return false
	}
	for i := range dst {
		dst[i] = c.Value(i)
	}
	return true
}

func (c *fakeCursor) Value(i int) tables.Value { return c.row[c.cols[i]] }

func (c *fakeCursor) Advance() bool {
	for c.next < c.f.rows {
		i := c.next
		c.next++
		if c.f.at != nil {
			c.f.at(i)
		}
		if c.row = c.f.row(i); matches(c.row, c.key) {
			return true
		}
	}
	return false
}

func matches(row []tables.Value, key tables.Key) bool { return matchesKey(fakeColumns, row, key) }

func matchesKey(columns []tables.ColumnInfo, row []tables.Value, key tables.Key) bool {
	for _, e := range key {
		i := slices.IndexFunc(columns, func(c tables.ColumnInfo) bool { return c.Name == e.Column })
		same := row[i].Bits() == e.Value.Bits()
		if e.Bound != tables.Exactly {
			same = e.Bound == tables.AtLeast && !row[i].Time().Before(e.Value.Time()) || e.Bound == tables.AtMost && !row[i].Time().After(e.Value.Time())
		}
		if e.Value.IsText() {
			same = row[i].Str() == e.Value.Str() || !columns[i].Kind.Binary && strings.EqualFold(row[i].Str(), e.Value.Str()) || e.Near && !instr.PlainText(row[i].Str())
		}
		if row[i].IsNull() || !same {
			return false
		}
	}
	return true
}

func (f *fake) Update(_ tables.Model, key tables.Key, column string, v tables.Value) error {
	for i := range f.rows {
		if row := f.row(i); matches(row, key) {
			flags := [2]string{row[2].Str(), row[3].Str()}
			switch {
			case v.IsNull() && column == "ENABLED":
				return tables.ErrNull
			case column == "ENABLED":
				flags[0] = v.Str()
			case column == "FLAG":
				flags[1] = v.Str()
			default:
				return tables.ErrColumnNotUpdatable
			}
			if f.flags == nil {
				f.flags = map[int][2]string{}
			}
			f.flags[i] = flags
		}
	}
	return nil
}

// readOnlyTable is what a table has that only needs to be read.
type readOnlyTable struct {
	name    string
	columns []tables.ColumnInfo
	indexes []tables.Index
}

func (t readOnlyTable) Name() string                 { return t.name }
func (t readOnlyTable) Doc() string                  { return "a table for tests" }
func (readOnlyTable) Empty() string                  { return "" }
func (readOnlyTable) Static() string                 { return "" }
func (t readOnlyTable) Columns() []tables.ColumnInfo { return t.columns }
func (t readOnlyTable) Indexes() []tables.Index      { return t.indexes }
func (t readOnlyTable) Estimate(tables.Model) int    { return 1000 }
func (t readOnlyTable) Updatable() bool              { return false }
func (t readOnlyTable) Insertable() bool             { return false }
func (t readOnlyTable) Binary() bool                 { return false }
func (t readOnlyTable) Order() *tables.Order         { return nil }
func (t readOnlyTable) Deletable() bool              { return false }
func (t readOnlyTable) Truncatable() bool            { return false }
func (t readOnlyTable) Truncate(tables.Model) error  { return nil }
func (t readOnlyTable) Update(tables.Model, tables.Key, string, tables.Value) error {
	panic("not updatable")
}
func (t readOnlyTable) Insert(tables.Model, []tables.Value) error { panic("not insertable") }
func (t readOnlyTable) Delete(tables.Model, tables.Key) error     { panic("not deletable") }

// valueTable is a table for tests, of the rows that it is given.
type valueTable struct {
	readOnlyTable
	rows    [][]tables.Value
	scanned func(tables.Key) // called at each scan
}

func (m *valueTable) Scan(_ tables.Model, cols []int, key tables.Key) tables.Cursor {
	if m.scanned != nil {
		m.scanned(key)
	}
	return &valueCursor{table: m, cols: cols, key: key}
}

type valueCursor struct {
	table *valueTable
	cols  []int
	key   tables.Key
	next  int
	row   []tables.Value
}

func (c *valueCursor) Next(dst []tables.Value) bool {
	if !c.Advance() {
		return false
	}
	for i := range dst {
		dst[i] = c.Value(i)
	}
	return true
}

func (c *valueCursor) Value(i int) tables.Value { return c.row[c.cols[i]] }

func (c *valueCursor) Advance() bool {
	for c.next < len(c.table.rows) {
		c.row = c.table.rows[c.next]
		c.next++
		if matchesKey(c.table.columns, c.row, c.key) {
			return true
		}
	}
	return false
}

// running is a server under test.
type running struct {
	*Server
	db   *sql.DB
	addr string
	stop func() error
}

// serve starts a server with tables defs and stops it when the test ends.
func serve(t *testing.T, o Options, defs ...tables.Table) *running {
	t.Helper()
	return serveFor(t, o, defs...)
}

// serveFor is serve for tests of all sorts.
func serveFor(t testing.TB, o Options, defs ...tables.Table) *running {
	t.Helper()
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.Registry == nil {
		o.Registry = instr.NewRegistry()
		o.Registry.Setup().SetGoroutineThreads(0) // those of tests and libraries come and go as they like
	}
	if o.ProcessorShare == 0 && o.MaxRunningStatements == 0 {
		o.ProcessorShare, o.MaxRunningStatements = -1, -1 // tests have no time
	}
	o.InitializeInsecure = true
	if o.Variables[failedThreshold] == "" { // tests fail to sign in often
		o.Variables = maps.Clone(o.Variables)
		if o.Variables == nil {
			o.Variables = map[string]string{}
		}
		o.Variables[failedThreshold] = "0"
	}
	o.LogError = t.TempDir() + "/error.log"
	s, err := newServer(o, defs)
	if err != nil {
		t.Fatal(err)
	}
	r := serving(t, s)
	r.db = r.open(t, "")
	return r
}

// serving serves s until the test ends.
func serving(t testing.TB, s *Server) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	// The server's own threads start each in its time; whoever counts or switches threads counts on them.
	own := map[string]bool{"thread/sql/main": true, "thread/sql/connection_watcher": true, "thread/sql/active_session_sampler": true, "thread/sql/history_collector": true, "thread/sql/acceptor": true, "thread/sql/admin_interface": true, "thread/sql/event_scheduler": true}
	started := func() (n int) {
		for _, thread := range s.reg.Reader().Threads() {
			if class := thread.Class(); class != nil && own[class.Name()] {
				n++
			}
		}
		return n
	}
	others := started()
	go func() { served <- s.Serve(ctx) }()
	r := &running{Server: s, addr: s.Addr().String()}
	want := 4 + len(s.listener.Addrs()) // sql/main, sql/connection_watcher, sql/active_session_sampler, sql/history_collector, and acceptors
	if s.events.On() {
		want++
	}
	if limit := s.reg.Setup().Limit(instr.LimitThreadInstances); limit >= 0 {
		want = min(want, limit)
	}
	if limit := s.reg.Setup().Limit(instr.LimitThreadClasses); limit >= 0 && limit < 20 { // fewer than the server has
		want = 0
	}
	eventually(t, "the server's threads have started", func() bool { return started()-others >= want })
	stopped := false
	r.stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		return <-served
	}
	t.Cleanup(func() {
		if r.db != nil {
			_ = r.db.Close()
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
		// Whatever has happened, what was charged has been given back.
		if n := s.budget.Used(); n != 0 {
			t.Errorf("%d bytes are charged for connections that there are not", n)
		}
	})
	return r
}

// open returns a pool of connections with the driver's parameters params.
func (r *running) open(t testing.TB, params string) *sql.DB {
	t.Helper()
	network := r.Addr().Network()
	db, err := sql.Open("mysql", fmt.Sprintf("root@%s(%s)/performance_schema?%s", network, r.addr, params))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// user makes an account that may do everything and has no password, unless there is one.
func (r *running) user(t *testing.T, name string) {
	t.Helper()
	if name != "root" {
		r.account(t, "'"+name+"'@'%'")
	}
}

// account is user of an account with a host.
func (r *running) account(t *testing.T, name string) {
	t.Helper()
	for _, q := range []string{"CREATE USER IF NOT EXISTS %s", "GRANT ALL ON *.* TO %s WITH GRANT OPTION"} {
		st, err := accounts.Parse(fmt.Sprintf(q, name), false)
		if err == nil {
			_, err = r.accounts.Run(st, &accounts.Session{Note: func(int, string) {}})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// conn returns a connection of its own and its id.
func (r *running) conn(t *testing.T) (*sql.Conn, uint32) {
	t.Helper()
	c, err := r.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	var id uint32
	if err := c.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		t.Fatal(err)
	}
	return c, id
}

func (r *running) exec(t *testing.T, q string) {
	t.Helper()
	if _, err := r.db.Exec(q); err != nil {
		t.Fatalf("%s: %v", q, err)
	}
}

// query returns the rows of q, cells joined by "|", NULL as "NULL".
func (r *running) query(t *testing.T, q string, args ...any) []string {
	t.Helper()
	rows, err := r.db.Query(q, args...)
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	defer func() { _ = rows.Close() }()
	cols, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	cells := make([]sql.NullString, len(cols))
	dest := make([]any, len(cols))
	for i := range cells {
		dest[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			t.Fatal(err)
		}
		parts := make([]string, len(cells))
		for i, c := range cells {
			parts[i] = "NULL"
			if c.Valid {
				parts[i] = c.String
			}
		}
		out = append(out, strings.Join(parts, "|"))
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	return out
}

func (r *running) want(t *testing.T, q string, want ...string) {
	t.Helper()
	if got := r.query(t, q); !slices.Equal(got, want) {
		t.Errorf("%s\n got %q\nwant %q", q, got, want)
	}
}

// code is "number SQLSTATE text" of a MySQL error.
func code(err error) string {
	var e *mysql.MySQLError
	if !errors.As(err, &e) {
		return fmt.Sprint(err)
	}
	return fmt.Sprintf("%d %s %s", e.Number, e.SQLState[:], e.Message)
}

// eventually waits until cond holds. The time that it has is far more than a machine at rest needs.
func eventually(t testing.TB, what string, cond func() bool) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for !cond() {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}
