package builtins

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/collations"
	"pfsd/engine/sqlvalue"
)

// Limited is an expression whose value is NULL if it is larger than max_allowed_packet. Safe for
// concurrent use.
type Limited struct {
	sql.Expression
	name string
}

// NewLimited returns e limited to max_allowed_packet. The warning has the name of the function.
func NewLimited(e sql.Expression, name string) *Limited { return &Limited{e, name} }

// Unlimited returns the expression inside e if e is a [Limited], else e.
func Unlimited(e sql.Expression) sql.Expression {
	if l, ok := e.(*Limited); ok {
		return l.Expression
	}
	return e
}

var (
	_ sql.FunctionExpression = (*Limited)(nil)
	_ sql.CollationCoercible = (*Limited)(nil)
)

// FunctionName implements sql.FunctionExpression.
func (l *Limited) FunctionName() string { return l.name }

// Description implements sql.FunctionExpression.
func (l *Limited) Description() string { return l.name + " no longer than max_allowed_packet." }

// DebugString implements sql.DebugStringer.
func (l *Limited) DebugString(ctx *sql.Context) string { return sql.DebugString(ctx, l.Expression) }

// CollationCoercibility implements sql.CollationCoercible.
func (l *Limited) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return collations.CoercibilityOf(ctx, l.Expression)
}

// Type implements sql.Expression.
func (l *Limited) Type(ctx *sql.Context) sql.Type {
	return sqlvalue.ReadsSafely(l.Expression.Type(ctx))
}

// String implements sql.Expression. The parser accepts the text.
func (l *Limited) String() string { return l.Expression.String() }

// WithChildren implements sql.Expression.
func (l *Limited) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if err := sqlvalue.Ended(ctx); err != nil { // a rule of the analyzer can change many of them
		return nil, err
	}
	e, err := l.Expression.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return &Limited{e, l.name}, nil
}

// Eval implements sql.Expression.
func (l *Limited) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if err := sqlvalue.Ended(ctx); err != nil {
		return nil, err
	}
	v, err := l.Expression.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	return sqlvalue.LimitedValue(ctx, l.name, v)
}
