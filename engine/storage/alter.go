package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/fulltext"

	"pfsd/engine/storage/codec"
	"pfsd/engine/storage/record"
	"pfsd/engine/txkv"
)

// with changes the record of the table, and keeps the table's rows as they are. besides, which may
// be nil, writes other records in the same change.
func (t *Table) with(ctx *sql.Context, change func(r *record.Table) error, besides func(tx *txkv.Txn) (func(), error)) error {
	return t.db.put(ctx, func() (*definition, error) {
		now := t.db.tables[strings.ToLower(t.def.name())]
		if now == nil {
			return nil, sql.ErrTableNotFound.New(t.def.name())
		}
		r := now.record.Clone()
		if err := change(r); err != nil {
			return nil, err
		}
		def, err := newDefinition(t.db.name, r, now.state)
		if err != nil {
			return nil, err
		}
		def.since = now.since
		return def, nil
	}, besides)
}

// freeze keeps other transactions from committing writes to the table until thaw.
func (t *Table) freeze(tx *Transaction) error {
	if t.def.temporary() {
		return nil
	}
	t.db.p.commits.Lock()
	defer t.db.p.commits.Unlock()
	s := t.def.state
	if s.retired.Load() || s.frozenBy != nil && s.frozenBy != tx {
		return errChanged
	}
	s.frozenBy = tx
	return nil
}

func (t *Table) thaw(tx *Transaction) {
	t.db.p.commits.Lock()
	defer t.db.p.commits.Unlock()
	if s := t.def.state; s.frozenBy == tx {
		s.frozenBy = nil
	}
}

// isEmpty tells whether the table has no rows in the view of the transaction.
func (t *Table) isEmpty(tx *Transaction) (bool, error) {
	lo := t.def.prefix()
	it, err := tx.begin().ScanNewest(lo, codec.After(lo), false)
	if err != nil {
		return false, failure(err)
	}
	found := it.Next()
	return !found, failure(it.Close())
}

// newIndexRecord is the record of an index of the table.
func (t *Table) newIndexRecord(r *record.Table, x sql.IndexDef) (record.Index, error) {
	n := record.Index{Name: x.Name, Unique: x.Constraint == sql.IndexConstraint_Unique, Spatial: x.Constraint == sql.IndexConstraint_Spatial,
		Vector: x.Constraint == sql.IndexConstraint_Vector, Comment: x.Comment, ID: r.NextIndex}
	prefixed := false
	for _, c := range x.Columns {
		i := r.FindColumn(c.Name)
		if i < 0 {
			return n, sql.ErrColumnNotFound.New(c.Name)
		}
		if x.Name == "" {
			n.Name += c.Name + "_"
		}
		n.Columns = append(n.Columns, i)
		n.Prefixes = append(n.Prefixes, uint16(c.Length))
		prefixed = prefixed || c.Length > 0
	}
	if !prefixed {
		n.Prefixes = nil
	}
	if r.FindIndex(n.Name) >= 0 {
		return n, sql.ErrDuplicateKey.New(n.Name)
	}
	return n, nil
}

// CreateIndex implements sql.IndexAlterableTable.
func (t *Table) CreateIndex(ctx *sql.Context, x sql.IndexDef) error {
	t = t.now()
	n, err := t.newIndexRecord(t.def.record, x)
	if err != nil {
		return err
	}
	tx := transactionOf(ctx, t.db.p)
	if !t.def.temporary() {
		if err := commitOf(ctx); err != nil {
			return err
		}
		if err := t.freeze(tx); err != nil {
			return err
		}
		defer t.thaw(tx)
	}
	empty, err := t.isEmpty(tx)
	if err != nil {
		return err
	}
	filled := false
	if !empty && n.Stored() {
		if err := commitOf(ctx); err != nil {
			return err
		}
		if err := t.fill(ctx, &n); err != nil {
			return err
		}
		filled = true
	}
	err = t.addIndex(ctx, n)
	if err != nil && filled {
		return errors.Join(err, t.removeIndex(n.ID))
	}
	if tx := wholeOf(ctx); tx != nil && filled {
		tx.whole.remove = append(tx.whole.remove, func() { _ = t.removeIndex(n.ID) }) // otherwise the next index with this number removes the entries
	}
	return err
}

// addIndex adds an index whose entries are written already to the definition.
func (t *Table) addIndex(ctx *sql.Context, n record.Index) error {
	return t.db.put(ctx, func() (*definition, error) {
		now := t.db.tables[strings.ToLower(t.def.name())]
		if now == nil || now.record.ID != t.def.record.ID || now.record.NextIndex != n.ID {
			return nil, errChanged
		}
		r := now.record.Clone()
		r.Indexes = append(r.Indexes, n)
		r.NextIndex++
		return newDefinition(t.db.name, r, now.state)
	}, nil)
}

// removeIndex removes the entries of an index that no definition has.
func (t *Table) removeIndex(id uint16) error {
	tx := t.db.p.store.Begin(txkv.TxnOptions{})
	defer tx.Rollback()
	lo := prefix(t.def.record.ID, id)
	if err := tx.DeleteRange(lo, codec.After(lo)); err != nil {
		return failure(err)
	}
	return failure(tx.Commit())
}

// fill writes the entries of a new index. The caller has frozen the table.
func (t *Table) fill(ctx *sql.Context, x *record.Index) error {
	for _, c := range x.Columns {
		if !t.def.columns[c].Indexable() {
			return fmt.Errorf("column %s cannot be in a key", t.def.record.Columns[c].Name)
		}
	}
	if err := t.removeIndex(x.ID); err != nil { // entries that a crash has left
		return err
	}
	bulk := t.db.p.store.NewBulk()
	defer bulk.Discard()
	read, _ := ctx.Value(rowsRead{}).(func())
	err := t.committed(ctx, func(primary []byte, row sql.Row) error {
		if read != nil {
			read()
		}
		entry, _, err := t.def.appendEntry(ctx, nil, x, row, primary)
		if err != nil {
			return err
		}
		return bulk.Put(entry, primary)
	})
	if err == nil {
		err = bulk.Commit(ctx)
	}
	var twice *txkv.DuplicateError
	if !errors.As(err, &twice) {
		return failure(err)
	}
	err = t.committed(ctx, func(primary []byte, row sql.Row) error {
		entry, _, err := t.def.appendEntry(ctx, nil, x, row, primary)
		if err == nil && string(entry) == string(twice.Key) {
			return t.def.duplicate(x.Columns, x.Name, row, row)
		}
		return err
	})
	if err == nil {
		err = sql.NewUniqueKeyErr("[]", false, nil)
	}
	return err
}

type rowsRead struct{}

// WithRowsRead returns a context in which making an index calls read for each row that is read.
func WithRowsRead(ctx *sql.Context, read func()) *sql.Context {
	return ctx.WithContext(context.WithValue(ctx.Context, rowsRead{}, read))
}

// committed calls f for each row that is committed, until it returns an error.
func (t *Table) committed(ctx *sql.Context, f func(primary []byte, row sql.Row) error) error {
	tx := t.db.p.store.Begin(txkv.TxnOptions{ReadOnly: true})
	defer tx.Rollback()
	lo := t.def.prefix()
	it, err := tx.ScanNewest(lo, codec.After(lo), false)
	if err != nil {
		return failure(err)
	}
	defer it.Close()
	for n := 0; it.Next(); n++ {
		if n%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row, err := codec.ReadRow(it.Value(), t.def.columns, nil, len(t.def.columns))
		if err != nil {
			return failure(err)
		}
		if err := f(slices.Clone(it.Key()[prefixSize:]), row); err != nil {
			return err
		}
	}
	return failure(it.Err())
}

// ShouldBuildIndex implements sql.IndexBuildingTable: CreateIndex fills the index.
func (t *Table) ShouldBuildIndex(*sql.Context, sql.IndexDef) (bool, error) { return false, nil }

// BuildIndex implements sql.IndexBuildingTable. It is called for unique indexes, which CreateIndex has filled.
func (t *Table) BuildIndex(*sql.Context, sql.IndexDef) (sql.RowInserter, error) {
	return noInserter{}, nil
}

// noInserter is an inserter with nothing to do.
type noInserter struct{}

// StatementBegin implements sql.EditOpenerCloser.
func (noInserter) StatementBegin(*sql.Context) {}

// DiscardChanges implements sql.EditOpenerCloser.
func (noInserter) DiscardChanges(*sql.Context, error) error { return nil }

// StatementComplete implements sql.EditOpenerCloser.
func (noInserter) StatementComplete(*sql.Context) error { return nil }

// Insert implements sql.RowInserter.
func (noInserter) Insert(*sql.Context, sql.Row) error { return nil }

// Close implements sql.Closer.
func (noInserter) Close(*sql.Context) error { return nil }

// CreateFulltextIndex implements fulltext.IndexAlterableTable.
func (t *Table) CreateFulltextIndex(ctx *sql.Context, x sql.IndexDef, keys fulltext.KeyColumns, names fulltext.IndexTableNames) error {
	t = t.now()
	n, err := t.newIndexRecord(t.def.record, x)
	if err != nil {
		return err
	}
	n.Fulltext = &record.Fulltext{Tables: names, Keys: keys}
	return t.addIndex(ctx, n)
}

// DropIndex implements sql.IndexAlterableTable.
func (t *Table) DropIndex(ctx *sql.Context, name string) error {
	t = t.now()
	i := t.def.record.FindIndex(name)
	if i < 0 {
		return sql.ErrIndexNotFound.New(name)
	}
	id := t.def.record.Indexes[i].ID
	return t.with(ctx, func(r *record.Table) error {
		r.Indexes = slices.DeleteFunc(r.Indexes, func(x record.Index) bool { return x.ID == id })
		return nil
	}, func(tx *txkv.Txn) (func(), error) {
		lo := prefix(t.def.record.ID, id)
		return nil, tx.DeleteRange(lo, codec.After(lo))
	})
}

// RenameIndex implements sql.IndexAlterableTable.
func (t *Table) RenameIndex(ctx *sql.Context, from, to string) error {
	return t.with(ctx, func(r *record.Table) error {
		i := r.FindIndex(from)
		if i < 0 {
			return sql.ErrIndexNotFound.New(from)
		}
		if other := r.FindIndex(to); other >= 0 && other != i {
			return sql.ErrDuplicateKey.New(to)
		}
		r.Indexes[i].Name = to
		return nil
	}, nil)
}

// GetChecks implements sql.CheckTable.
func (t *Table) GetChecks(*sql.Context) ([]sql.CheckDefinition, error) {
	return t.def.record.Checks, nil
}

// CreateCheck implements sql.CheckAlterableTable.
func (t *Table) CreateCheck(ctx *sql.Context, c *sql.CheckDefinition) error {
	return t.with(ctx, func(r *record.Table) error {
		check := *c
		named := func(name string) bool {
			return slices.ContainsFunc(r.Checks, func(o sql.CheckDefinition) bool { return strings.EqualFold(o.Name, name) })
		}
		for i := 1; check.Name == ""; i++ {
			if name := fmt.Sprintf("%s_chk_%d", r.Name, i); !named(name) {
				check.Name = name
			}
		}
		if named(check.Name) {
			return sql.ErrForeignKeyDuplicateName.New(check.Name)
		}
		r.Checks = append(r.Checks, check)
		return nil
	}, nil)
}

// DropCheck implements sql.CheckAlterableTable.
func (t *Table) DropCheck(ctx *sql.Context, name string) error {
	return t.with(ctx, func(r *record.Table) error {
		n := len(r.Checks)
		r.Checks = slices.DeleteFunc(r.Checks, func(c sql.CheckDefinition) bool { return strings.EqualFold(c.Name, name) })
		if len(r.Checks) == n {
			return fmt.Errorf("check '%s' was not found on the table", name)
		}
		return nil
	}, nil)
}

// ModifyStoredCollation implements sql.CollationAlterableTable.
func (t *Table) ModifyStoredCollation(*sql.Context, sql.CollationID) error {
	return errors.New("converting the collations of columns is not yet supported")
}

// ModifyDefaultCollation implements sql.CollationAlterableTable.
func (t *Table) ModifyDefaultCollation(ctx *sql.Context, c sql.CollationID) error {
	return t.with(ctx, func(r *record.Table) error {
		r.Collation = record.CollationName(c)
		return nil
	}, nil)
}

// ModifyComment implements sql.CommentAlterableTable.
func (t *Table) ModifyComment(ctx *sql.Context, comment string) error {
	return t.with(ctx, func(r *record.Table) error {
		r.Comment = comment
		return nil
	}, nil)
}

// AddColumn implements sql.AlterableTable: it adds a column as the last one. The column is NULL in
// existing rows.
func (t *Table) AddColumn(ctx *sql.Context, c *sql.Column, _ *sql.ColumnOrder) error {
	n, err := record.NewColumn(ctx, c)
	if err != nil {
		return err
	}
	return t.with(ctx, func(r *record.Table) error {
		r.Columns = append(r.Columns, n)
		return nil
	}, nil)
}

// DropColumn implements sql.AlterableTable. Columns are dropped by a rewrite.
func (t *Table) DropColumn(*sql.Context, string) error {
	return sql.ErrUnsupportedFeature.New("dropping a column without a rewrite")
}

// ModifyColumn implements sql.AlterableTable: it changes anything of a column except its type and place.
func (t *Table) ModifyColumn(ctx *sql.Context, name string, c *sql.Column, _ *sql.ColumnOrder) error {
	n, err := record.NewColumn(ctx, c)
	if err != nil {
		return err
	}
	return t.with(ctx, func(r *record.Table) error {
		i := r.FindColumn(name)
		if i < 0 {
			return sql.ErrTableColumnNotFound.New(r.Name, name)
		}
		old := &r.Columns[i]
		if n.Type != old.Type || n.Collation != old.Collation || !slices.Equal(n.Values, old.Values) {
			return sql.ErrUnsupportedFeature.New("changing a column's type without a rewrite")
		}
		n.PrimaryKey = old.PrimaryKey
		n.Nullable = n.Nullable && !n.PrimaryKey
		*old = n
		return nil
	}, nil)
}

// CreatePrimaryKey implements sql.PrimaryKeyAlterableTable. Primary keys are made by a rewrite.
func (t *Table) CreatePrimaryKey(*sql.Context, []sql.IndexColumn) error {
	return sql.ErrUnsupportedFeature.New("making a primary key without a rewrite")
}

// DropPrimaryKey implements sql.PrimaryKeyAlterableTable. Primary keys are dropped by a rewrite.
func (t *Table) DropPrimaryKey(*sql.Context) error {
	return sql.ErrUnsupportedFeature.New("dropping a primary key without a rewrite")
}

// Truncate implements sql.TruncateableTable: the table gets another number, under which there are
// no rows.
func (t *Table) Truncate(ctx *sql.Context) (int, error) {
	t = t.now()
	n, _, err := t.RowCount(ctx)
	if err != nil {
		return 0, err
	}
	err = t.db.put(ctx, func() (*definition, error) {
		now := t.db.tables[strings.ToLower(t.def.name())]
		if now == nil || now.record.ID != t.def.record.ID {
			return nil, errChanged
		}
		id, err := t.db.p.newID()
		if err != nil {
			return nil, err
		}
		r := now.record.Clone()
		r.ID = id
		return newDefinition(t.db.name, r, &tableState{id: id, next: 1, temporary: t.db.temporary})
	}, func(tx *txkv.Txn) (func(), error) {
		return func() { t.def.state.retired.Store(true) }, t.db.p.removeRows(tx, t.def.record.ID)
	})
	return int(n), err
}

// cloneKey returns a copy of a foreign key, which the caller may change.
func cloneKey(k sql.ForeignKeyConstraint) sql.ForeignKeyConstraint {
	k.Columns, k.ParentColumns = slices.Clone(k.Columns), slices.Clone(k.ParentColumns)
	return k
}

// CreateIndexForForeignKey implements sql.ForeignKeyTable.
func (t *Table) CreateIndexForForeignKey(ctx *sql.Context, x sql.IndexDef) error {
	return t.CreateIndex(ctx, x)
}

// GetDeclaredForeignKeys implements sql.ForeignKeyTable.
func (t *Table) GetDeclaredForeignKeys(*sql.Context) ([]sql.ForeignKeyConstraint, error) {
	var keys []sql.ForeignKeyConstraint
	for _, k := range allNamed(t.db, t.db.foreignKeys) {
		if strings.EqualFold(k.Table, t.def.name()) {
			keys = append(keys, cloneKey(k))
		}
	}
	return keys, nil
}

// GetReferencedForeignKeys implements sql.ForeignKeyTable.
func (t *Table) GetReferencedForeignKeys(*sql.Context) ([]sql.ForeignKeyConstraint, error) {
	if t.db.temporary {
		return nil, nil
	}
	var keys []sql.ForeignKeyConstraint
	for _, k := range (*t.db.p.referenced.Load())[nameOf(t.db.name, t.def.name())] {
		keys = append(keys, cloneKey(k))
	}
	return keys, nil
}

// AddForeignKey implements sql.ForeignKeyTable.
func (t *Table) AddForeignKey(ctx *sql.Context, k sql.ForeignKeyConstraint) error {
	return t.replaceForeignKey(ctx, "", &k)
}

// DropForeignKey implements sql.ForeignKeyTable.
func (t *Table) DropForeignKey(ctx *sql.Context, name, _, _ string) error {
	return t.replaceForeignKey(ctx, name, nil)
}

// UpdateForeignKey implements sql.ForeignKeyTable.
func (t *Table) UpdateForeignKey(ctx *sql.Context, name string, k sql.ForeignKeyConstraint) error {
	return t.replaceForeignKey(ctx, name, &k)
}

// replaceForeignKey replaces the foreign key called old by k. With old "" it adds k; with k nil it removes old.
func (t *Table) replaceForeignKey(ctx *sql.Context, old string, k *sql.ForeignKeyConstraint) error {
	d := t.db
	if d.temporary {
		return errNotTemporary
	}
	return d.p.change(ctx, func(tx *txkv.Txn) (func(), error) {
		from := strings.ToLower(old)
		if old != "" {
			if _, ok := d.foreignKeys[from]; !ok && k == nil {
				return nil, sql.ErrForeignKeyNotFound.New(old, t.def.name())
			}
			if err := tx.Delete(record.Key(record.KindForeignKey, d.name, old)); err != nil {
				return nil, err
			}
		}
		to := ""
		if k != nil {
			to = strings.ToLower(k.Name)
			if _, ok := d.foreignKeys[to]; ok && to != from {
				return nil, sql.ErrForeignKeyDuplicateName.New(k.Name)
			}
			if err := record.Put(tx, record.KindForeignKey, d.name, k.Name, *k); err != nil {
				return nil, err
			}
		}
		return func() {
			undone(ctx, d, restore(d.foreignKeys, from))
			undone(ctx, d, restore(d.foreignKeys, to))
			delete(d.foreignKeys, from)
			if k != nil {
				d.foreignKeys[to] = cloneKey(*k)
			}
			d.p.linkForeignKeys()
		}, nil
	})
}
