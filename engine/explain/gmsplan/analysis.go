package gmsplan

import (
	"io"
	"reflect"
	"time"

	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/explain"
)

// Analysis measures what the nodes of a plan do. Owned by one goroutine.
type Analysis struct {
	actual map[nodeKey]*explain.Actual
	begun  map[sql.Node]bool // its iterator is being built
}

// NewAnalysis measures nothing so far.
func NewAnalysis() *Analysis {
	return &Analysis{actual: map[nodeKey]*explain.Actual{}, begun: map[sql.Node]bool{}}
}

// Query is plan n with what its nodes have done.
func (a *Analysis) Query(ctx *sql.Context, n sql.Node, stored func(sql.Table) *memory.Table) *explain.Query {
	return newQuery(ctx, n, stored, a.actual)
}

// Run carries a plan out.
func (a *Analysis) Run(ctx *sql.Context, b sql.NodeExecBuilder, n sql.Node) error {
	rows, err := b.Build(ctx, n, nil)
	if err != nil {
		return err
	}
	for {
		if _, err = rows.Next(ctx); err == nil {
			err = ctx.Err()
		}
		if err != nil {
			break
		}
	}
	closed := rows.Close(ctx)
	if err != io.EOF {
		return err
	}
	return closed
}

// Build builds a node so that it is measured, with b, which builds all nodes; ours is false if that is not for the analysis to do.
func (a *Analysis) Build(ctx *sql.Context, b sql.NodeExecBuilder, n sql.Node, row sql.Row) (rows sql.RowIter, ours bool, err error) {
	if !measured(n) || a.begun[n] {
		delete(a.begun, n)
		return nil, false, nil
	}
	a.begun[n] = true
	began := time.Now()
	rows, err = b.Build(ctx, n, row)
	delete(a.begun, n)
	if err != nil {
		return nil, true, err
	}
	key := nodeKeyOf(n)
	m := a.actual[key]
	if m == nil {
		m = &explain.Actual{}
		a.actual[key] = m
	}
	m.Loops++
	return &measuring{RowIter: rows, actual: m, spent: time.Since(began)}, true, nil
}

// nodeKey tells nodes of a plan from each other: which of its sort it is above a leaf. The SQL engine
// makes the nodes of a subquery anew each time, but for the leaves.
type nodeKey struct {
	sort  reflect.Type
	leaf  sql.Node
	place int
}

func nodeKeyOf(n sql.Node) nodeKey {
	key := nodeKey{sort: reflect.TypeOf(n)}
	for {
		children := n.Children()
		if _, opaque := n.(*plan.SubqueryAlias); opaque || len(children) == 0 {
			key.leaf = n
			return key
		}
		n = children[0]
		if reflect.TypeOf(n) == key.sort {
			key.place++
		}
	}
}

// measured tells whether what a node does is measured: it is one of those that are shown.
func measured(n sql.Node) bool {
	switch n.(type) {
	case *plan.Filter, *plan.Having, *plan.JoinNode, *plan.Sort, *plan.TopN, *plan.Limit, *plan.Offset, *plan.GroupBy, *plan.Distinct,
		*plan.OrderedDistinct, *plan.Window, *plan.SetOp, *plan.ResolvedTable, *plan.IndexedTableAccess, *plan.TableAlias, *plan.SubqueryAlias,
		*plan.EmptyTable, *plan.TableCountLookup, *plan.RecursiveTable, *plan.HashLookup:
		return true
	}
	return false
}

// measuring measures an iterator. Owned by one goroutine.
type measuring struct {
	sql.RowIter
	actual *explain.Actual
	spent  time.Duration
	some   bool
}

// Next implements sql.RowIter.
func (m *measuring) Next(ctx *sql.Context) (sql.Row, error) {
	began := time.Now()
	row, err := m.RowIter.Next(ctx)
	d := m.spent + time.Since(began)
	m.spent = 0
	m.actual.Last += float64(d) / 1e6
	if !m.some {
		m.some = true
		m.actual.First += float64(d) / 1e6
	}
	if err == nil {
		m.actual.Rows++
	}
	return row, err
}
