package txkv

import (
	"bytes"
	"container/heap"
	"errors"

	"github.com/tidwall/btree"
)

// writes are the writes of a transaction in memory; nil is a deleted key. Copy takes constant time.
type writes = btree.Map[string, []byte]

// layers are all writes of a transaction: those in memory, and older ones in files.
type layers struct {
	memory *writes
	runs   []*run // the oldest first; nobody changes the array
}

func (l layers) empty() bool { return l.memory.Len() == 0 && len(l.runs) == 0 }

// get returns the value that was written to a key; nil if the key was deleted.
func (l layers) get(key []byte) (value []byte, ok bool, err error) {
	if l.memory.Len() > 0 {
		if value, ok = l.memory.Get(string(key)); ok {
			return value, ok, nil
		}
	}
	for i := len(l.runs) - 1; i >= 0; i-- {
		if value, ok, err = l.runs[i].get(key); ok || err != nil {
			return value, ok, err
		}
	}
	return nil, false, nil
}

// cursor goes through written keys in order. Key and value are valid until the next step; a nil value is a deleted key.
type cursor interface {
	start() bool
	step() bool
	key() []byte
	value() []byte
	err() error // why start or step returned false
	close() error
}

// cursor returns a cursor of the keys from lo up to, without, hi; nil if nothing was written. The
// cursor does not see later writes.
func (l layers) cursor(lo, hi []byte, reverse bool) cursor {
	var all []cursor
	if l.memory.Len() > 0 {
		all = append(all, &memoryCursor{it: l.memory.Copy().Iter(), lo: string(lo), hi: string(hi), reverse: reverse})
	}
	for i := len(l.runs) - 1; i >= 0; i-- {
		if r := l.runs[i]; bytes.Compare(r.last, lo) < 0 || hi != nil && bytes.Compare(r.first, hi) >= 0 {
			continue
		}
		all = append(all, l.runs[i].cursor(lo, hi, reverse))
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return &mergeCursor{all: all, reverse: reverse}
}

// memoryCursor goes through the writes in memory.
type memoryCursor struct {
	it      btree.MapIter[string, []byte]
	lo, hi  string // "" for hi means no upper bound
	reverse bool
	buf     []byte
}

func (c *memoryCursor) start() bool {
	var ok bool
	switch {
	case !c.reverse:
		ok = c.it.Seek(c.lo)
	case c.hi != "" && c.it.Seek(c.hi):
		ok = c.it.Prev()
	default:
		ok = c.it.Last()
	}
	return ok && c.inside()
}

func (c *memoryCursor) step() bool {
	if c.reverse {
		return c.it.Prev() && c.inside()
	}
	return c.it.Next() && c.inside()
}

func (c *memoryCursor) inside() bool {
	k := c.it.Key()
	if k < c.lo || c.hi != "" && k >= c.hi {
		return false
	}
	c.buf = append(c.buf[:0], k...)
	return true
}

func (c *memoryCursor) key() []byte   { return c.buf }
func (c *memoryCursor) value() []byte { return c.it.Value() }
func (c *memoryCursor) err() error    { return nil }
func (c *memoryCursor) close() error  { return nil }

// mergeCursor goes through several cursors at once. If several have a key, the first of these has
// its value.
type mergeCursor struct {
	all     []cursor
	reverse bool
	heap    []int // indexes in all of the cursors that have a key, the one with the next key on top
	buf     []byte
}

func (c *mergeCursor) Len() int { return len(c.heap) }

func (c *mergeCursor) Less(i, j int) bool {
	a, b := c.heap[i], c.heap[j]
	n := bytes.Compare(c.all[a].key(), c.all[b].key())
	if c.reverse {
		n = -n
	}
	return n < 0 || n == 0 && a < b
}

func (c *mergeCursor) Swap(i, j int) { c.heap[i], c.heap[j] = c.heap[j], c.heap[i] }
func (c *mergeCursor) Push(x any)    { c.heap = append(c.heap, x.(int)) }

func (c *mergeCursor) Pop() any {
	last := c.heap[len(c.heap)-1]
	c.heap = c.heap[:len(c.heap)-1]
	return last
}

func (c *mergeCursor) start() bool {
	c.heap = c.heap[:0]
	for i, one := range c.all {
		if one.start() {
			c.heap = append(c.heap, i)
		}
	}
	heap.Init(c)
	return len(c.heap) > 0
}

func (c *mergeCursor) step() bool {
	c.buf = append(c.buf[:0], c.key()...)
	for len(c.heap) > 0 && bytes.Equal(c.key(), c.buf) { // older writes of the same key as well
		if c.all[c.heap[0]].step() {
			heap.Fix(c, 0)
		} else {
			heap.Pop(c)
		}
	}
	return len(c.heap) > 0
}

func (c *mergeCursor) key() []byte   { return c.all[c.heap[0]].key() }
func (c *mergeCursor) value() []byte { return c.all[c.heap[0]].value() }

func (c *mergeCursor) err() (err error) {
	for _, one := range c.all {
		err = errors.Join(err, one.err())
	}
	return err
}

func (c *mergeCursor) close() (err error) {
	for _, one := range c.all {
		err = errors.Join(err, one.close())
	}
	return err
}
