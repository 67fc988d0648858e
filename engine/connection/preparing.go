package connection

import (
	"context"
	"math"
	"strings"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/explain/gmsplan"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/nodes"
	"pfsd/engine/parsing"
	"pfsd/engine/results"
	"pfsd/engine/rights"
	"pfsd/engine/routine"
	"pfsd/engine/secrets"
	"pfsd/engine/session"
	"pfsd/engine/statements"
)

// The protocol layer and the SQL engine parse what is to be prepared themselves, and so know less of it
// than the engine's parser: the wire answers COM_STMT_PREPARE, and PREPARE is a statement of the engine's.

// unpreparable are the kinds of statements that MySQL does not prepare.
var unpreparable = map[string]bool{
	"prepare_sql": true, "execute_sql": true, "dealloc_sql": true, "begin": true, "savepoint": true, "release_savepoint": true,
	"lock_tables": true, "unlock_tables": true, "change_db": true, "load": true, "signal": true, "resignal": true, "get_diagnostics": true,
	"create_procedure": true, "alter_procedure": true, "drop_procedure": true, "create_function": true, "drop_function": true,
	"create_trigger": true, "drop_trigger": true, "create_event": true, "alter_event": true, "drop_event": true, "alter_db": true,
	"ha_open": true, "ha_read": true, "ha_close": true, "show_warnings": true, "show_errors": true, "help": true,
}

// prepared is a statement that has been prepared.
type prepared struct {
	node    sql.Node
	text    string
	shown   string // the text, as it is to be seen
	markers int
	weight  int64 // about how many bytes it takes while it is prepared
}

// nodeWeight is about how many bytes a node of a syntax tree takes, as the session keeps it.
const nodeWeight = 160

// weightOf is about how many bytes a statement takes with its text.
func weightOf(s ast.Statement, text string) int64 {
	nodes := int64(0)
	_ = ast.Walk(func(ast.SQLNode) (bool, error) {
		nodes++
		return true, nil
	}, s)
	return int64(preparedBytes) + 3*int64(len(text)) + nodeWeight*nodes
}

// markersMax is how many markers a statement can have.
const markersMax = math.MaxUint16

// prepareText prepares the statement in text; the session knows it by preparedKey afterwards.
func prepareText(ctx *sql.Context, e *sqle.Engine, text string) (p prepared, err error) {
	s, shown, _, err := e.Parser.Parse(ctx, text, false)
	if err != nil {
		failed := mysqlerr.Of(ctx, err)
		failed.Message = secrets.HideIn(failed.Message, text)
		return p, failed
	}
	p.text, p.shown, p.markers = text, secrets.HideParsed(text), routine.Markers(text)
	if i, ok := s.(ast.InjectedStatement); ok {
		if _, ok := i.Statement.(parsing.AccountStatement); ok {
			p.shown = shown
		}
	}
	if kind := statements.Kind(s, text); unpreparable[kind] || statements.AboutConditions(statements.ConditionKind(s)) {
		return p, mysqlerr.NotPreparable()
	}
	p.weight = weightOf(s, text)
	if p.markers > markersMax {
		return p, mysql.NewSQLError(1390, "HY000", "Prepared statement contains too many placeholders")
	}
	if w := workOf(ctx); w != nil {
		if err := w.Rights.AuthorizeStatement(ctx, s, text); err != nil {
			return p, err
		}
	}
	back, err := session.InNamed(ctx, s)
	if err != nil {
		return p, err
	}
	defer back()
	p.node, err = e.PrepareParsedQuery(ctx, preparedKey(text), preparedKey(text), s)
	return p, err
}

// prepare answers COM_STMT_PREPARE.
func (h *Handler) prepare(c *mysql.Conn, cl *Client, text string) error {
	var p *mysql.PrepareData
	var fields []*querypb.Field
	err := h.command(context.Background(), c, commandPrepare, text, func(ctx *sql.Context) (err error) {
		p, fields, err = h.prepareStatement(ctx, c, text)
		return err
	})
	if err != nil {
		e, ok := err.(*mysql.SQLError)
		if !ok {
			return err
		}
		return cl.Wire.WriteError(e)
	}
	return cl.Wire.WritePrepared(p, fields)
}

// prepareStatement prepares a statement, and returns its columns.
func (h *Handler) prepareStatement(ctx *sql.Context, c *mysql.Conn, text string) (*mysql.PrepareData, []*querypb.Field, error) {
	cl := ClientOf(c)
	c.StatementID++
	s, err := prepareText(ctx, h.Engine, text)
	if r := &cl.work.Rights; err == nil && r.Columns {
		err = rights.AuthorizeColumns(ctx, h.Engine.Analyzer.Catalog, text)
		r.Columns = false
	}
	if s.shown != "" && s.shown != text {
		cl.work.showText(ctx, s.shown)
		o := &cl.work.Current
		o.event.Identify(cl.work.commands[commandPrepare], o.schema, trimmed(s.shown), cl.work.digestOf(ctx, s.shown))
	}
	if err == nil {
		err = cl.work.Preparations.prepared(cl.thread, c.StatementID, s)
	}
	if err != nil {
		cl.forgetPrepared(text, &cl.work.Preparations)
		return nil, nil, err
	}
	p := &mysql.PrepareData{StatementID: c.StatementID, PrepareStmt: s.shown, ParamsCount: uint16(s.markers)}
	if s.markers > 0 {
		p.ParamsType, p.BindVars = make([]int32, s.markers), make(map[string]*querypb.BindVariable, s.markers)
	}
	c.PrepareData[p.StatementID] = p
	cl.keepPrepared(text, &cl.work.Preparations)
	return p, columnsOf(ctx, s.node), nil
}

// columnsOf are those of the rows of a statement, nil if it has none.
func columnsOf(ctx *sql.Context, n sql.Node) []*querypb.Field {
	switch n := n.(type) {
	case *plan.InsertInto:
		if n.Returning == nil {
			return nil
		}
	case *plan.Update, *plan.UpdateJoin, *plan.DeleteFrom, *plan.Call:
		return nil
	}
	s := gmsplan.SchemaOf(n.Schema(ctx))
	if types.IsOkResultSchema(s) {
		return nil
	}
	fields := results.FieldsOf(ctx, s)
	for _, f := range fields {
		f.Name = strings.ReplaceAll(f.Name, "'?'", "?")
	}
	return fields
}

// preparing is PREPARE.
type preparing struct{ *ast.Prepare }

// Prepared tells package statements what it is.
func (p preparing) Prepared() *ast.Prepare { return p.Prepare }

// WithResolvedChildren implements ast.Injectable: it makes a node of a plan of the statement.
func (p preparing) WithResolvedChildren(ctx context.Context, _ []any) (any, error) {
	sc := ctx.(*sql.Context)
	return nodes.Answer{Kind: "prepare_sql", Columns: types.OkResultSchema, Rows: func(ctx *sql.Context) ([]sql.Row, error) {
		return []sql.Row{sql.NewRow(types.OkResult{Info: plan.PrepareInfo{}})}, p.run(sc)
	}}, nil
}

// run carries out the statement.
func (p preparing) run(ctx *sql.Context) error {
	w := workOf(ctx)
	if w == nil || w.Preparations.conn == nil {
		return mysqlerr.NotPreparable() // by an event
	}
	text := p.Expr
	if variable, ok := strings.CutPrefix(text, "@"); ok {
		kind, v, err := ctx.GetUserVariable(ctx, variable)
		if err != nil {
			return err
		}
		if text = "NULL"; v != nil {
			if text, err = routine.TextOf(ctx, v, kind); err != nil {
				return err
			}
		}
	}
	c := w.Preparations.conn
	c.StatementID++
	s, err := prepareText(ctx, w.Preparations.engine, text)
	ctx.Session.ClearWarnings() // of the statement that is prepared, and not carried out
	if err != nil {
		return err
	}
	if err := w.Preparations.prepare(w.Thread, p.Name, s); err != nil {
		ClientOf(c).forgetPrepared(text, &w.Preparations)
		return err
	}
	tree, _ := ctx.Session.GetPreparedQuery(preparedKey(text))
	ctx.Session.PrepareQuery(strings.ToLower(p.Name), tree)
	ClientOf(c).keepPrepared(text, &w.Preparations)
	return nil
}
