package history

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"pfsd/engine/txkv"
	"pfsd/instr"
	"pfsd/tables"
)

// fullFS is a device that has no room for anything from the nth change on, while n is not below 0.
func fullFS(mem vfs.FS, n *atomic.Int64) vfs.FS {
	var ops atomic.Int64
	return errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		switch op.Kind {
		case errorfs.OpCreate, errorfs.OpLink, errorfs.OpRename, errorfs.OpReuseForWrite, errorfs.OpMkdirAll, errorfs.OpFileWrite, errorfs.OpFileWriteAt, errorfs.OpFileSync, errorfs.OpFileSyncData:
			if from := n.Load(); from >= 0 && ops.Add(1) > from {
				return syscall.ENOSPC
			}
		}
		return nil
	}))
}

// bucketsOf is how many buckets of a digest's table there are, by a count of its rows.
func bucketsOf(s *Store) (n int) {
	for place := range s.index {
		for _, list := range s.index[place] {
			for _, e := range list {
				if place == clock() {
					continue
				}
				for _, seconds := range []uint32{10, minute, hour} {
					if has(s.index[place][seconds], e) && s.read(place, seconds, e) != nil {
						n++
					}
				}
			}
		}
	}
	return n
}

// A device that is full when the history opens, or becomes full at any later operation, ends nothing: what is there is read, what cannot
// be written is counted and said once, and with room the history goes on.
func TestHistoryWithoutRoom(t *testing.T) {
	reg := instr.NewRegistry()
	add := func(s *Store, from int) {
		for i := range 12 {
			rows := make([]*bucket, len(s.index)-2)
			for place := range rows {
				rows[place] = &bucket{}
			}
			var key []byte
			for range tableAt(0).Keys {
				key = appendKey(key, tables.Text(fmt.Sprint(i)))
			}
			rows[0].rows = []row{{key: string(key), sums: make([]uint64, len(tableAt(0).Sums)), latest: make([]uint64, len(tableAt(0).Latest))}}
			s.Add(first.Unix()+int64(10*(from+i)), 10, 10*time.Second, rows, func(string) string { return strings.Repeat("x", 3000) })
		}
		s.Settle(first.Unix() + int64(10*from) + 130)
	}
	mem := vfs.NewCrashableMem()
	s := openOn(reg, txkv.Options{FS: mem}, "buckets", wide, func(err error) { t.Error(err) })
	add(s, 0)
	there := bucketsOf(s)
	with := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))})
	if err := s.Close(); err != nil || there == 0 {
		t.Fatal(there, err)
	}
	for _, start := range []string{"empty", "data"} {
		for n := int64(0); n < 200; n += 3 {
			mem := vfs.NewMem()
			if start == "data" {
				if _, err := vfs.Clone(with, mem, "buckets", "buckets"); err != nil {
					t.Fatal(err)
				}
			}
			var at atomic.Int64
			at.Store(n)
			var said []string
			device := fullFS(mem, &at)
			s := openOn(reg, txkv.Options{FS: device}, "buckets", wide, func(err error) { said = append(said, err.Error()) })
			if got := bucketsOf(s); start == "data" && got != there {
				t.Fatalf("operation %d: %d buckets of %d are read; said %q", n, got, there, said)
			}
			add(s, 100)
			if s.Refused() == nil && s.Lost() > 0 && len(said) == 0 || len(said) > 4 {
				t.Fatalf("%s, operation %d: %d are lost, and said %q", start, n, s.Lost(), said)
			}
			_ = s.Close()
			at.Store(-1)
			s = openOn(reg, txkv.Options{FS: device}, "buckets", wide, func(err error) { t.Errorf("%s, operation %d, with room: %v", start, n, err) })
			if got := bucketsOf(s); start == "data" && got < there {
				t.Fatalf("operation %d, with room: %d buckets of %d are read", n, got, there)
			}
			add(s, 200)
			if err := s.Close(); err != nil || s.Lost() > 0 {
				t.Fatalf("%s, operation %d, with room: %v, %d are lost", start, n, err, s.Lost())
			}
		}
	}
}
