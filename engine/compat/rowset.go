package compat

import (
	"encoding/binary"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
)

// rowSet is a set of rows, told apart in the eyes of their types: texts by their collation, NULL
// is the same as NULL. Owned by one goroutine.
type rowSet struct {
	schema sql.Schema
	hash   func(*sql.Context, sql.Schema, sql.Row) (uint64, error)
	rows   []sql.Row
	byHash map[uint64]int32 // the last row with a hash
	before []int32          // for each row, the one before with the same hash; -1 for none
	hold   *budget.Hold
	sizes  charge.RowSizes
	// exact leads from the values of a row, as they are, to its position: most rows have
	// values that an earlier one had, and need not be hashed by their collation again.
	exact map[string]int
	bytes []byte // scratch space for a key of exact
}

// maxExact is how many different keys exact holds at the most.
const maxExact = 1 << 14

// rowEntry is about what a row of a set takes besides, bytes: its place in byHash, before and rows.
const rowEntry = 56

// newRowSet returns an empty set, whose rows are charged to hold.
func newRowSet(schema sql.Schema, hold *budget.Hold) *rowSet {
	return &rowSet{schema: schema, hash: hashRow, byHash: map[uint64]int32{}, exact: map[string]int{}, hold: hold}
}

// find returns the position of row, and whether it was there; if not it is now, the last one.
func (s *rowSet) find(ctx *sql.Context, row sql.Row) (i int, known bool, err error) {
	bytes, plain := appendExact(s.bytes[:0], row)
	s.bytes = bytes
	if !plain {
		return s.findEqual(ctx, row)
	}
	if i, ok := s.exact[string(bytes)]; ok {
		return i, true, nil
	}
	i, known, err = s.findEqual(ctx, row)
	if err == nil && len(s.exact) < maxExact {
		if err = s.hold.Charge(int64(len(bytes)) + 64); err == nil {
			s.exact[string(bytes)] = i
		}
	}
	return i, known, err
}

// appendExact appends the values of a row to to; false if it does not know their type.
func appendExact(to []byte, row sql.Row) ([]byte, bool) {
	for _, v := range row {
		switch v := v.(type) {
		case nil:
			to = append(to, 0)
		case string:
			to = append(binary.AppendUvarint(append(to, 1), uint64(len(v))), v...)
		case int64:
			to = binary.AppendVarint(append(to, 2), v)
		case int32:
			to = binary.AppendVarint(append(to, 3), int64(v))
		case uint64:
			to = binary.AppendUvarint(append(to, 4), v)
		default:
			return to, false
		}
	}
	return to, true
}

// findEqual is find by hash and comparison.
func (s *rowSet) findEqual(ctx *sql.Context, row sql.Row) (i int, known bool, err error) {
	h, err := s.hash(ctx, s.schema, row)
	if err != nil {
		return 0, false, err
	}
	last, ok := s.byHash[h]
	if !ok {
		last = -1
	}
	for j := last; j >= 0; j = s.before[j] {
		same, err := s.same(ctx, s.rows[j], row)
		if err != nil || same {
			return int(j), true, err
		}
	}
	row = row.Copy()
	if err := s.hold.Charge(s.sizes.Add(row) + rowEntry); err != nil {
		return 0, false, err
	}
	i = len(s.rows)
	s.byHash[h] = int32(i)
	s.before = append(s.before, last)
	s.rows = append(s.rows, row)
	return i, false, nil
}

func (s *rowSet) same(ctx *sql.Context, a, b sql.Row) (bool, error) {
	for i, col := range s.schema {
		if a[i] == nil || b[i] == nil {
			if a[i] != nil || b[i] != nil {
				return false, nil
			}
			continue
		}
		c, err := col.Type.Compare(ctx, a[i], b[i])
		if err != nil || c != 0 {
			return false, err
		}
	}
	return true, nil
}
