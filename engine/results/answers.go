package results

import (
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/session"
	"pfsd/engine/sysvar"
	"pfsd/engine/wire"
)

// Answers sends a client the results of its statements, and those of the statements of the procedures that it calls, each as it comes, in
// constant memory. The protocol layer knows of one result of a statement, which is the last: that the CALL has ended, or how it has failed.
// Owned by the connection's goroutine.
type Answers struct {
	Writer
	statement   *Statement
	transaction *session.Transaction
	limit       uint64 // sql_select_limit of the session
	state       uint64 // of the session's variables when limit was read, as [sysvar.StateNumber] has it; 0 if limit is not known
}

// NewAnswers returns what sends results of the statement to a client, whose session has this transaction.
func NewAnswers(w Writer, s *Statement, t *session.Transaction) *Answers {
	return &Answers{Writer: w, statement: s, transaction: t}
}

// Result is a result of the statement that runs. With rows they are sent from here, else the protocol layer sends the columns alone; columns
// are what clients are told of the columns, as packets, nil if that is not known.
func (a *Answers) Result(ctx *sql.Context, rows bool, columns []byte) Result {
	out := Result{Statement: a.statement}
	if rows {
		out.to = newRows(&a.Writer, a.Status(ctx))
		out.to.Head = columns
	}
	return out
}

// Limit limits a result of statement tree to the rows that the client wants: sql_select_limit is about queries without LIMIT.
func (a *Answers) Limit(ctx *sql.Context, r *Result, tree ast.Statement) {
	limit := a.selectLimit(ctx)
	if limit > math.MaxInt64 {
		return
	}
	switch s := tree.(type) {
	case *ast.Select:
		r.limited = s.Limit == nil && s.Into == nil
	case *ast.SetOp:
		r.limited = s.Limit == nil && s.Into == nil
	}
	r.limit = int64(limit)
}

// StatusOutParameters marks the result that holds the parameters OUT and INOUT of a prepared CALL.
const StatusOutParameters = 1 << 12

// MayAnswer tells whether the client knows results of statements of procedures.
func (a *Answers) MayAnswer() bool {
	return a == nil || a.Conn.Capabilities&mysql.CapabilityClientMultiResults != 0
}

// TakesOutParameters tells whether the client knows the result with StatusOutParameters.
func (a *Answers) TakesOutParameters() bool {
	return a != nil && a.Binary && a.Conn.Capabilities&wire.CapabilityOutParameters != 0
}

// Answer sends rows of a statement of a procedure, and closes them; the status of the result has these flags besides others. Without a
// client, a being nil, as in an event, nobody gets the rows of s.
func (a *Answers) Answer(ctx *sql.Context, s *Statement, schema sql.Schema, rows sql.RowIter, flags uint16) error {
	if a == nil {
		out := &Result{Statement: s}
		return out.Rows(ctx, schema, rows)
	}
	flags |= a.Status(ctx) | mysql.ServerMoreResultsExists
	out := &Result{Statement: a.statement, to: newRows(&a.Writer, flags)}
	if err := out.Rows(ctx, schema, rows); err != nil {
		if a.Writer.Sent {
			if e := a.Flush(); e != nil {
				return sendError(e)
			}
		} else { // the client has nothing of it
			a.Open = false
			a.Reset()
		}
		return err
	}
	return sendError(a.EndResult(flags))
}

// EndOpen ends the result that is open, if there is one: the statement has failed, and the procedure
// goes on.
func (a *Answers) EndOpen(ctx *sql.Context) error {
	if a == nil || !a.Open {
		return nil
	}
	return sendError(a.EndResult(a.Status(ctx) | mysql.ServerMoreResultsExists))
}

// selectLimit returns sql_select_limit of the session, which most statements find as it was.
func (a *Answers) selectLimit(ctx *sql.Context) uint64 {
	state := sysvar.StateNumber(ctx)
	if state != 0 && state == a.state {
		return a.limit
	}
	a.state, a.limit = state, math.MaxUint64
	if v, err := ctx.GetSessionVariable(ctx, "sql_select_limit"); err == nil {
		if n, ok := v.(uint64); ok {
			a.limit = n
		}
	}
	return a.limit
}

// Status is what a client is told of its session at the end of a result.
func (a *Answers) Status(ctx *sql.Context) uint16 {
	flags := uint16(0)
	if a.transaction.Autocommit(ctx) {
		flags |= mysql.ServerStatusAutocommit
	}
	if ctx.GetTransaction() != nil && (ctx.GetIgnoreAutoCommit() || a.transaction.Open() && !a.transaction.Alone()) {
		flags |= mysql.ServerInTransaction
	}
	return flags
}
