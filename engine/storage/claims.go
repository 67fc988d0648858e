package storage

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/mysqlerr"
	"pfsd/engine/txkv"
)

// vacant locks the key of a new row. It returns an error if there is a row with this key.
func (e *editor) vacant(ctx *sql.Context, key []byte, row sql.Row) error {
	free, err := e.claim(ctx, key)
	if free || err != nil {
		return err
	}
	existing, err := e.read(key)
	if err == nil && existing != nil {
		return e.table.def.duplicate(e.table.def.record.PrimaryKey, primaryName, row, existing)
	}
	return err
}

// claim locks the key of a new row, or of an entry of a unique index, and tells whether it is free. If it is not, the
// lock keeps others from taking it away, and does not keep them from finding the same, unless the statement is going to
// change the row that has the key.
func (e *editor) claim(ctx *sql.Context, key []byte) (free bool, err error) {
	t := e.t
	if t.lost != nil {
		return false, t.lost
	}
	there := func() (bool, error) {
		if t.seenRow(key) != nil {
			return true, nil
		}
		value, err := t.txn.GetNewest(key)
		return value != nil, failure(err)
	}
	if e.table.def.temporary() {
		taken, err := there()
		return !taken, err
	}
	if e.changesTaken() {
		if err := e.lock(ctx, key, txkv.Insert); err != nil {
			return false, err
		}
		taken, err := there()
		return !taken, err
	}
	fresh, err := t.txn.Lock(ctx, key, txkv.Insert, txkv.NoWait)
	if errors.Is(err, txkv.ErrLocked) {
		if fresh, err = t.txn.Lock(ctx, key, txkv.Shared, t.wait); err != nil {
			return false, t.failed(err)
		}
		if taken, err := there(); taken || err != nil {
			return false, err
		}
		if fresh {
			t.txn.Unlock(key)
		}
		fresh, err = t.txn.Lock(ctx, key, txkv.Insert, t.wait)
	}
	if err != nil {
		return false, t.failed(err)
	}
	taken, err := there()
	if taken && fresh && err == nil {
		t.txn.Weaken(key)
	}
	return !taken, err
}

// changesTaken tells whether the statement changes or deletes a row that has a key of a new one: REPLACE and
// ON DUPLICATE KEY UPDATE.
func (e *editor) changesTaken() bool {
	return e.inserts && (e.replaces || e.t.updates(e.table.def.record.ID))
}

// taken returns the row that has a value of a unique index. The index entry is locked, so that the row keeps the value. The
// row is locked, too, if the statement is going to update or delete it.
func (e *editor) taken(ctx *sql.Context, key []byte) (sql.Row, error) {
	if e.changesTaken() {
		if err := e.lock(ctx, key, txkv.Exclusive); err != nil {
			return nil, err
		}
	}
	return e.read(key)
}

// duplicate returns the error for a row whose key another row has.
func (d *definition) duplicate(columns []int, name string, row, existing sql.Row) error {
	ctx := sql.NewEmptyContext()
	values := make([]string, len(columns))
	for i, c := range columns {
		values[i] = "NULL"
		if v, err := d.schema.Schema[c].Type.SQL(ctx, nil, row[c]); err == nil && !v.IsNull() {
			values[i] = v.ToString()
		}
	}
	said := fmt.Sprintf("%s%s' for key '%s.%s'", mysqlerr.DuplicateEntry, strings.Join(values, "-"), d.name(), name)
	return sql.NewUniqueKeyErr(said, name == primaryName, existing)
}

// childMode is how rows are locked that refer to a row which the statement deletes or updates: they need not change
// where the foreign keys of their table only refuse that.
func (e *editor) childMode() txkv.LockMode {
	if e.acted() {
		return txkv.Exclusive
	}
	return txkv.Shared
}

// acted tells whether rows of the table may change because others do that they refer to.
func (e *editor) acted() bool {
	if !e.knowsChildren {
		keys, err := e.table.GetDeclaredForeignKeys(nil)
		e.knowsChildren = true
		e.children = err != nil || slices.ContainsFunc(keys, func(k sql.ForeignKeyConstraint) bool {
			return !k.OnDelete.IsEquivalentToRestrict() || !k.OnUpdate.IsEquivalentToRestrict()
		})
	}
	return e.children
}
