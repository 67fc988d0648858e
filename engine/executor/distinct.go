package executor

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
	"pfsd/engine/mends"
)

// NewDistinct returns the distinct rows of child, the input of n.
//
// go-mysql-server: compares texts by their bytes, takes rows with the same hash for equal, and takes columns of the queries around for those
// of the rows.
// MySQL: compares them by their collations.
func NewDistinct(ctx *sql.Context, n *plan.Distinct, child sql.RowIter) sql.RowIter {
	d := &distinct{RowIter: child, on: n.DistinctOn(), hold: charge.HoldOf(ctx, charge.Groups)}
	d.seen = newRowSet(rowSchema(ctx, n.Schema(ctx)), d.hold)
	if len(d.on) > 0 {
		d.seen, d.key = newRowSet(keySchema(ctx, d.on), d.hold), make(sql.Row, len(d.on))
	} else if charge.ReuseRows(child) {
		d.seen.copies = new(charge.RowCopies)
	}
	return d
}

// distinct is an iterator. Owned by one goroutine.
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
		i, known, err := d.seen.find(ctx, key)
		if err != nil {
			return nil, err
		}
		if !known && d.seen.copies != nil {
			if copied := d.seen.rows[i]; len(copied) == len(row) {
				return copied, nil
			}
			return slices.Clone(row), nil
		}
		if !known {
			return row, nil
		}
	}
}

// Close implements sql.RowIter.
func (d *distinct) Close(ctx *sql.Context) error {
	d.seen = nil
	d.hold.Drop()
	return d.RowIter.Close(ctx)
}

// aggregate is an aggregate of a GROUP BY, with a buffer for each group.
type aggregate struct {
	sql.Aggregation
	small bool // all its buffers take about the same memory, which is little
}

// aggregatesOf returns the aggregates of a GROUP BY with these select expressions. A plain column
// is an aggregate that keeps the first value of the group.
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

// buffer returns a new buffer of the aggregate. Memory of a size that is not fixed is charged to
// hold.
//
// go-mysql-server: COUNT(DISTINCT) compares texts by their bytes, and takes values with the same
// hash for equal. MySQL: compares them by their collations.
func (g aggregate) buffer(ctx *sql.Context, hold *budget.Hold) (sql.AggregationBuffer, error) {
	switch a := g.Aggregation.(type) {
	case *aggregation.CountDistinct:
		return &countDistinct{newDistinctArgs(ctx, a.Children(), hold)}, nil
	case groupConcat:
		return a.newBuffer(ctx, hold), nil
	}
	if hold == nil || g.small || !mends.AggregateMemory.On() {
		return g.NewBuffer(ctx)
	}
	return chargedBuffer(ctx, g.Aggregation, hold)
}

// distinctArgs are the different arguments that an aggregate has seen. Owned by one goroutine.
type distinctArgs struct {
	args []sql.Expression
	row  sql.Row // scratch space
	seen *rowSet
}

func newDistinctArgs(ctx *sql.Context, args []sql.Expression, hold *budget.Hold) distinctArgs {
	return distinctArgs{args, make(sql.Row, len(args)), newRowSet(keySchema(ctx, args), hold)}
}

// add adds the arguments for row, and reports whether they are new. Arguments with a NULL are never
// new.
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
