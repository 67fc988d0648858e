package executor

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/shopspring/decimal"

	"pfsd/engine/alldigits"
	"pfsd/engine/mends"
	"pfsd/engine/sqlvalue"
)

// NewDerived returns the rows of a derived table with the digits of its columns. It returns nil if
// the rows need no change.
//
// go-mysql-server: an average in a derived table has all calculated digits for the query around it.
// MySQL: it has the digits of its column.
func NewDerived(ctx *sql.Context, n *plan.SubqueryAlias, row sql.Row, b sql.NodeExecBuilder) (sql.RowIter, error) {
	if !mends.DerivedScales.On() {
		return nil, nil
	}
	schema := n.Schema(ctx)
	var scales []columnScale
	last := alldigits.LastProjection(n.Child)
	for i, c := range schema {
		if last != nil && len(last.Projections) == len(schema) && alldigits.KeepsDigits(last.Projections[i]) {
			continue // MySQL merges the table with the query around it
		}
		if t, ok := c.Type.(sql.DecimalType); ok {
			scales = append(scales, columnScale{i - len(schema), int32(t.Scale())})
		}
	}
	if scales == nil {
		return nil, nil
	}
	if !n.OuterScopeVisibility && !n.IsLateral {
		row = nil
	}
	rows, err := b.Build(ctx, n.Child, row)
	if err != nil {
		return nil, err
	}
	return &derivedRows{rows, scales}, nil
}

// columnScale is the scale of a DECIMAL column. place counts from the end of the row.
type columnScale struct {
	place int
	scale int32
}

// derivedRows is an iterator. Owned by one goroutine.
type derivedRows struct {
	sql.RowIter
	scales []columnScale
}

// Next implements sql.RowIter.
func (d *derivedRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := d.RowIter.Next(ctx)
	if err != nil {
		return row, err
	}
	for _, c := range d.scales {
		place := len(row) + c.place
		if v, ok := row[place].(decimal.Decimal); ok && -v.Exponent() > c.scale {
			row[place] = sqlvalue.Rescale(v, int(c.scale))
		}
	}
	return row, nil
}
