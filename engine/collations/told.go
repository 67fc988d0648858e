package collations

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// told is COLLATION or COERCIBILITY: what it returns is known without a row. Safe for concurrent use.
//
// go-mysql-server: both ask the value, and a NULL in a column of texts is binary; a number in a column is as strong as a text in one. MySQL: the
// type says it.
type told struct {
	expression.UnaryExpressionStub
	name  string
	value any
	typ   sql.Type
}

var (
	_ sql.FunctionExpression = (*told)(nil)
	_ sql.CollationCoercible = (*told)(nil)
)

// Told returns what replaces e, a call of COLLATION or COERCIBILITY; false if e is none, or if nobody knows the collation of its argument yet.
func Told(ctx *sql.Context, e sql.Expression) (sql.Expression, bool) {
	asked, strength := false, false
	switch e.(type) {
	case *function.Collation:
		asked = true
	case *function.Coercibility:
		asked, strength = true, true
	}
	if !asked || !e.Resolved() {
		return e, false
	}
	of := e.Children()[0]
	c, s := sql.GetCoercibility(ctx, of)
	switch t := of.Type(ctx); {
	case t == types.Null:
		c, s = sql.Collation_binary, nullStrength
	case types.IsText(t), types.IsEnum(t), types.IsSet(t):
		if c, s = CoercibilityOf(ctx, of); types.IsTextOnly(t) {
			if own, ok := Of(ctx, of); ok {
				c = own
			}
		}
	case NeedsText(t) && !types.IsJSON(t):
		c, s = sql.Collation_binary, NumberStrength
	}
	if strength {
		return &told{expression.UnaryExpressionStub{Child: of}, "coercibility", int32(s), types.Int32}, true
	}
	return &told{expression.UnaryExpressionStub{Child: of}, "collation", c.Name(), types.LongText}, true
}

// FunctionName implements sql.FunctionExpression.
func (t *told) FunctionName() string { return t.name }

// Description implements sql.FunctionExpression.
func (t *told) Description() string { return t.name + " of an expression." }

// Eval implements sql.Expression.
func (t *told) Eval(*sql.Context, sql.Row) (any, error) { return t.value, nil }

// Type implements sql.Expression.
func (t *told) Type(*sql.Context) sql.Type { return t.typ }

// IsNullable implements sql.Expression.
func (*told) IsNullable(*sql.Context) bool { return false }

// String implements sql.Expression.
func (t *told) String() string { return t.name + "(" + t.Child.String() + ")" }

// CollationCoercibility implements sql.CollationCoercible.
func (t *told) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	if types.IsText(t.typ) {
		return sql.Collation_utf8mb3_general_ci, 3 // a name of the server
	}
	return sql.Collation_binary, NumberStrength
}

// WithChildren implements sql.Expression.
func (t *told) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(t, len(children), 1)
	}
	return &told{expression.UnaryExpressionStub{Child: children[0]}, t.name, t.value, t.typ}, nil
}
