package executor

import (
	"io"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
)

// NewGroupBy returns the groups of child, the input of n. It works on the caller's goroutine.
//
// go-mysql-server: uses two goroutines with a channel between them; if an aggregate fails, the
// reader can block for ever, and KILL does not end it. Groups with the same 64-bit hash become one.
// MySQL: uses one thread, returns the error, and compares the values of groups.
func NewGroupBy(ctx *sql.Context, n *plan.GroupBy, child sql.RowIter) sql.RowIter {
	if r := newRollup(ctx, n, child); r != nil {
		return r
	}
	hold := charge.HoldOf(ctx, charge.Groups)
	g := &groupBy{
		node: n, child: child, hold: hold, keys: newRowSet(keySchema(ctx, n.GroupByExprs), hold), aggregates: aggregatesOf(ctx, n.SelectDeps),
	}
	if len(n.GroupByExprs) == 0 && !slices.ContainsFunc(g.aggregates, func(a aggregate) bool { return keepsArguments(a.Aggregation) }) {
		charge.ReuseRows(child)
	}
	return g
}

// groupBy is an iterator. Owned by one goroutine.
type groupBy struct {
	node   *plan.GroupBy
	child  sql.RowIter
	keys   *rowSet // the keys of the groups
	groups [][]sql.AggregationBuffer
	hold   *budget.Hold
	// aggregates are the aggregates of each group.
	aggregates []aggregate
	read       bool
	pos        int
}

// Next implements sql.RowIter.
func (g *groupBy) Next(ctx *sql.Context) (sql.Row, error) {
	if !g.read {
		g.read = true
		if err := g.readAll(ctx); err != nil {
			return nil, err
		}
	}
	if g.pos == len(g.groups) {
		return nil, io.EOF
	}
	buffers := g.groups[g.pos]
	g.pos++
	out := make(sql.Row, len(buffers))
	for i, b := range buffers {
		var err error
		if out[i], err = b.Eval(ctx); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (g *groupBy) readAll(ctx *sql.Context) error {
	if len(g.node.GroupByExprs) == 0 {
		if err := g.add(ctx); err != nil { // even without rows there is one group
			return err
		}
	}
	key := make(sql.Row, len(g.node.GroupByExprs))
	for n := 0; ; n++ {
		if n%128 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row, err := g.child.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		i := 0
		if len(key) > 0 {
			if i, err = g.find(ctx, row, key); err != nil {
				return err
			}
		}
		for _, b := range g.groups[i] {
			if err := b.Update(ctx, row); err != nil {
				return err
			}
		}
	}
}

// find returns the position of the row's group, and adds the group if it is new. key is a scratch
// buffer.
func (g *groupBy) find(ctx *sql.Context, row, key sql.Row) (int, error) {
	for i, e := range g.node.GroupByExprs {
		v, err := e.Eval(ctx, row)
		if err != nil {
			return 0, err
		}
		key[i] = v
	}
	i, known, err := g.keys.find(ctx, key)
	if err == nil && !known {
		err = g.add(ctx)
	}
	return i, err
}

// add adds a group.
func (g *groupBy) add(ctx *sql.Context) (err error) {
	if err := g.hold.Charge(groupBytes(len(g.node.SelectDeps))); err != nil {
		return err
	}
	buffers := make([]sql.AggregationBuffer, len(g.node.SelectDeps))
	g.groups = append(g.groups, buffers)
	for i, a := range g.aggregates {
		if buffers[i], err = a.buffer(ctx, g.hold); err != nil {
			return err
		}
	}
	return nil
}

// groupBytes is about how many bytes a group with this many aggregates takes.
func groupBytes(aggregates int) int64 { return 32 + 80*int64(aggregates) }

// Groups numbers the groups of GROUP BY for somebody who adds them up, from 0 on, as NewGroupBy does. Owned by one goroutine.
type Groups struct{ keys *rowSet }

// NewGroups returns no groups yet of n. Their keys are charged to hold.
func NewGroups(ctx *sql.Context, n *plan.GroupBy, hold *budget.Hold) *Groups {
	return &Groups{newRowSet(keySchema(ctx, n.GroupByExprs), hold)}
}

// Find returns the number of the group with a key, a value for each of the expressions, and whether it is known; if not, it is one more.
// It fails if the statement may take no more memory.
func (g *Groups) Find(ctx *sql.Context, key sql.Row) (n int, known bool, err error) {
	return g.keys.find(ctx, key)
}

// Close implements sql.RowIter.
func (g *groupBy) Close(ctx *sql.Context) error {
	for _, buffers := range g.groups {
		for _, b := range buffers {
			if b != nil {
				b.Dispose(ctx)
			}
		}
	}
	g.groups, g.keys = nil, nil
	g.hold.Drop()
	return g.child.Close(ctx)
}
