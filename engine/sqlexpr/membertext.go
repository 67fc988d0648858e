package sqlexpr

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"

	"pfsd/engine/collations"
	"pfsd/engine/sqlvalue"
)

// memberText is the text of an ENUM or a SET.
type memberText struct{ expression.UnaryExpressionStub }

// NewMemberText returns the text of e if e is an ENUM or a SET of go-mysql-server, else e.
func NewMemberText(ctx *sql.Context, e sql.Expression) sql.Expression {
	switch e.Type(ctx).(type) {
	case sql.EnumType, sql.SetType:
		return &memberText{expression.UnaryExpressionStub{Child: e}}
	}
	return e
}

// String implements sql.Expression.
func (m *memberText) String() string { return m.Child.String() }

// DebugString implements sql.DebugStringer.
func (m *memberText) DebugString(ctx *sql.Context) string { return sql.DebugString(ctx, m.Child) }

// Type implements sql.Expression.
func (m *memberText) Type(ctx *sql.Context) sql.Type {
	switch t := m.Child.Type(ctx).(type) {
	case sql.EnumType:
		return sqlvalue.ChoiceText(t.Values(), false, t.Collation())
	case sql.SetType:
		return sqlvalue.ChoiceText(t.Values(), true, t.Collation())
	}
	return m.Child.Type(ctx)
}

// CollationCoercibility implements sql.CollationCoercible.
func (m *memberText) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return collations.CoercibilityOf(ctx, m.Child)
}

// WithChildren implements sql.Expression.
func (m *memberText) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(m, len(children), 1)
	}
	return &memberText{expression.UnaryExpressionStub{Child: children[0]}}, nil
}

// Eval implements sql.Expression.
func (m *memberText) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := m.Child.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	switch t := m.Child.Type(ctx).(type) {
	case sql.EnumType:
		if n, ok := v.(uint16); ok {
			s, _ := t.At(int(n))
			return s, nil
		}
	case sql.SetType:
		if n, ok := v.(uint64); ok {
			return t.BitsToString(n)
		}
	}
	return v, nil
}
