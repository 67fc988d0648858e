package charge

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/budget"
)

// Subqueries has the subqueries in the expressions of a plan carried out by a builder that knows which of them it is that is
// carried out. The SQL engine tells its own builder nothing of that, and keeps the rows of a subquery for as long as the
// statement runs if they do not depend on the row outside.
func Subqueries(ctx *sql.Context, n sql.Node, base sql.NodeExecBuilder) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeExprs(ctx, n, func(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		s, ok := e.(*plan.Subquery)
		if !ok {
			return e, transform.SameTree, nil
		}
		return s.WithExecBuilder(&subquery{base}), transform.NewTree, nil
	})
}

// entryOfSubquery is about what the row of a subquery takes besides, bytes: its place in two lists, and its hash.
const entryOfSubquery = 80

// subquery builds one subquery of a plan. Safe for concurrent use.
type subquery struct{ base sql.NodeExecBuilder }

// Build implements sql.NodeExecBuilder. What the subquery has kept the last time is given back: its rows,
// unless they are kept, in which case it is not built again.
func (s *subquery) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	account, m := Of(ctx)
	if account == nil {
		return s.base.Build(ctx, n, row)
	}
	scope := account.Scope(s)
	scope.Release()
	before := scope.Enter()
	defer scope.Leave(before)
	rows, err := s.base.Build(ctx, n, row)
	if err != nil {
		return nil, err
	}
	return &subqueryRows{metered{RowIter: rows, hold: account.NewHold(m.Kept), extra: entryOfSubquery, lasting: true}, scope}, nil
}

// subqueryRows is an iterator, owned by one goroutine.
type subqueryRows struct {
	metered
	scope *budget.Scope
}

// Next implements sql.RowIter.
func (r *subqueryRows) Next(ctx *sql.Context) (sql.Row, error) {
	before := r.scope.Enter()
	row, err := r.metered.Next(ctx)
	r.scope.Leave(before)
	return row, err
}

// Close implements sql.RowIter.
func (r *subqueryRows) Close(ctx *sql.Context) error {
	before := r.scope.Enter()
	defer r.scope.Leave(before)
	return r.metered.Close(ctx)
}
