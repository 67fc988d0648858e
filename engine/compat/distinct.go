package compat

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
)

// NewDistinct returns the rows of n, whose input is child.
//
// go-mysql-server: tells rows apart by the bytes of their texts, and takes rows with the same hash
// for the same. MySQL: tells them apart by their collations.
func NewDistinct(ctx *sql.Context, n *plan.Distinct, child sql.RowIter) sql.RowIter {
	d := &distinct{RowIter: child, on: n.DistinctOn(), hold: charge.HoldOf(ctx, charge.Groups)}
	d.seen = newRowSet(rowSchema(ctx, n.Schema(ctx)), d.hold)
	if len(d.on) > 0 {
		d.seen, d.key = newRowSet(keySchema(ctx, d.on), d.hold), make(sql.Row, len(d.on))
	}
	return d
}

// distinct is an iterator, owned by one goroutine.
type distinct struct {
	sql.RowIter
	on   []sql.Expression // what rows differ in; all columns if it is empty
	key  sql.Row          // scratch space
	seen *rowSet
	hold *budget.Hold
}

// Next implements sql.RowIter.
func (d *distinct) Next(ctx *sql.Context) (sql.Row, error) {
	for {
		row, err := d.RowIter.Next(ctx)
		if err != nil {
			return nil, err
		}
		key := row
		if len(d.on) > 0 {
			key = d.key
			for i, e := range d.on {
				if key[i], err = e.Eval(ctx, row); err != nil {
					return nil, err
				}
			}
		}
		if _, known, err := d.seen.find(ctx, key); err != nil || !known {
			return row, err
		}
	}
}

// Close implements sql.RowIter.
func (d *distinct) Close(ctx *sql.Context) error {
	d.seen = nil
	d.hold.Drop()
	return d.RowIter.Close(ctx)
}

// aggregate is one that buffers are made of, one for each group.
type aggregate struct {
	sql.Aggregation
	small bool // all its buffers take about the same memory, which is little
}

// aggregatesOf are the aggregates of a GROUP BY that selects these: of a plain column the group's first value.
func aggregatesOf(ctx *sql.Context, selected []sql.Expression) []aggregate {
	all := make([]aggregate, len(selected))
	for i, e := range selected {
		switch e := e.(type) {
		case *grouping:
			all[i] = aggregate{e, true}
		case sql.Aggregation:
			all[i] = newAggregate(ctx, e)
		default:
			all[i] = newAggregate(ctx, aggregation.NewFirst(e))
		}
	}
	return all
}

func newAggregate(ctx *sql.Context, a sql.Aggregation) aggregate {
	return aggregate{a, isSmall(ctx, a)}
}

// buffer is a buffer of the aggregate; what it keeps that is not always as large is charged to hold.
//
// go-mysql-server: COUNT(DISTINCT) tells texts apart by their bytes, and takes those with the same hash for the same. MySQL: tells them apart by their collations.
func (g aggregate) buffer(ctx *sql.Context, hold *budget.Hold) (sql.AggregationBuffer, error) {
	switch a := g.Aggregation.(type) {
	case *aggregation.CountDistinct:
		return &countDistinct{newDistinctArgs(ctx, a.Children(), hold)}, nil
	case groupConcat:
		return a.newBuffer(ctx, hold), nil
	}
	if hold == nil || g.small || !aggregateMemory.On() {
		return g.NewBuffer(ctx)
	}
	return chargedBuffer(ctx, g.Aggregation, hold)
}

// distinctArgs are the arguments that an aggregate has had. Owned by one goroutine.
type distinctArgs struct {
	args []sql.Expression
	row  sql.Row // scratch space
	seen *rowSet
}

func newDistinctArgs(ctx *sql.Context, args []sql.Expression, hold *budget.Hold) distinctArgs {
	return distinctArgs{args, make(sql.Row, len(args)), newRowSet(keySchema(ctx, args), hold)}
}

// add adds the arguments for row, and reports whether they are new. Arguments with a NULL never are.
func (d *distinctArgs) add(ctx *sql.Context, row sql.Row) (isNew bool, err error) {
	for i, e := range d.args {
		if d.row[i], err = e.Eval(ctx, row); err != nil || d.row[i] == nil {
			return false, err
		}
	}
	_, known, err := d.seen.find(ctx, d.row)
	return !known, err
}

// countDistinct is a buffer of COUNT(DISTINCT).
type countDistinct struct{ distinctArgs }

// Update implements sql.AggregationBuffer.
func (c *countDistinct) Update(ctx *sql.Context, row sql.Row) error {
	_, err := c.add(ctx, row)
	return err
}

// Eval implements sql.AggregationBuffer.
func (c *countDistinct) Eval(*sql.Context) (any, error) { return int64(len(c.seen.rows)), nil }

// Dispose implements sql.Disposable.
func (c *countDistinct) Dispose(ctx *sql.Context) {
	for _, e := range c.args {
		expression.Dispose(ctx, e)
	}
}
