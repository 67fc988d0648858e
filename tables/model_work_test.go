package tables

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"pfsd/instr"
)

// modelFamily is statistics that are added up and truncated together.
type modelFamily int

const (
	modelStages modelFamily = iota
	modelStatements
	modelTransactions
	modelErrors
)

var (
	modelFamilies = []modelFamily{modelStages, modelStatements, modelTransactions, modelErrors}
	// modelTruncated is what TRUNCATE of accounts, users and hosts moves.
	modelTruncated = []modelFamily{modelStages, modelStatements, modelTransactions}

	modelFamilyNames = [...]string{"stages", "statements", "transactions", "errors"}
	modelFamilyKinds = [...]instr.Kind{instr.KindStage, instr.KindStatement, instr.KindTransaction, instr.KindError}
	modelWorkKinds   = [...]instr.WorkKind{instr.WorkStages, instr.WorkStatements, instr.WorkTransactions, instr.WorkErrors}

	// The families that have events.
	modelEventFamilies = [modelErrors]instr.Family{instr.FamilyStages, instr.FamilyStatements, instr.FamilyTransactions}
	modelTimerKinds    = [modelErrors]instr.TimerKind{instr.TimerStage, instr.TimerStatement, instr.TimerTransaction}
	modelConsumers     = [modelErrors]struct{ current, history, long instr.Consumer }{
		{instr.ConsumerEventsStagesCurrent, instr.ConsumerEventsStagesHistory, instr.ConsumerEventsStagesHistoryLong},
		{instr.ConsumerEventsStatementsCurrent, instr.ConsumerEventsStatementsHistory, instr.ConsumerEventsStatementsHistoryLong},
		{instr.ConsumerEventsTransactionsCurrent, instr.ConsumerEventsTransactionsHistory, instr.ConsumerEventsTransactionsHistoryLong},
	}
)

// workModel is the statements, stages, transactions and errors that belong to no thread and no
// actor.
type workModel struct {
	work         modelWork // that neither an account nor a host has
	long         [modelErrors][]modelRow
	historySizes [modelErrors]int // of a thread
	longSize     [modelErrors]int
	stackSize    int
	nestedLost   uint64
	textLength   int
	histogram    []uint64 // of all statements
	errors       []instr.ServerError
	programs     []*modelProgram
	prepared     []*modelPrepared
}

func newWorkModel() workModel {
	return workModel{work: modelWork{}, histogram: make([]uint64, len(modelStatementBounds)), stackSize: instr.DefaultStatementStackSize, textLength: instr.DefaultSQLTextLength}
}

// modelActivity is what a thread does besides waiting.
type modelActivity struct {
	work    modelWork
	kept    [modelErrors][]modelRow // the history
	state   string                  // PROCESSLIST_STATE
	waitsIn modelNesting            // what a wait that is in no other one is part of

	statements    []*modelStatement // that run, the outermost first
	last          *modelStatement   // the last one that was in no other one, if it has ended
	lastStatement uint64            // the id of the one that began last; 0 if none runs
	stage         *modelStage       // nil: none
	transaction   *modelTransaction // the last one
}

// stop ends a thread's work: running events are not counted. semantics.md says nothing about that,
// because MySQL's connections have none when they end.
func (t *modelThread) stop() {
	for _, s := range t.statements {
		s.over = true
	}
}

// modelNesting is what an event is part of; the zero modelNesting is nothing.
type modelNesting struct {
	id   uint64
	kind string // NESTING_EVENT_TYPE
}

// modelHead is what events have in common.
type modelHead struct {
	thread  uint64
	id, end uint64 // id is 0 of one that has no row
	nesting modelNesting
	running bool
	timed   bool
	class   *modelClass

	// Not for waits.
	sw     modelSwitches
	hidden bool       // by TRUNCATE
	timer  string     // TIMER_NAME in setup_timers
	wait   uint64     // picoseconds, when it has ended
	after  *modelHead // ended when this one began

	// The values that rows have shown.
	seen        bool
	start, stop uint64
	number      string // STATEMENT_ID
}

func (h *modelHead) base() *modelHead { return h }

// modelRow is a row of a table of events.
type modelRow interface {
	base() *modelHead
	cells() []string // of the columns that not all events have
}

var (
	headNames = []string{"THREAD_ID", "EVENT_ID", "END_EVENT_ID", "EVENT_NAME", "NESTING_EVENT_ID", "NESTING_EVENT_TYPE"}
	// unforeseenNames are the columns of events whose values cannot be foreseen: see
	// modelHead.unforeseen.
	unforeseenNames = []string{"SOURCE", "TIMER_START", "TIMER_END", "TIMER_WAIT"}
)

// event adds the row of an event.
func (e *expected) event(r modelRow) {
	h := r.base()
	end, nesting := "NULL", "NULL"
	if !h.running {
		end = num(h.end)
	}
	if h.nesting.id != 0 {
		nesting = num(h.nesting.id)
	}
	e.row(slices.Concat([]string{num(h.thread), num(h.id), end, h.class.name, nesting, orNull(h.nesting.kind)}, r.cells())...)
	e.heads = append(e.heads, h)
}

// take gives an event the thread's next id.
func (t *modelThread) take(h *modelHead) {
	h.id = t.nextEvent
	t.nextEvent++
}

// ends ends an event now.
func (t *modelThread) ends(h *modelHead) {
	h.running = false
	h.end = t.nextEvent - 1
}

// modelTicksOf is how long a timer's tick is, picoseconds, where that is a whole number.
var modelTicksOf = map[string]uint64{"NANOSECOND": 1_000, "MICROSECOND": 1_000_000}

// unforeseen tests the values of the columns unforeseenNames, and of STATEMENT_ID for a statement.
func (h *modelHead) unforeseen(cells []string) error {
	if h.number != "" && cells[len(cells)-1] != h.number {
		return fmt.Errorf("STATEMENT_ID = %s, and was %s", cells[len(cells)-1], h.number)
	}
	if h.class.kind == instr.KindStatement {
		h.number = cells[len(cells)-1]
	}
	// A method that is used as a function value is called by code without lines, and the mutex of a
	// condition variable by the condition variable.
	if source, _, _ := strings.Cut(cells[0], ":"); !strings.HasPrefix(source, "model_") && source != "<autogenerated>" && source != "cond.go" {
		return fmt.Errorf("SOURCE = %s", cells[0])
	}
	var n [3]uint64
	for i, cell := range cells[1:4] {
		var err error
		if n[i], err = strconv.ParseUint(cell, 10, 64); (err == nil) != h.timed || err != nil && cell != "NULL" {
			return fmt.Errorf("%s = %s of an event that is timed: %v", unforeseenNames[1+i], cell, h.timed)
		}
	}
	if !h.timed {
		return nil
	}
	start, stop, wait := n[0], n[1], n[2]
	for _, c := range []struct {
		when bool
		a, b uint64
		what string
	}{
		{modelTicksOf[h.timer] != 0, wait % max(1, modelTicksOf[h.timer]), 0, "TIMER_WAIT is not of the timer " + h.timer},
		{true, start + wait, stop, "TIMER_START and TIMER_WAIT do not add up to TIMER_END"},
		{!h.running && h.timer != "", wait, h.wait, "TIMER_WAIT is not what was counted"},
		{h.seen, start, h.start, "TIMER_START has changed"},
		{h.seen && h.stop != 0, stop, h.stop, "TIMER_END has changed"},
		{h.after != nil && h.after.stop != 0, start, h.after.stopped(), "TIMER_START is not the TIMER_END of the stage before"},
	} {
		if c.when && !h.near(c.a, c.b) {
			return fmt.Errorf("%s: %d and %d, %q", c.what, c.a, c.b, cells)
		}
	}
	h.seen, h.start = true, start
	if !h.running {
		h.stop = stop
	}
	return nil
}

// stopped is the TIMER_END that a row has shown, 0 if none has.
func (h *modelHead) stopped() uint64 {
	if h == nil {
		return 0
	}
	return h.stop
}

// near reports whether two times are the same, except for the calibration of cycles.
func (h *modelHead) near(a, b uint64) bool {
	if h.timer != "" && h.timer != "CYCLE" {
		return a == b
	}
	difference := max(a, b) - min(a, b)
	return difference <= 10_000+max(a, b)/10_000
}

// modelSwitches are the switches that an event begins with.
type modelSwitches struct{ timed, threads, current, history, long bool }

// starts is the switches of an event of a thread that begins now; false if there is none. A
// goroutine that is no thread has no such events.
func (m *model) starts(t *modelThread, c *modelClass, f modelFamily) (sw modelSwitches, ok bool) {
	if t == nil || c == nil || !c.enabled || !m.consumers[instr.ConsumerGlobalInstrumentation] {
		return sw, false
	}
	sw.timed = c.timed
	if !m.consumers[instr.ConsumerThreadInstrumentation] {
		return sw, true
	}
	sw.threads = true
	if on := modelConsumers[f]; m.consumers[on.current] {
		sw.current = true
		sw.history = t.history && m.consumers[on.history]
		sw.long = t.history && m.consumers[on.long]
	}
	return sw, t.instrumented
}

// newHead is an event that begins now.
func (m *model) newHead(t *modelThread, c *modelClass, f modelFamily, sw modelSwitches) modelHead {
	h := modelHead{thread: t.id, class: c, sw: sw, running: true, timed: sw.timed, timer: m.timers[modelTimerKinds[f]]}
	if sw.current {
		t.take(&h)
	}
	return h
}

// finish ends an event that took some picoseconds, and counts one, the values of the event that are
// added up.
func (m *model) finish(t *modelThread, r modelRow, f modelFamily, key modelKey, ps uint64, one modelSum) modelSum {
	h := r.base()
	t.ends(h)
	h.wait = ps
	one.count, one.min = 1, math.MaxUint64
	if h.timed {
		one.sum, one.min, one.max, one.timed = ps, ps, ps, 1
	}
	if h.sw.threads {
		t.work.add(key, one)
	} else {
		m.work.add(key, one)
	}
	if h.sw.history && !h.hidden {
		t.kept[f] = lastOf(append(t.kept[f], r), m.historySizes[f])
	}
	if h.sw.long && !h.hidden {
		m.long[f] = lastOf(append(m.long[f], r), m.longSize[f])
	}
	return one
}

// lastOf is the last n of some events.
func lastOf(all []modelRow, n int) []modelRow { return slices.Clone(all[max(0, len(all)-n):]) }

// modelKey says what a sum is about: an instrument; transactions that only read (which = 1) or not;
// the errors with a number, 0 for unknown ones.
type modelKey struct {
	family modelFamily
	class  *modelClass
	which  int
}

// modelSum is a sum of events, some of which were timed; min is more than max while none was.
type modelSum struct {
	count, sum, min, max uint64
	timed                uint64
	counters             [instr.StatementCounterCount]uint64
	handled              uint64 // of errors; count is those that are not
	first, last          time.Time
}

var noSum = modelSum{min: math.MaxUint64}

func (s *modelSum) add(o modelSum) {
	s.count += o.count
	s.sum += o.sum
	s.timed += o.timed
	s.min = min(s.min, o.min)
	s.max = max(s.max, o.max)
	for c := range s.counters {
		switch instr.StatementCounter(c) {
		case instr.MaxControlledMemory, instr.MaxTotalMemory:
			s.counters[c] = max(s.counters[c], o.counters[c])
		default:
			s.counters[c] += o.counters[c]
		}
	}
	s.handled += o.handled
	if s.first.IsZero() || !o.first.IsZero() && o.first.Before(s.first) {
		s.first = o.first
	}
	if o.last.After(s.last) {
		s.last = o.last
	}
}

// cells are COUNT, SUM, MIN, AVG and MAX.
func (s modelSum) cells() []string {
	if s.count == 0 || s.min > s.max {
		return []string{num(s.count), "0", "0", "0", "0"}
	}
	return []string{num(s.count), num(s.sum), num(s.min), num(s.sum / s.timed), num(s.max)}
}

// modelWork is the statistics of a thread or an actor, or the global ones.
type modelWork map[modelKey]modelSum

func (w modelWork) of(key modelKey) modelSum {
	if s, ok := w[key]; ok {
		return s
	}
	return noSum
}

func (w modelWork) add(key modelKey, s modelSum) {
	sum := w.of(key)
	sum.add(s)
	w[key] = sum
}

func (w modelWork) addAll(o modelWork, families ...modelFamily) {
	for key, s := range o {
		if slices.Contains(families, key.family) {
			w.add(key, s)
		}
	}
}

func (w modelWork) clear(families ...modelFamily) {
	for key := range w {
		if slices.Contains(families, key.family) {
			delete(w, key)
		}
	}
}

// up moves statistics to the actors above, and to the global ones unless an account or a host is
// among these, whose statistics count globally too.
func (m *model) up(w modelWork, above []*modelActor, families ...modelFamily) {
	counted := false
	for _, a := range above {
		a.work.addAll(w, families...)
		counted = counted || a.level != instr.LimitUsers
	}
	if !counted {
		m.work.addAll(w, families...)
	}
	w.clear(families...)
}

func (m *model) foldThreadWork(families ...modelFamily) {
	for _, t := range m.threads {
		m.up(t.work, t.above(), families...)
	}
}

func (m *model) foldAccountWork(families ...modelFamily) {
	m.foldThreadWork(families...)
	for _, a := range m.accounts {
		m.up(a.work, modelActors(a.ofUser, a.ofHost), families...)
	}
}

// dropWork drops the statistics of a user, and moves those of a host up.
func (m *model) dropWork(a *modelActor, families ...modelFamily) {
	if a.level == instr.LimitHosts {
		m.up(a.work, nil, families...)
	}
	a.work.clear(families...)
}

// truncateWork is TRUNCATE of a table of stages, statements, transactions or errors; false if
// the table is none.
func (m *model) truncateWork(table string) bool {
	for _, f := range modelFamilies {
		what, ok := strings.CutPrefix(table, "events_"+modelFamilyNames[f]+"_")
		if !ok {
			continue
		}
		by, _, _ := strings.Cut(strings.TrimPrefix(what, "summary_"), "_by_")
		switch {
		case what == "current":
			for _, t := range m.threads {
				t.hide(f)
			}
		case what == "history":
			for _, t := range m.threads {
				t.kept[f] = nil
			}
		case what == "history_long":
			m.long[f] = nil
		case what == "summary_by_digest":
			m.truncateDigests()
		case what == "summary_by_program":
			m.truncatePrograms()
		case what == "histogram_by_digest":
			m.clearDigestHistograms()
		case what == "histogram_global":
			clear(m.histogram)
		case by == "by_thread":
			m.foldThreadWork(f)
		case by == "by_account":
			m.foldAccountWork(f)
		case by == "by_user":
			m.foldAccountWork(f)
			for _, a := range m.users {
				m.dropWork(a, f)
			}
		case by == "by_host":
			m.foldAccountWork(f)
			for _, a := range m.hosts {
				m.dropWork(a, f)
			}
		case by == "global":
			for _, t := range m.threads {
				t.work.clear(f)
			}
			for _, a := range slices.Concat(m.accounts, m.users, m.hosts) {
				a.work.clear(f)
			}
			m.work.clear(f)
			if f == modelStatements {
				clear(m.histogram)
			}
		default:
			return false
		}
		return true
	}
	return false
}

// hide is TRUNCATE of the table of current events: running events will not get into histories
// either.
func (t *modelThread) hide(f modelFamily) {
	switch f {
	case modelStages:
		if t.stage != nil {
			t.stage.hidden = true
		}
	case modelStatements:
		if t.last != nil {
			t.last.hidden = true
		}
		for _, s := range t.statements {
			s.hidden = true
		}
	case modelTransactions:
		if t.transaction != nil {
			t.transaction.hidden = true
		}
	}
}

// workOf is the statistics of an actor.
func (m *model) workOf(a *modelActor) modelWork {
	sum := modelWork{}
	sum.addAll(a.work, modelFamilies...)
	for _, of := range m.accounts {
		if of.ofUser == a || of.ofHost == a {
			sum.addAll(of.work, modelFamilies...)
		}
	}
	for _, t := range m.threads {
		if t.belongs(a) {
			sum.addAll(t.work, modelFamilies...)
		}
	}
	return sum
}

// globalWork is the global statistics. Users are left out, because hosts have the same statistics.
func (m *model) globalWork() modelWork {
	sum := modelWork{}
	sum.addAll(m.work, modelFamilies...)
	for _, a := range slices.Concat(m.hosts, m.accounts) {
		sum.addAll(a.work, modelFamilies...)
	}
	for _, t := range m.threads {
		sum.addAll(t.work, modelFamilies...)
	}
	return sum
}

// modelSummaries is the columns of a family's summaries, and their rows for some statistics,
// grouped by so many parts of the instruments' names.
var modelSummaries = [...]struct {
	by      string
	columns []string
	rows    func(m *model, w modelWork, parts int) [][]string
}{
	modelStages:       {"event_name", slices.Concat([]string{"EVENT_NAME"}, waitStatNames), (*model).stageRows},
	modelStatements:   {"event_name", slices.Concat([]string{"EVENT_NAME"}, waitStatNames, statementSums), (*model).statementRows},
	modelTransactions: {"event_name", slices.Concat([]string{"EVENT_NAME"}, waitStatNames, statNames("READ_WRITE", "READ_WRITE"), statNames("READ_ONLY", "READ_ONLY")), (*model).transactionRows},
	modelErrors:       {"error", []string{"ERROR_NUMBER", "ERROR_NAME", "SQL_STATE", "SUM_ERROR_RAISED", "SUM_ERROR_HANDLED", "FIRST_SEEN", "LAST_SEEN"}, (*model).errorRows},
}

// expectWork is the tables of stages, statements, transactions and errors, without the digests.
func (m *model) expectWork(x *expectation) {
	type who struct {
		key  []string
		work modelWork
	}
	level := func(list []*modelActor, key func(a *modelActor) []string) (all []who) {
		for _, a := range list {
			all = append(all, who{key(a), m.workOf(a)})
		}
		return all
	}
	var threads []who
	for _, t := range m.threads {
		threads = append(threads, who{[]string{num(t.id)}, t.work})
	}
	global := []who{{nil, m.globalWork()}}
	levels := []struct {
		name string
		keys []string
		all  []who
	}{
		{"by_thread", []string{"THREAD_ID"}, threads},
		{"by_account", []string{"USER", "HOST"}, level(m.accounts, func(a *modelActor) []string { return []string{orNull(a.user), orNull(a.host)} })},
		{"by_user", []string{"USER"}, level(m.users, func(a *modelActor) []string { return []string{orNull(a.user)} })},
		{"by_host", []string{"HOST"}, level(m.hosts, func(a *modelActor) []string { return []string{orNull(a.host)} })},
		{"global", nil, global},
	}
	for _, f := range modelFamilies {
		s := modelSummaries[f]
		for _, l := range levels {
			add := func(by string, parts int) {
				e := x.table("events_"+modelFamilyNames[f]+"_summary_"+l.name+"_by_"+by, len(l.keys)+1, slices.Concat(l.keys, s.columns)...)
				for _, o := range l.all {
					for _, row := range s.rows(m, o.work, parts) {
						e.row(slices.Concat(o.key, row)...)
					}
				}
			}
			add(s.by, wholeName)
			if f == modelStages && (l.name == "by_thread" || l.name == "global") {
				add("class", 1)
				add("order", 2)
			}
		}
	}
	for f, own := range [modelErrors][]string{stageNames, statementNames, transactionNames} {
		name := "events_" + modelFamilyNames[f] + "_"
		columns := slices.Concat(headNames, own)
		current, history, long := x.table(name+"current", 2, columns...), x.table(name+"history", 2, columns...), x.table(name+"history_long", 2, columns...)
		for _, t := range m.threads {
			for _, r := range t.current(modelFamily(f)) {
				if h := r.base(); h.id != 0 && !h.hidden {
					current.event(r)
				}
			}
			for _, r := range t.kept[f] {
				history.event(r)
			}
		}
		for _, r := range m.long[f] {
			long.event(r)
		}
	}
}

// current is the rows of a thread in a table of current events. A present event without a row also
// hides the event before.
func (t *modelThread) current(f modelFamily) (all []modelRow) {
	switch f {
	case modelStages:
		if t.stage != nil {
			all = append(all, t.stage)
		}
	case modelStatements:
		for _, s := range t.statements {
			all = append(all, s)
		}
		if len(all) == 0 && t.last != nil {
			all = append(all, t.last)
		}
	case modelTransactions:
		if t.transaction != nil {
			all = append(all, t.transaction)
		}
	}
	return all
}

// learnWork calls f, which ends an event that counts in key, and returns how long the event took,
// in picoseconds, by the global statistics.
func (w *modelWorld) learnWork(key modelKey, h *modelHead, f func()) (ps uint64) {
	if h == nil {
		f()
		return 0
	}
	before := w.counted(key)
	f()
	after := w.counted(key)
	if after.Count-before.Count != 1 {
		w.fail("%s: counted %d times, want 1", key.class.name, after.Count-before.Count)
	}
	ps = after.Sum - before.Sum
	if !h.timed && ps != 0 {
		w.fail("%s took %d picoseconds, and was not timed", key.class.name, ps)
	}
	return ps
}

// counted is what the registry has counted of a key.
func (w *modelWorld) counted(key modelKey) instr.WorkStat {
	all := w.reg.Reader().GlobalWork(modelWorkKinds[key.family])
	class := w.reg.Reader().ClassByName(key.class.name)
	switch {
	case key.family == modelStages:
		return all.Stage(class)
	case key.family == modelStatements:
		return all.Statement(class).WorkStat
	case key.which == readOnly:
		return all.Transaction().ReadOnly
	}
	return all.Transaction().ReadWrite
}

// modelWorkTruncates are the tables of work that have TRUNCATE.
var modelWorkTruncates = func() (all []string) {
	for _, f := range modelFamilies {
		name, by := "events_"+modelFamilyNames[f]+"_", "_by_"+modelSummaries[f].by
		for _, level := range []string{"by_thread", "by_account", "by_user", "by_host", "global"} {
			all = append(all, name+"summary_"+level+by)
		}
		if f != modelErrors {
			all = append(all, name+"current", name+"current", name+"current", name+"history", name+"history_long")
		}
	}
	return append(all, "events_stages_summary_by_thread_by_class", "events_stages_summary_by_thread_by_order",
		"events_stages_summary_global_by_class", "events_stages_summary_global_by_order",
		"events_statements_summary_by_digest", "events_statements_summary_by_program", "prepared_statements_instances", "events_statements_histogram_by_digest", "events_statements_histogram_global")
}()
