package engine

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/metering"
)

// heldBack puts the statement into the stage of those that are held back, until done is called.
func (w *work) heldBack() (done func()) {
	w.thread.StartStage(w.stages.HeldBack)
	return func() {
		if w.statement.planned {
			w.statement.stage.GoOn()
		} else {
			w.thread.StartStage(w.stages.Starting)
		}
	}
}

// Pace has the statement be held back after so much work; compat.Pace calls it.
func (p *processes) Pace(n uint) error {
	if p.work == nil {
		return nil
	}
	return p.work.processor.Row(n)
}

// pace has the statement of w be held back at the rows of an iterator, where there is a limit.
func (w *work) pace(rows sql.RowIter) sql.RowIter {
	if w == nil {
		return rows
	}
	return metering.Pace(rows, w.processor)
}
