package stages

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/instr"
)

// Tracker is in which stage a statement is. Owned by the connection's goroutine.
type Tracker struct {
	Copied    uint64 // rows that ALTER TABLE has copied to convert a column
	classes   *Classes
	thread    *instr.Thread
	execution *instr.StageClass // in which the statement does what it is for
	long      *instr.StageClass // in which it reads or writes many rows
	stage     *instr.StageClass // in which it is again when it has waited; nil until its plan is carried out
	progress  *Progress         // tells how far the stage is, if it is one that does
	told      bool              // how far the stage is
}

// NewTracker makes a tracker of a statement of thread t whose kind is not known yet.
func NewTracker(c *Classes, t *instr.Thread) Tracker {
	return Tracker{classes: c, thread: t, execution: c.executing, long: c.reading}
}

// SetKind says what kind of statement it is.
func (t *Tracker) SetKind(kind string) {
	t.execution, t.long = t.classes.execution(kind), t.classes.long(kind)
}

// Explain says that the statement is an EXPLAIN.
func (t *Tracker) Explain() { t.execution = t.classes.explaining }

// Execute notes that the plan of the statement begins to be carried out, and returns the stage that the caller begins: it is shown with
// the caller's place in the sources.
func (t *Tracker) Execute() *instr.StageClass {
	t.stage = t.execution
	return t.stage
}

// GoOn makes the statement, which has waited, be again in the stage in which it was before.
func (t *Tracker) GoOn() {
	if t.stage == nil {
		t.thread.StartStage(t.classes.Optimizing) // constants are worked out
		return
	}
	t.thread.StartStage(t.stage)
	if p := t.progress; p != nil {
		t.thread.SetWorkEstimated(p.estimate)
		t.thread.SetWorkCompleted(p.rows)
	}
}

// Return makes the statement, part of which another statement was, be again in the stage in which it was before.
func (t *Tracker) Return() {
	if t.stage != nil {
		t.GoOn()
		return
	}
	t.thread.StartStage(t.execution)
}

// EndProgress ends the stage that tells how far it is, if there is one.
func (t *Tracker) EndProgress() {
	if t.progress != nil {
		t.progress.end()
	}
}

// Sort notes that a sort begins, until done is called; examined is how many rows the statement has examined, now and then.
func (t *Tracker) Sort(examined *uint64) (done func()) {
	s := t.startSort(*examined)
	return func() { t.endSort(s, *examined) }
}

// sortStart is what was before a sort.
type sortStart struct {
	stage    *instr.StageClass
	examined uint64
}

func (t *Tracker) startSort(examined uint64) sortStart {
	s := sortStart{t.stage, examined}
	t.told, t.stage = false, t.classes.sorting
	t.thread.StartStage(t.stage)
	return s
}

func (t *Tracker) endSort(s sortStart, examined uint64) {
	if !t.told {
		t.thread.SetWorkCompleted(examined - s.examined)
	}
	t.stage = s.stage
	t.GoOn()
}

// sorting is a sort, all of which happens when its first row is asked for. Owned by one goroutine.
type sorting struct {
	sql.RowIter
	tracker  *Tracker
	examined *uint64
	done     bool
}

// Sorting returns rows that are sorted when the first one is asked for; examined is how many rows the statement has examined.
func (t *Tracker) Sorting(rows sql.RowIter, examined *uint64) sql.RowIter {
	return &sorting{RowIter: rows, tracker: t, examined: examined}
}

// Next implements sql.RowIter.
func (s *sorting) Next(ctx *sql.Context) (sql.Row, error) {
	if s.done {
		return s.RowIter.Next(ctx)
	}
	s.done = true
	start := s.tracker.startSort(*s.examined)
	row, err := s.RowIter.Next(ctx)
	s.tracker.endSort(start, *s.examined)
	return row, err
}
