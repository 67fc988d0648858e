package vtable

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/tables"
)

// LookUp builds n, which looks up rows of a virtual table by values of row: the inner side of a join, or a
// correlated subquery. go-mysql-server does not test whether the rows match. A key with SQL's equality
// needs no test; other keys are tested here.
func LookUp(ctx *sql.Context, t *Table, n *plan.IndexedTableAccess, how Requests, row sql.Row) (sql.RowIter, error) {
	s := NewScan(t, nil)
	s.Requests = how
	m := &matchingScan{Scan: s, width: len(s.Cols)}
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
		if eq, ok := t.equality(column, v); ok && sameType(t.Def.Columns()[col].Kind, typ) {
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

// sameType reports whether columns of kind k and values of type typ are compared without a
// conversion.
func sameType(k tables.Kind, typ sql.Type) bool {
	if k.IsText() {
		return types.IsText(typ) && !types.IsBinaryType(typ)
	}
	return types.IsInteger(typ)
}

// matchingScan returns the rows of a scan that match values. Owned by one goroutine.
type matchingScan struct {
	*Scan
	width      int     // number of columns of its rows; the scan may read more columns
	values     sql.Row // the values for the conditions, which follow the columns of the scan
	conditions []sql.Expression
}

// Next implements sql.RowIter.
func (m *matchingScan) Next(ctx *sql.Context) (sql.Row, error) {
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
