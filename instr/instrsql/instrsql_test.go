package instrsql_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pfsd/instr"
	"pfsd/instr/instrsql"
)

// recorder is a registry that keeps all that is recorded.
func recorder() *instr.Registry {
	r := instr.NewRegistry()
	for c := range instr.ConsumerCount {
		r.Setup().SetConsumer(c, true)
	}
	r.Setup().AddPattern("%", instr.PatternOn)
	return r
}

// stringer is an argument that only the check of the driver itself accepts.
type stringer struct{ s string }

func (s stringer) String() string { return s.s }

// script uses each part of database/sql, and returns the results.
func script(db *sql.DB) (seen []string) {
	see := func(format string, args ...any) { seen = append(seen, fmt.Sprintf(format, args...)) }
	ctx := context.Background()
	db.SetMaxOpenConns(1)
	see("ping %v", db.PingContext(ctx))
	for _, text := range []string{"UPDATE t SET a = ?", "fail ?", "skip ?", "DELETE cancelled ?"} {
		for _, arg := range []any{int64(1), "text", stringer{"own"}, sql.Named("name", 5)} {
			result, err := db.ExecContext(ctx, text, arg)
			affected := int64(-1)
			if err == nil {
				affected, err = result.RowsAffected()
			}
			see("exec %s %v: %d %v", text, arg, affected, err)
		}
	}
	for _, text := range []string{"SELECT rows 3", "SELECT broken rows 3", "fail", "skip rows 2", "malformed skip"} {
		rows, err := db.QueryContext(ctx, text)
		if err != nil {
			see("query %s: %v", text, err)
			continue
		}
		types, err := rows.ColumnTypes()
		see("types %v", err)
		for _, c := range types {
			length, hasLength := c.Length()
			precision, scale, isDecimal := c.DecimalSize()
			nullable, knowsNull := c.Nullable()
			see("%s %s %v %d %v %d %d %v %v %v", c.Name(), c.DatabaseTypeName(), c.ScanType(), length, hasLength, precision, scale, isDecimal, nullable, knowsNull)
		}
		for more := true; more; more = rows.NextResultSet() {
			for rows.Next() {
				var n int
				see("row %v %d", rows.Scan(&n), n)
			}
		}
		see("rows of %s: %v %v", text, rows.Err(), rows.Close())
	}
	s, err := db.PrepareContext(ctx, "INSERT ? rows 1")
	see("prepare %v", err)
	for _, arg := range []any{1, stringer{"own"}} {
		_, err = s.ExecContext(ctx, arg)
		see("execute %v: %v", arg, err)
		var n int
		see("query %v: %v %d", arg, s.QueryRowContext(ctx, arg).Scan(&n), n)
	}
	see("close %v", s.Close())
	_, err = db.PrepareContext(ctx, "malformed")
	see("prepare %v", err)
	for _, o := range []*sql.TxOptions{nil, {ReadOnly: true}, {Isolation: sql.LevelSerializable}} {
		tx, err := db.BeginTx(ctx, o)
		see("begin %v", err)
		if err == nil {
			_, err = tx.ExecContext(ctx, "UPDATE t")
			see("in a transaction: %v", err)
			if o == nil {
				see("commit %v", tx.Commit())
			}
			see("rollback %v", tx.Rollback())
		}
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	_, err = db.ExecContext(gone, "UPDATE t")
	see("after the end: %v", err)
	c, err := db.Conn(ctx)
	see("conn %v", err)
	see("raw %v", instrsql.Raw(c, func(driverConn any) error { see("%T", driverConn); return nil }))
	see("close %v %v", c.Close(), db.Close())
	return seen
}

// A program and a driver make the same calls and get the same results with and without the wrapper, for all sets of optional
// interfaces and all ways to wrap.
func TestDriversStayTheSame(t *testing.T) {
	for name, fakeOf := range fakes {
		plain := fakeOf()
		db := sql.OpenDB(dsn{plain, "source"})
		seen := script(db)
		calls := plain.calls()
		if len(seen) < 40 || len(calls) < 30 {
			t.Fatalf("%s: %d seen, %d calls", name, len(seen), len(calls))
		}
		for way, open := range map[string]func(*fake, *instr.Registry) (*sql.DB, error){
			"OpenDB": func(f *fake, r *instr.Registry) (*sql.DB, error) {
				return instrsql.OpenDB(dsn{f, "source"}, instrsql.WithRegistry(r)), nil
			},
			"Register": func(f *fake, r *instr.Registry) (*sql.DB, error) {
				plain := register(f)
				wrapped, err := instrsql.Register(plain, instrsql.WithRegistry(r))
				if err != nil {
					return nil, err
				}
				return sql.Open(wrapped, "source")
			},
			"Open": func(f *fake, r *instr.Registry) (*sql.DB, error) {
				return instrsql.Open(register(f), "source", instrsql.WithRegistry(r))
			},
			"no threads": func(f *fake, r *instr.Registry) (*sql.DB, error) {
				r.Setup().SetGoroutineThreads(0)
				return instrsql.OpenDB(dsn{f, "source"}, instrsql.WithRegistry(r)), nil
			},
			"another registry's thread": func(f *fake, r *instr.Registry) (*sql.DB, error) {
				return instrsql.OpenDB(dsn{f, "source"}, instrsql.WithRegistry(r)), nil
			},
			"off": func(f *fake, r *instr.Registry) (*sql.DB, error) {
				r.Setup().SetConsumer(instr.ConsumerGlobalInstrumentation, false)
				return instrsql.OpenDB(dsn{f, "source"}, instrsql.WithRegistry(r)), nil
			},
		} {
			f, reg := fakeOf(), recorder()
			db, err := open(f, reg)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			var thread *instr.Thread
			done := make(chan struct{})
			go func() { // that has not been a thread yet
				defer close(done)
				if way == "another registry's thread" {
					defer instr.NewRegistry().Attach("test/other").Detach()
				}
				got, thread = script(db), instr.Current()
			}()
			<-done
			if !slices.Equal(got, seen) {
				t.Errorf("%s, %s: the program sees\n%s", name, way, difference(got, seen))
			}
			if got := f.calls(); !slices.Equal(got, calls) {
				t.Errorf("%s, %s: the driver sees\n%s", name, way, difference(got, calls))
			}
			recorded := len(reg.Reader().StatementsHistoryLong())
			switch way {
			case "no threads":
				if thread != nil {
					t.Errorf("%s: the goroutine is a thread still", name)
				}
			case "another registry's thread":
				if thread == nil || thread.Registry() == reg || recorded != 0 {
					t.Errorf("%s: the goroutine is no longer the other registry's thread", name)
				}
			case "off":
				if recorded != 0 {
					t.Errorf("%s: recorded while off", name)
				}
			default:
				if thread == nil || thread.Registry() != reg || recorded < 20 {
					t.Errorf("%s, %s: %d statements are recorded", name, way, recorded)
				}
			}
			if open := reg.Reader().PoolConnections(); len(open) != 0 {
				t.Errorf("%s, %s: open connections %v", name, way, open)
			}
		}
	}
}

// register registers a driver by a name of its own.
func register(f *fake) string {
	name := fmt.Sprintf("fake-%d", drivers.Add(1))
	sql.Register(name, f)
	return name
}

var drivers atomic.Int64

// difference returns the first lines that differ.
func difference(got, want []string) string {
	for i := range max(len(got), len(want)) {
		g, w := "nothing", "nothing"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			return fmt.Sprintf("line %d: %s\nrather than %s", i, g, w)
		}
	}
	return ""
}

// dsn is a connector for a driver that makes none.
type dsn struct {
	driver *fake
	name   string
}

func (d dsn) Connect(context.Context) (driver.Conn, error) { return d.driver.Open(d.name) }
func (d dsn) Driver() driver.Driver                        { return d.driver }

// Each call is a statement with its text, digest, rows and error, and a transaction is one.
func TestCallsAreStatements(t *testing.T) {
	reg := recorder()
	thread := reg.Attach("test/worker")
	defer thread.Detach()
	db := instrsql.OpenDB(dsn{fakes["rich"](), ""}, instrsql.WithRegistry(reg), instrsql.WithName("orders"))
	defer db.Close()
	ctx := context.Background()
	outer := thread.StartStatement(reg.NewStatementClass("http/request"))
	id := outer.EventID()
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := tx.QueryContext(ctx, " /* c */ (SELECT 17 rows 3)")
	if err != nil {
		t.Fatal(err)
	}
	inner, err := tx.ExecContext(ctx, "Insert INTO t VALUES (?)", 1) // while rows are read
	if n, _ := inner.RowsAffected(); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	for more := true; more; more = rows.NextResultSet() {
		for rows.Next() {
		}
	}
	rows.Close()
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	db.ExecContext(ctx, "update fail")
	db.ExecContext(ctx, "DELETE cancelled")
	db.ExecContext(ctx, "strange skip") // prepared, executed and closed in its place
	func() {
		defer func() { recover() }()
		db.ExecContext(ctx, "drop panic")
	}()
	outer.End()

	var got []string
	for _, s := range reg.Reader().StatementsHistoryLong() {
		if s.ID == id {
			continue
		}
		if s.NestingID != id && s.NestingType != instr.NestingTransaction {
			t.Errorf("%s is part of %d, not of %d", s.Class.Name(), s.NestingID, id)
		}
		text := ""
		if s.Digest != nil {
			text = s.Digest.Text()
		}
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s | %s | %d %s %s | sent %d, affected %d", strings.TrimPrefix(s.Class.Name(), "statement/db.client/"), s.Schema, text,
			s.Errno, s.SQLState, s.Message, s.Counters[instr.RowsSent], s.Counters[instr.RowsAffected])))
	}
	want := []string{
		"connect orders |  | 0 00000  | sent 0, affected 0",
		"begin orders |  | 0 00000  | sent 0, affected 0",
		"select orders | ( SELECT ? ROWS ? ) | 0 00000  | sent 5, affected 0",
		"insert orders | INSERT INTO `t` VALUES (?) | 0 00000  | sent 0, affected 1",
		"commit orders |  | 0 00000  | sent 0, affected 0",
		"update orders | UPDATE `fail` | 1146 42S02 wrapped: no such table | sent 0, affected 0",
		"delete orders | DELETE `cancelled` | 1317 HY000 context canceled | sent 0, affected 0",
		"prepare orders | PREPARE `strange` SKIP | 0 00000  | sent 0, affected 0",
		"other orders | `strange` SKIP | 0 00000  | sent 0, affected 1",
		"drop orders | DROP `panic` | 0   | sent 0, affected 0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("statements:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	transactions := thread.TransactionsHistory(nil)
	if len(transactions) != 1 || transactions[0].State != instr.TransactionCommitted || !transactions[0].ReadOnly || transactions[0].Isolation != "REPEATABLE READ" {
		t.Errorf("transactions %+v", transactions)
	}
}

// The pool shows who has which connection, since when and from which line, and waiting for one is a wait. A prepared
// statement belongs to its thread until it is closed, and has the times of its preparation and its executions.
func TestPreparedStatements(t *testing.T) {
	reg := recorder()
	defer reg.Attach("test/worker").Detach()
	for kind, fake := range fakes {
		db := instrsql.OpenDB(dsn{fake(), ""}, instrsql.WithRegistry(reg))
		defer db.Close()
		const text = "INSERT ? rows 1"
		s, err := db.Prepare(text)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := s.Exec(1); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := db.Prepare("malformed"); err == nil {
			t.Fatal("prepared what is malformed")
		}
		all := reg.Reader().PreparedStatements()
		if len(all) != 1 || all[0].SQLText != text || all[0].StatementID != 1 {
			t.Fatalf("%s: %d prepared statements: %+v", kind, len(all), all)
		}
		if got := all[0].Stat(); got.Prepare.Count != 1 || got.Executed.Count != 3 {
			t.Errorf("%s: prepared %d times, executed %d times", kind, got.Prepare.Count, got.Executed.Count)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if n := len(reg.Reader().PreparedStatements()); n != 0 {
			t.Errorf("%s: %d are left", kind, n)
		}
	}
}

func TestConnectionsHaveUsers(t *testing.T) {
	reg := recorder()
	db := instrsql.OpenDB(dsn{fakes["rich"](), ""}, instrsql.WithRegistry(reg), instrsql.WithName("orders"))
	defer db.Close()
	db.SetMaxOpenConns(1)
	ctx := context.Background()
	thread := reg.Attach("test/holder")
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := reg.Reader().PoolConnections()
	if len(all) != 1 || all[0].Pool != "orders" || !all[0].Taken || all[0].ThreadID != thread.ID() || !strings.HasPrefix(all[0].Source, "instrsql_test.go:") {
		t.Errorf("taken: %+v", all)
	}
	var waiter sync.WaitGroup
	waiter.Go(func() {
		defer reg.Attach("test/waiter").Detach()
		if _, err := db.ExecContext(ctx, "UPDATE t"); err != nil {
			t.Error(err)
		}
	})
	for db.Stats().WaitCount == 0 {
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	waiter.Wait()
	thread.Detach()
	if all = reg.Reader().PoolConnections(); len(all) != 1 || all[0].Taken || all[0].ThreadID != 0 || all[0].Source != "" {
		t.Errorf("given back: %+v", all)
	}
	class := reg.Reader().ClassByName("wait/synch/cond/db.client/pool")
	if s := class.Waits(); s.Count != 1 || s.SumPicoseconds() == 0 || db.Stats().WaitCount != 1 {
		t.Errorf("waits %+v, %d of database/sql", s, db.Stats().WaitCount)
	}
}

// Many goroutines at once, contexts that end meanwhile, and rows that other goroutines close: each statement counts
// once.
func TestManyCalls(t *testing.T) {
	const goroutines, each = 8, 200
	reg := recorder()
	reg.Setup().SetHistoryLongSize(instr.FamilyStatements, 100_000)
	db := instrsql.OpenDB(dsn{fakes["rich"](), ""}, instrsql.WithRegistry(reg))
	defer db.Close()
	db.SetMaxOpenConns(3)
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			if g%2 == 0 {
				defer reg.Attach("test/worker").Detach()
			}
			for i := range each {
				ctx, cancel := context.WithCancel(context.Background())
				rows, err := db.QueryContext(ctx, "SELECT rows 4")
				if err != nil {
					t.Error(err)
					cancel()
					continue
				}
				rows.Next()
				if i%3 == 0 {
					cancel() // another goroutine closes the rows
				}
				rows.Close()
				cancel()
			}
		})
	}
	all.Wait()
	for db.Stats().InUse > 0 {
	}
	work := reg.Reader().GlobalWork(instr.WorkStatements)
	if n := work.Statement(reg.Reader().ClassByName("statement/db.client/select")).Count; n != goroutines*each {
		t.Errorf("%d statements", n)
	}
}

// The number and the SQLSTATE of an error are found in whatever way the driver has them.
func TestErrors(t *testing.T) {
	reg := recorder()
	f := fakes["bare"]()
	db := instrsql.OpenDB(dsn{f, "refused"}, instrsql.WithRegistry(reg))
	defer db.Close()
	if err := db.Ping(); err == nil {
		t.Error("no error")
	}
	all := reg.Reader().StatementsHistoryLong()
	if len(all) != 1 || all[0].Errno != 1146 || all[0].SQLState != "42S02" || all[0].Class.Name() != "statement/db.client/connect" {
		t.Errorf("%+v", all)
	}
	if _, err := instrsql.Open("no such driver", ""); err == nil {
		t.Error("opened")
	}
	if _, err := instrsql.Register("no such driver"); err == nil {
		t.Error("registered")
	}
}

// For any text there is an instrument.
func FuzzTexts(f *testing.F) {
	f.Add("SELECT 1")
	f.Add("/* a */ -- b\n (((;update")
	f.Add("/*")
	f.Add("\x00truncatetruncatetruncate")
	reg := recorder()
	db := instrsql.OpenDB(dsn{fakes["rich"](), ""}, instrsql.WithRegistry(reg))
	f.Cleanup(func() { db.Close() })
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "panic") {
			return
		}
		reg.Reader().TruncateStatementsHistoryLong()
		_, _ = db.Exec(text)
		for _, s := range reg.Reader().StatementsHistoryLong() {
			if !strings.HasPrefix(s.Class.Name(), "statement/db.client/") {
				t.Errorf("%q is %s", text, s.Class.Name())
			}
		}
	})
}
