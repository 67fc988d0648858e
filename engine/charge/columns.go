package charge

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/budget"
)

const (
	// largeValue is the size, in bytes, from which a value counts before its row is kept.
	largeValue = 4 << 10
	// fewColumns is how many columns of a row may be large without being counted: max_allowed_packet bounds each.
	fewColumns = 4
)

// Columns returns a projection whose rows are charged while they are made: a row with many large columns can exceed
// any limit by itself. It returns n itself if there is nothing to charge.
func Columns(ctx *sql.Context, n *plan.Project) *plan.Project {
	if !manyLargeColumns(ctx, n.Projections) {
		return n
	}
	r := &partialRow{hold: HoldOf(ctx, text)}
	all := make([]sql.Expression, len(n.Projections))
	for i, e := range n.Projections {
		all[i] = e
		if a, ok := e.(*expression.Alias); ok && makesLargeValues(ctx, a.Child) {
			child := *a
			child.Child = &largeColumn{Expression: a.Child, row: r, first: r.columns == 0}
			r.columns++
			all[i] = &child
		}
	}
	if r.columns == 0 {
		return n
	}
	charged := *n
	charged.Projections = all
	return &charged
}

// Values returns lists of values that are charged together: go-mysql-server evaluates all of them before the first one
// is read. It returns n itself if there is nothing to charge.
func Values(ctx *sql.Context, n *plan.Values) *plan.Values {
	r := &partialRow{}
	var tuples [][]sql.Expression
	for i, tuple := range n.ExpressionTuples {
		for j, e := range tuple {
			if !makesLargeValues(ctx, e) {
				continue
			}
			if tuples == nil {
				tuples = append(tuples, n.ExpressionTuples...)
				r.hold = HoldOf(ctx, Written)
			}
			if &tuples[i][0] == &tuple[0] {
				tuples[i] = append([]sql.Expression(nil), tuple...)
			}
			tuples[i][j] = &largeColumn{Expression: e, row: r}
		}
	}
	if tuples == nil {
		return n
	}
	charged := *n
	charged.ExpressionTuples = tuples
	return &charged
}

// manyLargeColumns reports whether so many columns may be large that a row of them counts.
func manyLargeColumns(ctx *sql.Context, columns []sql.Expression) bool {
	if len(columns) <= fewColumns {
		return false
	}
	n := 0
	for _, e := range columns {
		if a, ok := e.(*expression.Alias); ok && makesLargeValues(ctx, a.Child) {
			n++
		}
	}
	return n > fewColumns
}

// makesLargeValues reports whether e can make large values that do not exist already.
func makesLargeValues(ctx *sql.Context, e sql.Expression) bool {
	switch e := e.(type) {
	case *expression.GetField, *expression.Literal, *largeColumn, *expression.UserVar, *expression.SystemVar, *expression.BindVar,
		*sql.ColumnDefaultValue, *expression.Wrapper, *expression.DefaultColumn:
		return false
	case plan.ColDefaultExpression:
		return false
	default:
		t := e.Type(ctx)
		_, spatial := t.(sql.SpatialColumnType)
		return spatial || types.IsTextBlob(t) || types.IsText(t) || types.IsJSON(t)
	}
}

// partialRow is the memory of the large values of a row that have been evaluated so far. Owned by one goroutine.
type partialRow struct {
	hold    *budget.Hold
	columns int
	bytes   int64
}

// largeColumn is a column of such a row. Owned by one goroutine.
type largeColumn struct {
	sql.Expression
	row   *partialRow
	first bool // the first one of the row
}

// Eval implements sql.Expression.
func (c *largeColumn) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := c.Expression.Eval(ctx, row)
	if c.first {
		c.row.bytes = 0
	}
	if err != nil || v == nil {
		return v, err
	}
	if n := Size(v); n >= largeValue {
		c.row.bytes += n
		err = c.row.hold.ChargeTo(c.row.bytes)
	}
	return v, err
}

// WithChildren implements sql.Expression.
func (c *largeColumn) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := c.Expression.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return &largeColumn{Expression: e, row: c.row, first: c.first}, nil
}
