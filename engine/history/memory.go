package history

import (
	"bytes"
	"slices"
	"sync"

	"github.com/tidwall/btree"
)

// medium is where the keys and values are. Safe for concurrent use.
type medium interface {
	// get returns the value of a key, nil if there is none. The caller must not change it.
	get(key []byte) ([]byte, error)
	// apply makes all changes of a batch, or none.
	apply(b *batch) error
	// scan calls each for the keys from lo up to, without, hi, in their order. What each gets is valid until it returns.
	scan(lo, hi []byte, each func(key, value []byte)) error
	// bytes is how much memory it takes.
	bytes() int
	close() error
}

// batch is changes: first ranges are removed, then keys get values; a value of nil removes its key.
type batch struct {
	ranges [][2][]byte // from the first up to, without, the second
	keys   [][]byte
	values [][]byte
	// durable has the changes on the device when they are made; else they are there a second later.
	durable bool
}

func (b *batch) put(key, value []byte) {
	b.keys, b.values = append(b.keys, key), append(b.values, value)
}

func (b *batch) remove(lo, hi []byte) { b.ranges = append(b.ranges, [2][]byte{lo, hi}) }

func (b *batch) empty() bool { return len(b.keys)+len(b.ranges) == 0 }

// memory is a medium that ends with the process.
type memory struct {
	mu    sync.Mutex
	pairs btree.Map[string, []byte]
	size  int
}

func (m *memory) get(key []byte) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, _ := m.pairs.Get(string(key))
	return v, nil
}

func (m *memory) apply(b *batch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range b.ranges {
		var keys []string
		m.pairs.Ascend(string(r[0]), func(key string, _ []byte) bool {
			if key >= string(r[1]) {
				return false
			}
			keys = append(keys, key)
			return true
		})
		for _, key := range keys {
			m.delete(key)
		}
	}
	for i, key := range b.keys {
		m.delete(string(key))
		if v := b.values[i]; v != nil {
			m.pairs.Set(string(key), slices.Clone(v))
			m.size += len(key) + len(v)
		}
	}
	return nil
}

func (m *memory) delete(key string) {
	if v, ok := m.pairs.Delete(key); ok {
		m.size -= len(key) + len(v)
	}
}

func (m *memory) scan(lo, hi []byte, each func(key, value []byte)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pairs.Ascend(string(lo), func(key string, value []byte) bool {
		if bytes.Compare([]byte(key), hi) >= 0 {
			return false
		}
		each([]byte(key), value)
		return true
	})
	return nil
}

func (m *memory) bytes() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.size
}

func (m *memory) close() error { return nil }
