package storage_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql/analyzer"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"pfsd/engine/storage"
	"pfsd/engine/txkv"
)

// A device that is full when users' tables are opened, or becomes full at any later operation, ends nothing: the rows are read, writes get an
// error, and with room all that was acknowledged is there.
func TestTablesWithoutRoom(t *testing.T) {
	mem := vfs.NewCrashableMem()
	w := &world{t: t, fs: mem}
	w.open()
	if err := w.p.CreateDatabase(nil, "d"); err != nil {
		t.Fatal(err)
	}
	c := w.client()
	for _, text := range []string{"create table t (n int primary key auto_increment, c varchar(100), key (c))", "insert into t (c) values ('a'), ('b'), ('c')"} {
		if _, err := c.try(text); err != nil {
			t.Fatal(err)
		}
	}
	killed := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))})
	w.close()
	failed := 0
	for n := int64(0); n < 120; n += 2 {
		device := vfs.NewMem()
		if _, err := vfs.Clone(killed, device, "data", "data"); err != nil {
			t.Fatal(err)
		}
		var full atomic.Bool
		var ops atomic.Int64
		full.Store(true)
		fs := errorfs.Wrap(device, errorfs.InjectorFunc(func(op errorfs.Op) error {
			switch op.Kind {
			case errorfs.OpCreate, errorfs.OpLink, errorfs.OpRename, errorfs.OpMkdirAll, errorfs.OpFileWrite, errorfs.OpFileWriteAt, errorfs.OpFileSync, errorfs.OpFileSyncData:
				if full.Load() && ops.Add(1) > n {
					return syscall.ENOSPC
				}
			}
			return nil
		}))
		least, most := 3, 3 // rows that were acknowledged, and with those whose commit got an error: it may have taken effect
		for _, room := range []bool{false, true} {
			full.Store(!room)
			s, err := txkv.Open(txkv.Options{Dir: "data", FS: fs, BallastBytes: -1, LockSpan: storage.LockSpan})
			if err != nil {
				t.Fatalf("operation %d, room %v: %v", n, room, err)
			}
			p, err := storage.Open(s)
			if err != nil {
				t.Fatalf("operation %d, room %v: %v", n, room, err)
			}
			d := &world{t: t, fs: fs, store: s, p: p, e: sqle.New(analyzer.NewBuilder(p).Build(), nil)}
			c := d.client()
			read := func(when string) {
				text, err := c.try("select count(*) from t")
				if got, bad := strconv.Atoi(strings.TrimSpace(text)); err != nil || bad != nil || got < least || got > most {
					t.Fatalf("operation %d, room %v, %s: %q, %v, want %d to %d", n, room, when, text, err, least, most)
				}
			}
			read("before")
			for _, text := range []string{"insert into t (c) values ('d')", "create table u (n int primary key)"} {
				_, err := c.try(text)
				if strings.HasPrefix(text, "insert") {
					most++
					if err == nil {
						least++
					}
				}
				if err != nil {
					failed++
					if room && !strings.Contains(err.Error(), "already exists") || !room && !strings.Contains(err.Error(), "Disk full") {
						t.Fatalf("operation %d, room %v: %s: %v", n, room, text, err)
					}
				}
			}
			read("after")
			for _, c := range d.all {
				c.session.SessionEnd()
			}
			_, _ = p.Close(), s.Close()
		}
	}
	if failed < 20 {
		t.Errorf("only %d statements have met the full device", failed)
	}
}
