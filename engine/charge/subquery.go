package charge

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/budget"
)

// Subqueries gives each subquery in the expressions of a plan a builder of its own, so that its memory has a scope of its own.
// go-mysql-server's own builder does not know which subquery it builds, and go-mysql-server keeps the rows of an uncorrelated
// subquery until the statement ends.
func Subqueries(ctx *sql.Context, n sql.Node, base sql.NodeExecBuilder) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeExprs(ctx, n, func(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		s, ok := e.(*plan.Subquery)
		if !ok {
			return e, transform.SameTree, nil
		}
		return s.WithExecBuilder(&subquery{base}), transform.NewTree, nil
	})
}

// entryOfSubquery is about what the row of a subquery takes in addition, bytes: its place in two lists, and its hash.
const entryOfSubquery = 80

// subquery builds one subquery of a plan. Safe for concurrent use.
type subquery struct{ base sql.NodeExecBuilder }

// Build implements sql.NodeExecBuilder. It frees the memory of the subquery's last run: a subquery whose rows
// are kept is not built again.
func (s *subquery) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	account, m := accountOf(ctx)
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
	return &subqueryRows{chargedRows{RowIter: rows, hold: account.NewHold(m.Cached), extra: entryOfSubquery, lasting: true}, scope}, nil
}

// subqueryRows is an iterator, owned by one goroutine.
type subqueryRows struct {
	chargedRows
	scope *budget.Scope
}

// Next implements sql.RowIter.
func (r *subqueryRows) Next(ctx *sql.Context) (sql.Row, error) {
	before := r.scope.Enter()
	row, err := r.chargedRows.Next(ctx)
	r.scope.Leave(before)
	return row, err
}

// Close implements sql.RowIter.
func (r *subqueryRows) Close(ctx *sql.Context) error {
	before := r.scope.Enter()
	defer r.scope.Leave(before)
	return r.chargedRows.Close(ctx)
}
