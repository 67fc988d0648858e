package grammar

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/mends"
)

// nullableColumns lets the columns of a new table have NULL where the query may have it. source is
// the query; columns that have another type are not its own.
//
// go-mysql-server: MAX of a column that is NOT NULL is NOT NULL, as is such a column of the right
// side of a LEFT JOIN, so that the rows of the query do not fit into the table. MySQL: they may be
// NULL.
func nullableColumns(ctx *sql.Context, columns sql.Schema, source sql.Node) {
	if !mends.NullableColumns.On() {
		return
	}
	for i, c := range source.Schema(ctx) {
		for _, to := range columns {
			if strings.EqualFold(to.Name, c.Name) && !to.PrimaryKey && !to.Nullable && to.Type.Equals(c.Type) && mayBeNull(ctx, source, i) {
				to.Nullable = true
			}
		}
	}
}

// mayBeNull reports whether column i of the rows of n may be NULL.
func mayBeNull(ctx *sql.Context, n sql.Node, i int) bool {
	switch n := n.(type) {
	case *plan.Project:
		return nullExpression(ctx, n.Projections[i], n.Child)
	case *plan.GroupBy:
		return nullExpression(ctx, n.SelectDeps[i], n.Child)
	case *plan.Window:
		return nullExpression(ctx, n.SelectExprs[i], n.Child)
	case *plan.JoinNode:
		left := len(n.Left().Schema(ctx))
		if i < left {
			return n.Op.IsRightOuter() || n.Op.IsFullOuter() || mayBeNull(ctx, n.Left(), i)
		}
		return n.Op.IsLeftOuter() || n.Op.IsFullOuter() || mayBeNull(ctx, n.Right(), i-left)
	case *plan.SetOp:
		return mayBeNull(ctx, n.Left(), i) || mayBeNull(ctx, n.Right(), i)
	case *plan.SubqueryAlias:
		return mayBeNull(ctx, n.Child, i)
	}
	schema := n.Schema(ctx)
	if all := n.Children(); len(all) == 1 && len(all[0].Schema(ctx)) == len(schema) {
		return mayBeNull(ctx, all[0], i)
	}
	return schema[i].Nullable
}

// nullExpression reports whether an expression over the rows of n may be NULL.
func nullExpression(ctx *sql.Context, e sql.Expression, n sql.Node) bool {
	switch e := e.(type) {
	case *expression.Alias:
		return nullExpression(ctx, e.Child, n)
	case *expression.Literal:
		return e.Value() == nil
	case *expression.GetField:
		for i, c := range n.Schema(ctx) {
			if strings.EqualFold(c.Name, e.Name()) && strings.EqualFold(c.Source, e.Table()) {
				return mayBeNull(ctx, n, i)
			}
		}
		return e.IsNullable(ctx)
	case sql.FunctionExpression:
		switch strings.ToLower(e.FunctionName()) {
		case "count", "countdistinct", "row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "ifnull", "coalesce":
			return e.(sql.Expression).IsNullable(ctx)
		}
	}
	if _, ok := e.(sql.WindowAdaptableExpression); ok || e.IsNullable(ctx) {
		return true
	}
	for _, c := range e.Children() {
		if nullExpression(ctx, c, n) {
			return true
		}
	}
	return false
}
