package storage_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/txkv"
)

// Statements and transactions that write more rows than a transaction keeps in memory work like
// small ones.
func TestTransactionsOfManyRows(t *testing.T) {
	const memory = 64 << 10
	w := newWorldOf(t, txkv.Options{TransactionMemory: memory, LockLimit: 500})
	c, other := w.client(), w.client()
	most := func() int64 { m := w.store.Memory(); return m.Writes + m.Locks }
	bounded := func(what string) {
		t.Helper()
		if got := most(); got > memory+500*400 {
			t.Errorf("%s: %d bytes in memory", what, got)
		}
	}
	c.do("create table t (id int primary key, n int, c char(40), index (n))", "create table u (id int primary key, n int unique, c char(40))", "create table k (n int, c char(40))")
	const rows = 8192
	var values []string
	for i := range rows {
		values = append(values, fmt.Sprintf("(%d, %d, 'c%d')", i, i*7919%rows, i))
	}
	insert := "insert into t values " + strings.Join(values, ", ")
	c.do("begin", insert)
	bounded("insert")
	c.want("select count(*), sum(n), min(c) from t", fmt.Sprint(rows, " ", float64(rows*(rows-1)/2), " c0"))
	c.want("select id from t where n = 7919", "1")
	other.want("select count(*) from t", "0")
	c.do("rollback")
	c.want("select count(*) from t", "0")
	c.do(insert)

	c.do("begin", "insert into u select * from t where n >= 2", "savepoint a", "update t set n = n + 1000000, c = 'new'")
	bounded("update")
	c.want("select count(*), min(n), max(c) from t", fmt.Sprint(rows, " 1000000 new"))
	c.do("savepoint b", "delete from t where id >= 10")
	bounded("delete")
	c.want("select count(*) from t", "10")
	c.do("rollback to b")
	c.want("select count(*), max(c) from t", fmt.Sprint(rows, " new"))
	// The last row of this statement fails: the whole statement is undone.
	c.fails("insert into u select id + 1000000, if(id = 8191, 5, id + 1000000), c from t", 1062)
	c.want("select count(*) from u", fmt.Sprint(rows-2))
	c.do("rollback to a")
	c.want("select count(*), min(n), max(c) from t", fmt.Sprint(rows, " 0 c999"))
	c.do("insert into k select n, c from t", "delete from k where n < 4096", "update k set c = 'k'", "commit")
	if got := most(); got != 0 {
		t.Errorf("%d bytes are left after the commit", got)
	}
	check := func(c *client) {
		t.Helper()
		c.want("select count(*), sum(n) from t", fmt.Sprint(rows, " ", float64(rows*(rows-1)/2)))
		c.want("select count(*) from t where n between 100 and 199", "100")
		c.want("select count(*) from u", fmt.Sprint(rows-2))
		c.want("select count(*), min(n), max(c) from k", "4096 4096 k")
		c.want("select id from u where n = 7919", "1")
	}
	check(c)
	w.reopen()
	check(w.client())
	c = w.client()
	c.do("delete from t", "create table v (primary key (id)) select * from u")
	c.want("select count(*) from t", "0")
	c.want("select count(*) from v", fmt.Sprint(rows-2))
	if names, err := w.fs.List("data/bulk"); err == nil && len(names) > 0 {
		t.Errorf("%v is left", names)
	}
}

// KILL ends the commit of a large transaction. Then nothing of the transaction is stored.
func TestLargeCommitsCanBeKilled(t *testing.T) {
	w := newWorldOf(t, txkv.Options{TransactionMemory: 2000})
	c := w.client()
	c.do("create table t (id int primary key, n int, index (n))", "insert into t values (-1, 0)", "begin")
	const rows = 3000
	var values []string
	for i := range rows {
		values = append(values, fmt.Sprintf("(%d, %d)", i*7919%rows, i))
	}
	insert := "insert into t values " + strings.Join(values, ", ")
	c.do(insert)
	ended, kill := context.WithCancelCause(context.Background())
	killed := errors.New("killed")
	kill(killed)
	ctx := sql.NewContext(ended, sql.WithSession(c.session))
	if err := c.session.CommitTransaction(ctx, c.session.GetTransaction()); !errors.Is(err, killed) {
		t.Error(err)
	}
	c.want("select count(*) from t", fmt.Sprint(rows+1)) // the transaction is what it was
	c.do("rollback")
	c.want("select count(*), sum(n) from t", "1 0")
	c.do("begin", insert)
	if err := c.session.CommitTransaction(ctx, c.session.GetTransaction()); !errors.Is(err, killed) {
		t.Error(err)
	}
	c.do("commit")
	w.reopen()
	w.client().want("select count(*) from t", fmt.Sprint(rows+1))
}
