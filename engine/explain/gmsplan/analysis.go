package gmsplan

import (
	"io"
	"reflect"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/explain"
)

// Analysis measures what the nodes of a plan do. Owned by one goroutine.
type Analysis struct {
	actual   map[nodeKey]*explain.Actual
	building map[sql.Node]bool // nodes whose iterators are being built
}

// NewAnalysis returns an Analysis without measurements.
func NewAnalysis() *Analysis {
	return &Analysis{actual: map[nodeKey]*explain.Actual{}, building: map[sql.Node]bool{}}
}

// Query returns plan n with the measurements of its nodes.
func (a *Analysis) Query(ctx *sql.Context, n sql.Node) *explain.Query {
	return newQuery(ctx, n, a.actual)
}

// Run executes a plan.
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

// Build builds the measuring iterator of a node with b, which builds all nodes. If handled is false, the node is not measured,
// and the caller builds it.
func (a *Analysis) Build(ctx *sql.Context, b sql.NodeExecBuilder, n sql.Node, row sql.Row) (rows sql.RowIter, handled bool, err error) {
	if !isMeasured(n) || a.building[n] {
		delete(a.building, n)
		return nil, false, nil
	}
	a.building[n] = true
	began := time.Now()
	rows, err = b.Build(ctx, n, row)
	delete(a.building, n)
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
	return &measuredRows{RowIter: rows, actual: m, spent: time.Since(began)}, true, nil
}

// nodeKey identifies a node of a plan across copies: by its type, the leaf below it, and its position among
// nodes of this type above the leaf. go-mysql-server copies the nodes of a subquery for each run, except for
// the leaves.
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

// isMeasured reports whether a node is measured: EXPLAIN shows it.
func isMeasured(n sql.Node) bool {
	switch n.(type) {
	case *plan.Filter, *plan.Having, *plan.JoinNode, *plan.Sort, *plan.TopN, *plan.Limit, *plan.Offset, *plan.GroupBy, *plan.Distinct,
		*plan.OrderedDistinct, *plan.Window, *plan.SetOp, *plan.ResolvedTable, *plan.IndexedTableAccess, *plan.TableAlias, *plan.SubqueryAlias,
		*plan.EmptyTable, *plan.TableCountLookup, *plan.RecursiveTable, *plan.HashLookup:
		return true
	}
	return false
}

// measuredRows measures an iterator. Owned by one goroutine.
type measuredRows struct {
	sql.RowIter
	actual *explain.Actual
	spent  time.Duration
	some   bool
}

// Next implements sql.RowIter.
func (m *measuredRows) Next(ctx *sql.Context) (sql.Row, error) {
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
