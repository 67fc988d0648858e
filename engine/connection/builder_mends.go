package connection

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/charge"
	"pfsd/engine/executor"
	"pfsd/engine/grammar"
	"pfsd/engine/mends"
	"pfsd/engine/nodes"
	"pfsd/engine/writes"
)

// buildMends registers nodes whose rows go-mysql-server makes in another way than MySQL; it has one entry for each.
func (b *Builder) buildMends() {
	nodes.On(&b.builds, func(ctx *sql.Context, n *plan.SubqueryAlias, row sql.Row) (sql.RowIter, error) {
		return executor.NewDerived(ctx, n, row, b.Base)
	})
	nodes.On(&b.builds, func(ctx *sql.Context, n *plan.Window, row sql.Row) (sql.RowIter, error) {
		if !mends.WindowRows.On() {
			return nil, nil
		}
		child, err := b.Base.Build(ctx, n.Child, row)
		if err != nil {
			return nil, err
		}
		return executor.NewWindow(ctx, n, workOf(ctx).pace(child)), nil
	})
	nodes.On(&b.builds, func(ctx *sql.Context, n *plan.TableCopier, row sql.Row) (sql.RowIter, error) {
		create, ok := n.Destination.(*plan.CreateTable)
		if !ok || !mends.CreatedFromQuery.On() {
			return nil, nil
		}
		build := func() (sql.RowIter, error) {
			rows, err := grammar.CreateSelect(ctx, b.Analyzer, n, create, row, b.Base.Build)
			if err != nil {
				return nil, err
			}
			return writes.Selected(ctx, rows)
		}
		if create.Temporary() {
			return build()
		}
		return whole(ctx, build)
	})
	nodes.On(&b.builds, func(ctx *sql.Context, n *grammar.Planned, row sql.Row) (sql.RowIter, error) {
		return b.Base.Build(ctx, n.Node, row)
	})
	nodes.On(&b.builds, func(ctx *sql.Context, n *plan.RecursiveCte, row sql.Row) (sql.RowIter, error) {
		if !mends.RecursionDepth.On() {
			return nil, nil
		}
		return executor.NewRecursion(ctx, n, row, b.Base.Build)
	})
	nodes.On(&b.builds, b.setOp)
	nodes.On(&b.builds, func(ctx *sql.Context, n *plan.Distinct, row sql.Row) (sql.RowIter, error) {
		if !mends.DistinctRows.On() {
			return nil, nil
		}
		child, err := b.Base.Build(ctx, n.Child, row)
		if err != nil {
			return nil, err
		}
		return executor.NewDistinct(ctx, n, workOf(ctx).pace(child)), nil
	})
	nodes.On(&b.builds, func(ctx *sql.Context, n *plan.HashLookup, row sql.Row) (sql.RowIter, error) {
		if executor.HashesSubquery(ctx, n) || !executor.KeyHashes(ctx, n) {
			return b.Base.Build(ctx, n.Child, row)
		}
		return nil, nil
	})
	nodes.On(&b.builds, func(ctx *sql.Context, n *plan.Values, row sql.Row) (sql.RowIter, error) {
		if v := charge.Values(ctx, n); v != n {
			return b.Base.Build(ctx, v, row)
		}
		return nil, nil
	})
	nodes.On(&b.builds, func(ctx *sql.Context, n *plan.JoinNode, row sql.Row) (sql.RowIter, error) {
		if j := executor.Unordered(ctx, n); j != nil {
			return b.Base.Build(ctx, j, row)
		}
		if j := executor.WithCondition(n); j != nil {
			return b.Base.Build(ctx, j, row)
		}
		return b.buildMended(ctx, n, row)
	})
	nodes.On(&b.builds, func(ctx *sql.Context, n *plan.ValueDerivedTable, row sql.Row) (sql.RowIter, error) {
		if !mends.RowValues.On() {
			return nil, nil
		}
		return executor.ValueTable(ctx, n, row)
	})
	onWork(b, func(ctx *sql.Context, _ *Work, n *plan.JSONTable, row sql.Row) (sql.RowIter, error) {
		if !mends.JSONTables.On() {
			return nil, nil
		}
		return executor.NewJSONTable(ctx, executor.JSONTable(n), row)
	})
}

func (b *Builder) setOp(ctx *sql.Context, n *plan.SetOp, row sql.Row) (sql.RowIter, error) {
	if sorted := executor.SortSetOp(ctx, n); sorted != nil {
		return b.Base.Build(ctx, sorted, row)
	}
	if !mends.SetRows.On() || n.SetOpType == plan.UnionType && !n.Distinct && !executor.TextsInDecimals(ctx, n) {
		return nil, nil
	}
	left, err := b.Base.Build(ctx, n.Left(), row)
	if err != nil {
		return nil, err
	}
	left = workOf(ctx).pace(left)
	return executor.NewSetOp(ctx, n, left, func() (sql.RowIter, error) { return b.Base.Build(ctx, n.Right(), row) }), nil
}
