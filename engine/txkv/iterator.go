package txkv

import (
	"bytes"
	"errors"

	"github.com/cockroachdb/pebble/v2"
)

// Iterator goes through the keys of a range in order, the transaction's own writes over what is stored.
// Owned by the transaction's goroutine. It must be closed, before the transaction ends.
type Iterator struct {
	stored             *spare
	state              state  // that stored is of
	written            cursor // nil if nothing was
	storedOK, wroteOK  bool   // each is at a key
	onStored, onWrites bool   // the current key is this one's: it steps at the next Next
	started, reverse   bool
	store              *Store
	newest             bool   // it reads the newest state
	changes            uint64 // of the store when it began, if it does
}

// newestIterator goes through a range of the newest state, with w over it.
func newestIterator(s *Store, w layers, lo, hi []byte, reverse bool) (*Iterator, error) {
	changes := s.changes.Load()
	it, err := newIterator(s, newest{&s.snapshots}, w, lo, hi, reverse)
	if err == nil {
		it.newest, it.changes = true, changes
	}
	return it, err
}

// Newest reports whether the iterator shows the newest committed values of all keys that the transaction has locked: nobody else has committed
// anything since it began. For an iterator of a snapshot it returns false.
func (it *Iterator) Newest() bool {
	// A commit is counted before its locks are released.
	return it.newest && it.store.changes.Load() == it.changes
}

// newIterator goes through a range of r, with w over it.
func newIterator(s *Store, r state, w layers, lo, hi []byte, reverse bool) (*Iterator, error) {
	lo = outside(lo)
	stored, err := r.iterate(lo, hi)
	if err != nil {
		return nil, err
	}
	it := &Iterator{store: s, stored: stored, state: r, reverse: reverse}
	if !w.empty() {
		if it.written, err = w.cursor(clone(lo), clone(hi), reverse); err != nil {
			return nil, errors.Join(err, r.end(stored))
		}
	}
	return it, nil
}

// outside returns lo, or the first key after the store's own keys, which begin with a zero byte.
func outside(lo []byte) []byte {
	if len(lo) == 0 || lo[0] == 0 {
		return []byte{1}
	}
	return lo
}

// Next goes to the next key and tells whether there is one.
func (it *Iterator) Next() bool {
	if !it.started {
		it.start()
	} else {
		it.step()
	}
	for it.storedOK || it.wroteOK {
		c := -1 // below 0: the stored key comes first
		if it.wroteOK {
			c = 1
			if it.storedOK {
				c = bytes.Compare(it.stored.Key(), it.written.key())
				if it.reverse {
					c = -c
				}
			}
		}
		it.onStored, it.onWrites = c <= 0, c >= 0
		if c < 0 || it.written.value() != nil {
			return true
		}
		it.step() // the transaction has deleted it
	}
	it.onStored, it.onWrites = false, false
	return false
}

func (it *Iterator) start() {
	it.started = true
	if it.reverse {
		it.storedOK = it.stored.Last()
	} else {
		it.storedOK = it.stored.First()
	}
	it.wroteOK = it.written != nil && it.written.start()
}

func (it *Iterator) step() {
	if it.onStored {
		if it.reverse {
			it.storedOK = it.stored.Prev()
		} else {
			it.storedOK = it.stored.Next()
		}
	}
	if it.onWrites {
		it.wroteOK = it.written.step()
	}
}

// Key is the current key, valid until the next call of Next or Close.
func (it *Iterator) Key() []byte {
	if it.onWrites {
		return it.written.key()
	}
	return it.stored.Key()
}

// Value is the current value, valid until the next call of Next or Close. The caller must not change it.
func (it *Iterator) Value() []byte {
	if it.onWrites {
		return it.written.value()
	}
	return it.stored.Value()
}

// Err is why Next returned false, nil at the end of the range.
func (it *Iterator) Err() error {
	if it.written != nil {
		if err := it.written.err(); err != nil {
			return err
		}
	}
	return ioError(it.stored.Error())
}

// Close ends the iterator and returns Err.
func (it *Iterator) Close() error {
	err := it.Err()
	st := it.stored.Stats()
	it.store.stepped(int64(st.ForwardStepCount[pebble.InternalIterCall] - st.ForwardStepCount[pebble.InterfaceCall] +
		st.ReverseStepCount[pebble.InternalIterCall] - st.ReverseStepCount[pebble.InterfaceCall]))
	if it.written != nil {
		err = errors.Join(err, it.written.close())
	}
	return errors.Join(err, it.state.end(it.stored))
}
