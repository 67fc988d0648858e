package storage

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/fulltext"

	"pfsd/engine/storage/codec"
	"pfsd/engine/storage/record"
	"pfsd/engine/txkv"
)

// editor writes rows. Owned by one goroutine.
type editor struct {
	table *Table
	t     *Transaction
	first *Mark // the mark at the beginning of the statement; nil outside of one
	// updates is set if reads of the table by the same statement lock the rows that they find.
	updates bool
	// deletes is set, too, if the statement may do more to the rows than update them.
	deletes bool
	// replaces is set if the statement deletes the row that has the key of a new one.
	replaces bool
	// inserts is set while a row is written that is new, not another state of one.
	inserts bool
	// children is set if rows of the table may change because others do that they refer to. It is known if knowsChildren is set.
	children, knowsChildren bool
	// entries are the index entries of the row that is being written: two for each index, the old
	// one and the new one. nil means no entry.
	entries [][]byte
}

var (
	_ sql.ForeignKeyEditor    = (*editor)(nil)
	_ sql.AutoIncrementSetter = (*editor)(nil)
)

// edit returns an editor of the table's rows. If the table has full text indexes, the editor
// updates these, too.
func (t *Table) edit(ctx *sql.Context, how editor) sql.TableEditor {
	t = t.now()
	e := &how
	e.table, e.t = t, transactionOf(ctx, t.db.p)
	e.t.edits = append(e.t.edits, e)
	if !t.def.fulltext {
		return e
	}
	words, err := t.words(ctx, e)
	if err != nil {
		return failedEditor{e, err}
	}
	return words
}

// failedEditor stands for an editor that could not be made: each write returns the error.
type failedEditor struct {
	*editor
	err error
}

// Insert implements sql.RowInserter.
func (e failedEditor) Insert(*sql.Context, sql.Row) error { return e.err }

// Update implements sql.RowUpdater.
func (e failedEditor) Update(*sql.Context, sql.Row, sql.Row) error { return e.err }

// Delete implements sql.RowDeleter.
func (e failedEditor) Delete(*sql.Context, sql.Row) error { return e.err }

// words returns an editor that also updates the tables of the full text indexes.
func (t *Table) words(ctx *sql.Context, e *editor) (sql.TableEditor, error) {
	find := func(name string) (fulltext.EditableTable, error) {
		found, ok, err := t.db.GetTableInsensitive(ctx, name)
		if err != nil {
			return nil, err
		}
		table, editable := found.(fulltext.EditableTable)
		if !ok || !editable {
			return nil, fmt.Errorf("table %s of a full text index of %s is missing", name, t.Name())
		}
		return table, nil
	}
	var sets []fulltext.TableSet
	config := ""
	for i := range t.def.record.Indexes {
		x := &t.def.record.Indexes[i]
		if x.Fulltext == nil {
			continue
		}
		names := x.Fulltext.Tables
		config = names.Config
		set := fulltext.TableSet{Index: t.index(x)}
		for _, part := range []struct {
			name string
			into *fulltext.EditableTable
		}{{names.Position, &set.Position}, {names.DocCount, &set.DocCount}, {names.GlobalCount, &set.GlobalCount}, {names.RowCount, &set.RowCount}} {
			found, err := find(part.name)
			if err != nil {
				return nil, err
			}
			*part.into = found
		}
		sets = append(sets, set)
	}
	settings, err := find(config)
	if err != nil {
		return nil, err
	}
	inner, err := fulltext.CreateEditor(ctx, t, settings, sets...)
	if err != nil {
		return nil, err
	}
	return fulltext.CreateMultiTableEditor(ctx, e, inner)
}

// Inserter implements sql.InsertableTable.
func (t *Table) Inserter(ctx *sql.Context) sql.RowInserter { return t.edit(ctx, editor{}) }

// Replacer implements sql.ReplaceableTable.
func (t *Table) Replacer(ctx *sql.Context) sql.RowReplacer {
	return t.edit(ctx, editor{replaces: true})
}

// Updater implements sql.UpdatableTable. Until the updater is closed, the transaction's reads of
// the table lock the rows that they find.
func (t *Table) Updater(ctx *sql.Context) sql.RowUpdater { return t.edit(ctx, editor{updates: true}) }

// Deleter implements sql.DeletableTable. Until the deleter is closed, the transaction's reads of
// the table lock the rows that they find.
func (t *Table) Deleter(ctx *sql.Context) sql.RowDeleter {
	return t.edit(ctx, editor{updates: true, deletes: true})
}

// GetForeignKeyEditor implements sql.ForeignKeyTable.
func (t *Table) GetForeignKeyEditor(ctx *sql.Context) sql.ForeignKeyEditor {
	if e, ok := t.edit(ctx, editor{updates: true, deletes: true}).(sql.ForeignKeyEditor); ok {
		return e
	}
	return &editor{table: t, t: transactionOf(ctx, t.db.p)}
}

// IndexedAccess implements sql.IndexAddressable: the rows that are found are locked.
func (e *editor) IndexedAccess(ctx *sql.Context, l sql.IndexLookup) sql.IndexedTable {
	c := *e.table
	c.access = &access{mode: e.childMode()}
	c.projection, c.places, c.schema = nil, nil, nil
	return c.IndexedAccess(ctx, l)
}

// GetIndexes implements sql.IndexAddressable.
func (e *editor) GetIndexes(ctx *sql.Context) ([]sql.Index, error) { return e.table.GetIndexes(ctx) }

// PreciseMatch implements sql.IndexAddressable.
func (e *editor) PreciseMatch() bool { return true }

// enter makes the editor use the present transaction of the session.
func (e *editor) enter(ctx *sql.Context) {
	if t := transactionOf(ctx, e.table.db.p); t != e.t {
		e.t, e.first = t, nil
		t.edits = append(t.edits, e)
	}
	e.t.begin()
}

// StatementBegin implements sql.EditOpenerCloser.
func (e *editor) StatementBegin(ctx *sql.Context) {
	e.enter(ctx)
	// The editors of foreign keys are made while the statement is planned, before the transaction begins it.
	if !slices.Contains(e.t.edits, e) {
		e.t.edits = append(e.t.edits, e)
	}
	m := e.t.Mark()
	if e.first == nil || e.first.generation != m.generation {
		e.first = &m
	}
}

// DiscardChanges implements sql.EditOpenerCloser. With IGNORE it discards one row. An error that is
// not ignored ends the statement, and then all rows of the statement are discarded.
func (e *editor) DiscardChanges(_ *sql.Context, cause error) error {
	if _, ignored := cause.(sql.IgnorableError); ignored {
		return nil
	}
	if e.first != nil {
		e.t.RollbackTo(*e.first)
	}
	e.first = nil
	return nil
}

// StatementComplete implements sql.EditOpenerCloser. go-mysql-server also calls it for a statement
// that is killed between two rows: then it discards the rows of the statement.
func (e *editor) StatementComplete(ctx *sql.Context) error {
	if e.first == nil || ctx.Err() == nil { // without a first it has nothing to discard, and the statement's other editors may be closed
		return nil
	}
	cause := context.Cause(ctx)
	_ = e.DiscardChanges(ctx, cause)
	return cause
}

// Close implements sql.Closer. For a statement with IGNORE that is killed after a row is complete, it is all that
// go-mysql-server calls: then it discards the rows of the statement.
func (e *editor) Close(ctx *sql.Context) error {
	err := e.StatementComplete(ctx)
	e.t.edits = slices.DeleteFunc(e.t.edits, func(o *editor) bool { return o == e })
	e.first = nil
	return err
}

// SetAutoIncrementValue implements sql.AutoIncrementSetter, which go-mysql-server's full text
// indexes need.
func (e *editor) SetAutoIncrementValue(ctx *sql.Context, v uint64) error {
	return autoSetter{e.table}.SetAutoIncrementValue(ctx, v)
}

// AcquireAutoIncrementLock implements sql.AutoIncrementSetter.
func (e *editor) AcquireAutoIncrementLock(*sql.Context) (func(), error) { return func() {}, nil }

// appendRowKey appends the key of a row of a table with a primary key, without its prefix.
func (d *definition) appendRowKey(ctx *sql.Context, b []byte, row sql.Row) ([]byte, error) {
	var err error
	for _, c := range d.record.PrimaryKey {
		if b, err = d.columns[c].AppendKey(ctx, b, row[c]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// appendEntry appends the key of a row's entry in an index. primary is the key of the row without
// its prefix. whole reports whether the row's values alone keep other rows from having the same
// entry.
func (d *definition) appendEntry(ctx *sql.Context, b []byte, x *record.Index, row sql.Row, primary []byte) (key []byte, whole bool, err error) {
	key, whole = appendPrefix(b, d.record.ID, x.ID), x.Unique
	for i, c := range x.Columns {
		v := row[c]
		whole = whole && v != nil
		if x.Prefixes != nil && x.Prefixes[i] > 0 {
			key, err = d.columns[c].AppendPrefixKey(ctx, key, v, int(x.Prefixes[i]))
		} else {
			key, err = d.columns[c].AppendKey(ctx, key, v)
		}
		if err != nil {
			return nil, false, err
		}
	}
	if !whole {
		key = append(key, primary...)
	}
	return key, whole, nil
}

const primaryName = "PRIMARY"

// read reads a row as it is now; it returns nil if there is none.
func (e *editor) read(key []byte) (sql.Row, error) {
	if value := e.t.seenRow(key); value != nil {
		row, err := codec.ReadRow(value, e.table.def.columns, nil, len(e.table.def.columns))
		return row, failure(err)
	}
	return e.readFrom(e.t.txn, key)
}

// readFrom reads a row in the state that from reads; it returns nil if there is none.
func (e *editor) readFrom(from reader, key []byte) (sql.Row, error) {
	value, err := from.GetNewest(key)
	if err != nil || value == nil {
		return nil, failure(err)
	}
	row, err := codec.ReadRow(value, e.table.def.columns, nil, len(e.table.def.columns))
	return row, failure(err)
}

// lock locks a key before it is written. A temporary table needs no locks: only its session uses it.
func (e *editor) lock(ctx *sql.Context, key []byte, mode txkv.LockMode) error {
	if e.table.def.temporary() {
		return nil
	}
	return e.t.lock(ctx, key, mode)
}

// Insert implements sql.RowInserter.
func (e *editor) Insert(ctx *sql.Context, row sql.Row) error {
	e.inserts = true
	err := e.insert(ctx, row)
	e.inserts = false
	if err == nil {
		e.t.rows.inserted++
	}
	return err
}

func (e *editor) insert(ctx *sql.Context, row sql.Row) error {
	d := e.table.def
	if len(row) != len(d.columns) { // the row was made for an earlier definition of the table
		return errChanged
	}
	e.enter(ctx)
	if d.keyless() {
		id, err := d.state.newRowID(e.t.p.store)
		if err != nil {
			return err
		}
		key := binary.BigEndian.AppendUint64(d.prefix(), id)
		if err := e.lock(ctx, key, txkv.Insert); err != nil {
			return err
		}
		return e.write(ctx, key, row, nil)
	}
	key, err := d.appendRowKey(ctx, d.prefix(), row)
	if err != nil {
		return err
	}
	if err := e.vacant(ctx, key, row); err != nil {
		return err
	}
	return e.write(ctx, key, row, nil)
}

// write writes a row and its index entries. old is the present row of the key, nil if there is
// none. After an error nothing is written.
func (e *editor) write(ctx *sql.Context, key []byte, row, old sql.Row) error {
	d := e.table.def
	primary := key[prefixSize:]
	if err := e.claimEntries(ctx, primary, row, old); err != nil {
		return err
	}
	value, err := codec.AppendRow(ctx, make([]byte, 0, 16+16*len(row)), d.columns, row, nil)
	if err != nil {
		return err
	}
	if d.keyless() {
		if err := e.writeContent(ctx, primary, row, old); err != nil {
			return err
		}
	}
	if err := e.writeEntries(primary); err != nil {
		return err
	}
	if err := e.t.txn.Put(key, value); err != nil {
		return failure(err)
	}
	if old == nil {
		e.t.grown(d.state, 1)
	} else {
		e.t.grown(d.state, 0)
	}
	return nil
}

// claimEntries fills e.entries with the index entries that write removes and adds, two for each index:
// nil for one that does not change or is not there. It locks them, and finds duplicates.
func (e *editor) claimEntries(ctx *sql.Context, primary []byte, row, old sql.Row) error {
	d := e.table.def
	e.entries = e.entries[:0]
	for _, x := range d.indexes {
		entry, whole, err := d.appendEntry(ctx, nil, x, row, primary)
		if err != nil {
			return err
		}
		if old != nil {
			was, taken, err := d.appendEntry(ctx, nil, x, old, primary)
			if err != nil {
				return err
			}
			if bytes.Equal(was, entry) {
				e.entries = append(e.entries, nil, nil)
				continue
			}
			if taken { // other transactions read the entry to find out whether the value is free
				if err := e.lock(ctx, was, txkv.Exclusive); err != nil {
					return err
				}
			}
			e.entries = append(e.entries, was, entry)
		} else {
			e.entries = append(e.entries, nil, entry)
		}
		if !whole {
			if err := e.lock(ctx, entry, txkv.Insert); err != nil {
				return err
			}
			continue
		}
		free, err := e.claim(ctx, entry)
		if err != nil {
			return err
		}
		if free {
			continue
		}
		other, err := e.t.txn.GetNewest(entry)
		if err != nil {
			return failure(err)
		}
		existing, err := e.taken(ctx, append(d.prefix(), other...))
		if err != nil {
			return err
		}
		return d.duplicate(x.Columns, x.Name, row, existing)
	}
	return nil
}

// writeEntries changes the index entries of a row as e.entries says.
func (e *editor) writeEntries(primary []byte) error {
	for i := 0; i < len(e.entries); i += 2 {
		if was := e.entries[i]; was != nil {
			if err := e.t.txn.Delete(was); err != nil {
				return failure(err)
			}
		}
		if entry := e.entries[i+1]; entry != nil {
			if err := e.t.txn.Put(entry, primary); err != nil {
				return failure(err)
			}
		}
	}
	return nil
}

// locate locks a row that the statement has read. It returns the row's key and its present value,
// which is nil if the row has been deleted.
func (e *editor) locate(ctx *sql.Context, row sql.Row) (key []byte, now sql.Row, err error) {
	d := e.table.def
	e.enter(ctx)
	if d.keyless() {
		return e.locateContent(ctx, row)
	}
	if key, err = d.appendRowKey(ctx, d.prefix(), row); err != nil {
		return nil, nil, err
	}
	if err := e.lock(ctx, key, txkv.Exclusive); err != nil {
		return nil, nil, err
	}
	now, err = e.read(key)
	return key, now, err
}

// Update implements sql.RowUpdater. It does not restore a row that has been deleted meanwhile.
func (e *editor) Update(ctx *sql.Context, old, row sql.Row) error {
	if len(row) != len(e.table.def.columns) || len(old) < len(row) {
		return errChanged
	}
	key, now, err := e.locate(ctx, old)
	if err != nil || now == nil {
		return err
	}
	if err := e.update(ctx, key, now, row); err != nil {
		return err
	}
	e.t.rows.updated++
	if auto := e.table.def.auto; auto >= 0 && now[auto] != row[auto] {
		t := e.table.def.columns[auto].Type()
		if order, failed := t.Compare(ctx, row[auto], t.Zero()); failed == nil && order > 0 { // for 0 it would be the next value
			_, err = e.table.GetNextAutoIncrementValue(ctx, row[auto]) // values go on after this one
		}
	}
	return err
}

// update replaces the row of a key, which is locked.
func (e *editor) update(ctx *sql.Context, key []byte, now, row sql.Row) error {
	d := e.table.def
	if d.keyless() {
		return e.write(ctx, key, row, now)
	}
	target, err := d.appendRowKey(ctx, d.prefix(), row)
	if err != nil {
		return err
	}
	if bytes.Equal(key, target) {
		return e.write(ctx, key, row, now)
	}
	if err := e.vacant(ctx, target, row); err != nil {
		return err
	}
	// An entry of the same row in a unique index is not a duplicate.
	mark := e.t.Mark()
	if err := e.remove(ctx, key, now); err != nil {
		return err
	}
	if err := e.write(ctx, target, row, nil); err != nil {
		e.t.RollbackTo(mark)
		return err
	}
	return nil
}

// Find implements usertables.Finder.
func (e *editor) Find(ctx *sql.Context, row sql.Row) (sql.Row, error) {
	if len(row) < len(e.table.def.columns) {
		return nil, errChanged
	}
	_, now, err := e.locate(ctx, row)
	return now, err
}

// Delete implements sql.RowDeleter. It ignores a row that has been deleted meanwhile.
func (e *editor) Delete(ctx *sql.Context, row sql.Row) error {
	if len(row) < len(e.table.def.columns) {
		return errChanged
	}
	key, now, err := e.locate(ctx, row)
	if err != nil || now == nil {
		return err
	}
	if err := e.remove(ctx, key, now); err != nil {
		return err
	}
	e.t.rows.deleted++
	return nil
}

// remove removes a row and its index entries. The caller has locked the row.
func (e *editor) remove(ctx *sql.Context, key []byte, row sql.Row) error {
	d := e.table.def
	primary := key[prefixSize:]
	for _, x := range d.indexes {
		entry, whole, err := d.appendEntry(ctx, nil, x, row, primary)
		if err != nil {
			return err
		}
		if whole { // other transactions read the entry to find out whether a value is a duplicate
			if err := e.lock(ctx, entry, txkv.Exclusive); err != nil {
				return err
			}
		}
		if err := e.t.txn.Delete(entry); err != nil {
			return failure(err)
		}
	}
	if d.keyless() {
		if err := e.writeContent(ctx, primary, nil, row); err != nil {
			return err
		}
	}
	if err := e.t.txn.Delete(key); err != nil {
		return failure(err)
	}
	e.t.grown(d.state, -1)
	return nil
}
