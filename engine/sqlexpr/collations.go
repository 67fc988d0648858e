package sqlexpr

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// go-mysql-server: the type of the result of a text function has the collation utf8mb4_0900_bin,
// whatever the arguments are. So the result is sorted, grouped and compared by bytes. MySQL: the
// result has the collation of the arguments, or that of the connection.

// CollationOf returns the collation of the texts of e. It returns false if e's type has the right
// collation.
func CollationOf(ctx *sql.Context, e sql.Expression) (sql.CollationID, bool) {
	if c, ok := subqueryCollation(ctx, e); ok { // go-mysql-server does not know how strong it is
		return c, true
	}
	if a, ok := e.(*expression.Alias); ok {
		e = a.Child
	}
	if !HasDefaultCollation(e.Type(ctx)) {
		return 0, false
	}
	if f, ok := e.(*expression.GetField); ok {
		return ConnectionCollation(ctx), f.Database() == "" // a column of a derived table
	}
	c, _ := CoercibilityOf(ctx, e)
	if c == sql.Collation_Unspecified || c == sql.Collation_Default {
		c = ConnectionCollation(ctx)
	}
	return c, c != sql.Collation_Default && c != sql.Collation_binary
}

// CoercibilityOf returns the collation of e and its coercibility.
//
// go-mysql-server: creates functions without a context, and many of them panic if they must return
// their collation without one. MySQL: always has a session.
func CoercibilityOf(ctx *sql.Context, e sql.Expression) (sql.CollationID, byte) {
	if ctx == nil {
		ctx = sql.NewEmptyContext()
	}
	if c, ok := subqueryCollation(ctx, e); ok {
		return c, ColumnStrength
	}
	return sql.GetCoercibility(ctx, e)
}

// subqueryCollation returns the collation of the text that a subquery returns. It returns false if e is no subquery, or if the type of its text
// does not say that.
func subqueryCollation(ctx *sql.Context, e sql.Expression) (sql.CollationID, bool) {
	s, ok := e.(*plan.Subquery)
	if !ok {
		return 0, false
	}
	t := s.Type(ctx)
	if !types.IsTextOnly(t) || HasDefaultCollation(t) {
		return 0, false
	}
	return t.(sql.TypeWithCollation).Collation(), true
}

// HasDefaultCollation reports whether t is a text type with the default collation, which may not be
// the right one.
func HasDefaultCollation(t sql.Type) bool {
	s, ok := t.(sql.StringType)
	return ok && types.IsTextOnly(t) && s.Collation() == sql.Collation_Default
}

// WithCollation returns the text type t with the collation c.
func WithCollation(t sql.Type, c sql.CollationID) sql.Type {
	if own, ok := t.(sql.TypeWithCollation); ok {
		if changed, err := own.WithNewCollation(c); err == nil {
			return changed
		}
	}
	return types.CreateLongText(c) // t is the type of a system variable
}

// withCollations returns the two sides of a comparison of texts, each with its collation.
func withCollations(ctx *sql.Context, left, right sql.Expression) (l, r sql.Expression, changed bool) {
	if !types.IsTextOnly(left.Type(ctx)) || !types.IsTextOnly(right.Type(ctx)) {
		return left, right, false
	}
	if c, ok := CollationOf(ctx, left); ok {
		left, changed = NewCollated(left, c), true
	}
	if c, ok := CollationOf(ctx, right); ok {
		right, changed = NewCollated(right, c), true
	}
	return left, right, changed
}

// withOneCollation returns texts that are all compared with one another such that they have the collation of all of them; false if they have. It
// changes nothing where they are not resolved, and without a context: then they are copies that go-mysql-server prints, with texts in the place of
// subqueries.
//
// go-mysql-server: compares the first with each other by the collation of the two. MySQL: by that of all.
func withOneCollation(ctx *sql.Context, all []sql.Expression) ([]sql.Expression, bool) {
	if ctx == nil || slices.ContainsFunc(all, func(e sql.Expression) bool { return !e.Resolved() }) {
		return all, false
	}
	common, strength, several := sql.Collation_Unspecified, byte(0), false
	for i, e := range all {
		if !types.IsText(e.Type(ctx)) && !types.IsEnum(e.Type(ctx)) && !types.IsSet(e.Type(ctx)) {
			return all, false
		}
		c, made := CollationOf(ctx, e)
		own, s := CoercibilityOf(ctx, e)
		if !made {
			c = own
		}
		if i == 0 {
			common, strength = c, s
			continue
		}
		several = several || c != common
		common, strength = sql.ResolveCoercibility(common, strength, c, s)
	}
	if !several || common == sql.Collation_binary || common == sql.Collation_Unspecified {
		return all, false
	}
	one := make([]sql.Expression, len(all))
	for i, e := range all {
		if !types.IsTextOnly(e.Type(ctx)) {
			e = expression.NewConvert(e, expression.ConvertToChar)
		}
		one[i] = NewCollated(e, common)
	}
	return one, true
}

// Collated is an expression whose texts have a given collation. Safe for concurrent use.
type Collated struct {
	expression.UnaryExpressionStub
	collation sql.CollationID
}

func NewCollated(child sql.Expression, c sql.CollationID) *Collated {
	return &Collated{expression.UnaryExpressionStub{Child: child}, c}
}

var (
	_ sql.Expression         = (*Collated)(nil)
	_ sql.CollationCoercible = (*Collated)(nil)
)

// Eval implements sql.Expression.
func (c *Collated) Eval(ctx *sql.Context, row sql.Row) (any, error) { return c.Child.Eval(ctx, row) }

// Type implements sql.Expression.
func (c *Collated) Type(ctx *sql.Context) sql.Type {
	return WithCollation(c.Child.Type(ctx), c.collation)
}

// CollationCoercibility implements sql.CollationCoercible.
func (c *Collated) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	_, coercibility := CoercibilityOf(ctx, c.Child)
	return c.collation, coercibility
}

// String implements sql.Expression.
func (c *Collated) String() string { return c.Child.String() }

// WithChildren implements sql.Expression.
func (c *Collated) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 1)
	}
	return NewCollated(children[0], c.collation), nil
}

// ConnectionCollation returns collation_connection, or the default collation if there is no
// session. go-mysql-server creates expressions without a session.
func ConnectionCollation(ctx *sql.Context) sql.CollationID {
	if ctx == nil || ctx.Session == nil {
		return sql.Collation_Default
	}
	return ctx.GetCollation()
}

// CollationFrom returns a function for [Definition].Collated: it returns the common collation of
// the arguments, without those before argument first.
func CollationFrom(first int) func(*sql.Context, []sql.Expression) (sql.CollationID, byte) {
	return func(ctx *sql.Context, args []sql.Expression) (sql.CollationID, byte) {
		collation, strength := textCollation(ctx, args[first])
		for _, a := range args[first+1:] {
			other, otherStrength := textCollation(ctx, a)
			collation, strength = sql.ResolveCoercibility(collation, strength, other, otherStrength)
		}
		return collation, strength
	}
}

// textCollation returns the collation of an expression as text, and its coercibility.
func textCollation(ctx *sql.Context, e sql.Expression) (sql.CollationID, byte) {
	if NeedsText(e.Type(ctx)) {
		return ConnectionCollation(ctx), 4
	}
	return CoercibilityOf(ctx, e)
}
