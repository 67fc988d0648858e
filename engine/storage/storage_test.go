package storage_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/storage"
	"pfsd/engine/txkv"
)

// world is an engine on a store. The store can be closed and opened again.
type world struct {
	t     testing.TB
	fs    vfs.FS
	o     txkv.Options
	store *txkv.Store
	p     *storage.Provider
	e     *sqle.Engine
	all   []*client
}

func newWorld(t testing.TB) *world {
	t.Helper()
	return newWorldOf(t, txkv.Options{})
}

// newWorldOf does the same as newWorld with options for the store.
func newWorldOf(t testing.TB, o txkv.Options) *world {
	t.Helper()
	w := &world{t: t, fs: vfs.NewMem(), o: o}
	w.open()
	if err := w.p.CreateDatabase(nil, "d"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.close)
	return w
}

func (w *world) open() {
	w.t.Helper()
	w.o.Dir, w.o.FS, w.o.CacheBytes, w.o.LockSpan, w.o.BallastBytes = "data", w.fs, 8<<20, storage.LockSpan, -1
	s, err := txkv.Open(w.o)
	if err != nil {
		w.t.Fatal(err)
	}
	p, err := storage.Open(s)
	if err != nil {
		w.t.Fatal(err)
	}
	w.store, w.p = s, p
	w.e = sqle.New(analyzer.NewBuilder(p).Build(), nil)
}

func (w *world) close() {
	for _, c := range w.all {
		c.session.SessionEnd()
	}
	w.all = nil
	if err := errors.Join(w.p.Close(), w.store.Close()); err != nil {
		w.t.Error(err)
	}
}

// reopen restarts the engine. All sessions end.
func (w *world) reopen() {
	w.t.Helper()
	w.close()
	w.open()
}

// client is a session.
type client struct {
	w       *world
	session *storage.Session
}

var (
	pids  atomic.Uint64
	ident atomic.Uint32
)

func (w *world) client() *client {
	s := w.p.NewSession(sql.NewBaseSessionWithClientServer("here", sql.Client{Address: "localhost", User: "root"}, ident.Add(1))).(*storage.Session)
	s.SetCurrentDatabase("d")
	c := &client{w, s}
	w.all = append(w.all, c)
	return c
}

// query executes a statement.
func query(e *sqle.Engine, session sql.Session, text string) ([]sql.Row, error) {
	ctx := sql.NewContext(context.Background(), sql.WithSession(session), sql.WithPid(pids.Add(1)), sql.WithQuery(text))
	_, rows, _, err := e.Query(ctx, text)
	if err != nil {
		return nil, err
	}
	var all []sql.Row
	for {
		row, err := rows.Next(ctx)
		if err == io.EOF {
			return all, rows.Close(ctx)
		}
		if err != nil {
			return nil, errors.Join(err, rows.Close(ctx))
		}
		all = append(all, row)
	}
}

func (c *client) try(text string) (string, error) {
	if err := c.session.CommandBegin(); err != nil {
		return "", err
	}
	defer c.session.CommandEnd()
	rows, err := query(c.w.e, c.session, text)
	return shown(rows), err
}

// shown returns rows as text.
func shown(rows []sql.Row) string {
	var b strings.Builder
	for _, r := range rows {
		for i, v := range r {
			if i > 0 {
				b.WriteByte(' ')
			}
			if v == nil {
				v = "NULL"
			}
			fmt.Fprint(&b, v)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (c *client) do(texts ...string) {
	c.w.t.Helper()
	for _, text := range texts {
		if _, err := c.try(text); err != nil {
			c.w.t.Fatalf("%s: %v", text, err)
		}
	}
}

// want compares the rows that a statement returns. In text, blanks separate values and semicolons
// separate rows.
func (c *client) want(text, want string) {
	c.w.t.Helper()
	got, err := c.try(text)
	if err != nil {
		c.w.t.Fatalf("%s: %v", text, err)
	}
	if got = strings.TrimSuffix(strings.ReplaceAll(got, "\n", ";"), ";"); got != want {
		c.w.t.Fatalf("%s: %q, want %q", text, got, want)
	}
}

// fails checks that a statement fails with the number; 0 stands for any error.
func (c *client) fails(text string, number int) {
	c.w.t.Helper()
	_, err := c.try(text)
	if err == nil {
		c.w.t.Fatalf("%s: no error, want %d", text, number)
	}
	if number != 0 && sql.CastSQLError(cause(err)).Num != number {
		c.w.t.Fatalf("%s: error %d (%v), want %d", text, sql.CastSQLError(cause(err)).Num, err, number)
	}
}

// cause returns the first of joined errors.
func cause(err error) error {
	var e *mysql.SQLError
	if errors.As(err, &e) {
		return e
	}
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		return cause(j.Unwrap()[0])
	}
	if w, ok := err.(sql.WrappedInsertError); ok {
		return w.Cause
	}
	return err
}

// After a restart everything except temporary tables is as before.
func TestRestart(t *testing.T) {
	w := newWorld(t)
	c := w.client()
	c.do(
		"create table parent (id int primary key auto_increment, name varchar(20) collate utf8mb4_0900_ai_ci unique, index (name(3)))",
		"create table child (id int primary key, parent int not null, at datetime(6), constraint fk foreign key (parent) references parent (id) on delete cascade)",
		`create table kinds (a tinyint unsigned default 5, b decimal(65,30), c enum('x','it''s','y,z') collate utf8mb4_general_ci, d set('p','q'), e json, f bit(12),
			g year, h time, i timestamp(3) null, j double, k float, l varbinary(10), m blob, n text, o date, p char(4) character set latin1, q point srid 4326,
			r int as (a + 1) stored, s int as (a * 2) virtual, t bigint check (t > 0), u varchar(10) default (concat('a', 'b')) comment 'hm', index s_index (s), unique key f_b (f, b)) comment='all kinds'`,
		"insert into parent (name) values ('Ä'), ('b'), ('c')",
		"insert into child values (1, 1, '2024-05-06 07:08:09.123456'), (2, 2, null)",
		`insert into kinds (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, t) values
			(7, 12345678901234567890.123456789, 'it''s', 'p,q', '{"a": [1, 2.5]}', 4095, 2024, '-12:34:56.5', '2024-01-02 03:04:05.678', 1.5, 2.25, x'00ff', x'0102', 'text', '2024-02-29', 'éa', 3), (null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null)`,
		"create view v as select name from parent where id > 1",
		"create trigger tr before insert on parent for each row set new.name = concat(new.name, '!')",
		"create procedure pr() select count(*) from parent",
		"create table noKey (a int, b text)",
		"insert into noKey values (1, 'x'), (1, 'x'), (2, 'y')",
		"create temporary table tmp (a int)",
		"insert into tmp values (1)",
		"delete from parent where id = 3",
	)
	c.do("alter table kinds add column z int default 9", "alter table child add index at_index (at)", "create database other")
	show := []string{
		"show create table parent", "show create table child", "show create table kinds", "show create view v", "show create trigger tr", "show create procedure pr",
		"select * from kinds", "select * from child", "select * from v", "select * from noKey", "select s from kinds where s = 14", "show databases", "call pr()",
	}
	var before []string
	for _, q := range show {
		got, err := c.try(q)
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		before = append(before, got)
	}
	w.reopen()
	c = w.client()
	for i, q := range show {
		got, err := c.try(q)
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		if was, _, _ := strings.Cut(before[i], " m=+"); !strings.HasPrefix(got, was) { // a time made in this process has a monotonic part
			t.Errorf("%s:\n%s\nwas\n%s", q, got, before[i])
		}
	}
	c.fails("select * from tmp", 1146)
	c.do("insert into parent (name) values ('d')")
	c.want("select id, name from parent order by id", "1 Ä;2 b;4 d!") // 3 is not assigned again
	c.fails("insert into parent (id, name) values (5, 'D')", 1062)
}

// No value of an AUTO_INCREMENT column is assigned twice, not even after a crash.
func TestAutoIncrementAfterACrash(t *testing.T) {
	crashing := vfs.NewCrashableMem()
	w := &world{t: t, fs: crashing}
	w.open()
	if err := w.p.CreateDatabase(nil, "d"); err != nil {
		t.Fatal(err)
	}
	c := w.client()
	c.do("create table t (id bigint primary key auto_increment, a int)", "insert into t (a) values (1), (2), (3)", "delete from t where id = 3")
	w.fs = crashing.CrashClone(vfs.CrashCloneCfg{})
	w.close()
	w.open()
	t.Cleanup(w.close)
	c = w.client()
	c.do("insert into t (a) values (4)")
	got, err := c.try("select max(id) from t")
	if err != nil || got <= "3\n" && len(got) == 2 {
		t.Errorf("the next value is %s (%v)", got, err)
	}
	c.want("select a from t order by a", "1;2;4")
}

// Two sessions add to the same rows: no update is lost, with a primary key and without one.
func TestConcurrentUpdates(t *testing.T) {
	w := newWorld(t)
	w.client().do("create table a (id int primary key, n int, index (n))", "insert into a values (1, 0), (2, 0)", "create table b (n int)", "insert into b values (0)")
	const clients, times = 4, 25
	var wg sync.WaitGroup
	var deadlocks atomic.Int32
	for i := range clients {
		c := w.client()
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range times {
				for _, q := range []string{"update b set n = n + 1", fmt.Sprintf("update a set n = n + 1 where id = %d", 1+(i+j)%2)} {
					for {
						_, err := c.try(q)
						if err == nil {
							break
						}
						if sql.CastSQLError(cause(err)).Num != 1213 {
							t.Errorf("%s: %v", q, err)
							return
						}
						deadlocks.Add(1)
					}
				}
			}
		}()
	}
	wg.Wait()
	c := w.client()
	c.want("select sum(n) from a", fmt.Sprint(clients*times))
	c.want("select n from b", fmt.Sprint(clients*times))
	c.want("select count(*) from a where n >= 0", "2")
}

// Snapshots, reads of the present state and locks of two sessions are as in InnoDB at REPEATABLE
// READ and READ COMMITTED.
func TestIsolation(t *testing.T) {
	w := newWorld(t)
	a, b := w.client(), w.client()
	a.do("create table t (id int primary key, n int, unique (n))", "insert into t values (1, 10), (2, 20)")
	a.do("begin")
	a.want("select n from t where id = 1", "10")
	b.do("update t set n = 11 where id = 1", "insert into t values (3, 30)")
	a.want("select * from t", "1 10;2 20")
	a.do("update t set n = n + 1 where id = 1")
	a.want("select n from t where id = 1", "12")
	b.do("set innodb_lock_wait_timeout = 1")
	b.fails("update t set n = 0 where id = 1", 1205)
	b.fails("insert into t values (9, 12)", 1205)
	b.do("update t set n = 21 where id = 2")
	a.do("savepoint s", "delete from t where id = 2", "rollback to savepoint s", "commit")
	b.want("select * from t order by id", "1 12;2 21;3 30")

	a.do("set transaction_isolation = 'READ-COMMITTED'", "begin")
	a.want("select n from t where id = 3", "30")
	b.do("update t set n = 31 where id = 3")
	a.want("select n from t where id = 3", "31")
	a.do("rollback")

	// A statement that fails leaves nothing behind, neither rows nor locks.
	a.fails("insert into t values (4, 40), (5, 31)", 1062)
	b.do("insert into t values (4, 40)")
	a.do("delete from t where id = 4")
}

// Two transactions wait for each other: one of them gets error 1213, the other goes on.
func TestDeadlock(t *testing.T) {
	w := newWorld(t)
	a, b := w.client(), w.client()
	a.do("create table t (id int primary key, n int)", "insert into t values (1, 0), (2, 0)")
	a.do("begin", "update t set n = 1 where id = 1")
	b.do("begin", "update t set n = 2 where id = 2")
	done := make(chan error, 1)
	go func() {
		_, err := a.try("update t set n = 1 where id = 2")
		done <- err
	}()
	_, other := b.try("update t set n = 2 where id = 1")
	err := <-done
	if (err == nil) == (other == nil) {
		t.Fatalf("errors %v and %v, want one", err, other)
	}
	if failed := errors.Join(err, other); sql.CastSQLError(cause(failed)).Num != 1213 {
		t.Errorf("error %v, want 1213", failed)
	}
}

// The parent row of a foreign key cannot be deleted as long as the child's transaction may commit.
func TestForeignKeyLocksTheParent(t *testing.T) {
	w := newWorld(t)
	a, b := w.client(), w.client()
	a.do("create table p (id int primary key)", "create table c (id int primary key, p int, foreign key (p) references p (id))", "insert into p values (1), (2)")
	b.do("set innodb_lock_wait_timeout = 1")
	a.do("begin", "insert into c values (1, 1)")
	b.fails("delete from p where id = 1", 1205)
	b.do("delete from p where id = 2")
	a.do("commit")
	b.fails("delete from p where id = 1", 1451)
	a.fails("insert into c values (2, 2)", 1452)
}

// A change of a table commits and is durable. A change that fails leaves everything as it was.
func TestAlter(t *testing.T) {
	w := newWorld(t)
	c := w.client()
	c.do("create table t (a int, b varchar(10))", "insert into t values (1, 'x'), (2, 'y'), (2, 'z')")
	c.fails("alter table t add primary key (a)", 1062)
	c.fails("create unique index u on t (a)", 1062)
	c.fails("alter table t modify b int", 0)
	c.want("select * from t", "1 x;2 y;2 z")
	c.do("update t set a = 3 where b = 'z'", "create unique index u on t (a)", "alter table t add primary key (b)", "alter table t add column n int auto_increment unique",
		"alter table t add column last int", "alter table t rename column last to l", "alter table t drop index u")
	w.reopen()
	c = w.client()
	c.want("select * from t order by a", "1 x 1 NULL;2 y 2 NULL;3 z 3 NULL")
	c.do("insert into t (a, b) values (1, 'w')")
	c.want("select n from t where b = 'w'", "4")
	c.do("truncate t", "insert into t (a, b) values (1, 'w')")
	c.want("select n from t", "1")
	c.do("rename table t to s", "drop table s")
	w.reopen()
	w.client().fails("select * from s", 1146)
}

// One session changes a table while others write to it, without metadata locks. Statements may
// fail, but nothing that was acknowledged is lost.
func TestChangesUnderWriters(t *testing.T) {
	w := newWorld(t)
	w.client().do("create table t (id int primary key, n int)")
	var wg sync.WaitGroup
	var acknowledged [3][]int
	for i := range acknowledged {
		c := w.client()
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range 60 {
				if _, err := c.try(fmt.Sprintf("insert into t (id, n) values (%d, 0)", 1000*i+j)); err == nil {
					acknowledged[i] = append(acknowledged[i], 1000*i+j)
				}
			}
		}()
	}
	c := w.client()
	for i := range 6 {
		_, _ = c.try(fmt.Sprintf("alter table t add column c%d int default 1", i))
		_, _ = c.try(fmt.Sprintf("create index i%d on t (c%d)", i, i))
	}
	wg.Wait()
	got, err := w.client().try("select id from t order by id")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, ids := range acknowledged {
		for _, id := range ids {
			fmt.Fprintln(&want, id)
		}
	}
	if got != want.String() {
		t.Errorf("there are %d rows, but %d were acknowledged", strings.Count(got, "\n"), strings.Count(want.String(), "\n"))
	}
	for i := range 6 { // the indexes have all rows
		if n, err := w.client().try(fmt.Sprintf("select count(*) from t where c%d >= 0", i)); err == nil {
			if rows := strings.Count(got, "\n"); strings.TrimSpace(n) > fmt.Sprint(rows) && len(n) > len(fmt.Sprint(rows)) {
				t.Errorf("index %d has %s rows of %d", i, n, rows)
			}
		}
	}
}

// Random statements give the same rows here and on go-mysql-server's tables in memory.
func TestSameAsInMemory(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newWorld(t)
			c := w.client()
			db := memory.NewDatabase("d")
			other := memory.NewDBProvider(db)
			e := sqle.New(analyzer.NewBuilder(other).Build(), nil)
			session := memory.NewSession(sql.NewBaseSession(), other)
			session.SetCurrentDatabase("d")
			r := rand.New(rand.NewPCG(seed, 1))
			do := func(text string) {
				t.Helper()
				got, err := c.try(text)
				rows, otherErr := query(e, session, text)
				want := shown(rows)
				if (err == nil) != (otherErr == nil) {
					t.Fatalf("%s:\nerror %v, in memory %v", text, err, otherErr)
				}
				if err == nil && !strings.Contains(text, "order by") {
					got, want = sorted(got), sorted(want)
				}
				if err == nil && got != want {
					t.Fatalf("%s:\n%s\nin memory\n%s", text, got, want)
				}
			}
			do("create table k (id int primary key, a int, b varchar(10), c decimal(8,2), d datetime, index (a), index (b, a), unique key u (c))")
			do("create table n (id int, a int, b varchar(10), c decimal(8,2), d datetime, index (a), index (c))")
			value := func(column int) string {
				if column > 0 && r.IntN(6) == 0 {
					return "null"
				}
				switch column {
				case 2:
					return fmt.Sprintf("'%c%c'", 'a'+rune(r.IntN(3)), "AbB "[r.IntN(4)])
				case 3:
					return fmt.Sprintf("%d.%02d", r.IntN(40)-20, r.IntN(100))
				case 4:
					return fmt.Sprintf("'2024-01-%02d 10:00:00'", 1+r.IntN(28))
				}
				return fmt.Sprint(r.IntN(40))
			}
			names := []string{"id", "a", "b", "c", "d"}
			condition := func() string {
				var parts []string
				for range 1 + r.IntN(2) {
					i := r.IntN(len(names))
					switch r.IntN(6) {
					case 0:
						parts = append(parts, fmt.Sprintf("%s between %s and %s", names[i], value(i), value(i)))
					case 1:
						parts = append(parts, fmt.Sprintf("%s in (%s, %s)", names[i], value(i), value(i)))
					case 2:
						parts = append(parts, names[i]+" is null")
					default:
						parts = append(parts, fmt.Sprintf("%s %s %s", names[i], []string{"=", "<", ">", "<=", ">=", "<>"}[r.IntN(6)], value(i)))
					}
				}
				return strings.Join(parts, []string{" and ", " or "}[r.IntN(2)])
			}
			for i := range 250 {
				table := []string{"k", "n"}[r.IntN(2)]
				switch r.IntN(8) {
				case 0, 1, 2:
					var values []string
					for column := range names {
						values = append(values, value(column))
					}
					do(fmt.Sprintf("insert into %s values (%s)", table, strings.Join(values, ", ")))
				case 3:
					column := 1 + r.IntN(2)
					do(fmt.Sprintf("update %s set %s = %s where %s", table, names[column], value(column), condition()))
				case 4:
					if r.IntN(3) == 0 {
						do(fmt.Sprintf("delete from %s where %s", table, condition()))
					}
				case 5:
					do(fmt.Sprintf("select * from %s where %s", table, condition()))
				case 6:
					column := names[r.IntN(len(names))]
					do(fmt.Sprintf("select %s from %s where %s order by %s %s", column, table, condition(), column, []string{"asc", "desc"}[r.IntN(2)]))
				case 7:
					do(fmt.Sprintf("select count(*), sum(k.a), max(n.b) from k join n on k.a = n.a where k.%s", condition()[:0]+"id >= 0"))
				}
				if i == 120 {
					w.reopen()
					c = w.client()
				}
			}
			for _, table := range []string{"k", "n"} {
				do("select * from " + table)
				do("select count(*) from " + table)
			}
		})
	}
}

// A lookup of a row by a unique key finds the same rows as in go-mysql-server's tables in memory,
// for all kinds of values.
func TestPointLookups(t *testing.T) {
	w := newWorld(t)
	c := w.client()
	other := memory.NewDBProvider(memory.NewDatabase("d"))
	e := sqle.New(analyzer.NewBuilder(other).Build(), nil)
	session := memory.NewSession(sql.NewBaseSession(), other)
	session.SetCurrentDatabase("d")
	do := func(text string) (found bool) {
		t.Helper()
		got, err := c.try(text)
		rows, otherErr := query(e, session, text)
		if want := shown(rows); err != nil || otherErr != nil || got != want {
			t.Errorf("%s:\n%s, %v\nin memory\n%s, %v", text, got, err, want, otherErr)
		}
		return len(rows) > 0
	}
	do("create table p (a tinyint, b varchar(10) collate utf8mb4_0900_ai_ci, c int unsigned, d bigint, primary key (a, b), unique key (c), unique key (d, a))")
	for i := range 12 {
		d := fmt.Sprint(i * 1_000_000_007)
		if i%4 == 0 {
			d = "null"
		}
		do(fmt.Sprintf("insert into p values (%d, '%s', %d, %s)", i%3-1, strings.Repeat([]string{"a", "aB", "é"}[i%3], 1+i/3), i*300, d))
	}
	found := 0
	look := func(condition string) {
		t.Helper()
		if do("select * from p where " + condition) {
			found++
		}
	}
	for _, a := range []string{"-129", "-128", "-1", "0", "1", "127", "128", "70000", "1.5", "'1'", "null", "18446744073709551615"} {
		for _, b := range []string{"'a'", "'A'", "'aB'", "'abab'", "''", "'a longer text than fits'", "null", "5"} {
			look("a = " + a + " and b = " + b)
		}
		look("a = " + a + " and d = 1000000007")
	}
	for _, c := range []string{"0", "300", "3300", "3301", "-1", "4294967295", "4294967296", "300.0", "300.5", "'300'", "null"} {
		look("c = " + c)
	}
	if found < 6 {
		t.Errorf("%d of the lookups find a row", found)
	}
}

func sorted(rows string) string {
	lines := strings.Split(rows, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// A SELECT locks the rows that it reads, as the engine tells the transaction.
func TestLockingReads(t *testing.T) {
	w := newWorld(t)
	a, b := w.client(), w.client()
	a.do("create table t (id int primary key)", "insert into t values (1), (2), (3)")
	b.do("set innodb_lock_wait_timeout = 1")
	a.do("begin", "update t set id = 4 where id = 1")
	read := func(l storage.ReadLock, text string) (string, error) {
		ctx := sql.NewContext(context.Background(), sql.WithSession(b.session), sql.WithPid(pids.Add(1)), sql.WithQuery(text))
		tx, err := b.session.StartTransaction(ctx, sql.ReadWrite)
		if err != nil {
			t.Fatal(err)
		}
		defer b.session.SetTransaction(nil)
		defer tx.(*storage.Transaction).Rollback()
		ctx.SetTransaction(tx)
		tx.(*storage.Transaction).LockReads(func(string, string) (storage.ReadLock, bool) { return l, true })
		_, rows, _, err := w.e.Query(ctx, text)
		if err != nil {
			return "", err
		}
		all, err := sql.RowIterToRows(ctx, rows)
		return shown(all), err
	}
	if _, err := read(storage.ReadLock{NoWait: true}, "select * from t"); err == nil || sql.CastSQLError(cause(err)).Num != 3572 {
		t.Errorf("NOWAIT: %v", err)
	}
	if _, err := read(storage.ReadLock{Shared: true}, "select * from t where id = 1"); err == nil || sql.CastSQLError(cause(err)).Num != 1205 {
		t.Errorf("FOR SHARE: %v", err)
	}
	if got, err := read(storage.ReadLock{SkipLocked: true}, "select * from t where id < 4"); err != nil || got != "2\n3\n" {
		t.Errorf("SKIP LOCKED: %q %v", got, err)
	}
	a.do("rollback")
	if got, err := read(storage.ReadLock{}, "select * from t"); err != nil || got != "1\n2\n3\n" {
		t.Errorf("FOR UPDATE: %q %v", got, err)
	}
}

// When a connection ends, its locks are released.
func TestSessionEnd(t *testing.T) {
	w := newWorld(t)
	a, b := w.client(), w.client()
	a.do("create table t (id int primary key)", "insert into t values (1)", "begin", "delete from t where id = 1")
	a.session.SessionEnd()
	b.do("set innodb_lock_wait_timeout = 1", "update t set id = 2")
	b.want("select id from t", "2")
	if n := len(w.store.Locks()); n != 0 {
		t.Errorf("%d locks are left", n)
	}
}
