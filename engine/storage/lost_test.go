package storage_test

import (
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/storage"
)

// A transaction whose commit the device has refused, whether COMMIT or a change of a definition commits it, says so, and commits nothing from
// then on until its session rolls it back.
func TestLostTransactionCommitsNothing(t *testing.T) {
	var full atomic.Bool
	w := &world{t: t, fs: errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if full.Load() && (op.Kind == errorfs.OpFileWrite || op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData || op.Kind == errorfs.OpCreate) {
			return syscall.ENOSPC
		}
		return nil
	}))}
	w.open()
	t.Cleanup(w.close)
	if err := w.p.CreateDatabase(nil, "d"); err != nil {
		t.Fatal(err)
	}
	c := w.client()
	c.do("create table t (id int primary key)")
	for _, commit := range []string{"commit", "create table u (id int)"} {
		c.do("begin", "insert into t values (1)")
		full.Store(true)
		if _, err := c.try(commit); err == nil {
			t.Fatalf("%s: the device has not refused it", commit)
		}
		full.Store(false)
		tx := c.session.GetTransaction().(*storage.Transaction)
		if tx.Lost() == nil {
			t.Fatalf("%s: the transaction is not lost", commit)
		}
		for range 2 {
			if err := tx.Commit(t.Context()); err == nil || err != tx.Lost() {
				t.Errorf("%s: COMMIT returns %v", commit, err)
			}
		}
		if _, err := c.try("insert into t values (2)"); err == nil {
			t.Errorf("%s: the lost transaction writes", commit)
		}
		c.do("rollback")
		for deadline := time.Now().Add(time.Minute); ; {
			if _, err := c.try("delete from t"); err == nil { // the device works again
				break
			} else if time.Now().After(deadline) {
				t.Fatal(err)
			}
			c.do("rollback")
		}
		c.do("begin", "insert into t values (3)", "commit")
		c.want("select id from t", "3")
	}
}

// A statement that panicked has neither completed nor discarded its rows: they go when the statement ends.
func TestRowsOfPanickedStatement(t *testing.T) {
	w := newWorld(t)
	c := w.client()
	c.do("create table t (id int primary key)", "begin", "insert into t values (1)")
	ctx := sql.NewContext(t.Context(), sql.WithSession(c.session))
	d, err := w.p.Database(ctx, "d")
	if err != nil {
		t.Fatal(err)
	}
	found, _, err := d.GetTableInsensitive(ctx, "t")
	if err != nil {
		t.Fatal(err)
	}
	e := found.(*storage.Table).Inserter(ctx)
	e.StatementBegin(ctx)
	if err := e.Insert(ctx, sql.Row{int32(2)}); err != nil {
		t.Fatal(err)
	}
	c.session.CommandEnd()
	c.want("select id from t", "1")
	c.do("commit")
	c.want("select id from t", "1")
}
