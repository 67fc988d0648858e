package storage_test

import (
	"context"
	"io"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
)

// A statement does not read the rows that it has written itself.
func TestStatementsDoNotMeetTheirOwnRows(t *testing.T) {
	c := newWorld(t).client()
	c.do("create table t (id int primary key, x int, index (x))", "insert into t values (1, 1), (2, 2), (3, 3)")
	c.do("update t set x = x + 10 where x <> 2")
	c.want("select x from t order by id", "11;2;13")
	c.do("update t set id = id + 1 where id in (3, 4) order by id desc")
	c.want("select id from t order by id", "1;2;4")
	c.do("insert into t select a.id + 10 * b.id, 0 from t a join t b on a.id <= b.id where a.id < 10 and b.id < 10")
	c.want("select count(*) from t", "9")
	c.do("create table k (a int)", "insert into k values (1), (1), (2)", "update k set a = a + 1 where a < 3", "insert into k select a from k")
	c.want("select a from k order by a", "2;2;2;2;3;3")
	c.do("delete from k where a = 2 limit 3")
	c.want("select a from k order by a", "2;3;3")
}

// A lookup in an index returns only rows that match, even if a row changes after the index entry
// was read and before the row is read.
func TestReadUncommittedByIndex(t *testing.T) {
	w := newWorld(t)
	a, b := w.client(), w.client()
	a.do("create table t (id int primary key, n int, m int, index (n))", "insert into t values (1, 1, 0), (2, 2, 0), (3, 3, 0)", "set transaction_isolation = 'READ-UNCOMMITTED'")
	text := "select n, m from t where n between 1 and 3"
	ctx := sql.NewContext(context.Background(), sql.WithSession(a.session), sql.WithPid(pids.Add(1)), sql.WithQuery(text))
	_, rows, _, err := w.e.Query(ctx, text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rows.Next(ctx); err != nil {
		t.Fatal(err)
	}
	b.do("update t set n = 50 where id = 2")
	for {
		row, err := rows.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if row[0] == int32(50) {
			t.Errorf("%v is not between 1 and 3", row)
		}
	}
	if err := rows.Close(ctx); err != nil {
		t.Fatal(err)
	}
}

// Tables made from queries, and full text and prefix indexes, work before and after a restart.
func TestTablesOfTables(t *testing.T) {
	w := newWorld(t)
	c := w.client()
	c.do("create table a (id int primary key, b text, fulltext key words (b), unique key p (b(3)))", "insert into a values (1, 'one two'), (2, 'two three')",
		"create table b as select id, b from a", "create table c like b", "insert into c select * from a")
	c.fails("insert into a values (3, 'one four')", 1062)
	w.reopen()
	c = w.client()
	c.want("select id from a where match (b) against ('three')", "2")
	c.want("select * from b order by id", "1 one two;2 two three")
	c.want("select id from c where b = 'two three'", "2")
	c.do("insert into a values (3, 'three')", "delete from a where id = 2")
	c.want("select id from a where match (b) against ('three')", "3")
	c.do("drop table a")
	c.want("show tables", "b;c")
}

// A cursor goes on while the other statements of its procedure commit.
func TestCursorOutlivesCommits(t *testing.T) {
	c := newWorld(t).client()
	c.do("create table t (id int primary key)", "create table u (id int primary key)", "insert into t values (1), (2), (3)",
		`create procedure p()
		begin
			declare done int default 0;
			declare v int;
			declare c cursor for select id from t;
			declare continue handler for not found set done = 1;
			open c;
			l: loop
				fetch c into v;
				if done = 1 then leave l; end if;
				insert into u values (v);
			end loop;
			close c;
		end`, "call p()")
	c.want("select id from u order by id", "1;2;3")
}

// Temporary tables hide other tables of the same name, take part in rollbacks, and are dropped when
// the session ends.
func TestTemporaryTables(t *testing.T) {
	w := newWorld(t)
	a, b := w.client(), w.client()
	a.do("create table t (a int)", "insert into t values (1)", "create temporary table t (a int, unique (a))", "insert into t values (2)")
	a.want("select a from t", "2")
	b.want("select a from t", "1")
	a.do("begin", "insert into t values (3)", "rollback")
	a.want("select a from t", "2")
	a.fails("insert into t values (2)", 1062)
	a.session.SessionEnd()
	if c := w.client(); c != nil {
		c.want("select a from t", "1")
	}
}

// Values that are equal in a column's collation are duplicates in a unique key, and a search for
// one finds the other.
func TestKeysByCollation(t *testing.T) {
	c := newWorld(t).client()
	c.do("create table t (s varchar(20) collate utf8mb4_0900_ai_ci primary key, u varchar(20) collate utf8mb4_bin unique)", "insert into t values ('Äpfel', 'x')")
	c.fails("insert into t values ('apfel', 'y')", 1062)
	c.do("insert into t values ('b', 'X')", "update t set s = 'ÄPFEL', u = 'z' where s = 'apfel'")
	c.want("select s from t order by s", "ÄPFEL;b")
	c.want("select s from t where s < 'B'", "ÄPFEL")
}
