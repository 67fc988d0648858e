package programs

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
	"pfsd/engine/routine"
	"pfsd/instr"
)

// trigger builds n, whose trigger is to be seen when it runs; nil is n itself, about which the
// builder is asked again when it is.
func (b Builder) trigger(ctx *sql.Context, s *Session, n *plan.TriggerExecutor, row sql.Row) (sql.RowIter, error) {
	if n == s.trigger {
		return nil, nil
	}
	s.conn.Guard(ctx)
	t := &TriggerNode{Database: planning.WrittenDatabase(ctx, n.Left()), Name: n.TriggerDefinition.Name}
	if t.Database == "" { // it runs before anything is written
		t.Database = planning.WrittenDatabase(ctx, s.Writing)
	}
	definition := parseTrigger(n.TriggerDefinition.CreateStatement)
	if err := b.triggerRights(ctx, s, t, n.TriggerDefinition.CreateStatement, definition); err != nil {
		return nil, err
	}
	t.Mark(ctx, n.Right(), n.TriggerDefinition.CreateStatement, definition)
	// The executor takes the row that a trigger has changed from a block or a SET alone.
	block := plan.NewTriggerBeginEndBlock(plan.NewBeginEndBlock("", plan.NewBlock([]sql.Node{t})))
	s.trigger = plan.NewTriggerExecutor(n.Left(), block, n.TriggerEvent, n.TriggerTime, n.TriggerDefinition)
	return b.Base.Build(ctx, s.trigger, row)
}

// triggerRights finds out with whose rights a trigger runs, and tells why that account may not do what the trigger does.
//
// go-mysql-server: asks for nothing. MySQL: the definer has to have TRIGGER on the table, and what each statement needs.
func (b Builder) triggerRights(ctx *sql.Context, s *Session, t *TriggerNode, create string, d *ast.DDL) error {
	if !mends.TriggerDefiners.On() || s.Rights.Store == nil || d == nil || d.TriggerSpec.Definer == "" {
		return nil
	}
	id := accounts.ParseID(d.TriggerSpec.Definer)
	t.Definer = &id
	defer s.Rights.As(id)()
	may := s.Rights.Access()
	if may.Unrestricted() {
		return nil
	}
	db := ctx.GetCurrentDatabase()
	ctx.SetCurrentDatabase(t.Database)
	defer ctx.SetCurrentDatabase(db)
	if table := d.Table.Name.String(); !may.Table(t.Database, table).Has(accounts.Trigger) {
		return mysqlerr.TableDenied(ctx, accounts.Trigger.String(), table)
	}
	defer s.Rights.ReturnTo(s.Rights.LeaveStatement()) // that sets off the trigger
	s.Rights.BeginStatement(d)
	if err := authorizeBody(ctx, s.Rights, may, d.TriggerSpec.Body); err != nil {
		return err
	}
	if err := s.Rights.AuthorizeOldAndNew(ctx, t.Database, d.Table.Name.String(), routine.ProgramParts(d.TriggerSpec.Body)); err != nil {
		return err
	}
	if !s.Rights.Partial() {
		return nil
	}
	return s.Rights.AuthorizeTriggerColumns(ctx, b.Catalog, create, routine.ProgramParts(d.TriggerSpec.Body))
}

// buildTriggerStatement builds what a trigger does for a row, or one of the statements in it.
func (b Builder) buildTriggerStatement(ctx *sql.Context, s *Session, n *TriggerNode, row sql.Row) (sql.RowIter, error) {
	if n.Name != "" {
		return b.runTrigger(ctx, s, n, row)
	}
	if n.Instruction == "" {
		return b.Base.Build(ctx, n.Child, row)
	}
	if err := ctx.Err(); err != nil { // loops do not ask
		return nil, err
	}
	text := ""
	if n.Instruction == statementInstruction {
		text = n.Text
	}
	step := &triggerStep{session: s, node: n, step: s.begin(ctx, n.Instruction, text)}
	if n.Instruction == statementInstruction {
		s.Status.Command(s.Thread, n.Kind)
	}
	rows, err := b.Base.Build(ctx, n.Child, row)
	if err != nil {
		step.end(ctx, err)
		return nil, err
	}
	step.RowIter = rows
	return step, nil
}

// runTrigger builds what a trigger does for a row.
func (b Builder) runTrigger(ctx *sql.Context, s *Session, n *TriggerNode, row sql.Row) (sql.RowIter, error) {
	p := &program{schema: n.Database, name: n.Name, within: true}
	leave, err := s.enter(ctx, instr.ObjectTrigger, p)
	if err != nil {
		return nil, err
	}
	db := ctx.GetCurrentDatabase()
	ctx.SetCurrentDatabase(n.Database)
	back := func() {}
	if n.Definer != nil {
		back = s.Rights.As(*n.Definer)
	}
	run := &triggerRun{leave: func() {
		p.memory.hold.Drop()
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
	session *Session
	node    *TriggerNode
	step    Step
	ended   bool
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
	o := s.session.Results.Outcome
	switch n := s.node.Child.(type) {
	case *plan.InsertInto, *plan.DeleteFrom, *planning.Triggered:
		o.Affected++
	case *plan.Update:
		if _, join := n.Child.(*plan.UpdateJoin); join { // yields the rows that it changes
			o.Affected++
			break
		}
		half := len(row) / 2
		if same, err := row[:half].Equals(ctx, row[half:], n.Child.Schema(ctx)[:half]); err != nil || !same {
			o.Affected++
		}
	case *plan.Into:
		o.Affected++
	default:
		if len(row) > 0 {
			if ok, is := row[0].(types.OkResult); is {
				o.Affected = ok.RowsAffected
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
	err := s.session.Results.Close(ctx, s.RowIter, failure)
	if err == nil && failure == nil && s.session.running != nil {
		err = s.session.running.memory.keep(ctx, s.node.targets)
	}
	if failure == nil {
		failure = err
	}
	s.end(ctx, failure)
	return err
}

// end ends the statement's event. What LEAVE and ITERATE do, they do by an error.
func (s *triggerStep) end(ctx *sql.Context, err error) {
	s.ended = true
	c := s.session
	var e *mysql.SQLError
	switch {
	case err == nil:
		c.Results.Done = s.node.Instruction == statementInstruction
	case s.node.Instruction == "jump", err == io.EOF:
	case errors.Is(err, expression.FetchEOF):
		e = routine.NoData
		c.Thread.RaiseError(e.Num, true)
	default:
		e = c.Errors.Of(ctx, err, false)
	}
	c.conn.EndStep(ctx, s.step, e, true)
}

// buildIf builds IF in a trigger, as the executor does, and shows the tests.
func (b Builder) buildIf(ctx *sql.Context, s *Session, n *plan.IfElseBlock, row sql.Row) (sql.RowIter, error) {
	for _, c := range n.IfConditionals {
		step := s.begin(ctx, "jump_if_not", "")
		value, err := c.Condition.Eval(ctx, row)
		is := false
		if err == nil && value != nil {
			is, err = sql.ConvertToBool(ctx, value)
		}
		if err != nil {
			s.conn.EndStep(ctx, step, s.Errors.Of(ctx, err, false), true)
			return nil, err
		}
		s.conn.EndStep(ctx, step, nil, true)
		if is {
			return b.Base.Build(ctx, c, row)
		}
	}
	return b.Base.Build(ctx, n.Else, row)
}
