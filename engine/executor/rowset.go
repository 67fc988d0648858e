package executor

import (
	"encoding/binary"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
)

// rowSet is a set of rows. Rows are compared by the types of their columns: texts by their
// collation, and NULL equals NULL. Owned by one goroutine.
type rowSet struct {
	schema sql.Schema
	hash   func(*sql.Context, sql.Schema, sql.Row) (uint64, error)
	rows   []sql.Row
	hashes []uint64 // of the rows
	// table is the hash table. The place of a row follows from its hash; if it is taken, the row is
	// in one of the next places. An entry is the row's position plus 1; 0 is a free place. The
	// length is a power of two.
	table []int32
	hold  *budget.Hold
	// copies copies rows whose memory is used again; it is nil if the values' memory is not used
	// again.
	copies *charge.RowCopies
	sizes  charge.RowSizes
	// exact has the positions of rows by the bytes of their values. For a row with the same bytes
	// as an earlier one, it saves the hash by collation. It is nil until some rows have repeated.
	exact map[string]int
	again int    // how many repeated rows were found by hash and comparison
	bytes []byte // scratch space for a key of exact
}

// exactAfter is the number of repeated rows after which exact is used.
const exactAfter = 8

// maxExact is the largest number of keys in exact.
const maxExact = 1 << 14

// rowEntry is about how many bytes a row of a set takes in hashes, table and rows, without the row.
const rowEntry = 56

// newRowSet returns an empty set. Its rows are charged to hold.
func newRowSet(schema sql.Schema, hold *budget.Hold) *rowSet {
	return &rowSet{schema: schema, hash: hashRow, hold: hold}
}

// find returns the position of row, and whether the set had it. If not, the row is added as the
// last one. Columns of the queries around, which stand before those of the schema, do not count, and are not added.
func (s *rowSet) find(ctx *sql.Context, row sql.Row) (i int, known bool, err error) {
	row = row[max(0, len(row)-len(s.schema)):]
	if s.again < exactAfter {
		if i, known, err = s.findEqual(ctx, row); known {
			s.again++
		}
		return i, known, err
	}
	if s.exact == nil {
		s.exact = map[string]int{}
	}
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

// findEqual does the same as find, by hash and comparison.
func (s *rowSet) findEqual(ctx *sql.Context, row sql.Row) (i int, known bool, err error) {
	h, err := s.hash(ctx, s.schema, row)
	if err != nil {
		return 0, false, err
	}
	if len(s.rows) >= len(s.table)*3/4 {
		s.grow()
	}
	at := s.place(h)
	for ; s.table[at] != 0; at = (at + 1) % len(s.table) {
		j := int(s.table[at] - 1)
		if s.hashes[j] != h {
			continue
		}
		same, err := s.same(ctx, s.rows[j], row)
		if err != nil || same {
			return j, true, err
		}
	}
	if s.copies != nil {
		row = s.copies.Copy(row)
	} else {
		row = row.Copy()
	}
	if err := s.hold.Charge(s.sizes.Add(row) + rowEntry); err != nil {
		return 0, false, err
	}
	i = len(s.rows)
	s.table[at] = int32(i + 1)
	s.hashes = append(s.hashes, h)
	s.rows = append(s.rows, row)
	return i, false, nil
}

// place returns the place of a hash in the table if it is free.
func (s *rowSet) place(h uint64) int { return int(h>>32^h) & (len(s.table) - 1) }

// grow makes the table larger.
func (s *rowSet) grow() {
	s.table = make([]int32, max(2*len(s.table), 16))
	for i, h := range s.hashes {
		at := s.place(h)
		for s.table[at] != 0 {
			at = (at + 1) % len(s.table)
		}
		s.table[at] = int32(i + 1)
	}
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
