package vtable

import (
	"cmp"
	"reflect"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/sqlexpr"
	"pfsd/tables"
)

// valueCondition is a comparison of one column of a scan with constants, tested on the column's value itself. It is
// false for NULL, unless it tests for NULL. Owned by one goroutine.
type valueCondition struct {
	col   int // position in the declaration
	place int // position among the columns that the cursor reads
	holds func(tables.Value) bool
}

// rowCondition is any other condition on columns of a scan. It is tested on a row of the scan's output
// columns, in which only the columns that the condition uses have values. Owned by one goroutine.
type rowCondition struct {
	condition sql.Expression
	cols      []int // columns of the row: positions in the declaration
	used      []int // positions in cols of the columns that the condition uses
	places    []int // positions of these columns among those that the cursor reads
	row       sql.Row
}

// Filter adds a condition on the output columns to a scan that is not open yet. It reports false, and changes nothing, if
// only go-mysql-server can evaluate cond.
func (s *Scan) Filter(ctx *sql.Context, cond sql.Expression) bool {
	if s.order != nil {
		return false
	}
	key, rest := pushDown(ctx, s.Table, s.Cols, cond)
	if rest != nil {
		conditions, moments, left := s.comparisons(ctx, rest)
		if left != nil {
			r, ok := s.rowCondition(ctx, left)
			if !ok {
				return false
			}
			s.rest = append(s.rest, r)
		}
		s.conditions = append(s.conditions, conditions...)
		s.moments = append(s.moments, moments...)
	}
	s.addKey(key)
	return true
}

// comparisons splits cond into conjuncts that can be tested on values and the rest, which is nil if there is none.
func (s *Scan) comparisons(ctx *sql.Context, cond sql.Expression) (found []valueCondition, moments []momentCondition, rest sql.Expression) {
	var left []sql.Expression
	for _, e := range expression.SplitConjunction(ctx, cond) {
		if c, ok := s.comparison(e); ok {
			found = append(found, c)
		} else if m, ok := s.momentCondition(ctx, e); ok {
			moments = append(moments, m)
		} else {
			left = append(left, e)
		}
	}
	return found, moments, expression.JoinAnd(left...)
}

// comparison converts e if it tests a column for NULL, or compares it with a constant integer.
func (s *Scan) comparison(e sql.Expression) (c valueCondition, ok bool) {
	column := func(e sql.Expression) bool {
		f, ok := e.(*expression.GetField)
		if ok = ok && f.Index() < len(s.Cols); ok {
			c.col = s.Cols[f.Index()]
		}
		return ok
	}
	switch e := e.(type) {
	case *expression.IsNull:
		c.holds = tables.Value.IsNull
		return c, column(e.Child)
	case *expression.Not:
		if n, ok := e.Child.(*expression.IsNull); ok {
			c.holds = func(v tables.Value) bool { return !v.IsNull() }
			return c, column(n.Child)
		}
		return c, false
	}
	sides, holds := sqlexpr.Comparison(e)
	if sides == nil {
		return c, false
	}
	constant, ok := sides.Right().(*expression.Literal)
	sign := 1
	if !ok || !column(sides.Left()) {
		if constant, ok = sides.Left().(*expression.Literal); !ok || !column(sides.Right()) {
			return c, false
		}
		sign = -1
	}
	k := s.kindOf(c.col)
	n, whole := wholeNumber(constant.Value())
	if !whole || k.IsText() || isMoment(*k) || k.Type == tables.TypeDouble {
		return c, false
	}
	c.holds = func(v tables.Value) bool { return !v.IsNull() && holds(sign*order(&v, &n)) }
	return c, true
}

// order is negative if a is less than b, 0 if they are equal, and positive else; both are whole numbers, or both are DOUBLEs or moments.
func order(a, b *tables.Value) int {
	switch {
	case a.IsDouble():
		return cmp.Compare(a.Float(), b.Float())
	case a.IsTime():
		return cmp.Compare(int64(a.Bits()), int64(b.Bits()))
	}
	switch below, other := a.IsSigned() && int64(a.Bits()) < 0, b.IsSigned() && int64(b.Bits()) < 0; {
	case below && !other:
		return -1
	case other && !below:
		return 1
	}
	return cmp.Compare(a.Bits(), b.Bits()) // also right for two negative values
}

// rowCondition converts cond to a test on rows. It reports false if cond may read other columns than those it names, as a
// subquery does.
func (s *Scan) rowCondition(ctx *sql.Context, cond sql.Expression) (r rowCondition, ok bool) {
	r = rowCondition{condition: cond, cols: s.Cols}
	ok = true
	seen := map[int]bool{}
	transform.InspectExpr(ctx, cond, func(_ *sql.Context, e sql.Expression) bool {
		if f, is := e.(*expression.GetField); is {
			if ok = ok && f.Index() < len(s.Cols); ok && !seen[f.Index()] {
				seen[f.Index()] = true
				r.used = append(r.used, f.Index())
			}
		}
		ok = ok && !isQuery(e)
		return !ok
	})
	return r, ok
}

// isQuery reports whether e is a query, which may read other columns than those that it names.
func isQuery(e sql.Expression) bool {
	t := reflect.TypeOf(e)
	return t.Kind() == reflect.Pointer && t.Elem().PkgPath() == planPackage
}

// planPackage is the package of expressions that contain queries.
var planPackage = reflect.TypeFor[plan.Subquery]().PkgPath()

// open finds the columns that the condition uses; place makes the cursor read a column, and returns its position.
func (r *rowCondition) open(place func(col int) int) {
	r.row = make(sql.Row, len(r.cols))
	for _, i := range r.used {
		r.places = append(r.places, place(r.cols[i]))
	}
}

// holds reports whether the current row of s meets the condition.
func (r *rowCondition) holds(ctx *sql.Context, s *Scan) (bool, error) {
	for i, at := range r.used {
		r.row[at] = box(s.kindOf(r.cols[at]), s.cursor.Value(r.places[i]), s.Zone)
	}
	ok, err := sql.EvaluateCondition(ctx, r.condition, r.row)
	return err == nil && sql.IsTrue(ok), err
}
