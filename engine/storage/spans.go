package storage

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/storage/codec"
)

// interval is a range of keys of a column.
type interval struct {
	codec.Interval
	column int
}

// span is a range of an index's keys.
type span struct {
	lower, upper []byte
	// point is the key of a row, or of an entry of a unique index, if the span has only that one.
	point []byte
	// any are the ranges that the span was made from. A row must be in one of them; in an exact
	// span, each row is.
	any   [][]interval
	exact bool
}

// newSpan returns the range of an index's keys for the range r. ok is false if it is empty.
func newSpan(ctx *sql.Context, x *Index, r sql.MySQLRange) (s span, ok bool, err error) {
	d := x.table.def
	id := primaryID
	if x.record != nil {
		id = x.record.ID
	}
	key := prefix(d.record.ID, id)
	intervals := make([]interval, 0, len(r))
	open := false // an earlier column has a range of values, after which the span cannot be narrowed further
	whole := true // no column's value is NULL
	s.exact = true
	columns := x.columns
	if x.record != nil && !x.record.Unique && len(x.all) == len(x.columns)+len(d.record.PrimaryKey) {
		columns = x.all // entries have the row's primary key after the columns
	}
	for i, e := range r {
		if i >= len(x.all) {
			return s, false, fmt.Errorf("a range of %d columns for index %s of %d", len(r), x.ID(), len(x.all))
		}
		at := x.all[i]
		c := &d.columns[at]
		keys, some, err := c.Interval(ctx, e)
		if err != nil || !some {
			return s, false, err
		}
		v := interval{keys, at}
		intervals = append(intervals, v)
		if open || i >= len(columns) {
			s.exact = s.exact && v.All()
			continue
		}
		if x.record != nil && i < len(x.columns) && x.record.Prefixes != nil && x.record.Prefixes[i] > 0 {
			if v.Interval, err = keys.Cut(ctx, c, e, int(x.record.Prefixes[i])); err != nil {
				return s, false, err
			}
			s.exact = s.exact && bytes.Equal(v.Lo, keys.Lo) && bytes.Equal(v.Hi, keys.Hi)
		}
		if v.One() {
			key = append(key, v.Lo...)
			whole = whole && v.Lo[0] != codec.Null
			continue
		}
		open = true
		s.lower = append(bytes.Clone(key), v.Lo...)
		s.upper = append(bytes.Clone(key), v.Hi...)
	}
	if !open {
		s.lower, s.upper = key, codec.After(key)
		if whole && len(r) >= len(x.columns) && x.IsUnique() {
			s.point = key
		}
	}
	s.any = [][]interval{intervals}
	return s, true, nil
}

// newPoint returns the span for r, which is the only range of a lookup. ok is false unless r has
// exactly one value for each column of a unique index.
func newPoint(ctx *sql.Context, x *Index, r sql.MySQLRange) (s span, ok bool, err error) {
	if len(r) != len(x.columns) || !x.IsUnique() || x.record != nil && x.record.Prefixes != nil {
		return s, false, nil
	}
	id := primaryID
	if x.record != nil {
		id = x.record.ID
	}
	key := prefix(x.table.def.record.ID, id)
	for i, e := range r {
		lo, below := e.LowerBound.(sql.Below)
		hi, above := e.UpperBound.(sql.Above)
		if !below || !above || !sameKey(lo.Key, hi.Key) {
			return s, false, nil
		}
		b, place, err := x.table.def.columns[x.columns[i]].Bound(ctx, lo.Key)
		if err != nil || place != codec.At {
			return s, false, err
		}
		key = append(key, b...)
	}
	return span{lower: key, point: key, exact: true}, true, nil
}

// sameKey tells whether two bounds are the same value. It is false for values of types that it does
// not know.
func sameKey(a, b any) bool {
	switch a := a.(type) {
	case int8, int16, int32, int64, uint8, uint16, uint32, uint64, string:
		return a == b
	}
	return false
}

// find returns the spans of a lookup, in the order of the index and without overlaps.
func (r *rows) find(ctx *sql.Context, l sql.IndexLookup) error {
	x, ok := l.Index.(*Index)
	if !ok {
		return fmt.Errorf("index %s is a %T", l.Index.ID(), l.Index)
	}
	if x.table.def != r.table.def {
		if x = r.table.named(x.ID()); x == nil {
			return errChanged
		}
	}
	r.reverse = l.IsReverse
	ranges, ok := l.Ranges.(sql.MySQLRangeCollection)
	if !ok {
		return fmt.Errorf("ranges of type %T", l.Ranges)
	}
	if x.IsSpatial() {
		return r.findBox(x, ranges)
	}
	r.index = x.record
	if len(ranges) == 1 {
		s, ok, err := newPoint(ctx, x, ranges[0])
		if err != nil {
			return err
		}
		if ok {
			r.spans = append(r.room[:0], s)
			return nil
		}
	}
	for _, e := range ranges {
		s, some, err := newSpan(ctx, x, e)
		if err != nil {
			return err
		}
		if some {
			r.spans = append(r.spans, s)
		}
	}
	if len(r.spans) < 2 {
		return nil
	}
	slices.SortStableFunc(r.spans, func(a, b span) int { return bytes.Compare(a.lower, b.lower) })
	joined := r.spans[:1]
	for _, s := range r.spans[1:] {
		last := &joined[len(joined)-1]
		if bytes.Compare(s.lower, last.upper) >= 0 {
			joined = append(joined, s)
			continue
		}
		last.any = append(last.any, s.any...)
		last.exact = last.exact && s.exact
		last.point = nil
		if bytes.Compare(s.upper, last.upper) > 0 {
			last.upper = s.upper
		}
	}
	r.spans = joined
	if r.reverse {
		slices.Reverse(r.spans)
	}
	return nil
}
