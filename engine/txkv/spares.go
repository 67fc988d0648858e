package txkv

import (
	"bytes"
	"errors"
	"io"
	"math"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// spares are iterators of a snapshot that nobody uses at the moment. To make an iterator costs as
// much as to read several rows. The statements of a transaction read one snapshot, and so do
// transactions between which nothing is committed. An iterator keeps the memtables and files that
// existed when it was made, so iterators older than the last flush or compaction are closed. Safe
// for concurrent use.
type spares struct {
	scan, get atomic.Pointer[spare]
	read      atomic.Bool // a key of the snapshot has been read
}

// spare is an iterator. reshaped is how many flushes and compactions there had been when it was
// made. Owned by the goroutine that has taken it.
type spare struct {
	*pebble.Iterator
	reshaped uint64
}

// notReused is the field reshaped of an iterator that put must close.
const notReused = math.MaxUint64

// newSpare makes an iterator of r, a snapshot or the store.
func newSpare(r pebble.Reader, lo, hi []byte) (*spare, error) {
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: lo, UpperBound: hi})
	if err != nil {
		return nil, ioError(err)
	}
	return &spare{Iterator: it}, nil
}

// take returns the iterator in a place, or makes one.
func (s *snapshot) take(from *atomic.Pointer[spare], lo, hi []byte) (*spare, error) {
	if it := from.Swap(nil); it != nil {
		it.SetBounds(lo, hi)
		it.ResetStats()
		return it, nil
	}
	reshaped := s.of.reshaped.Load()
	it, err := newSpare(s.Snapshot, lo, hi)
	if err == nil {
		it.reshaped = reshaped
	}
	return it, err
}

// put puts an iterator into a place, or closes it.
func (s *snapshot) put(to *atomic.Pointer[spare], it *spare) error {
	if it.Error() != nil || it.reshaped != s.of.reshaped.Load() || !to.CompareAndSwap(nil, it) {
		return ioError(it.Close())
	}
	if it.reshaped != s.of.reshaped.Load() { // reshape counted after the check above, and may have closed the spares before this one was in its place
		s.closeSpares()
	}
	return nil
}

// closeSpares closes the iterators that nobody uses. Their users have already got their errors.
func (s *snapshot) closeSpares() {
	for _, p := range []*atomic.Pointer[spare]{&s.spares.scan, &s.spares.get} {
		if it := p.Swap(nil); it != nil {
			_ = it.Close()
		}
	}
}

// value implements state. For the first key it makes no iterator, since the key may be the only
// one.
func (s *snapshot) value(key []byte) ([]byte, error) {
	if !s.spares.read.Load() {
		s.spares.read.Store(true)
		return valueOf(s.Get(key))
	}
	it, err := s.take(&s.spares.get, nil, nil)
	if err != nil {
		return nil, err
	}
	var value []byte
	if it.SeekPrefixGE(key) {
		if v, e := it.ValueAndErr(); e == nil {
			value = append(make([]byte, 0, len(v)), v...) // never nil
		}
	}
	err = it.Error()
	if e := s.put(&s.spares.get, it); err == nil {
		err = e
	}
	return value, ioError(err)
}

// iterate implements state. An iterator of an empty range is not reused: Pebble's iterators go
// wrong if they get other bounds afterwards.
func (s *snapshot) iterate(lo, hi []byte) (*spare, error) {
	if hi != nil && bytes.Compare(lo, hi) >= 0 {
		it, err := newSpare(s.Snapshot, lo, hi)
		if err == nil {
			it.reshaped = notReused
		}
		return it, err
	}
	return s.take(&s.spares.scan, lo, hi)
}

// end implements state.
func (s *snapshot) end(it *spare) error { return s.put(&s.spares.scan, it) }

// valueOf returns a copy of a value that Pebble has found, nil if it has found none.
func valueOf(v []byte, c io.Closer, err error) ([]byte, error) {
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, ioError(err)
	}
	out := make([]byte, len(v)) // never nil
	copy(out, v)
	return out, c.Close()
}
