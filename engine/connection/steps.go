package connection

import (
	"runtime"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/programs"
	"pfsd/engine/stages"
	"pfsd/instr"
	"pfsd/timers"
)

// steps is the connection as the stored programs see it that it runs: each of their instructions is a statement of its own. Owned by the
// connection's goroutine.
type steps struct{ *Work }

var _ programs.Connection = steps{}

// BeginStep implements programs.Connection.
func (s steps) BeginStep(ctx *sql.Context, instruction *instr.StatementClass, text string, of *instr.Program) programs.Step {
	w := s.Work
	step := programs.Step(len(w.outer))
	w.Current.columns = w.Rights.LeaveStatement()
	w.outer = append(w.outer, w.Current)
	w.Current = currentStatement{
		event: w.Thread.StartStatement(instruction), schema: ctx.GetCurrentDatabase(),
		stage: stages.NewTracker(&w.Stages, w.Thread), reads: true,
		used: w.opened.Used(), memory: w.account.Statement().Mark(), part: w.account.Statement().BeginPart(),
	}
	w.locks.Refused = nil
	w.diagnostics.Begin(ctx)
	w.opened.EndFetch()
	o := &w.Current
	o.event.Identify(nil, o.schema, text, nil)
	o.event.SetProgram(of)
	if w.reg.Setup().Consumer(instr.ConsumerEventsStatementsCPU) {
		runtime.LockOSThread()
		o.cpu, o.pinned = timers.ThreadCPU.Now(), true
	}
	return step
}

// EndStep implements programs.Connection.
func (s steps) EndStep(ctx *sql.Context, step programs.Step, e *mysql.SQLError, within bool) {
	w := s.Work
	if int(step) >= len(w.outer) {
		return // the statement that it was part of has failed, and ended it
	}
	o := &w.Current
	o.err, o.failed = e, e != nil
	w.undoIfFailed(ctx)
	if !within {
		w.endLost(ctx)
		w.trx.EndAlone(ctx, w.Current.err != nil)
		w.releaseStatement(ctx)
	}
	w.finish(ctx)
	planned := o.planned
	s.back(step)
	if planned {
		w.Current.stage.Return()
	}
}

// LeaveStep implements programs.Connection.
func (s steps) LeaveStep(step programs.Step) {
	w := s.Work
	for len(w.outer) > int(step) {
		if w.Current.pinned {
			runtime.UnlockOSThread()
		}
		s.back(programs.Step(len(w.outer) - 1))
	}
}

// back makes the statement that a step is part of the current one again.
func (s steps) back(step programs.Step) {
	w := s.Work
	if int(step)+1 < len(w.outer) {
		w.outer[step+1].part.End()
	} else {
		w.Current.part.End()
	}
	w.Current = w.outer[step]
	w.Rights.ReturnTo(w.Current.columns)
	clear(w.outer[step:])
	w.outer = w.outer[:step]
}

// leavePrograms goes back to the statement of the client: what programs were doing has failed or panicked.
func (w *Work) leavePrograms() {
	steps{w}.LeaveStep(0)
	w.programs.Leave()
}

// Runner implements programs.Connection.
func (s steps) Runner(r sql.StatementRunner) sql.StatementRunner { return runner{r, s.Work} }

// Engine implements programs.Connection.
func (s steps) Engine() sql.StatementRunner { return s.Work.Instruments.Runner }

// Cancel implements programs.Connection.
func (s steps) Cancel(cause error) { s.cancel(cause) }
