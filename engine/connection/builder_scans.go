package connection

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/iters"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/charge"
	"pfsd/engine/executor"
	"pfsd/engine/mends"
	"pfsd/engine/nodes"
	"pfsd/engine/sqlexpr"
	"pfsd/engine/tableuse"
	"pfsd/engine/vtable"
)

// buildScans registers scans of tables of performance_schema, and nodes that can be part of a scan.
func (b *Builder) buildScans() {
	nodes.On(&b.builds, b.groupBy)
	nodes.On(&b.builds, b.project)
	nodes.On(&b.builds, b.lookUp)
	nodes.On(&b.builds, func(ctx *sql.Context, n *plan.ResolvedTable, row sql.Row) (sql.RowIter, error) {
		if s := b.scanOf(ctx, n, row); s != nil {
			return s, nil
		}
		return nil, nil
	})
	nodes.On(&b.builds, func(ctx *sql.Context, n *plan.TableAlias, row sql.Row) (sql.RowIter, error) {
		if measured(ctx) {
			return nil, nil
		}
		if s := b.scanOf(ctx, n, row); s != nil {
			return s, nil
		}
		return nil, nil
	})
	nodes.On(&b.builds, func(ctx *sql.Context, n *plan.Filter, row sql.Row) (sql.RowIter, error) {
		mended, _, err := sqlexpr.MendExpressions(ctx, n)
		if err != nil {
			return nil, err
		}
		return b.filter(ctx, b.Info.Narrow(ctx, mended.(*plan.Filter)), row)
	})
	onWork(b, b.sort)
	onWork(b, b.top)
}

func (b *Builder) groupBy(ctx *sql.Context, n *plan.GroupBy, row sql.Row) (sql.RowIter, error) {
	if s := b.scanOf(ctx, n.Child, row); s != nil && !measured(ctx) {
		if a := vtable.NewAggregate(ctx, n, s); a != nil {
			return a, nil
		}
	}
	if !mends.GroupRows.On() {
		return nil, nil
	}
	child, err := b.Base.Build(ctx, n.Child, row)
	if err != nil {
		return nil, err
	}
	return executor.NewGroupBy(ctx, n, workOf(ctx).pace(child)), nil
}

func (b *Builder) project(ctx *sql.Context, n *plan.Project, row sql.Row) (sql.RowIter, error) {
	if s := b.scanOf(ctx, n, row); s != nil && !measured(ctx) {
		return s, nil
	}
	if p := charge.Columns(ctx, n); p != n {
		return b.Base.Build(ctx, p, row)
	}
	if len(row) == 0 && !measured(ctx) && yieldsItsChild(ctx, n) {
		return b.Base.Build(ctx, n.Child, row)
	}
	return b.buildMended(ctx, n, row)
}

// yieldsItsChild tells whether the rows of n are those of its child, which reads a table, as they are.
func yieldsItsChild(ctx *sql.Context, n *plan.Project) bool {
	child := n.Child
	if f, ok := child.(*plan.Filter); ok {
		child = f.Child
	}
	if a, ok := child.(*plan.TableAlias); ok {
		child = a.Child
	}
	switch child.(type) {
	case *plan.IndexedTableAccess, *plan.ResolvedTable, *plan.Distinct:
	default:
		return false
	}
	if n.IncludesNestedIters || len(n.Projections) != len(child.Schema(ctx)) {
		return false
	}
	for i, e := range n.Projections {
		if a, ok := e.(*expression.Alias); ok {
			e = a.Child
		}
		if f, ok := e.(*expression.GetField); !ok || f.Index() != i {
			return false
		}
	}
	return true
}

func (b *Builder) lookUp(ctx *sql.Context, n *plan.IndexedTableAccess, row sql.Row) (sql.RowIter, error) {
	if t, ok := sql.GetUnderlyingTable(n.Table).(*vtable.Table); ok && len(n.Expressions()) > 0 {
		return vtable.LookUp(ctx, t, n, tableuse.RequestsOf(ctx, n), row)
	}
	if s := b.scanOf(ctx, n, row); s != nil {
		return s, nil
	}
	return nil, nil
}

func (b *Builder) sort(ctx *sql.Context, w *Work, n *plan.Sort, row sql.Row) (sql.RowIter, error) {
	if s := b.scanOf(ctx, n, row); s != nil && w.analysis == nil {
		return s, nil
	}
	child, err := b.Base.Build(ctx, n.Child, row)
	if err != nil {
		return nil, err
	}
	sorted := executor.NewSort(ctx, executor.SortFields(ctx, n.SortFields), &counting{w.pace(child), &w.Current.Sorted})
	return w.Current.stage.Sorting(sorted, &w.Current.Examined), nil
}

func (b *Builder) top(ctx *sql.Context, w *Work, n *plan.TopN, row sql.Row) (sql.RowIter, error) {
	if s := b.scanOf(ctx, n, row); s != nil && w.analysis == nil {
		return s, nil
	}
	limit, err := iters.GetInt64Value(ctx, n.Limit)
	if err != nil {
		return nil, err
	}
	child, err := b.Base.Build(ctx, n.Child, row)
	if err != nil {
		return nil, err
	}
	fields := executor.SortFields(ctx, n.Fields)
	top := executor.NewTop(ctx, n, fields, limit, w.pace(child))
	return &counting{w.Current.stage.Sorting(top, &w.Current.Examined), &w.Current.Sorted}, nil
}
