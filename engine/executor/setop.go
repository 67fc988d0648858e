package executor

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
	"pfsd/engine/mends"
	"pfsd/engine/sqlvalue"
)

// SortSetOp returns the plan that replaces n, a UNION, INTERSECT or EXCEPT with ORDER BY, LIMIT or
// OFFSET; nil if n has none of these.
//
// go-mysql-server: with ORDER BY and OFFSET, skips rows before it sorts them. MySQL: sorts them
// first.
func SortSetOp(ctx *sql.Context, n *plan.SetOp) sql.Node {
	if !mends.SortedSets.On() {
		return nil
	}
	if len(n.SortFields) == 0 && n.Offset == nil && n.Limit == nil {
		return nil
	}
	rows := sql.Node(plan.NewSetOp(n.SetOpType, n.Left(), n.Right(), n.Distinct, nil, nil, nil))
	n.AddDispose(func() { rows.(*plan.SetOp).Dispose(ctx) })
	whole := rows
	if len(n.SortFields) > 0 {
		whole = plan.NewSort(n.SortFields, whole)
	}
	if n.Offset != nil {
		whole = plan.NewOffset(n.Offset, whole)
	}
	if n.Limit != nil {
		whole = plan.NewLimit(n.Limit, whole)
	}
	return whole
}

// NewSetOp returns the rows of n, of its sides left and right, without ORDER BY and LIMIT.
//
// go-mysql-server: compares texts by their bytes, and takes rows with the same hash for equal.
// MySQL: compares them by their collations.
func NewSetOp(ctx *sql.Context, n *plan.SetOp, left sql.RowIter, right func() (sql.RowIter, error)) sql.RowIter {
	hold := charge.HoldOf(ctx, charge.Groups)
	return &setOp{node: n, columns: n.Schema(ctx), left: left, open: right, hold: hold, seen: newRowSet(rowSchema(ctx, n.Schema(ctx)), hold)}
}

// TextsInDecimals reports whether n has a column that is DECIMAL on one side and text on the other.
func TextsInDecimals(ctx *sql.Context, n *plan.SetOp) bool {
	left, right := n.Left().Schema(ctx), n.Right().Schema(ctx)
	for i := range min(len(left), len(right)) {
		if sqlvalue.IsTextBesideDecimal(left[i].Type, right[i].Type) {
			return true
		}
	}
	return false
}

// setOp is an iterator. Owned by one goroutine.
type setOp struct {
	node    *plan.SetOp
	columns sql.Schema
	left    sql.RowIter
	right   sql.RowIter // nil until the right side is read
	open    func() (sql.RowIter, error)
	seen    *rowSet
	hold    *budget.Hold
	// counts has, for each row of seen, the number of unmatched rows of the right side. A UNION has
	// returned all rows of seen.
	counts []int
	over   bool // there are no more rows on the left side
}

// Next implements sql.RowIter.
func (s *setOp) Next(ctx *sql.Context) (sql.Row, error) {
	if s.node.SetOpType != plan.UnionType && s.right == nil {
		if err := s.count(ctx); err != nil {
			return nil, err
		}
	}
	for {
		row, err := s.next(ctx)
		if err != nil {
			return nil, err
		}
		if row, err = typedRow(ctx, s.columns, row); err != nil {
			return nil, err
		}
		if s.node.SetOpType == plan.UnionType && !s.node.Distinct {
			return row, nil
		}
		i, known, err := s.seen.find(ctx, row)
		if err != nil {
			return nil, err
		}
		if !known {
			s.counts = append(s.counts, 0)
		}
		if s.takes(i, known) {
			return row, nil
		}
	}
}

// takes reports whether a row at position i of seen is in the result; known reports whether seen
// had it before.
func (s *setOp) takes(i int, known bool) bool {
	switch distinct := s.node.Distinct; s.node.SetOpType {
	case plan.IntersectType:
		matched := s.counts[i] > 0
		if s.counts[i]--; distinct {
			s.counts[i] = 0
		}
		return matched
	case plan.ExceptType:
		if distinct {
			return !known
		}
		s.counts[i]--
		return s.counts[i] < 0
	default:
		return !known
	}
}

// next returns the next row that may be one of the result.
func (s *setOp) next(ctx *sql.Context) (row sql.Row, err error) {
	if !s.over {
		if row, err = s.left.Next(ctx); err != io.EOF || s.node.SetOpType != plan.UnionType {
			return row, err
		}
		s.over = true
	}
	if s.right == nil {
		if s.right, err = s.open(); err != nil {
			return nil, err
		}
	}
	return s.right.Next(ctx)
}

// count reads the right side.
func (s *setOp) count(ctx *sql.Context) (err error) {
	if s.right, err = s.open(); err != nil {
		return err
	}
	for {
		row, err := s.right.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		i, known, err := s.seen.find(ctx, row)
		if err != nil {
			return err
		}
		if !known {
			s.counts = append(s.counts, 0)
		}
		s.counts[i]++
	}
}

// Close implements sql.RowIter.
func (s *setOp) Close(ctx *sql.Context) error {
	err := s.left.Close(ctx)
	if s.right != nil {
		if e := s.right.Close(ctx); err == nil {
			err = e
		}
	}
	s.seen = nil
	s.hold.Drop()
	return err
}
