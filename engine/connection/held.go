package connection

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/metering"
)

// heldBack puts the statement into the stage of those that are held back, until done is called.
func (w *Work) heldBack() (done func()) {
	w.Thread.StartStage(w.Stages.HeldBack)
	return func() {
		if w.Current.planned {
			w.Current.stage.GoOn()
		} else {
			w.Thread.StartStage(w.Stages.Starting)
		}
	}
}

// Pace has the statement be held back after so much work; sqlvalue.Pace calls it.
func (p *processes) Pace(n uint) error {
	if p.work == nil {
		return nil
	}
	return p.work.Processor.Row(n)
}

// pace has the statement of w be held back at the rows of an iterator, where there is a limit.
func (w *Work) pace(rows sql.RowIter) sql.RowIter {
	if w == nil {
		return rows
	}
	return metering.Pace(rows, w.Processor)
}
