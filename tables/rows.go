package tables

import (
	"slices"
	"strconv"

	"pfsd/instr"
)

// list yields items.
func list[T any](items []T) Source[T] {
	return func(buf []T) int {
		n := copy(buf, items)
		items = items[n:]
		return n
	}
}

// noRow is the row of a table that never has one: its Def says why.
type noRow struct{}

// noRows starts a scan of such a table. never is the getter of its columns: it is never called.
func noRows(Model, Key) Source[noRow] { return list[noRow](nil) }

func never(noRow) Value { return Null }

// each yields what parts returns for each of items. parts may return the same memory each time.
func each[T, U any](items []T, parts func(T) []U) Source[U] {
	var rest []U
	return func(buf []U) int {
		for len(rest) == 0 {
			if len(items) == 0 {
				return 0
			}
			rest = parts(items[0])
			items = items[1:]
		}
		n := copy(buf, rest)
		rest = rest[n:]
		return n
	}
}

// mapped makes a row of each item that src yields. fill sets the whole row, and returns false to
// leave the item out.
func mapped[T, R any](src Source[T], fill func(*R, T) bool) Source[*R] {
	var things []T
	var rows []R
	return func(buf []*R) int {
		if len(things) < len(buf) {
			things = make([]T, len(buf))
		}
		for {
			got := src(things[:len(buf)])
			if len(rows) < got {
				rows = make([]R, got)
			}
			n := 0
			for _, t := range things[:got] {
				if fill(&rows[n], t) {
					buf[n] = &rows[n]
					n++
				}
			}
			if n > 0 || got == 0 {
				return n
			}
		}
	}
}

// kindsWhere returns the kinds of instruments for which is returns true, in the order of setup_instruments.
func kindsWhere(is func(instr.Kind) bool) []instr.Kind {
	return slices.DeleteFunc(instr.Kinds(), func(k instr.Kind) bool { return !is(k) })
}

// allKinds are all kinds of instruments, waitKinds those of waits, objectKinds those whose objects are in
// events_waits_summary_by_instance, lockKinds those of locks for which there is an instrument of how long they are held, and holdKinds
// the kinds of these instruments.
var (
	allKinds    = instr.Kinds()
	waitKinds   = kindsWhere(func(k instr.Kind) bool { return k.Family() == instr.FamilyWaits })
	objectKinds = kindsWhere(instr.Kind.HasObjects)
	lockKinds   = kindsWhere(instr.Kind.HasHolds)
	holdKinds   = kindsWhere(func(k instr.Kind) bool { return k.Family() == instr.FamilyHolds })
)

// classes returns the instruments of some kinds, kind by kind: those that key names in
// column, or all.
func classes(model Model, key Key, column string, kinds ...instr.Kind) []*instr.Class {
	all := model.Classes()
	if name, ok := key.same(column); ok {
		// An UPDATE of all instruments looks up each by its name.
		c := model.ClassByName(name)
		if c == nil || c.Name() != name || !slices.Contains(kinds, c.Kind()) {
			return nil
		}
		return []*instr.Class{c}
	}
	if _, ok := key.Text(column); ok {
		var named []*instr.Class
		for _, c := range all {
			if key.allows(column, Text(c.Name())) {
				named = append(named, c)
			}
		}
		all = named
	}
	var some []*instr.Class
	for _, k := range kinds {
		for _, c := range all {
			if c.Kind() == k {
				some = append(some, c)
			}
		}
	}
	return some
}

// By how many parts of the instruments' names a summary groups its rows: wait, wait/synch,
// wait/synch/mutex, wait/synch/mutex/sql, or the whole name.
const (
	byName  = iota
	byClass // of the taxonomy
	byOrder
	byFamily
	byGenus
)

// taxon is what a row of a summary is about: an instrument, or several whose names begin alike.
type taxon struct {
	name    string
	classes []*instr.Class
}

// taxa groups the instruments of some kinds by the first parts of their names; a name that
// has fewer stands for itself. It returns the group that key names in EVENT_NAME, or all.
func taxa(model Model, key Key, parts int, kinds ...instr.Kind) []taxon {
	if parts == byName {
		all := classes(model, key, "EVENT_NAME", kinds...)
		groups := make([]taxon, len(all))
		for i, c := range all {
			groups[i] = taxon{c.Name(), all[i : i+1]}
		}
		return groups
	}
	var groups []taxon
	place := map[string]int{}
	for _, c := range classes(model, nil, "", kinds...) {
		name := firstParts(c.Name(), parts)
		i, ok := place[name]
		if !ok {
			i = len(groups)
			place[name] = i
			groups = append(groups, taxon{name: name})
		}
		groups[i].classes = append(groups[i].classes, c)
	}
	return slices.DeleteFunc(groups, func(g taxon) bool { return !key.allows("EVENT_NAME", Text(g.name)) })
}

// taxaEstimate is about how many rows taxa makes.
func taxaEstimate(model Model, parts int) int {
	if parts == byName {
		return len(model.FamilyClasses(instr.FamilyWaits))
	}
	return min(len(model.FamilyClasses(instr.FamilyWaits)), 1<<parts)
}

// firstParts returns the first n parts of a name.
func firstParts(name string, n int) string {
	for i := range len(name) {
		if name[i] == '/' {
			if n--; n == 0 {
				return name[:i]
			}
		}
	}
	return name
}

// instances yields the objects of some kinds: the one whose OBJECT_INSTANCE_BEGIN is in key, those
// of the instrument that key names in column, or all.
func instances(model Model, key Key, column string, kinds ...instr.Kind) Source[Instance] {
	if id, ok := key.Uint("OBJECT_INSTANCE_BEGIN"); ok {
		in := model.Instance(id)
		if in == nil || !slices.Contains(kinds, in.Class().Kind()) {
			return list[Instance](nil)
		}
		return list([]Instance{in})
	}
	return each(classes(model, key, column, kinds...), model.Instances)
}

// fileNameLen is how many characters a file's name has in the tables.
const fileNameLen = 512

// fileInstances yields the files with the FILE_NAME in key; if key has none, it yields what
// instances does.
func fileInstances(model Model, key Key) Source[Instance] {
	name, ok := key.name(model, "FILE_NAME")
	if !ok || len(name) >= fileNameLen {
		return instances(model, key, "EVENT_NAME", instr.KindFile)
	}
	var named []Instance
	for _, f := range model.FilesNamed(name) {
		if key.allows("OBJECT_INSTANCE_BEGIN", Uint(f.ID())) && key.allows("EVENT_NAME", Text(f.Class().Name())) {
			named = append(named, f)
		}
	}
	return list(named)
}

// resetInstances returns the TRUNCATE that empties the statistics of all objects of some
// kinds.
func resetInstances(kinds ...instr.Kind) func(Model) {
	return func(model Model) {
		for _, c := range classes(model, nil, "", kinds...) {
			model.ResetInstances(c)
		}
	}
}

// resetClasses returns the TRUNCATE that empties the statistics of all instruments of some
// kinds and of their objects.
func resetClasses(kinds ...instr.Kind) func(Model) {
	return func(model Model) {
		for _, c := range classes(model, nil, "", kinds...) {
			model.ResetClass(c)
		}
	}
}

// fixedEstimate is the estimate for objects: their number is not known without counting them.
// MySQL's estimates are fixed too.
func fixedEstimate(Model) int { return 1000 }

// threadsOf returns the thread with the THREAD_ID in key, or all.
func threadsOf(model Model, key Key) []Thread {
	return threadsNamed(model, key, "THREAD_ID")
}

// threadsNamed returns the thread whose id is in key as column, or all.
func threadsNamed(model Model, key Key, column string) []Thread {
	if some, ok := threadBy(key, column, model.ThreadByID); ok {
		return some
	}
	return model.Threads()
}

// connectionsNamed returns the thread of the connection whose id is in key as column, or all
// threads.
func connectionsNamed(model Model, key Key, column string) []Thread {
	if some, ok := threadBy(key, column, model.ThreadByProcess); ok {
		return some
	}
	return model.Threads()
}

// threadBy returns the thread that find returns for the number that is in key as column; false if
// key has none.
func threadBy(key Key, column string, find func(uint64) Thread) ([]Thread, bool) {
	id, ok := key.Uint(column)
	if !ok {
		return nil, false
	}
	if t := find(id); t != nil {
		return []Thread{t}, true
	}
	return nil, true
}

// waitRow is an event of events_waits_current or a history.
type waitRow struct {
	*instr.WaitEvent
	scan *waitScan
}

// waitScan keeps texts that many events of one scan have in common.
type waitScan struct {
	model   Model
	sources map[uintptr]Value
	objects map[uint64]Value
	locks   map[uint64]*instr.MetadataObject
}

func newWaitScan(model Model) *waitScan {
	return &waitScan{model: model, sources: map[uintptr]Value{}, objects: map[uint64]Value{}, locks: map[uint64]*instr.MetadataObject{}}
}

// ObjectName is OBJECT_NAME, the name of the object that was waited for, after its schema and a dot if it is in one; "" if
// it has none, or does not exist any more. Safe for concurrent use.
func ObjectName(model Model, e *instr.WaitEvent) string {
	r := waitRow{e, newWaitScan(model)}
	schema, name := r.objectSchema(), r.objectName()
	if schema.IsNull() || name.IsNull() {
		return name.s
	}
	return schema.s + "." + name.s
}

// waitRows makes rows of the events that src yields.
func waitRows(model Model, src Source[instr.WaitEvent]) Source[waitRow] {
	scan := newWaitScan(model)
	var events []instr.WaitEvent
	return func(buf []waitRow) int {
		if len(events) < len(buf) {
			events = make([]instr.WaitEvent, len(buf))
		}
		n := src(events[:len(buf)])
		for i := range n {
			buf[i] = waitRow{&events[i], scan}
		}
		return n
	}
}

// threadWaitRows makes rows of the events that read appends for each thread.
func threadWaitRows(read func(Thread, []instr.WaitEvent) []instr.WaitEvent) func(Model, Key) Source[waitRow] {
	return func(model Model, key Key) Source[waitRow] {
		id, one := key.Uint("EVENT_ID")
		var events []instr.WaitEvent
		return waitRows(model, each(threadsOf(model, key), func(t Thread) []instr.WaitEvent {
			events = read(t, events[:0])
			if one {
				events = slices.DeleteFunc(events, func(e instr.WaitEvent) bool { return e.ID != id })
			}
			return events
		}))
	}
}

// head is what all events have in common.
func (r waitRow) head() *instr.EventHead { return &r.EventHead }

// source is the file and line of the event.
func (r waitRow) source() Value {
	v, ok := r.scan.sources[r.Caller]
	if !ok {
		v = sourceText(r.head())
		r.scan.sources[r.Caller] = v
	}
	return v
}

// named reports whether the wait was for a metadata lock or a lock on a row.
func (r waitRow) named() bool {
	return r.Class.Kind() == instr.KindMetadataLock || r.Class.Kind() == instr.KindRowLock
}

// metadata is what the lock is on that was waited for, an empty object if that is not known.
func (r waitRow) metadata() *instr.MetadataObject {
	o, ok := r.scan.locks[r.Object]
	if !ok {
		if o = r.scan.model.MetadataObject(r.Object); o == nil {
			o = new(instr.MetadataObject)
		}
		r.scan.locks[r.Object] = o
	}
	return o
}

// spins is how often a wait for a mutex looked at the mutex again.
func (r waitRow) spins() Value {
	if n, known := r.WaitEvent.Spins(); known {
		return Uint(n)
	}
	return Null
}

// objectSchema is the schema of the object that was waited for.
func (r waitRow) objectSchema() Value {
	if r.named() {
		return schemaName(r.metadata().Schema)
	}
	if t := r.Table(); t != nil {
		return tableSchema(t)
	}
	return Null
}

// indexName is the index that found the rows.
func (r waitRow) indexName() Value {
	if r.Class.Kind() == instr.KindRowLock {
		return textOrNull(cut(r.metadata().Index, 64))
	}
	if !r.OnTable() || r.TableIndex() == instr.NoIndex {
		return Null
	}
	t := r.Table()
	if t == nil || r.TableIndex() >= len(t.Indexes()) {
		return Null
	}
	return Text(cut(t.Indexes()[r.TableIndex()], 64))
}

// objectName is the name of the object that was waited for: of a file or table, of what a lock is
// on, or the address of a socket.
func (r waitRow) objectName() Value {
	switch r.Class.Kind() {
	case instr.KindFile, instr.KindSocket:
	case instr.KindTableIO, instr.KindTableLock:
		if t := r.Table(); t != nil {
			return tableName(t)
		}
		return Null
	case instr.KindMetadataLock, instr.KindRowLock:
		return textOrNull(cut(r.metadata().Name, 512))
	default:
		return Null
	}
	v, ok := r.scan.objects[r.Object]
	if !ok {
		switch in := r.scan.model.Instance(r.Object).(type) {
		case FileInstance:
			v = Text(cut(in.Name(), 512))
		case SocketInstance:
			v = Text(in.IP() + ":" + strconv.Itoa(in.Port()))
		}
		r.scan.objects[r.Object] = v
	}
	return v
}

// objectType is the kind of the object that was waited for.
func (r waitRow) objectType() Value {
	switch r.Class.Kind() {
	case instr.KindFile:
		return Text("FILE")
	case instr.KindSocket:
		return Text("SOCKET")
	case instr.KindTableIO, instr.KindTableLock:
		if t := r.Table(); t != nil {
			return Text(t.Type())
		}
		return Text("TABLE")
	case instr.KindMetadataLock, instr.KindRowLock:
		return textOrNull(r.metadata().Type)
	}
	return Null
}

// statRow is the waits of one or several instruments: all of them, or those for one instance or of
// one waiter.
type statRow struct {
	name   string // the instrument's, or what the names have in common
	object uint64 // the instance's id
	waiter *waiter
	waits  instr.Stat
}

func (r *statRow) stat() *instr.Stat { return &r.waits }

// waiter is who has waited: a thread, an account, a user or a host.
type waiter struct {
	thread     uint64
	user, host string
}

// waiterRows makes the rows of one waiter after another: a row for each taxon.
type waiterRows struct {
	waiter
	taxa  []taxon
	rows  []statRow
	refs  []*statRow
	place []int // of a class's taxon, by the class's id; -1 for none
}

func newWaiterRows(taxa []taxon) *waiterRows {
	w := &waiterRows{taxa: taxa, rows: make([]statRow, len(taxa)), refs: make([]*statRow, len(taxa))}
	for i, t := range taxa {
		w.rows[i] = statRow{name: t.name, waiter: &w.waiter}
		w.refs[i] = &w.rows[i]
		for _, c := range t.classes {
			id := int(c.ID())
			for len(w.place) <= id {
				w.place = append(w.place, -1)
			}
			w.place[id] = i
		}
	}
	return w
}

// of returns the rows of a waiter, which are valid until the next call.
func (w *waiterRows) of(who waiter, waits []instr.ClassWaits) []*statRow {
	w.waiter = who
	for i := range w.rows {
		w.rows[i].waits = instr.NoStat
	}
	for i := range waits {
		s := &waits[i]
		if id := int(s.Class); id < len(w.place) && w.place[id] >= 0 {
			w.rows[w.place[id]].waits.Add(s.Stat)
		}
	}
	return w.refs
}

// threadStatRows starts a scan of the waits of each thread. It leaves out a thread that ends while
// it is read.
func threadStatRows(parts int) func(Model, Key) Source[*statRow] {
	return func(model Model, key Key) Source[*statRow] {
		rows := newWaiterRows(taxa(model, key, parts, waitKinds...))
		var waits []instr.ClassWaits
		return each(threadsOf(model, key), func(t Thread) []*statRow {
			id := t.ID()
			waits = t.AppendWaits(waits[:0])
			if id == 0 || t.ID() != id {
				return nil
			}
			return rows.of(waiter{thread: id}, waits)
		})
	}
}

// threadStatEstimate is about how many rows threadStatRows yields.
func threadStatEstimate(parts int) func(Model) int {
	return func(model Model) int { return model.ThreadCount() * taxaEstimate(model, parts) }
}

// actorStatRows starts a scan of the waits of each account, user or host, by instrument.
func actorStatRows(level instr.ActorLevel) func(Model, Key) Source[*statRow] {
	return func(model Model, key Key) Source[*statRow] {
		rows := newWaiterRows(taxa(model, key, byName, waitKinds...))
		actors := slices.DeleteFunc(model.ActorWaits(level, actorFilter(model, key, "USER", "HOST")), func(a instr.ActorWaits) bool {
			return !allowsActor(key, a.User, a.Host)
		})
		var waits []instr.ClassWaits
		return each(actors, func(a instr.ActorWaits) []*statRow {
			waits = waits[:0]
			for _, t := range rows.taxa {
				waits = append(waits, instr.ClassWaits{Class: t.classes[0].ID(), Stat: a.Waits(t.classes[0])})
			}
			return rows.of(waiter{user: a.User, host: a.Host}, waits)
		})
	}
}

// globalStatRows starts a scan of the global waits.
func globalStatRows(parts int) func(Model, Key) Source[*statRow] {
	return func(model Model, key Key) Source[*statRow] {
		return mapped(list(taxa(model, key, parts, waitKinds...)), func(r *statRow, t taxon) bool {
			*r = statRow{name: t.name, waits: instr.NoStat}
			for _, c := range t.classes {
				r.waits.Add(model.ClassWaits(c))
			}
			return true
		})
	}
}

// actorRows starts a scan of the accounts, users or hosts.
func actorRows(level instr.ActorLevel) func(Model, Key) Source[*instr.Actor] {
	return func(model Model, key Key) Source[*instr.Actor] {
		return mapped(list(model.Actors(level, actorFilter(model, key, "USER", "HOST"))), func(r *instr.Actor, a instr.Actor) bool {
			*r = a
			return allowsActor(key, a.User, a.Host)
		})
	}
}

// actorFilter picks the actors that key names in two columns, and perhaps others: names that
// are longer than their columns are cut.
func actorFilter(model Model, key Key, user, host string) (f instr.ActorFilter) {
	if name, ok := key.name(model, user); ok && len(name) < userNameLen {
		f.User = &name
	}
	if name, ok := key.name(model, host); ok && len(name) < hostNameLen {
		f.Host = &name
	}
	return f
}

// allowsActor reports whether the actor with this name can match.
func allowsActor(key Key, user, host string) bool {
	return key.allows("USER", userName(user)) && key.allows("HOST", hostName(host))
}

// actorEstimate is about how many accounts, users or hosts there are: counting them costs as
// much as reading them.
const actorEstimate = 10

// histogramRow is a bucket of a histogram.
type histogramRow struct {
	of     histogramOf
	bucket int
	count  uint64
	lower  uint64 // in this bucket and those below
	total  uint64 // in all buckets
}

// histogramOf says what a histogram is about: an instrument, a digest, or everything.
type histogramOf struct {
	name           string
	schema, digest Value
}

// histogramRows makes the rows of one histogram after another: of the bucket that a key names, or
// of all.
type histogramRows struct {
	key  Key
	rows []histogramRow
	refs []*histogramRow
}

// of makes the rows of a histogram with so many buckets; they are valid until the next call.
func (h *histogramRows) of(what histogramOf, buckets int, count func(bucket int) uint64) []*histogramRow {
	if len(h.rows) < buckets {
		h.rows = make([]histogramRow, buckets)
	}
	lower := uint64(0)
	for i := range buckets {
		n := count(i)
		lower += n
		h.rows[i] = histogramRow{of: what, bucket: i, count: n, lower: lower}
	}
	h.refs = h.refs[:0]
	for i := range h.rows {
		if h.key.allows("BUCKET_NUMBER", Uint(uint64(i))) {
			h.rows[i].total = lower
			h.refs = append(h.refs, &h.rows[i])
		}
	}
	return h.refs
}

// digestsOf is the filter of the digests that a key allows.
func digestsOf(key Key) (f instr.DigestFilter) {
	if len(key) == 0 {
		return f
	}
	if digest, ok := key.Text("DIGEST"); ok {
		f.Hex = digest
	}
	f.Only = func(schema string, d *instr.Digest) bool {
		return key.allows("SCHEMA_NAME", schemaName(schema)) && key.allows("DIGEST", digestValue(d))
	}
	return f
}

// schemaName is the name of a database as the tables show it.
func schemaName(s string) Value { return textOrNull(cut(s, 64)) }

// digestEstimate is about how many digests there are: counting them costs as much as reading
// them.
const digestEstimate = 1000

// resetHistograms is the TRUNCATE of the histograms of waits.
func resetHistograms(model Model) {
	for _, c := range model.FamilyClasses(instr.FamilyWaits) {
		model.ResetHistogram(c)
	}
}

// ioRow is the operations of an instrument, or of one of its files or sockets.
type ioRow struct {
	class  *instr.Class
	object uint64 // the instance's id
	name   string // the file's
	instr.IOStat
	all instr.Stat
}

func (r *ioRow) instrument() *instr.Class { return r.class }

// set fills the row.
func (r *ioRow) set(c *instr.Class, object uint64, name string, s instr.IOStat) bool {
	*r = ioRow{c, object, name, s, s.All()}
	return true
}

// tableRow is the operations on the rows of a table, or those by one of its indexes; or its locks:
// then Fetch is the locks for reading, and write those for writing.
type tableRow struct {
	table *instr.Table
	index int
	instr.TableIO
	locks      instr.TableLocks
	all, write instr.Stat
}

// indexName is the name of the row's index.
func (r *tableRow) indexName() Value {
	if r.index == instr.NoIndex {
		return Null
	}
	return Text(cut(r.table.Indexes()[r.index], 64))
}

// set fills the row with operations on rows.
func (r *tableRow) set(t *instr.Table, index int, io instr.TableIO) bool {
	*r = tableRow{table: t, index: index, TableIO: io, all: io.All(), write: io.Write()}
	return true
}

// setLocks fills the row with the table's locks.
func (r *tableRow) setLocks(t *instr.Table) bool {
	*r = tableRow{table: t, locks: t.Locks()}
	r.all, r.write = r.locks.All(nil), r.locks.All(instr.TableLock.Write)
	r.Fetch = r.locks.All(func(k instr.TableLock) bool { return !k.Write() })
	return true
}

// objectNameLen is how many characters the names of a table have in the tables.
const objectNameLen = 64

// tablesOf returns those watched tables, according to setup_objects, that key allows.
func tablesOf(model Model, key Key) []*instr.Table {
	schema, hasSchema := key.Text("OBJECT_SCHEMA")
	name, hasName := key.Text("OBJECT_NAME")
	if hasSchema && hasName && len(schema) < objectNameLen && len(name) < objectNameLen {
		return allowedTables(model.TablesNamed(schema, name), key)
	}
	return allowedTables(model.Tables(), key)
}

// allowedTables returns those of all that are watched, according to setup_objects, and that key
// allows.
func allowedTables(all []*instr.Table, key Key) []*instr.Table {
	return slices.DeleteFunc(all, func(t *instr.Table) bool {
		return !key.allows("OBJECT_TYPE", Text(t.Type())) || !key.allows("OBJECT_SCHEMA", tableSchema(t)) ||
			!key.allows("OBJECT_NAME", tableName(t)) || !t.Watched()
	})
}

// after yields the rows of first, and then those of second.
func after[R any](first, second Source[R]) Source[R] {
	return func(buf []R) int {
		if n := first(buf); n > 0 {
			return n
		}
		first = func([]R) int { return 0 }
		return second(buf)
	}
}

// classIORows starts a scan of the instruments of one kind.
func classIORows(kind instr.Kind) func(Model, Key) Source[*ioRow] {
	return func(model Model, key Key) Source[*ioRow] {
		return mapped(list(classes(model, key, "EVENT_NAME", kind)), func(r *ioRow, c *instr.Class) bool {
			return r.set(c, 0, "", model.ClassIO(c))
		})
	}
}
