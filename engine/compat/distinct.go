package compat

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// NewDistinct returns the rows of n, whose input is child.
//
// go-mysql-server: tells rows apart by the bytes of their texts, and takes rows with the same hash
// for the same. MySQL: tells them apart by their collations.
func NewDistinct(ctx *sql.Context, n *plan.Distinct, child sql.RowIter) sql.RowIter {
	d := &distinct{RowIter: child, on: n.DistinctOn(), seen: newRowSet(rowSchema(ctx, n.Schema(ctx)))}
	if len(d.on) > 0 {
		d.seen, d.key = newRowSet(keySchema(ctx, d.on)), make(sql.Row, len(d.on))
	}
	return d
}

// distinct is an iterator, owned by one goroutine.
type distinct struct {
	sql.RowIter
	on   []sql.Expression // what rows differ in; all columns if it is empty
	key  sql.Row          // scratch space
	seen *rowSet
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
	return d.RowIter.Close(ctx)
}

// newBuffer is a buffer of aggregate a.
//
// go-mysql-server: COUNT(DISTINCT) tells texts apart by their bytes, and takes those with the same hash for the same. MySQL: tells them apart by their collations.
func newBuffer(ctx *sql.Context, a sql.Aggregation) (sql.AggregationBuffer, error) {
	if a, ok := a.(*aggregation.CountDistinct); ok {
		return &countDistinct{newDistinctArgs(ctx, a.Children())}, nil
	}
	return a.NewBuffer(ctx)
}

// distinctArgs are the arguments that an aggregate has had. Owned by one goroutine.
type distinctArgs struct {
	args []sql.Expression
	row  sql.Row // scratch space
	seen *rowSet
}

func newDistinctArgs(ctx *sql.Context, args []sql.Expression) distinctArgs {
	return distinctArgs{args, make(sql.Row, len(args)), newRowSet(keySchema(ctx, args))}
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
