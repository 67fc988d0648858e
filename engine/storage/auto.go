package storage

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/storage/codec"
)

// PeekNextAutoIncrementValue implements sql.AutoIncrementGetter.
func (t *Table) PeekNextAutoIncrementValue(*sql.Context) (uint64, error) {
	t = t.now()
	if t.def.auto < 0 {
		return 0, nil
	}
	s := t.def.state
	s.mu.Lock()
	defer s.mu.Unlock()
	return min(s.next, t.def.lastAuto()), nil
}

// GetNextAutoIncrementValue implements sql.AutoIncrementTable: it returns the next value and uses it up. After the
// largest value of the column it returns that value again.
func (t *Table) GetNextAutoIncrementValue(ctx *sql.Context, given any) (uint64, error) {
	value := uint64(0)
	if given != nil {
		v, in, err := types.Uint64.Convert(ctx, given)
		if err != nil {
			return 0, err
		}
		if v, ok := v.(uint64); ok && in == sql.InRange {
			value = v
		}
	}
	if t.def.auto < 0 {
		return value, nil // the column is being added
	}
	last := t.def.lastAuto()
	s := t.def.state
	s.mu.Lock()
	defer s.mu.Unlock()
	if value == 0 {
		value = min(s.next, last)
	}
	if value < s.next || value > last {
		return value, nil
	}
	s.next = max(value+1, value) // after the largest possible value, that value is returned again
	return value, s.reserve(t.db.p.store)
}

// ReserveAutoIncrement uses up as many values as wanted, one after the other, and returns the first of them. There are fewer, but at least one,
// where the column ends; after its largest value there is that value again.
func (t *Table) ReserveAutoIncrement(want uint64) (first, count uint64, err error) {
	last := t.def.lastAuto()
	s := t.def.state
	s.mu.Lock()
	defer s.mu.Unlock()
	first = min(s.next, last)
	count = min(want, last-first+1)
	if count == 0 { // the column has all 64 bits
		count = 1
	}
	s.next = max(first+count, first)
	return first, count, s.reserve(t.db.p.store)
}

// autoSetter sets the AUTO_INCREMENT value.
type autoSetter struct{ table *Table }

// AutoIncrementSetter implements sql.AutoIncrementTable.
func (t *Table) AutoIncrementSetter(*sql.Context) sql.AutoIncrementSetter { return autoSetter{t} }

// SetAutoIncrementValue implements sql.AutoIncrementSetter: the next value is greater than the largest one in the table, whatever the caller says.
func (a autoSetter) SetAutoIncrementValue(ctx *sql.Context, v uint64) error {
	t := a.table.now()
	d := t.def
	if d.auto < 0 {
		return nil
	}
	largest, err := t.largestAuto(ctx)
	if err != nil {
		return err
	}
	s := d.state
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next, s.reserved = max(v, largest+1, largest), 0
	return s.reserve(a.table.db.p.store)
}

// AcquireAutoIncrementLock implements sql.AutoIncrementSetter: values are assigned one by one, as with innodb_autoinc_lock_mode 2.
func (a autoSetter) AcquireAutoIncrementLock(*sql.Context) (func(), error) { return func() {}, nil }

// Close implements sql.Closer.
func (a autoSetter) Close(*sql.Context) error { return nil }

// largestAuto returns the largest value of the AUTO_INCREMENT column, 0 if no value is greater than 0.
func (t *Table) largestAuto(ctx *sql.Context) (uint64, error) {
	d := t.def
	index := primaryID
	found := len(d.record.PrimaryKey) > 0 && d.record.PrimaryKey[0] == d.auto
	for _, x := range d.indexes {
		if !found && x.Columns[0] == d.auto {
			index, found = x.ID, true
		}
	}
	tx := transactionOf(ctx, t.db.p)
	lo := prefix(d.record.ID, index)
	it, err := tx.begin().ScanNewest(lo, codec.After(lo), found)
	if err != nil {
		return 0, failure(err)
	}
	defer it.Close()
	largest := uint64(0)
	places := make([]int, len(d.columns))
	for i := range places {
		places[i] = -1
	}
	places[d.auto] = 0
	for it.Next() {
		value := it.Value()
		if index != primaryID {
			if value, err = tx.txn.GetNewest(append(d.prefix(), value...)); err != nil {
				return 0, failure(err)
			}
		}
		row, err := codec.ReadRow(value, d.columns, places, 1)
		if err != nil {
			return 0, failure(err)
		}
		if v, in, err := types.Uint64.Convert(ctx, row[0]); err == nil && in == sql.InRange && v != nil {
			largest = max(largest, v.(uint64))
		}
		if found {
			break
		}
	}
	return largest, failure(it.Err())
}
