package sqlexpr

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"pfsd/engine/collations"
	"pfsd/engine/sqlvalue"
)

// aggregated is a value of one of several expressions, converted to the type of all of them. See
// [AggregatedType]. Safe for concurrent use.
type aggregated struct {
	expression.UnaryExpressionStub
	typ sql.Type
}

var _ sql.CollationCoercible = (*aggregated)(nil)

// NewAggregated returns e as a value of type t.
func NewAggregated(e sql.Expression, t sql.Type) sql.Expression {
	return &aggregated{expression.UnaryExpressionStub{Child: e}, t}
}

// String implements sql.Expression.
func (a *aggregated) String() string { return a.Child.String() }

// DebugString implements sql.DebugStringer.
func (a *aggregated) DebugString(ctx *sql.Context) string { return sql.DebugString(ctx, a.Child) }

// Type implements sql.Expression.
func (a *aggregated) Type(*sql.Context) sql.Type { return a.typ }

// CollationCoercibility implements sql.CollationCoercible.
func (a *aggregated) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	if t, ok := a.typ.(sql.TypeWithCollation); ok {
		return t.Collation(), collations.ColumnStrength
	}
	return sql.Collation_binary, 5
}

// WithChildren implements sql.Expression.
func (a *aggregated) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(a, len(children), 1)
	}
	return NewAggregated(children[0], a.typ), nil
}

// Eval implements sql.Expression.
func (a *aggregated) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := a.Child.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	return aggregatedValue(ctx, a.Child, v, a.typ)
}

// aggregatedValue returns v, a value of e that is not NULL, as a value of type t.
func aggregatedValue(ctx *sql.Context, e sql.Expression, v any, t sql.Type) (any, error) {
	from := e.Type(ctx)
	switch kindOf(t) {
	case tinyKind, smallKind, mediumKind, intKind, bigKind, yearKind, bitKind:
		v, _, err := t.Convert(ctx, v)
		return v, err
	case decimalKind:
		n, err := sqlvalue.NumberOf(ctx, from, v)
		if err != nil {
			return nil, err
		}
		return exactValue(t, n.Exactly()), nil
	case doubleKind, floatKind:
		n, err := sqlvalue.NumberOf(ctx, from, v)
		if t == types.Float32 {
			return float32(n.Float()), err
		}
		return n.Float(), err
	case datetimeKind:
		m, ok, err := sqlvalue.MomentIn(ctx, from, v, false)
		if !ok || err != nil {
			return nil, err
		}
		return sqlvalue.DatetimeValue(m.Dated(ctx), fractionOf(t)), nil
	case charKind, varcharKind, blobKind:
		return AggregatedText(ctx, e, from, v, t)
	}
	return v, nil
}

// AggregatedText returns v, a value of e of type from, as a text of type t.
func AggregatedText(ctx *sql.Context, e sql.Expression, from sql.Type, v any, t sql.Type) (any, error) {
	var text string
	switch s := v.(type) {
	case string:
		text = s
	case []byte:
		text = string(s)
	default:
		if types.IsText(from) && !collations.NeedsText(from) { // a text that is kept elsewhere
			return v, nil
		}
		var err error
		if text, err = TextOf(ctx, e, v); err != nil {
			return nil, err
		}
	}
	if types.IsTextOnly(t) {
		return text, nil
	}
	b := []byte(text)
	if s, ok := t.(sql.StringType); ok && t.Type() == querypb.Type_BINARY {
		b = append(b, make([]byte, max(0, int(s.Length())-len(b)))...)
	}
	return b, nil
}
