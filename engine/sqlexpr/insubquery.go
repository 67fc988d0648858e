package sqlexpr

import (
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// inSubquery is "value IN (subquery)". Safe for concurrent use.
//
// go-mysql-server: converts the value to the type of the subquery's column, so that 1.5 is in a list of integers with 2, and knows
// NULL only where there is one column. MySQL: compares the value with each row of the subquery as = does.
type inSubquery struct {
	*plan.InSubquery
	values     []sql.Expression // the columns of the value
	conditions []sql.Expression // compare a column of the value with one of the subquery
	value, row *JoinKey         // nil if there are no keys

	mu     sync.Mutex
	evals  int
	rows   []any // the rows that byKey has been made of
	byKey  map[string][]any
	nulls  []any // the rows with a NULL
	hashed bool
}

// newInSubquery returns in as MySQL calculates it. It returns false if the numbers of columns differ.
func newInSubquery(ctx *sql.Context, in *plan.InSubquery) (*inSubquery, bool, error) {
	subquery, ok := in.Right().(*plan.Subquery)
	if !ok {
		return nil, false, nil
	}
	s := &inSubquery{InSubquery: in, values: []sql.Expression{in.Left()}}
	if t, ok := in.Left().(expression.Tuple); ok {
		s.values = t
	}
	schema := subquery.Query.Schema(ctx)
	if len(schema) != len(s.values) {
		return nil, false, nil
	}
	left, right := make([]sql.Expression, len(schema)), make([]sql.Expression, len(schema))
	for i, c := range schema {
		left[i] = &rowOperand{s.values[i], i}
		right[i] = expression.NewGetField(len(schema)+i, c.Type, c.Name, true)
		e, err := MendExpression(ctx, expression.NewEquals(left[i], right[i]))
		if err != nil {
			return nil, false, err
		}
		s.conditions = append(s.conditions, e)
	}
	s.value, s.row, _ = JoinKeys(ctx, left, right)
	return s, true, nil
}

// rowOperand is an expression whose value is in a row.
type rowOperand struct {
	sql.Expression
	index int
}

// NewOperand returns an expression like e whose value is in the column index of a row.
func NewOperand(e sql.Expression, index int) sql.Expression { return &rowOperand{e, index} }

// Eval implements sql.Expression.
func (o *rowOperand) Eval(_ *sql.Context, row sql.Row) (any, error) { return row[o.index], nil }

// Children implements sql.Expression: there is nothing to calculate.
func (*rowOperand) Children() []sql.Expression { return nil }

// WithChildren implements sql.Expression.
func (o *rowOperand) WithChildren(*sql.Context, ...sql.Expression) (sql.Expression, error) {
	return o, nil
}

// CollationCoercibility implements sql.CollationCoercible.
func (o *rowOperand) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, o.Expression)
}

// Eval implements sql.Expression.
func (s *inSubquery) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	n := len(s.values)
	pair := make(sql.Row, 2*n)
	null := false
	for i, e := range s.values {
		v, err := e.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		pair[i] = v
		null = null || v == nil
	}
	subquery := s.Right().(*plan.Subquery)
	rows, err := subquery.EvalMultiple(ctx, row)
	if err != nil {
		return nil, err
	}
	if null || !s.hash(ctx, subquery, rows) {
		return s.compare(ctx, pair, rows)
	}
	key, err := s.value.Eval(ctx, pair)
	if err != nil {
		return nil, err
	}
	is, err := s.compare(ctx, pair, s.byKey[string(key.([]byte))])
	if err != nil || is == true {
		return is, err
	}
	return s.compare(ctx, pair, s.nulls)
}

// hash makes a hash table of rows if they are those of each row of the statement, and there are so many values to look for
// that it is worth it. It reports whether there is one.
func (s *inSubquery) hash(ctx *sql.Context, subquery *plan.Subquery, rows []any) bool {
	if s.value == nil || !subquery.CanCacheResults() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hashed {
		return len(s.rows) == len(rows)
	}
	if s.evals++; s.evals < 3 || s.evals > 3 {
		return false
	}
	n := len(s.values)
	byKey := make(map[string][]any, len(rows))
	pair := make(sql.Row, 2*n)
	for _, r := range rows {
		s.put(pair, r)
		key, err := s.row.Eval(ctx, pair)
		switch {
		case err != nil:
			return false
		case key == nil:
			s.nulls = append(s.nulls, r)
		default:
			byKey[string(key.([]byte))] = append(byKey[string(key.([]byte))], r)
		}
	}
	s.rows, s.byKey, s.hashed = rows, byKey, true
	return true
}

// put puts a row of the subquery into pair.
func (s *inSubquery) put(pair sql.Row, r any) {
	n := len(s.values)
	if n == 1 {
		pair[n] = r
		return
	}
	columns, _ := r.([]any)
	copy(pair[n:], columns)
}

// compare compares the value in pair with rows: true if one is equal, NULL if one may be equal.
func (s *inSubquery) compare(ctx *sql.Context, pair sql.Row, rows []any) (any, error) {
	var is any = false
	for _, r := range rows {
		s.put(pair, r)
		var equal any = true
		for _, c := range s.conditions {
			one, err := sql.EvaluateCondition(ctx, c, pair)
			if err != nil {
				return nil, err
			}
			if one == nil {
				equal = nil
			} else if !sql.IsTrue(one) {
				equal = false
				break
			}
		}
		switch {
		case equal == nil:
			is = nil
		case sql.IsTrue(equal):
			return true, nil
		}
	}
	return is, nil
}

// Type implements sql.Expression.
func (*inSubquery) Type(*sql.Context) sql.Type { return types.Boolean }

// IsNullable implements sql.Expression.
func (*inSubquery) IsNullable(*sql.Context) bool { return true }

// WithChildren implements sql.Expression.
func (s *inSubquery) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := s.InSubquery.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	changed, ok, err := newInSubquery(ctx, e.(*plan.InSubquery))
	if err != nil || !ok {
		return e, err
	}
	return changed, nil
}
