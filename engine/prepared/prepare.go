package prepared

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

// go-mysql-server and vitess parse what is to be prepared themselves, without the server's parser. So the connection answers
// COM_STMT_PREPARE, and PREPARE is a statement that the server carries out itself.

// unpreparable are the kinds of statements that MySQL does not prepare.
var unpreparable = map[string]bool{
	"prepare_sql": true, "execute_sql": true, "dealloc_sql": true, "begin": true, "savepoint": true, "release_savepoint": true,
	"lock_tables": true, "unlock_tables": true, "change_db": true, "load": true, "signal": true, "resignal": true, "get_diagnostics": true,
	"create_procedure": true, "alter_procedure": true, "drop_procedure": true, "create_function": true, "drop_function": true,
	"create_trigger": true, "drop_trigger": true, "create_event": true, "alter_event": true, "drop_event": true, "alter_db": true,
	"ha_open": true, "ha_read": true, "ha_close": true, "show_warnings": true, "show_errors": true, "help": true,
}

// Parsed is a statement that is being prepared: it has been parsed and planned.
type Parsed struct {
	Node    sql.Node
	Text    string
	Shown   string // the text, as it is to be seen
	Markers int
	limits  []string // the markers that are a LIMIT or OFFSET
	weight  int64    // about how many bytes it takes while it is prepared
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
	return int64(statementBytes) + 3*int64(len(text)) + nodeWeight*nodes
}

// markersMax is how many markers a statement can have.
const markersMax = math.MaxUint16

// Parse prepares the statement in text; the session has its syntax tree afterwards.
func Parse(ctx *sql.Context, e *sqle.Engine, text string) (p Parsed, err error) {
	s, shown, _, err := e.Parser.Parse(ctx, text, false)
	if err != nil {
		failed := mysqlerr.Of(ctx, err)
		failed.Message = secrets.HideIn(failed.Message, text)
		return p, failed
	}
	p.Text, p.Shown, p.Markers = text, secrets.HideParsed(text), routine.Markers(text)
	if i, ok := s.(ast.InjectedStatement); ok {
		if _, ok := i.Statement.(parsing.AccountStatement); ok {
			p.Shown = shown
		}
	}
	if kind := statements.Kind(s, text); unpreparable[kind] || statements.AboutConditions(statements.ConditionKind(s)) {
		return p, mysqlerr.NotPreparable()
	}
	p.weight, p.limits = weightOf(s, text), routine.LimitMarkers(s)
	if p.Markers > markersMax {
		return p, mysql.NewSQLError(1390, "HY000", "Prepared statement contains too many placeholders")
	}
	r := rights.Of(ctx)
	if r != nil {
		defer r.ReturnTo(r.LeaveStatement()) // of PREPARE
		r.BeginStatement(s)
		if err := r.AuthorizeStatement(ctx, s, text); err != nil {
			return p, err
		}
	}
	back, err := session.InNamed(ctx, s)
	if err != nil {
		return p, err
	}
	defer back()
	p.Node, err = e.PrepareParsedQuery(ctx, key(text), key(text), s)
	if err == nil && r != nil {
		err = r.AuthorizeColumns(ctx, p.Node)
	}
	return p, err
}

// Columns are what the client is told of the columns of a statement, nil if it has none.
func (p *Parsed) Columns(ctx *sql.Context) []*querypb.Field {
	switch n := p.Node.(type) {
	case *plan.InsertInto:
		if n.Returning == nil {
			return nil
		}
	case *plan.Update, *plan.UpdateJoin, *plan.DeleteFrom, *plan.Call:
		return nil
	}
	s := gmsplan.SchemaOf(p.Node.Schema(ctx))
	if types.IsOkResultSchema(s) {
		return nil
	}
	fields := results.FieldsOf(ctx, s)
	for _, f := range fields {
		f.Name = strings.ReplaceAll(f.Name, "'?'", "?")
	}
	return fields
}

// prepare is PREPARE.
type prepare struct{ *ast.Prepare }

// Prepared implements statements.Prepare.
func (p prepare) Prepared() *ast.Prepare { return p.Prepare }

// WithResolvedChildren implements ast.Injectable: it makes a node of a plan of the statement.
func (p prepare) WithResolvedChildren(ctx context.Context, _ []any) (any, error) {
	sc := ctx.(*sql.Context)
	return nodes.Answer{Kind: "prepare_sql", Columns: types.OkResultSchema, Rows: func(ctx *sql.Context) ([]sql.Row, error) {
		return []sql.Row{sql.NewRow(types.OkResult{Info: plan.PrepareInfo{}})}, p.run(sc)
	}}, nil
}

// Session is the session of a statement, which has prepared statements. The ProcessList of the statement's context implements it.
type Session interface {
	// Prepared are the session's prepared statements, nil if it cannot have any.
	Prepared() *Statements
}

// run carries out the statement.
func (p prepare) run(ctx *sql.Context) error {
	var all *Statements
	if s, ok := ctx.ProcessList.(Session); ok {
		all = s.Prepared()
	}
	if all == nil || all.conn == nil {
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
	all.conn.StatementID++
	s, err := Parse(ctx, all.engine, text)
	ctx.Session.ClearWarnings() // of the statement that is prepared, and not carried out
	if err != nil {
		return err
	}
	if err := all.keepNamed(p.Name, s); err != nil {
		all.ForgetTree(ctx.Session, text)
		return err
	}
	ctx.Session.PrepareQuery(strings.ToLower(p.Name), Tree(ctx, text))
	all.KeepTree(ctx.Session, text)
	return nil
}
