package collations

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// Collated is an expression whose texts have a given collation. Safe for concurrent use.
type Collated struct {
	expression.UnaryExpressionStub
	collation sql.CollationID
	weaker    byte // how much weaker it is than its child
}

func NewCollated(child sql.Expression, c sql.CollationID) *Collated {
	return &Collated{UnaryExpressionStub: expression.UnaryExpressionStub{Child: child}, collation: c}
}

var (
	_ sql.Expression         = (*Collated)(nil)
	_ sql.CollationCoercible = (*Collated)(nil)
)

// Eval implements sql.Expression.
func (c *Collated) Eval(ctx *sql.Context, row sql.Row) (any, error) { return c.Child.Eval(ctx, row) }

// Type implements sql.Expression.
func (c *Collated) Type(ctx *sql.Context) sql.Type {
	if t := c.Child.Type(ctx); types.IsBinaryType(t) {
		return t
	}
	return With(c.Child.Type(ctx), c.collation)
}

// CollationCoercibility implements sql.CollationCoercible.
func (c *Collated) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	_, coercibility := CoercibilityOf(ctx, c.Child)
	return c.collation, coercibility + c.weaker
}

// String implements sql.Expression.
func (c *Collated) String() string { return c.Child.String() }

// WithChildren implements sql.Expression.
func (c *Collated) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 1)
	}
	changed := NewCollated(children[0], c.collation)
	changed.weaker = c.weaker
	return changed, nil
}
