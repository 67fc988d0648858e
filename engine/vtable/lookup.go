package vtable

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/tables"
)

// LookUp builds n, which looks rows of a virtual table up by values of row: the inner side
// of a join, or a subquery that refers to the query around it. The executor does not test
// afterwards whether the rows match; a key that is SQL's equality needs no test, anything
// else gets one here.
func LookUp(ctx *sql.Context, t *Table, n *plan.IndexedTableAccess, how Requests, row sql.Row) (sql.RowIter, error) {
	s := NewScan(t, nil)
	s.Requests = how
	m := &matching{Scan: s, width: len(s.Cols)}
	s.Cols = slices.Clip(s.Cols)
	var tested []int // positions among the columns of s
	var typs []sql.Type
	var nullSafe []bool
	for i, e := range n.Expressions() {
		v, err := e.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		if v == nil && !n.NullMask()[i] {
			return sql.RowsToRowIter(), nil
		}
		column := n.Index().(*index).def.Columns[i]
		col, typ := t.Position(column), e.Type(ctx)
		if eq, ok := t.equality(column, v); ok && sameSort(t.Def.Columns()[col].Kind, typ) {
			s.key = append(s.key, eq)
			if !eq.Near {
				continue
			}
		}
		at := slices.Index(s.Cols, col)
		if at < 0 {
			at = len(s.Cols)
			s.Cols = append(s.Cols, col)
		}
		tested, typs, nullSafe = append(tested, at), append(typs, typ), append(nullSafe, n.NullMask()[i])
		m.values = append(m.values, v)
	}
	if len(tested) == 0 {
		return s, nil
	}
	for i, at := range tested {
		c := t.Fields[s.Cols[at]]
		left := expression.NewGetField(at, c.Type, c.Name, c.Nullable)
		right := expression.NewGetField(len(s.Cols)+i, typs[i], c.Name, true)
		if nullSafe[i] {
			m.conditions = append(m.conditions, expression.NewNullSafeEquals(left, right))
		} else {
			m.conditions = append(m.conditions, expression.NewEquals(left, right))
		}
	}
	return m, nil
}

// sameSort tells whether columns of kind k and values of type typ are compared without a
// conversion.
func sameSort(k tables.Kind, typ sql.Type) bool {
	if k.IsText() {
		return types.IsText(typ) && !types.IsBinaryType(typ)
	}
	return types.IsInteger(typ)
}

// matching is a scan of which only those rows come that match values. Owned by one goroutine.
type matching struct {
	*Scan
	width      int     // of its rows; the scan may read more columns
	values     sql.Row // stand behind the columns of the scan for the conditions
	conditions []sql.Expression
}

// Next implements sql.RowIter.
func (m *matching) Next(ctx *sql.Context) (sql.Row, error) {
next:
	for {
		row, err := m.Scan.Next(ctx)
		if err != nil {
			return nil, err
		}
		row = append(row, m.values...)
		for _, c := range m.conditions {
			ok, err := sql.EvaluateCondition(ctx, c, row)
			if err != nil {
				return nil, err
			}
			if !sql.IsTrue(ok) {
				continue next
			}
		}
		return row[:m.width:m.width], nil
	}
}
