package storage_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"

	"pfsd/engine/storage"
	"pfsd/engine/txkv"
)

// create executes a statement that creates or alters a table as one change, as the engine does.
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

// If a table cannot be created completely, it does not exist, and can be created afterwards.
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
	c.do("drop table p", "create table p (id int primary key)", "insert into p values (1)") // no foreign key refers to p any more
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

// The power fails while a table is created: afterwards the whole table is there, or nothing.
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

// An ALTER of several clauses and a CREATE TABLE from a query are undone if they fail: definitions,
// rows and keys.
func TestChangesOfTablesAreUndone(t *testing.T) {
	w := newWorldOf(t, txkv.Options{TransactionMemory: 2000})
	c := w.client()
	rows := fill(c)
	failed := errors.New("failed")
	before, err := c.try("show create table t")
	if err != nil {
		t.Fatal(err)
	}
	check := func(c *client) {
		t.Helper()
		if got, err := c.try("show create table t"); err != nil || got != before {
			t.Fatalf("%s: %v", got, err)
		}
		c.want("show tables", "p;t")
		c.want("select count(*), sum(n), max(c) from t", rows)
		c.want("select id from t where n = 9", "9")
		c.fails("insert into t values (1000, -1, '')", 1452)
	}
	for _, x := range []struct {
		text string
		fail error
	}{
		{"alter table t add column d int not null default 1, add unique key (c)", nil},
		{"alter table t drop column c, add column d int not null default 1 first, add key (d), add unique key e (d)", nil},
		{"alter table t modify column n bigint, add key k2 (n, c), drop foreign key f, add check (n < 0)", nil},
		{"alter table t drop foreign key f, rename to x, add column d int first", failed},
		{"alter table t add column d int first, add key (d), add key (c), alter column c set default 'x'", failed},
		{"create table u (id int primary key, n int unique) select id, n % 5 as n from t", nil},
		{"create table u (id int primary key, key (n)) select * from t", failed},
		{"drop table t", failed},
		{"rename table t to y, p to y", nil},
	} {
		if err := c.create(x.text, x.fail); err == nil {
			t.Errorf("%s: no error", x.text)
		}
		check(c)
		live := tables(w.p)
		if got := tablesInStore(t, w.store); got != live {
			t.Errorf("%s: rows of %d tables are there, of %d", x.text, got, live)
		}
	}
	w.reopen()
	check(w.client())
}

// fill creates a table with rows, and returns a text of all rows.
func fill(c *client) string {
	c.do("create table p (id int primary key)", "create table t (id int primary key, n int, c varchar(20) not null, key (n), constraint f foreign key (n) references p (id))")
	const n = 200
	parents, values := make([]string, n), make([]string, n)
	for i := range n {
		parents[i], values[i] = fmt.Sprintf("(%d)", i), fmt.Sprintf("(%d, %d, 'c%d')", i, i, i%7)
	}
	c.do("insert into p values "+strings.Join(parents, ","), "insert into t values "+strings.Join(values, ","))
	return "200 19900 c6"
}

// tables returns the number of tables.
func tables(p *storage.Provider) (n int) {
	for _, d := range p.AllDatabases(nil) {
		n += len(d.(*storage.Database).Tables())
	}
	return n
}

// tablesInStore returns the number of tables that have rows or index entries in the store.
func tablesInStore(t *testing.T, s *txkv.Store) int {
	x := s.Begin(txkv.TxnOptions{})
	defer x.Rollback()
	n := 0
	for at := []byte{'t'}; ; n++ {
		it, err := x.ScanNewest(at, []byte{'t' + 1}, false)
		if err != nil {
			t.Fatal(err)
		}
		more := it.Next()
		if more {
			at = slices.Clone(it.Key()[:5])
			binary.BigEndian.PutUint32(at[1:], binary.BigEndian.Uint32(at[1:])+1)
		}
		if err := it.Close(); err != nil {
			t.Fatal(err)
		}
		if !more {
			return n
		}
	}
}

// If a file of a store is damaged, either the store does not open or reading fails, with an error
// that names the file. No read returns wrong values.
func TestDamagedFilesAreNamed(t *testing.T) {
	mem := vfs.NewMem()
	w := &world{t: t, fs: mem, o: txkv.Options{BallastBytes: -1}}
	w.open()
	if err := w.p.CreateDatabase(nil, "d"); err != nil {
		t.Fatal(err)
	}
	fill(w.client())
	w.reopen()                                    // everything is in the files of tables
	w.client().do("insert into p values (10000)") // and in the log
	w.close()
	var files []string
	for _, dir := range []string{"data/pebble", "data/log"} {
		names, err := mem.List(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			if strings.HasSuffix(n, ".sst") || strings.HasSuffix(n, ".log") && dir == "data/log" {
				files = append(files, dir+"/"+n)
			}
		}
	}
	kinds := map[string]int{}
	for _, path := range files {
		f, err := mem.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(f)
		if err = errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		for at := 20; at < len(content); at += max(len(content)/9, 1) {
			damaged := slices.Clone(content)
			damaged[at] ^= 0xff
			fs := vfs.NewMem()
			if _, err := vfs.Clone(mem, fs, "data", "data"); err != nil {
				t.Fatal(err)
			}
			f, err := fs.Create(path, vfs.WriteCategoryUnspecified)
			if err == nil {
				_, err = f.Write(damaged)
				err = errors.Join(err, f.Close())
			}
			if err != nil {
				t.Fatal(err)
			}
			var messages []string
			s, err := txkv.Open(txkv.Options{Dir: "data", FS: fs, BallastBytes: -1, LogError: func(m string) { messages = append(messages, m) }})
			if err == nil {
				var p *storage.Provider
				p, err = storage.Open(s)
				if err == nil {
					d := &world{t: t, fs: fs, store: s, p: p, e: sqle.New(analyzer.NewBuilder(p).Build(), nil)}
					if got, failed := d.client().try("select count(*), sum(n), max(c) from t"); failed != nil {
						err = errors.New(strings.Join(messages, ";"))
					} else if strings.TrimSpace(got) != "200 19900 c6" {
						t.Errorf("%s damaged at %d: %s", path, at, got)
					}
					for _, c := range d.all {
						c.session.SessionEnd()
					}
				}
				_ = s.Close()
			}
			switch {
			case err == nil:
				kinds["read"]++
			case strings.Contains(err.Error(), path[strings.LastIndex(path, "/")+1:]):
				kinds["named"]++
			default:
				t.Errorf("%s damaged at %d: %v", path, at, err)
			}
		}
	}
	if kinds["named"] == 0 {
		t.Errorf("of %v nothing was damaged: %v", files, kinds)
	}
}

// cutFS simulates a power failure before a change of its directories, or before a file is synced.
type cutFS struct {
	vfs.FS
	mem   *vfs.MemFS
	rng   *rand.Rand
	mu    *sync.Mutex
	left  *int // how many changes remain until the power fails; at 0 it has failed
	keeps int  // percent of what was not synced that a power failure keeps
	after *vfs.MemFS
}

// cutFile is a file of a cutFS.
type cutFile struct {
	vfs.File
	fs *cutFS
}

func (f cutFile) Sync() error     { return f.fs.change(f.File.Sync) }
func (f cutFile) SyncData() error { return f.fs.change(f.File.SyncData) }

func (fs *cutFS) change(f func() error) error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if *fs.left--; *fs.left == 0 {
		fs.after = fs.mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: fs.keeps, RNG: fs.rng})
	}
	return f()
}

func (fs *cutFS) Create(name string, c vfs.DiskWriteCategory) (f vfs.File, err error) {
	_ = fs.change(func() error {
		f, err = fs.FS.Create(name, c)
		return nil
	})
	if err == nil {
		f = cutFile{f, fs}
	}
	return f, err
}

func (fs *cutFS) Link(from, to string) error {
	return fs.change(func() error { return fs.FS.Link(from, to) })
}
func (fs *cutFS) Remove(name string) error {
	return fs.change(func() error { return fs.FS.Remove(name) })
}
func (fs *cutFS) RemoveAll(name string) error {
	return fs.change(func() error { return fs.FS.RemoveAll(name) })
}
func (fs *cutFS) Rename(from, to string) error {
	return fs.change(func() error { return fs.FS.Rename(from, to) })
}
func (fs *cutFS) OpenDir(name string) (f vfs.File, err error) {
	_ = fs.change(func() error {
		f, err = fs.FS.OpenDir(name)
		return nil
	})
	return f, err
}

// The power fails at each place of a statement that creates a table of many rows, or alters one in
// several ways. Afterwards the whole change is there, or nothing.
func TestPowerCutsInLargeChanges(t *testing.T) {
	for _, text := range []string{
		"create table u (id int primary key, key (n)) select * from t",
		"alter table t add column d int not null default 7 first, add key (d, c), drop foreign key f",
		"drop table t, p",
	} {
		seen := map[string]int{}
		for at := 1; ; at++ {
			mem := vfs.NewCrashableMem()
			left := -1
			fs := &cutFS{FS: mem, mem: mem, rng: rand.New(rand.NewPCG(9, uint64(at))), mu: new(sync.Mutex), left: &left}
			if at > 1 { // the first failure keeps nothing, so that the state before the statement is seen
				fs.keeps = fs.rng.IntN(101)
			}
			w := &world{t: t, fs: fs, o: txkv.Options{TransactionMemory: 2000, BallastBytes: -1}}
			w.open()
			if err := w.p.CreateDatabase(nil, "d"); err != nil {
				t.Fatal(err)
			}
			c := w.client()
			rows := fill(c)
			fs.mu.Lock()
			left = at
			fs.mu.Unlock()
			if err := c.create(text, nil); err != nil {
				t.Fatal(err)
			}
			fs.mu.Lock()
			after := fs.after
			ended := after == nil
			if ended { // what was acknowledged must be there
				after = mem.CrashClone(vfs.CrashCloneCfg{RNG: fs.rng})
			}
			left = -1
			fs.mu.Unlock()
			w.close()
			x := &world{t: t, fs: after, o: txkv.Options{BallastBytes: -1}}
			x.open()
			d := x.client()
			var state []string
			for _, q := range []string{"show tables", "show create table t", "show create table u"} {
				got, err := d.try(q)
				state = append(state, fmt.Sprint(got, err))
			}
			for _, table := range []string{"t", "u"} {
				if got, err := d.try("select count(*), sum(n), max(c) from " + table); err == nil && strings.TrimSpace(got) != rows {
					t.Errorf("%s, cut at %d: %s has %s", text, at, table, got)
				}
			}
			key := strings.Join(state, "")
			seen[key]++
			if ended && (seen[key] == at || len(seen) != 2) {
				t.Errorf("%s: after the statement and all power failures there are %d states: %v", text, len(seen), seen)
			}
			if got, live := tablesInStore(t, x.store), tables(x.p); got != live {
				t.Errorf("%s, cut at %d: rows of %d tables are there, of %d", text, at, got, live)
			}
			x.close()
			if ended {
				t.Logf("%s: %d cuts", text, at-1)
				break
			}
		}
	}
}
