package parsing

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/explain/gmsplan"
	"pfsd/engine/grammar"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/nodes"
	"pfsd/engine/syntax"
)

// EXPLAIN is parsed and planned by the SQL engine, as an *ast.Explain and a *plan.DescribeQuery; the
// format is in what that knows of it. The builder then shows the plan as MySQL does.
//
// go-mysql-server: a row without a plan, or a plan in words of its own; no JSON, no other
// connection's.
// MySQL: has them.

// Formats of EXPLAIN, by the names that the SQL engine has for something else.
var explainFormats = map[string]string{"TRADITIONAL": "", "TREE": "tree", "JSON": "tree_debug"}

// errExplainFormat is for a format that there is not.
func errExplainFormat(name string) error {
	return mysql.NewSQLError(1791, "HY000", "Unknown EXPLAIN format name: '%s'", name)
}

// explain puts the format that a statement asks for, or else the session, into an EXPLAIN.
func (p Parser) explain(ctx *sql.Context, e *ast.Explain, format string) error {
	name := strings.ToUpper(format)
	if name == "" && e.Analyze {
		name = "TREE"
	}
	if name == "" {
		name = "TRADITIONAL"
		if v, err := ctx.GetSessionVariable(ctx, "explain_format"); err == nil {
			if s, ok := v.(string); ok {
				name = strings.ToUpper(s)
			}
		}
	}
	if name == "DEFAULT" {
		name = "TRADITIONAL"
	}
	known, ok := explainFormats[name]
	switch {
	case !ok:
		return errExplainFormat(format)
	case e.Analyze && name != "TREE":
		return mysql.NewSQLError(1235, "42000", "This version of MySQL doesn't yet support 'EXPLAIN ANALYZE with %s format'", name)
	case e.Plan:
		return mysqlerr.Syntax(" near 'PLAN'")
	}
	e.ExplainFormat = known
	return nil
}

// explained makes a statement of an EXPLAIN that the SQL engine could not parse.
func (p Parser) explained(ctx *sql.Context, u *grammar.Statement) (ast.Statement, error) {
	x := u.Explain
	e := &ast.Explain{Analyze: x.Analyze}
	if x.Other {
		if err := p.explain(ctx, e, x.Format); err != nil {
			return nil, err
		}
		x.Format = e.ExplainFormat
		return p.injected(u), nil
	}
	inner, _, _, err := p.Parse(ctx, x.Text, false)
	if err != nil {
		return nil, err
	}
	if !Explainable(inner) {
		return nil, mysqlerr.Syntax(" near '" + syntax.FirstWord(x.Text) + "'")
	}
	e.Statement = inner
	if err := p.explain(ctx, e, x.Format); err != nil {
		return nil, err
	}
	if x.Into == "" && x.Schema == "" {
		return e, nil
	}
	if x.Into != "" && e.ExplainFormat != explainFormats["JSON"] {
		return nil, mysql.NewSQLError(1235, "42000", "This version of MySQL doesn't yet support 'EXPLAIN INTO with another format than JSON'")
	}
	x.Statement, x.Format = e, e.ExplainFormat
	u.Kind = "explain_in"
	return p.injected(u), nil
}

// explainIn makes n the answer to an EXPLAIN that is in another database, or goes into a variable.
func (u Unparsed) explainIn(n *nodes.Answer) {
	x := u.Explain
	n.Columns = gmsplan.Schema(x.Format)
	if x.Into != "" {
		n.Columns = types.OkResultSchema
	}
	n.Rows = func(ctx *sql.Context) (all []sql.Row, err error) {
		if x.Schema != "" {
			if !access.Visible(ctx, x.Schema, "") {
				return nil, access.ErrSchemaDenied(ctx, x.Schema)
			}
			if _, err := u.provider.Database(ctx, x.Schema); err != nil {
				return nil, mysqlerr.UnknownDatabase(x.Schema)
			}
			db := ctx.GetCurrentDatabase()
			ctx.SetCurrentDatabase(x.Schema)
			defer ctx.SetCurrentDatabase(db)
		}
		s, ok := ctx.ProcessList.(Session)
		if !ok {
			return nil, errNoSession
		}
		rows, err := s.Run(ctx, x.Statement)
		if err != nil {
			return nil, err
		}
		if all, err = sql.RowIterToRows(ctx, rows); err != nil {
			return nil, err
		}
		if x.Into == "" {
			return all, nil
		}
		if len(all) == 1 {
			err = s.SetUser(ctx, x.Into, all[0][0], types.LongText)
		}
		return []sql.Row{sql.NewRow(types.NewOkResult(0))}, err
	}
}

// explainOther makes n the answer to EXPLAIN FOR CONNECTION.
func (u Unparsed) explainOther(n *nodes.Answer) {
	x := u.Explain
	n.Columns = gmsplan.Schema(x.Format)
	n.Rows = func(ctx *sql.Context) ([]sql.Row, error) {
		s, ok := ctx.ProcessList.(Session)
		if !ok {
			return nil, errNoSession
		}
		q, err := s.PlanOf(ctx, x.Connection)
		if err != nil {
			return nil, err
		}
		return gmsplan.Rows(q, sql.DescribeOptions{Plan: x.Format != "", Debug: x.Format == explainFormats["JSON"]}), nil
	}
}

// Explainable tells whether a statement has a plan to show.
func Explainable(s ast.Statement) bool {
	switch s.(type) {
	case ast.SelectStatement, *ast.Insert, *ast.Update, *ast.Delete:
		return true
	}
	return false
}
