package tables

import (
	"fmt"
	"slices"

	"pfsd/instr"
)

// modelTable is a table that is watched.
type modelTable struct {
	schema, name string
	temporary    bool
	indexes      []string
	product      *instr.Table
	place        uint64
	gone         bool
	handles      uint64 // there have been
	// counted are the indexes, and at the end no index, that have statistics.
	counted   []bool
	io        []instr.TableIO
	hasLocks  bool
	lockStats instr.TableLocks
}

// modelHandle is a row of table_handles.
type modelHandle struct {
	table       *modelTable
	product     *instr.TableHandle
	routine     *modelRoutine
	thread      *modelThread // nil: none
	id          uint64
	used        bool
	owner       uint64
	event       uint64
	locks       [2]string // internal, external
	instruments bool      // it is no lost one
}

// tableModel is the tables of the model.
type tableModel struct {
	tables       []*modelTable // those that are not gone
	tableHandles []*modelHandle
	places       uint64
}

var noLocks = func() (none instr.TableLocks) {
	for k := range none {
		none[k] = instr.NoStat
	}
	return none
}()

// watchedTables are the tables that are shown.
func (m *model) watchedTables() []*modelTable {
	return slices.DeleteFunc(slices.Clone(m.tables), func(t *modelTable) bool {
		enabled, _ := m.watchedObject(instr.ObjectTable, t.schema, t.name)
		return !enabled
	})
}

func (t *modelTable) kind() string {
	if t.temporary {
		return "TEMPORARY TABLE"
	}
	return "TABLE"
}

// total is all operations on rows, with and without an index.
func (t *modelTable) total() instr.TableIO {
	sum := instr.NoTableIO
	for _, io := range t.io {
		sum.Add(io)
	}
	return sum
}

func (t *modelTable) reset(io, locks bool) {
	for i := range t.io {
		if io {
			t.io[i] = instr.NoTableIO
		}
	}
	if locks {
		t.lockStats = noLocks
	}
}

func (m *model) resetTables(io, locks bool) {
	for _, t := range m.tables {
		t.reset(io, locks)
	}
}

// dropTable drops a table.
func (m *model) dropTable(t *modelTable) {
	t.gone = true
	m.tables = slices.DeleteFunc(m.tables, func(o *modelTable) bool { return o == t })
	m.tableIO().own.Misc.Add(t.total().All())
	m.tableLocks().own.Misc.Add(t.lockStats.All(nil))
}

// newTable makes a table; nil if it is lost.
func (m *model) newTable(temporary bool, schema, name string, indexes []string) *modelTable {
	for _, t := range m.tables {
		if t.temporary == temporary && t.schema == schema && t.name == name {
			if slices.Equal(t.indexes, indexes) {
				return t
			}
			m.dropTable(t)
			break
		}
	}
	if m.full(instr.LimitTableInstances, len(m.tables)) {
		return nil
	}
	counted, locks := 0, 0
	for _, t := range m.tables {
		for _, c := range t.counted {
			if c {
				counted++
			}
		}
		if t.hasLocks {
			locks++
		}
	}
	t := &modelTable{schema: schema, name: name, temporary: temporary, indexes: indexes, lockStats: noLocks}
	for range len(indexes) + 1 {
		has := !m.full(instr.LimitIndexStat, counted)
		if has {
			counted++
		}
		t.counted, t.io = append(t.counted, has), append(t.io, instr.NoTableIO)
	}
	t.hasLocks = !m.full(instr.LimitTableLockStat, locks)
	m.places++
	t.place = m.places
	m.tables = append(m.tables, t)
	return t
}

// tableStat is where an operation on rows counts.
func (m *model) tableStat(t *modelTable, op instr.TableOp, index int) *instr.Stat {
	if index == instr.NoIndex {
		index = len(t.indexes)
	}
	if t.gone || !t.counted[index] {
		return &m.tableIO().own.Misc
	}
	io := &t.io[index]
	return []*instr.Stat{&io.Fetch, &io.Insert, &io.Update, &io.Delete}[op]
}

// lockStat is where a lock counts.
func (m *model) lockStat(t *modelTable, kind instr.TableLock) *instr.Stat {
	if t.gone || !t.hasLocks {
		return &m.tableLocks().own.Misc
	}
	return &t.lockStats[kind]
}

var (
	tableNames   = []string{"OBJECT_TYPE", "OBJECT_SCHEMA", "OBJECT_NAME"}
	tableIONames = slices.Concat(waitStatNames, statNames("READ", "READ"), statNames("WRITE", "WRITE"), statNames("FETCH", "FETCH"),
		statNames("INSERT", "INSERT"), statNames("UPDATE", "UPDATE"), statNames("DELETE", "DELETE"))
	lockKindNames = []string{
		"READ_NORMAL", "READ_WITH_SHARED_LOCKS", "READ_HIGH_PRIORITY", "READ_NO_INSERT", "READ_EXTERNAL",
		"WRITE_ALLOW_WRITE", "WRITE_CONCURRENT_INSERT", "WRITE_LOW_PRIORITY", "WRITE_NORMAL", "WRITE_EXTERNAL",
	}
)

func tableIOCells(io instr.TableIO) []string {
	writes := io.Insert
	writes.Add(io.Update)
	writes.Add(io.Delete)
	all := writes
	all.Add(io.Fetch)
	return slices.Concat(statCells(all), statCells(io.Fetch), statCells(writes), statCells(io.Fetch), statCells(io.Insert), statCells(io.Update), statCells(io.Delete))
}

func (m *model) expectTables(x *expectation) {
	byTable := x.table("table_io_waits_summary_by_table", 3, slices.Concat(tableNames, tableIONames)...)
	byIndex := x.table("table_io_waits_summary_by_index_usage", 4, slices.Concat(tableNames, []string{"INDEX_NAME"}, tableIONames)...)
	lockNames := slices.Concat(tableNames, waitStatNames, statNames("READ", "READ"), statNames("WRITE", "WRITE"))
	for _, name := range lockKindNames {
		lockNames = append(lockNames, statNames(name, name)...)
	}
	locks := x.table("table_lock_waits_summary_by_table", 3, lockNames...)
	objects := x.table("objects_summary_global_by_type", 3, slices.Concat(tableNames, waitStatNames)...)
	handles := x.table("table_handles", 1, slices.Concat([]string{"OBJECT_INSTANCE_BEGIN"}, tableNames, []string{"OWNER_THREAD_ID", "OWNER_EVENT_ID", "INTERNAL_LOCK", "EXTERNAL_LOCK"})...)
	for _, t := range m.watchedTables() {
		key := []string{t.kind(), t.schema, t.name}
		byTable.row(slices.Concat(key, tableIOCells(t.total()))...)
		for i, io := range t.io {
			name := "NULL"
			if i < len(t.indexes) {
				name = t.indexes[i]
			}
			byIndex.row(slices.Concat(key, []string{name}, tableIOCells(io))...)
		}
		reads, writes := instr.NoStat, instr.NoStat
		var cells []string
		for k, s := range t.lockStats {
			if k < 5 {
				reads.Add(s)
			} else {
				writes.Add(s)
			}
			cells = append(cells, statCells(s)...)
		}
		all := reads
		all.Add(writes)
		locks.row(slices.Concat(key, statCells(all), statCells(reads), statCells(writes), cells)...)
		all.Add(t.total().All())
		objects.row(slices.Concat(key, statCells(all))...)
		for _, h := range m.tableHandles {
			if h.table == t && h.instruments {
				owner, event := uint64(0), uint64(0)
				if h.used {
					owner, event = h.owner, h.event
				}
				handles.row(slices.Concat([]string{num(h.id)}, key, []string{num(owner), num(event), orNull(h.locks[0]), orNull(h.locks[1])})...)
			}
		}
	}
	for _, p := range m.programs {
		objects.row(slices.Concat([]string{modelObjectTypes[p.kind], p.schema, p.name}, p.runs.cells())...)
	}
}

// objectCells are OBJECT_TYPE, OBJECT_SCHEMA and INDEX_NAME of an event.
func (e *modelEvent) objectCells() []string {
	switch e.class.kind {
	case instr.KindFile:
		return []string{"FILE", "NULL", "NULL"}
	case instr.KindSocket:
		return []string{"SOCKET", "NULL", "NULL"}
	case instr.KindTableIO, instr.KindTableLock:
		switch {
		case e.table.gone:
			return []string{"TABLE", "NULL", "NULL"}
		case e.index == instr.NoIndex:
			return []string{e.table.kind(), e.table.schema, "NULL"}
		}
		return []string{e.table.kind(), e.table.schema, e.table.indexes[e.index]}
	}
	return []string{"NULL", "NULL", "NULL"}
}

// onTable lets a handle's owner do an operation on the table, which counts for so many rows.
func (w *modelWorld) onTable(h *modelHandle, c *modelClass, op instr.Op, index, rows int, stat func() *instr.Stat, do func()) {
	t := h.table
	enabled, timed := w.watchedObject(instr.ObjectTable, t.schema, t.name)
	if !enabled || !h.instruments {
		c = nil
	}
	var thread *modelThread
	if h.thread != nil && !h.thread.ended {
		thread = h.thread
	}
	m := w.begin(thread, c, op, !timed)
	if m.event != nil {
		m.event.object, m.event.table, m.event.index = h.id, t, index
	}
	if c == nil {
		w.in(h.routine, do)
		return
	}
	waits := w.reg.Reader().ClassByName(c.name).Waits
	before := waits()
	w.in(h.routine, do)
	after := waits()
	want := uint64(0)
	if m.counted {
		want = uint64(rows)
	}
	if got := after.Count - before.Count; got != want {
		w.fail("%s %s: counted %d times, want %d", c.name, op, got, want)
	}
	if !m.counted {
		return
	}
	cycles, bucket := after.Sum-before.Sum, 0
	if m.buckets {
		bucket = w.bucket(cycles)
	}
	s := instr.NoStat
	if rows > 0 {
		s.Count = uint64(rows)
		if m.timed {
			each := cycles / s.Count
			s.Sum, s.Min, s.Max = cycles, each, each
		} else {
			s.Untimed = s.Count
		}
		stat().Add(s)
	}
	w.ended(m, s, h.id, bucket, uint64(rows))
}

func (h *modelHandle) String() string {
	return fmt.Sprintf("%s: handle %d of %s.%s", h.routine, h.id, h.table.schema, h.table.name)
}

var modelTableOps = []modelOp{
	{"open table", 5, func(w *modelWorld, a, b, c uint32) string {
		if len(w.tableHandles) >= 8 {
			return ""
		}
		r := pick(w.routines, a)
		schema, name, temporary := pick([]string{"db1", "db2", "mysql"}, b), pick([]string{"t1", "t2"}, b/4), b/8%4 == 0
		indexes := pick([][]string{nil, {"PRIMARY"}, {"PRIMARY"}, {"PRIMARY", "by_name"}, {"PRIMARY", "by_name"}, {"PRIMARY", "by_name"}}, c)
		var product *instr.Table
		if temporary {
			product = w.reg.NewTemporaryTable(schema, name, indexes...)
		} else {
			product = w.reg.NewTable(schema, name, indexes...)
		}
		t := w.newTable(temporary, schema, name, indexes)
		if (t == nil) != (product == nil) || t != nil && t.product != nil && t.product != product {
			w.fail("the table %s.%s is %v", schema, name, product)
		}
		if t == nil {
			return "lost"
		}
		t.product = product
		h := &modelHandle{table: t, routine: r, thread: r.thread}
		var thread *instr.Thread
		if r.thread != nil {
			thread = r.handle
		}
		w.in(r, func() { h.product = product.Open(thread) })
		open := 0
		for _, o := range w.tableHandles {
			if o.instruments {
				open++
			}
		}
		h.instruments = !w.full(instr.LimitTableHandles, open)
		if h.instruments != (h.product != nil) {
			w.fail("the handle of %s.%s is %v", schema, name, h.product)
		}
		if h.instruments {
			t.handles++
			h.id = 1<<62 | t.place<<40 | t.handles<<7
		}
		w.tableHandles = append(w.tableHandles, h)
		return h.String()
	}},
	{"close table", 2, func(w *modelWorld, a, b, c uint32) string {
		if len(w.tableHandles) == 0 {
			return ""
		}
		i := int(a % uint32(len(w.tableHandles)))
		h := w.tableHandles[i]
		w.in(h.routine, h.product.Close)
		w.tableHandles = slices.Delete(w.tableHandles, i, i+1)
		return h.String()
	}},
	{"drop table", 1, func(w *modelWorld, a, b, c uint32) string {
		if len(w.tables) == 0 {
			return ""
		}
		t := pick(w.tables, a)
		t.product.Drop()
		w.dropTable(t)
		return t.schema + "." + t.name
	}},
	{"use table", 3, func(w *modelWorld, a, b, c uint32) string {
		if len(w.tableHandles) == 0 {
			return ""
		}
		h := pick(w.tableHandles, a)
		if b%3 == 0 {
			w.in(h.routine, h.product.EndUse)
			h.used, h.locks = false, [2]string{}
			return h.String() + " rests"
		}
		w.in(h.routine, h.product.Use)
		h.used, h.owner, h.event = true, 0, 0
		if h.thread != nil {
			h.owner = h.thread.id
			if !h.thread.ended {
				h.event = h.thread.waitsIn.id
			}
		}
		return h.String()
	}},
	{"lock table", 5, func(w *modelWorld, a, b, c uint32) string {
		if len(w.tableHandles) == 0 {
			return ""
		}
		h := pick(w.tableHandles, a)
		kind := instr.TableLock(b % uint32(instr.TableLockCount))
		op := instr.OpReadNormal + instr.Op(kind)
		w.onTable(h, w.tableLocks(), op, instr.NoIndex, 1, func() *instr.Stat { return w.lockStat(h.table, kind) }, func() { h.product.StartLock(kind).End(0) })
		at := 0
		if kind == instr.LockReadExternal || kind == instr.LockWriteExternal {
			at = 1
		}
		h.locks[at] = kind.String()
		return fmt.Sprintf("%s: %s", h, op)
	}},
	{"rows", 15, func(w *modelWorld, a, b, c uint32) string {
		if len(w.tableHandles) == 0 {
			return ""
		}
		h := pick(w.tableHandles, a)
		kind := instr.TableOp(b % 4)
		index, rows := int(b/4%uint32(len(h.table.indexes)+1))-1, int(pick([]uint32{1, 1, 0, 2, 1000}, c))
		op := instr.OpFetch + instr.Op(kind)
		w.onTable(h, w.tableIO(), op, index, rows, func() *instr.Stat { return w.tableStat(h.table, kind, index) }, func() { h.product.StartIO(kind, index).End(rows) })
		return fmt.Sprintf("%s: %s %d by %d", h, op, rows, index)
	}},
}
