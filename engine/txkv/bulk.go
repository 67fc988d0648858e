package txkv

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
)

// Bulk writes any number of keys in bounded memory, for tables that nobody can read yet: a table
// that is built anew, an index, a load into an empty table. Keys come in any order. Owned by one
// goroutine. It ends with Commit or Discard.
//
// It takes no locks and does not belong to a transaction. Its range of keys must be empty before;
// the keys become visible at Commit. The transaction that makes the table known commits afterwards.
// If that does not happen, the caller removes the keys with a DeleteRange.
//
// Keys are collected in memory, sorted, and written to a file when they reach bulkMemory. Commit
// merges the files, if they overlap, to files that Pebble adopts as they are.
type Bulk struct {
	spillDir
	memory int // limit of the size of data and pairs, bytes
	data   []byte
	pairs  []pair
	runs   []string // paths of files, each sorted
	last   []byte   // the greatest key of the runs, if not mixed
	mixed  bool     // a run does not begin after the end of the one before
	done   bool
}

// pair is a key and its value in data.
type pair struct{ key, value, end int }

const (
	// bulkMemory is how much of a Bulk is in memory: bytes of keys, of values and of pairs.
	bulkMemory = 8 << 20
	// bulkFile is the size in bytes of the files that Pebble adopts.
	bulkFile = 32 << 20
)

// NewBulk begins a bulk write.
func (s *Store) NewBulk() *Bulk {
	return &Bulk{spillDir: s.newSpillDir(), memory: bulkMemory}
}

func (b *Bulk) key(p pair) []byte { return b.data[p.key:p.value] }

// Put adds a key, of which it keeps a copy. Errors: a [DuplicateError] for some of the keys that
// come twice, while Commit finds the others; ErrDiskFull, ErrIO.
func (b *Bulk) Put(key, value []byte) error {
	if b.done {
		return ErrDone
	}
	if n := len(b.data) + 24*len(b.pairs); n > 0 && n+len(key)+len(value) > b.memory {
		if err := b.spill(); err != nil {
			return err
		}
	}
	p := pair{key: len(b.data)}
	b.data = append(b.data, key...)
	p.value = len(b.data)
	b.data = append(b.data, value...)
	p.end = len(b.data)
	b.pairs = append(b.pairs, p)
	return nil
}

// spill writes the keys in memory to a file.
func (b *Bulk) spill() error {
	if len(b.pairs) == 0 {
		return nil
	}
	byKey := func(x, y pair) int { return bytes.Compare(b.key(x), b.key(y)) }
	if !slices.IsSortedFunc(b.pairs, byKey) {
		slices.SortFunc(b.pairs, byKey)
	}
	w, path, err := b.create()
	if err != nil {
		return err
	}
	b.runs = append(b.runs, path)
	for i, p := range b.pairs {
		if i > 0 && bytes.Equal(b.key(b.pairs[i-1]), b.key(p)) {
			_ = w.Close()
			return &DuplicateError{bytes.Clone(b.key(p))}
		}
		if err := w.Set(b.key(p), b.data[p.value:p.end]); err != nil {
			return ioError(errors.Join(err, w.Close()))
		}
	}
	if err := w.Close(); err != nil {
		return ioError(err)
	}
	first, last := b.key(b.pairs[0]), b.key(b.pairs[len(b.pairs)-1])
	b.mixed = b.mixed || len(b.runs) > 1 && bytes.Compare(first, b.last) <= 0
	b.last = append(b.last[:0], last...)
	b.data, b.pairs = b.data[:0], b.pairs[:0]
	return nil
}

// Commit makes the keys visible, all or none, and durable, and ends the Bulk, also if it fails.
// Errors: a [DuplicateError], ErrDiskFull, ErrIO.
func (b *Bulk) Commit(ctx context.Context) error {
	if b.done {
		return ErrDone
	}
	if err := b.spill(); err != nil {
		b.Discard()
		return err
	}
	if len(b.runs) == 0 {
		b.Discard()
		return nil
	}
	paths := b.runs
	if b.mixed {
		var err error
		if paths, err = b.merge(ctx); err != nil {
			b.Discard()
			return err
		}
	}
	b.done = true
	return b.store.ingest(ctx, paths, b.remove)
}

// bulkRun is a sorted file that is being read.
type bulkRun struct{ it *pebble.Iterator }

// bulkRuns are a heap of files by their current keys.
type bulkRuns []bulkRun

func (r bulkRuns) Len() int           { return len(r) }
func (r bulkRuns) Less(i, j int) bool { return bytes.Compare(r[i].it.Key(), r[j].it.Key()) < 0 }
func (r bulkRuns) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *bulkRuns) Push(x any)        { *r = append(*r, x.(bulkRun)) }
func (r *bulkRuns) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}

// merge writes the keys of all runs to files that do not overlap.
func (b *Bulk) merge(ctx context.Context) (paths []string, err error) {
	var all bulkRuns
	defer func() {
		for _, r := range all {
			err = errors.Join(err, r.it.Close())
		}
	}()
	for _, path := range b.runs {
		f, err := b.store.plain.Open(path)
		if err != nil {
			return nil, ioError(err)
		}
		it, err := pebble.NewExternalIter(b.store.pebbleOptions, nil, [][]sstable.ReadableFile{{f}})
		if err != nil {
			return nil, ioError(err)
		}
		if !it.First() { // a run has a key, if it can be read
			return nil, ioError(cmp.Or(errors.Join(it.Error(), it.Close()), io.ErrUnexpectedEOF))
		}
		all = append(all, bulkRun{it})
	}
	heap.Init(&all)
	var w *sstable.Writer
	defer func() {
		if w != nil {
			err = errors.Join(err, ioError(w.Close()))
		}
	}()
	var last []byte
	size := 0
	for n := 0; len(all) > 0; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		it := all[0].it
		key, value := it.Key(), it.Value()
		if n > 0 && bytes.Equal(last, key) {
			return nil, &DuplicateError{bytes.Clone(key)}
		}
		last = append(last[:0], key...)
		if w != nil && size > bulkFile {
			if err := w.Close(); err != nil {
				w = nil
				return nil, ioError(err)
			}
			w, size = nil, 0
		}
		if w == nil {
			var path string
			if w, path, err = b.create(); err != nil {
				return nil, err
			}
			paths = append(paths, path)
		}
		if err := w.Set(key, value); err != nil {
			return nil, ioError(err)
		}
		size += len(key) + len(value)
		if it.Next() {
			heap.Fix(&all, 0)
			continue
		}
		heap.Pop(&all)
		if err := it.Close(); err != nil {
			return nil, ioError(err)
		}
	}
	return paths, nil
}

// Discard drops the keys if they are not committed. After Commit it does nothing.
func (b *Bulk) Discard() {
	if b.done {
		return
	}
	b.done = true
	b.data, b.pairs = nil, nil
	b.remove()
}
