package compat

import (
	"encoding/binary"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/hash"
)

// rowSet is a set of rows, told apart in the eyes of their types: texts by their collation, NULL
// is the same as NULL. Owned by one goroutine.
type rowSet struct {
	schema sql.Schema
	hash   func(*sql.Context, sql.Schema, sql.Row) (uint64, error)
	rows   []sql.Row
	byHash map[uint64][]int
	// exact leads from the values of a row, as they are, to its position: most rows have
	// values that an earlier one had, and need not be hashed by their collation again.
	exact map[string]int
	bytes []byte // scratch space for a key of exact
}

// maxExact is how many different keys exact holds at the most.
const maxExact = 1 << 14

func newRowSet(schema sql.Schema) *rowSet {
	return &rowSet{schema: schema, hash: hash.HashOf, byHash: map[uint64][]int{}, exact: map[string]int{}}
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
		s.exact[string(bytes)] = i
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
	for _, i := range s.byHash[h] {
		same, err := s.same(ctx, s.rows[i], row)
		if err != nil || same {
			return i, true, err
		}
	}
	i = len(s.rows)
	s.byHash[h] = append(s.byHash[h], i)
	s.rows = append(s.rows, row.Copy())
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
