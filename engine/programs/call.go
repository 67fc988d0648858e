package programs

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/accounts"
	"pfsd/engine/charge"
	"pfsd/engine/rights"
	"pfsd/engine/routine"
	"pfsd/instr"
)

// callArguments are the arguments of a CALL in a procedure, or of a prepared CALL: which of them are variables, and the values that OUT
// parameters give them, by position.
type callArguments struct {
	variables []bool
	out       map[int]any
}

// call executes a CALL. It returns nil for a procedure that is not stored.
func (b Builder) call(ctx *sql.Context, c *Session, n *plan.Call, row sql.Row) (sql.RowIter, error) {
	args, call := c.arguments, c.prepared
	c.arguments, c.prepared = nil, nil
	if n.Procedure != nil && n.Procedure.ExternalProc != nil {
		return b.callExternal(ctx, c, n, row)
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
	tree, err := holdTree(ctx, details.CreateStatement, details.SqlMode)
	defer tree.Drop()
	if err != nil {
		return nil, err
	}
	ddl, err := parseProcedure(ctx, details)
	if err != nil {
		return nil, err
	}
	p := &program{schema: n.Database().Name(), name: ddl.ProcedureSpec.ProcName.Name.String()}
	body := ddl.ProcedureSpec.Body
	routine.ProgramHeadings(details.CreateStatement, body)
	if routine.ProgramAnswers(body) {
		if err := c.mayAnswer(p); err != nil {
			return nil, err
		}
	}
	if call != nil {
		args = call.arguments()
	}
	p.body = c.program(ctx, n.GetRunner(), texts(details.CreateStatement, ddl, body))
	if err := p.declare(ctx, n, args, row); err != nil {
		return nil, err
	}
	if spec := ddl.ProcedureSpec; spec.Definer != "" && !rights.AsInvoker(spec) {
		defer c.Rights.As(accounts.ParseID(spec.Definer))()
	}
	if _, err := c.run(ctx, instr.ObjectProcedure, p, body); err != nil {
		return nil, err
	}
	if err := p.giveBack(ctx, c, n, args, call == nil); err != nil {
		return nil, err
	}
	if call != nil {
		if err := c.outParameters(ctx, call, n.Procedure.Params, args.out); err != nil {
			return nil, err
		}
	}
	n.SetSchema(types.OkResultSchema)
	return sql.RowsToRowIter(sql.NewRow(types.NewOkResult(int(p.body.Affected)))), nil
}

// declare declares the parameters of the procedure that n calls, with the values of the arguments.
func (p *program) declare(ctx *sql.Context, n *plan.Call, args *callArguments, row sql.Row) (err error) {
	for i, param := range n.Procedure.Params {
		var value any
		if param.Direction != plan.ProcedureParamDirection_In && !assignable(n.Params[i], args, i) {
			return mysql.NewSQLError(1414, "42000", "OUT or INOUT argument %d for routine %s.%s is not a variable or NEW pseudo-variable in BEFORE trigger", i+1, p.schema, p.name)
		}
		if param.Direction != plan.ProcedureParamDirection_Out {
			if value, err = n.Params[i].Eval(ctx, row); err == nil {
				value, err = argument(ctx, param.Name, param.Type, value)
			}
			if err != nil {
				return err
			}
		}
		if err := p.body.Declare(param.Name, param.Type, value); err != nil {
			return err
		}
	}
	return nil
}

// giveBack sets the arguments of n to the values of the OUT and INOUT parameters. With named, values of ENUM and SET are names.
func (p *program) giveBack(ctx *sql.Context, c *Session, n *plan.Call, args *callArguments, named bool) (err error) {
	for i, param := range n.Procedure.Params {
		if param.Direction == plan.ProcedureParamDirection_In {
			continue
		}
		value := p.body.Value(param.Name)
		switch a := n.Params[i].(type) {
		case *expression.UserVar:
			err = c.Variables.Set(ctx, a.Name, value, param.Type)
		case *expression.ProcedureParam:
			err = a.Set(ctx, value, param.Type)
		default:
			if named {
				value, err = choiceName(ctx, param.Type, value)
			}
			args.out[i] = value
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// callExternal executes a CALL of a procedure that is written in Go.
func (b Builder) callExternal(ctx *sql.Context, c *Session, n *plan.Call, row sql.Row) (sql.RowIter, error) {
	rows, err := b.Plain.Build(ctx, n, row)
	if err != nil {
		return nil, err
	}
	schema := n.Schema(ctx)
	if len(schema) == 0 || types.IsOkResultSchema(schema) {
		return rows, nil
	}
	if err := c.answer(ctx, schema, rows, 0); err != nil {
		return nil, err
	}
	n.SetSchema(types.OkResultSchema)
	return sql.RowsToRowIter(sql.NewRow(types.NewOkResult(0))), nil
}

// assignable reports whether an argument of CALL can be set.
func assignable(e sql.Expression, args *callArguments, i int) bool {
	switch e.(type) {
	case *expression.UserVar, *expression.ProcedureParam:
		return true
	}
	return args != nil && i < len(args.variables) && args.variables[i]
}

// program returns the executor of a program with these texts of statements, which r runs.
func (c *Session) program(ctx *sql.Context, r sql.StatementRunner, texts map[ast.Statement]string) *routine.Program {
	s := &steps{session: c, call: ctx, current: ctx}
	return &routine.Program{Runner: c.conn.Runner(r), Steps: s, Context: func() *sql.Context { return s.current }, Memory: charge.PartOf(ctx),
		Call: c.callFrom, Texts: texts}
}

// RunEvent runs the body of an event of database db, which a statement with this text creates.
func (c *Session) RunEvent(ctx *sql.Context, r sql.StatementRunner, db, name, create string) error {
	tree, err := holdTree(ctx, create, "")
	defer tree.Drop()
	if err != nil {
		return err
	}
	ddl, err := parseEvent(create)
	if err != nil {
		return err
	}
	body := ddl.EventSpec.Body
	p := &program{schema: db, name: name, body: c.program(ctx, r, texts(create, ddl, body))}
	_, err = c.run(ctx, instr.ObjectEvent, p, body)
	return err
}

// callFrom carries out a CALL of a procedure.
func (c *Session) callFrom(_ *ast.Call, variables []bool, run func() error) (map[int]any, error) {
	args := &callArguments{variables: variables, out: map[int]any{}}
	c.arguments, c.prepared = args, nil
	err := run()
	c.arguments = nil
	return args.out, err
}

// run runs a procedure, a function or an event, with its database as the current one. returned tells whether a function came to a RETURN. Outside of a transaction each statement is a transaction of its
// own, unless the CALL is part of a statement.
func (c *Session) run(ctx *sql.Context, t instr.ObjectType, p *program, body ast.Statement) (returned bool, err error) {
	leave, err := c.enter(ctx, t, p)
	if err != nil {
		return false, err
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

// Drop builds n, which drops stored programs, or a table or database with programs. The statistics of these are dropped, too.
func (b Builder) Drop(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	rows, err := b.Plain.Build(ctx, n, row)
	if err != nil {
		return nil, err
	}
	c := sessionOf(ctx)
	switch n := n.(type) {
	case *plan.DropProcedure:
		c.Registry.DropProgram(instr.ObjectProcedure, n.Db.Name(), n.ProcedureName)
	case *plan.DropTrigger:
		c.Registry.DropProgram(instr.ObjectTrigger, n.Db.Name(), n.TriggerName)
	case *plan.DropTable:
		for _, t := range n.Tables {
			db, ok := t.(sql.Databaser)
			for _, name := range n.TriggerNames {
				if ok {
					c.Registry.DropProgram(instr.ObjectTrigger, db.Database().Name(), name)
				}
			}
		}
	case *plan.DropDB:
		c.Opened.DropDatabase(n.DbName)
		for _, p := range c.Registry.Reader().Programs() {
			if strings.EqualFold(p.Schema, n.DbName) {
				c.Registry.DropProgram(p.Type, p.Schema, p.Name)
			}
		}
	}
	return rows, nil
}
