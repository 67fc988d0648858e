package engine

import (
	"runtime"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/metering"
	"pfsd/engine/processor"
)

const (
	// leastShare is the least share of a processor that statements of a guest have by default.
	leastShare = 0.25
	// guestPart is which part of the processors they have where that is more.
	guestPart = 8
)

// processorBudget is what the statements of a server may take of the processors, nil if there is no limit.
func processorBudget(o Options) *processor.Budget {
	share, statements := o.ProcessorShare, o.MaxRunningStatements
	processors := runtime.GOMAXPROCS(0)
	if share == 0 {
		share = max(leastShare, float64(processors)/guestPart)
	}
	if statements == 0 {
		statements = max(1, processors/2)
	}
	return processor.New(share, statements)
}

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
