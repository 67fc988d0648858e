package connection

import (
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/iters"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/charge"
	"pfsd/engine/executor"
	"pfsd/engine/explain/gmsplan"
	"pfsd/engine/infoschema"
	"pfsd/engine/plancache"
	"pfsd/engine/results"
	"pfsd/engine/session"
	"pfsd/engine/vtable"
)

type statement struct {
	query    string
	parsed   sqlparser.Statement // nil if query is still to be parsed
	bindings map[string]sqlparser.Expr
	more     bool // another statement of the same command follows
	binary   bool // the client expects rows in the binary protocol
	columns  bool // the client expects columns and no rows: COM_FIELD_LIST
	// key is what its plan is kept by, and keep tells that it is to be kept; kept is the plan that was.
	key  plancache.Key
	keep bool
	kept *plancache.Plan
	// values are those of a statement whose plan is to be kept to serve others, nil if it is not.
	values *keptValues
}

// execute runs s and sends what it yields.
func (h *Handler) execute(ctx *sql.Context, c *mysql.Conn, s statement, send mysql.ResultSpoolFn) (err error) {
	w := ClientOf(c).work
	begun := false
	defer func() {
		if !begun && s.kept != nil {
			h.Kept.Put(s.kept, false)
		}
	}()
	if e, ok := s.parsed.(*sqlparser.Execute); ok {
		s.keep, s.values = false, nil // its text does not say what it carries out
		if s.query, s.parsed, s.bindings, err = w.executedStatement(ctx, e); err != nil {
			return err
		}
		h.findPreparedPlan(ctx, w, w.Preparations.byName[strings.ToLower(e.Name)], &s)
	}
	w.Rights.Query = s.query
	if err := w.Rights.Expired(s.parsed); err != nil {
		return err
	}
	tree := w.Current.tree
	if tree == nil {
		tree = s.parsed // of a command that is no statement
	}
	if err := w.beforeStatement(ctx, tree); err != nil {
		return err
	}
	back, err := session.InNamed(ctx, w.Current.tree)
	if err != nil {
		return err
	}
	defer back()
	defer w.limitExecutionTime(s.parsed)()
	w.diagnostics.Collect(ctx) // the SQL engine forgets them
	w.answers.Start(s.binary)
	begun = true
	schema, rows, sent, err := h.rowsOf(ctx, w, &s)
	if err != nil {
		return err
	}
	out := &result{work: w, send: func(r *sqltypes.Result) error { return send(r, s.more) }}
	if !s.columns {
		out.to = results.NewRows(&w.answers.Writer, w.answers.status(ctx))
		if s.kept != nil {
			out.to.Head = s.kept.Columns
		}
	}
	defer func() {
		var columns []byte
		if out.to != nil {
			columns = out.to.Head
		}
		sent(schema, columns, err)
	}()
	schema = executor.AlteredSchema(w.Current.tree, infoschema.ShowSchema(w.Current.tree, gmsplan.SchemaOf(schema)))
	out.limit, out.limited = w.answers.rowLimit(ctx, w.Current.tree)
	if err := h.guard(s.query, func() error { return out.rows(ctx, schema, rows) }); err != nil {
		return ClientOf(c).failResult(ctx, c, out, err)
	}
	w.diagnostics.Collect(ctx)
	w.Thread.StartStage(w.Stages.Freeing)
	c.StatusFlags = w.answers.status(ctx)
	if err := out.finish(); err != nil || !w.answers.Open {
		return err
	}
	w.answers.EndLate(s.more)
	return out.send(&sqltypes.Result{}) // the client does not see it
}

// failResult deals with an error of a statement, rows of which may have been sent.
func (cl *Client) failResult(ctx *sql.Context, c *mysql.Conn, out *result, err error) error {
	a := cl.work.answers
	open := a.Open // a result past the protocol layer
	a.Open = false
	switch {
	case errors.Is(err, results.ErrSend):
		a.Reset()
		_ = out.send(&sqltypes.Result{}) // so that the protocol layer ends the connection
		return err
	case !open || !a.Sent: // the client has nothing of it
		a.Reset()
		return err
	}
	if open {
		if err := a.Flush(); err != nil {
			return err
		}
	}
	if err := c.FlushBuffer(); err != nil {
		return err
	}
	if err := cl.Wire.Fail(cl.work.noteError(ctx, err)); err != nil || !open {
		return err
	}
	return out.send(&sqltypes.Result{}) // the client does not see it
}

// rowsBytes is how much room there is for a value before it is in its packet.
const rowsBytes = 16 << 10

// rowBuffers are *[]byte, empty and with room for rowsBytes.
var rowBuffers = sync.Pool{New: func() any { b := make([]byte, 0, rowsBytes); return &b }}

// result sends the rows of one statement. Owned by one goroutine.
type result struct {
	work  *Work
	send  func(*sqltypes.Result) error
	batch sqltypes.Result // what is sent at the end of what has no rows
	to    *results.Rows   // writes the rows; nil if nobody gets them, or if there turn out to be none
	// limit is how many rows the client wants, if limited.
	limit   int64
	limited bool
}

// endedRows is how many rows are sent between two moments at which the statement can be stopped.
const endedRows = 128

// rows sends what rows yields, and closes it; what it has kept goes to the client with the end of the result.
func (r *result) rows(ctx *sql.Context, schema sql.Schema, rows sql.RowIter) (err error) {
	to, all := r.to, rows
	r.to = nil
	defer func() {
		if e := r.work.closeRows(ctx, all, err); err == nil {
			err = e
		}
	}()
	if types.IsOkResultSchema(schema) {
		return r.ok(ctx, rows)
	}
	if len(schema) == 0 {
		r.work.Current.done = true // the answer is OK
	}
	if r.limited {
		rows = &iters.LimitIter{ChildIter: rows, Limit: r.limit}
	}
	if to == nil || len(schema) == 0 {
		r.batch.Fields = results.FieldsOf(ctx, schema)
	} else {
		if err := to.BeginRows(ctx, schema); err != nil {
			return err
		}
		r.to = to
	}
	buf := rowBuffers.Get().(*[]byte)
	defer rowBuffers.Put(buf)
	r.work.Thread.Alloc(r.work.memory.rows, rowsBytes)
	defer r.work.Thread.Free(r.work.memory.rows, rowsBytes)
	if s, limit, bare := bareScan(rows); bare {
		return r.scan(ctx, s, limit, *buf)
	}
	if r.to != nil { // which keeps nothing of a row
		charge.ReuseRows(rows)
	}
	for {
		if err := r.work.Processor.Row(1); err != nil {
			return err
		}
		row, err := rows.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if len(schema) == 0 {
			continue
		}
		if r.to != nil {
			if err := r.to.Row(ctx, row, *buf); err != nil {
				return err
			}
		}
		if err := r.count(ctx); err != nil {
			return err
		}
	}
}

// count counts a row that has been sent. The error is why the statement ends.
func (r *result) count(ctx *sql.Context) error {
	if r.work.Current.sent++; r.work.Current.sent%endedRows == 0 {
		return ctx.Err()
	}
	return nil
}

// finish sends what has no rows.
func (r *result) finish() error {
	if r.to != nil {
		return nil
	}
	return r.send(&r.batch)
}

// infoMin is the length from which the protocol layer writes the text of an OK packet
// in a way that clients understand.
const infoMin = 35

func (r *result) ok(ctx *sql.Context, rows sql.RowIter) error {
	for {
		row, err := rows.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		ok, is := row[0].(types.OkResult)
		if !is {
			continue
		}
		o := &r.work.Current
		o.done, o.affected = true, ok.RowsAffected
		r.batch = sqltypes.Result{RowsAffected: ok.RowsAffected, InsertID: ok.InsertID}
		if ok.Info != nil {
			o.message = ok.Info.String()
			if len(o.message) >= infoMin {
				r.batch.Info = o.message
			}
		}
	}
}

// bareScan returns the scan that rows is at its heart, and how many of its rows are
// wanted, if nothing happens to them on the way.
func bareScan(rows sql.RowIter) (s *vtable.Scan, limit int64, ok bool) {
	limit = -1
	for {
		switch it := rows.(type) {
		case *vtable.Scan:
			return it, limit, true
		case *plan.TrackedRowIter:
			rows = it.GetIter()
		case *rowexec.TransactionCommittingIter:
			rows = it.GetIter()
		case *rowexec.ExprCloserIter:
			rows = it.GetIter()
		case *iters.LimitIter:
			if it.CalcFoundRows {
				return nil, 0, false
			}
			if limit < 0 || it.Limit < limit {
				limit = it.Limit
			}
			rows = it.ChildIter
		default:
			return nil, 0, false
		}
	}
}

// scan sends what s yields without making rows of it.
func (r *result) scan(ctx *sql.Context, s *vtable.Scan, limit int64, scratch []byte) error {
	s.Open(ctx)
	if r.to != nil {
		r.to.BeginScan(s)
	}
	found := int64(0)
	for ; found != limit; found++ {
		if ok, err := s.Advance(ctx); err != nil {
			return err
		} else if !ok {
			break
		}
		if r.to != nil {
			if err := r.to.Values(s.Values, scratch); err != nil {
				return err
			}
		}
		if err := r.count(ctx); err != nil {
			return err
		}
	}
	ctx.GetLastQueryInfo().FoundRows.Store(found)
	return nil
}
