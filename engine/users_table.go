package engine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/compat"
	"pfsd/engine/vtable"
	"pfsd/instr"
)

// usersTable is a table of users' as statements know it: what writes its rows is seen. What
// reads them is seen by the builder. Safe for concurrent use.
type usersTable struct{ *memory.Table }

// usersIndexedTable is a usersTable whose rows an index finds.
type usersIndexedTable struct{ *memory.IndexedTable }

var (
	_ sql.ProjectedTable        = usersTable{}
	_ sql.IndexAddressableTable = usersTable{}
	_ sql.InsertableTable       = usersTable{}
	_ sql.ReplaceableTable      = usersTable{}
	_ sql.UpdatableTable        = usersTable{}
	_ sql.DeletableTable        = usersTable{}
	_ sql.ForeignKeyTable       = usersTable{}
	_ sql.IndexedTable          = usersIndexedTable{}
	_ sql.UpdatableTable        = usersIndexedTable{}
	_ sql.DeletableTable        = usersIndexedTable{}
)

// stored is a users' table as it is stored, nil if t is none.
func stored(t sql.Table) *memory.Table {
	switch t := sql.GetUnderlyingTable(t).(type) {
	case usersTable:
		return t.Table
	case temporaryTable:
		return t.Table
	case usersIndexedTable:
		return t.Table
	case *memory.Table:
		return t
	case *memory.IndexedTable:
		return t.Table
	}
	return nil
}

// GetTableInsensitive implements sql.Database.
func (d usersDatabase) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	if t, ok := d.temporaryTable(ctx, name); ok {
		return t, true, nil
	}
	d.stored.RLock()
	t, ok, err := d.Database.GetTableInsensitive(ctx, name)
	d.stored.RUnlock()
	if !ok && err == nil {
		t = d.listed.tables[strings.ToLower(name)]
		ok = t != nil
	}
	if m, is := t.(*memory.Table); is && ok && err == nil {
		return usersTable{m}, true, nil
	}
	return t, ok, err
}

// listing are the tables of a database that a statement has listed. Those that are dropped while it goes through the list are there for it still.
// Owned by the statement's goroutine.
type listing struct{ tables map[string]sql.Table } // by lower-case name

// GetTableNames implements sql.Database.
func (d usersDatabase) GetTableNames(*sql.Context) (names []string, err error) {
	d.listed.tables = map[string]sql.Table{}
	for name, t := range d.Tables() {
		names = append(names, name)
		d.listed.tables[strings.ToLower(name)] = t
	}
	return names, nil
}

// WithProjections implements sql.ProjectedTable.
func (t usersTable) WithProjections(ctx *sql.Context, columns []string) (sql.Table, error) {
	narrow, err := t.Table.WithProjections(ctx, columns)
	if m, ok := narrow.(*memory.Table); ok && err == nil {
		return usersTable{m}, nil
	}
	return narrow, err
}

// IndexedAccess implements sql.IndexAddressable.
func (t usersTable) IndexedAccess(ctx *sql.Context, l sql.IndexLookup) sql.IndexedTable {
	found := t.Table.IndexedAccess(ctx, l)
	if m, ok := found.(*memory.IndexedTable); ok {
		return usersIndexedTable{m}
	}
	return found
}

// Inserter implements sql.InsertableTable.
func (t usersTable) Inserter(ctx *sql.Context) sql.RowInserter {
	return seen(ctx, t.Table, t.Table.Inserter(ctx))
}

// Replacer implements sql.ReplaceableTable.
func (t usersTable) Replacer(ctx *sql.Context) sql.RowReplacer {
	return seen(ctx, t.Table, t.Table.Replacer(ctx))
}

// Updater implements sql.UpdatableTable.
func (t usersTable) Updater(ctx *sql.Context) sql.RowUpdater {
	return seen(ctx, t.Table, t.Table.Updater(ctx))
}

// Deleter implements sql.DeletableTable.
func (t usersTable) Deleter(ctx *sql.Context) sql.RowDeleter {
	return seen(ctx, t.Table, t.Table.Deleter(ctx))
}

// GetForeignKeyEditor implements sql.ForeignKeyTable.
func (t usersTable) GetForeignKeyEditor(ctx *sql.Context) sql.ForeignKeyEditor {
	e := t.Table.GetForeignKeyEditor(ctx)
	if w := workOf(ctx); w != nil {
		w.edits(ctx, t.Table)
		return &keyedEditor{editing{TableEditor: e, work: w, table: t.Table}, e}
	}
	return e
}

// Inserter implements sql.InsertableTable.
func (t usersIndexedTable) Inserter(ctx *sql.Context) sql.RowInserter {
	return seen(ctx, t.Table, t.Table.Inserter(ctx))
}

// Replacer implements sql.ReplaceableTable.
func (t usersIndexedTable) Replacer(ctx *sql.Context) sql.RowReplacer {
	return seen(ctx, t.Table, t.Table.Replacer(ctx))
}

// Updater implements sql.UpdatableTable.
func (t usersIndexedTable) Updater(ctx *sql.Context) sql.RowUpdater {
	return seen(ctx, t.Table, t.Table.Updater(ctx))
}

// Deleter implements sql.DeletableTable.
func (t usersIndexedTable) Deleter(ctx *sql.Context) sql.RowDeleter {
	return seen(ctx, t.Table, t.Table.Deleter(ctx))
}

// seen is an editor of the rows of table t that is seen, if somebody's work edits them.
func seen[E any](ctx *sql.Context, t *memory.Table, e E) E {
	w := workOf(ctx)
	inner, ok := any(e).(sql.TableEditor)
	if w == nil {
		return e
	}
	w.edits(ctx, t)
	if !ok {
		return e
	}
	var outer any = &editing{TableEditor: inner, work: w, table: t}
	if keys, ok := inner.(sql.ForeignKeyEditor); ok {
		outer = &keyedEditor{editing{TableEditor: inner, work: w, table: t}, keys}
	}
	if s, ok := outer.(E); ok {
		return s
	}
	return e
}

// editing is an editor whose inserts, updates and deletes are seen. Owned by one goroutine.
type editing struct {
	sql.TableEditor
	work  *work
	table *memory.Table
	// unique are the keys that the tables' storage does not compare as MySQL does, nil if there are none.
	unique *compat.UniqueTexts
	read   bool // unique has been read
}

// start starts an operation on a row.
func (e *editing) start(op instr.TableOp) instr.TableWait {
	e.work.opened.endFetch()
	u := e.work.written(e.table)
	if u == nil {
		return instr.TableWait{}
	}
	index := u.index
	if op == instr.TableInsert {
		index = instr.NoIndex
	}
	return u.handle.StartIO(op, index)
}

// write puts row where old is; either is nil if there is none.
func (e *editing) write(ctx *sql.Context, old, row sql.Row, do func() error) (err error) {
	if !e.read {
		if e.unique, err = compat.NewUniqueTexts(ctx, e.table); err != nil {
			return err
		}
		e.read = true
	}
	u := e.unique
	if u == nil {
		return do()
	}
	u.Replace(ctx, old, nil)
	if row != nil {
		err = u.Check(ctx, row)
	}
	if err == nil {
		err = do()
	}
	if err != nil {
		row = old
	}
	u.Replace(ctx, nil, row)
	return err
}

// Insert implements sql.RowInserter.
func (e *editing) Insert(ctx *sql.Context, row sql.Row) error {
	e.work.ask(vtable.HandlerWrite, 1)
	w := e.start(instr.TableInsert)
	e.work.trx.modified++
	err := e.write(ctx, nil, row, func() error {
		if err := e.work.chargeRow(e.table, row, nil); err != nil {
			return err
		}
		return e.TableEditor.Insert(ctx, row)
	})
	w.End(1)
	return err
}

// Update implements sql.RowUpdater.
func (e *editing) Update(ctx *sql.Context, old, new sql.Row) error {
	e.work.ask(vtable.HandlerUpdate, 1)
	w := e.start(instr.TableUpdate)
	e.work.trx.modified++
	err := e.write(ctx, old, new, func() error {
		if err := e.work.chargeRow(e.table, new, old); err != nil {
			return err
		}
		return e.TableEditor.Update(ctx, old, new)
	})
	w.End(1)
	return err
}

// Delete implements sql.RowDeleter.
func (e *editing) Delete(ctx *sql.Context, row sql.Row) error {
	e.work.ask(vtable.HandlerDelete, 1)
	w := e.start(instr.TableDelete)
	e.work.trx.modified++
	err := e.write(ctx, row, nil, func() error {
		if err := e.work.chargeRow(e.table, nil, row); err != nil {
			return err
		}
		return e.TableEditor.Delete(ctx, row)
	})
	w.End(1)
	return err
}

// alone keeps others from looking at tables until done is called.
func (e *editing) alone() (done func()) {
	p := e.work.rights.provider
	if p == nil || isTemporary(e.table) {
		return func() {}
	}
	p.stored.Lock()
	return p.stored.Unlock
}

// StatementComplete implements sql.EditOpenerCloser. What CREATE TABLE fills is stored already.
func (e *editing) StatementComplete(ctx *sql.Context) error {
	defer e.alone()()
	return e.TableEditor.StatementComplete(ctx)
}

// DiscardChanges implements sql.EditOpenerCloser.
func (e *editing) DiscardChanges(ctx *sql.Context, failure error) error {
	defer e.alone()()
	return e.TableEditor.DiscardChanges(ctx, failure)
}

// Close implements sql.Closer.
func (e *editing) Close(ctx *sql.Context) error {
	defer e.alone()()
	return e.TableEditor.Close(ctx)
}

// keyedEditor is an editor that can look rows up, as foreign keys and full text indexes need. The
// rows of other tables that change because of these are not seen, as in MySQL.
type keyedEditor struct {
	editing
	keys sql.ForeignKeyEditor
}

// IndexedAccess implements sql.IndexAddressable.
func (e *keyedEditor) IndexedAccess(ctx *sql.Context, l sql.IndexLookup) sql.IndexedTable {
	defer e.alone()()
	return e.keys.IndexedAccess(ctx, l)
}

// GetIndexes implements sql.IndexAddressable.
func (e *keyedEditor) GetIndexes(ctx *sql.Context) ([]sql.Index, error) {
	return e.keys.GetIndexes(ctx)
}

// PreciseMatch implements sql.IndexAddressable.
func (e *keyedEditor) PreciseMatch() bool { return e.keys.PreciseMatch() }
