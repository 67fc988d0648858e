package planning

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/mends"
)

// JoinOrder returns the rule that chooses the order of joins. optimize is go-mysql-server's rule.
//
// go-mysql-server: tries all orders of up to 15 tables, even if the statement is killed. n tables
// take 3 to the power of n steps: 12 tables take seconds and 750 MB, 14 tables take half a minute.
// More than 15 tables keep the order of the statement. More than 64 make it panic; this number
// includes subqueries of IN and EXISTS that have become joins. MySQL: plans 61 tables immediately.
//
// With this rule, joins of more than fewTables keep the order of the statement too. The rule adds
// tables of one row without columns to such a join, until the join has so many that go-mysql-server
// does not try their orders. Later it removes them from the plan. More than 61 tables are an error,
// as in MySQL.
func JoinOrder(optimize analyzer.RuleFunc) analyzer.RuleFunc {
	ordered := optimize
	chosen := func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		planned, same, err := ordered(ctx, a, n, scope, sel, flags)
		if err != nil || same == transform.SameTree {
			return planned, same, err
		}
		if planned, _, err = hashedJoins(ctx, planned); err != nil {
			return planned, same, err
		}
		planned, _, err = mergedRows(ctx, planned)
		return planned, same, err
	}
	optimize = func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		planned, same, err := chosen(ctx, a, n, scope, sel, flags)
		if err != nil || same == transform.SameTree || !mends.OuterJoinFilters.On() {
			return planned, same, err
		}
		if planned, err = withConditions(ctx, n, planned); err != nil {
			return planned, same, err
		}
		planned, _, err = placedConditions(ctx, planned)
		return planned, same, err
	}
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if _, deletes := n.(*plan.DeleteFrom); deletes && flags != nil && !flags.IsSet(sql.QFlagUpdate) {
			// go-mysql-server finds the columns of the tables of a DELETE by their names, which a NOT EXISTS that has become an outer
			// join has not. It makes none in an UPDATE.
			flags.Set(sql.QFlagUpdate)
			defer flags.Unset(sql.QFlagUpdate)
		}
		if !mends.JoinOrders.On() {
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

// A join of up to fewTables tables is tried in all orders. go-mysql-server tries no orders of
// manyTables tables or more. A join has at most mostTables, as in MySQL.
const fewTables, manyTables, mostTables = 7, 16, 61

// fillJoins adds tables to each join of more than fewTables, so that it has manyTables.
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

// joinedTables returns how many tables of the join n go-mysql-server's rule puts in order.
func joinedTables(n sql.Node) int {
	switch n := n.(type) {
	case *plan.JoinNode:
		return joinedTables(n.Left()) + joinedTables(n.Right())
	case *plan.Filter, *plan.Having, *plan.Limit, *plan.Project, *plan.Sort, *plan.Distinct, *plan.Max1Row, *plan.CachedResults:
		return joinedTables(n.Children()[0])
	}
	return 1
}

// emptyJoins removes the tables that fillJoins has added.
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

// isNoColumns reports whether n reads one of the tables that fillJoins adds.
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

// PartitionRows implements sql.Table. Nobody calls it, because the finished plan does not have the
// table.
func (noColumns) PartitionRows(*sql.Context, sql.Partition) (sql.RowIter, error) {
	return nil, io.ErrUnexpectedEOF
}
