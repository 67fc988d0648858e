package connection

import (
	"math"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/results"
	"pfsd/engine/wire"
)

// answers sends what the statements of a procedure answer to the client that calls it, each its result
// as it comes, in constant memory. The protocol layer knows of one result of a statement, which is the
// last: that the CALL has ended, or how it has failed. Owned by the connection's goroutine.
type answers struct {
	results.Writer
	work *Work
	// autocommit is the session's, and limit sql_select_limit; unknown after they may have been set.
	autocommit, unknown bool
	limit               uint64
}

// statusOutParameters marks the result that holds the parameters OUT and INOUT of a prepared CALL.
const statusOutParameters = 1 << 12

// mayAnswer tells why the client cannot have what a procedure answers, nil if it can.
func (w *Work) mayAnswer(p *program) error {
	for q := w.program; q != nil; q = q.outer {
		if q.within {
			return mysql.NewSQLError(1415, "0A000", "Not allowed to return a result set from a trigger")
		}
	}
	if w.answers != nil && w.answers.Conn.Capabilities&mysql.CapabilityClientMultiResults == 0 {
		return mysql.NewSQLError(1312, "0A000", "PROCEDURE %s.%s can't return a result set in the given context", p.schema, p.name)
	}
	return nil
}

// answer gives the client the rows of a statement of a procedure, and closes them. Where no client waits
// for them, as of an event, nobody gets them.
func (w *Work) answer(ctx *sql.Context, schema sql.Schema, rows sql.RowIter) error {
	if w.answers != nil {
		return w.answers.result(ctx, schema, rows, 0)
	}
	out := &result{work: w, send: func(*sqltypes.Result) error { return nil }}
	return out.rows(ctx, schema, rows)
}

// preparedCall is a CALL that has been prepared, and is carried out.
type preparedCall struct {
	*ast.Call
	// using are the user variables that EXECUTE gives it, nil if the protocol gives it values.
	using []string
}

// notePreparedCall notes that a prepared statement is going to be carried out.
func (w *Work) notePreparedCall(s ast.Statement, using []string) {
	if w.prepares = nil; s != nil {
		if c, ok := s.(*ast.Call); ok {
			w.prepares = &preparedCall{c, using}
		}
	}
}

// marker is the number, from 0, of the marker that an argument is; it reports false if it is none.
func (c *preparedCall) marker(i int) (n int, ok bool) {
	if v, is := c.Params[i].(*ast.SQLVal); is && v.Type == ast.ValArg {
		n, err := strconv.Atoi(strings.TrimPrefix(string(v.Val), ":v"))
		return n - 1, err == nil
	}
	return 0, false
}

// arguments are those of the CALL: markers can be given values, as variables can.
func (c *preparedCall) arguments() *callArguments {
	args := &callArguments{variables: make([]bool, len(c.Params)), out: map[int]any{}}
	for i := range c.Params {
		_, args.variables[i] = c.marker(i)
	}
	return args
}

// outParameters gives to markers what their parameters have become: to the user variables that stand for
// them, or to the client as a result.
func (w *Work) outParameters(ctx *sql.Context, c *preparedCall, params []plan.ProcedureParam, values map[int]any) error {
	var schema sql.Schema
	var row sql.Row
	for i, p := range params {
		value, ok := values[i]
		if !ok {
			continue
		}
		if n, _ := c.marker(i); n < len(c.using) {
			if err := w.vars.Set(ctx, strings.TrimPrefix(c.using[n], "@"), value, p.Type); err != nil {
				return err
			}
		}
		schema, row = append(schema, &sql.Column{Name: p.Name, Type: p.Type, Nullable: true}), append(row, value)
	}
	if len(row) == 0 || w.answers == nil || !w.answers.Binary || w.answers.Conn.Capabilities&wire.CapabilityOutParameters == 0 {
		return nil
	}
	err := w.answers.result(ctx, schema, sql.RowsToRowIter(row), statusOutParameters)
	w.Current.sent-- // the row is none of a statement's
	return err
}

// result sends a result, whose status has these flags besides others.
func (a *answers) result(ctx *sql.Context, schema sql.Schema, rows sql.RowIter, flags uint16) error {
	flags |= a.status(ctx) | mysql.ServerMoreResultsExists
	out := &result{work: a.work, send: func(*sqltypes.Result) error { return nil }, to: results.NewRows(&a.Writer, flags)}
	if err := out.rows(ctx, schema, rows); err != nil {
		if a.Sent {
			if e := a.Flush(); e != nil {
				return results.SendError(e)
			}
		} else { // the client has nothing of it
			a.Open = false
			a.Reset()
		}
		return err
	}
	return results.SendError(a.EndResult(flags))
}

// endOpenResult ends the result that is open, if there is one: the statement has failed, and the procedure
// goes on.
func (a *answers) endOpenResult(ctx *sql.Context) error {
	if !a.Open {
		return nil
	}
	return results.SendError(a.EndResult(a.status(ctx) | mysql.ServerMoreResultsExists))
}

// askSession asks for what is unknown of the session.
func (a *answers) askSession(ctx *sql.Context) {
	if !a.unknown {
		return
	}
	on, err := plan.IsSessionAutocommit(ctx)
	a.unknown, a.autocommit, a.limit = false, on && err == nil, math.MaxUint64
	if v, err := ctx.GetSessionVariable(ctx, "sql_select_limit"); err == nil {
		if n, ok := v.(uint64); ok {
			a.limit = n
		}
	}
}

// rowLimit is how many rows of s the client wants; it reports false if that is all: sql_select_limit is about queries
// that have no LIMIT.
func (a *answers) rowLimit(ctx *sql.Context, s ast.Statement) (limit int64, limited bool) {
	if a.askSession(ctx); a.limit > math.MaxInt64 {
		return 0, false
	}
	switch s := s.(type) {
	case *ast.Select:
		limited = s.Limit == nil && s.Into == nil
	case *ast.SetOp:
		limited = s.Limit == nil && s.Into == nil
	}
	return int64(a.limit), limited
}

// status is what a client is told of its session at the end of a result.
func (a *answers) status(ctx *sql.Context) uint16 {
	a.askSession(ctx)
	flags := uint16(0)
	if a.autocommit {
		flags |= mysql.ServerStatusAutocommit
	}
	if ctx.GetTransaction() != nil && (ctx.GetIgnoreAutoCommit() || a.work.trx.Open() && !a.work.trx.Alone()) {
		flags |= mysql.ServerInTransaction
	}
	return flags
}
