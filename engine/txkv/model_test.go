package txkv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// expected is what a map says that a scan finds.
func expected(m map[string]string, lo, hi string, reverse bool) (out []string) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if k >= lo && k < hi {
			out = append(out, k+"="+m[k])
		}
	}
	if reverse {
		slices.Reverse(out)
	}
	return out
}

// Random operations on a transaction do what they do to a map.
func TestTransactionIsAMap(t *testing.T) {
	for _, memory := range []int64{0, 1, 300, 600} { // of 1, each write goes to a file
		transactionIsAMap(t, memory)
	}
}

func transactionIsAMap(t *testing.T, memory int64) {
	rng := rand.New(rand.NewPCG(3, 4))
	fs := vfs.NewMem()
	s := open(t, Options{Dir: "db", FS: fs, MemTableBytes: 64 << 10, TransactionMemory: memory, BallastBytes: -1})
	s.partKeys = 3
	spilled := false
	committed := map[string]string{}
	key := func() string { return fmt.Sprintf("%0*d", 1+rng.IntN(3), rng.IntN(40)) }
	for range 150 {
		x := s.Begin(TxnOptions{Isolation: Isolation(rng.IntN(4))})
		m := maps.Clone(committed)
		own, ranges := map[string]bool{}, []keyRange(nil) // that it has written, that it removes
		type mark struct {
			mark   Mark
			m      map[string]string
			own    map[string]bool
			ranges []keyRange
		}
		var marks []mark
		for range rng.IntN(60) {
			switch k := key(); rng.IntN(9) {
			case 0, 1:
				v := fmt.Sprint(rng.Uint32())[:rng.IntN(5)]
				if err := x.Put([]byte(k), []byte(v)); err != nil {
					t.Fatal(err)
				}
				m[k], own[k] = v, true
			case 2:
				if err := x.Delete([]byte(k)); err != nil {
					t.Fatal(err)
				}
				delete(m, k)
				own[k] = true
			case 3:
				marks = append(marks, mark{x.Mark(), maps.Clone(m), maps.Clone(own), slices.Clone(ranges)})
			case 4:
				if len(marks) > 0 {
					i := rng.IntN(len(marks))
					x.RollbackTo(marks[i].mark)
					m, own, ranges = maps.Clone(marks[i].m), maps.Clone(marks[i].own), slices.Clone(marks[i].ranges)
					marks = marks[:i+1]
				}
			case 6:
				r := keyRange{[]byte(k), []byte(key())}
				if rng.IntN(4) > 0 || bytes.Compare(r.lo, r.hi) >= 0 {
					continue
				}
				if err := x.DeleteRange(r.lo, r.hi); err != nil {
					t.Fatal(err)
				}
				ranges = append(ranges, r)
			case 5:
				v, err := x.Get([]byte(k))
				if err != nil {
					t.Fatal(err)
				}
				if want, ok := m[k]; ok != (v != nil) || string(v) != want {
					t.Fatalf("%s is %q, not %q", k, v, want)
				}
			default:
				lo, hi, reverse := key(), key(), rng.IntN(2) == 0
				if got, want := scan(t, x, lo, hi, reverse), expected(m, lo, hi, reverse); !slices.Equal(got, want) {
					t.Fatalf("%s to %s: %v, not %v", lo, hi, got, want)
				}
			}
		}
		spilled = spilled || len(x.layers.runs) > 1
		if rng.IntN(3) == 0 {
			x.Rollback()
			continue
		}
		if err := x.Commit(); err != nil {
			t.Fatal(err)
		}
		for k := range committed {
			if !own[k] && slices.ContainsFunc(ranges, func(r keyRange) bool { return string(r.lo) <= k && k < string(r.hi) }) {
				delete(m, k)
			}
		}
		committed = m
	}
	if spilled != (memory > 0) {
		t.Errorf("with %d bytes of memory, whether files are made is %v", memory, spilled)
	}
	if names, err := fs.List("db/bulk"); err == nil && len(names) > 0 {
		t.Errorf("%v is left", names)
	}
	if m := s.Memory(); m.Writes != 0 || m.Locks != 0 {
		t.Errorf("%d bytes of writes and %d of locks are left", m.Writes, m.Locks)
	}
}

// A transaction of many keys has few of them in memory.
func TestTransactionMemoryIsBounded(t *testing.T) {
	const memory = 32 << 10
	fs := vfs.NewMem()
	s := open(t, Options{Dir: "db", FS: fs, BallastBytes: -1, TransactionMemory: memory, LockLimit: 500,
		LockSpan: func(key []byte) (lo, hi []byte) { return []byte{key[0]}, []byte{key[0] + 1} }})
	x := s.Begin(TxnOptions{Isolation: RepeatableRead})
	const n = 20_000
	numbers := rand.New(rand.NewPCG(5, 6)).Perm(n)
	most, locks := int64(0), int64(0)
	value := bytes.Repeat([]byte("v"), 50)
	for at, i := range numbers {
		key := fmt.Appendf(nil, "k%08d", i)
		if v, _, err := x.GetLocked(t.Context(), key, Insert, NoWait); err != nil || v != nil {
			t.Fatal(v, err)
		}
		if err := x.Put(key, value); err != nil {
			t.Fatal(err)
		}
		if at%3 == 0 {
			back := fmt.Appendf(nil, "k%08d", numbers[at/2])
			if v, err := x.Get(back); err != nil || !bytes.Equal(v, value) {
				t.Fatalf("%s is %q: %v", back, v, err)
			}
		}
		m := s.Memory()
		most, locks = max(most, m.Writes), max(locks, m.Locks)
	}
	if most > memory+1000 || most < memory/2 {
		t.Errorf("%d bytes in memory where %d are allowed", most, memory)
	}
	if locks > 500*(lockOverhead+20) {
		t.Errorf("%d bytes of locks", locks)
	}
	if err := x.Commit(); err != nil {
		t.Fatal(err)
	}
	y := begin(t, s, RepeatableRead, nil)
	if got := len(scan(t, y, "k", "l", true)); got != n {
		t.Errorf("%d keys of %d", got, n)
	}
	if names, err := fs.List("db/bulk"); err == nil && len(names) > 0 {
		t.Errorf("%v is left", names)
	}
}

// The commit of a large transaction ends with its context, and nothing of it is there.
func TestPrepareEnds(t *testing.T) {
	fs := vfs.NewMem()
	s := open(t, Options{Dir: "db", FS: fs, BallastBytes: -1, TransactionMemory: 32 << 10})
	put(t, s, "k", "before")
	const n = 5000
	write := func() *Txn {
		x := s.Begin(TxnOptions{})
		for i := range n {
			if err := x.Put(fmt.Appendf(nil, "k%04d", i*7919%n), make([]byte, 50)); err != nil {
				t.Fatal(err)
			}
		}
		if err := x.DeleteRange([]byte("k"), []byte("l")); err != nil {
			t.Fatal(err)
		}
		return x
	}
	ended, cancel := context.WithCancelCause(t.Context())
	killed := errors.New("killed")
	cancel(killed)
	x := write()
	if err := x.Prepare(ended); !errors.Is(err, killed) {
		t.Error(err)
	}
	x.Rollback()
	y := s.Begin(TxnOptions{})
	if got := scan(t, y, "k", "l", false); !slices.Equal(got, []string{"k=before"}) {
		t.Error(len(got))
	}
	y.Rollback()
	x = write()
	if err := x.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(x.Put([]byte("late"), nil), x.DeleteRange([]byte("k"), []byte("l"))); !errors.Is(err, ErrDone) {
		t.Errorf("a write after Prepare: %v", err)
	}
	if err := x.Commit(); err != nil {
		t.Fatal(err)
	}
	y = s.Begin(TxnOptions{})
	if got := len(scan(t, y, "k", "l", false)); got != n { // what was there before is gone
		t.Error(got)
	}
	y.Rollback()
	if names, err := fs.List("db/bulk"); err == nil && len(names) > 0 {
		t.Errorf("%v is left", names)
	}
}

// A scan does not see what is written while it goes on.
func TestScanSeesWhatWasThereBefore(t *testing.T) {
	s := open(t, Options{})
	put(t, s, "b", "1")
	x := s.Begin(TxnOptions{Isolation: RepeatableRead})
	defer x.Rollback()
	if err := x.Put([]byte("a"), []byte("2")); err != nil {
		t.Fatal(err)
	}
	it, err := x.Scan([]byte("a"), []byte("z"), false)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for it.Next() {
		n++
		if err := errors.Join(x.Put(append(bytes.Clone(it.Key()), 'x'), it.Value()), x.Delete([]byte("b"))); err != nil {
			t.Fatal(err)
		}
	}
	if err := it.Close(); err != nil || n != 2 {
		t.Fatal(n, err)
	}
}

func TestTransactionsAreLimited(t *testing.T) {
	s := open(t, Options{TransactionLimit: func() int64 { return 100 }})
	x := s.Begin(TxnOptions{})
	defer x.Rollback()
	m := x.Mark()
	if err := x.Put([]byte("k"), make([]byte, 90)); err != nil {
		t.Fatal(err)
	}
	if err := x.Put([]byte("l"), make([]byte, 90)); !errors.Is(err, ErrTooLarge) {
		t.Fatal(err)
	}
	x.RollbackTo(m)
	if err := x.Put([]byte("l"), make([]byte, 90)); err != nil || x.Size() != 91 {
		t.Fatal(x.Size(), err)
	}
	ro := s.Begin(TxnOptions{ReadOnly: true})
	defer ro.Rollback()
	if err := ro.Put([]byte("k"), nil); !errors.Is(err, ErrReadOnly) {
		t.Fatal(err)
	}
}

// Bulk writes find what they were given, in any order, and which key they were given twice.
func TestBulk(t *testing.T) {
	for _, order := range []string{"sorted", "random", "twice"} {
		fs := vfs.NewMem()
		s := open(t, Options{Dir: "db", FS: fs, BallastBytes: -1})
		b := s.NewBulk()
		b.memory = 64 << 10
		const n = 10_000
		numbers := rand.New(rand.NewPCG(5, 6)).Perm(n)
		if order == "sorted" {
			slices.Sort(numbers)
		}
		value := make([]byte, 60)
		for _, i := range numbers {
			if err := b.Put(fmt.Appendf(nil, "k%08d", i), value); err != nil {
				t.Fatal(err)
			}
		}
		if len(b.runs) < 2 || (order != "sorted") != b.mixed {
			t.Errorf("%s: %d runs, mixed %v", order, len(b.runs), b.mixed)
		}
		if order == "twice" {
			if err := b.Put([]byte("k00000777"), value); err != nil {
				t.Fatal(err)
			}
			err := b.Commit(context.Background())
			var d *DuplicateError
			if !errors.As(err, &d) || string(d.Key) != "k00000777" || !errors.Is(err, ErrDuplicate) {
				t.Fatal(err)
			}
		} else if err := b.Commit(context.Background()); err != nil {
			t.Fatal(err)
		}
		x := s.Begin(TxnOptions{})
		rows := scan(t, x, "k", "l", false)
		if want := map[bool]int{true: 0, false: n}[order == "twice"]; len(rows) != want {
			t.Errorf("%s: %d rows of %d", order, len(rows), want)
		}
		x.Rollback()
		if names, err := fs.List("db/bulk"); err == nil && len(names) > 0 {
			t.Errorf("%s: %v is left", order, names)
		}
	}
}

// What a range had is gone, and its room comes back.
func TestDeleteRangeGivesRoomBack(t *testing.T) {
	s := open(t, Options{Dir: "db", FS: vfs.NewMem(), BallastBytes: -1, MemTableBytes: 256 << 10})
	b := s.NewBulk()
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range 20_000 {
		v := make([]byte, 200)
		for j := range v {
			v[j] = byte(rng.Uint32())
		}
		if err := b.Put(fmt.Appendf(nil, "t%08d", i), v); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Commit(context.Background()); err != nil {
		t.Fatal(err)
	}
	size := func() uint64 { return uint64(s.db.Metrics().Total().TablesSize) }
	before := size()
	x := s.Begin(TxnOptions{})
	m := x.Mark()
	if err := x.DeleteRange([]byte("t"), []byte("u")); err != nil {
		t.Fatal(err)
	}
	x.RollbackTo(m)
	if err := x.DeleteRange([]byte("t"), []byte("u")); err != nil {
		t.Fatal(err)
	}
	if err := x.Put([]byte("t1"), []byte("after")); err != nil {
		t.Fatal(err)
	}
	if err := x.Commit(); err != nil {
		t.Fatal(err)
	}
	y := s.Begin(TxnOptions{})
	if got := scan(t, y, "t", "u", false); !slices.Equal(got, []string{"t1=after"}) {
		t.Fatal(got)
	}
	y.Rollback()
	if err := s.flush(); err != nil {
		t.Fatal(err)
	}
	for size() > before/4 { // compactions find the rest by themselves
		if t.Context().Err() != nil {
			t.Fatal("no room comes back")
		}
		runtime.Gosched()
	}
}

func TestCheckpointOpens(t *testing.T) {
	fs := vfs.NewMem()
	s := open(t, Options{Dir: "db", FS: fs, BallastBytes: -1})
	put(t, s, "k", "1")
	if err := s.Checkpoint("copy"); err != nil {
		t.Fatal(err)
	}
	put(t, s, "k", "2")
	c := open(t, Options{Dir: "copy", FS: fs, BallastBytes: -1})
	x := c.Begin(TxnOptions{})
	defer x.Rollback()
	if got := get(t, x, "k"); got != "1" {
		t.Error(got)
	}
}
