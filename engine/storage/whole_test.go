package storage_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/storage"
)

// create carries out CREATE TABLE as one change, as the engine has it.
func (c *client) create(text string, fail error) error {
	if err := c.session.CommandBegin(); err != nil {
		return err
	}
	defer c.session.CommandEnd()
	ctx := sql.NewContext(context.Background(), sql.WithSession(c.session), sql.WithQuery(text))
	tx, err := c.session.StartTransaction(ctx, sql.ReadWrite)
	if err != nil {
		return err
	}
	ctx.SetTransaction(tx)
	return storage.Whole(ctx, func() error {
		_, rows, _, err := c.w.e.Query(ctx, text)
		if err != nil {
			return err
		}
		_, err = sql.RowIterToRows(ctx, rows)
		return errors.Join(err, fail)
	})
}

const wholeTable = "create table t (id int primary key, a int, b varchar(10), key (a), unique key (b), foreign key (a) references p (id), check (a > 0))"

// A table that cannot be made in whole is not there, and can be made afterwards.
func TestTablesAreMadeInWhole(t *testing.T) {
	w := newWorld(t)
	c := w.client()
	c.do("create table p (id int primary key)", "insert into p values (1)")
	failed := errors.New("failed")
	if err := c.create(wholeTable, failed); !errors.Is(err, failed) {
		t.Fatal(err)
	}
	c.want("show tables", "p")
	if err := c.create("create table u (a int, key k (a), key k (a))", nil); err == nil {
		t.Error("two keys have one name")
	}
	c.want("show tables", "p")
	c.do("drop table p", "create table p (id int primary key)", "insert into p values (1)") // no foreign key is left that keeps it
	if err := c.create(wholeTable, nil); err != nil {
		t.Fatal(err)
	}
	check := func(c *client) {
		c.do("insert into t values (1, 1, 'x')")
		c.fails("insert into t values (2, 1, 'x')", 1062)
		c.fails("insert into t values (2, 2, 'y')", 1452)
		c.want("select id from t where a = 1", "1")
		c.do("delete from t")
	}
	check(c)
	w.reopen()
	check(w.client())
}

// The power goes while a table is made: all of it is there, or nothing.
func TestPowerCutWhileATableIsMade(t *testing.T) {
	seen := map[string]bool{}
	for n := range 60 {
		mem := vfs.NewCrashableMem()
		w := &world{t: t, fs: mem}
		w.open()
		if err := w.p.CreateDatabase(nil, "d"); err != nil {
			t.Fatal(err)
		}
		c := w.client()
		c.do("create table p (id int primary key)")
		stop, cut := make(chan struct{}), make(chan *vfs.MemFS, 1)
		rng := rand.New(rand.NewPCG(7, uint64(n)))
		go func() {
			for range rng.IntN(40_000) {
				select {
				case <-stop:
				default:
				}
			}
			cut <- mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
		}()
		if err := c.create(wholeTable, nil); err != nil {
			t.Fatal(err)
		}
		close(stop)
		after := <-cut
		w.close()
		x := &world{t: t, fs: after}
		x.open()
		d := x.client()
		text, err := d.try("show create table t")
		seen[text] = true
		if err == nil {
			d.do("insert into p values (1)", "insert into t values (1, 1, 'x')")
			d.fails("insert into t values (2, 1, 'x')", 1062)
			d.fails("insert into t values (2, 2, 'y')", 1452)
		}
		x.close()
	}
	if len(seen) > 2 {
		t.Errorf("half tables were there: %v", seen)
	}
}
