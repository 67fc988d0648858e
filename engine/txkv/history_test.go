package txkv

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A history in the manner of Elle: each key is a list; each transaction appends numbers of its own
// to some lists and reads others. The final list orders all its appends, so each read can be
// compared with it.

// observed has the operations of a transaction, in order.
type observed struct {
	id    uint64
	level Isolation
	acked bool
	ops   []op
}

type op struct {
	key     int
	append  uint64   // 0 for a read
	list    []uint64 // the list that was read; for an append, the list before it
	locking bool
}

const historyKeys = 6

func historyKey(k int) []byte { return []byte{'h', byte(k)} }

func decodeList(v []byte) (list []uint64) {
	for ; len(v) >= 8; v = v[8:] {
		list = append(list, binary.BigEndian.Uint64(v))
	}
	return list
}

// transact runs one random transaction.
func transact(s *Store, level Isolation, rng *rand.Rand, next *atomic.Uint64) (observed, error) {
	ctx := context.Background()
	x := s.Begin(TxnOptions{Isolation: level})
	defer x.Rollback()
	o := observed{id: x.ID(), level: level}
	for range 1 + rng.IntN(4) {
		x.StartStatement()
		m := x.Mark()
		k := rng.IntN(historyKeys)
		switch n := rng.IntN(10); {
		case n < 5: // append
			v, _, err := x.GetLocked(ctx, historyKey(k), Insert, -1)
			if err != nil {
				return o, err
			}
			id := next.Add(1)
			if err := x.Put(historyKey(k), binary.BigEndian.AppendUint64(bytes.Clone(v), id)); err != nil {
				return o, err
			}
			if rng.IntN(5) == 0 {
				x.RollbackTo(m) // the statement fails
				continue
			}
			o.ops = append(o.ops, op{k, id, decodeList(v), true})
		case level == Serializable || n < 6: // locking reads of all keys
			r, err := x.LockRange(ctx, []byte{'h'}, []byte{'i'}, Shared, -1)
			if err != nil {
				return o, err
			}
			it, err := x.ScanNewest([]byte{'h'}, []byte{'i'}, rng.IntN(2) == 0)
			if err != nil {
				return o, err
			}
			seen := map[int]bool{}
			for it.Next() {
				key := bytes.Clone(it.Key())
				v, _, err := x.GetLocked(ctx, key, Shared, -1)
				if err != nil {
					return o, errors.Join(err, it.Close())
				}
				seen[int(key[1])] = true
				o.ops = append(o.ops, op{int(key[1]), 0, decodeList(v), true})
			}
			if err := it.Close(); err != nil {
				return o, err
			}
			if level >= RepeatableRead { // a missing key stays missing
				for k := range historyKeys {
					if !seen[k] {
						o.ops = append(o.ops, op{k, 0, nil, true})
					}
				}
			}
			_ = r
		default: // one statement that reads all keys, by Get and by Scan
			it, err := x.Scan([]byte{'h'}, []byte{'i'}, false)
			if err != nil {
				return o, err
			}
			for it.Next() {
				v, err := x.Get(it.Key())
				if err != nil {
					return o, errors.Join(err, it.Close())
				}
				if level != ReadUncommitted && !bytes.Equal(v, it.Value()) {
					return o, errors.Join(fmt.Errorf("get and scan of one statement differ"), it.Close())
				}
				o.ops = append(o.ops, op{int(it.Key()[1]), 0, decodeList(it.Value()), false})
			}
			if err := it.Close(); err != nil {
				return o, err
			}
		}
	}
	if rng.IntN(8) == 0 {
		return o, nil
	}
	if err := x.Commit(); err != nil {
		return o, err
	}
	o.acked = true
	return o, nil
}

func TestHistories(t *testing.T) {
	span := func(key []byte) (lo, hi []byte) { return historyKey(0), historyKey(historyKeys) }
	for _, c := range []struct {
		level   Isolation
		options Options
	}{
		{ReadUncommitted, Options{}},
		{ReadCommitted, Options{}},
		{RepeatableRead, Options{}},
		{Serializable, Options{}},
		{ReadCommitted, Options{TransactionMemory: 500}}, // some of the commits are files
		{RepeatableRead, Options{TransactionMemory: 1}},
		{RepeatableRead, Options{LockLimit: 2, LockSpan: span}}, // some of the locks are locks of all keys
		{Serializable, Options{LockLimit: 1, LockSpan: span, TransactionMemory: 500}},
	} {
		level, o := c.level, c.options
		t.Run(fmt.Sprintf("%d/memory=%d/locks=%d", level, o.TransactionMemory, o.LockLimit), func(t *testing.T) {
			o.Dir, o.FS, o.MemTableBytes, o.BallastBytes = "db", vfs.NewMem(), 64<<10, -1
			s := open(t, o)
			var (
				wg      sync.WaitGroup
				next    atomic.Uint64
				mu      sync.Mutex
				history []observed
			)
			for w := range uint64(16) {
				wg.Go(func() {
					rng := rand.New(rand.NewPCG(w, uint64(level)))
					for range 60 {
						o, err := transact(s, level, rng, &next)
						if err != nil && !errors.Is(err, ErrDeadlock) {
							t.Error(err)
							return
						}
						mu.Lock()
						history = append(history, o)
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			x := s.Begin(TxnOptions{})
			defer x.Rollback()
			var final [historyKeys][]uint64
			for k := range final {
				final[k] = decodeList([]byte(get(t, x, string(historyKey(k)))))
			}
			checkHistory(t, level, history, final)
		})
	}
}

// checkHistory compares the operations of transactions with the final lists.
func checkHistory(t *testing.T, level Isolation, history []observed, final [historyKeys][]uint64) {
	t.Helper()
	type place struct{ key, at int }
	places := map[uint64]place{}
	for k, list := range final {
		for i, id := range list {
			if _, ok := places[id]; ok {
				t.Fatalf("%d is there twice", id)
			}
			places[id] = place{k, i}
		}
	}
	// Each acknowledged append is in the place where it was made, and there are no other appends.
	writer := map[uint64]int{}
	for n, o := range history {
		for _, op := range o.ops {
			if op.append == 0 || !o.acked {
				continue
			}
			writer[op.append] = n
			p, ok := places[op.append]
			if !ok {
				t.Fatalf("append %d is lost", op.append)
			}
			if p.key != op.key || !slices.Equal(final[p.key][:p.at], op.list) {
				t.Fatalf("append %d to %v is at %d of %v", op.append, op.list, p.at, final[p.key])
			}
		}
	}
	for id := range places {
		if _, ok := writer[id]; !ok {
			t.Fatalf("append %d was rolled back and is there", id)
		}
	}
	// Each read is the start of its list: there are no dirty reads except of the transaction's own
	// appends, and no reads of appends that were undone. The reads also say which transaction came
	// before which.
	before := make([]map[int]bool, len(history))
	edge := func(a, b int) {
		if a != b {
			if before[a] == nil {
				before[a] = map[int]bool{}
			}
			before[a][b] = true
		}
	}
	for _, list := range final {
		for i := 1; i < len(list); i++ {
			edge(writer[list[i-1]], writer[list[i]])
		}
	}
	for n, o := range history {
		own := map[uint64]bool{}
		var snapshot [historyKeys]int // what snapshot reads have seen of each list, without own appends
		var seen [historyKeys]bool
		for _, op := range o.ops {
			read := slices.DeleteFunc(slices.Clone(op.list), func(id uint64) bool { return own[id] })
			if op.append != 0 {
				own[op.append] = true
			}
			if len(read) > len(final[op.key]) || !slices.Equal(read, final[op.key][:len(read)]) {
				if !ownInside(op.list, own) {
					t.Fatalf("transaction %d read %v of %v", o.id, op.list, final[op.key])
				}
				continue
			}
			if !op.locking && level >= RepeatableRead && len(own) == 0 {
				if seen[op.key] && snapshot[op.key] != len(read) {
					t.Fatalf("transaction %d read %d and then %d appends of a list in one snapshot", o.id, snapshot[op.key], len(read))
				}
				seen[op.key], snapshot[op.key] = true, len(read)
			}
			if level == Serializable && o.acked {
				if len(read) > 0 {
					edge(writer[read[len(read)-1]], n)
				}
				if len(read) < len(final[op.key]) {
					edge(n, writer[final[op.key][len(read)]])
				}
			}
		}
		// A snapshot has a transaction completely or not at all.
		if level >= RepeatableRead {
			for k, ok := range seen {
				if !ok {
					continue
				}
				for _, id := range final[k][:snapshot[k]] {
					for _, other := range history[writer[id]].ops {
						if p := places[other.append]; other.append != 0 && seen[p.key] && p.at >= snapshot[p.key] {
							t.Fatalf("transaction %d saw %d and not %d of transaction %d", o.id, id, other.append, history[writer[id]].id)
						}
					}
				}
			}
		}
	}
	// Writers, and at Serializable also readers, have an order.
	state := make([]int, len(history))
	var visit func(n int) bool
	visit = func(n int) bool {
		state[n] = 1
		for m := range before[n] {
			if state[m] == 1 || state[m] == 0 && !visit(m) {
				return false
			}
		}
		state[n] = 2
		return true
	}
	for n := range history {
		if state[n] == 0 && !visit(n) {
			t.Fatalf("transactions come before each other: a circle with transaction %d", history[n].id)
		}
	}
}

// ownInside reports whether a list has appends of the transaction itself. At the end, appends of
// others may have followed these.
func ownInside(list []uint64, own map[uint64]bool) bool {
	return slices.ContainsFunc(list, func(id uint64) bool { return own[id] })
}
