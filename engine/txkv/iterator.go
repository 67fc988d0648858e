package txkv

import (
	"bytes"
	"errors"

	"github.com/cockroachdb/pebble/v2"
)

// Iterator goes through the keys of a range in order. The transaction's own writes replace stored
// ones. Owned by the transaction's goroutine. Close it before the transaction ends.
type Iterator struct {
	stored             *spare
	state              state  // the state to which stored belongs
	written            cursor // nil if the transaction has written nothing
	storedOK, wroteOK  bool   // whether each of the two is at a key
	onStored, onWrites bool   // whether each of the two has the current key: it steps at the next Next
	started, reverse   bool
	store              *Store
	newest             bool   // whether it reads the newest state
	changes            uint64 // the store's count of commits when the iterator began, if newest
}

// newestIterator returns an iterator of a range of the newest state, with the writes w.
func newestIterator(s *Store, w layers, lo, hi []byte, reverse bool) (*Iterator, error) {
	changes := s.changes.Load()
	it, err := newIterator(s, newest{&s.snapshots}, w, lo, hi, reverse)
	if err == nil {
		it.newest, it.changes = true, changes
	}
	return it, err
}

// Newest reports whether the iterator shows the newest committed values of all keys that the
// transaction has locked: no other transaction has committed since it began. For an iterator of a
// snapshot it returns false.
func (it *Iterator) Newest() bool {
	// A commit is counted before its locks are released.
	return it.newest && it.store.changes.Load() == it.changes
}

// newIterator returns an iterator of a range of r, with the writes w.
func newIterator(s *Store, r state, w layers, lo, hi []byte, reverse bool) (*Iterator, error) {
	lo = outside(lo)
	stored, err := r.iterate(lo, hi)
	if err != nil {
		return nil, err
	}
	it := &Iterator{store: s, stored: stored, state: r, reverse: reverse}
	if !w.empty() {
		it.written = w.cursor(clone(lo), clone(hi), reverse)
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

// Next goes to the next key and reports whether there is one.
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

// Key returns the current key. It is valid until the next call of Next or Close.
func (it *Iterator) Key() []byte {
	if it.onWrites {
		return it.written.key()
	}
	return it.stored.Key()
}

// Value returns the current value. It is valid until the next call of Next or Close. The caller
// must not change it.
func (it *Iterator) Value() []byte {
	if it.onWrites {
		return it.written.value()
	}
	return it.stored.Value()
}

// Err returns the error with which Next returned false, nil at the end of the range.
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
