package instr

import (
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// StatementCounter is something that a statement counts besides its time.
type StatementCounter uint8

// The counters, in the order of the columns of events_statements_current. LockTime and CPUTime are
// picoseconds; MaxControlledMemory and MaxTotalMemory are bytes, and statistics of several
// statements have the largest.
const (
	LockTime StatementCounter = iota
	Errors
	Warnings
	RowsAffected
	RowsSent
	RowsExamined
	CreatedTmpDiskTables
	CreatedTmpTables
	SelectFullJoin
	SelectFullRangeJoin
	SelectRange
	SelectRangeCheck
	SelectScan
	SortMergePasses
	SortRange
	SortRows
	SortScan
	NoIndexUsed
	NoGoodIndexUsed
	CPUTime
	MaxControlledMemory
	MaxTotalMemory
	CountSecondary
	StatementCounterCount
)

// StatementStat is a copy of the statistics of statements.
type StatementStat struct {
	WorkStat
	Counters [StatementCounterCount]uint64
}

// StatementClass is a kind of statements, the instrument statement/NAME. Safe for
// concurrent use.
type StatementClass struct{ class *Class }

// NewStatementClass returns the class of statements statement/NAME, made if need be.
func (r *Registry) NewStatementClass(name string) *StatementClass {
	return &StatementClass{r.class(KindStatement, name)}
}

// NewStatementClass is Registry.NewStatementClass of the default registry.
func NewStatementClass(name string) *StatementClass { return Default.NewStatementClass(name) }

// NewStatementDetail is NewStatementClass, but the instrument is off by default: for parts of a
// statement, such as the instructions of a stored program.
func (r *Registry) NewStatementDetail(name string) *StatementClass {
	return &StatementClass{r.classOn(KindStatement, name, false)}
}

// NewStatementDetail is Registry.NewStatementDetail of the default registry.
func NewStatementDetail(name string) *StatementClass { return Default.NewStatementDetail(name) }

// Class is the instrument.
func (c *StatementClass) Class() *Class { return c.class }

// Watched reports whether statements of the class are recorded anywhere now. Safe for concurrent use; it costs a load.
func (c *StatementClass) Watched() bool { return c.class.switches.Load() != 0 }

// Statement is a statement in progress. The zero Statement is none; after the end of a statement,
// its methods do nothing, like those of the zero Statement. Owned by the thread's goroutine.
type Statement struct {
	thread   *Thread
	activity *activity
	place    *runningStatement
	id       uint64 // the StatementID: the place may serve another statement by now
}

// runningStatement is a place in a thread's stack of statements. An ended statement in the first
// place stays there until the next one begins.
type runningStatement struct {
	StatementEvent
	sw      switches // as the statement began; 0: the place is empty
	hidden  bool     // by TRUNCATE
	program *Program // that it counts in, nil for none

	// prepared is what the statement executes, or if preparing is true what it prepares; nil if
	// it does neither.
	prepared  *PreparedStatement
	preparing bool
}

// StartStatement starts a statement of the thread. A nil thread starts none.
//
//go:noinline
func (t *Thread) StartStatement(c *StatementClass) Statement {
	if t == nil || c == nil || c.class.switches.Load() == 0 {
		return Statement{}
	}
	return t.startStatement(c.class, callerPC())
}

func (t *Thread) startStatement(c *Class, caller uintptr) Statement {
	sw := t.recording(c)
	if sw == 0 || t.ID() == 0 {
		return Statement{}
	}
	r, a := t.registry, t.ensureActivity()
	start := uint64(0)
	if sw&swTimed != 0 {
		start = sw.now()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if sw&swCurrent != 0 && a.recorded >= r.Setup().StatementStackSize() {
		t.nextEvent++
		r.work.nestedLost.Add(1)
		return Statement{}
	}
	if a.depth == len(a.statements) {
		a.statements = append(a.statements, new(runningStatement))
		r.buffers[bufStatementsCurrent].grow(1, size[runningStatement]())
	}
	p := a.statements[a.depth]
	*p = runningStatement{sw: sw}
	p.begin(t, c, sw, start, caller)
	p.StatementID = r.work.lastStatement.Add(1)
	p.Level = a.depth
	if p.ID != 0 {
		p.Level = a.recorded
		a.recorded++
		p.NestingID, p.NestingType = a.statementIn()
		a.lastStatement = p.ID
		t.nestWaits(p.ID, waitInStatement)
	}
	a.depth++
	return Statement{t, a, p, p.StatementID}
}

// statementIn returns the event that a statement is part of if it begins now: the enclosing
// statement, or the transaction if that began later.
func (a *activity) statementIn() (id uint64, in NestingType) {
	id = a.innermost()
	switch x := &a.transaction; {
	case x.running && x.ID > id:
		return x.ID, NestingTransaction
	case id != 0:
		return id, NestingStatement
	}
	return 0, NestingNone
}

// lock returns the statement's place, with the activity locked. If the statement is the zero
// Statement or has ended, it returns nil and locks nothing.
func (s *Statement) lock() *runningStatement {
	if s.activity == nil {
		return nil
	}
	s.activity.mu.Lock()
	if s.place.StatementID == s.id && !s.place.Ended {
		return s.place
	}
	s.activity.mu.Unlock()
	return nil
}

// EventID is the EVENT_ID of the statement's event, 0 if it has none or has ended.
func (s *Statement) EventID() uint64 {
	p := s.lock()
	if p == nil {
		return 0
	}
	defer s.activity.mu.Unlock()
	return p.ID
}

// SetText sets the statement's text. It is cut at the registry's SQLTextLength.
func (s *Statement) SetText(sql string) {
	if s.activity == nil {
		return
	}
	sql = cutText(sql, s.thread.registry.Setup().SQLTextLength())
	if p := s.lock(); p != nil {
		p.SQLText = sql
		s.activity.mu.Unlock()
	}
}

// cutText cuts a text to at most n bytes, the last three of which are dots. The result does not
// refer to the memory of the longer text.
func cutText(s string, n int) string {
	const dots = "..."
	if len(s) <= n {
		return s
	}
	if n <= len(dots) {
		return dots[:max(0, n)]
	}
	end := n - len(dots)
	for i := 1; i < utf8.UTFMax && end > 0 && !utf8.RuneStart(s[end]); i++ {
		end--
	}
	return s[:end] + dots
}

// SetSchema sets the default database.
func (s *Statement) SetSchema(name string) {
	if p := s.lock(); p != nil {
		p.Schema = name
		s.activity.mu.Unlock()
	}
}

// SetDigest sets the statement's digest, nil for none.
func (s *Statement) SetDigest(d *Digest) {
	if p := s.lock(); p != nil {
		p.Digest = d
		s.activity.mu.Unlock()
	}
}

// SetObject says which stored program the statement is part of: its type, such as
// PROCEDURE, its schema and its name.
func (s *Statement) SetObject(kind, schema, name string) {
	if p := s.lock(); p != nil {
		p.ObjectType, p.ObjectSchema, p.ObjectName = kind, schema, name
		s.activity.mu.Unlock()
	}
}

// Refine changes the class of the statement, unless c is nil: the statement only counts in the new
// class. If that is off, the statement vanishes; if it is not timed, the statement loses its times.
func (s *Statement) Refine(c *StatementClass) {
	if p := s.lock(); p != nil {
		s.refine(p, c)
		s.activity.mu.Unlock()
	}
}

// refine is Refine with mu held. It returns false if the statement has vanished.
func (s *Statement) refine(p *runningStatement, to *StatementClass) bool {
	if to == nil {
		return true
	}
	c := to.class
	switch sw := switches(c.switches.Load()); {
	case sw == 0 || c.registry != s.thread.registry:
		s.activity.pop(s.thread, p)
		*p = runningStatement{}
		return false
	case sw&swTimed == 0:
		p.timed, p.start = false, 0
	}
	p.Class = c
	return true
}

// Identify is Refine, SetSchema, SetText and SetDigest at once.
func (s *Statement) Identify(c *StatementClass, schema, sql string, d *Digest) {
	if s.activity == nil {
		return
	}
	sql = cutText(sql, s.thread.registry.Setup().SQLTextLength())
	if p := s.lock(); p != nil {
		if s.refine(p, c) {
			p.Schema, p.SQLText, p.Digest = schema, sql, d
		}
		s.activity.mu.Unlock()
	}
}

// Add adds n to a counter.
func (s *Statement) Add(c StatementCounter, n uint64) {
	if p := s.lock(); p != nil {
		p.Counters[c] += n
		s.activity.mu.Unlock()
	}
}

// StatementResult is how a statement ended: MySQL's error number, 0 for none, the SQLSTATE, which
// is "" if the statement ended with neither an error nor an OK, as after rows, the message, and
// what to add to the counters.
type StatementResult struct {
	Errno             int
	SQLState, Message string
	Counters          [StatementCounterCount]uint64
}

// SetDiagnostics says how the statement ended: MySQL's error number, 0 for none; the SQLSTATE,
// where "" means 00000 if there is no error; and the message. When a statement with an error ends,
// its Errors is 1 and its RowsAffected 0.
func (s *Statement) SetDiagnostics(errno int, sqlState, message string) {
	if p := s.lock(); p != nil {
		p.diagnose(errno, sqlState, message)
		s.activity.mu.Unlock()
	}
}

func (p *runningStatement) diagnose(errno int, sqlState, message string) {
	p.Counters[Errors] = 0
	if errno != 0 {
		p.Counters[Errors] = 1
	} else if sqlState == "" {
		sqlState = "00000"
	}
	p.Errno, p.SQLState, p.Message = errno, sqlState, message
}

// Finish is SetDiagnostics, Add and End at once.
func (s *Statement) Finish(r *StatementResult) {
	if p := s.lock(); p != nil {
		if r.Errno != 0 || r.SQLState != "" {
			p.diagnose(r.Errno, r.SQLState, r.Message)
		}
		for i, n := range r.Counters {
			p.Counters[i] += n
		}
		s.end(p)
	}
}

// End ends the statement, once. Statements inside it that have not ended were left by a panic, and
// do not count.
func (s *Statement) End() {
	if p := s.lock(); p != nil {
		s.end(p)
	}
}

// end is End with mu held, which it unlocks.
func (s *Statement) end(p *runningStatement) {
	t, a, r := s.thread, s.activity, s.thread.registry
	counted := p.counted(p.finish(t, p.now()))
	a.keepStatement(r, p, &counted.one, true)
	a.pop(t, p)
	if a.depth == 0 {
		a.flushStages(r)
	}
	p.prepared = nil
	a.mu.Unlock()
	counted.record(r)
}

// keepStatement counts an ended statement, and puts it in the long history; if thread is true also in the thread's statistics and
// history. The caller holds mu.
func (a *activity) keepStatement(r *Registry, p *runningStatement, one *StatementStat, thread bool) {
	sw := p.sw
	if !thread {
		sw &^= swThreads | swHistory
	}
	a.count(r, sw, func(w *workStats) { w.addStatement(p.Class.id, one) })
	if sw&(swHistory|swHistoryLong) != 0 && !p.hidden {
		record := p.record()
		if sw&swHistory != 0 {
			a.statementsHistory.add(&record)
		}
		if sw&swHistoryLong != 0 {
			r.work.statements.Load().add(p.ThreadID, longEntry[statementRecord]{p.stamp(), record})
		}
	}
}

// countedStatement is what a statement that has ended counts in besides its thread: histogram, digest, prepared statement, program.
type countedStatement struct {
	class        *Class
	sw           switches
	one          StatementStat
	ps           uint64
	timed        bool
	schema, text string
	digest       *Digest
	prepared     *PreparedStatement
	preparing    bool
	program      *Program
}

// counted returns where the statement counts, which has ended and took ps picoseconds.
func (p *runningStatement) counted(ps uint64) countedStatement {
	if p.Errno != 0 {
		p.Counters[RowsAffected] = 0
	}
	c := countedStatement{
		class: p.Class, sw: p.sw, one: StatementStat{Counters: p.Counters}, ps: ps, timed: p.timed, schema: p.Schema, text: p.SQLText, digest: p.Digest,
		prepared: p.prepared, preparing: p.preparing, program: p.program,
	}
	c.one.WorkStat.record(p.timed, ps)
	if p.sw&swThreads == 0 {
		c.digest = nil
	}
	return c
}

func (c *countedStatement) record(r *Registry) {
	if c.timed {
		r.recordStatementHistogram(c.ps)
		c.class.recordTime(c.sw, c.ps)
	}
	if c.prepared != nil {
		c.prepared.ended(c.preparing, &c.one)
	}
	if c.digest != nil {
		r.recordDigest(c.schema, c.digest, &c.one, c.text, c.timed)
	}
	if c.program != nil {
		c.program.addStatement(&c.one)
	}
}

// Cancel drops the statement, as if it had not begun, and the running statements inside it.
func (s *Statement) Cancel() {
	if p := s.lock(); p != nil {
		s.activity.pop(s.thread, p)
		*p = runningStatement{}
		s.activity.mu.Unlock()
	}
}

// DetachedStatement is a statement that has ended in its thread, and that counts when [DetachedStatement.Finish] says how it
// went. The methods of a nil *DetachedStatement do nothing. Safe for concurrent use.
type DetachedStatement struct {
	record atomic.Pointer[detachedStatement] // nil after Finish
}

// detachedStatement is what is kept of a DetachedStatement. Owned by who has taken it out of it.
type detachedStatement struct {
	thread   *Thread
	activity *activity
	run      runningStatement
	took     uint64 // picoseconds
}

// detachedStatements has the records of those that have been counted, for the next ones.
var detachedStatements = sync.Pool{New: func() any { return new(detachedStatement) }}

// Detach ends the statement in its thread, but what it counts is only known later, when its result has been read. Until then it
// is only in the thread's current statements. Detach returns nil for the zero Statement and one that has ended. Owned by the
// thread's goroutine.
func (s *Statement) Detach() *DetachedStatement {
	p := s.lock()
	if p == nil {
		return nil
	}
	a := s.activity
	defer a.mu.Unlock()
	d := detachedStatements.Get().(*detachedStatement)
	d.thread, d.activity, d.took = s.thread, a, p.finish(s.thread, p.now())
	d.run = *p
	a.pop(s.thread, p)
	if a.depth == 0 {
		a.flushStages(s.thread.registry)
	}
	p.prepared = nil
	l := new(DetachedStatement)
	l.record.Store(d)
	return l
}

// Finish counts the statement, once, with this result. If its thread has ended, it counts for no
// thread.
func (l *DetachedStatement) Finish(r *StatementResult) {
	if l == nil {
		return
	}
	d := l.record.Swap(nil)
	if d == nil {
		return
	}
	p, a := &d.run, d.activity
	if r.Errno != 0 || r.SQLState != "" {
		p.diagnose(r.Errno, r.SQLState, r.Message)
	}
	for i, n := range r.Counters {
		p.Counters[i] += n
	}
	// A thread that ends folds its statistics under mu, after its id has changed.
	counted := p.counted(d.took)
	a.mu.Lock()
	a.keepStatement(d.thread.registry, p, &counted.one, d.thread.ID() == p.ThreadID)
	a.mu.Unlock()
	counted.record(d.thread.registry)
	*d = detachedStatement{}
	detachedStatements.Put(d)
}

// pop takes a running statement, and those inside it, off the stack. From then on, waits are part
// of what is still running. The caller holds mu.
func (a *activity) pop(t *Thread, p *runningStatement) {
	for a.depth > 0 {
		a.depth--
		top := a.statements[a.depth]
		if top.ID != 0 {
			a.recorded--
		}
		if top == p {
			break
		}
		*top = runningStatement{}
	}
	if a.depth == 0 {
		a.lastStatement = 0
	}
	if x := &a.stage; x.running && x.ID != 0 {
		t.nestWaits(x.ID, waitInStage)
	} else {
		t.nestWaits(a.innermost(), waitInStatement)
	}
}

// StatementEvent is a copy of a statement, as a row of events_statements_current and its
// histories shows it.
type StatementEvent struct {
	EventHead
	SQLText, Schema                      string
	Digest                               *Digest // nil if there is none
	ObjectType, ObjectSchema, ObjectName string
	Errno                                int
	SQLState, Message                    string
	Counters                             [StatementCounterCount]uint64
	Level                                int    // how many statements it is part of
	StatementID                          uint64 // unique in the registry
}

// CurrentStatements appends the rows that events_statements_current has for the thread: its
// running statements, the outermost first, or the last top-level one that ended if none is
// running. Safe for concurrent use.
func (t *Thread) CurrentStatements(to []StatementEvent) []StatementEvent {
	return readActivity(t, to, func(a *activity, to []StatementEvent) []StatementEvent {
		for _, p := range a.statements[:min(max(1, a.depth), len(a.statements))] {
			if p.ID != 0 && !p.hidden {
				to = append(to, p.StatementEvent)
				to[len(to)-1].readNow()
			}
		}
		return to
	})
}

// TruncateCurrentStatements hides the statements of the thread that have begun so far; the running
// ones will not get into histories either. Safe for concurrent use.
func (t *Thread) TruncateCurrentStatements() {
	changeActivity(t, func(a *activity) {
		for _, p := range a.statements {
			p.hidden = true
		}
	})
}

// StatementsHistory appends the rows of events_statements_history, oldest first. Safe for
// concurrent use.
func (t *Thread) StatementsHistory(to []StatementEvent) []StatementEvent {
	return readActivity(t, to, func(a *activity, to []StatementEvent) []StatementEvent {
		return appendRecords(to, &a.statementsHistory, func(s *statementRecord) StatementEvent { return s.event(t.registry) })
	})
}

// TruncateStatementsHistory empties the thread's history of statements. Safe for concurrent use.
func (t *Thread) TruncateStatementsHistory() {
	changeActivity(t, func(a *activity) { a.statementsHistory.clear() })
}

// StatementsHistoryLong returns the rows of events_statements_history_long, oldest first.
// Safe for concurrent use.
func (h Reader) StatementsHistoryLong() []StatementEvent {
	return allRecords(h.r.work.statements.Load(), func(s *statementRecord) StatementEvent { return s.event(h.r) })
}

// TruncateStatementsHistoryLong empties the long history of statements. Safe for concurrent use.
func (h Reader) TruncateStatementsHistoryLong() { h.r.work.statements.Load().truncate() }
