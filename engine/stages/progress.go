package stages

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/usertables"
	"pfsd/instr"
)

const (
	// LongRows is how many rows there have to be, or to have been, for a statement to be in a
	// stage that tells how far it is.
	LongRows = 10_000
	// progressRows is how many rows go by before a stage tells how far it is.
	progressRows = 1024
)

// RowsOf is how many rows a user's table has, 0 if that is not known.
func RowsOf(ctx *sql.Context, t sql.Table) uint64 {
	m := usertables.Stored(t)
	if m == nil {
		return 0
	}
	n, _, _ := m.RowCount(ctx)
	return n
}

// Progress counts the rows that come through it and tells how far the statement is with
// them. It costs an increment for each row. Owned by one goroutine.
type Progress struct {
	sql.RowIter
	tracker  *Tracker
	stage    *instr.StageClass // if the statement is not in one that tells its progress
	from     uint64            // rows, from how many on it is worth a stage
	rows     uint64            // so far
	estimate uint64            // rows, 0 if not known
	begun    bool
}

// Reading returns rows that are read from a table that has so many.
func (t *Tracker) Reading(rows sql.RowIter, estimate uint64) *Progress {
	return &Progress{RowIter: rows, tracker: t, stage: t.long, from: LongRows, estimate: estimate}
}

// Writing returns rows, so many, that are put into a table.
func (t *Tracker) Writing(rows sql.RowIter, estimate uint64) *Progress {
	return &Progress{RowIter: rows, tracker: t, stage: t.classes.writing, from: LongRows, estimate: estimate}
}

// Next implements sql.RowIter.
func (p *Progress) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := p.RowIter.Next(ctx)
	if err != nil {
		p.end()
		return row, err
	}
	p.count()
	return row, nil
}

// Passes implements charge.Passer.
func (p *Progress) Passes() sql.RowIter { return p.RowIter }

// count counts a row.
func (p *Progress) count() {
	if p.rows++; p.rows%progressRows == 0 {
		p.tell()
	}
}

// Close implements sql.RowIter.
func (p *Progress) Close(ctx *sql.Context) error {
	p.end()
	return p.RowIter.Close(ctx)
}

// tell tells how far the statement is, in a stage that begins if need be.
func (p *Progress) tell() {
	t := p.tracker
	if !p.begun {
		if t.progress != nil || max(p.rows, p.estimate) < p.from {
			return
		}
		p.begun, t.progress, t.told = true, p, true
		if t.stage != t.classes.sorting {
			t.stage = p.stage
			t.thread.StartStage(p.stage)
		}
		t.thread.SetWorkEstimated(p.estimate)
	}
	t.thread.SetWorkCompleted(p.rows)
}

// end says how much was done, and ends the stage if it is p's.
func (p *Progress) end() {
	if !p.begun {
		return
	}
	p.begun = false
	t := p.tracker
	t.thread.SetWorkCompleted(p.rows)
	t.progress = nil
	if t.stage == p.stage {
		t.stage = t.execution
		t.thread.StartStage(t.stage)
	}
}
