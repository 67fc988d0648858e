package connection

import (
	"math"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/explain"
	"pfsd/engine/explain/gmsplan"
	"pfsd/engine/mends"
	"pfsd/engine/parsing"
)

// explain builds EXPLAIN.
func (b *Builder) explain(ctx *sql.Context, n *plan.DescribeQuery) (sql.RowIter, error) {
	if !mends.ExplainedPlans.On() {
		return nil, nil
	}
	var q *explain.Query
	if w := workOf(ctx); n.Format.Analyze && w != nil {
		a := gmsplan.NewAnalysis()
		w.analysis = a
		err := a.Run(ctx, b.Base, n.Child)
		w.analysis = nil
		if err != nil {
			return nil, err
		}
		q = a.Query(ctx, n.Child)
	} else {
		q = gmsplan.Query(ctx, n.Child)
	}
	if !n.Format.Analyze && (!n.Format.Plan || n.Format.Debug) {
		if w := workOf(ctx); w != nil && w.Current.tree != nil {
			ctx.Session.Warn(&sql.Warning{Level: "Note", Code: 1003, Message: rewritten(w.Current.tree)})
		}
	}
	return sql.RowsToRowIter(gmsplan.Rows(q, n.Format)...), nil
}

// rewritten returns a statement as it stands in note 1003, which EXPLAIN raises.
func rewritten(s ast.Statement) string {
	if e, ok := s.(*ast.Explain); ok {
		s = e.Statement
	}
	return "/* select#1 */ " + ast.String(s)
}

// runningPlan is the plan that a connection is carrying out, set by the connection and read by others.
type runningPlan struct {
	mu   sync.Mutex
	plan sql.Node      // guarded by mu; nil for none
	tree ast.Statement // guarded by mu
}

func (r *runningPlan) set(n sql.Node, tree ast.Statement) {
	r.mu.Lock()
	r.plan, r.tree = n, tree
	r.mu.Unlock()
}

// PlanOf implements parsing.Session.
func (p *processes) PlanOf(ctx *sql.Context, id uint64) (*explain.Query, error) {
	if id > math.MaxUint32 {
		return nil, errUnknownThread(id)
	}
	user, ok := p.Owner(uint32(id))
	if !ok {
		return nil, errUnknownThread(id)
	}
	if own, only := p.work.Rights.OnlyUser(); only && user != own {
		c := ctx.Session.Client()
		return nil, mysql.NewSQLError(1045, "28000", "Access denied for user '%s'@'%s'", c.User, c.Address)
	}
	w, _ := p.List.Work(uint32(id)).(*Work)
	if w == nil || w == p.work {
		return nil, errNotExplainable
	}
	w.running.mu.Lock()
	defer w.running.mu.Unlock()
	if w.running.plan == nil || !parsing.Explainable(w.running.tree) {
		return nil, errNotExplainable
	}
	return gmsplan.Query(ctx, w.running.plan), nil
}

func errUnknownThread(id uint64) error {
	return mysql.NewSQLError(1094, "HY000", "Unknown thread id: %d", id)
}

var errNotExplainable = mysql.NewSQLError(3012, "HY000", "EXPLAIN FOR CONNECTION command is supported only for SELECT/UPDATE/INSERT/DELETE/REPLACE")
