package planning

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// refuseOuterAggregates returns error 1235 if a subquery in n has an aggregate of columns of a query around it alone.
//
// go-mysql-server: aggregates the rows of the subquery. MySQL: aggregates those of the query that the columns belong to.
func refuseOuterAggregates(ctx *sql.Context, n sql.Node) (err error) {
	transform.InspectExpressionsWithNode(ctx, n, func(ctx *sql.Context, _ sql.Node, e sql.Expression) bool {
		if q, ok := e.(*plan.Subquery); ok && err == nil {
			err = refuseOuterAggregatesOf(ctx, q)
		}
		return err == nil
	})
	return err
}

func refuseOuterAggregatesOf(ctx *sql.Context, q *plan.Subquery) (err error) {
	outside := q.Correlated()
	transform.InspectWithOpaque(ctx, q.Query, func(ctx *sql.Context, n sql.Node) bool {
		if g, ok := n.(*plan.GroupBy); ok && err == nil && !outside.Empty() {
			for _, e := range g.SelectDeps {
				if a, ok := e.(sql.Aggregation); ok && onlyOutside(ctx, a, outside) {
					err = sql.ErrUnsupportedFeature.New("an aggregate of columns of an outer query in a subquery")
				}
			}
		}
		return err == nil
	})
	if err == nil {
		err = refuseOuterAggregates(ctx, q.Query)
	}
	return err
}

// onlyOutside tells whether e has columns, all of which are among those outside.
func onlyOutside(ctx *sql.Context, e sql.Expression, outside sql.ColSet) bool {
	columns, own := 0, 0
	sql.Inspect(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
		if f, ok := e.(*expression.GetField); ok {
			if columns++; !outside.Contains(f.Id()) {
				own++
			}
		}
		return true
	})
	return columns > 0 && own == 0
}
