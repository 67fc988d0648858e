package programs

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/accounts"
	"pfsd/engine/mdl"
	"pfsd/engine/rights"
	"pfsd/engine/routine"
	"pfsd/engine/sqltree"
	"pfsd/engine/syntax"
	"pfsd/instr"
)

// storedFunction is a function whose body has been made ready to run.
type storedFunction struct {
	*routine.Function
	texts   map[ast.Statement]string
	returns map[ast.Statement]ast.Expr
	writes  bool
	bytes   int64 // of the connection's memory
	runs    bool
}

// maxFunctions is how many functions a session keeps ready.
const maxFunctions = 64

// function makes the function of a call ready, or finds it, which is so for all rows but the first. No function runs inside itself, so its
// trees have one user at a time.
func (s *Session) function(ctx *sql.Context, c *routine.FunctionCall) (*storedFunction, error) {
	key := c.Details.SqlMode + "\x00" + c.Details.CreateStatement
	if f := s.functions[key]; f != nil {
		return f, nil
	}
	bytes := treeBytes(c.Details.CreateStatement, c.Details.SqlMode) + int64(len(key))
	if err := s.roomForFunction(bytes); err != nil {
		return nil, err
	}
	parsed, err := parseFunction(ctx, c.Details)
	if err != nil {
		s.Kept.Discharge(bytes)
		return nil, err
	}
	f := &storedFunction{Function: parsed, texts: functionTexts(parsed, c.Details.CreateStatement), writes: parsed.Writes(), bytes: bytes}
	routine.ProgramHeadings(parsed.Declared.Procedure, parsed.ProcedureSpec.Body)
	if f.returns, err = routine.Returned(f.texts); err != nil {
		s.Kept.Discharge(bytes)
		return nil, err
	}
	if s.functions == nil {
		s.functions = map[string]*storedFunction{}
	}
	s.functions[key] = f
	return f, nil
}

// roomForFunction charges the connection with a function that is to be kept. If there is no room for it, those that do not run go.
func (s *Session) roomForFunction(bytes int64) error {
	if len(s.functions) < maxFunctions {
		if err := s.Kept.Charge(bytes); err == nil {
			return nil
		}
	}
	for key, f := range s.functions {
		if !f.runs {
			s.Kept.Discharge(f.bytes)
			delete(s.functions, key)
		}
	}
	return s.Kept.Charge(bytes)
}

// parseFunction makes a syntax tree of the statement that creates a stored function.
func parseFunction(ctx *sql.Context, details sql.StoredProcedureDetails) (*routine.Function, error) {
	f, err := routine.ParseFunction(ctx, syntax.Default, details.CreateStatement, sql.NewSqlModeFromString(details.SqlMode).ParserOptions())
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, mysql.NewSQLError(1305, "42000", "FUNCTION %s does not exist", details.Name)
	}
	sqltree.CommonTables(f.Declared.Procedure, f.DDL)
	sqltree.GroupWindows(f.Declared.Procedure, f.DDL)
	sqltree.Operators(f.Declared.Procedure, f.DDL)
	sqltree.SpatialTypes(f.Declared.Procedure, f.DDL)
	sqltree.Names(f.DDL, f.Declared.Procedure)
	return f, nil
}

// functionTexts returns the texts of the statements in the body of a function, which text creates. It corrects their syntax trees.
func functionTexts(f *routine.Function, text string) map[ast.Statement]string {
	all := routine.ProgramTexts(routine.ProgramBody(text, f.DDL), f.ProcedureSpec.Body)
	mendAll(all)
	return all
}

// CallFunction runs a stored function for a row. It is part of the statement that calls it.
func (s *Session) CallFunction(ctx *sql.Context, c *routine.FunctionCall, args []any) (any, error) {
	f, err := s.function(ctx, c)
	if err != nil {
		return nil, err
	}
	k := mdl.Key{Namespace: mdl.Function, Schema: strings.ToLower(c.Schema), Name: strings.ToLower(c.Details.Name)}
	if _, err := s.Locks.Lock(ctx, k, mdl.Shared, mdl.Transaction); err != nil {
		return nil, err
	}
	if f.writes {
		s.conn.Guard(ctx)
	}
	p := &program{schema: c.Schema, name: c.Details.Name, within: true, function: true, body: s.program(ctx, s.conn.Engine(), f.texts)}
	var result any
	p.body.Returns = f.returns
	p.body.Result = func(value any) (err error) {
		result, err = argument(ctx, c.String(), c.Result, value)
		return err
	}
	for i, param := range c.Params {
		value, err := argument(ctx, param.Name, param.Type, args[i])
		if err != nil {
			return nil, err
		}
		if err := p.body.Declare(param.Name, param.Type, value); err != nil {
			return nil, err
		}
	}
	if f.ProcedureSpec.Definer != "" && !rights.AsInvoker(f.ProcedureSpec) {
		defer s.Rights.As(accounts.ParseID(f.ProcedureSpec.Definer))()
	} else if c.Invoker != nil {
		defer s.Rights.As(*c.Invoker)()
	}
	if !f.runs { // else it is refused
		f.runs = true
		defer func() { f.runs = false }()
	}
	returned, err := s.run(ctx, instr.ObjectFunction, p, f.ProcedureSpec.Body)
	if err == nil && !returned {
		err = mysql.NewSQLError(1321, "2F005", "FUNCTION %s.%s ended without RETURN", c.Schema, c.Details.Name)
	}
	return result, err
}
