package tableuse

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/mdl"
	"pfsd/engine/session"
	"pfsd/engine/status"
	"pfsd/engine/usertables"
	"pfsd/engine/vtable"
	"pfsd/instr"
)

// Tables are the tables that a connection has open. They stay so for its next statements;
// each place of a statement where a table stands has one of its own. Owned by the connection's
// goroutine.
type Tables struct {
	reg    *instr.Registry
	thread *instr.Thread
	status *status.Counters
	open   []*Table
	used   []*Table             // by the statements that run, the innermost one's at the end
	fetch  *fetching            // the reading of rows that goes on
	locked []*instr.TableHandle // by LOCK TABLES, which locks for the statements, too
}

// New returns the tables of a connection, whose thread this is; none is open yet.
func New(reg *instr.Registry, thread *instr.Thread, counters *status.Counters) Tables {
	return Tables{reg: reg, thread: thread, status: counters}
}

// maxOpen is how many tables a connection keeps open that no statement uses.
const maxOpen = 64

// Table is a table that is open, or a place in a statement where it stands. Its handle counts nothing if the table is lost. Owned by
// the connection's goroutine.
type Table struct {
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

// UsedAround reports whether the statements around the one that runs use a table; they use n places.
func (ts *Tables) UsedAround(n int, k mdl.Key) bool {
	return slices.ContainsFunc(ts.used[:min(n, len(ts.used))], func(t *Table) bool { return session.TableKey(t.db, t.name) == k })
}

// Use opens a table for a place in the statement that runs, and locks it.
func (ts *Tables) Use(ctx *sql.Context, n sql.Node, t usertables.StoredTable, write bool) *Table {
	db, name := t.Database(), t.Name()
	var u *Table
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
		ts.status.CacheHits.AddTo(ts.thread, 1)
	} else {
		ts.status.OpenedTables.AddTo(ts.thread, 1)
		ts.status.CacheMisses.AddTo(ts.thread, 1)
		u = &Table{db: db, name: name, table: ts.reg.NewTable(db, name, indexNames(ctx, t)...)}
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

// Lock is LOCK TABLES, or UNLOCK TABLES of no tables.
func (ts *Tables) Lock(all []session.TableLock) {
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
func (ts *Tables) unlock() {
	for _, h := range ts.locked {
		h.EndUse()
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

// Used is how many tables the statements that run use.
func (ts *Tables) Used() int { return len(ts.used) }

// Rest lets go of what the statement uses that began when so many tables were used.
func (ts *Tables) Rest(used int) {
	ts.EndFetch()
	for _, u := range ts.used[min(used, len(ts.used)):] {
		u.busy, u.node = false, nil
		u.handle.EndUse()
	}
	ts.used = ts.used[:min(used, len(ts.used))]
	for i := 0; len(ts.open)-len(ts.used) > maxOpen && i < len(ts.open); {
		if ts.open[i].busy {
			i++
			continue
		}
		ts.open[i].handle.Close()
		ts.open = slices.Delete(ts.open, i, i+1)
		ts.status.CacheOverflows.AddTo(ts.thread, 1)
	}
}

// Close closes all tables: the connection ends.
func (ts *Tables) Close() {
	ts.Rest(0)
	ts.unlock()
	for _, u := range ts.open {
		u.handle.Close()
	}
	ts.open = nil
}

// EndFetch ends the reading of rows that goes on, if there is one.
func (ts *Tables) EndFetch() {
	if f := ts.fetch; f != nil {
		ts.fetch = nil
		f.wait.End(f.found)
	}
}

// Reads is where a statement, which began when so many tables were used, uses a table that n reads, nil if that is none of users'.
func (ts *Tables) Reads(ctx *sql.Context, n sql.Node, t sql.Table, before int) *Table {
	m := usertables.Stored(t)
	if m == nil || usertables.IsTemporary(m) {
		return nil
	}
	mine := ts.used[min(before, len(ts.used)):]
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
	return ts.Use(ctx, n, m, false)
}

// Written is where a statement, which began when so many tables were used, writes a table, nil if it does not.
func (ts *Tables) Written(t usertables.StoredTable, before int) *Table {
	for _, u := range ts.used[min(before, len(ts.used)):] {
		if u.write && u.name == t.Name() && u.db == t.Database() {
			return u
		}
	}
	return nil
}

// Insert opens the table that n writes, which is part of a statement that began when so many tables were used.
func (ts *Tables) Insert(ctx *sql.Context, n *plan.InsertInto, before int) {
	t, err := plan.GetInsertable(n.Destination)
	if err != nil {
		return
	}
	if h, ok := t.(*plan.ForeignKeyHandler); ok {
		t, _ = h.Table.(sql.InsertableTable)
	}
	if m := usertables.Stored(t); m != nil && !usertables.IsTemporary(m) && ts.Written(m, before) == nil {
		ts.Use(ctx, n, m, true)
	}
}

// closeDropped closes the tables that are no more.
func (ts *Tables) closeDropped() {
	ts.open = slices.DeleteFunc(ts.open, func(u *Table) bool {
		if u.busy || !u.table.Dropped() {
			return false
		}
		u.handle.Close()
		return true
	})
}

// DropDatabase forgets the tables of a database.
func (ts *Tables) DropDatabase(name string) {
	for _, t := range ts.reg.Reader().Tables() {
		if strings.EqualFold(t.Schema(), name) {
			t.Drop()
		}
	}
	ts.closeDropped()
}
