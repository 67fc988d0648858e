package connection

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/plancache"
	"pfsd/engine/processor"
	"pfsd/instr"
)

// Plans of statements that come again are kept, as package plancache says. Here they are made to be kept, and carried out.
//
// The plan of a text is kept if its tables are those of performance_schema, which nobody can change, read by themselves or through views of sys; nobody
// can make other tables of these names. Plans of users' tables, in keptvalues.go, serve other values, too.

// planRecord follows the making of a plan, to keep it. Owned by one goroutine.
type planRecord struct {
	database   string // the session's
	flags      *sql.QueryFlags
	steps      []plancache.Step
	node       sql.Node
	unkeepable bool // the plan depends on more than its key
	// trial tells that the plan is only looked at: what its making asks for is noted and not asked.
	trial bool
}

// askedFor notes that the making of a plan asks for something.
func (w *Work) askedFor(ctx *sql.Context, info ast.AuthInformation) {
	r := w.record
	if r == nil || r.node != nil {
		return
	}
	if ctx.GetCurrentDatabase() != r.database {
		r.unkeepable = true
	}
	if info.AuthType == ast.AuthType_CREATE_VIEW { // the SQL engine begins a view as if it was made
		return
	}
	if set, _ := ctx.Session.GetPrivilegeSet(); set != nil {
		// A view with somebody else's rights: those are another's to ask.
		if w.Rights.AccessIn(ctx, info) != w.Rights.Access() {
			r.unkeepable = true
		}
	}
	r.steps = append(r.steps, plancache.Step{Info: info})
}

// entersStage notes that the making of a plan begins a stage, and tells whether it is seen.
func (w *Work) entersStage(stage *instr.StageClass) bool {
	r := w.record
	if r != nil && r.node == nil {
		r.steps = append(r.steps, plancache.Step{Stage: stage})
	}
	return r == nil || !r.trial
}

// readsView notes the text of a view that the statement reads, as it has been parsed.
func (w *Work) readsView(s ast.Statement) {
	r := w.record
	if r == nil {
		return
	}
	ddl, ok := s.(*ast.DDL)
	if !ok || ddl.ViewSpec == nil || !plancache.Repeatable(ddl.ViewSpec.ViewExpr) {
		r.unkeepable = true
	}
}

// mayKeep tells whether the plan of a text may be kept, or one that was be used, as the session is now.
func (h *Handler) mayKeep(w *Work, text string) bool {
	return h.Kept.IsOn() && len(text) <= plancache.TextMax && w.Variables != nil && w.program == nil && !w.locks.Restricted()
}

// keyOf is the key for the plan of a text, as the session is now.
func (h *Handler) keyOf(ctx *sql.Context, w *Work, kind plancache.Kind, text string) plancache.Key {
	return plancache.Key{
		Kind: kind, Text: text, Database: ctx.GetCurrentDatabase(), Values: w.Variables.StateNumber(), Globals: h.Variables.StateNumber(),
	}
}

// parse makes statement s of the first one in a text, with the plan that was kept of it if there is one. It returns the others.
func (h *Handler) parse(ctx *sql.Context, w *Work, text string, multi bool, s *statement) (rest string, err error) {
	_, prepared := ctx.Session.GetPreparedQuery(text) // the SQL engine takes the text for its name
	if !prepared && h.mayKeep(w, text) {
		s.key = h.keyOf(ctx, w, plancache.TextKey, text)
		s.key.Multi = multi
		if h.parseShape(ctx, w, text, multi, s) {
			return "", nil
		}
		if s.kept, s.keep = h.Kept.Take(s.key); s.kept != nil {
			s.query, s.parsed = s.kept.One, w.noteParsed(ctx, s.kept.Parsed, s.kept.One, nil)
			return "", nil
		}
	}
	s.parsed, s.query, rest, err = h.Engine.Parser.Parse(ctx, text, multi)
	s.parsed = w.noteParsed(ctx, s.parsed, s.query, err)
	s.more = rest != ""
	return rest, err
}

// followPlanning has the making of the plan of s followed. The returned function ends that, and keeps the plan if it can be kept and
// err, how the statement has ended, is nil.
func (h *Handler) followPlanning(ctx *sql.Context, w *Work, s statement) (*planRecord, func(schema sql.Schema, columns []byte, err error)) {
	r := &planRecord{database: s.key.Database, flags: new(sql.QueryFlags)}
	w.record = r
	return r, func(schema sql.Schema, columns []byte, err error) {
		w.record = nil
		if err != nil || r.unkeepable || r.node == nil {
			return
		}
		if weight, refused := plancache.Keepable(ctx, r.node, plancache.VirtualTable); refused == "" && weight <= plancache.WeightMax {
			h.Kept.Put(&plancache.Plan{
				Key: s.key, Parsed: s.parsed, One: s.query, Steps: r.steps, Node: plancache.Anew(ctx, r.node), Flags: r.flags, Schema: schema, Columns: columns, Weight: weight,
			}, true)
		}
	}
}

// planned notes which plan the statement has.
func (r *planRecord) planned(ctx *sql.Context, n sql.Node) {
	if r != nil && r.node == nil {
		r.node = n
		r.unkeepable = r.unkeepable || len(ctx.Session.Warnings()) > 0 // which the making of the plan has raised
	}
}

// rowsOf has s carried out, with a plan that was kept if it has one. The returned function is called when the rows have been sent, or
// cannot be for the reason err: the plan is used again if they have.
func (h *Handler) rowsOf(ctx *sql.Context, w *Work, s *statement) (schema sql.Schema, rows sql.RowIter, sent func(schema sql.Schema, columns []byte, err error), err error) {
	if p := s.kept; p != nil {
		rows, ok, err := h.runKept(ctx, w, p)
		switch {
		case !ok: // the privileges are not what they were for others, or the tables are not
			s.kept, s.values = nil, nil
			h.Kept.Put(p, false)
			w.Current.refused = nil
			if p.Key.Kind != plancache.PreparedKey {
				if s.parsed, _, _, err = h.Engine.Parser.Parse(ctx, s.query, p.Key.Multi); err != nil {
					return nil, nil, nil, err
				}
			}
		case err != nil:
			h.Kept.Drop(p)
			return nil, nil, nil, err
		default:
			return p.Schema, rows, h.givesBack(p), nil
		}
	}
	if s.values != nil {
		switch rows, ok, err := h.tryValues(ctx, w, s); {
		case err != nil:
			return nil, nil, nil, err
		case ok:
			return s.kept.Schema, rows, h.givesBack(s.kept), nil
		}
	}
	processor.WakeScheduler()
	flags, sent := &sql.QueryFlags{}, func(sql.Schema, []byte, error) {}
	if s.keep && !s.more && plancache.Repeatable(s.parsed) {
		var r *planRecord
		r, sent = h.followPlanning(ctx, w, *s)
		flags = r.flags
	}
	schema, rows, _, err = h.Engine.QueryWithBindings(ctx, s.query, s.parsed, s.bindings, flags)
	if err != nil {
		sent(nil, nil, err)
	}
	return schema, rows, sent, err
}

// givesBack returns what is called when the rows of a statement have been sent, or cannot be: its plan is used again if they have.
func (h *Handler) givesBack(p *plancache.Plan) func(sql.Schema, []byte, error) {
	return func(_ sql.Schema, columns []byte, err error) {
		if err != nil {
			h.Kept.Drop(p)
			return
		}
		if p.Columns == nil {
			p.Columns = columns
		}
		h.Kept.Put(p, false)
	}
}

// runKept carries out a plan that was kept: what QueryWithBindings of the SQL engine does, but for the making of the plan. It
// reports false if the plan cannot be used, and nothing has happened that does not happen again with another one.
func (h *Handler) runKept(ctx *sql.Context, w *Work, p *plancache.Plan) (sql.RowIter, bool, error) {
	if ctx.GetTransaction() == nil {
		if s, ok := ctx.Session.(sql.TransactionSession); ok {
			tx, err := s.StartTransaction(ctx, sql.ReadWrite)
			if err != nil {
				return nil, true, err
			}
			ctx.SetTransaction(tx)
		}
	}
	ctx.ClearWarnings()
	for i := range p.Steps {
		if step := &p.Steps[i]; step.Stage != nil {
			w.Thread.StartStage(step.Stage)
		} else if err := (authorizer{catalog: h.Engine.Analyzer.Catalog}).HandleAuth(ctx, nil, step.Info); err != nil {
			return nil, false, nil
		}
	}
	if p.Key.Definitions != 0 && p.Key.Definitions != h.Tables.Version() {
		return nil, false, nil // it has waited for a statement that has changed them
	}
	w.Current.clauses, w.Current.clausesKnown = p.Clauses, true
	node := plancache.Anew(ctx, p.Node)
	rows, err := h.Engine.Analyzer.ExecBuilder.Build(ctx, node, nil)
	if err == nil {
		var schema sql.Schema
		if rows, schema, err = p.Finish(ctx, node, rows); p.Schema == nil {
			p.Schema = schema // of a write, which the node does not know
		}
		if p.Schema == nil {
			p.Schema = node.Schema(ctx)
		}
	}
	if err != nil && !ctx.GetIgnoreAutoCommit() {
		if autocommit, e := plan.IsSessionAutocommit(ctx); e == nil && autocommit {
			ctx.SetTransaction(nil)
		}
	}
	return rows, true, err
}
