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

// go-mysql-server parses and plans EXPLAIN, as an *ast.Explain and a *plan.DescribeQuery. The name
// of one of go-mysql-server's formats stands in these for MySQL's format. The builder then shows
// the plan as MySQL does.
//
// go-mysql-server: shows a row without a plan, or a plan in words of its own. It has no JSON, and
// cannot explain the statement of another connection. MySQL: has the formats TRADITIONAL, TREE and
// JSON, also for another connection.

// explainFormats has the names of go-mysql-server's formats that stand for MySQL's. The keys are
// the names of MySQL's formats.
var explainFormats = map[string]string{"TRADITIONAL": "", "TREE": "tree", "JSON": "tree_debug"}

// errExplainFormat returns the error for a format that does not exist.
func errExplainFormat(name string) error {
	return mysql.NewSQLError(1791, "HY000", "Unknown EXPLAIN format name: '%s'", name)
}

// setExplainFormat sets the format of e. format is the name that the statement has; if it is "",
// the session's explain_format applies. It returns an error if the format does not exist or does
// not fit.
func (p Parser) setExplainFormat(ctx *sql.Context, e *ast.Explain, format string) error {
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

// explainStatement returns a statement for u, an EXPLAIN that vitess cannot parse.
func (p Parser) explainStatement(ctx *sql.Context, u *grammar.Statement) (ast.Statement, error) {
	x := u.Explain
	e := &ast.Explain{Analyze: x.Analyze}
	if x.Other {
		if err := p.setExplainFormat(ctx, e, x.Format); err != nil {
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
	if err := p.setExplainFormat(ctx, e, x.Format); err != nil {
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

// explainIn makes n the node of an EXPLAIN with FOR SCHEMA or INTO.
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

// explainOther makes n the node of EXPLAIN FOR CONNECTION.
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

// Explainable reports whether EXPLAIN can show a plan of s.
func Explainable(s ast.Statement) bool {
	switch s.(type) {
	case ast.SelectStatement, *ast.Insert, *ast.Update, *ast.Delete:
		return true
	}
	return false
}
