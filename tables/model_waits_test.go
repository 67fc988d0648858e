package tables

import (
	"slices"

	"pfsd/instr"
)

// modelClass is an instrument.
type modelClass struct {
	name           string
	kind           instr.Kind
	enabled, timed bool
	global         bool         // memory that counts for no thread
	own            instr.IOStat // of objects that are no more, and of waits without an object
	histogram      [instr.HistogramBuckets]uint64
}

// modelObject is an instance. A lock's waits are all MISC.
type modelObject struct {
	class *modelClass
	id    uint64
	gone  bool // no longer there: its waits are the class's
	name  string
	opens int
	waits instr.IOStat
}

// modelStats is waits by instrument.
type modelStats map[*modelClass]instr.Stat

func (s modelStats) of(c *modelClass) instr.Stat {
	if stat, ok := s[c]; ok {
		return stat
	}
	return instr.NoStat
}

func (s modelStats) add(c *modelClass, stat instr.Stat) {
	sum := s.of(c)
	sum.Add(stat)
	s[c] = sum
}

func (s modelStats) addAll(o modelStats) {
	for c, stat := range o {
		s.add(c, stat)
	}
}

// modelLongWaits is how many waits the long history keeps.
const modelLongWaits = 16

// modelEvent is a row of events_waits_current and its histories.
type modelEvent struct {
	modelHead
	op     instr.Op
	object uint64
	bytes  uint64
	table  *modelTable
	index  int
}

// modelWait is a wait in progress, with the switches that it began with.
type modelWait struct {
	class          *modelClass
	op             instr.Op
	counted, timed bool
	history, long  bool
	buckets        bool
	thread         *modelThread
	event          *modelEvent
	place          int
}

// object makes an instance of a class; nil if it is lost.
func (m *model) object(c *modelClass) *modelObject {
	if c == nil {
		return nil
	}
	n := 0
	for _, o := range m.objects {
		if o.class.kind == c.kind {
			n++
		}
	}
	if m.full(modelInstanceLimits[c.kind], n) {
		return nil
	}
	o := &modelObject{class: c, waits: instr.NoIOStat}
	m.objects = append(m.objects, o)
	return o
}

// removed removes an instance.
func (m *model) removed(o *modelObject) {
	if o == nil || o.gone {
		return
	}
	m.objects = slices.DeleteFunc(m.objects, func(other *modelObject) bool { return other == o })
	o.class.own.Add(o.waits)
	o.gone = true
}

// file returns the instance of this name, nil if there is none.
func (m *model) file(name string) *modelObject {
	for _, o := range m.objects {
		if o.class.kind == instr.KindFile && o.name == name {
			return o
		}
	}
	return nil
}

// total is the waits of an instrument, including those of its objects.
func (m *model) total(c *modelClass) instr.IOStat {
	sum := c.own
	for _, o := range m.objects {
		if o.class == c {
			sum.Add(o.waits)
		}
	}
	for _, t := range m.tables {
		switch c {
		case m.tableIO():
			sum.Misc.Add(t.total().All())
		case m.tableLocks():
			sum.Misc.Add(t.lockStats.All(nil))
		}
	}
	return sum
}

// begin begins a wait. t is nil if the goroutine is no thread. untimed says that the object cannot
// be timed.
func (m *model) begin(t *modelThread, c *modelClass, op instr.Op, untimed bool) *modelWait {
	w := &modelWait{class: c, op: op}
	if c == nil || !c.enabled || !m.consumers[instr.ConsumerGlobalInstrumentation] {
		return w
	}
	w.timed = c.timed && !untimed
	w.buckets = w.timed && m.consumers[instr.ConsumerEventsWaitsHistogram]
	w.counted = true
	if t == nil || !m.consumers[instr.ConsumerThreadInstrumentation] {
		return w
	}
	if !t.instrumented {
		w.counted = false
		return w
	}
	if !m.consumers[instr.ConsumerEventsWaitsCurrent] {
		w.thread = t
		return w
	}
	if t.depth == len(t.stack) {
		m.lockerLost++
		w.counted = false
		return w
	}
	w.thread = t
	w.history = m.consumers[instr.ConsumerEventsWaitsHistory] && t.history
	w.long = m.consumers[instr.ConsumerEventsWaitsHistoryLong] && t.history
	w.event = &modelEvent{modelHead: modelHead{thread: t.id, running: true, timed: w.timed, class: c}, op: op}
	switch {
	case t.depth > 0:
		w.event.nesting = modelNesting{t.stack[t.depth-1].id, "WAIT"}
	case op != instr.OpIdle: // which has no parent
		w.event.nesting = t.waitsIn
	}
	w.place = t.depth
	t.stack[t.depth] = w.event
	t.depth++
	t.take(&w.event.modelHead)
	return w
}

// end ends a wait for o, or for no object, that took some cycles, if it was timed. bucket is their
// bucket in a histogram.
func (m *model) end(w *modelWait, o *modelObject, cycles uint64, bucket int, bytes uint64) {
	if !w.counted {
		return
	}
	s := instr.Stat{Count: 1, Min: instr.NoStat.Min, Untimed: 1}
	if w.timed {
		s = instr.Stat{Count: 1, Sum: cycles, Min: cycles, Max: cycles}
	}
	where := &w.class.own
	if o != nil && !o.gone {
		where = &o.waits
	}
	switch w.op {
	case instr.OpRead, instr.OpRecv:
		where.Read.Add(s)
		where.ReadBytes += bytes
	case instr.OpWrite, instr.OpSend:
		where.Write.Add(s)
		where.WriteBytes += bytes
	default:
		where.Misc.Add(s)
	}
	object := uint64(0)
	if o != nil {
		object = o.id
	}
	m.ended(w, s, object, bucket, bytes)
}

// ended ends a wait for an object; s is the wait as statistics.
func (m *model) ended(w *modelWait, s instr.Stat, object uint64, bucket int, bytes uint64) {
	if w.buckets && s.Count > 0 {
		w.class.histogram[bucket]++
	}
	t := w.thread
	if t == nil || t.ended {
		return
	}
	t.waits.add(w.class, s)
	e := w.event
	if e == nil {
		return
	}
	t.ends(&e.modelHead)
	e.bytes = bytes
	if object != 0 {
		e.object = object
	}
	t.depth = w.place
	if w.history {
		t.past = append(t.past, e)
		t.past = t.past[max(0, len(t.past)-m.historySize):]
	}
	if w.long {
		m.waitsLong = append(m.waitsLong, e)
		m.waitsLong = m.waitsLong[max(0, len(m.waitsLong)-modelLongWaits):]
	}
}

func (m *model) resetObjects(kinds ...instr.Kind) {
	for _, o := range m.objects {
		if slices.Contains(kinds, o.class.kind) {
			o.waits = instr.NoIOStat
		}
	}
}

func (m *model) resetClasses(kinds ...instr.Kind) {
	m.resetObjects(kinds...)
	for _, c := range m.classes {
		if slices.Contains(kinds, c.kind) {
			c.own = instr.NoIOStat
		}
	}
	m.resetTables(slices.Contains(kinds, instr.KindTableIO), slices.Contains(kinds, instr.KindTableLock))
}

func (m *model) foldThreadWaits() {
	for _, t := range m.threads {
		t.fold()
	}
}

func (m *model) foldAccountWaits() {
	m.foldThreadWaits()
	for _, a := range m.accounts {
		for _, up := range modelActors(a.ofUser, a.ofHost) {
			up.waits.addAll(a.waits)
		}
		a.waits = modelStats{}
	}
}

func clearWaits(actors []*modelActor) {
	for _, a := range actors {
		a.waits = modelStats{}
	}
}

// waitsOf is the waits of an actor.
func (m *model) waitsOf(a *modelActor) modelStats {
	sum := modelStats{}
	sum.addAll(a.waits)
	for _, of := range m.accounts {
		if of.ofUser == a || of.ofHost == a {
			sum.addAll(of.waits)
		}
	}
	for _, t := range m.threads {
		if t.belongs(a) {
			sum.addAll(t.waits)
		}
	}
	return sum
}

func statCells(s instr.Stat) []string {
	return []string{num(s.Count), num(s.SumPicoseconds()), num(s.MinPicoseconds()), num(s.AvgPicoseconds()), num(s.MaxPicoseconds())}
}

var ioStatNames = slices.Concat(waitStatNames, statNames("READ", "READ"), []string{"SUM_NUMBER_OF_BYTES_READ"},
	statNames("WRITE", "WRITE"), []string{"SUM_NUMBER_OF_BYTES_WRITE"}, statNames("MISC", "MISC"))

func ioCells(s instr.IOStat) []string {
	return slices.Concat(statCells(s.All()), statCells(s.Read), []string{num(s.ReadBytes)}, statCells(s.Write), []string{num(s.WriteBytes)}, statCells(s.Misc))
}

// summed adds the waits of all instruments whose names begin with the same parts.
func (e *expected) summed(m *model, parts int, key []string, of func(*modelClass) instr.Stat) {
	var names []string
	sums := map[string]instr.Stat{}
	for _, c := range m.of(waitKinds...) {
		name := prefix(c.name, parts)
		if _, ok := sums[name]; !ok {
			names = append(names, name)
			sums[name] = instr.NoStat
		}
		sum := sums[name]
		sum.Add(of(c))
		sums[name] = sum
	}
	for _, name := range names {
		e.row(slices.Concat(key, []string{name}, statCells(sums[name]))...)
	}
}

func (e *modelEvent) cells() []string {
	bytes := "NULL"
	switch e.op {
	case instr.OpRead, instr.OpWrite, instr.OpSend, instr.OpRecv, instr.OpFetch, instr.OpInsert, instr.OpUpdate, instr.OpDeleteRow:
		bytes = num(e.bytes)
	}
	return append([]string{num(e.object), e.op.String(), bytes}, e.objectCells()...)
}

// histograms is what the histogram tables of waits must show of some instruments, given the bounds
// of the buckets; where is the key of the scan.
func (m *model) histograms(table string, where Key, bounds [][2]uint64, classes ...*modelClass) *expected {
	sum := make([]uint64, instr.HistogramBuckets)
	for _, c := range classes {
		for b, n := range c.histogram {
			sum[b] += n
		}
	}
	e := &expected{table: table, keys: 1, where: where, columns: bucketNames}
	e.buckets(nil, bounds, sum)
	return e
}
