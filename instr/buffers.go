package instr

import (
	"sync/atomic"
	"unsafe"

	"pfsd/ringbuf"
)

// size is how many bytes a T takes.
func size[T any]() int {
	var t T
	return int(unsafe.Sizeof(t))
}

// listBytes is how many bytes a list takes, its spare places included.
func listBytes[T any](l []T) int { return cap(l) * size[T]() }

// indexBytes is how many bytes a map of lists takes, without the texts of its keys.
func indexBytes[K comparable, T any](index map[K][]T) (n int) {
	for _, l := range index {
		n += size[K]() + size[[]T]() + listBytes(l)
	}
	return n
}

// Buffer is how much memory a registry takes for one thing.
type Buffer struct {
	Name    string // without memory/performance_schema/
	RowSize int    // bytes; 0 where rows differ
	Rows    int    // empty ones included
	Bytes   int    // of everything: more than Rows * RowSize where rows refer to other memory
}

// Buffers returns what memory the registry takes, by name: SHOW ENGINE PERFORMANCE_SCHEMA STATUS.
// It costs about as much as to read the histories. Safe for concurrent use.
func (h Reader) Buffers() []Buffer {
	h.r.measureBuffers()
	all := make([]Buffer, bufferCount)
	for b := range bufferCount {
		stat, rows := h.r.buffers[b].read()
		all[b] = Buffer{buffers[b].name, buffers[b].row, rows, int(stat.Bytes())}
	}
	return all
}

// measured is the part of each buffer that is measured.
type measured [bufferCount]amount

// measureBuffers measures the memory that is not counted when it is allocated.
func (r *Registry) measureBuffers() {
	m := new(measured)
	m.classes(r)
	m.threads(r)
	m.actors(r)
	m.digests(r)
	m.setup(r)
	m.meters(r)
	m.metadataLocks(r)
	for b := range bufferCount {
		r.buffers[b].measure(m[b])
	}
}

// metadataLocks measures the records of metadata locks. The objects that are locked belong to the
// lock manager.
func (m *measured) metadataLocks(r *Registry) {
	l := &r.metadata
	l.mu.Lock()
	defer l.mu.Unlock()
	m[bufMetadataLocks].add(0, listBytes(l.ids)+len(l.waited)*(size[uint64]()+size[*MetadataObject]()))
	for _, c := range l.classes {
		c.mu.Lock()
		m[bufMetadataLocks].add(len(c.locks), listBytes(c.locks)+len(c.locks)*size[MetadataLock]())
		c.mu.Unlock()
		m[bufRegistry].add(0, size[*Class]()+size[*MetadataLockClass]()+size[MetadataLockClass]())
	}
}

// perPBytes returns how many Ts the processors have, and how many bytes these take.
func perPBytes[T any](s *ringbuf.PerP[T]) (n, bytes int) {
	all := s.All()
	for _, t := range all {
		if t != nil {
			n++
		}
	}
	if all == nil {
		return 0, 0
	}
	return n, size[[]*T]() + listBytes(all) + n*size[T]()
}

func (s *sharedStat) bytes() int   { _, n := perPBytes(&s.cells); return n }
func (s *sharedIOStat) bytes() int { _, n := perPBytes(&s.cells); return n }

// bytes returns how many shards there are, and how many bytes they take.
func (c *bucketCounts[T]) bytes() (shards, bytes int) {
	s := c.shards.Load()
	if s == nil {
		return 0, 0
	}
	shards, bytes = perPBytes(s)
	return shards, bytes + int(unsafe.Sizeof(*s))
}

// bytes is how many bytes the class takes, without its objects.
func (c *Class) bytes() int {
	n := size[Class]() + len(c.name) + c.direct.bytes() + c.directIO.bytes()
	if doc := c.doc.Load(); doc != nil {
		n += size[string]() + len(*doc)
	}
	if c.memory != nil && !c.own {
		n += size[sharedMemory]()
	}
	return n
}

// classes measures instruments, and what belongs to their objects.
func (m *measured) classes(r *Registry) {
	r.mu.Lock()
	registry := &m[bufRegistry]
	lists := append([]*classList{&r.classes}, r.familyLists()...)
	registry.add(1, size[Registry]()+listBytes(r.patterns))
	for _, p := range r.patterns {
		registry.add(0, len(p.text))
	}
	for _, names := range []map[string]*Class{r.byName, r.lostNames} {
		for name := range names {
			registry.add(0, size[string]()+len(name)+size[*Class]())
		}
	}
	classes := r.classes.all()
	for _, c := range r.lostNames {
		classes = append(classes[:len(classes):len(classes)], c)
	}
	r.mu.Unlock()
	for _, l := range lists {
		if all := l.all(); all != nil {
			registry.add(0, size[[]*Class]()+listBytes(all))
		}
	}
	r.goMemory.mu.Lock()
	registry.add(0, listBytes(r.goMemory.stats)+listBytes(r.goMemory.samples))
	for _, s := range r.goMemory.samples {
		registry.add(0, len(s.Name))
	}
	r.goMemory.mu.Unlock()
	r.sources.Range(func(_, source any) bool {
		registry.add(0, size[uintptr]()+size[string]()+len(source.(string)))
		return true
	})
	for _, c := range classes {
		c.mu.Lock()
		m[kinds[c.kind].buffers.classes].add(1, c.bytes())
		m[bufWaitsHistogram].add(0, c.instanceTimes.Load().bytes())
		c.eachHistogram(func(h *histogram) { m[bufWaitsHistogram].add(h.bytes()) })
		in := &m[kinds[c.kind].buffers.instances]
		in.add(0, listBytes(c.instances)+len(c.hidden)*(size[uint64]()+size[Instance]()))
		for _, i := range c.instances {
			in.add(0, i.bytes())
		}
		for _, i := range c.hidden {
			in.add(0, i.bytes())
		}
		c.mu.Unlock()
	}
	r.files.mu.Lock()
	for name := range r.files.byName {
		m[bufFileInstances].add(0, size[string]()+len(name)+size[*fileHandle]()+size[fileHandle]())
	}
	m[bufFileInstances].add(0, indexBytes(r.files.folded))
	for name := range r.files.folded {
		m[bufFileInstances].add(0, len(name))
	}
	r.files.mu.Unlock()
}

func (r *Registry) familyLists() (lists []*classList) {
	for f := range r.families {
		lists = append(lists, &r.families[f])
	}
	return lists
}

// threads measures threads, their running and ended events, and the long histories.
func (m *measured) threads(r *Registry) {
	ts := &r.threads
	ts.mu.Lock()
	for t := range r.status.unlisted {
		m[bufThreads].add(1, size[*Thread]()+size[Thread]())
		m.statusLocked(t)
	}
	records, free := ts.records, ts.free
	all := &m[bufThreads]
	all.add(0, r.goroutineThreads.bytes())
	all.add(0, listBytes(records)+listBytes(free)+size[Thread]()) // and the record that stands for all lost threads
	for _, index := range []*threadMap{&ts.byID, &ts.byGoroutine, &ts.byProcess} {
		if table := index.table.Load(); table != nil {
			all.add(0, size[[]threadEntry]()+listBytes(*table))
		}
	}
	for name, c := range ts.classes.byName {
		m[bufThreadClass].add(1, size[ThreadClass]()+len(c.name)+size[string]()+len(name)+size[*ThreadClass]())
	}
	m[bufThreadClass].add(0, listBytes(ts.classes.all))
	ts.mu.Unlock()
	m.statusNames(r)
	ts.classes.byShortName.Range(func(name, _ any) bool {
		m[bufThreadClass].add(0, size[string]()+size[*ThreadClass]()+len(name.(string)))
		return true
	})
	for _, t := range records {
		all.add(0, t.textBytes())
		m.status(t)
		m.activity(t)
		m.session(t)
	}
	if long := r.waitsLong.Load(); long != nil {
		m[bufWaitsHistoryLong].add(long.Memory())
	}
	m[bufStatementsHistogram].add(r.statementHistogram.bytes())
	m.longTexts(r.work.statements.Load())
}

// textBytes is how many bytes the texts take that the thread has set: account, database, command
// and so on.
func (t *Thread) textBytes() (n int) {
	for _, p := range [...]*atomic.Pointer[string]{&t.connectionType, &t.db, &t.command, &t.state, &t.info} {
		if s := p.Load(); s != nil {
			n += size[string]() + len(*s)
		}
	}
	if a := t.account.Load(); a != nil && !t.knownAccount(a) {
		n += size[Account]() + len(a.User) + len(a.Host)
	}
	return n
}

// knownAccount reports whether the account's own record has this name, which then counts there.
func (t *Thread) knownAccount(name *Account) bool {
	t.registry.threads.mu.Lock()
	defer t.registry.threads.mu.Unlock()
	a := t.registry.threads.actors.levels[LevelAccount].byName[name.key()]
	return a != nil && name == &a.name
}

// status measures the status variables of a thread.
func (m *measured) status(t *Thread) {
	t.registry.threads.mu.Lock()
	defer t.registry.threads.mu.Unlock()
	m.statusLocked(t)
}

// statusLocked is status; the caller holds threads.mu.
func (m *measured) statusLocked(t *Thread) {
	m[bufStatusByThread].add(0, listBytes(t.statusDone))
	blocks := t.status.Load()
	if blocks == nil {
		return
	}
	m[bufStatusByThread].add(0, size[[]*statusBlock]()+listBytes(*blocks))
	for _, b := range *blocks {
		if b != nil {
			m[bufStatusByThread].add(statusBlockSize, size[statusBlock]())
		}
	}
}

// statusNames measures the list of status variables, and the connections there was no room for.
func (m *measured) statusNames(r *Registry) {
	r.status.mu.Lock()
	defer r.status.mu.Unlock()
	to := &m[bufRegistry]
	for name, v := range r.status.byName {
		to.add(0, size[string]()+len(name)+size[*StatusVariable]()+size[StatusVariable]()+len(v.name))
	}
	if all := r.status.all.Load(); all != nil {
		to.add(0, size[[]*StatusVariable]()+listBytes(*all))
	}
}

// meters measures meters and metrics.
func (m *measured) meters(r *Registry) {
	r.meters.mu.Lock()
	defer r.meters.mu.Unlock()
	m[bufMeterClass].add(0, listBytes(r.meters.all))
	for _, o := range r.meters.all {
		m[bufMeterClass].add(1, size[Meter]()+len(o.name)+len(o.description))
	}
	m[bufMetricClass].add(0, listBytes(r.meters.metrics))
	for _, o := range r.meters.metrics {
		m[bufMetricClass].add(1, size[Metric]()+len(o.name)+len(o.unit)+len(o.description))
	}
}

// statementTexts adds the texts of a statement.
func (m *measured) statementTexts(texts buffer, sql, message string) {
	if n := len(sql) + len(message); n > 0 {
		m[texts].add(1, n)
	}
}

// statementRecord adds the texts and the other memory that a record refers to.
func (m *measured) statementRecord(records, texts buffer, s *statementRecord) {
	m.statementTexts(texts, s.text, s.message)
	m[records].add(0, len(s.schema))
	if o := s.object; o != nil {
		m[records].add(0, size[[3]string]()+len(o[0])+len(o[1])+len(o[2]))
	}
	if s.counters.all != nil {
		m[records].add(0, size[[StatementCounterCount]uint64]())
	}
}

// activity measures the running and the ended events of a thread.
func (m *measured) activity(t *Thread) {
	a := t.activity.Load()
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	m[bufThreads].add(0, listBytes(a.statements))
	m[bufStagesHistoryLong].add(cap(a.pending), listBytes(a.pending))
	for _, p := range a.statements {
		m.statementTexts(bufStatementsCurrentText, p.SQLText, p.Message)
		m[bufStatementsCurrent].add(0, len(p.Schema)+len(p.ObjectType)+len(p.ObjectSchema)+len(p.ObjectName))
	}
	for n := a.statementsHistory.begin(); n < a.statementsHistory.n; n++ {
		m.statementRecord(bufStatementsHistory, bufStatementsHistoryText, a.statementsHistory.at(n))
	}
	m.work(&a.stats, workBuffers{bufStagesByThread, bufStatementsByThread, bufErrorsByThread, bufMemoryByThread})
}

// longTexts measures the texts of a long history.
func (m *measured) longTexts(h *longHistory[statementRecord]) {
	for i := range h.shards {
		s := &h.shards[i]
		s.mu.Lock()
		n, end := s.ring.begin(), s.ring.n
		for ; n < min(end, s.ring.n); n = max(n, s.ring.begin()) {
			for stop := min(n+eventBlock, end); n < stop; n++ {
				m.statementRecord(bufStatementsHistoryLong, bufStatementsHistoryLongText, &s.ring.at(n).record)
			}
			s.mu.Unlock()
			s.mu.Lock()
		}
		s.mu.Unlock()
	}
}

// session measures a thread's prepared statements, user variables and connection attributes.
func (m *measured) session(t *Thread) {
	s := t.session.Load()
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	m[bufThreads].add(0, size[session]())
	m[bufPrepared].add(0, listBytes(s.prepared))
	if s.attrs != nil {
		m[bufConnectAttrs].add(cap(s.attrs), listBytes(s.attrs))
	}
	for _, a := range s.attrs {
		m[bufConnectAttrs].add(0, len(a.Name)+len(a.Value))
	}
	m[bufUserVariables].add(cap(s.variables), listBytes(s.variables))
	for _, v := range s.variables {
		m[bufUserVariables].add(0, len(v.key)+len(v.Name)+len(v.Value))
	}
}

// workBuffers are the buffers of the statistics of one level.
type workBuffers struct{ stages, statements, errors, memory buffer }

func (m *measured) work(w *workStats, to workBuffers) {
	m[to.stages].add(cap(w.stages), listBytes(w.stages))
	m[to.statements].add(cap(w.statements), listBytes(w.statements))
	m[to.errors].add(cap(w.errors), listBytes(w.errors))
	m[to.memory].add(cap(w.memory), listBytes(w.memory))
}

// bytes is how many bytes the table takes.
func (s *slackTable) bytes() (n int) {
	all := s.byClass.Load()
	if all == nil {
		return 0
	}
	for _, slack := range *all {
		if slack != nil {
			n += size[memorySlack]()
		}
	}
	return n + size[[]*memorySlack]() + listBytes(*all)
}

// levelBuffers are the buffers of accounts, users and hosts.
var levelBuffers = [levelCount]struct {
	actors, waits, status buffer
	workBuffers
}{
	LevelAccount: {bufAccounts, bufWaitsByAccount, bufStatusByAccount, workBuffers{bufStagesByAccount, bufStatementsByAccount, bufErrorsByAccount, bufMemoryByAccount}},
	LevelUser:    {bufUsers, bufWaitsByUser, bufStatusByUser, workBuffers{bufStagesByUser, bufStatementsByUser, bufErrorsByUser, bufMemoryByUser}},
	LevelHost:    {bufHosts, bufWaitsByHost, bufStatusByHost, workBuffers{bufStagesByHost, bufStatementsByHost, bufErrorsByHost, bufMemoryByHost}},
}

// actors measures accounts, users and hosts, what they have counted, and the global statistics.
func (m *measured) actors(r *Registry) {
	r.threads.mu.Lock()
	defer r.threads.mu.Unlock()
	for l := range r.threads.actors.levels {
		list, to := &r.threads.actors.levels[l], &levelBuffers[l]
		m[to.actors].add(0, listBytes(list.all))
		for name := range list.byName {
			m[to.actors].add(0, size[Account]()+len(name.User)+len(name.Host)+size[*actor]())
		}
		m[to.actors].add(0, indexBytes(list.accounts))
		for name := range list.accounts {
			m[to.actors].add(0, len(name.User)+len(name.Host))
		}
		for _, a := range list.all {
			m[to.actors].add(0, len(a.name.User)+len(a.name.Host)+listBytes(a.threads))
			m[to.waits].add(0, listBytes(a.waits))
			for _, block := range a.waits {
				if block != nil {
					m[to.waits].add(statBlockSize, size[[statBlockSize]Stat]())
				}
			}
			m[to.status].add(cap(a.status), listBytes(a.status))
			m.work(&a.work, to.workBuffers)
			m[to.memory].add(0, a.slack.bytes())
		}
	}
	setup := &r.threads.actors.setup
	m[bufSetupActors].add(len(setup.byKey), listBytes(setup.rows))
	for k := range setup.byKey {
		m[bufSetupActors].add(0, size[setupActorKey]()+len(k.host)+len(k.user)+len(k.role)+size[placedActor]())
	}
	for _, row := range setup.rows {
		if row == nil {
			continue
		}
		m[bufSetupActors].add(0, size[SetupActor]()+len(row.Host)+len(row.User)+len(row.Role))
	}
	r.global.mu.Lock()
	m.work(&r.global.stats, workBuffers{bufStagesGlobal, bufStatementsGlobal, bufErrorsGlobal, bufMemoryGlobal})
	m[bufMemoryGlobal].add(0, r.global.slack.bytes())
	r.global.mu.Unlock()
	if s := r.errors.Load(); s != nil {
		m[bufErrorsGlobal].add(0, size[serverErrors]()+listBytes(s.all)+len(s.place)*2*size[int]())
		for _, e := range s.all {
			m[bufErrorsGlobal].add(0, len(e.Name))
		}
	}
}

// bytes is how many bytes the blocks of the histogram take.
func (h *StatementHistogram) bytes() (n int) {
	for _, b := range h.blocks {
		if b != nil {
			n += size[[histogramBlock]uint64]()
		}
	}
	return n
}

// digests measures the memory that the rows of events_statements_summary_by_digest refer to, and
// the cache.
func (m *measured) digests(r *Registry) {
	s := &r.digests
	s.mu.Lock()
	rows := s.rows[:len(s.rows):len(s.rows)]
	of := &m[bufDigests]
	of.add(0, listBytes(s.rows)+listBytes(s.heap)+len(s.rows)*(size[digestKey]()+size[*digestRow]())+indexBytes(s.byHash))
	null := s.null.Load()
	s.mu.Unlock()
	for i := range len(rows) + 1 {
		row := null
		if i < len(rows) {
			row = rows[i]
			m[bufDigestsTokens].add(1, size[Digest]()+cap(row.digest.tokens))
			of.add(0, len(row.schema)) // of the key
		}
		of.add(0, len(row.schema))
		row.shards(func(shard *digestShard) { of.add(0, shard.histogram.bytes()) })
		if spread := row.spread.Load(); spread != nil {
			_, bytes := perPBytes(spread)
			of.add(0, int(unsafe.Sizeof(*spread))+bytes)
		}
		if sample := row.sample.Load(); sample != nil {
			m[bufDigestsText].add(1, size[digestSample]()+len(sample.text))
		}
	}
	if c := s.cache.Load(); c != nil {
		m.digestCache(c)
	}
}

// digestCache measures the cache. Digests that rows have too count with the rows.
func (m *measured) digestCache(c *digestCache) {
	c.mu.Lock()
	defer c.mu.Unlock()
	to := &m[bufDigestCache]
	to.add(0, size[digestCache]()+len(c.digests)*(size[[32]byte]()+size[*Digest]()))
	for i := range c.places {
		if t := c.places[i].Load(); t != nil {
			to.add(1, size[digestText]()+len(t.text))
		}
	}
	for _, d := range c.digests {
		if row := d.row.Load(); row == nil || row.dead.Load() {
			to.add(0, size[Digest]()+cap(d.tokens))
		}
	}
}

// setup measures objects, programs and tables.
func (m *measured) setup(r *Registry) {
	key := func(k objectKey) int { return size[objectKey]() + len(k.schema) + len(k.name) }
	o := &r.objects
	o.mu.Lock()
	for k, row := range o.rows {
		m[bufSetupObjects].add(1, key(k)+size[objectRow]()+len(row.Schema)+len(row.Name))
	}
	for k, keys := range o.folded {
		m[bufSetupObjects].add(0, key(k)+size[map[objectKey]struct{}]())
		for k := range keys {
			m[bufSetupObjects].add(0, key(k))
		}
	}
	copies := map[*map[objectKey]objectSwitches]bool{}
	if all := o.copy.Load(); all != nil {
		copies[all] = true
	}
	o.mu.Unlock()
	p := &r.programs
	p.mu.RLock()
	for k, program := range p.all {
		m[bufPrograms].add(1, key(k)+size[*Program]()+size[Program]()+len(program.schema)+len(program.name))
		if s := program.watch.last.Load(); s != nil {
			m[bufPrograms].add(0, size[watchedSwitches]())
			copies[s.of] = true // an old copy, perhaps
		}
	}
	p.mu.RUnlock()
	ts := &r.tables
	ts.mu.RLock()
	for _, t := range ts.all {
		m[bufTables].add(0, size[tableKey]()+size[uint64]()+2*size[*Table]()+len(t.schema)+len(t.name))
		m.table(t, copies)
	}
	for k, same := range ts.folded {
		m[bufTables].add(0, size[tableKey]()+len(k.schema)+len(k.name)+size[[]*Table]()+listBytes(same))
	}
	ts.mu.RUnlock()
	ts.handlesMu.Lock()
	dropped := map[*Table]bool{} // but still open
	for _, handles := range ts.byThread {
		m[bufTableHandles].add(0, size[uint64]()+size[[]*TableHandle]()+listBytes(handles))
		for _, h := range handles {
			if h.table.Dropped() {
				dropped[h.table] = true
			}
		}
	}
	ts.handlesMu.Unlock()
	for t := range dropped {
		m.table(t, copies)
	}
	for all := range copies {
		m[bufSetupObjects].add(0, size[uintptr]())
		for k := range *all {
			m[bufSetupObjects].add(0, key(k)+size[objectSwitches]())
		}
	}
}

// table measures a table and its handles; copies are the switches of objects that it leads to.
func (m *measured) table(t *Table, copies map[*map[objectKey]objectSwitches]bool) {
	to := &m[bufTables]
	to.add(1, size[Table]()+len(t.schema)+len(t.name)+listBytes(t.indexes))
	for _, index := range t.indexes {
		to.add(0, len(index))
	}
	if s := t.watch.last.Load(); s != nil {
		to.add(0, size[watchedSwitches]())
		copies[s.of] = true
	}
	t.mu.Lock()
	m[bufTableHandles].add(len(t.handles), listBytes(t.handles)+len(t.handles)*size[TableHandle]())
	t.mu.Unlock()
}
