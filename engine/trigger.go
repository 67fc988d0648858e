package engine

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
	"pfsd/engine/compat"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/statements"
	"pfsd/engine/syntax"
	"pfsd/instr"
)

// triggerNode stands in a trigger's plan around what the trigger does for one row, and around
// each of the statements in it, so that the builder sees when they run.
type triggerNode struct {
	plan.UnaryNode
	schema, name string       // of the trigger, around the whole
	definer      *accounts.ID // with whose rights the whole runs; nil if nobody is asked who they are
	instruction  string       // around a statement
	triggerText
}

// String implements sql.Node.
func (n *triggerNode) String() string { return n.Child.String() }

// IsReadOnly implements sql.Node.
func (n *triggerNode) IsReadOnly() bool { return n.Child.IsReadOnly() }

// WithChildren implements sql.Node.
func (n *triggerNode) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 1)
	}
	c := *n
	c.Child = children[0]
	return &c, nil
}

// trigger builds n, whose trigger is to be seen when it runs; nil is n itself, about which the
// builder is asked again when it is.
func (b *builder) trigger(ctx *sql.Context, w *work, n *plan.TriggerExecutor, row sql.Row) (sql.RowIter, error) {
	if n == w.trigger {
		return nil, nil
	}
	w.protect(ctx)
	t := &triggerNode{schema: compat.WrittenDatabase(ctx, n.Left()), name: n.TriggerDefinition.Name}
	if t.schema == "" { // it runs before anything is written
		t.schema = compat.WrittenDatabase(ctx, w.writing)
	}
	body := n.Right()
	definition := triggerDefinition(n.TriggerDefinition.CreateStatement)
	if err := b.triggerRights(ctx, w, t, definition); err != nil {
		return nil, err
	}
	texts := triggerTexts(n.TriggerDefinition.CreateStatement, definition)
	if count := 0; markSteps(ctx, body, func() triggerText { count++; return triggerText{} }) != nil && count != len(texts) {
		texts = make([]triggerText, count)
	}
	t.Child = markSteps(ctx, body, func() triggerText {
		text := texts[0]
		texts = texts[1:]
		return text
	})
	// The executor takes the row that a trigger has changed from a block or a SET alone.
	block := plan.NewTriggerBeginEndBlock(plan.NewBeginEndBlock("", plan.NewBlock([]sql.Node{t})))
	w.trigger = plan.NewTriggerExecutor(n.Left(), block, n.TriggerEvent, n.TriggerTime, n.TriggerDefinition)
	return b.base.Build(ctx, w.trigger, row)
}

// triggerText is the text of a statement of a trigger, and its kind.
type triggerText struct{ text, kind string }

// triggerDefinition is the statement that creates a trigger, nil if it cannot be parsed.
func triggerDefinition(create string) *ast.DDL {
	tree, err := syntax.Default.ParseSimple(create)
	ddl, ok := tree.(*ast.DDL)
	if err != nil || !ok || ddl.TriggerSpec == nil {
		return nil
	}
	return ddl
}

// triggerRights finds out with whose rights a trigger runs, and tells why that account may not do what the trigger does.
//
// go-mysql-server: asks for nothing. MySQL: the definer has to have TRIGGER on the table, and what each statement needs.
func (b *builder) triggerRights(ctx *sql.Context, w *work, t *triggerNode, d *ast.DDL) error {
	if !compat.TriggerDefiners.On() || w.rights.Store == nil || d == nil || d.TriggerSpec.Definer == "" {
		return nil
	}
	id := accounts.ParseID(d.TriggerSpec.Definer)
	t.definer = &id
	defer w.rights.As(id)()
	may := w.rights.Access()
	if may.Unrestricted() {
		return nil
	}
	db := ctx.GetCurrentDatabase()
	ctx.SetCurrentDatabase(t.schema)
	defer ctx.SetCurrentDatabase(db)
	if table := d.Table.Name.String(); !may.Table(t.schema, table).Has(accounts.Trigger) {
		return mysqlerr.TableDenied(ctx, accounts.Trigger.String(), table)
	}
	return w.authorizeProgram(ctx, may, d.TriggerSpec.Body)
}

// authorizeProgram tells why an account may not do what the statements of a program do.
func (w *work) authorizeProgram(ctx *sql.Context, may *accounts.Access, body ast.Statement) (err error) {
	for _, s := range compat.ProgramParts(body) {
		if s, ok := s.(ast.Statement); ok && statements.Kind(s, "") != "" {
			if _, set := s.(*ast.Set); !set { // whose variables may be the program's own
				err = w.rights.AuthorizeStatement(ctx, s, ast.String(s))
			}
		}
		if err != nil {
			return err
		}
		_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
			if a, ok := n.(ast.AuthNode); ok && err == nil {
				err = w.rights.AuthorizeRows(ctx, may, a.GetAuthInformation())
			}
			return err == nil, nil
		}, s)
		if err != nil {
			return err
		}
	}
	return nil
}

// triggerTexts are the texts of the statements of the trigger that a statement creates.
func triggerTexts(create string, ddl *ast.DDL) (all []triggerText) {
	if ddl == nil {
		return nil
	}
	texts := compat.ProgramTexts(subStatement(create, ddl), ddl.TriggerSpec.Body)
	for _, s := range compat.ProgramStatements(ddl.TriggerSpec.Body) {
		all = append(all, triggerText{texts[s], statements.Kind(s, texts[s])})
	}
	return all
}

// markSteps puts a node around each statement of a trigger; text returns their texts, one after
// the other.
func markSteps(ctx *sql.Context, n sql.Node, text func() triggerText) sql.Node {
	switch n.(type) {
	case nil:
		return nil
	case plan.RepresentsBlock, *plan.CaseStatement:
		children := slices.Clone(n.Children())
		for i, c := range children {
			children[i] = markSteps(ctx, c, text)
		}
		if marked, err := n.WithChildren(ctx, children...); err == nil {
			return marked
		}
		return n
	}
	return &triggerNode{UnaryNode: plan.UnaryNode{Child: n}, instruction: instructionOf(ctx, n), triggerText: text()}
}

// instructionOf is what MySQL makes of a statement of a trigger; "" is nothing.
func instructionOf(ctx *sql.Context, n sql.Node) string {
	switch n := n.(type) {
	case *plan.Set:
		return setInstruction(ctx, n)
	case *plan.DeclareVariables:
		return "set"
	case *plan.DeclareCondition:
		return ""
	case *plan.DeclareCursor:
		return "cpush"
	case *plan.DeclareHandler:
		return "hpush_jump"
	case *plan.Open:
		return "copen"
	case *plan.Fetch:
		return "cfetch"
	case *plan.Close:
		return "cclose"
	case *plan.Leave, *plan.Iterate:
		return "jump"
	}
	return statementInstruction
}

// setInstruction is the instruction for SET of a column, a variable of the program, or any other.
func setInstruction(_ *sql.Context, n *plan.Set) string {
	if len(n.Exprs) > 0 {
		if f, ok := n.Exprs[0].(*expression.SetField); ok {
			switch f.LeftChild.(type) {
			case *expression.GetField:
				return "set_trigger_field"
			case *expression.ProcedureParam:
				return "set"
			}
		}
	}
	return statementInstruction
}

// triggered builds what a trigger does for a row, or one of the statements in it.
func (b *builder) triggered(ctx *sql.Context, w *work, n *triggerNode, row sql.Row) (sql.RowIter, error) {
	if n.name != "" {
		return b.runTrigger(ctx, w, n, row)
	}
	if n.instruction == "" {
		return b.base.Build(ctx, n.Child, row)
	}
	if err := ctx.Err(); err != nil { // loops do not ask
		return nil, err
	}
	s := &triggerStep{work: w, node: n, outer: w.statement}
	w.beginStep(ctx, n.instruction, "")
	if n.instruction == statementInstruction {
		w.statement.event.SetText(n.text)
		w.command(n.kind)
	}
	rows, err := b.base.Build(ctx, n.Child, row)
	if err != nil {
		s.end(ctx, err)
		return nil, err
	}
	s.RowIter = rows
	return s, nil
}

func (b *builder) runTrigger(ctx *sql.Context, w *work, n *triggerNode, row sql.Row) (sql.RowIter, error) {
	leave, err := w.enter(ctx, instr.ObjectTrigger, &program{schema: n.schema, name: n.name, within: true})
	if err != nil {
		return nil, err
	}
	db := ctx.GetCurrentDatabase()
	ctx.SetCurrentDatabase(n.schema)
	back := func() {}
	if n.definer != nil {
		back = w.rights.As(*n.definer)
	}
	run := &triggerRun{leave: func() {
		back()
		ctx.SetCurrentDatabase(db)
		leave()
	}}
	_, run.block = n.Child.(*plan.TriggerBeginEndBlock)
	if run.RowIter, err = b.base.Build(ctx, n.Child, row); err != nil {
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
	work  *work
	node  *triggerNode
	outer observed
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
	o := &s.work.statement
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
		w.statement.done = s.node.instruction == statementInstruction
	case s.node.instruction == "jump", err == io.EOF:
	case errors.Is(err, expression.FetchEOF):
		e = compat.NoData
		w.thread.RaiseError(e.Num, true)
	default:
		e = w.fail(ctx, err, false)
	}
	w.endStep(ctx, e, &s.outer)
}

// branch builds IF in a trigger, as the executor does, and shows the tests.
func (b *builder) branch(ctx *sql.Context, w *work, n *plan.IfElseBlock, row sql.Row) (sql.RowIter, error) {
	for _, c := range n.IfConditionals {
		outer := w.statement
		w.beginStep(ctx, "jump_if_not", "")
		value, err := c.Condition.Eval(ctx, row)
		is := false
		if err == nil && value != nil {
			is, err = sql.ConvertToBool(ctx, value)
		}
		if err != nil {
			w.endStep(ctx, w.fail(ctx, err, false), &outer)
			return nil, err
		}
		w.endStep(ctx, nil, &outer)
		if is {
			return b.base.Build(ctx, c, row)
		}
	}
	return b.base.Build(ctx, n.Else, row)
}

// writes notes that n, which is built, is going to write.
func (w *work) writes(ctx *sql.Context, n sql.Node) {
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
		w.protect(ctx)
	}
	w.writing = n
	if i, ok := n.(*plan.InsertInto); ok {
		w.opened.Insert(ctx, i, w.statement.used)
	}
}

// protect makes sure that a statement with triggers leaves nothing behind if it fails. The SQL
// engine wants a savepoint of the storage for that.
func (w *work) protect(ctx *sql.Context) {
	if w.statement.guard == "" {
		w.statement.guard = w.users.Guard(ctx)
	}
}

// settle takes back what the statement has written, if it fails.
func (w *work) settle(ctx *sql.Context) {
	o := &w.statement
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
