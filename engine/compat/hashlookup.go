package compat

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// HashesSubquery tells whether n, the inner side of a join, is looked up by the value of a
// subquery.
//
// go-mysql-server: works a subquery that is compared with a column of one side of the join
// out on the rows of the other, even if it refers to the first: wrong rows, or an error.
// MySQL: works it out on rows of the join. Without the lookup the join does so, too, for it
// tests its whole condition on each pair of rows.
func HashesSubquery(ctx *sql.Context, n *plan.HashLookup) bool {
	for _, key := range n.Expressions() {
		if transform.InspectExpr(ctx, key, func(_ *sql.Context, e sql.Expression) bool {
			_, ok := e.(*plan.Subquery)
			return ok
		}) {
			return true
		}
	}
	return false
}
