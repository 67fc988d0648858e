package alldigits

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/shopspring/decimal"

	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// full is a calculation that may have more digits than its type. Its operands are those of the
// calculations inside, which go-mysql-server must not replace by constants with fewer digits.
type full struct {
	sqlexpr.Calculation
	all   bool // the value has all digits, and not only those of its type
	typed bool // the type has all digits too
}

var (
	_ sql.Expression         = (*full)(nil)
	_ sql.CollationCoercible = (*full)(nil)
)

// newFull returns the calculation e. It may have such calculations as operands.
func newFull(e sql.Expression, all bool) *full {
	return &full{Calculation: e.(sqlexpr.Calculation), all: all}
}

// typed returns e with a type that has all digits, because go-mysql-server converts constants in
// conditions to their types.
func typed(e sql.Expression) sql.Expression {
	if f, ok := e.(*full); ok && f.all {
		return &full{f.Calculation, true, true}
	}
	return e
}

// String implements sql.Expression.
func (f *full) String() string { return f.Calculation.(sql.Expression).String() }

// DebugString implements sql.DebugStringer.
func (f *full) DebugString(ctx *sql.Context) string {
	return sql.DebugString(ctx, f.Calculation.(sql.Expression))
}

// Type implements sql.Expression.
func (f *full) Type(ctx *sql.Context) sql.Type {
	if f.typed {
		return sqlvalue.DecimalType(sqlvalue.MaxDigits, sqlvalue.MaxFraction)
	}
	return f.Result(ctx).Typ()
}

// CollationCoercibility implements sql.CollationCoercible.
func (*full) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// Resolved implements sql.Expression.
func (f *full) Resolved() bool { return f.Calculation.(sql.Expression).Resolved() }

// IsNullable implements sql.Expression.
func (f *full) IsNullable(ctx *sql.Context) bool {
	return f.Calculation.(sql.Expression).IsNullable(ctx)
}

// Children implements sql.Expression.
func (f *full) Children() []sql.Expression { return operands(f.Calculation, nil) }

// operands adds the operands of a calculation that are no calculations themselves to all.
func operands(c sqlexpr.Calculation, all []sql.Expression) []sql.Expression {
	if f, ok := c.(*full); ok {
		c = f.Calculation
	}
	for _, e := range c.(sql.Expression).Children() {
		if inner, ok := e.(sqlexpr.Calculation); ok {
			all = operands(inner, all)
		} else {
			all = append(all, e)
		}
	}
	return all
}

// WithChildren implements sql.Expression.
func (f *full) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, left, err := withOperands(ctx, f.Calculation, children)
	if err != nil {
		return nil, err
	}
	if len(left) > 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(f, len(children), len(children)-len(left))
	}
	return &full{e, f.all, f.typed}, nil
}

// withOperands returns c with the first of these operands. left are the others.
func withOperands(ctx *sql.Context, c sqlexpr.Calculation, all []sql.Expression) (changed sqlexpr.Calculation, left []sql.Expression, err error) {
	if f, ok := c.(*full); ok {
		c = f.Calculation
	}
	e := c.(sql.Expression)
	children := append([]sql.Expression{}, e.Children()...)
	for i, o := range children {
		if inner, ok := o.(sqlexpr.Calculation); ok {
			if inner, all, err = withOperands(ctx, inner, all); err != nil {
				return nil, nil, err
			}
			children[i] = inner.(sql.Expression)
			continue
		}
		if len(all) == 0 {
			return nil, nil, sql.ErrInvalidChildrenNumber.New(e, 0, 1)
		}
		children[i], all = all[0], all[1:]
	}
	to, err := e.WithChildren(ctx, children...)
	if err != nil {
		return nil, nil, err
	}
	return to.(sqlexpr.Calculation), all, nil
}

// Eval implements sql.Expression.
func (f *full) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if !f.all {
		return sqlexpr.Rounded(ctx, f.Calculation, row)
	}
	n, null, err := f.Calculate(ctx, row)
	if null || err != nil {
		return nil, err
	}
	return n.Exactly(), nil
}

// keeping is a column of a derived table whose values keep all digits. See [KeepsDigits].
type keeping struct{ expression.UnaryExpressionStub }

var _ sql.CollationCoercible = (*keeping)(nil)

// keep returns e such that KeepsDigits is true for it.
func keep(e sql.Expression) sql.Expression {
	if KeepsDigits(e) {
		return e
	}
	k := &keeping{expression.UnaryExpressionStub{Child: e}}
	if _, ok := e.(*expression.GetField); ok {
		return &keptColumn{k, columnName{e}}
	}
	return k
}

// String implements sql.Expression.
func (k *keeping) String() string { return k.Child.String() }

// DebugString implements sql.DebugStringer.
func (k *keeping) DebugString(ctx *sql.Context) string { return sql.DebugString(ctx, k.Child) }

// Type implements sql.Expression.
func (k *keeping) Type(ctx *sql.Context) sql.Type { return k.Child.Type(ctx) }

// CollationCoercibility implements sql.CollationCoercible.
func (*keeping) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// WithChildren implements sql.Expression.
func (k *keeping) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(k, len(children), 1)
	}
	return &keeping{expression.UnaryExpressionStub{Child: children[0]}}, nil
}

// Eval implements sql.Expression.
func (k *keeping) Eval(ctx *sql.Context, row sql.Row) (any, error) { return k.Child.Eval(ctx, row) }

// rounding is a value with the digits of its type.
type rounding struct{ expression.UnaryExpressionStub }

var _ sql.CollationCoercible = (*rounding)(nil)

func newRounding(e sql.Expression) sql.Expression {
	r := &rounding{expression.UnaryExpressionStub{Child: e}}
	if _, ok := e.(*expression.GetField); ok {
		return &roundedColumn{r, columnName{e}}
	}
	return r
}

// roundedColumn is the rounding of a column, and has its name.
type roundedColumn struct {
	*rounding
	columnName
}

// WithChildren implements sql.Expression.
func (*roundedColumn) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	return newRounding(children[0]), nil
}

// keptColumn is the keeping of a column, and has its name.
type keptColumn struct {
	*keeping
	columnName
}

// WithChildren implements sql.Expression.
func (*keptColumn) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	return keep(children[0]), nil
}

// columnName is the name of a column, which go-mysql-server asks for when it names those of a
// projection.
type columnName struct{ column sql.Expression }

// Name implements sql.Nameable.
func (c columnName) Name() string { return c.column.(*expression.GetField).Name() }

// Table implements sql.Tableable.
func (c columnName) Table() string { return c.column.(*expression.GetField).Table() }

// Database implements sql.Databaseable.
func (c columnName) Database() string { return c.column.(*expression.GetField).Database() }

// String implements sql.Expression.
func (r *rounding) String() string { return r.Child.String() }

// DebugString implements sql.DebugStringer.
func (r *rounding) DebugString(ctx *sql.Context) string { return sql.DebugString(ctx, r.Child) }

// Type implements sql.Expression.
func (r *rounding) Type(ctx *sql.Context) sql.Type { return r.Child.Type(ctx) }

// CollationCoercibility implements sql.CollationCoercible.
func (*rounding) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// WithChildren implements sql.Expression.
func (r *rounding) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(r, len(children), 1)
	}
	return newRounding(children[0]), nil
}

// Eval implements sql.Expression.
func (r *rounding) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := r.Child.Eval(ctx, row)
	if d, ok := v.(decimal.Decimal); ok && err == nil {
		if t, ok := r.Child.Type(ctx).(sql.DecimalType); ok {
			return sqlvalue.Rescale(d, int(t.Scale())), nil
		}
	}
	return v, err
}

// KeepsDigits reports whether the values of e can have more digits than its type, because the query
// around it uses them.
func KeepsDigits(e sql.Expression) bool {
	switch e := e.(type) {
	case *expression.Alias:
		return KeepsDigits(e.Child)
	case *full:
		return e.all
	case *keeping, *keptColumn:
		return true
	}
	return false
}

// LastProjection returns the projection that makes the rows of a query, nil if there is none.
func LastProjection(n sql.Node) *plan.Project { return firstProjection(n) }
