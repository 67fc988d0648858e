package connection

import (
	"errors"
	"io"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/accounts"
	"pfsd/engine/mends"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/planning"
	"pfsd/engine/programs"
	"pfsd/engine/routine"
	"pfsd/instr"
)

// trigger builds n, whose trigger is to be seen when it runs; nil is n itself, about which the
// builder is asked again when it is.
func (b *Builder) trigger(ctx *sql.Context, w *Work, n *plan.TriggerExecutor, row sql.Row) (sql.RowIter, error) {
	if n == w.trigger {
		return nil, nil
	}
	w.setSavepoint(ctx)
	t := &programs.TriggerNode{Database: planning.WrittenDatabase(ctx, n.Left()), Name: n.TriggerDefinition.Name}
	if t.Database == "" { // it runs before anything is written
		t.Database = planning.WrittenDatabase(ctx, w.writing)
	}
	definition := programs.ParseTrigger(n.TriggerDefinition.CreateStatement)
	if err := b.triggerRights(ctx, w, t, definition); err != nil {
		return nil, err
	}
	t.Mark(ctx, n.Right(), n.TriggerDefinition.CreateStatement, definition)
	// The executor takes the row that a trigger has changed from a block or a SET alone.
	block := plan.NewTriggerBeginEndBlock(plan.NewBeginEndBlock("", plan.NewBlock([]sql.Node{t})))
	w.trigger = plan.NewTriggerExecutor(n.Left(), block, n.TriggerEvent, n.TriggerTime, n.TriggerDefinition)
	return b.Base.Build(ctx, w.trigger, row)
}

// triggerRights finds out with whose rights a trigger runs, and tells why that account may not do what the trigger does.
//
// go-mysql-server: asks for nothing. MySQL: the definer has to have TRIGGER on the table, and what each statement needs.
func (b *Builder) triggerRights(ctx *sql.Context, w *Work, t *programs.TriggerNode, d *ast.DDL) error {
	if !mends.TriggerDefiners.On() || w.Rights.Store == nil || d == nil || d.TriggerSpec.Definer == "" {
		return nil
	}
	id := accounts.ParseID(d.TriggerSpec.Definer)
	t.Definer = &id
	defer w.Rights.As(id)()
	may := w.Rights.Access()
	if may.Unrestricted() {
		return nil
	}
	db := ctx.GetCurrentDatabase()
	ctx.SetCurrentDatabase(t.Database)
	defer ctx.SetCurrentDatabase(db)
	if table := d.Table.Name.String(); !may.Table(t.Database, table).Has(accounts.Trigger) {
		return mysqlerr.TableDenied(ctx, accounts.Trigger.String(), table)
	}
	return programs.AuthorizeBody(ctx, &w.Rights, may, d.TriggerSpec.Body)
}

// buildTriggerStatement builds what a trigger does for a row, or one of the statements in it.
func (b *Builder) buildTriggerStatement(ctx *sql.Context, w *Work, n *programs.TriggerNode, row sql.Row) (sql.RowIter, error) {
	if n.Name != "" {
		return b.runTrigger(ctx, w, n, row)
	}
	if n.Instruction == "" {
		return b.Base.Build(ctx, n.Child, row)
	}
	if err := ctx.Err(); err != nil { // loops do not ask
		return nil, err
	}
	s := &triggerStep{work: w, node: n, outer: w.Current}
	w.beginStep(ctx, n.Instruction, "")
	if n.Instruction == programs.StatementInstruction {
		w.Current.event.SetText(n.Text)
		w.countCommand(n.Kind)
	}
	rows, err := b.Base.Build(ctx, n.Child, row)
	if err != nil {
		s.end(ctx, err)
		return nil, err
	}
	s.RowIter = rows
	return s, nil
}

func (b *Builder) runTrigger(ctx *sql.Context, w *Work, n *programs.TriggerNode, row sql.Row) (sql.RowIter, error) {
	leave, err := w.enterProgram(ctx, instr.ObjectTrigger, &program{schema: n.Database, name: n.Name, within: true})
	if err != nil {
		return nil, err
	}
	db := ctx.GetCurrentDatabase()
	ctx.SetCurrentDatabase(n.Database)
	back := func() {}
	if n.Definer != nil {
		back = w.Rights.As(*n.Definer)
	}
	run := &triggerRun{leave: func() {
		back()
		ctx.SetCurrentDatabase(db)
		leave()
	}}
	_, run.block = n.Child.(*plan.TriggerBeginEndBlock)
	if run.RowIter, err = b.Base.Build(ctx, n.Child, row); err != nil {
		run.leave()
		return nil, err
	}
	return run, nil
}

// triggerRun is a trigger that runs for a row. Owned by one goroutine.
type triggerRun struct {
	sql.RowIter
	leave func() // nil: left
	block bool
}

// Next implements sql.RowIter. A block yields a row as it has become; what is around it wants
// it as it was before as well.
func (r *triggerRun) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := r.RowIter.Next(ctx)
	if err == nil && r.block {
		row = append(slices.Clone(row), row...)
	}
	return row, err
}

// Close implements sql.RowIter.
func (r *triggerRun) Close(ctx *sql.Context) error {
	err := r.RowIter.Close(ctx)
	if r.leave != nil {
		r.leave()
		r.leave = nil
	}
	return err
}

// triggerStep is a statement of a trigger that runs. Owned by one goroutine.
type triggerStep struct {
	sql.RowIter
	work  *Work
	node  *programs.TriggerNode
	outer currentStatement
	ended bool
}

// Next implements sql.RowIter. The executor does not close what fails inside an IF.
func (s *triggerStep) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := s.RowIter.Next(ctx)
	if err == nil {
		s.count(ctx, row)
	} else if err != io.EOF {
		_ = s.close(ctx, err)
	}
	return row, err
}

// count counts what a row of the statement says that it has done.
func (s *triggerStep) count(ctx *sql.Context, row sql.Row) {
	o := &s.work.Current
	switch n := s.node.Child.(type) {
	case *plan.InsertInto, *plan.DeleteFrom:
		o.affected++
	case *plan.Update:
		half := len(row) / 2
		if same, err := row[:half].Equals(ctx, row[half:], n.Child.Schema(ctx)[:half]); err != nil || !same {
			o.affected++
		}
	case *plan.Into:
		o.affected++
	default:
		if len(row) > 0 {
			if ok, is := row[0].(types.OkResult); is {
				o.affected = ok.RowsAffected
			}
		}
	}
}

// Close implements sql.RowIter.
func (s *triggerStep) Close(ctx *sql.Context) error { return s.close(ctx, nil) }

// close closes the statement, once, which has failed with failure.
func (s *triggerStep) close(ctx *sql.Context, failure error) error {
	if s.ended {
		return nil
	}
	err := s.work.closeRows(ctx, s.RowIter, failure)
	if failure == nil {
		failure = err
	}
	s.end(ctx, failure)
	return err
}

// end ends the statement's event. What LEAVE and ITERATE do, they do by an error.
func (s *triggerStep) end(ctx *sql.Context, err error) {
	s.ended = true
	w := s.work
	var e *mysql.SQLError
	switch {
	case err == nil:
		w.Current.done = s.node.Instruction == programs.StatementInstruction
	case s.node.Instruction == "jump", err == io.EOF:
	case errors.Is(err, expression.FetchEOF):
		e = routine.NoData
		w.Thread.RaiseError(e.Num, true)
	default:
		e = w.clientError(ctx, err, false)
	}
	w.endStep(ctx, e, &s.outer)
}

// buildIf builds IF in a trigger, as the executor does, and shows the tests.
func (b *Builder) buildIf(ctx *sql.Context, w *Work, n *plan.IfElseBlock, row sql.Row) (sql.RowIter, error) {
	for _, c := range n.IfConditionals {
		outer := w.Current
		w.beginStep(ctx, "jump_if_not", "")
		value, err := c.Condition.Eval(ctx, row)
		is := false
		if err == nil && value != nil {
			is, err = sql.ConvertToBool(ctx, value)
		}
		if err != nil {
			w.endStep(ctx, w.clientError(ctx, err, false), &outer)
			return nil, err
		}
		w.endStep(ctx, nil, &outer)
		if is {
			return b.Base.Build(ctx, c, row)
		}
	}
	return b.Base.Build(ctx, n.Else, row)
}

// noteWriter notes that n, which is built, is going to write.
func (w *Work) noteWriter(ctx *sql.Context, n sql.Node) {
	var source sql.Node
	switch n := n.(type) {
	case *plan.InsertInto:
		source = n.Source
	case *plan.Update:
		source = n.Child
	case *plan.DeleteFrom:
		source = n.Child
	}
	if _, ok := source.(*plan.TriggerExecutor); ok {
		w.setSavepoint(ctx)
	}
	w.writing = n
	if i, ok := n.(*plan.InsertInto); ok {
		w.opened.Insert(ctx, i, w.Current.used)
	}
}

// setSavepoint makes sure that a statement with triggers leaves nothing behind if it fails. The SQL
// engine wants a savepoint of the storage for that.
func (w *Work) setSavepoint(ctx *sql.Context) {
	if w.Current.guard == "" {
		w.Current.guard = w.users.Guard(ctx)
	}
}

// undoIfFailed takes back what the statement has written, if it fails.
func (w *Work) undoIfFailed(ctx *sql.Context) {
	o := &w.Current
	if o.guard == "" {
		return
	}
	if o.failed {
		// There is none if the transaction has ended, and with it what is to be taken back.
		_ = w.users.RollbackTo(ctx, o.guard)
	}
	_ = w.users.Release(ctx, o.guard)
	o.guard = ""
}
