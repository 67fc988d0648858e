package engine

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/budget"
	"pfsd/engine/mdl"
	"pfsd/engine/session"
	"pfsd/engine/usertables"
	"pfsd/engine/vtable"
	"pfsd/instr"
)

// openTables are the tables that a connection has open. They stay so for its next statements;
// each place of a statement where a table stands has one of its own. Owned by the connection's
// goroutine.
type openTables struct {
	reg    *instr.Registry
	thread *instr.Thread
	status *statusCounters
	open   []*openTable
	used   []*openTable         // by the statements that run, the innermost one's at the end
	fetch  *fetching            // the reading of rows that goes on
	locked []*instr.TableHandle // by LOCK TABLES, which locks for the statements, too
}

// maxOpenTables is how many tables a connection keeps open that no statement uses.
const maxOpenTables = 64

// openTable is a table that is open. Its handle counts nothing if the table is lost.
type openTable struct {
	db, name string // as they are stored
	table    *instr.Table
	handle   *instr.TableHandle

	// Of the statement that uses it.
	busy   bool
	node   sql.Node // where
	index  int      // by which rows are found
	unique bool     // by all columns of a unique index
	write  bool
}

// use opens a table for a place in the statement that runs, and locks it.
func (ts *openTables) use(ctx *sql.Context, n sql.Node, t usertables.StoredTable, write bool) *openTable {
	db, name := t.Database(), t.Name()
	var u *openTable
	for i, o := range ts.open {
		if o.busy || o.name != name || o.db != db {
			continue
		}
		if !o.table.Dropped() {
			u = o
			break
		}
		o.handle.Close()
		ts.open = slices.Delete(ts.open, i, i+1)
		break
	}
	if u != nil {
		ts.status.cacheHits.AddTo(ts.thread, 1)
	} else {
		ts.status.openedTables.AddTo(ts.thread, 1)
		ts.status.cacheMisses.AddTo(ts.thread, 1)
		u = &openTable{db: db, name: name, table: ts.reg.NewTable(db, name, indexNames(ctx, t)...)}
		u.handle = u.table.Open(ts.thread)
		ts.open = append(ts.open, u)
	}
	u.busy, u.node, u.write = true, n, write
	u.index, u.unique = instr.NoIndex, false
	if i, ok := n.(*plan.IndexedTableAccess); ok {
		u.index, u.unique = u.table.Index(i.Index().ID()), findsOne(ctx, i)
	}
	ts.used = append(ts.used, u)
	kind := instr.LockReadExternal
	if write {
		kind = instr.LockWriteExternal
	}
	u.handle.Use()
	if ts.locked == nil {
		u.handle.StartLock(kind).End(0)
	}
	return u
}

// lock is LOCK TABLES, or UNLOCK TABLES of no tables.
func (ts *openTables) lock(all []session.TableLock) {
	if all == nil {
		ts.unlock()
		return
	}
	ts.locked = []*instr.TableHandle{}
	known := ts.reg.Reader().Tables()
	for _, l := range all {
		for _, t := range known {
			if !strings.EqualFold(t.Schema(), l.Key.Schema) || !strings.EqualFold(t.Name(), l.Key.Name) {
				continue
			}
			kind := instr.LockReadExternal
			if l.Kind == mdl.SharedNoReadWrite {
				kind = instr.LockWriteExternal
			}
			h := t.Open(ts.thread)
			h.Use()
			h.StartLock(kind).End(0)
			ts.locked = append(ts.locked, h)
		}
	}
}

// unlock is UNLOCK TABLES.
func (ts *openTables) unlock() {
	for _, h := range ts.locked {
		h.Rest()
		h.Close()
	}
	ts.locked = nil
}

// findsOne tells whether n looks for values of all columns of a unique index.
func findsOne(ctx *sql.Context, n *plan.IndexedTableAccess) bool {
	i := n.Index()
	if !i.IsUnique() {
		return false
	}
	columns := len(i.Expressions())
	if values := n.Expressions(); len(values) > 0 {
		return len(values) == columns
	}
	l, _, err := n.GetLookup(ctx, nil)
	ranges, ok := l.Ranges.(sql.MySQLRangeCollection)
	if err != nil || !ok || len(ranges) != 1 || len(ranges[0]) != columns {
		return false
	}
	for _, column := range ranges[0] {
		if _, one := vtable.Point(column); !one {
			return false
		}
	}
	return true
}

// indexNames are the names of a table's indexes.
func indexNames(ctx *sql.Context, t usertables.StoredTable) (names []string) {
	indexes, err := t.GetIndexes(ctx)
	if err != nil {
		return nil
	}
	for _, i := range indexes {
		names = append(names, i.ID())
	}
	return names
}

// rest lets go of what the statement uses that began when so many tables were used.
func (ts *openTables) rest(used int) {
	ts.endFetch()
	for _, u := range ts.used[min(used, len(ts.used)):] {
		u.busy, u.node = false, nil
		u.handle.Rest()
	}
	ts.used = ts.used[:min(used, len(ts.used))]
	for i := 0; len(ts.open)-len(ts.used) > maxOpenTables && i < len(ts.open); {
		if ts.open[i].busy {
			i++
			continue
		}
		ts.open[i].handle.Close()
		ts.open = slices.Delete(ts.open, i, i+1)
		ts.status.cacheOverflows.AddTo(ts.thread, 1)
	}
}

// close closes all tables: the connection ends.
func (ts *openTables) close() {
	ts.rest(0)
	ts.unlock()
	for _, u := range ts.open {
		u.handle.Close()
	}
	ts.open = nil
}

// endFetch ends the reading of rows that goes on, if there is one.
func (ts *openTables) endFetch() {
	if f := ts.fetch; f != nil {
		ts.fetch = nil
		f.wait.End(f.found)
	}
}

// usesTable is where the statement uses a table that n reads, nil if that is none of users'.
func (w *work) usesTable(ctx *sql.Context, n sql.Node, t sql.Table) *openTable {
	m := usertables.Stored(t)
	if m == nil || usertables.IsTemporary(m) {
		return nil
	}
	mine := w.opened.used[min(w.statement.used, len(w.opened.used)):]
	for _, u := range mine {
		if u.node == n {
			return u
		}
	}
	// The SQL engine makes the parts of a plan anew that refer to what is around them.
	_, byIndex := n.(*plan.IndexedTableAccess)
	for _, u := range mine {
		_, other := u.node.(*plan.IndexedTableAccess)
		if byIndex == other && u.name == m.Name() && u.db == m.Database() {
			return u
		}
	}
	return w.opened.use(ctx, n, m, false)
}

// written is where the statement writes a table, nil if it does not.
func (w *work) written(t usertables.StoredTable) *openTable {
	for _, u := range w.opened.used[min(w.statement.used, len(w.opened.used)):] {
		if u.write && u.name == t.Name() && u.db == t.Database() {
			return u
		}
	}
	return nil
}

// insertsInto opens the table that n writes.
func (w *work) insertsInto(ctx *sql.Context, n *plan.InsertInto) {
	t, err := plan.GetInsertable(n.Destination)
	if err != nil {
		return
	}
	if h, ok := t.(*plan.ForeignKeyHandler); ok {
		t, _ = h.Table.(sql.InsertableTable)
	}
	if m := usertables.Stored(t); m != nil && !usertables.IsTemporary(m) && w.written(m) == nil {
		w.opened.use(ctx, n, m, true)
	}
}

// fetching reads rows of a table, and counts them. All that it reads before the connection does
// something else with a table is one operation, as in MySQL. It costs little more for each row
// than an increment. Owned by one goroutine.
type fetching struct {
	sql.RowIter
	work   *work
	handle *instr.TableHandle
	index  int // by which rows are found
	unique bool
	wait   instr.TableWait
	found  int  // rows in this operation
	done   bool // there are no more
}

// fetch reads rows of the table from an iterator.
func (u *openTable) fetch(w *work, rows sql.RowIter) *fetching {
	return &fetching{RowIter: rows, work: w, handle: u.handle, index: u.index, unique: u.unique}
}

// Next implements sql.RowIter.
func (f *fetching) Next(ctx *sql.Context) (sql.Row, error) {
	ts := &f.work.opened
	if ts.fetch != f && !f.done {
		ts.endFetch()
		f.wait, f.found = f.handle.StartIO(instr.TableFetch, f.index), 0
		ts.fetch = f
	}
	row, err := f.RowIter.Next(ctx)
	if err != nil {
		f.end()
		return row, err
	}
	f.found++
	f.work.statement.Examined++
	f.done = f.unique
	return row, nil
}

// end ends the operation. The look-up of what is not there counts as one row, if at most one
// can be.
func (f *fetching) end() {
	if ts := &f.work.opened; ts.fetch == f {
		if f.unique && !f.done {
			f.found = 1
		}
		ts.endFetch()
	}
	f.done = true
}

// Close implements sql.RowIter.
func (f *fetching) Close(ctx *sql.Context) error {
	f.end()
	return f.RowIter.Close(ctx)
}

// changedTable is a table that a statement makes, alters, renames or drops.
type changedTable struct {
	db   sql.Database
	name string
}

// changes notes that n changes tables.
func (w *work) changes(ctx *sql.Context, n sql.Node) {
	o := &w.statement
	note := func(db sql.Database, names ...string) {
		if p, ok := db.(mysql_db.PrivilegedDatabase); ok {
			db = p.Unwrap()
		}
		for _, name := range names {
			o.changed = append(o.changed, changedTable{db, name})
		}
	}
	switch n := n.(type) {
	case *plan.CreateTable:
		note(n.Db, n.Name())
	case *plan.RenameTable:
		note(n.Db, n.OldNames...)
		note(n.Db, n.NewNames...)
	case *plan.DropTable:
		for _, t := range n.Tables {
			if t, ok := t.(*plan.ResolvedTable); ok {
				note(t.SqlDatabase, t.Name())
			}
		}
	case *plan.AlterIndex:
		noteTable(n.Table, note)
	case *plan.AlterPK:
		noteTable(n.Table, note)
	case *plan.AddColumn:
		noteTable(n.Table, note)
	case *plan.ModifyColumn:
		noteTable(n.Table, note)
	case *plan.DropColumn:
		noteTable(n.Table, note)
	case *plan.CreateForeignKey:
		if db, err := n.DbProvider.Database(ctx, n.FkDef.Database); err == nil {
			note(db, n.FkDef.Table)
		}
	}
}

func noteTable(n sql.Node, note func(db sql.Database, names ...string)) {
	if t, ok := n.(sql.TableNode); ok && t.Database() != nil {
		note(t.Database(), t.Name())
	}
}

// settleTables has the registry know what has become of the tables that the statement has changed.
func (w *work) settleTables(ctx *sql.Context) {
	for _, c := range w.statement.changed {
		t, ok, err := c.db.GetTableInsensitive(ctx, c.name)
		switch m := usertables.Stored(t); {
		case err != nil:
		case ok && m != nil && usertables.IsTemporary(m):
		case ok && m != nil:
			w.reg.NewTable(m.Database(), m.Name(), indexNames(ctx, m)...)
		case !ok:
			w.reg.DropTable(c.db.Name(), c.name)
		}
	}
	if w.statement.changed != nil {
		w.statement.changed = nil
		w.opened.closeDropped()
	}
}

// closeDropped closes the tables that are no more.
func (ts *openTables) closeDropped() {
	ts.open = slices.DeleteFunc(ts.open, func(u *openTable) bool {
		if u.busy || !u.table.Dropped() {
			return false
		}
		u.handle.Close()
		return true
	})
}

// dropDatabase forgets the tables of a database.
func (w *work) dropDatabase(name string) {
	for _, t := range w.reg.Reader().Tables() {
		if strings.EqualFold(t.Schema(), name) {
			t.Drop()
		}
	}
	w.opened.closeDropped()
}

// Statement implements usertables.Observer.
func (w *work) Statement() *usertables.Statement { return &w.statement.tables }

// NewHold implements usertables.Observer.
func (w *work) NewHold() *budget.Hold { return w.account.NewHold(nil) }

// Writes implements usertables.Observer.
func (w *work) Writes(t usertables.StoredTable, op instr.TableOp) instr.TableWait {
	w.ask(handlerCalls[op], 1)
	w.trx.Wrote()
	w.opened.endFetch()
	u := w.written(t)
	if u == nil {
		return instr.TableWait{}
	}
	index := u.index
	if op == instr.TableInsert {
		index = instr.NoIndex
	}
	return u.handle.StartIO(op, index)
}

// handlerCalls are the counters Handler_* of what writes rows.
var handlerCalls = [...]int{
	instr.TableInsert: vtable.HandlerWrite, instr.TableUpdate: vtable.HandlerUpdate, instr.TableDelete: vtable.HandlerDelete,
}
