package storage_test

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
)

// looks is a context that ends when it has been asked whether it has ended for the number of times that is left.
type looks struct {
	context.Context
	kill context.CancelCauseFunc
	left atomic.Int64
}

var errKilled = errors.New("killed")

func newLooks(n int) *looks {
	inner, kill := context.WithCancelCause(context.Background())
	c := &looks{Context: inner, kill: kill}
	c.left.Store(int64(n))
	return c
}

func (c *looks) look() {
	if c.left.Add(-1) == 0 {
		c.kill(errKilled)
	}
}

func (c *looks) Done() <-chan struct{} {
	c.look()
	return c.Context.Done()
}

func (c *looks) Err() error {
	c.look()
	return c.Context.Err()
}

// A statement that is killed leaves nothing, wherever it looks whether it is killed; what the transaction did before stays.
// If it succeeds all the same, all of it is there.
func TestKilledAnywhere(t *testing.T) {
	w := newWorld(t)
	c := w.client()
	c.do("create table u (id int primary key)", "insert into u values (1), (2), (3)", "create table t (id int primary key, s varchar(10), unique (s))",
		"create table child (id int primary key, t int, foreign key (t) references t (id) on delete cascade on update cascade)")
	rows := "select count(*), min(s), max(s), sum(id), (select count(*) from child), (select sum(t) from child) from t"
	before := []string{"delete from t", "insert into t values (1, 'a'), (2, 'b'), (3, 'c')", "insert into child values (1, 1), (2, 2), (3, 2)"}
	for _, text := range []string{
		"update t set s = upper(s), id = id + 10", "update ignore t set s = upper(s), id = id + 10", "update ignore t set s = 'x'",
		"update t join u using (id) set t.s = concat(t.s, 'j')", "update ignore t join u using (id) set t.s = concat(t.s, 'j')",
		"delete from t where id > 0", "delete t from t join u using (id)",
		"insert into t select id + 10, id from u", "insert ignore into t select id + 2, id from u", "replace into t select id + 1, id from u",
		"insert into t select id + 1, id from u on duplicate key update s = concat(t.s, 'd')",
	} {
		for _, transaction := range []bool{false, true} {
			c.do(before...)
			if transaction {
				c.do("update t set id = 4 where id = 3")
			}
			c.do(text)
			whole, err := c.try(rows)
			if err != nil {
				t.Fatal(err)
			}
			ended := false
			for n := 1; !ended; n++ {
				if n > 10_000 {
					t.Fatalf("%s does not end", text)
				}
				c.do(before...)
				if transaction {
					c.do("begin", "update t set id = 4 where id = 3")
				}
				kept, err := c.try(rows)
				if err != nil {
					t.Fatal(err)
				}
				ctx := newLooks(n)
				if err := c.session.CommandBegin(); err != nil {
					t.Fatal(err)
				}
				failed := w.run(ctx, c.session, text)
				c.session.CommandEnd()
				ended = ctx.Context.Err() == nil
				got, err := c.try(rows)
				if err != nil {
					t.Fatal(err)
				}
				want := kept
				if failed == nil {
					want = whole
				}
				if got != want {
					t.Errorf("%s, killed at its look %d, transaction %v (%v): %swant %s", text, n, transaction, failed, got, want)
				}
				ctx.kill(errKilled)
				if transaction {
					c.do("rollback")
				}
			}
		}
	}
}

// run executes a statement in a context.
func (w *world) run(ended context.Context, session sql.Session, text string) error {
	ctx := sql.NewContext(ended, sql.WithSession(session), sql.WithPid(pids.Add(1)), sql.WithQuery(text))
	_, rows, _, err := w.e.Query(ctx, text)
	for err == nil {
		_, err = rows.Next(ctx)
	}
	if rows == nil {
		return err
	}
	if closed := rows.Close(ctx); err == io.EOF {
		return closed
	}
	return err
}
