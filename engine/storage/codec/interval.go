package codec

import (
	"bytes"
	"context"

	"github.com/dolthub/go-mysql-server/sql"
)

// Interval is a range of a column's keys, from Lo up to, but without, Hi.
type Interval struct{ Lo, Hi []byte }

// Has tells whether a key is in the interval.
func (v *Interval) Has(key []byte) bool {
	return bytes.Compare(key, v.Lo) >= 0 && bytes.Compare(key, v.Hi) < 0
}

// All tells whether the interval has all keys.
func (v *Interval) All() bool { return v.Lo[0] == Null && v.Hi[0] > NotNull }

// One reports whether the interval has only one value, or only NULL.
func (v *Interval) One() bool {
	return len(v.Lo) > 1 && bytes.Equal(After(v.Lo), v.Hi) || v.Lo[0] == Null && len(v.Hi) == 1 && v.Hi[0] == NotNull
}

// Interval returns the range of keys for the range e of the column; false if it is empty.
func (c *Column) Interval(ctx context.Context, e sql.MySQLRangeColumnExpr) (Interval, bool, error) {
	v := Interval{Lo: []byte{Null}, Hi: []byte{NotNull + 1}}
	bound := func(key any, behind bool) ([]byte, error) {
		b, place, err := c.Bound(ctx, key)
		switch {
		case err != nil:
			return nil, err
		case place == BelowAll:
			return []byte{NotNull}, nil
		case place == AboveAll:
			return []byte{NotNull + 1}, nil
		case behind || place == JustAbove:
			return After(b), nil
		}
		return b, nil
	}
	var err error
	switch lo := e.LowerBound.(type) {
	case sql.Below:
		v.Lo, err = bound(lo.Key, false)
	case sql.Above:
		v.Lo, err = bound(lo.Key, true)
	case sql.AboveNull:
		v.Lo = []byte{NotNull}
	case sql.AboveAll:
		return v, false, nil
	}
	if err != nil {
		return v, false, err
	}
	switch hi := e.UpperBound.(type) {
	case sql.Below:
		v.Hi, err = bound(hi.Key, false)
	case sql.Above:
		v.Hi, err = bound(hi.Key, true)
	case sql.AboveNull:
		v.Hi = []byte{NotNull}
	case sql.BelowNull:
		return v, false, nil
	}
	return v, err == nil && bytes.Compare(v.Lo, v.Hi) < 0, err
}

// Cut returns the interval of the prefixes of n characters, or bytes, of the values in v. v is the
// range e of the column c.
func (v *Interval) Cut(ctx context.Context, c *Column, e sql.MySQLRangeColumnExpr, n int) (Interval, error) {
	w := *v
	short := func(b []byte, key any, behind bool) ([]byte, error) {
		if key == nil {
			return b, nil
		}
		p, err := c.AppendPrefixKey(ctx, nil, key, n)
		if behind {
			p = After(p)
		}
		return p, err
	}
	var err error
	switch lo := e.LowerBound.(type) {
	case sql.Below:
		w.Lo, err = short(v.Lo, lo.Key, false)
	case sql.Above:
		w.Lo, err = short(v.Lo, lo.Key, false)
	}
	if err != nil {
		return w, err
	}
	switch hi := e.UpperBound.(type) {
	case sql.Below:
		w.Hi, err = short(v.Hi, hi.Key, true)
	case sql.Above:
		w.Hi, err = short(v.Hi, hi.Key, true)
	}
	return w, err
}

// After returns the first key after all keys with the prefix.
func After(prefix []byte) []byte {
	b := bytes.Clone(prefix)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i]++; b[i] != 0 {
			return b[:i+1]
		}
	}
	return nil
}
