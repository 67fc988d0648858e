package instr

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"pfsd/ringbuf"
)

// Table is a table of a store that can be watched. Its instruments are wait/io/table/sql/handler,
// for operations on its rows, and wait/lock/table/sql/handler, for locks. setup_objects says
// whether it is watched; changes take effect at once. The code that uses the table opens it, and
// says when it begins and ends to read, write or lock:
//
//	h := t.Open(thread)
//	io := h.StartIO(instr.TableFetch, 0) // by the first index
//	...                                  // read rows
//	io.End(rows)
//	h.Close()
//
// A nil Table stands for one beyond the limit: its methods work and count nothing. Safe for
// concurrent use.
type Table struct {
	registry     *Registry
	schema, name string
	temporary    bool
	indexes      []string
	place        uint64 // among the registry's; part of the ids of its handles
	watch        objectWatch
	dropped      atomic.Bool
	io           *tableIO
	locks        *tableLocks // nil: beyond the limit

	mu         sync.Mutex
	handles    []*TableHandle // those that are open, the oldest first; guarded by mu
	lastHandle uint64         // guarded by mu
}

// tables are the registry's tables. The zero tables has none.
type tables struct {
	mu      sync.RWMutex
	all     map[tableKey]*Table // guarded by mu
	byPlace map[uint64]*Table   // guarded by mu
	last    uint64              // the last one's place; guarded by mu
	// folded are the tables by schema and name in lower case; guarded by mu.
	folded map[tableKey][]*Table

	handlesMu sync.Mutex
	byThread  map[uint64][]*TableHandle // the open ones, by their thread's id; guarded by handlesMu
}

type tableKey struct {
	temporary    bool
	schema, name string
}

// foldedKey is the key of all tables whose schemas and names differ from these in the case of
// ASCII letters alone.
func foldedKey(schema, name string) tableKey {
	return tableKey{false, lowerASCII(schema), lowerASCII(name)}
}

// The id of a table's handle is a mark that sets it apart from other objects' ids, the
// table's place, and the handle's number. Its lowest bits are 0: in an event they tell which
// index is used, from 1.
const (
	tableHandleMark  = 1 << 62
	tablePlaceShift  = 40
	maxTables        = 1<<22 - 1
	tableHandleShift = 7
	tableIndexMask   = 1<<tableHandleShift - 1
	tableHandleMask  = 1<<(tablePlaceShift-tableHandleShift) - 1
)

// NoIndex stands for no index where a row is found, or put, without one.
const NoIndex = -1

// NewTable returns the table with this schema and name, made if need be; letter case matters. If
// there is one with other indexes, it is dropped and a new one is made: see Drop. It returns nil,
// and counts one more as lost, if there are as many as LimitTableInstances allows. Safe for
// concurrent use.
func (r *Registry) NewTable(schema, name string, indexes ...string) *Table {
	return r.newTable(tableKey{false, schema, name}, indexes)
}

// NewTable is Registry.NewTable of the default registry.
func NewTable(schema, name string, indexes ...string) *Table {
	return Default.NewTable(schema, name, indexes...)
}

// NewTemporaryTable is NewTable for a TEMPORARY TABLE, which can exist beside another table with
// the same name. In setup_objects it counts as a table.
func (r *Registry) NewTemporaryTable(schema, name string, indexes ...string) *Table {
	return r.newTable(tableKey{true, schema, name}, indexes)
}

// NewTemporaryTable is Registry.NewTemporaryTable of the default registry.
func NewTemporaryTable(schema, name string, indexes ...string) *Table {
	return Default.NewTemporaryTable(schema, name, indexes...)
}

func (r *Registry) newTable(key tableKey, indexes []string) *Table {
	ts := &r.tables
	ts.mu.RLock()
	t := ts.all[key]
	ts.mu.RUnlock()
	if t != nil && slices.Equal(t.indexes, indexes) {
		return t
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t := ts.all[key]; t != nil {
		if slices.Equal(t.indexes, indexes) {
			return t
		}
		ts.drop(t)
	}
	t = &Table{registry: r, schema: key.schema, name: key.name, temporary: key.temporary, indexes: slices.Clone(indexes)}
	if ts.last == maxTables {
		r.lost[LimitTableInstances].Add(1)
		return nil
	}
	if !r.tableIO.register(func(id uint64) Instance {
		t.io = &tableIO{identity: identity{r.tableIO, id}, indexes: make([]*sharedRowStat, len(indexes)+1)}
		for i := range t.io.indexes {
			if r.acquire(LimitIndexStat) {
				t.io.indexes[i] = new(sharedRowStat)
			}
		}
		return t.io
	}) {
		return nil
	}
	watch(t, t.io)
	if r.tableLock.register(func(id uint64) Instance {
		t.locks = &tableLocks{identity: identity{r.tableLock, id}}
		return t.locks
	}) {
		watch(t, t.locks)
	}
	if ts.all == nil {
		ts.all, ts.byPlace, ts.folded = map[tableKey]*Table{}, map[uint64]*Table{}, map[tableKey][]*Table{}
	}
	ts.last++
	t.place = ts.last
	ts.all[key], ts.byPlace[t.place] = t, t
	folded := foldedKey(t.schema, t.name)
	ts.folded[folded] = append(ts.folded[folded], t)
	return t
}

// drop removes a table from the lists. The caller holds mu.
func (ts *tables) drop(t *Table) {
	key := tableKey{t.temporary, t.schema, t.name}
	if ts.all[key] != t {
		return
	}
	delete(ts.all, key)
	delete(ts.byPlace, t.place)
	folded := foldedKey(t.schema, t.name)
	if left := slices.DeleteFunc(ts.folded[folded], func(o *Table) bool { return o == t }); len(left) > 0 {
		ts.folded[folded] = left
	} else {
		delete(ts.folded, folded)
	}
	t.dropped.Store(true)
	t.io.class.hide(t.io)
	for _, stat := range t.io.indexes {
		if stat != nil {
			t.registry.release(LimitIndexStat)
		}
	}
	if t.locks != nil {
		t.locks.class.hide(t.locks)
	}
}

// Drop says that the table has been dropped, or has another name now: it is not shown any more.
// What it has counted, and operations on it that are still in progress, only count for the
// instruments. Safe for concurrent use.
func (t *Table) Drop() {
	if t == nil {
		return
	}
	ts := &t.registry.tables
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.drop(t)
}

// DropTable drops the table with this schema and name, if there is one, but no temporary one.
// Safe for concurrent use.
func (r *Registry) DropTable(schema, name string) {
	ts := &r.tables
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t := ts.all[tableKey{false, schema, name}]; t != nil {
		ts.drop(t)
	}
}

// DropTable is Registry.DropTable of the default registry.
func DropTable(schema, name string) { Default.DropTable(schema, name) }

// Dropped reports whether the table is dropped: NewTable then returns another one. Safe for concurrent use.
func (t *Table) Dropped() bool { return t != nil && t.dropped.Load() }

// Tables returns the tables that there are, in the order in which they were made. Safe for
// concurrent use.
func (h Reader) Tables() []*Table {
	ts := &h.r.tables
	ts.mu.RLock()
	all := make([]*Table, 0, len(ts.all))
	for _, t := range ts.all {
		all = append(all, t)
	}
	ts.mu.RUnlock()
	slices.SortFunc(all, func(a, b *Table) int { return cmp.Compare(a.place, b.place) })
	return all
}

// TablesNamed returns the tables with this schema and name, without regard to the case of ASCII
// letters, in the order in which they were made. Safe for concurrent use.
func (h Reader) TablesNamed(schema, name string) []*Table {
	ts := &h.r.tables
	ts.mu.RLock()
	defer ts.mu.RUnlock()
	return slices.Clone(ts.folded[foldedKey(schema, name)])
}

// TablesUsedBy returns the tables that the thread with this id has open, each once, in the order in
// which they were opened. Safe for concurrent use.
func (h Reader) TablesUsedBy(thread uint64) (all []*Table) {
	ts := &h.r.tables
	ts.handlesMu.Lock()
	defer ts.handlesMu.Unlock()
	for _, h := range ts.byThread[thread] {
		if !slices.Contains(all, h.table) {
			all = append(all, h.table)
		}
	}
	return all
}

// TableOfHandle returns the table that the handle with this id belongs to, or belonged to; nil if
// there is none. Safe for concurrent use.
func (h Reader) TableOfHandle(id uint64) *Table {
	if id&tableHandleMark == 0 {
		return nil
	}
	ts := &h.r.tables
	ts.mu.RLock()
	defer ts.mu.RUnlock()
	return ts.byPlace[id>>tablePlaceShift&maxTables]
}

// Type is TABLE or TEMPORARY TABLE.
func (t *Table) Type() string {
	if t.temporary {
		return "TEMPORARY TABLE"
	}
	return "TABLE"
}

// Schema is the schema that the table is in.
func (t *Table) Schema() string { return t.schema }

// Name is the table's name in its schema.
func (t *Table) Name() string { return t.name }

// Indexes are the names of the table's indexes. The list must not be changed.
func (t *Table) Indexes() []string { return t.indexes }

// Index is the number of the index with this name, NoIndex if there is none. A nil Table has none.
func (t *Table) Index(name string) int {
	if t == nil {
		return NoIndex
	}
	return slices.Index(t.indexes, name)
}

// Watched reports whether the table is watched, as setup_objects says.
func (t *Table) Watched() bool { return t.watched().enabled }

func (t *Table) watched() objectSwitches {
	return t.watch.switches(t.registry, ObjectTable, t.schema, t.name)
}

// ResetTableIO empties the statistics of what was done with the rows of all tables. Safe for
// concurrent use.
func (h Reader) ResetTableIO() { h.r.tableIO.ResetInstances() }

// ResetTableLocks empties the statistics of the locks of all tables. Safe for concurrent use.
func (h Reader) ResetTableLocks() { h.r.tableLock.ResetInstances() }

// IO is the operations on rows that were found by an index, or without one: NoIndex. Safe for
// concurrent use.
func (t *Table) IO(index int) TableIO {
	if s := t.io.stat(index); s != nil {
		return s.read()
	}
	return NoTableIO
}

// Locks is how often and how long each kind of lock was waited for. Safe for concurrent use.
func (t *Table) Locks() TableLocks {
	if t.locks == nil {
		return noTableLocks
	}
	return t.locks.read()
}

// watching returns the switches of an operation on the table that begins now, 0 if it is not to be
// counted. sw is the switches of its class.
func (t *Table) watching(sw switches) switches {
	w := t.watched()
	if !w.enabled {
		return 0
	}
	if !w.timed {
		sw &^= swTimed | swHistogram | swInstanceHistogram
	}
	return sw
}

// TableHandle is a table that a thread has open, a row of table_handles. It is owned by the
// goroutine of its thread. A nil TableHandle stands for one of a lost table or beyond
// LimitTableHandles: its methods work and count nothing.
type TableHandle struct {
	table    *Table
	thread   *Thread
	threadID uint64 // the thread's id; the record may serve another thread later
	id       uint64

	// Written by the owner, read by anybody.
	used  uint64 // between Use and EndUse twice the id of the event that uses it, plus 1; else 0
	locks uint64 // the kind of the internal lock plus 1, and 256 times that of the external one; 0 for none
}

// Open opens the table for a thread. The thread may be nil: then the operations belong to no
// thread. Owned by the thread's goroutine.
func (t *Table) Open(thread *Thread) *TableHandle {
	if t == nil || !t.registry.acquire(LimitTableHandles) {
		return nil
	}
	h := &TableHandle{table: t, thread: thread}
	if thread != nil && thread.registry == t.registry {
		h.threadID = thread.ID()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lastHandle++
	h.id = tableHandleMark | t.place<<tablePlaceShift | t.lastHandle&tableHandleMask<<tableHandleShift
	t.handles = append(t.handles, h)
	ts := &t.registry.tables
	ts.handlesMu.Lock()
	defer ts.handlesMu.Unlock()
	if ts.byThread == nil {
		ts.byThread = map[uint64][]*TableHandle{}
	}
	ts.byThread[h.threadID] = append(ts.byThread[h.threadID], h)
	return h
}

// Close closes the table, once.
func (h *TableHandle) Close() {
	if h == nil {
		return
	}
	t := h.table
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.handles, h)
	if i < 0 {
		return
	}
	t.handles = slices.Delete(t.handles, i, i+1)
	t.registry.release(LimitTableHandles)
	ts := &t.registry.tables
	ts.handlesMu.Lock()
	defer ts.handlesMu.Unlock()
	if left := slices.DeleteFunc(ts.byThread[h.threadID], func(o *TableHandle) bool { return o == h }); len(left) > 0 {
		ts.byThread[h.threadID] = left
	} else {
		delete(ts.byThread, h.threadID)
	}
}

// Table is the table that is open, nil if the handle is.
func (h *TableHandle) Table() *Table {
	if h == nil {
		return nil
	}
	return h.table
}

// Use says that the thread's present event, such as a statement, uses the handle until EndUse.
func (h *TableHandle) Use() {
	if h == nil {
		return
	}
	event := uint64(0)
	if t := h.recorder(); t != nil {
		event = t.nesting >> 2
	}
	ringbuf.Store(&h.used, event<<1|1)
}

// EndUse says that nothing uses the handle any more, and that it has no locks. It stays open.
func (h *TableHandle) EndUse() {
	if h == nil {
		return
	}
	ringbuf.Store(&h.used, 0)
	ringbuf.Store(&h.locks, 0)
}

// recorder is the handle's thread, nil if it has ended.
func (h *TableHandle) recorder() *Thread {
	if h.threadID == 0 || h.thread.ID() != h.threadID {
		return nil
	}
	return h.thread
}

// TableHandleInfo is a copy of what table_handles shows of a handle.
type TableHandleInfo struct {
	Table *Table
	ID    uint64
	// Thread and Event are the thread and the event that use the handle, 0 if nothing does. Event
	// is 0 also if it is not recorded.
	Thread, Event uint64
	// Internal and External are the locks that the thread has through the handle, if it has any.
	Internal, External       TableLock
	HasInternal, HasExternal bool
}

// TableHandles returns the handles of a table that are open, the oldest first. Safe for
// concurrent use.
func (t *Table) TableHandles() []TableHandleInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]TableHandleInfo, 0, len(t.handles))
	for _, h := range t.handles {
		info := TableHandleInfo{Table: t, ID: h.id}
		if used := ringbuf.Load(&h.used); used != 0 {
			info.Thread, info.Event = h.threadID, used>>1
		}
		locks := ringbuf.Load(&h.locks)
		if internal := locks & 0xff; internal != 0 {
			info.Internal, info.HasInternal = TableLock(internal-1), true
		}
		if external := locks >> 8; external != 0 {
			info.External, info.HasExternal = TableLock(external-1), true
		}
		all = append(all, info)
	}
	return all
}

// TableOp is an operation on rows.
type TableOp uint8

// The operations.
const (
	TableFetch TableOp = iota
	TableInsert
	TableUpdate
	TableDelete
	tableOpCount
)

// TableWait is an operation in progress on a table. The zero TableWait counts nothing. Owned by
// the goroutine that has begun it.
type TableWait struct {
	wait   wait
	handle *TableHandle
	index  int16
	op     uint8 // a TableOp, or lockOp and a TableLock
}

// lockOp sets locks apart from operations on rows.
const lockOp = 1 << 7

// start starts an operation on the table in class c.
func (h *TableHandle) start(c *Class, op Op, index int, caller uintptr) wait {
	sw := switches(c.switches.Load())
	if sw == 0 {
		return wait{}
	}
	if sw = h.table.watching(sw); sw == 0 {
		return wait{}
	}
	object := h.id
	if index >= 0 && index < tableIndexMask {
		object |= uint64(index) + 1
	}
	return c.beginHandle(h.recorder(), sw, op, object, caller)
}

// StartIO starts an operation on rows that are found by an index, or without one: NoIndex. One
// operation may be for many rows that are read one after the other; what the thread does between
// two rows is then part of it. The operations of one thread must end in the opposite order in which
// they start, but an operation that a panic has left needs no end. Owned by the thread's goroutine.
//
//go:noinline
func (h *TableHandle) StartIO(op TableOp, index int) TableWait {
	if h == nil {
		return TableWait{}
	}
	return TableWait{h.start(h.table.registry.tableIO, OpFetch+Op(op), index, callerPC()), h, int16(index), uint8(op)}
}

// StartLock starts a wait for a lock on the table; End(0) says that the thread has the lock, until
// EndUse. Owned by the thread's goroutine.
//
//go:noinline
func (h *TableHandle) StartLock(kind TableLock) TableWait {
	if h == nil {
		return TableWait{}
	}
	return TableWait{h.start(h.table.registry.tableLock, OpReadNormal+Op(kind), NoIndex, callerPC()), h, NoIndex, lockOp | uint8(kind)}
}

// End ends the operation, once. An operation for n rows counts as n operations, each of which took an equal part of
// its time. With 0 rows it is an event, but counts nowhere; a lock counts with 0 rows.
func (w TableWait) End(rows int) {
	h := w.handle
	if h == nil {
		return
	}
	if w.op&lockOp != 0 {
		w.locked()
		return
	}
	if !w.wait.counted() {
		return
	}
	t := h.table
	n := uint64(max(rows, 0))
	cycles := w.wait.endMany(t.registry.tableIO, n, n)
	if n == 0 {
		return
	}
	if stat := t.io.stat(int(w.index)); stat != nil {
		stat.record(TableOp(w.op), w.wait.timed(), cycles, n)
	} else {
		t.registry.tableIO.direct.recordMany(w.wait.timed(), cycles, n)
	}
	runtime.KeepAlive(t)
}

// locked ends the wait for a lock.
func (w TableWait) locked() {
	h, kind := w.handle, TableLock(w.op&^lockOp)
	if locks := ringbuf.Load(&h.locks); kind.external() {
		ringbuf.Store(&h.locks, locks&0xff|(uint64(kind)+1)<<8)
	} else {
		ringbuf.Store(&h.locks, locks&^0xff|uint64(kind)+1)
	}
	if !w.wait.counted() {
		return
	}
	t := h.table
	cycles := w.wait.end(t.registry.tableLock, 0)
	if t.locks != nil {
		t.locks.record(kind, w.wait.timed(), cycles)
	} else {
		t.registry.tableLock.direct.record(w.wait.timed(), cycles)
	}
	runtime.KeepAlive(t)
}

// Table is the table that a wait was for; nil if the wait was for anything else, or the table does
// not exist any more.
func (e *WaitEvent) Table() *Table {
	if !e.OnTable() {
		return nil
	}
	return e.Class.registry.Reader().TableOfHandle(e.Object)
}

// OnTable reports whether the wait was for a table.
func (e *WaitEvent) OnTable() bool {
	return e.Class.kind == KindTableIO || e.Class.kind == KindTableLock
}

// TableIndex is the number of the index that an operation on rows of a table used, NoIndex if
// none.
func (e *WaitEvent) TableIndex() int { return int(e.tableIndex) - 1 }
