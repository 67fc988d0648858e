package compat

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/mysql"
)

// JoinOrder is a rule of the analyzer that chooses how to join, in place of the rule optimize, which does it.
//
// go-mysql-server: tries all orders of up to 15 tables, 3 to the power of their number, whoever wants the statement to
// end: 12 tables take seconds and 750 MB, 14 half a minute. Those of more tables keep the order that they are written in.
// MySQL: plans 61 tables at once. Here joins of more than fewTables keep their order too: while they are planned they
// have so many tables more, of one row without columns, that there are too many to try.
//
// It panics if there are more than 64, as the subqueries of IN and EXISTS that have become joins are tables too: as many as
// MySQL has in a join are planned.
func JoinOrder(optimize analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if !joinOrders.On() {
			return optimize(ctx, a, n, scope, sel, flags)
		}
		n, filled, err := fillJoins(ctx, n)
		if err != nil {
			return n, transform.SameTree, err
		}
		planned, same, err := optimize(ctx, a, n, scope, sel, flags)
		if filled == transform.SameTree || err != nil {
			return planned, same, err
		}
		planned, _, err = emptyJoins(ctx, planned)
		return planned, transform.NewTree, err
	}
}

// fewTables is how many tables are tried in all orders; manyTables is how many never are.
// mostTables is how many a join has at most, as in MySQL.
const fewTables, manyTables, mostTables = 7, 16, 61

// fillJoins adds tables to the joins that have more than few of them.
func fillJoins(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	if _, ok := n.(sql.OpaqueNode); ok {
		return n, transform.SameTree, nil
	}
	if j, ok := n.(*plan.JoinNode); ok {
		tables := joinedTables(j)
		if tables > mostTables {
			return n, transform.SameTree, mysql.NewSQLError(1116, "HY000", "Too many tables; MySQL can only use %d tables in a join", mostTables)
		}
		if tables <= fewTables || tables >= manyTables {
			return n, transform.SameTree, nil
		}
		filled := sql.Node(j)
		for i := tables; i < manyTables; i++ {
			id := sql.TableId(1<<15 + i)
			filled = plan.NewCrossJoin(filled, plan.NewResolvedTable(noColumns{}, sql.UnresolvedDatabase(""), nil).WithId(id))
		}
		return filled, transform.NewTree, nil
	}
	children := n.Children()
	var changed []sql.Node
	for i, child := range children {
		filled, same, err := fillJoins(ctx, child)
		if err != nil {
			return n, transform.SameTree, err
		}
		if same == transform.NewTree {
			if changed == nil {
				changed = append(changed, children...)
			}
			changed[i] = filled
		}
	}
	if changed == nil {
		return n, transform.SameTree, nil
	}
	filled, err := n.WithChildren(ctx, changed...)
	return filled, transform.NewTree, err
}

// joinedTables is how many tables the rule puts into an order, which join.
func joinedTables(n sql.Node) int {
	switch n := n.(type) {
	case *plan.JoinNode:
		return joinedTables(n.Left()) + joinedTables(n.Right())
	case *plan.Filter, *plan.Having, *plan.Limit, *plan.Project, *plan.Sort, *plan.Distinct, *plan.Max1Row, *plan.CachedResults:
		return joinedTables(n.Children()[0])
	}
	return 1
}

// emptyJoins takes out what fillJoins has added.
func emptyJoins(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	return transform.Node(ctx, n, func(_ *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		if j, ok := n.(*plan.JoinNode); ok {
			switch {
			case isNoColumns(j.Right()):
				return j.Left(), transform.NewTree, nil
			case isNoColumns(j.Left()):
				return j.Right(), transform.NewTree, nil
			}
		}
		return n, transform.SameTree, nil
	})
}

// isNoColumns tells whether n has the rows of one of the tables that fillJoins adds.
func isNoColumns(n sql.Node) bool {
	switch n := n.(type) {
	case *plan.ResolvedTable:
		_, ok := n.Table.(noColumns)
		return ok
	case *plan.CachedResults, *plan.HashLookup:
		return isNoColumns(n.Children()[0])
	}
	return false
}

// noColumns is a table of one row without columns. Safe for concurrent use.
type noColumns struct{}

var _ sql.StatisticsTable = noColumns{}

// Name implements sql.Table.
func (noColumns) Name() string { return "" }

// String implements sql.Table.
func (noColumns) String() string { return "" }

// Schema implements sql.Table.
func (noColumns) Schema(*sql.Context) sql.Schema { return nil }

// Collation implements sql.Table.
func (noColumns) Collation() sql.CollationID { return sql.Collation_Default }

// DataLength implements sql.StatisticsTable.
func (noColumns) DataLength(*sql.Context) (uint64, error) { return 0, nil }

// RowCount implements sql.StatisticsTable.
func (noColumns) RowCount(*sql.Context) (uint64, bool, error) { return 1, true, nil }

// Partitions implements sql.Table.
func (noColumns) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return sql.PartitionsToPartitionIter(), nil
}

// PartitionRows implements sql.Table. It is not called: the table is not there when a plan is carried out.
func (noColumns) PartitionRows(*sql.Context, sql.Partition) (sql.RowIter, error) {
	return nil, io.ErrUnexpectedEOF
}
