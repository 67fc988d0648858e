package sqlexpr

import (
	"bytes"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/sqlvalue"
)

// Weight is the collation weight of a text, as bytes. Texts that are equal have the same weight.
// The weight of NULL is NULL. Safe for concurrent use.
type Weight struct {
	expression.UnaryExpressionStub
	collation sql.CollationID
}

var _ sql.Expression = (*Weight)(nil)

func NewWeight(child sql.Expression, collation sql.CollationID) *Weight {
	return &Weight{expression.UnaryExpressionStub{Child: child}, collation}
}

// Eval implements sql.Expression.
func (w *Weight) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := w.Child.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	key, ok, err := weigh(ctx, v, w.collation)
	if !ok {
		return v, err
	}
	return key, nil
}

// weigh returns the collation weight of v. It returns false if v has no text.
func weigh(ctx *sql.Context, v any, collation sql.CollationID) ([]byte, bool, error) {
	s, ok := v.(string)
	if !ok {
		converted, err := sqlvalue.TextOf(ctx, v)
		if err != nil {
			return nil, false, err
		}
		if s, ok, err = sql.Unwrap[string](ctx, converted); err != nil || !ok {
			return nil, false, err
		}
	}
	var key bytes.Buffer
	if err := collation.WriteWeightString(&key, s); err != nil {
		return nil, false, err
	}
	return key.Bytes(), true, nil
}

// Type implements sql.Expression.
func (*Weight) Type(*sql.Context) sql.Type { return types.LongBlob }

// String implements sql.Expression.
func (w *Weight) String() string { return w.Child.String() }

// WithChildren implements sql.Expression.
func (w *Weight) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(w, len(children), 1)
	}
	return NewWeight(children[0], w.collation), nil
}

// Folding returns the collation of a text type. It returns false if t is no text type, or if only
// texts with the same bytes are equal in its collation.
func Folding(t sql.Type) (sql.CollationID, bool) {
	s, ok := t.(sql.TypeWithCollation)
	if !ok || !types.IsTextOnly(t) || strings.HasSuffix(s.Collation().Name(), "bin") || s.Collation() == sql.Collation_binary {
		return 0, false
	}
	return s.Collation(), true
}

// CommonCollation returns the collation that compares left and right.
func CommonCollation(ctx *sql.Context, left, right sql.Expression) sql.CollationID {
	left, right, _ = withCollations(ctx, left, right)
	l, lc := coercibilityOf(ctx, left)
	r, rc := coercibilityOf(ctx, right)
	c, _ := sql.ResolveCoercibility(l, lc, r, rc)
	return c
}
