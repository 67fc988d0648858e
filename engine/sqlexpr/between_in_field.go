package sqlexpr

import (
	"strings"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/collations"
	"pfsd/engine/sqlvalue"
)

// go-mysql-server: BETWEEN, IN, NULLIF and CASE evaluate an operand again for each value with which
// they compare it. So twenty of them, one inside the other, take seconds. MySQL: evaluates an
// operand once, as the expressions of this file do.

// argumentValue is an expression whose value is known: it is value i of the row.
type argumentValue struct {
	sql.Expression
	i int
}

// Eval implements sql.Expression.
func (a *argumentValue) Eval(_ *sql.Context, row sql.Row) (any, error) { return row[a.i], nil }

// Children implements sql.Expression. It returns none, because the value is known, and no rule
// needs to visit the expression again.
func (*argumentValue) Children() []sql.Expression { return nil }

// WithChildren implements sql.Expression.
func (a *argumentValue) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(a, len(children), 0)
	}
	return a, nil
}

// DebugString implements sql.DebugStringer.
func (a *argumentValue) DebugString(ctx *sql.Context) string {
	return sql.DebugString(ctx, a.Expression)
}

// CollationCoercibility implements sql.CollationCoercible.
func (a *argumentValue) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return collations.CoercibilityOf(ctx, a.Expression)
}

// ArgumentValue returns value i of a row in the place of e.
func ArgumentValue(e sql.Expression, i int) sql.Expression { return &argumentValue{e, i} }

// ValueOf returns value i of a row in the place of e. It returns e if e is a literal.
func ValueOf(e sql.Expression, i int) sql.Expression {
	if _, literal := e.(*expression.Literal); literal {
		return e
	}
	return &argumentValue{e, i}
}

// comparison compares two values. The zero value is ready for use. Safe for concurrent use.
type comparison struct {
	expr atomic.Pointer[sql.Expression] // compares values 0 and 1 of a row; nil before the first use
}

// longText is the size from which on comparing a text takes so long that the statement may have ended, bytes.
const longText = 4 << 10

// operator returns the comparison of two expressions.
type operator func(left, right sql.Expression) sql.Expression

var (
	equals         operator = func(a, b sql.Expression) sql.Expression { return expression.NewEquals(a, b) }
	greaterOrEqual operator = func(a, b sql.Expression) sql.Expression { return expression.NewGreaterThanOrEqual(a, b) }
	lessOrEqual    operator = func(a, b sql.Expression) sql.Expression { return expression.NewLessThanOrEqual(a, b) }
)

// holds compares a, the value of left, with b, the value of right. It returns true, false or nil.
func (c *comparison) holds(ctx *sql.Context, op operator, left, right sql.Expression, a, b any) (any, error) {
	if text, ok := a.(string); ok && len(text) > longText {
		if err := sqlvalue.Ended(ctx); err != nil {
			return nil, err
		}
	}
	e := c.expr.Load()
	if e == nil {
		replaced, _, err := replace(ctx, op(ValueOf(left, 0), ValueOf(right, 1)))
		if err != nil {
			return nil, err
		}
		e = &replaced
		c.expr.Store(e)
	}
	values := [2]any{a, b}
	return (*e).Eval(ctx, values[:])
}

// between is BETWEEN. Safe for concurrent use.
type between struct {
	*expression.Between
	lower, upper comparison
}

func newBetween(e *expression.Between) *between { return &between{Between: e} }

// WithChildren implements sql.Expression.
func (b *between) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := b.Between.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return newBetween(e.(*expression.Between)), nil
}

// Eval implements sql.Expression.
func (b *between) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := b.Val.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	low, err := b.Lower.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	above, err := b.lower.holds(ctx, greaterOrEqual, b.Val, b.Lower, v, low)
	if err != nil || above == false {
		return above, err
	}
	high, err := b.Upper.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	below, err := b.upper.holds(ctx, lessOrEqual, b.Val, b.Upper, v, high)
	if err != nil || below == false || above != nil {
		return below, err
	}
	return nil, nil
}

// inList is "value IN (values)". Safe for concurrent use.
type inList struct {
	expression.Comparer
	list        expression.Tuple
	comparisons []comparison
}

func newInList(in expression.Comparer, list expression.Tuple) *inList {
	return &inList{in, list, make([]comparison, len(list))}
}

// Children implements sql.Expression. It returns the value and the elements of the list, because
// go-mysql-server accepts a list only as a child of its own expressions.
func (l *inList) Children() []sql.Expression {
	return append([]sql.Expression{l.Left()}, l.list...)
}

// WithChildren implements sql.Expression.
func (l *inList) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) == 2 { // as a comparison, which go-mysql-server takes it for
		if list, ok := children[1].(expression.Tuple); ok {
			children = append(children[:1:1], list...)
		}
	}
	if len(children) != 1+len(l.list) {
		return nil, sql.ErrInvalidChildrenNumber.New(l, len(children), 1+len(l.list))
	}
	list := expression.Tuple(children[1:])
	in, err := l.Comparer.WithChildren(ctx, children[0], list)
	if err != nil {
		return nil, err
	}
	return newInList(in.(expression.Comparer), list), nil
}

// Eval implements sql.Expression.
func (l *inList) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := l.Left().Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	null := false
	for i, e := range l.list {
		element, err := e.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		switch equal, err := l.comparisons[i].holds(ctx, equals, l.Left(), e, v, element); {
		case err != nil:
			return nil, err
		case equal == true:
			return true, nil
		case equal == nil:
			null = true
		}
	}
	if null {
		return nil, nil
	}
	return false, nil
}

// nullIf is NULLIF. Safe for concurrent use.
type nullIf struct {
	expression.BinaryExpressionStub
	shown      sql.Expression // the first value as a text, if it is an ENUM or SET
	comparison comparison
}

var (
	_ sql.FunctionExpression = (*nullIf)(nil)
	_ sql.CollationCoercible = (*nullIf)(nil)
)

func newNullIf(ctx *sql.Context, e, other sql.Expression) sql.Expression {
	n := &nullIf{BinaryExpressionStub: expression.BinaryExpressionStub{LeftChild: e, RightChild: other}}
	if e.Resolved() && isMember(e.Type(ctx)) {
		n.shown = textOfMember(ctx, ValueOf(e, 0))
	}
	return n
}

// FunctionName implements sql.FunctionExpression.
func (*nullIf) FunctionName() string { return "nullif" }

// Description implements sql.FunctionExpression.
func (*nullIf) Description() string { return "is NULL where two values are equal, else the first one." }

// String implements sql.Expression.
func (n *nullIf) String() string {
	return "nullif(" + n.LeftChild.String() + "," + n.RightChild.String() + ")"
}

// Type implements sql.Expression.
func (n *nullIf) Type(ctx *sql.Context) sql.Type {
	if n.shown != nil {
		return n.shown.Type(ctx)
	}
	return n.LeftChild.Type(ctx)
}

// IsNullable implements sql.Expression.
func (*nullIf) IsNullable(*sql.Context) bool { return true }

// CollationCoercibility implements sql.CollationCoercible.
func (n *nullIf) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return collations.CoercibilityOf(ctx, n.LeftChild)
}

// WithChildren implements sql.Expression.
func (n *nullIf) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 2 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 2)
	}
	if ctx == nil && showsSubquery(children[0]) {
		return &nullIf{BinaryExpressionStub: expression.BinaryExpressionStub{LeftChild: children[0], RightChild: children[1]}, shown: n.shown}, nil
	}
	return newNullIf(ctx, children[0], children[1]), nil
}

// Eval implements sql.Expression.
func (n *nullIf) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := n.LeftChild.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	other, err := n.RightChild.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	if other != nil {
		equal, err := n.comparison.holds(ctx, equals, n.LeftChild, n.RightChild, v, other)
		if err != nil || equal == true {
			return nil, err
		}
	}
	if n.shown != nil {
		return n.shown.Eval(ctx, sql.Row{v})
	}
	return v, nil
}

// field is FIELD, the position of a value in a list. Safe for concurrent use.
//
// go-mysql-server: ignores the collation and the letter case of texts, and compares numbers as
// texts. MySQL: compares texts if all are texts, numbers if all are numbers, else DOUBLEs.
type field struct {
	args        []sql.Expression
	comparisons []comparison
}

var (
	_ sql.FunctionExpression = (*field)(nil)
	_ sql.CollationCoercible = (*field)(nil)
)

func newField(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
	if len(args) < 2 {
		return nil, sql.ErrInvalidArgumentNumber.New("FIELD", "2 or more", len(args))
	}
	args, _ = collations.InCommon(ctx, args)
	return &field{args, make([]comparison, len(args))}, nil
}

// FunctionName implements sql.FunctionExpression.
func (*field) FunctionName() string { return "field" }

// Description implements sql.FunctionExpression.
func (*field) Description() string { return "is the place of a value among others." }

// String implements sql.Expression.
func (f *field) String() string {
	args := make([]string, len(f.args))
	for i, a := range f.args {
		args[i] = a.String()
	}
	return "field(" + strings.Join(args, ",") + ")"
}

// Type implements sql.Expression.
func (*field) Type(*sql.Context) sql.Type { return types.Int64 }

// IsNullable implements sql.Expression.
func (*field) IsNullable(*sql.Context) bool { return false }

// Resolved implements sql.Expression.
func (f *field) Resolved() bool { return expression.ExpressionsResolved(f.args...) }

// Children implements sql.Expression.
func (f *field) Children() []sql.Expression { return f.args }

// WithChildren implements sql.Expression.
func (*field) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	return newField(ctx, children...)
}

// CollationCoercibility implements sql.CollationCoercible.
func (*field) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// Eval implements sql.Expression.
func (f *field) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := f.args[0].Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return int64(0), nil
	}
	alike := true // all arguments are texts, or all are numbers
	first := f.args[0].Type(ctx)
	for _, a := range f.args[1:] {
		if t := a.Type(ctx); t != types.Null && isTextual(t) != isTextual(first) {
			alike = false
		}
	}
	key := sqlvalue.Number{}
	if !alike {
		if key, err = sqlvalue.NumberOf(ctx, first, v); err != nil {
			return nil, err
		}
	}
	for i, a := range f.args[1:] {
		other, err := a.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		if other == nil {
			continue
		}
		var equal any
		if alike {
			equal, err = f.comparisons[i].holds(ctx, equals, f.args[0], a, v, other)
		} else {
			var n sqlvalue.Number
			n, err = sqlvalue.NumberOf(ctx, a.Type(ctx), other)
			equal = key.Float() == n.Float()
		}
		if err != nil {
			return nil, err
		}
		if equal == true {
			return int64(i + 1), nil
		}
	}
	return int64(0), nil
}

// isTextual reports whether MySQL takes values of type t for texts.
func isTextual(t sql.Type) bool { return types.IsText(t) || isMember(t) }

// OnceFunctions returns NULLIF and FIELD.
func OnceFunctions() map[string]sql.Function {
	return map[string]sql.Function{
		"nullif": sql.Function2{Name: "nullif", Fn: newNullIf},
		"field":  sql.FunctionN{Name: "field", Fn: newField},
	}
}

// inOnce returns an IN that evaluates its value once.
func inOnce(in expression.Comparer) (sql.Expression, transform.TreeIdentity, error) {
	list, ok := in.Right().(expression.Tuple)
	if _, tuple := in.Left().(expression.Tuple); !ok || tuple {
		return in, transform.SameTree, nil
	}
	return newInList(in, list), transform.NewTree, nil
}
