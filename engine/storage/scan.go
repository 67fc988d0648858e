package storage

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
	"pfsd/engine/storage/codec"
	"pfsd/engine/storage/record"
	"pfsd/engine/txkv"
)

// reading says in which state rows are read.
type reading uint8

const (
	consistent reading = iota // as of the transaction's snapshot
	newest                    // as they are now
	locking                   // rows are locked, and then read as they are now
)

// rows is an iterator over the rows whose keys are in the spans. Owned by one goroutine.
type rows struct {
	table   *Table
	index   *record.Index // nil for the primary key
	spans   []span
	room    [1]span // memory for spans that has room for one
	reverse bool
	box     *box
	view    *partition // says which of the transaction's own writes are seen; nil for all

	t          *Transaction // nil before the first row
	generation int
	reads      reader
	how        reading
	mode       txkv.LockMode
	noWait     bool
	skip       bool         // whether rows that others have locked are skipped
	ctx        *sql.Context // the context of the last call of Next
	kept       []sql.Row    // the rows that remained when the transaction ended
	hold       *budget.Hold // the memory charge for kept
	keptErr    error
	ended      bool // kept has all remaining rows
	current    span
	ahead      []byte // the next row that another transaction has inserted and not committed; nil if there is none
	it         *txkv.Iterator
	key        []byte
	entryKey   []byte
	reuse      bool     // each row may use the memory of the row before
	again      sql.Row  // that memory
	texts      []string // memory for the texts of again
	cover      *cover   // makes rows of the index alone; nil if it does not have all that is read
}

var (
	_ sql.RowIter   = (*rows)(nil)
	_ charge.Reuser = (*rows)(nil)
)

// reader is implemented by a transaction and by a view of it.
type reader interface {
	Get(key []byte) ([]byte, error)
	GetNewest(key []byte) ([]byte, error)
	Scan(lo, hi []byte, reverse bool) (*txkv.Iterator, error)
	ScanNewest(lo, hi []byte, reverse bool) (*txkv.Iterator, error)
}

// lookedUp is an iterator over the rows that a lookup finds. Owned by one goroutine.
type lookedUp struct {
	rows
	lookup sql.IndexLookup
	seen   partition
	began  bool // the spans have been found
	steps  uint
}

// endPace is the number of rows after which the iterator checks again whether the statement has
// been killed.
const endPace = 16

// Next implements sql.RowIter. It finds the spans at the first row.
func (r *lookedUp) Next(ctx *sql.Context) (sql.Row, error) {
	if r.steps%endPace == 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	r.steps++
	if !r.began {
		r.table = r.table.now()
		if r.seen.view.generation == r.seen.t.generation {
			r.view = &r.seen
		}
		if err := r.find(ctx, r.lookup); err != nil {
			return nil, err
		}
		r.began = true
	}
	return r.rows.Next(ctx)
}

// start finds out how the rows are read. It runs at the first row, because the statement may decide
// that after it has made the iterator.
func (r *rows) start(ctx *sql.Context) error {
	def := r.table.def
	r.t = transactionOf(ctx, r.table.db.p)
	t := r.t
	lock, read := ReadLock{}, false
	if t.reads != nil {
		lock, read = t.reads(r.table.db.name, def.name())
	}
	switch {
	case def.temporary():
		r.how = newest
	case r.table.access != nil:
		r.how, r.mode = locking, r.table.access.mode
	case t.updates(def.record.ID):
		r.how, r.mode = locking, txkv.Exclusive
	case read:
		r.how, r.mode, r.noWait, r.skip = locking, txkv.Exclusive, lock.NoWait, lock.SkipLocked
		if lock.Shared {
			r.mode = txkv.Shared
		}
	case t.options.Isolation == txkv.Serializable && (len(t.edits) > 0 || !single(ctx)): // only a query alone is serializable without locks
		r.how, r.mode = locking, txkv.Shared
	}
	t.begin()
	r.generation = t.generation
	if r.table.access != nil || r.view == nil || r.view.t != t || r.view.view.generation != t.generation {
		r.reads = t.txn
	} else {
		r.reads = t.txn.At(r.view.view.inner)
	}
	if def.state.retired.Load() {
		return errChanged
	}
	r.cover = r.covering()
	if r.how == consistent && t.options.Isolation >= txkv.RepeatableRead {
		if !t.snapshot {
			t.since, t.snapshot = r.table.db.p.version.Load(), true
		}
		if def.since > t.since {
			return errChanged // the snapshot has no rows of the table
		}
	}
	return nil
}

// Next implements sql.RowIter.
func (r *rows) Next(ctx *sql.Context) (sql.Row, error) {
	if r.t == nil {
		if err := r.start(ctx); err != nil {
			return nil, err
		}
	}
	if r.ended {
		return r.nextKept()
	}
	if r.t.txn == nil || r.t.generation != r.generation {
		return nil, errChanged // the transaction has ended while the statement runs
	}
	r.ctx = ctx
	row, err := r.next(ctx)
	if err == nil && r.table.access == nil {
		r.t.rows.read++
	}
	return row, err
}

// next does the same as Next while the transaction lasts.
func (r *rows) next(ctx *sql.Context) (sql.Row, error) {
	for {
		if r.it == nil {
			if len(r.spans) == 0 {
				return nil, io.EOF
			}
			r.current, r.spans = r.spans[0], r.spans[1:]
			if r.current.point != nil {
				row, err := r.point(ctx)
				if row != nil || err != nil {
					return row, err
				}
				continue
			}
			if err := r.scan(); err != nil {
				return nil, err
			}
		}
		if !r.it.Next() {
			err := r.it.Err()
			if err == nil && r.ahead != nil {
				if _, err := r.meet(ctx, nil); err != nil {
					return nil, err
				}
				continue
			}
			if err = errors.Join(err, r.close()); err != nil {
				return nil, failure(err)
			}
			continue
		}
		if r.ahead != nil {
			if waited, err := r.meet(ctx, r.it.Key()); err != nil {
				return nil, err
			} else if waited {
				continue
			}
		}
		row, err := r.entry(ctx, r.it.Key(), r.it.Value())
		if row != nil || err != nil {
			return row, err
		}
	}
}

// scan begins to read the present span.
func (r *rows) scan() (err error) {
	s := &r.current
	switch r.how {
	case consistent:
		r.it, err = r.reads.Scan(s.lower, s.upper, r.reverse)
	case newest:
		r.it, err = r.reads.ScanNewest(s.lower, s.upper, r.reverse)
	case locking:
		err = r.scanLocked()
	}
	if err != nil {
		return failure(err)
	}
	r.t.open = append(r.t.open, r)
	return nil
}

// get reads the value of a key in the state that the statement reads.
func (r *rows) get(key []byte) ([]byte, error) {
	if r.how == consistent {
		return r.reads.Get(key)
	}
	return r.reads.GetNewest(key)
}

// point reads the row of a key, or of an entry of a unique index; it returns nil if there is none.
func (r *rows) point(ctx *sql.Context) (sql.Row, error) {
	key := r.current.point
	if r.index == nil {
		return r.row(ctx, key, nil, nil)
	}
	if r.how == locking {
		entry, err := r.lockEntry(ctx, key)
		if err != nil || entry == nil {
			return nil, err
		}
		return r.entryRow(ctx, key, entry)
	}
	entry, err := r.get(key)
	if err != nil || entry == nil {
		return nil, failure(err)
	}
	return r.entry(ctx, key, entry)
}

// entry reads the row of a key that the scan has found with this value. It returns nil if the row
// is not to be returned.
func (r *rows) entry(ctx *sql.Context, key, value []byte) (sql.Row, error) {
	if r.index == nil {
		if r.how != locking {
			return r.row(ctx, key, value, nil)
		}
		r.key = append(r.key[:0], key...)
		value, err := r.lockRow(ctx, r.key, value)
		if value == nil || err != nil {
			return nil, err
		}
		return r.row(ctx, r.key, value, nil)
	}
	if r.how == consistent && r.current.exact && r.box == nil && r.table.width() == 0 {
		return sql.Row{}, nil // nobody reads its values
	}
	if r.how == locking && r.index.Unique {
		r.entryKey = append(r.entryKey[:0], key...)
		key = r.entryKey
		var err error
		if value, err = r.lockEntry(ctx, key); value == nil || err != nil {
			return nil, err
		}
	}
	return r.entryRow(ctx, key, value)
}

// entryRow reads the row that an index entry leads to.
func (r *rows) entryRow(ctx *sql.Context, key, value []byte) (sql.Row, error) {
	def := r.table.def
	if r.cover != nil && r.current.exact {
		row := r.again
		if row == nil || !r.reuse {
			row = make(sql.Row, r.table.width())
		}
		if r.reuse {
			r.again = row
		}
		return row, failure(r.cover.row(row, def.columns, key, value))
	}
	r.key = append(appendPrefix(r.key[:0], def.record.ID, primaryID), value...)
	return r.row(ctx, r.key, nil, key)
}

// row reads the row of a key. value is the key's value, nil if it is not known. entry is the index
// entry that led to the row: a row that has another entry now is not returned.
func (r *rows) row(ctx *sql.Context, key, value, entry []byte) (sql.Row, error) {
	var err error
	if value == nil {
		switch {
		case r.how == locking:
			value, err = r.lockRow(ctx, key, nil)
		default:
			value, err = r.get(key)
			if r.how == consistent && r.t.options.Isolation != txkv.ReadUncommitted {
				entry = nil // the entry and the row are read in the same state
			}
		}
		if err != nil || value == nil {
			return nil, err
		}
	}
	def := r.table.def
	if !r.current.exact && r.current.any != nil || entry != nil || r.box != nil {
		row, err := codec.ReadRow(value, def.columns, nil, len(def.columns))
		if err != nil {
			return nil, failure(err)
		}
		fits, err := r.fits(ctx, row, key, entry)
		if err != nil || !fits {
			return nil, err
		}
		if r.table.places == nil {
			return row, nil
		}
		part := make(sql.Row, r.table.width())
		for i, place := range r.table.places {
			if place >= 0 {
				part[place] = row[i]
			}
		}
		return part, nil
	}
	if !r.reuse {
		row, err := codec.ReadRow(value, def.columns, r.table.places, r.table.width())
		return row, failure(err)
	}
	if r.texts == nil {
		r.again, r.texts = make(sql.Row, r.table.width()), make([]string, r.table.width())
	}
	return r.again, failure(codec.ReadRowInto(r.again, r.texts, value, def.columns, r.table.places))
}

// ReuseRows implements charge.Reuser.
func (r *rows) ReuseRows() { r.reuse = true }

func (r *rows) wait() time.Duration {
	if r.noWait || r.skip {
		return txkv.NoWait
	}
	return r.t.wait
}

// lockRow locks a row and reads it. It returns nil if there is none, or if SKIP LOCKED skips it.
// shown is the value at the scan's present key, nil if the row has another key.
func (r *rows) lockRow(ctx *sql.Context, key, shown []byte) ([]byte, error) {
	fresh, err := r.t.txn.Lock(ctx, key, r.mode, r.wait())
	if err != nil {
		if r.skip && errors.Is(err, txkv.ErrLocked) {
			return nil, nil
		}
		return nil, r.t.failed(err)
	}
	value := shown
	if shown == nil || !r.it.Newest() || r.t.txn.HasWritten(key) {
		value, err = r.reads.GetNewest(key)
	}
	switch {
	case value == nil && err == nil:
		err = r.absent(key, fresh)
	case value != nil && r.mode == txkv.Exclusive:
		r.t.see(key, value)
	}
	return value, failure(err)
}

// fits tells whether a row is in one of the ranges of the span, and has the entry that led to it.
func (r *rows) fits(ctx *sql.Context, row sql.Row, key, entry []byte) (bool, error) {
	def := r.table.def
	if entry != nil {
		now, _, err := def.appendEntry(ctx, nil, r.index, row, key[prefixSize:])
		if err != nil || !bytes.Equal(now, entry) {
			return false, err
		}
	}
	if r.box != nil && !r.box.touches(ctx, row) {
		return false, nil
	}
	if r.current.exact || r.current.any == nil {
		return true, nil
	}
	for _, intervals := range r.current.any {
		inside := true
		for i := range intervals {
			v := &intervals[i]
			k, err := def.columns[v.column].AppendKey(ctx, nil, row[v.column])
			if err != nil {
				return false, err
			}
			if inside = v.Has(k); !inside {
				break
			}
		}
		if inside {
			return true, nil
		}
	}
	return false, nil
}

// nextKept does the same as Next for rows that were kept.
func (r *rows) nextKept() (sql.Row, error) {
	if len(r.kept) == 0 {
		if r.keptErr != nil {
			return nil, r.keptErr
		}
		return nil, io.EOF
	}
	row := r.kept[0]
	r.kept = r.kept[1:]
	r.hold.Discharge(charge.RowSize(row))
	return row, nil
}

// keep reads the remaining rows into memory, because the transaction ends before the iterator does.
// That happens with a cursor of a procedure when another statement commits.
func (r *rows) keep() {
	if r.how == locking {
		_ = r.close()
		return
	}
	r.hold, r.reuse = charge.HoldOf(r.ctx, charge.Cached), false
	for {
		row, err := r.next(r.ctx)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = r.hold.Charge(charge.RowSize(row))
		}
		if err != nil {
			r.keptErr = err
			break
		}
		r.kept = append(r.kept, row)
	}
	r.ended = true
	_ = r.close()
}

// close closes the iterator.
func (r *rows) close() error {
	if r.it == nil {
		return nil
	}
	it := r.it
	r.it = nil
	r.t.open = slices.DeleteFunc(r.t.open, func(o *rows) bool { return o == r })
	return it.Close()
}

// Close implements sql.RowIter.
func (r *rows) Close(*sql.Context) error {
	r.spans = nil
	return failure(r.close())
}
