package executor

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/shopspring/decimal"
)

// ValueTable returns the rows of VALUES ROW(...).
//
// go-mysql-server: panics if a value of a DECIMAL column is NULL. MySQL: it is NULL.
func ValueTable(ctx *sql.Context, n *plan.ValueDerivedTable, row sql.Row) (sql.RowIter, error) {
	schema := n.Schema(ctx)
	rows := make([]sql.Row, len(n.ExpressionTuples))
	for i, tuple := range n.ExpressionTuples {
		rows[i] = make(sql.Row, len(tuple))
		for j, e := range tuple {
			v, err := e.Eval(ctx, row)
			if err != nil {
				return nil, err
			}
			if v, _, err = schema[j].Type.Convert(ctx, v); err != nil {
				return nil, err
			}
			if d, ok := v.(decimal.Decimal); ok {
				if t, ok := schema[j].Type.(sql.DecimalType); ok {
					v = d.Round(int32(t.Scale()))
				}
			}
			rows[i][j] = v
		}
	}
	return sql.RowsToRowIter(rows...), nil
}
