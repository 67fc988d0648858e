package routine

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/budget"
	"pfsd/engine/executor"
	"pfsd/engine/grammar"
	"pfsd/engine/sqltree"
	"pfsd/engine/sqlvalue"
)

// Program executes the body of a stored procedure, a syntax tree. It reports to Steps each
// instruction that MySQL makes of it. Owned by one goroutine.
//
// go-mysql-server: executes only the first instruction of a handler; the running calls of a
// recursive procedure share their parameters; SELECT ... INTO works once in a loop, and not into
// user variables; UPDATE ... SET cannot use variables; open cursors see later changes; the running
// instruction is unknown. MySQL: has none of these faults.
type Program struct {
	Runner sql.StatementRunner
	Steps  Steps
	// Context returns the context of a statement.
	Context func() *sql.Context
	// Memory is the part of a statement's memory that the program runs in, nil for none. Its steps have parts of their own, which end with them.
	Memory *budget.Part
	// Texts has the texts of the statements.
	Texts map[ast.Statement]string
	// Call executes a CALL. It returns the new values of the arguments that are variables, by their
	// positions.
	Call func(s *ast.Call, variables []bool, run func() error) (out map[int]any, err error)

	// Returns are the values of the RETURN statements of a function, by the statements that stand for them.
	Returns map[ast.Statement]ast.Expr
	// Result receives the value that a function returns. The error is that it is none of the declared type.
	Result func(value any) error

	// Affected is the number of rows that the last statement has changed.
	Affected uint64

	scope   *programScope // the innermost scope
	labels  []programLabel
	jumped  bool            // the last instruction was a jump, and the program jumped
	handled *mysql.SQLError // the error that the running handler handles, nil outside handlers
	columns map[ast.SQLNode][]*ast.ColName
	limits  map[ast.SQLNode][]*ast.ColName // those that are a LIMIT or OFFSET
	parts   map[*ast.Set][]assignment
	bound   *budget.Hold // of what stands for variables in the statement that is carried out, nil for little
}

// Steps receives a program's instructions and their effects.
type Steps interface {
	// Step executes an instruction by calling do, and returns the error for the client. kind is
	// MySQL's name of the instruction, text the text of a statement; handles reports whether the
	// program has a handler for an error.
	Step(kind, text string, handles func(*mysql.SQLError) bool, do func() error) *mysql.SQLError
	// Turn is called for each turn of a loop, which may have no instruction in it. It holds the program back as
	// statements are. The error is that the program has to end.
	Turn() error
	// Ended reports whether the program has to end, as its statement has been killed, its time is over, or its client is gone.
	Ended() bool
	// Statement receives an SQL statement and its text before the statement is executed.
	Statement(s ast.Statement, text string)
	// Prepared receives PREPARE, EXECUTE or DEALLOCATE PREPARE, and returns the statement to execute.
	Prepared(s ast.Statement) ast.Statement
	// Diagnostics returns the items of a GET DIAGNOSTICS. number is the number of the condition, if
	// there is one.
	Diagnostics(ask *grammar.Diagnostics, number any) (values []any, kinds []sql.Type, err error)
	// Handling is called when a handler starts. done is called at its end; failed reports whether
	// the handler ended with an error. The error is that the handler cannot start.
	Handling() (done func(failed bool), err error)
	// Resignal is called for a RESIGNAL in a handler. The condition of the handler is raised again,
	// or replaced by another one.
	Resignal(replaced bool)
	// Warn receives a warning that SIGNAL raises, with its items.
	Warn(e *mysql.SQLError, items map[string]string)
	// Say receives the items of an error that SIGNAL is going to raise.
	Say(items map[string]string)
	// SetUser sets a user variable.
	SetUser(name string, value any, kind sql.Type) error
	// Close closes the rows of a statement; failure is the statement's error.
	Close(ctx *sql.Context, rows sql.RowIter, failure error) error
	// Answer sends rows to the client and closes them.
	Answer(ctx *sql.Context, schema sql.Schema, rows sql.RowIter) error
	// OK reports that the instruction has no rows.
	OK(types.OkResult)
}

// programScope is a block with its declarations, or the parameters.
type programScope struct {
	outer      *programScope
	variables  map[string]*programVariable
	conditions map[string]ast.DeclareHandlerCondition
	cursors    map[string]*programCursor
	handlers   []*ast.DeclareHandler
	muted      bool         // one of its handlers runs, so none of its handlers applies
	hold       *budget.Hold // of its variables, nil before there are any
}

type programVariable struct {
	kind  sql.Type
	value any
	scope *programScope
	bytes int64 // that value is charged with
}

type programCursor struct {
	query  ast.SelectStatement
	schema sql.Schema
	rows   []sql.Row
	open   bool
	hold   *budget.Hold // of rows, nil for few
}

// programLabel is a running statement with a label, and the scope that LEAVE returns to.
type programLabel struct {
	name  string
	scope *programScope
}

// The reasons why a block ends before its last statement.
type (
	leaving   struct{ label string }
	iterating struct{ label string }
	exiting   struct{ scope *programScope }
	returning struct{}
)

func (leaving) Error() string   { return "LEAVE" }
func (iterating) Error() string { return "ITERATE" }
func (exiting) Error() string   { return "EXIT" }
func (returning) Error() string { return "RETURN" }

// NoData is the condition NOT FOUND.
var NoData = mysql.NewSQLError(1329, "02000", "No data - zero rows fetched, selected, or processed")

// Errors of programs.
var (
	errManyRows     = mysql.NewSQLError(1172, "42000", "Result consisted of more than one row")
	errColumns      = mysql.NewSQLError(1222, "21000", "The used SELECT statements have a different number of columns")
	errCursorOpen   = mysql.NewSQLError(1325, "24000", "Cursor is already open")
	errCursorClosed = mysql.NewSQLError(1326, "24000", "Cursor is not open")
	errFetchColumns = mysql.NewSQLError(1328, "HY000", "Incorrect number of FETCH variables")
	errNoCase       = mysql.NewSQLError(1339, "20000", "Case not found for CASE statement")
)

// ErrNoHandler is for RESIGNAL outside a handler.
var ErrNoHandler = mysql.NewSQLError(1645, "0K000", "RESIGNAL when handler not active")

// Declare gives the program a parameter. The error is that a memory limit does not allow its value.
func (p *Program) Declare(name string, kind sql.Type, value any) error {
	if p.scope == nil {
		p.push()
	}
	v, err := p.newVariable(strings.ToLower(name), kind)
	if err != nil {
		return err
	}
	return p.keep(v, value)
}

// Value returns the value of a parameter.
func (p *Program) Value(name string) any {
	if v := p.lookUp(name); v != nil {
		return v.value
	}
	return nil
}

// Run executes the body; returned tells whether it came to a RETURN. The error is a *mysql.SQLError.
func (p *Program) Run(body ast.Statement) (returned bool, err error) {
	if p.scope == nil {
		p.push()
	}
	defer p.scope.end()
	p.columns, p.limits, p.parts = map[ast.SQLNode][]*ast.ColName{}, map[ast.SQLNode][]*ast.ColName{}, map[*ast.Set][]assignment{}
	if err = p.do(body); err == (returning{}) {
		return true, nil
	}
	return false, err
}

// Handles reports whether the program has a handler for an error at its current position.
func (p *Program) Handles(e *mysql.SQLError) bool {
	_, h := p.handler(e)
	return h != nil
}

func (p *Program) push() {
	p.scope = &programScope{
		outer: p.scope, variables: map[string]*programVariable{},
		conditions: map[string]ast.DeclareHandlerCondition{}, cursors: map[string]*programCursor{},
	}
}

// lookUp returns the variable with a name, nil if there is none.
func (p *Program) lookUp(name string) *programVariable {
	name = strings.ToLower(name)
	for s := p.scope; s != nil; s = s.outer {
		if v := s.variables[name]; v != nil {
			return v
		}
	}
	return nil
}

// cursor returns the cursor with a name.
func (p *Program) cursor(name string) (*programCursor, error) {
	for s := p.scope; s != nil; s = s.outer {
		if c := s.cursors[strings.ToLower(name)]; c != nil {
			return c, nil
		}
	}
	return nil, mysql.NewSQLError(1324, "42000", "Undefined CURSOR: %s", name)
}

// step executes an instruction. If it fails and a handler handles the error, the program goes on.
func (p *Program) step(kind, text string, do func() error) error {
	p.jumped = false
	e := p.Steps.Step(kind, text, p.Handles, do)
	if e == nil {
		return nil
	}
	scope, h := p.handler(e)
	if h == nil {
		return e
	}
	return p.handle(scope, h, e)
}

// handle runs a handler of a scope for an error.
func (p *Program) handle(scope *programScope, h *ast.DeclareHandler, e *mysql.SQLError) error {
	done, err := p.Steps.Handling()
	if err != nil {
		return err
	}
	inner, handled, labels := p.scope, p.handled, p.labels
	p.scope, p.handled, scope.muted = scope, e, true
	err = p.do(h.Statement)
	if err == nil {
		err = p.step("hreturn", "", func() error { return nil })
	}
	_, failed := err.(*mysql.SQLError)
	done(failed)
	p.scope, p.handled, p.labels, scope.muted = inner, handled, labels, false
	if err == nil && h.Action == ast.DeclareHandlerAction_Exit {
		return exiting{scope}
	}
	return err
}

// handler returns the handler for an error, and its scope. The innermost scope with a handler for
// the error applies, and in it the most specific handler. No handler keeps a program alive that has
// to end.
func (p *Program) handler(e *mysql.SQLError) (scope *programScope, best *ast.DeclareHandler) {
	if p.Steps.Ended() {
		return nil, nil
	}
	for s := p.scope; s != nil; s = s.outer {
		rank := 0
		for _, h := range s.handlers {
			for _, c := range h.ConditionValues {
				if r := p.matches(c, e); r > rank && !s.muted {
					scope, best, rank = s, h, r
				}
			}
		}
		if best != nil {
			return scope, best
		}
	}
	return nil, nil
}

// matches returns how specific a condition is for an error, 0 if it does not match.
func (p *Program) matches(c ast.DeclareHandlerCondition, e *mysql.SQLError) int {
	class := e.State[:min(2, len(e.State))]
	is := func(rank int, ok bool) int {
		if ok {
			return rank
		}
		return 0
	}
	switch c.ValueType {
	case ast.DeclareHandlerCondition_MysqlErrorCode:
		return is(3, c.MysqlErrorCode != nil && string(c.MysqlErrorCode.Val) == strconv.Itoa(e.Num))
	case ast.DeclareHandlerCondition_SqlState:
		return is(2, c.String == e.State)
	case ast.DeclareHandlerCondition_SqlWarning:
		return is(1, class == "01")
	case ast.DeclareHandlerCondition_NotFound:
		return is(1, class == "02")
	case ast.DeclareHandlerCondition_SqlException:
		return is(1, class != "00" && class != "01" && class != "02")
	case ast.DeclareHandlerCondition_ConditionName:
		if c, ok := p.condition(c.String); ok {
			return p.matches(c, e)
		}
	}
	return 0
}

// condition returns the condition with a name.
func (p *Program) condition(name string) (ast.DeclareHandlerCondition, bool) {
	for s := p.scope; s != nil; s = s.outer {
		if c, ok := s.conditions[strings.ToLower(name)]; ok {
			return c, true
		}
	}
	return ast.DeclareHandlerCondition{}, false
}

// jump executes a jump instruction. A jump that directly follows another jump is no instruction of
// its own, as in MySQL.
func (p *Program) jump() error {
	if !p.jumped {
		if err := p.step("jump", "", func() error { return nil }); err != nil {
			return err
		}
	}
	p.jumped = true
	return nil
}

// do executes a statement.
func (p *Program) do(s ast.Statement) error {
	switch s := s.(type) {
	case *ast.BeginEndBlock:
		return p.block(s)
	case *ast.IfStatement:
		return p.branch(s)
	case *ast.CaseStatement:
		return p.choose(s)
	case *ast.While:
		return p.loop(s.Label, s.Condition, s.Statements, nil)
	case *ast.Loop:
		return p.loop(s.Label, nil, s.Statements, nil)
	case *ast.Repeat:
		return p.loop(s.Label, nil, s.Statements, s.Condition)
	case *ast.Leave:
		return p.leave(s.Label, leaving{s.Label})
	case *ast.Iterate:
		return p.leave(s.Label, iterating{s.Label})
	case *ast.Declare:
		return p.declare(s)
	}
	return p.simple(s)
}

func (p *Program) list(all ast.Statements) error {
	for _, s := range all {
		if err := p.do(s); err != nil {
			return err
		}
	}
	return nil
}

// labelled executes by do the statement with a label, which may be "". LEAVE and ITERATE return to
// the current scope.
func (p *Program) labelled(label string, do func() error) error {
	p.labels = append(p.labels, programLabel{label, p.scope})
	n := len(p.labels) - 1
	defer func() { p.labels = p.labels[:n] }()
	return do()
}

// leave executes LEAVE or ITERATE: it removes the declarations of the blocks that it leaves, and
// jumps.
func (p *Program) leave(label string, err error) error {
	i := len(p.labels) - 1
	for i >= 0 && !strings.EqualFold(p.labels[i].name, label) {
		i--
	}
	if i < 0 {
		return mysql.NewSQLError(1308, "42000", "LEAVE with no matching label: %s", label)
	}
	handlers, cursors := 0, 0
	for s := p.scope; s != nil && s != p.labels[i].scope; s = s.outer {
		handlers += len(s.handlers)
		cursors += len(s.cursors)
	}
	if e := p.pop(handlers, cursors); e != nil {
		return e
	}
	if e := p.jump(); e != nil {
		return e
	}
	return err
}

// pop executes the instructions that remove handlers and cursors.
func (p *Program) pop(handlers, cursors int) error {
	for _, i := range []struct {
		kind string
		n    int
	}{{"hpop", handlers}, {"cpop", cursors}} {
		if i.n > 0 {
			if err := p.step(i.kind, "", func() error { return nil }); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Program) block(b *ast.BeginEndBlock) error {
	p.push()
	s := p.scope
	defer func() {
		p.scope = s.outer
		s.end()
	}()
	err := p.labelled(b.Label, func() error { return p.list(b.Statements) })
	var left leaving
	var exited exiting
	switch {
	case errors.As(err, &left) && strings.EqualFold(left.label, b.Label):
	case errors.As(err, &exited) && exited.scope == s:
	case err != nil:
		return err
	}
	p.scope = s
	return p.pop(len(s.handlers), len(s.cursors))
}

// loop executes WHILE, REPEAT or LOOP. while is the condition of WHILE and until that of REPEAT;
// each is nil for the other statements.
func (p *Program) loop(label string, while ast.Expr, body ast.Statements, until ast.Expr) error {
	return p.labelled(label, func() error {
		for {
			if err := p.Steps.Turn(); err != nil {
				return err
			}
			if while != nil {
				if is, err := p.test(while); is != yes || err != nil {
					return err
				}
			}
			err := p.list(body)
			var left leaving
			var again iterating
			switch {
			case errors.As(err, &left) && strings.EqualFold(left.label, label):
				return nil
			case errors.As(err, &again) && strings.EqualFold(again.label, label):
				continue
			case err != nil:
				return err
			}
			if until != nil {
				if is, err := p.test(until); is != no || err != nil {
					return err
				}
			} else if err := p.jump(); err != nil {
				return err
			}
		}
	})
}

// answer is the result of a test.
type answer uint8

const (
	failed answer = iota // the condition has no result; if there is no error, a handler handled it, and the program goes on after the whole statement
	no
	yes
)

// test executes the instruction that jumps if a condition is not true.
func (p *Program) test(condition ast.Expr) (is answer, err error) {
	err = p.step("jump_if_not", "", func() (err error) {
		is, err = p.truth(condition)
		return err
	})
	p.jumped = is == no
	return is, err
}

// truth reports whether an expression is true.
func (p *Program) truth(e ast.Expr) (answer, error) {
	value, _, err := p.eval(e)
	if err != nil {
		return failed, err
	}
	is, err := false, error(nil)
	if value != nil {
		is, err = sql.ConvertToBool(p.Context(), value)
	}
	switch {
	case err != nil:
		return failed, err
	case is:
		return yes, nil
	}
	return no, nil
}

func (p *Program) branch(s *ast.IfStatement) error {
	for i, c := range s.Conditions {
		is, err := p.test(c.Expr)
		switch {
		case err != nil || is == failed:
			return err
		case is == no:
			continue
		}
		if err := p.list(c.Statements); err != nil || i+1 == len(s.Conditions) && s.Else == nil {
			return err
		}
		return p.jump()
	}
	return p.list(s.Else)
}

// choose executes CASE. MySQL has no instrument for a comparison with the value of a CASE.
func (p *Program) choose(s *ast.CaseStatement) error {
	var value ast.Expr
	if s.Expr != nil {
		err := p.step("set_case_expr", "", func() error {
			v, kind, err := p.eval(s.Expr)
			if err == nil {
				value = literal(p.Context(), v, kind)
			}
			return err
		})
		if err != nil || value == nil {
			return err
		}
		if bytes := literalBytes(value); bytes >= smallRows {
			hold := p.newHold()
			defer hold.Drop()
			if err := p.step("set_case_expr", "", func() error { return hold.Charge(bytes) }); err != nil {
				return err
			}
		}
	}
	for _, c := range s.Cases {
		test := p.test
		if value != nil {
			test = func(e ast.Expr) (answer, error) {
				is, err := p.truth(&ast.ComparisonExpr{Operator: ast.EqualStr, Left: value, Right: e})
				p.jumped = is == no
				return is, err
			}
		}
		switch is, err := test(c.Case); {
		case err != nil || is == failed:
			return err
		case is == yes:
			if err := p.list(c.Statements); err != nil {
				return err
			}
			return p.jump()
		}
	}
	if s.Else == nil {
		return p.step("error", "", func() error { return errNoCase })
	}
	return p.list(s.Else)
}

func (p *Program) declare(s *ast.Declare) error {
	switch {
	case s.Condition != nil:
		c := ast.DeclareHandlerCondition{ValueType: ast.DeclareHandlerCondition_SqlState, String: s.Condition.SqlStateValue}
		if s.Condition.SqlStateValue == "" {
			c = ast.DeclareHandlerCondition{ValueType: ast.DeclareHandlerCondition_MysqlErrorCode, MysqlErrorCode: s.Condition.MysqlErrorCode}
		}
		p.scope.conditions[strings.ToLower(s.Condition.Name)] = c
		return p.charge(p.scope, variableBytes)
	case s.Cursor != nil:
		return p.step("cpush", "", func() error {
			p.scope.cursors[strings.ToLower(s.Cursor.Name)] = &programCursor{query: s.Cursor.SelectStmt}
			return p.charge(p.scope, variableBytes)
		})
	case s.Handler != nil:
		return p.step("hpush_jump", "", func() error {
			p.scope.handlers = append(p.scope.handlers, s.Handler)
			return nil
		})
	case s.Variables != nil:
		kind, err := types.ColumnTypeToType(&s.Variables.VarType)
		if err != nil {
			return err
		}
		for _, name := range s.Variables.Names {
			err := p.step("set", "", func() error {
				v, err := p.newVariable(name.Lowered(), kind)
				if err != nil || s.Variables.VarType.Default == nil {
					return err
				}
				value, _, err := p.eval(s.Variables.VarType.Default)
				if err != nil {
					return err
				}
				return p.assign(name.String(), v, value)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// assign sets a variable.
func (p *Program) assign(name string, v *programVariable, value any) error {
	if value == nil {
		return p.keep(v, nil)
	}
	converted, in, err := sqlvalue.Target(v.kind).Convert(p.Context(), value)
	if err != nil {
		return err
	}
	if in != sql.InRange {
		return mysql.NewSQLError(1264, "22003", "Out of range value for column '%s' at row 1", name)
	}
	return p.keep(v, converted)
}

// set sets a variable of the program or, with @, of the user.
func (p *Program) set(name string, value any, kind sql.Type) error {
	if user, ok := strings.CutPrefix(name, "@"); ok {
		return p.Steps.SetUser(user, value, kind)
	}
	v := p.lookUp(name)
	if v == nil {
		return mysql.NewSQLError(1327, "42000", "Undeclared variable: %s", name)
	}
	return p.assign(name, v, value)
}

// simple executes a statement that contains no other statements.
func (p *Program) simple(s ast.Statement) error {
	if value, ok := p.Returns[s]; ok {
		return p.returns(value)
	}
	switch s := s.(type) {
	case *ast.OpenCursor:
		return p.step("copen", "", func() error { return p.open(s) })
	case *ast.FetchCursor:
		return p.step("cfetch", "", func() error { return p.fetch(s) })
	case *ast.CloseCursor:
		return p.step("cclose", "", func() error {
			c, err := p.cursor(s.Name)
			if err == nil && !c.open {
				err = errCursorClosed
			}
			if err == nil {
				c.close()
			}
			return err
		})
	case *ast.Set:
		if ask := grammar.DiagnosticsOf(s); ask != nil {
			return p.step("stmt", p.Texts[s], func() error { return p.diagnostics(s, ask) })
		}
		return p.assignments(s)
	}
	return p.step("stmt", p.Texts[s], func() error { return p.statement(s) })
}

// returns executes RETURN.
func (p *Program) returns(value ast.Expr) error {
	done := false
	err := p.step("freturn", "", func() error {
		v, _, err := p.eval(value)
		if err == nil {
			err = p.Result(v)
		}
		done = err == nil
		return err
	})
	if err == nil && done { // an error that a handler has handled leaves the function running
		return returning{}
	}
	return err
}

// assignments executes SET: one instruction for each variable of the program, and one for each run
// of other variables.
func (p *Program) assignments(s *ast.Set) error {
	parts, ok := p.parts[s]
	if !ok { // a loop executes it again and again
		parts = p.partsOf(s)
		p.parts[s] = parts
	}
	for _, part := range parts {
		var err error
		if part.others != nil {
			err = p.step("stmt", p.Texts[s], func() error { return p.statement(part.others) })
		} else {
			err = p.step("set", "", func() error {
				value, kind, err := p.eval(part.value)
				if err != nil {
					return err
				}
				return p.set(part.name, value, kind)
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// assignment is a part of a SET: it gives a variable of the program a value, or is a SET of other variables.
type assignment struct {
	name   string
	value  ast.Expr
	others *ast.Set
}

// partsOf splits a SET. Which variables are the program's does not change: the same blocks are around it each time.
func (p *Program) partsOf(s *ast.Set) (parts []assignment) {
	var others *ast.Set
	for _, e := range s.Exprs {
		name := e.Name.Name.String()
		if e.Scope == ast.SetScope_None && p.lookUp(name) != nil {
			parts, others = append(parts, assignment{name: name, value: e.Expr}), nil
			continue
		}
		if c, ok := e.Expr.(*ast.ColName); ok && c.Qualifier.IsEmpty() && p.lookUp(c.Name.String()) != nil {
			// go-mysql-server: sets a system variable to the name of a program's variable.
			// MySQL: to its value.
			e = &ast.SetVarExpr{Scope: e.Scope, Name: e.Name, Expr: &ast.ParenExpr{Expr: c}}
		}
		if others == nil {
			others = &ast.Set{Comments: s.Comments}
			parts = append(parts, assignment{others: others})
		}
		others.Exprs = append(others.Exprs, e)
	}
	return parts
}

// statement executes an SQL statement.
func (p *Program) statement(s ast.Statement) error {
	sqltree.Writes(s)
	p.Steps.Statement(s, p.Texts[s])
	switch s := s.(type) {
	case *ast.Signal:
		return p.signal(s)
	case *ast.Resignal:
		if p.handled == nil {
			return ErrNoHandler
		}
		again := s.SqlStateValue == "" && s.ConditionName == ""
		p.Steps.Resignal(again && len(s.Info) > 0)
		if again && len(s.Info) == 0 {
			return p.handled
		}
		return p.signal(&s.Signal)
	case *ast.Call:
		return p.call(s)
	case *ast.Prepare, *ast.Execute, *ast.Deallocate:
		return p.answer(p.Steps.Prepared(s))
	case ast.SelectStatement:
		if into := s.GetInto(); into != nil && len(into.Variables) > 0 {
			return p.selectInto(s, into)
		}
	}
	names, err := p.bindVariables(s)
	defer p.unbind(names)
	if err != nil {
		return err
	}
	return p.answer(s)
}

// diagnostics executes GET DIAGNOSTICS.
func (p *Program) diagnostics(s *ast.Set, ask *grammar.Diagnostics) error {
	p.Steps.Statement(s, p.Texts[s])
	var number any
	if ask.Condition != nil {
		var err error
		if number, _, err = p.eval(ask.Condition); err != nil {
			return err
		}
	}
	values, kinds, err := p.Steps.Diagnostics(ask, number)
	if err != nil {
		return err
	}
	for i, a := range ask.Items {
		if err := p.set(a.Target, values[i], kinds[i]); err != nil {
			return err
		}
	}
	p.Steps.OK(types.OkResult{})
	return nil
}

// bindVariables replaces the variables in a statement by their values. It returns the names in the statement, for unbind.
func (p *Program) bindVariables(s ast.Statement) ([]*ast.ColName, error) {
	if p.columns[s] == nil {
		p.columns[s] = namesIn(s)
		if columns := limitColumns(s); columns != nil {
			p.limits[s] = columns
		}
	}
	err := p.substitute(s, p.columns[s])
	for _, c := range p.limits[s] {
		if c.StoredProcVal != nil && err == nil {
			c.StoredProcVal, err = LimitValue(c.StoredProcVal, "LIMIT")
		}
	}
	return p.columns[s], err
}

// answer executes a statement whose rows are for the client.
func (p *Program) answer(s ast.Statement) error {
	p.Affected = 0
	ctx := p.Context()
	text := ""
	if d, ok := s.(*ast.DDL); ok && d.ViewSpec != nil {
		text = p.Texts[s] // the view keeps this text
	}
	schema, rows, _, err := p.Runner.QueryWithBindings(ctx, text, s, nil, nil)
	if err != nil {
		return err
	}
	if len(schema) > 0 && !types.IsOkResultSchema(schema) {
		return p.Steps.Answer(ctx, schema, rows)
	}
	all, err := p.collect(ctx, rows, false)
	defer all.hold.Drop()
	if err != nil {
		return err
	}
	if len(schema) == 0 {
		p.Steps.OK(types.OkResult{})
		return nil
	}
	for _, r := range all.all {
		if ok, is := r[0].(types.OkResult); is {
			p.Affected = ok.RowsAffected
			p.Steps.OK(ok)
		}
	}
	return nil
}

// query executes a statement with the values of the variables, and returns its rows, as execute does.
func (p *Program) query(s ast.Statement, into int) (sql.Schema, keptRows, error) {
	names, err := p.bindVariables(s)
	defer p.unbind(names)
	if err != nil {
		return nil, keptRows{}, err
	}
	return p.execute(s, into)
}

// execute executes a statement, and returns its rows, which the caller drops. With into, it has to be one row at most, of so many columns.
func (p *Program) execute(s ast.Statement, into int) (sql.Schema, keptRows, error) {
	ctx := p.Context()
	schema, rows, _, err := p.Runner.QueryWithBindings(ctx, "", s, nil, nil)
	if err != nil {
		return nil, keptRows{}, err
	}
	if into > 0 && len(schema) != into {
		_ = p.Steps.Close(ctx, rows, errColumns)
		return nil, keptRows{}, errColumns
	}
	all, err := p.collect(ctx, rows, into > 0)
	return executor.AlteredSchema(s, schema), all, err
}

// collect returns all rows, and closes them. The error with one is that there are several.
func (p *Program) collect(ctx *sql.Context, rows sql.RowIter, one bool) (keptRows, error) {
	all := keptRows{p: p}
	for {
		row, err := rows.Next(ctx)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && one && len(all.all) > 0 {
			err = errManyRows
		}
		if err == nil {
			err = all.add(slices.Clone(row))
		}
		if err != nil {
			_ = p.Steps.Close(ctx, rows, err)
			all.hold.Drop()
			return keptRows{}, err
		}
	}
	return all, p.Steps.Close(ctx, rows, nil)
}

// eval returns the value of an expression.
func (p *Program) eval(e ast.Expr) (any, sql.Type, error) {
	s := &ast.Select{SelectExprs: ast.SelectExprs{&ast.AliasedExpr{Expr: e}}}
	names := namesIn(e)
	defer p.unbind(names)
	if err := p.substitute(s, names); err != nil {
		return nil, nil, err
	}
	schema, rows, err := p.execute(s, 0)
	defer rows.hold.Drop()
	if err != nil {
		return nil, nil, err
	}
	if len(schema) != 1 || len(rows.all) != 1 {
		return nil, nil, errColumns
	}
	return rows.all[0][0], schema[0].Type, nil
}

// selectInto executes SELECT ... INTO variables. A query without rows is a warning, unless a
// handler handles it.
func (p *Program) selectInto(s ast.SelectStatement, into *ast.Into) error {
	setInto(s, nil)
	schema, kept, err := p.query(s.(ast.Statement), len(into.Variables))
	defer kept.hold.Drop()
	rows := kept.all
	setInto(s, into)
	switch {
	case err != nil:
		return err
	case len(rows) == 0:
		if p.Handles(NoData) {
			return NoData
		}
		p.Steps.Warn(NoData, nil)
		p.Steps.OK(types.OkResult{})
		return nil
	}
	for i, v := range into.Variables {
		if err := p.set(v.String(), rows[0][i], schema[i].Type); err != nil {
			return err
		}
	}
	p.Affected = 1
	p.Steps.OK(types.OkResult{RowsAffected: 1})
	return nil
}

// setInto sets the INTO clause of a query, or removes it if into is nil.
func setInto(s ast.SelectStatement, into *ast.Into) {
	switch s := s.(type) {
	case *ast.Select:
		s.Into = into
	case *ast.SetOp:
		s.Into = into
	case *ast.ParenSelect:
		setInto(s.Select, into)
	}
}

func (p *Program) open(s *ast.OpenCursor) error {
	c, err := p.cursor(s.Name)
	if err != nil {
		return err
	}
	if c.open {
		return errCursorOpen
	}
	schema, kept, err := p.query(c.query.(ast.Statement), 0)
	if err == nil {
		err = kept.chargeRest()
	}
	if err != nil {
		kept.hold.Drop()
		return err
	}
	c.open, c.schema, c.rows, c.hold = true, schema, kept.all, kept.hold
	return nil
}

func (p *Program) fetch(s *ast.FetchCursor) error {
	c, err := p.cursor(s.Name)
	switch {
	case err != nil:
		return err
	case !c.open:
		return errCursorClosed
	case len(s.Variables) != len(c.schema):
		return errFetchColumns
	case len(c.rows) == 0:
		return NoData
	}
	row := c.rows[0]
	c.rows = c.rows[1:]
	for i, name := range s.Variables {
		if err := p.set(name, row[i], c.schema[i].Type); err != nil {
			return err
		}
	}
	return nil
}

// call executes CALL. Arguments that are variables get the values of the OUT and INOUT parameters.
func (p *Program) call(s *ast.Call) error {
	c := *s
	c.Params = slices.Clone(s.Params)
	variables := make([]*programVariable, len(c.Params))
	are := make([]bool, len(c.Params))
	bytes := int64(0)
	for i, a := range c.Params {
		if col, ok := a.(*ast.ColName); ok && col.Qualifier.IsEmpty() {
			if v := p.lookUp(col.Name.String()); v != nil {
				variables[i], are[i] = v, true
				c.Params[i] = literal(p.Context(), v.value, v.kind)
				bytes += 2 * literalBytes(c.Params[i])
			}
		}
	}
	names := namesIn(&c)
	defer p.unbind(names)
	if err := p.chargeBound(bytes); err != nil {
		return err
	}
	if err := p.substitute(&c, names); err != nil {
		return err
	}
	out, err := p.Call(&c, are, func() error { return p.answer(&c) })
	if err != nil {
		return err
	}
	for i, value := range out {
		if err := p.assign(s.Params[i].(*ast.ColName).Name.String(), variables[i], value); err != nil {
			return err
		}
	}
	return nil
}

// signal executes SIGNAL, or RESIGNAL with a new condition or new items.
func (p *Program) signal(s *ast.Signal) error {
	state := s.SqlStateValue
	if s.ConditionName != "" {
		c, ok := p.condition(s.ConditionName)
		if !ok {
			return mysql.NewSQLError(1319, "42000", "Undefined CONDITION: %s", s.ConditionName)
		}
		state = c.String
		if c.ValueType != ast.DeclareHandlerCondition_SqlState {
			return mysql.NewSQLError(1646, "HY000", "SIGNAL/RESIGNAL can only use a CONDITION defined with SQLSTATE")
		}
	}
	texts := make([]*string, len(s.Info))
	for i, item := range s.Info {
		value, kind, err := p.eval(item.Value)
		if err != nil {
			return err
		}
		if value != nil {
			text := literalText(p.Context(), value, kind)
			texts[i] = &text
		}
	}
	e, items, err := grammar.Signal(s, state, p.handled, texts, grammar.LongItem(p.Context()))
	if err != nil {
		return err
	}
	if strings.HasPrefix(e.State, "01") && !p.Handles(e) {
		p.Steps.Warn(e, items)
		return nil
	}
	p.Steps.Say(items)
	return e
}
