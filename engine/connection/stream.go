package connection

import (
	"errors"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/executor"
	"pfsd/engine/explain/gmsplan"
	"pfsd/engine/infoschema"
	"pfsd/engine/plancache"
	"pfsd/engine/prepared"
	"pfsd/engine/results"
	"pfsd/engine/session"
	"pfsd/engine/statements"
	"pfsd/engine/wire"
	"pfsd/engine/writes"
)

// statement is a statement of a client.
type statement struct {
	plancache.Statement
	binary  bool // the client expects rows in the binary protocol
	columns bool // the client expects columns and no rows: COM_FIELD_LIST
}

// parse makes statement s of the first one in a text, and returns the others.
func (h *Handler) parse(ctx *sql.Context, w *Work, text string, multi bool, s *statement) (rest string, err error) {
	rest, err = h.Plans.Parse(ctx, &w.plans, text, multi, &s.Statement)
	s.Parsed = w.noteParsed(ctx, s.Parsed, s.Query, err)
	return rest, err
}

// parseFirst makes statement s of the first one in a text, with which first begins, and returns the others. It reads more than first only
// if that cannot be parsed.
func (h *Handler) parseFirst(ctx *sql.Context, w *Work, first, text string, s *statement) (rest string, err error) {
	if len(first) < len(text) {
		more, err := h.Plans.Parse(ctx, &w.plans, first, true, &s.Statement)
		if err == nil {
			rest = sql.RemoveSpaceAndDelimiter(text[len(first)-len(more):], ';')
			s.More = rest != ""
			s.Parsed = w.noteParsed(ctx, s.Parsed, s.Query, nil)
			return rest, nil
		}
		*s = statement{columns: s.columns, binary: s.binary}
	}
	return h.parse(ctx, w, text, true, s)
}

// findPreparedPlan looks for a plan of s, which carries out a prepared statement.
func (h *Handler) findPreparedPlan(ctx *sql.Context, w *Work, p prepared.Statement, s *statement) {
	h.Plans.FindPrepared(ctx, &w.plans, plancache.Prepared{Text: p.Text, Markers: p.Markers, Uses: p.Uses, Tree: prepared.Tree(ctx, p.Text)}, &s.Statement)
}

// execute runs s and sends what it yields.
func (h *Handler) execute(ctx *sql.Context, c *mysql.Conn, s statement, send mysql.ResultSpoolFn) (err error) {
	w := ClientOf(c).work
	begun := false
	defer func() {
		if !begun {
			h.Plans.Release(&s.Statement)
		}
	}()
	if err := w.Rights.Expired(s.Parsed); err != nil {
		return err
	}
	if e, ok := s.Parsed.(*sqlparser.Execute); ok {
		s.Executes()
		p, tree, bindings, err := w.Preparations.Executed(ctx, e)
		if err != nil {
			return err
		}
		s.Query, s.Parsed, s.Bindings = p.Text, tree, bindings
		h.findPreparedPlan(ctx, w, p, &s)
	}
	w.Rights.Query = s.Query
	if err := w.Rights.Count(func() string { return statements.Kind(s.Parsed, s.Query) }); err != nil {
		return err
	}
	tree := w.Current.tree
	if tree == nil {
		tree = s.Parsed // of a command that is no statement
	}
	if err := w.beforeStatement(ctx, tree); err != nil {
		return err
	}
	if len(s.Query) > wideText && s.Columns() == nil {
		if err := w.checkWidths(0); err != nil {
			return err
		}
	}
	back, err := session.InNamed(ctx, w.Current.tree)
	if err != nil {
		return err
	}
	defer back()
	defer w.carryOutHints(ctx, s.Query)()
	defer w.limitExecutionTime(s.Parsed)()
	w.diagnostics.Collect(ctx) // the SQL engine forgets them
	w.answers.Start(s.binary)
	begun = true
	if h.Profiler.BeginStatement(w.Thread) {
		defer h.Profiler.EndStatement()
	}
	schema, rows, sent, err := h.Plans.Rows(ctx, &w.plans, &s.Statement)
	if w.isDone(ctx, err) {
		return send(&sqltypes.Result{}, s.More)
	}
	if err != nil {
		return err
	}
	out := w.answers.Result(ctx, !s.columns, s.Columns())
	defer func() { sent(schema, out.Columns(), err) }()
	schema = executor.AlteredSchema(w.Current.tree, infoschema.ShowSchema(w.Current.tree, gmsplan.SchemaOf(schema)))
	w.answers.Limit(ctx, &out, w.Current.tree)
	if err := h.guard(s.Query, func() error { return out.Rows(ctx, schema, rows) }); err != nil && !w.isDone(ctx, err) {
		return ClientOf(c).failResult(ctx, c, err, func() error { return send(&sqltypes.Result{}, s.More) })
	}
	return w.endResult(ctx, c, &out, &s, send)
}

// endResult sends what follows the rows of s: the end of the result, or the answer of a statement without rows.
func (w *Work) endResult(ctx *sql.Context, c *mysql.Conn, out *results.Result, s *statement, send mysql.ResultSpoolFn) error {
	w.diagnostics.Collect(ctx)
	w.Thread.StartStage(w.Stages.Freeing)
	c.StatusFlags = w.answers.Status(ctx)
	if !out.HasRows() {
		b := out.Batch()
		w.tellAltered(b)
		if len(b.Fields) == 0 && (b.Info != "" || s.binary && w.diagnostics.Raised > 0) {
			if err := w.answers.OKLate(&wire.OK{Affected: b.RowsAffected, ID: b.InsertID, Info: b.Info}, s.More); err != nil {
				return err
			}
		}
		if err := send(b, s.More); err != nil {
			return err
		}
	}
	if !w.answers.Open {
		return nil
	}
	w.answers.EndLate(s.More)
	return send(&sqltypes.Result{}, s.More) // the client does not see it
}

// isDone tells whether a statement that has failed with err has done its work, and was only ended from outside after that.
func (w *Work) isDone(ctx *sql.Context, err error) bool {
	return err != nil && w.Current.carriedOut && ctx.Err() != nil
}

// tellAltered adds the text that ALTER TABLE, CREATE INDEX and DROP INDEX answer OK with.
func (w *Work) tellAltered(b *sqltypes.Result) {
	switch s := w.Current.tree.(type) {
	case *sqlparser.AlterTable:
		if len(s.Statements) == 1 && s.Statements[0].Action == sqlparser.RenameStr {
			return
		}
	case *sqlparser.DDL:
		if s.IndexSpec == nil || s.Action == sqlparser.CreateStr && s.TableSpec != nil {
			return
		}
	default:
		return
	}
	b.RowsAffected = w.Current.stage.Copied
	w.Current.Affected = b.RowsAffected
	b.Info = writes.Info{Records: b.RowsAffected, Warnings: w.diagnostics.Raised}.String()
	w.Current.Message = b.Info
}

// failResult deals with an error of a statement, rows of which may have been sent. The function end tells the protocol layer that the result
// has ended.
func (cl *Client) failResult(ctx *sql.Context, c *mysql.Conn, err error, end func() error) error {
	a := cl.work.answers
	open := a.Open // a result past the protocol layer
	a.Open = false
	switch {
	case errors.Is(err, results.ErrSend):
		a.Reset()
		_ = end() // so that the protocol layer ends the connection
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
	return end() // the client does not see it
}
