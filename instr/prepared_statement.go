package instr

import (
	"slices"
	"sync"
	"unicode/utf8"
)

// PreparedStatement is a statement that a thread has prepared, a row of
// prepared_statements_instances until it is dropped or the thread ends. What changes it is owned by
// the thread; what reads it is safe for concurrent use. A nil *PreparedStatement stands for one
// that is not instrumented: methods that change it have no effect.
type PreparedStatement struct {
	registry *Registry
	session  *session
	id       uint64
	PreparedOptions
	thread, event              uint64
	objectType, schema, object string

	mu   sync.Mutex
	stat PreparedStat // guarded by mu
}

// PreparedOptions says what is prepared.
type PreparedOptions struct {
	StatementID uint64 // the number by which the client knows the statement, unique in its thread
	Name        string // by which SQL knows it; "" if SQL does not
	SQLText     string // cut at 1,024 bytes
}

// preparedTextLength is how many bytes of the text of a prepared statement are kept.
const preparedTextLength = 1024

// PreparedStat is a copy of the statistics of a prepared statement.
type PreparedStat struct {
	Prepare    WorkStat // the time that it took to prepare it
	Reprepared uint64   // how often the server prepared it again by itself
	Executed   StatementStat
}

var noPreparedStat = PreparedStat{Prepare: NoWorkStat, Executed: StatementStat{WorkStat: NoWorkStat}}

// preparedClass stands in the ids of prepared statements where those of instances have the class's
// id.
const preparedClass = maxClasses

// Prepare makes a prepared statement. The innermost running statement of the thread prepares it:
// the time of that statement is TIMER_PREPARE, and its stored program is the owner. As in MySQL,
// Prepare returns nil, and the prepared statement is not instrumented, if no instrumented statement
// is running. Beyond LimitPreparedStatements it returns nil too, and counts the prepared statement
// as lost.
func (t *Thread) Prepare(o PreparedOptions) *PreparedStatement {
	a, p := t.lockInnermost()
	if p == nil {
		return nil
	}
	defer a.mu.Unlock()
	r, s := t.registry, t.ensureSession()
	if !r.acquire(LimitPreparedStatements) {
		return nil
	}
	o.SQLText = cutPrepared(o.SQLText)
	ps := &PreparedStatement{
		registry: r, session: s, id: preparedClass<<classIDShift | r.lastPrepared.Add(1)*instanceIDStep, PreparedOptions: o,
		thread: t.ID(), event: p.ID, objectType: p.ObjectType, schema: p.ObjectSchema, object: p.ObjectName, stat: noPreparedStat,
	}
	if p.ObjectType != "" {
		ps.event = p.NestingID
	}
	p.prepared, p.preparing = ps, true
	r.buffers[bufPrepared].grow(1, ps.bytes())
	s.mu.Lock()
	s.prepared = append(s.prepared, ps)
	s.mu.Unlock()
	return ps
}

// cutPrepared cuts a text to preparedTextLength bytes; the result does not refer to the memory of
// the longer text.
func cutPrepared(s string) string {
	if len(s) <= preparedTextLength {
		return s
	}
	end := preparedTextLength
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return string([]byte(s[:end]))
}

// Execute says that the innermost running statement of the thread executes p: what the statement
// counts also counts for p.
func (t *Thread) Execute(p *PreparedStatement) {
	if p == nil {
		return
	}
	if a, s := t.lockInnermost(); s != nil {
		s.prepared, s.preparing = p, false
		a.mu.Unlock()
	}
}

// lockInnermost returns the innermost running statement of the thread, with the activity locked; if
// there is none, it returns nil and locks nothing. Owned by the thread.
func (t *Thread) lockInnermost() (*activity, *runningStatement) {
	if t == nil {
		return nil, nil
	}
	a := t.activity.Load()
	if a == nil || a.thread == 0 || a.thread != t.ID() || a.depth == 0 {
		return nil, nil
	}
	a.mu.Lock()
	return a, a.statements[a.depth-1]
}

// ended counts the statement that has prepared or executed p.
func (p *PreparedStatement) ended(preparing bool, s *StatementStat) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if preparing {
		p.stat.Prepare.Add(s.WorkStat)
	} else {
		p.stat.Executed.add(s)
	}
}

// Reprepare says that the server has prepared the statement again by itself, as MySQL does when a
// table that it uses has changed.
func (p *PreparedStatement) Reprepare() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stat.Reprepared++
}

// Drop ends the prepared statement, once.
func (p *PreparedStatement) Drop() {
	if p == nil {
		return
	}
	s := p.session
	s.mu.Lock()
	i, found := slices.BinarySearchFunc(s.prepared, p.id, func(e *PreparedStatement, id uint64) int {
		if e.id < id {
			return -1
		}
		return int(min(e.id-id, 1))
	})
	if found {
		s.prepared = slices.Delete(s.prepared, i, i+1)
	}
	s.mu.Unlock()
	if found {
		p.released()
	}
}

// bytes is how many bytes the prepared statement takes.
func (p *PreparedStatement) bytes() int {
	return size[PreparedStatement]() + len(p.Name) + len(p.SQLText) + len(p.schema) + len(p.object)
}

// released gives up the place and the memory of a prepared statement that is dropped.
func (p *PreparedStatement) released() {
	p.registry.release(LimitPreparedStatements)
	p.registry.buffers[bufPrepared].shrink(1, p.bytes())
}

// ID is unique in the process and never used again, OBJECT_INSTANCE_BEGIN.
func (p *PreparedStatement) ID() uint64 { return p.id }

// Owner returns the ids of the thread that has prepared the statement, and of the event in which it
// did, 0 if there was none.
func (p *PreparedStatement) Owner() (thread, event uint64) { return p.thread, p.event }

// OwnerObject returns the stored program that has prepared the statement: its type, such as
// PROCEDURE, its schema and its name; all are "" if it was not a stored program.
func (p *PreparedStatement) OwnerObject() (kind, schema, name string) {
	return p.objectType, p.schema, p.object
}

// Stat returns the statistics.
func (p *PreparedStatement) Stat() PreparedStat {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stat
}

// reset empties the statistics.
func (p *PreparedStatement) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stat = noPreparedStat
}

// PreparedStatements appends the statements that the thread has prepared, oldest first. Safe
// for concurrent use.
func (t *Thread) PreparedStatements(to []*PreparedStatement) []*PreparedStatement {
	return readSession(t, to, func(s *session, to []*PreparedStatement) []*PreparedStatement { return append(to, s.prepared...) })
}

// PreparedStatements returns the statements that threads have prepared, thread by thread.
// Safe for concurrent use.
func (h Reader) PreparedStatements() []*PreparedStatement {
	var all []*PreparedStatement
	for _, t := range h.r.threads.all() {
		all = t.PreparedStatements(all)
	}
	return all
}

// ResetPreparedStatements empties the statistics of all prepared statements. Safe for
// concurrent use.
func (h Reader) ResetPreparedStatements() {
	for _, p := range h.PreparedStatements() {
		p.reset()
	}
}
