package txkv

import (
	"bytes"
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

var powerCuts = flag.Int("powercuts", 30, "power cuts of TestPowerCuts")

// linkFS makes no links while a clone of the file system is made: Pebble's file system in memory
// would wait for itself.
type linkFS struct {
	vfs.FS
	mu *sync.Mutex
}

func (fs linkFS) Link(from, to string) error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.FS.Link(from, to)
}

// The power fails while writers commit. Afterwards, all acknowledged commits are there, and no
// transaction is there in part.
func TestPowerCuts(t *testing.T) {
	const writers = 4
	for round := range *powerCuts / testSize(t, 1, 3) {
		rng := rand.New(rand.NewPCG(1, uint64(round)))
		mem := vfs.NewCrashableMem()
		// Large rows exceed the memory of a transaction, so they go to files.
		var links sync.Mutex
		s, err := Open(Options{Dir: "db", FS: linkFS{mem, &links}, MemTableBytes: 64 << 10, CacheBytes: 1 << 20, BallastBytes: 64 << 10, TransactionMemory: 8 << 10})
		if err != nil {
			t.Fatal(err)
		}
		var acked [writers]atomic.Int64
		var total atomic.Int64
		enough := int64(20 + rng.IntN(600))
		cut, stop := make(chan struct{}), make(chan struct{})
		var wg sync.WaitGroup
		for w := range byte(writers) {
			wg.Go(func() {
				for i := uint64(1); ; i++ {
					select {
					case <-stop:
						return
					default:
					}
					v := binary.BigEndian.AppendUint64(nil, i)
					x := s.Begin(TxnOptions{})
					row := bytes.Repeat(v, 20)
					if i%32 == 0 {
						row = bytes.Repeat(v, 5000) // more than half a memtable
					}
					for _, p := range [][2][]byte{
						{{'a', w}, row[8:]}, {append([]byte{'b', w}, v...), row}, {{'c', w}, v}, {{'a', w}, v},
					} {
						if err := x.Put(p[0], p[1]); err != nil {
							t.Error(err)
						}
					}
					if err := x.Commit(); err != nil {
						t.Error(err)
						return
					}
					acked[w].Store(int64(i))
					if total.Add(1) == enough {
						close(cut)
					}
				}
			})
		}
		<-cut
		var have [writers]int64
		for w := range have {
			have[w] = acked[w].Load()
		}
		links.Lock()
		after := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
		links.Unlock()
		close(stop)
		wg.Wait()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s, err = Open(Options{Dir: "db", FS: after, CacheBytes: 1 << 20, BallastBytes: -1})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		x := s.Begin(TxnOptions{})
		for w := range byte(writers) {
			a, c := get(t, x, string([]byte{'a', w})), get(t, x, string([]byte{'c', w}))
			if a != c {
				t.Fatalf("round %d: half a transaction: %x %x", round, a, c)
			}
			got := int64(0)
			if a != "" {
				got = int64(binary.BigEndian.Uint64([]byte(a)))
			}
			if got < have[w] {
				t.Fatalf("round %d: %d of writer %d is lost: there are %d", round, have[w], w, got)
			}
			if rows := scan(t, x, string([]byte{'b', w}), string([]byte{'b', w + 1}), false); int64(len(rows)) != got {
				t.Fatalf("round %d: writer %d has %d rows of %d", round, w, len(rows), got)
			}
		}
		x.Rollback()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
