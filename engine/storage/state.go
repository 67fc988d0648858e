package storage

import (
	"encoding/binary"
	"math"
	"sync"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql/types"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"pfsd/engine/txkv"
)

// tableState has the numbers of a table that change while its definition does not. Definitions with
// the same table number share it. Safe for concurrent use.
type tableState struct {
	id        uint32
	temporary bool
	// rows is the number of committed rows. After a crash it is an estimate.
	rows atomic.Int64
	// savedRows is the stored number of rows.
	savedRows atomic.Int64
	// retired says that the table's number is not in use. It is set with Provider.commits held.
	retired atomic.Bool
	// frozenBy is the transaction that rewrites the table: no other one may write to it. Guarded by
	// Provider.commits.
	frozenBy *Transaction

	mu sync.Mutex
	// next is the next AUTO_INCREMENT value. Values below reserved are stored as used. Guarded by
	// mu.
	next, reserved uint64
	// rowID is the last number of a row in a table without a primary key. The first insert reads it. Guarded by mu.
	rowID      uint64
	knowsRowID bool
}

// reserveAhead is how many AUTO_INCREMENT values are stored as used at once. A crash skips up to
// this many values.
const reserveAhead = 1000

// putCounter stores a counter.
func putCounter(t *txkv.Txn, table uint32, counter byte, value uint64) error {
	return t.Put(counterKey(table, counter), binary.AppendUvarint(nil, value))
}

// getCounter reads a counter, 0 if it is not stored.
func getCounter(t *txkv.Txn, table uint32, counter byte) (uint64, error) {
	b, err := t.Get(counterKey(table, counter))
	v, _ := binary.Uvarint(b)
	return v, err
}

// reserve stores AUTO_INCREMENT values as used, up to next and reserveAhead further. The caller
// holds mu.
func (s *tableState) reserve(store *txkv.Store) error {
	if s.next <= s.reserved || s.temporary {
		return nil
	}
	to := s.next + min(reserveAhead, math.MaxUint64-s.next)
	t := store.Begin(txkv.TxnOptions{})
	defer t.Rollback()
	if err := putCounter(t, s.id, counterAuto, to); err != nil {
		return failure(err)
	}
	if err := t.Commit(); err != nil {
		return failure(err)
	}
	s.reserved = to
	return nil
}

// drifted tells whether the number of rows, changed by delta, differs much from the stored number.
func (s *tableState) drifted(delta int64) bool {
	saved := s.savedRows.Load()
	off := s.rows.Load() + delta - saved
	return max(off, -off) > saved/8+100
}

// lastAuto is the largest AUTO_INCREMENT value that a column can have.
func (d *definition) lastAuto() uint64 {
	switch d.schema.Schema[d.auto].Type.Type() {
	case querypb.Type_INT8:
		return math.MaxInt8
	case querypb.Type_UINT8:
		return math.MaxUint8
	case querypb.Type_INT16:
		return math.MaxInt16
	case querypb.Type_UINT16:
		return math.MaxUint16
	case querypb.Type_INT24:
		return 1<<23 - 1
	case querypb.Type_UINT24:
		return 1<<24 - 1
	case querypb.Type_INT32:
		return math.MaxInt32
	case querypb.Type_UINT32:
		return math.MaxUint32
	case querypb.Type_UINT64:
		return math.MaxUint64
	case querypb.Type_FLOAT32:
		return 1 << 24
	case querypb.Type_FLOAT64:
		return 1 << 53
	}
	return math.MaxInt64
}

// rowSize returns an estimate of the size of a row, in bytes.
func (d *definition) rowSize() uint64 {
	n := uint64(0)
	for _, c := range d.schema.Schema {
		switch {
		case types.IsTextBlob(c.Type) || types.IsJSON(c.Type):
			n += 100
		case types.IsText(c.Type):
			n += 24
		default:
			n += 8
		}
	}
	return n
}
