package storage

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/fulltext"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/storage/codec"
	"pfsd/engine/storage/record"
	"pfsd/engine/txkv"
)

// ShouldRewriteTable implements sql.RewritableTable: the table is rewritten for a change that
// AddColumn and ModifyColumn cannot make.
func (t *Table) ShouldRewriteTable(ctx *sql.Context, old, changed sql.PrimaryKeySchema, oldColumn, newColumn *sql.Column) bool {
	if newColumn == nil || len(old.PkOrdinals) != len(changed.PkOrdinals) || newColumn.Generated != nil || newColumn.AutoIncrement {
		return true
	}
	place := changed.Schema.IndexOfColName(newColumn.Name)
	if oldColumn == nil {
		last := len(changed.Schema) == len(old.Schema)+1 && place == len(old.Schema)
		return !last || t.def.keyless() || !newColumn.Nullable || newColumn.Default != nil || newColumn.PrimaryKey
	}
	was, err1 := record.NewColumn(ctx, oldColumn)
	is, err2 := record.NewColumn(ctx, newColumn)
	same := err1 == nil && err2 == nil && was.Type == is.Type && was.Collation == is.Collation && slices.Equal(was.Values, is.Values)
	return !same || oldColumn.Generated != nil || oldColumn.AutoIncrement || place != old.Schema.IndexOfColName(oldColumn.Name) || oldColumn.Nullable && !newColumn.Nullable
}

// rewriter fills a new copy of a table. The copy has another number, and replaces the table when it
// is complete. Meanwhile no other transaction may write to the table. Owned by one goroutine.
type rewriter struct {
	table *Table // the table before the change
	tx    *Transaction
	def   *definition
	bulk  *txkv.Bulk
	rows  int64
	auto  uint64 // the largest AUTO_INCREMENT value
	done  bool
}

var _ sql.RowInserter = (*rewriter)(nil)

// RewriteInserter implements sql.RewritableTable.
func (t *Table) RewriteInserter(ctx *sql.Context, old, changed sql.PrimaryKeySchema, oldColumn, newColumn *sql.Column, keys []sql.IndexColumn) (sql.RowInserter, error) {
	if len(old.PkOrdinals) > 0 && len(changed.PkOrdinals) == 0 {
		if err := sql.ValidatePrimaryKeyDrop(ctx, t, old); err != nil {
			return nil, err
		}
	}
	for _, k := range keys {
		i := changed.Schema.IndexOfColName(k.Name)
		if i < 0 {
			return nil, sql.ErrColumnNotFound.New(k.Name)
		}
		if c := changed.Schema[i]; c.PrimaryKey && k.Length > 0 && types.IsText(c.Type) {
			return nil, sql.ErrUnsupportedIndexPrefix.New(c.Name)
		}
	}
	t = t.now()
	tx := transactionOf(ctx, t.db.p)
	if err := commitOf(ctx); err != nil {
		return nil, err
	}
	def, err := t.rewritten(ctx, changed, oldColumn, newColumn)
	if err != nil {
		return nil, err
	}
	if err := t.freeze(tx); err != nil {
		return nil, err
	}
	r := &rewriter{table: t, tx: tx, def: def, bulk: t.db.p.store.NewBulk()}
	tx.rebuilt = append(tx.rebuilt, r)
	return r, nil
}

// rewritten returns the definition of the table with another schema and another number.
func (t *Table) rewritten(ctx *sql.Context, changed sql.PrimaryKeySchema, oldColumn, newColumn *sql.Column) (*definition, error) {
	p := t.db.p
	p.mu.Lock()
	id, err := p.newID()
	p.mu.Unlock()
	if err != nil {
		return nil, err
	}
	was := t.def.record
	r, err := record.NewTable(ctx, was.Name, id, changed, t.def.collation(), was.Comment)
	if err != nil {
		return nil, err
	}
	r.Checks, r.NextIndex, r.Created = was.Checks, was.NextIndex, was.Created
	for _, x := range was.Indexes {
		columns, prefixes := x.Columns, x.Prefixes
		x.Columns, x.Prefixes = nil, nil
		prefixed := false
		for i, c := range columns {
			name := was.Columns[c].Name
			if oldColumn != nil && newColumn != nil && strings.EqualFold(name, oldColumn.Name) {
				name = newColumn.Name
			}
			at := r.FindColumn(name)
			if at < 0 {
				continue
			}
			x.Columns = append(x.Columns, at)
			length := uint16(0)
			if prefixes != nil {
				length = prefixes[i]
			}
			x.Prefixes = append(x.Prefixes, length)
			prefixed = prefixed || length > 0
		}
		if !prefixed {
			x.Prefixes = nil
		}
		if len(x.Columns) > 0 {
			r.Indexes = append(r.Indexes, x)
		}
	}
	return newDefinition(t.db.name, r, &tableState{id: id, next: 1, temporary: t.db.temporary})
}

// StatementBegin implements sql.EditOpenerCloser.
func (r *rewriter) StatementBegin(*sql.Context) {}

// StatementComplete implements sql.EditOpenerCloser.
func (r *rewriter) StatementComplete(*sql.Context) error { return nil }

// DiscardChanges implements sql.EditOpenerCloser: the table stays as it is.
func (r *rewriter) DiscardChanges(*sql.Context, error) error {
	r.abandon()
	return nil
}

// abandon drops the copy. It does nothing if abandon or Close has been called before.
func (r *rewriter) abandon() {
	if r.done {
		return
	}
	r.done = true
	r.tx.rebuilt = slices.DeleteFunc(r.tx.rebuilt, func(o *rewriter) bool { return o == r })
	r.bulk.Discard()
	r.table.thaw(r.tx)
}

// Insert implements sql.RowInserter.
func (r *rewriter) Insert(ctx *sql.Context, row sql.Row) error {
	err := r.insert(ctx, row)
	var twice *txkv.DuplicateError
	if errors.As(err, &twice) {
		return r.duplicate(ctx, twice.Key)
	}
	return err
}

func (r *rewriter) insert(ctx *sql.Context, row sql.Row) error {
	d := r.def
	var err error
	r.rows++
	key := d.prefix()
	if d.keyless() {
		key = binary.BigEndian.AppendUint64(key, uint64(r.rows))
		content, _, err := d.appendContent(ctx, nil, row)
		if err != nil {
			return err
		}
		if err := r.bulk.Put(append(content, key[prefixSize:]...), nil); err != nil {
			return failure(err)
		}
	} else if key, err = d.appendRowKey(ctx, key, row); err != nil {
		return err
	}
	value, err := codec.AppendRow(ctx, nil, d.columns, row, nil)
	if err != nil {
		return err
	}
	if err := r.bulk.Put(key, value); err != nil {
		return failure(err)
	}
	for _, x := range d.indexes {
		entry, _, err := d.appendEntry(ctx, nil, x, row, key[prefixSize:])
		if err != nil {
			return err
		}
		if err := r.bulk.Put(entry, key[prefixSize:]); err != nil {
			return failure(err)
		}
	}
	if d.auto >= 0 && row[d.auto] != nil {
		if v, in, err := types.Uint64.Convert(ctx, row[d.auto]); err == nil && in == sql.InRange && v != nil {
			r.auto = max(r.auto, v.(uint64))
		}
	}
	return nil
}

// Close implements sql.Closer: the copy replaces the table, unless the changes have been discarded.
func (r *rewriter) Close(ctx *sql.Context) error {
	if r.done {
		return nil
	}
	defer r.abandon()
	if err := r.bulk.Commit(ctx); err != nil {
		var twice *txkv.DuplicateError
		if errors.As(err, &twice) {
			return r.duplicate(ctx, twice.Key)
		}
		return failure(err)
	}
	t := r.table
	s := r.def.state
	s.rows.Store(r.rows)
	s.savedRows.Store(r.rows)
	if r.def.auto >= 0 {
		s.mu.Lock()
		s.next = r.auto + 1
		if t.def.auto >= 0 {
			t.def.state.mu.Lock()
			s.next = max(s.next, t.def.state.next)
			t.def.state.mu.Unlock()
		}
		err := s.reserve(t.db.p.store)
		s.mu.Unlock()
		if err != nil {
			return err
		}
	}
	err := t.db.put(ctx, func() (*definition, error) {
		now := t.db.tables[strings.ToLower(t.def.name())]
		if now == nil || now.record.ID != t.def.record.ID {
			return nil, errChanged
		}
		return r.def, nil
	}, func(tx *txkv.Txn) (func(), error) {
		if !t.db.temporary {
			if err := putCounter(tx, s.id, counterRows, uint64(r.rows)); err != nil {
				return nil, err
			}
		}
		return func() { t.def.state.retired.Store(true) }, t.db.p.removeRows(tx, t.def.record.ID)
	})
	if err != nil || !r.def.fulltext {
		return err
	}
	return fulltext.RebuildTables(ctx, &Table{db: t.db, def: r.def}, t.db)
}

// duplicate returns the error for a key that two rows have.
func (r *rewriter) duplicate(ctx *sql.Context, key []byte) error {
	d := r.def
	columns, name := d.record.PrimaryKey, primaryName
	var index *record.Index
	for _, x := range d.indexes {
		if x.ID == indexOf(key) {
			index, columns, name = x, x.Columns, x.Name
		}
	}
	// Columns of the new row that the table had before are found by their names.
	was := r.table.def.record
	err := r.table.committed(ctx, func(_ []byte, old sql.Row) error {
		row := make(sql.Row, len(d.columns))
		for _, c := range columns {
			at := was.FindColumn(d.record.Columns[c].Name)
			if at < 0 {
				return nil
			}
			v, _, err := d.columns[c].Type().Convert(ctx, old[at])
			if err != nil {
				return nil
			}
			row[c] = v
		}
		var own []byte
		var err error
		if index == nil {
			own, err = d.appendRowKey(ctx, d.prefix(), row)
		} else {
			own, _, err = d.appendEntry(ctx, nil, index, row, nil)
		}
		if err == nil && string(own) == string(key) {
			return d.duplicate(columns, name, row, row)
		}
		return nil
	})
	if err == nil {
		err = sql.NewUniqueKeyErr("[]", index == nil, nil)
	}
	return err
}
