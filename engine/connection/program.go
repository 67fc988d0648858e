package connection

import (
	"errors"
	"reflect"
	"runtime"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/accounts"
	"pfsd/engine/diagnostics"
	"pfsd/engine/grammar"
	"pfsd/engine/mdl"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/programs"
	"pfsd/engine/rights"
	"pfsd/engine/routine"
	"pfsd/engine/secrets"
	"pfsd/engine/stages"
	"pfsd/engine/statements"
	"pfsd/instr"
	"pfsd/timers"
)

// program is a stored program that a connection runs. Owned by the connection's goroutine.
type program struct {
	outer        *program
	caller       currentStatement // the statement that it is part of
	schema, name string
	stored       *instr.Program
	body         *routine.Program // nil for a trigger
	// within tells that it is part of a statement which is not over when it is: a trigger is,
	// and what a trigger calls.
	within bool
	locks  mdl.Mark // what was locked when it began
}

// maxPrograms is how many programs can run one inside the other, however deep the recursion of
// each may be.
const maxPrograms = 256

// enterProgram notes that a program runs from now on, until leave. The error is that there are too
// many inside each other already.
func (w *Work) enterProgram(ctx *sql.Context, t instr.ObjectType, p *program) (leave func(), err error) {
	depth, same := 0, int64(0)
	for q := w.program; q != nil; q = q.outer {
		depth++
		if q.body != nil && strings.EqualFold(q.schema, p.schema) && strings.EqualFold(q.name, p.name) {
			same++
		}
		p.within = p.within || q.within
	}
	if same > 0 {
		limit, err := ctx.GetSessionVariable(ctx, "max_sp_recursion_depth")
		if n, ok := limit.(uint64); err != nil || !ok || uint64(same) > n {
			return nil, mysql.NewSQLError(1456, "HY000", "Recursive limit %d (as set by the max_sp_recursion_depth variable) was exceeded for routine %s", n, p.name)
		}
	}
	if depth >= maxPrograms {
		return nil, mysql.NewSQLError(1436, "HY000", "Thread stack overrun: %d stored programs inside each other", depth)
	}
	p.outer, p.caller, p.stored, p.locks = w.program, w.Current, w.reg.NewProgram(t, p.schema, p.name), w.locks.Mark()
	w.program = p
	run := w.Thread.StartProgram(p.stored)
	return func() {
		run.End()
		w.program = p.outer
	}, nil
}

// leavePrograms goes back to the statement of the client: what programs were doing has panicked.
func (w *Work) leavePrograms() {
	for ; w.program != nil; w.program = w.program.outer {
		if caller := &w.program.caller; w.Current.pinned && w.Current.event != caller.event {
			runtime.UnlockOSThread()
		}
		w.Current = w.program.caller
	}
}

// beginStep notes that an instruction of the program that runs begins, as part of what the
// connection does; text is that of a statement. The caller has kept w.statement.
func (w *Work) beginStep(ctx *sql.Context, instruction, text string) {
	w.Current = currentStatement{
		event: w.Thread.StartStatement(w.instructions[instruction]), schema: ctx.GetCurrentDatabase(),
		stage: stages.NewTracker(&w.Stages, w.Thread), reads: true,
		used: w.opened.Used(), memory: w.account.Statement().Mark(),
	}
	w.diagnostics.Begin(ctx)
	w.opened.EndFetch()
	if instruction == programs.StatementInstruction {
		w.status.Arrived(w.Thread, false)
	}
	o := &w.Current
	o.event.Identify(nil, o.schema, secrets.HideParsed(text), nil)
	o.event.SetProgram(w.program.stored)
	if w.reg.Setup().Consumer(instr.ConsumerEventsStatementsCPU) {
		runtime.LockOSThread()
		o.cpu, o.pinned = timers.ThreadCPU.Now(), true
	}
}

// endStep notes that the instruction has ended, and with which error, and that outer goes on.
func (w *Work) endStep(ctx *sql.Context, e *mysql.SQLError, outer *currentStatement) {
	o := &w.Current
	o.err, o.failed = e, e != nil
	w.undoIfFailed(ctx)
	if !w.program.within {
		w.trx.EndAlone(ctx, w.Current.err != nil)
		w.releaseStatement(ctx)
	}
	w.finish(ctx)
	planned := o.planned
	w.Current = *outer
	if planned {
		w.Current.stage.Return()
	}
}

// clientError is the error that a client is told. However many programs it goes through, it counts
// once.
func (w *Work) clientError(ctx *sql.Context, err error, handled bool) *mysql.SQLError {
	cause := comparableError(err)
	if w.lastError.cause != nil && errors.Is(cause, w.lastError.cause) {
		return w.lastError.error
	}
	e := mysqlerr.Of(ctx, err)
	if shown := secrets.HideIn(e.Message, ctx.Query()); shown != e.Message {
		e = mysql.NewSQLError(e.Num, e.State, "%s", shown)
	}
	w.lastError.cause, w.lastError.error = cause, e
	w.Thread.RaiseError(e.Num, handled)
	return e
}

// comparableError is err, or what it wraps, nil if neither can be compared: for those errors.Is panics. Some of the SQL engine's errors hold a value of
// any type.
func comparableError(err error) error {
	for _, e := range []error{err, sql.UnwrapError(err)} {
		if reflect.ValueOf(e).Comparable() {
			return e
		}
	}
	return nil
}

// steps are the instructions of a procedure, seen by the connection that calls it.
type steps struct {
	work    *Work
	call    *sql.Context // of the CALL
	current *sql.Context // of the instruction
}

// context is the context of an instruction: its own, but for whom it works.
func (s *steps) context(text string) *sql.Context {
	c := s.call
	return sql.NewContext(c.Context, sql.WithSession(c.Session), sql.WithPid(c.Pid()), sql.WithQuery(text),
		sql.WithMemoryManager(c.Memory), sql.WithProcessList(c.ProcessList))
}

// stepRows is how much work a step of a program is, in rows.
const stepRows = 8

// Step implements routine.Steps.
func (s *steps) Step(kind, text string, handles func(*mysql.SQLError) bool, do func() error) *mysql.SQLError {
	w, outer, context := s.work, s.work.Current, s.current
	s.current = s.context(text)
	w.beginStep(s.current, kind, text)
	done := false
	defer func() {
		s.current = context
		if !done { // it panics
			w.Current = outer
		}
	}()
	err := s.call.Err()
	if err == nil {
		err = w.Processor.Row(stepRows)
	}
	if err == nil && w.program.within {
		_, err = sql.RunInterpreted(s.current, func(*sql.Context) (struct{}, error) { return struct{}{}, do() })
	} else if err == nil {
		err = do()
	}
	e := s.failed(err, handles)
	w.endStep(s.current, e, &outer)
	done = true
	return e
}

// failed is what an instruction has failed with, nil if it has not.
func (s *steps) failed(err error, handles func(*mysql.SQLError) bool) *mysql.SQLError {
	if err == nil {
		return nil
	}
	w := s.work
	e := mysqlerr.Of(s.current, err)
	here := handles(e)
	handled := here
	for p := w.program.outer; p != nil && !handled; p = p.outer {
		handled = p.body != nil && p.body.Handles(e)
	}
	if handled && w.answers != nil {
		if err := w.answers.endOpenResult(s.current); err != nil {
			w.cancel(mysqlerr.ClientGone)
		}
	}
	e = w.clientError(s.current, err, handled)
	w.diagnostics.Fail(s.current, e)
	w.lastError.cause = e // what goes on from here
	if here {
		w.lastError.cause = nil
	}
	return e
}

// Statement implements routine.Steps.
func (s *steps) Statement(st ast.Statement, text string) {
	kind := statements.Kind(st, text)
	if !statements.AboutConditions(statements.ConditionKind(st)) {
		s.work.diagnostics.Clear()
	}
	s.work.countCommand(kind)
}

// Diagnostics implements routine.Steps.
func (s *steps) Diagnostics(ask *grammar.Diagnostics, number any) (values []any, kinds []sql.Type, err error) {
	values, err = s.work.diagnostics.Get(s.current, ask, diagnostics.ConditionNumber(s.current, number))
	for _, v := range values {
		kinds = append(kinds, diagnostics.TypeOf(v))
	}
	return values, kinds, err
}

// Handling implements routine.Steps.
func (s *steps) Handling() (done func(failed bool)) {
	d := &s.work.diagnostics
	d.Push()
	return d.Pop
}

// Warn implements routine.Steps.
func (s *steps) Warn(e *mysql.SQLError, items map[string]string) {
	s.work.diagnostics.Warn(s.current, e, items)
}

// Say implements routine.Steps.
func (s *steps) Say(items map[string]string) { s.work.diagnostics.Said = items }

// Resignal implements routine.Steps.
func (s *steps) Resignal(replaced bool) { s.work.diagnostics.Resignal(replaced) }

// Prepared implements routine.Steps.
func (s *steps) Prepared(st ast.Statement) ast.Statement {
	return s.work.noteAboutPrepared(s.current, st)
}

// SetUser implements routine.Steps.
func (s *steps) SetUser(name string, value any, kind sql.Type) error {
	return s.work.vars.Set(s.current, name, value, kind)
}

// Close implements routine.Steps.
func (s *steps) Close(ctx *sql.Context, rows sql.RowIter, failure error) error {
	return s.work.closeRows(ctx, rows, failure)
}

// Answer implements routine.Steps.
func (s *steps) Answer(ctx *sql.Context, schema sql.Schema, rows sql.RowIter) error {
	return s.work.answer(ctx, schema, rows)
}

// OK implements routine.Steps.
func (s *steps) OK(ok types.OkResult) {
	o := &s.work.Current
	o.done, o.affected = true, ok.RowsAffected
	if ok.Info != nil {
		o.message = ok.Info.String()
	}
}

// callArguments are those of a CALL in a procedure, or of a prepared one: which are variables, by their
// places, and what becomes of these.
type callArguments struct {
	variables []bool
	out       map[int]any
}

// call carries out a CALL; nil is one of a procedure that is not stored.
func (b *Builder) call(ctx *sql.Context, w *Work, n *plan.Call, row sql.Row) (sql.RowIter, error) {
	args, prepared := w.arguments, w.prepares
	w.arguments, w.prepares = nil, nil
	if n.Procedure != nil && n.Procedure.ExternalProc != nil {
		return b.callExternal(ctx, w, n, row)
	}
	db, ok := n.Database().(sql.StoredProcedureDatabase)
	if !ok || n.Procedure == nil {
		return nil, nil
	}
	details, found, err := db.GetStoredProcedure(ctx, n.Procedure.Name)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, sql.ErrStoredProcedureDoesNotExist.New(n.Procedure.Name)
	}
	ddl, err := programs.ParseProcedure(ctx, details)
	if err != nil {
		return nil, err
	}
	p := &program{schema: n.Database().Name(), name: ddl.ProcedureSpec.ProcName.Name.String()}
	body := ddl.ProcedureSpec.Body
	routine.ProgramHeadings(details.CreateStatement, body)
	if routine.ProgramAnswers(body) {
		if err := w.mayAnswer(p); err != nil {
			return nil, err
		}
	}
	if prepared != nil {
		args = prepared.arguments()
	}
	s := &steps{work: w, call: ctx, current: ctx}
	p.body = &routine.Program{
		Runner: runner{n.GetRunner(), w}, Steps: s, Context: func() *sql.Context { return s.current }, Call: w.callFrom,
		Texts: programs.Texts(details.CreateStatement, ddl, body),
	}
	if err := p.declare(ctx, n, args, row); err != nil {
		return nil, err
	}
	if spec := ddl.ProcedureSpec; spec.Definer != "" && !rights.AsInvoker(spec) {
		defer w.Rights.As(accounts.ParseID(spec.Definer))()
	}
	if err := w.runProgram(ctx, instr.ObjectProcedure, p, body); err != nil {
		return nil, err
	}
	if err := p.giveBack(ctx, w, n, args, prepared == nil); err != nil {
		return nil, err
	}
	if prepared != nil {
		if err := w.outParameters(ctx, prepared, n.Procedure.Params, args.out); err != nil {
			return nil, err
		}
	}
	n.SetSchema(types.OkResultSchema)
	return sql.RowsToRowIter(sql.NewRow(types.NewOkResult(int(p.body.Affected)))), nil
}

// declare gives the parameters of a procedure, which n calls, the values of their arguments.
func (p *program) declare(ctx *sql.Context, n *plan.Call, args *callArguments, row sql.Row) (err error) {
	for i, param := range n.Procedure.Params {
		var value any
		if param.Direction != plan.ProcedureParamDirection_In && !assignable(n.Params[i], args, i) {
			return mysql.NewSQLError(1414, "42000", "OUT or INOUT argument %d for routine %s.%s is not a variable or NEW pseudo-variable in BEFORE trigger", i+1, p.schema, p.name)
		}
		if param.Direction != plan.ProcedureParamDirection_Out {
			if value, err = n.Params[i].Eval(ctx, row); err == nil && value != nil {
				value, err = programs.Argument(ctx, param, value)
			}
			if err != nil {
				return err
			}
		}
		p.body.Declare(param.Name, param.Type, value)
	}
	return nil
}

// giveBack gives arguments of a procedure, which n calls, what their parameters have become; named tells that ENUM and SET values are to be names.
func (p *program) giveBack(ctx *sql.Context, w *Work, n *plan.Call, args *callArguments, named bool) (err error) {
	for i, param := range n.Procedure.Params {
		if param.Direction == plan.ProcedureParamDirection_In {
			continue
		}
		value := p.body.Value(param.Name)
		switch a := n.Params[i].(type) {
		case *expression.UserVar:
			err = w.vars.Set(ctx, a.Name, value, param.Type)
		case *expression.ProcedureParam:
			err = a.Set(ctx, value, param.Type)
		default:
			if named {
				value, err = programs.ChoiceName(ctx, param.Type, value)
			}
			args.out[i] = value
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// callExternal carries out a CALL of a procedure that is not made of SQL.
func (b *Builder) callExternal(ctx *sql.Context, w *Work, n *plan.Call, row sql.Row) (sql.RowIter, error) {
	rows, err := b.Plain.Build(ctx, n, row)
	if err != nil {
		return nil, err
	}
	schema := n.Schema(ctx)
	if len(schema) == 0 || types.IsOkResultSchema(schema) {
		return rows, nil
	}
	if err := w.answer(ctx, schema, rows); err != nil {
		return nil, err
	}
	n.SetSchema(types.OkResultSchema)
	return sql.RowsToRowIter(sql.NewRow(types.NewOkResult(0))), nil
}

// assignable tells whether an argument of CALL can be given a value.
func assignable(e sql.Expression, args *callArguments, i int) bool {
	switch e.(type) {
	case *expression.UserVar, *expression.ProcedureParam:
		return true
	}
	return args != nil && i < len(args.variables) && args.variables[i]
}

// callFrom carries out a CALL of a procedure.
func (w *Work) callFrom(_ *ast.Call, variables []bool, run func() error) (map[int]any, error) {
	args := &callArguments{variables: variables, out: map[int]any{}}
	w.arguments, w.prepares = args, nil
	err := run()
	w.arguments = nil
	return args.out, err
}

// runProgram runs a procedure or an event, in whose database its statements are. Outside a
// transaction each of them is one of its own, unless the CALL is part of a statement.
func (w *Work) runProgram(ctx *sql.Context, t instr.ObjectType, p *program, body ast.Statement) error {
	leave, err := w.enterProgram(ctx, t, p)
	if err != nil {
		return err
	}
	defer leave()
	db := ctx.GetCurrentDatabase()
	ctx.SetCurrentDatabase(p.schema)
	defer ctx.SetCurrentDatabase(db)
	if autocommit, err := plan.IsSessionAutocommit(ctx); err == nil && autocommit && !ctx.GetIgnoreAutoCommit() && !p.within {
		ctx.SetTransaction(nil)
	}
	return p.body.Run(body)
}

// drop builds n, which drops stored programs or what they are part of: they have no rows any
// more.
func (b *Builder) drop(ctx *sql.Context, w *Work, n sql.Node, row sql.Row) (sql.RowIter, error) {
	rows, err := b.Plain.Build(ctx, n, row)
	if err != nil {
		return nil, err
	}
	switch n := n.(type) {
	case *plan.DropProcedure:
		w.reg.DropProgram(instr.ObjectProcedure, n.Db.Name(), n.ProcedureName)
	case *plan.DropTrigger:
		w.reg.DropProgram(instr.ObjectTrigger, n.Db.Name(), n.TriggerName)
	case *plan.DropTable:
		for _, t := range n.Tables {
			db, ok := t.(sql.Databaser)
			for _, name := range n.TriggerNames {
				if ok {
					w.reg.DropProgram(instr.ObjectTrigger, db.Database().Name(), name)
				}
			}
		}
	case *plan.DropDB:
		w.opened.DropDatabase(n.DbName)
		for _, p := range w.reg.Reader().Programs() {
			if strings.EqualFold(p.Schema, n.DbName) {
				w.reg.DropProgram(p.Type, p.Schema, p.Name)
			}
		}
	}
	return rows, nil
}
