package txkv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// logOf returns a log file of batches, each of which has been synced.
func logOf(number uint64, batches ...[]byte) []byte {
	data := binary.LittleEndian.AppendUint64([]byte(oldMagic), number)
	for i, b := range batches {
		data = appendRecord(data, int64(len(data)), int64(len(data)), uint64(i+1), b)
	}
	return data
}

// readAll returns the batches that readLog finds.
func readAll(data []byte, number uint64, last bool) (batches [][]byte, err error) {
	_, err = readLog(bytes.NewReader(data), int64(len(data)), number, last, func(_ uint64, b []byte) error {
		batches = append(batches, b)
		return nil
	})
	return batches, err
}

// A log without a least size that was cut off is read up to the cut, wherever that is behind its head. A log whose synced part is
// damaged is refused.
func TestLogsThatWereCutOrDamaged(t *testing.T) {
	want := [][]byte{[]byte("one"), bytes.Repeat([]byte("two"), 99), []byte("three333"), []byte("4")}
	whole := logOf(7, want...)
	for n := range len(whole) + 1 {
		got, err := readAll(whole[:n], 7, true)
		if (err != nil) != (n < logStart) || err != nil && !errors.Is(err, errTorn) {
			t.Fatalf("cut at %d: %v", n, err)
		}
		for i, b := range got {
			if !bytes.Equal(b, want[i]) {
				t.Fatalf("cut at %d: %q", n, b)
			}
		}
		if n == len(whole) && len(got) != len(want) {
			t.Fatalf("%d records of %d", len(got), len(want))
		}
		if _, err := readAll(whole[:n], 7, false); (err != nil) != (n < len(whole)) && len(got) == len(want) {
			t.Fatalf("cut at %d and followed by another: %v", n, err)
		}
	}
	last := len(whole) - len(appendRecord(nil, 0, 0, 4, want[3]))
	for n := logStart; n < len(whole); n++ {
		damaged := bytes.Clone(whole)
		damaged[n] ^= 0x40
		if got, err := readAll(damaged, 7, true); n < last && !errors.Is(err, errTorn) || n >= last && (err != nil || len(got) != 3) {
			t.Fatalf("damaged at %d of %d: %d, %v", n, len(whole), len(got), err)
		}
	}
	if _, err := readAll(whole, 8, true); !errors.Is(err, errTorn) {
		t.Error(err)
	}
}

// A log of any size needs memory only for a window and a record.
func TestLogsAreReadPieceByPiece(t *testing.T) {
	const batch, count = 10_000, 200
	data := appendHead(nil, 1, 0)
	for i := range uint64(count) {
		data = appendRecord(data, int64(len(data)), 0, i+1, bytes.Repeat([]byte{byte(i) + 1}, batch))
	}
	data = append(data, make([]byte, 1<<20)...) // preallocated
	f := &watchedReader{Reader: bytes.NewReader(data)}
	n := 0
	torn, err := readLog(f, int64(len(data)), 1, true, func(number uint64, b []byte) error {
		if n++; number != uint64(n) || !bytes.Equal(b, bytes.Repeat([]byte{byte(n)}, batch)) {
			t.Fatalf("record %d has number %d", n, number)
		}
		return nil
	})
	if err != nil || n != count || torn != 0 {
		t.Fatal(n, torn, err)
	}
	if f.most > logWindow {
		t.Errorf("%d bytes are read at once", f.most)
	}
	if f.total > 3*len(data) {
		t.Errorf("%d bytes are read of %d", f.total, len(data))
	}
}

// watchedReader notes how much is read.
type watchedReader struct {
	*bytes.Reader
	most, total int
}

func (r *watchedReader) ReadAt(p []byte, off int64) (int, error) {
	r.most = max(r.most, len(p))
	r.total += len(p)
	return r.Reader.ReadAt(p, off)
}

func FuzzReadLog(f *testing.F) {
	f.Add(logOf(1, []byte("a"), []byte("bcd")))
	f.Add(logOf(1))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		batches, err := readAll(data, 1, true)
		if err != nil && !errors.Is(err, errTorn) {
			t.Fatal(err)
		}
		again, err := readAll(logOf(1, batches...), 1, false)
		if err != nil || !slices.EqualFunc(again, batches, bytes.Equal) {
			t.Fatalf("%q, and written again %q, %v", batches, again, err)
		}
	})
}

// A commit is as durable as the policy says when it returns.
func TestFlushPolicies(t *testing.T) {
	for _, c := range []struct {
		policy           FlushPolicy
		process, machine bool // whether the commit survives a crash of the process, or of the machine
	}{{FlushAtCommit, true, true}, {WriteAtCommit, true, false}, {FlushEachSecond, false, false}} {
		mem, rng := vfs.NewCrashableMem(), rand.New(rand.NewPCG(1, 1))
		policy := FlushAtCommit
		s := open(t, Options{Dir: "db", FS: mem, BallastBytes: -1, Flush: func() FlushPolicy { return policy }})
		put(t, s, "a", "1")
		policy = c.policy
		put(t, s, "k", "1")
		for percent, want := range map[int]bool{100: c.process, 0: c.machine} {
			after := open(t, Options{Dir: "db", FS: mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rng}), BallastBytes: -1})
			x := after.Begin(TxnOptions{})
			if got := get(t, x, "k") != ""; got != want || get(t, x, "a") != "1" {
				t.Errorf("policy %d, with %d %% of the unsynced data: the commit is there: %v", c.policy, percent, got)
			}
			x.Rollback()
		}
		policy = FlushAtCommit
		put(t, s, "l", "1") // writes the earlier commits, too
		after := open(t, Options{Dir: "db", FS: mem.CrashClone(vfs.CrashCloneCfg{RNG: rng}), BallastBytes: -1})
		x := after.Begin(TxnOptions{})
		if get(t, x, "k") != "1" || get(t, x, "l") != "1" {
			t.Errorf("policy %d: the commit, or the one after it, is lost", c.policy)
		}
		x.Rollback()
	}
}

// Open fails for a file that is not a store's, or is damaged, and names it.
func TestForeignAndDamagedFiles(t *testing.T) {
	write := func(fs vfs.FS, path, text string) {
		f, err := fs.Create(path, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err = io.WriteString(f, text); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	made := func() vfs.FS {
		fs := vfs.NewCrashableMem()
		s := open(t, Options{Dir: "db", FS: fs, BallastBytes: -1})
		for i := range 100 {
			put(t, s, fmt.Sprint(i), "1")
		}
		if err := s.flush(); err != nil {
			t.Fatal(err)
		}
		put(t, s, "k", "1")
		return fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))})
	}
	for name, damage := range map[string]func(fs vfs.FS) (path string){
		"foreign directory": func(fs vfs.FS) string {
			if err := fs.RemoveAll("db"); err != nil {
				t.Fatal(err)
			}
			if err := fs.MkdirAll("db", 0o755); err != nil {
				t.Fatal(err)
			}
			write(fs, "db/ibdata1", "x")
			return "ibdata1"
		},
		"other version": func(fs vfs.FS) string { write(fs, "db/FORMAT", "txkv 9\n"); return "db/FORMAT" },
		"log": func(fs vfs.FS) string {
			write(fs, "db/log/000001.log", "something else"+strings.Repeat("x", 99))
			return "db/log/000001.log"
		},
		"foreign log": func(fs vfs.FS) string { write(fs, "db/log/notes", "x"); return "db/log/notes" },
		"log missing": func(fs vfs.FS) string { write(fs, "db/log/000003.log", string(logOf(3))); return "db/log/000002.log" },
		"manifest": func(fs vfs.FS) string {
			names, err := fs.List("db/pebble")
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range names {
				if strings.HasPrefix(n, "MANIFEST") {
					write(fs, "db/pebble/"+n, "damaged")
				}
			}
			return "db/pebble"
		},
		"no table": func(fs vfs.FS) string {
			names, err := fs.List("db/pebble")
			if err != nil {
				t.Fatal(err)
			}
			gone := ""
			for _, n := range names {
				if strings.HasSuffix(n, ".sst") {
					gone = strings.TrimSuffix(n, ".sst")
					if err := fs.Remove("db/pebble/" + n); err != nil {
						t.Fatal(err)
					}
				}
			}
			return gone
		},
	} {
		fs := made()
		path := damage(fs)
		s, err := Open(Options{Dir: "db", FS: fs, BallastBytes: -1})
		if err == nil {
			t.Errorf("%s: Open did not fail", name)
			_ = s.Close()
		} else if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
