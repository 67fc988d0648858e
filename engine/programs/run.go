package programs

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
	"pfsd/engine/diagnostics"
	"pfsd/engine/grammar"
	"pfsd/engine/mdl"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/prepared"
	"pfsd/engine/results"
	"pfsd/engine/rights"
	"pfsd/engine/routine"
	"pfsd/engine/secrets"
	"pfsd/engine/session"
	"pfsd/engine/sqlvalue"
	"pfsd/engine/statements"
	"pfsd/engine/status"
	"pfsd/engine/tableuse"
	"pfsd/engine/uservars"
	"pfsd/instr"
)

// Session has the stored programs that a connection runs. Owned by the connection's goroutine.
type Session struct {
	Parts
	// Answers sends the client what procedures answer; nil if there is none that waits for it.
	Answers *results.Answers
	// Writing is the node that writes a table and was built last, nil for none.
	Writing sql.Node
	conn    Connection
	// running is the program that runs, nil for none, and arguments are those of the CALL in it that is executed next.
	running   *program
	arguments *callArguments
	// prepared is the prepared CALL that is executed next, nil for none.
	prepared *preparedCall
	// functions are those that have been called, by mode and text.
	functions map[string]*storedFunction
	// trigger is the node of a trigger that is being built.
	trigger *plan.TriggerExecutor
}

// Parts are the parts of a connection that programs use.
type Parts struct {
	Registry     *instr.Registry
	Thread       *instr.Thread
	Instructions map[string]*instr.StatementClass // by name
	Status       *status.Counters
	Locks        *session.Locks
	Diagnostics  *diagnostics.Area
	Errors       *diagnostics.Errors
	Rights       *rights.Rights
	Variables    *uservars.Variables
	Opened       *tableuse.Tables
	Prepared     *prepared.Statements
	Results      *results.Statement
	Kept         *budget.Hold // of the connection, for functions that are kept ready
}

// Connection is what a connection does for the programs that it runs.
type Connection interface {
	// BeginStep begins an instruction of program of as a statement inside of the one that runs; text is that of a statement, as others see it.
	BeginStep(ctx *sql.Context, instruction *instr.StatementClass, text string, of *instr.Program) Step
	// EndStep ends the instruction, which has failed with e, nil if it has not. With within the program is part of a statement that goes on.
	EndStep(ctx *sql.Context, s Step, e *mysql.SQLError, within bool)
	// LeaveStep goes back to the statement that s is part of, as s has panicked.
	LeaveStep(s Step)
	// Runner returns what carries out statements as r does, with their locks.
	Runner(r sql.StatementRunner) sql.StatementRunner
	// Engine carries out statements.
	Engine() sql.StatementRunner
	// Guard has what the statement writes taken back if the statement fails.
	Guard(ctx *sql.Context)
	// Cancel ends the command that runs.
	Cancel(cause error)
}

// Step is an instruction that runs: how many others are around it.
type Step int

// Host is the session of a statement, which runs stored programs. The ProcessList of the statement's context implements it.
type Host interface{ Programs() *Session }

// sessionOf returns the session of ctx.
func sessionOf(ctx *sql.Context) *Session { return ctx.ProcessList.(Host).Programs() }

// NewSession returns the programs of a connection with these parts.
func NewSession(c Connection, p Parts) Session { return Session{conn: c, Parts: p} }

// Running tells whether a program runs.
func (s *Session) Running() bool { return s.running != nil }

// Within tells whether a program runs that is part of a statement which is not over when the program is.
func (s *Session) Within() bool { return s.running != nil && s.running.within }

// InFunction tells whether a function runs, or a program that one has called.
func (s *Session) InFunction() bool {
	for p := s.running; p != nil; p = p.outer {
		if p.function {
			return true
		}
	}
	return false
}

// Locked is what was locked when the outermost program began, of those that run.
func (s *Session) Locked() mdl.Mark {
	p := s.running
	for p.outer != nil {
		p = p.outer
	}
	return p.locks
}

// Leave notes that no program runs any more, though one may have panicked.
func (s *Session) Leave() { s.running, s.trigger = nil, nil }

// Forget forgets what the command has written, which has ended: its plan may have values of variables.
func (s *Session) Forget() { s.Writing = nil }

// program is a stored program that a connection runs. Owned by the connection's goroutine.
type program struct {
	outer        *program
	schema, name string
	stored       *instr.Program
	body         *routine.Program // nil for a trigger
	// within tells that it is part of a statement which is not over when it is: a trigger and a function are, and what they call.
	within   bool
	function bool
	locks    mdl.Mark // what was locked when it began
	memory   triggerMemory
}

// maxPrograms is how many programs can run one inside the other, however deep the recursion of
// each may be.
const maxPrograms = 256

// enter notes that a program runs from now on, until leave. The error is that there are too
// many inside each other already.
func (s *Session) enter(ctx *sql.Context, t instr.ObjectType, p *program) (leave func(), err error) {
	depth, same := 0, int64(0)
	for q := s.running; q != nil; q = q.outer {
		depth++
		if q.body != nil && strings.EqualFold(q.schema, p.schema) && strings.EqualFold(q.name, p.name) {
			same++
		}
		p.within = p.within || q.within
	}
	if same > 0 && p.function {
		return nil, mysql.NewSQLError(1424, "HY000", "Recursive stored functions and triggers are not allowed.")
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
	p.outer, p.stored, p.locks = s.running, s.Registry.NewProgram(t, p.schema, p.name), s.Locks.Mark()
	p.memory.part = charge.PartOf(ctx)
	s.running = p
	run := s.Thread.StartProgram(p.stored)
	return func() {
		run.End()
		s.running = p.outer
	}, nil
}

// steps are the instructions of a procedure, seen by the connection that calls it.
type steps struct {
	session *Session
	call    *sql.Context // of the CALL
	current *sql.Context // of the instruction
	caches  charge.Caches
}

// context is the context of an instruction: its own, but for whom it works.
func (s *steps) context(text string) *sql.Context {
	c := s.call
	return sql.NewContext(c.Context, sql.WithSession(c.Session), sql.WithPid(c.Pid()), sql.WithQuery(text),
		sql.WithMemoryManager(s.caches.Next()), sql.WithProcessList(c.ProcessList))
}

// stepRows is how much work a step of a program is, in rows.
const stepRows = 8

// turnRows is how much work a turn of a loop is besides its instructions, in rows.
const turnRows = 1

// Step implements routine.Steps.
func (s *steps) Step(kind, text string, handles func(*mysql.SQLError) bool, do func() error) *mysql.SQLError {
	c, context := s.session, s.current
	s.current = s.context(text)
	step := c.begin(s.current, kind, secrets.HideParsed(text))
	done := false
	defer func() {
		s.current = context
		if !done { // it panics
			c.conn.LeaveStep(step)
		}
	}()
	err := s.call.Err()
	if err == nil {
		err = c.Results.Processor.Row(stepRows)
	}
	if err == nil && c.running.within {
		_, err = sql.RunInterpreted(s.current, func(*sql.Context) (struct{}, error) { return struct{}{}, do() })
	} else if err == nil {
		err = do()
	}
	e := s.failed(err, handles)
	c.conn.EndStep(s.current, step, e, c.Within())
	done = true
	return e
}

// Turn implements routine.Steps.
func (s *steps) Turn() error {
	if err := sqlvalue.Pace(s.call, turnRows); err != nil {
		return mysqlerr.Of(s.call, err)
	}
	return nil
}

// Ended implements routine.Steps.
func (s *steps) Ended() bool { return s.call.Err() != nil }

// begin begins an instruction of the program that runs; text is that of a statement, as others see it.
func (s *Session) begin(ctx *sql.Context, instruction, text string) Step {
	if instruction == statementInstruction {
		s.Status.Arrived(s.Thread, false)
	}
	return s.conn.BeginStep(ctx, s.Instructions[instruction], text, s.running.stored)
}

// failed is what an instruction has failed with, nil if it has not.
func (s *steps) failed(err error, handles func(*mysql.SQLError) bool) *mysql.SQLError {
	if err == nil {
		return nil
	}
	c := s.session
	e := mysqlerr.Of(s.current, err)
	here := handles(e)
	handled := here
	for p := c.running.outer; p != nil && !handled; p = p.outer {
		handled = p.body != nil && p.body.Handles(e)
	}
	if handled && !c.Within() { // a statement that goes on keeps its own answer open
		if err := c.Answers.EndOpen(s.current); err != nil {
			c.conn.Cancel(mysqlerr.ClientGone)
		}
	}
	e = c.Errors.Of(s.current, err, handled)
	c.Diagnostics.Fail(s.current, e)
	if here {
		c.Errors.Forget()
	} else {
		c.Errors.GoesOn(e)
	}
	return e
}

// Statement implements routine.Steps.
func (s *steps) Statement(st ast.Statement, text string) {
	kind := statements.Kind(st, text)
	if !statements.AboutConditions(statements.ConditionKind(st)) {
		s.session.Diagnostics.Clear()
	}
	s.session.Status.Command(s.session.Thread, kind)
}

// Diagnostics implements routine.Steps.
func (s *steps) Diagnostics(ask *grammar.Diagnostics, number any) (values []any, kinds []sql.Type, err error) {
	values, err = s.session.Diagnostics.Get(s.current, ask, diagnostics.ConditionNumber(s.current, number))
	for _, v := range values {
		kinds = append(kinds, diagnostics.TypeOf(v))
	}
	return values, kinds, err
}

// Handling implements routine.Steps.
func (s *steps) Handling() (done func(failed bool), err error) {
	d := s.session.Diagnostics
	if err := d.Push(); err != nil {
		return nil, mysqlerr.Of(s.call, err)
	}
	return d.Pop, nil
}

// Warn implements routine.Steps.
func (s *steps) Warn(e *mysql.SQLError, items map[string]string) {
	s.session.Diagnostics.Warn(s.current, e, items)
}

// Say implements routine.Steps.
func (s *steps) Say(items map[string]string) { s.session.Diagnostics.Said = items }

// Resignal implements routine.Steps.
func (s *steps) Resignal(replaced bool) { s.session.Diagnostics.Resignal(replaced) }

// Prepared implements routine.Steps.
func (s *steps) Prepared(st ast.Statement) ast.Statement {
	return s.session.Note(s.current, st)
}

// SetUser implements routine.Steps.
func (s *steps) SetUser(name string, value any, kind sql.Type) error {
	return s.session.Variables.Set(s.current, name, value, kind)
}

// Close implements routine.Steps.
func (s *steps) Close(ctx *sql.Context, rows sql.RowIter, failure error) error {
	return s.session.Results.Close(ctx, rows, failure)
}

// Answer implements routine.Steps.
func (s *steps) Answer(ctx *sql.Context, schema sql.Schema, rows sql.RowIter) error {
	return s.session.answer(ctx, schema, rows, 0)
}

// OK implements routine.Steps.
func (s *steps) OK(ok types.OkResult) { s.session.Results.Note(results.Found(s.current, ok)) }
