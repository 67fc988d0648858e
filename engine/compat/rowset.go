package compat

import (
	"encoding/binary"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
)

// rowSet is a set of rows. Rows are compared by the types of their columns: texts by their collation, and NULL equals NULL. Owned by one
// goroutine.
type rowSet struct {
	schema sql.Schema
	hash   func(*sql.Context, sql.Schema, sql.Row) (uint64, error)
	rows   []sql.Row
	byHash map[uint64]int32 // the last row with a hash
	before []int32          // for each row, the one before with the same hash; -1 for none
	hold   *budget.Hold
	sizes  charge.RowSizes
	// exact has the positions of rows by the bytes of their values. Most rows have the same bytes as an earlier one, and so need no hash by
	// collation.
	exact map[string]int
	bytes []byte // scratch space for a key of exact
}

// maxExact is the largest number of keys in exact.
const maxExact = 1 << 14

// rowEntry is about how many bytes a row of a set takes in byHash, before and rows, without the row.
const rowEntry = 56

// newRowSet returns an empty set. Its rows are charged to hold.
func newRowSet(schema sql.Schema, hold *budget.Hold) *rowSet {
	return &rowSet{schema: schema, hash: hashRow, byHash: map[uint64]int32{}, exact: map[string]int{}, hold: hold}
}

// find returns the position of row, and whether the set had it. If not, the row is added as the last one.
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

// appendExact appends the values of a row; false if it does not know the type of one of them.
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
