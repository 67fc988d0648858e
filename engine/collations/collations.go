package collations

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/sqlvalue"
)

// go-mysql-server: the type of the result of a text function has the collation utf8mb4_0900_bin,
// whatever the arguments are. So the result is sorted, grouped and compared by bytes. MySQL: the
// result has the collation of the arguments, or that of the connection.

// Of returns the collation of the texts of e. It returns false if e's type has the right collation.
func Of(ctx *sql.Context, e sql.Expression) (sql.CollationID, bool) {
	if c, ok := ofSubquery(ctx, e); ok { // go-mysql-server does not know how strong it is
		return c, true
	}
	if a, ok := e.(*expression.Alias); ok {
		e = a.Child
	}
	if !IsDefault(e.Type(ctx)) {
		return 0, false
	}
	if f, ok := e.(*expression.GetField); ok {
		return OfConnection(ctx), f.Database() == "" // a column of a derived table
	}
	c, _ := CoercibilityOf(ctx, e)
	if c == sql.Collation_Unspecified || c == sql.Collation_Default {
		c = OfConnection(ctx)
	}
	return c, c != sql.Collation_Default && c != sql.Collation_binary
}

// CoercibilityOf returns the collation of e and its coercibility.
//
// go-mysql-server: creates functions without a context, and many of them panic if they must return their collation without one; the number of
// ELT is one of its texts, and a function has the collation of NULL where its first value is NULL. MySQL: always has a session, and asks the texts
// of which the result is made.
func CoercibilityOf(ctx *sql.Context, e sql.Expression) (sql.CollationID, byte) {
	if ctx == nil {
		ctx = sql.NewEmptyContext()
	}
	if c, ok := ofSubquery(ctx, e); ok {
		return c, ColumnStrength
	}
	if values := ValuesOf(e); values != nil && e.Resolved() && types.IsText(e.Type(ctx)) {
		return Common(ctx, values)
	}
	c, strength := sql.GetCoercibility(ctx, e)
	if strength > LiteralStrength && e.Resolved() && types.IsTextOnly(e.Type(ctx)) {
		return OfConnection(ctx), LiteralStrength
	}
	return c, strength
}

// ValuesOf returns the expressions of whose texts e returns one or makes one, nil if go-mysql-server knows the collation of that.
func ValuesOf(e sql.Expression) []sql.Expression {
	switch e := e.(type) {
	case *function.If:
		return e.Children()[1:]
	case *function.IfNull, *function.Coalesce:
		return e.Children()
	case *function.NullIf:
		return e.Children()[:1]
	case *function.Elt:
		return e.Children()[1:]
	case *expression.Case:
		var values []sql.Expression
		for _, b := range e.Branches {
			values = append(values, b.Value)
		}
		if e.Else != nil {
			values = append(values, e.Else)
		}
		return values
	}
	return nil
}

// ofSubquery returns the collation of the text that a subquery returns. It returns false if e is no subquery, or if the type of its text
// does not say that.
func ofSubquery(ctx *sql.Context, e sql.Expression) (sql.CollationID, bool) {
	s, ok := e.(*plan.Subquery)
	if !ok {
		return 0, false
	}
	t := s.Type(ctx)
	if !types.IsTextOnly(t) || IsDefault(t) {
		return 0, false
	}
	return t.(sql.TypeWithCollation).Collation(), true
}

// Coercibilities of MySQL. A lower one wins.
const (
	ExplicitStrength = 0
	ColumnStrength   = 2
	LiteralStrength  = 4
	NumberStrength   = 5
	nullStrength     = 6
)

// Resolve returns the collation by which texts with the collations a and b and their coercibilities are compared, and that of what is made of them,
// and its coercibility. mixed says that MySQL has none: then a is returned.
//
// go-mysql-server: a text of a column wins over the bytes of one, and the order of the two decides between two collations of one character set.
// MySQL: bytes win over texts of the same strength.
func Resolve(a sql.CollationID, strengthA byte, b sql.CollationID, strengthB byte) (c sql.CollationID, strength byte, mixed bool) {
	second := strengthB < strengthA
	switch {
	case a == b:
	case a == sql.Collation_Unspecified:
		second = true
	case b == sql.Collation_Unspecified:
		second = false
	case a == sql.Collation_binary, b == sql.Collation_binary:
		second = second || strengthA == strengthB && b == sql.Collation_binary
	case strengthA != strengthB:
	case a.CharacterSet() != b.CharacterSet():
		second = b.CharacterSet().MaxLength() > a.CharacterSet().MaxLength()
	case strengthA == ExplicitStrength:
		mixed = true
	case isBin(a):
	case isBin(b):
		second = true
	case strengthA == ColumnStrength:
		mixed = true
	}
	if second {
		return b, strengthB, mixed
	}
	return a, strengthA, mixed
}

// isBin reports whether a collation compares characters by their numbers.
func isBin(c sql.CollationID) bool { return strings.HasSuffix(c.Name(), "_bin") }

// Common returns the collation of a text that is made of these values, or is one of them, and its coercibility. Numbers and times have the
// collation of the connection.
func Common(ctx *sql.Context, values []sql.Expression) (sql.CollationID, byte) {
	common, strength := sql.Collation_binary, byte(nullStrength)
	for _, e := range values {
		if e.Type(ctx) == types.Null {
			continue
		}
		c, s := OfConnection(ctx), byte(NumberStrength)
		if !NeedsText(e.Type(ctx)) {
			c, s = CoercibilityOf(ctx, e)
		}
		common, strength, _ = Resolve(common, strength, c, s)
	}
	if strength == nullStrength {
		return OfConnection(ctx), LiteralStrength
	}
	return common, min(strength, LiteralStrength)
}

// From returns the common collation of the arguments of a function, without those before argument first.
func From(first int) func(*sql.Context, []sql.Expression) (sql.CollationID, byte) {
	return func(ctx *sql.Context, args []sql.Expression) (sql.CollationID, byte) {
		return Common(ctx, args[first:])
	}
}

// NeedsText reports whether values of a type must be converted to text.
func NeedsText(t sql.Type) bool {
	return types.IsNumber(t) || types.IsDecimal(t) || types.IsTime(t) || sqlvalue.IsTimespan(t) || types.IsYear(t) || types.IsJSON(t) || types.IsBit(t)
}

// IsDefault reports whether t is a text type with the default collation, which may not be the right
// one.
func IsDefault(t sql.Type) bool {
	s, ok := t.(sql.StringType)
	return ok && types.IsTextOnly(t) && s.Collation() == sql.Collation_Default
}

// With returns the text type t with the collation c.
func With(t sql.Type, c sql.CollationID) sql.Type {
	if own, ok := t.(sql.TypeWithCollation); ok {
		if changed, err := own.WithNewCollation(c); err == nil {
			return changed
		}
	}
	return types.CreateLongText(c) // t is the type of a system variable
}

// OfConnection returns collation_connection, or the default collation if there is no session.
// go-mysql-server creates expressions without a session.
func OfConnection(ctx *sql.Context) sql.CollationID {
	if ctx == nil || ctx.Session == nil {
		return sql.Collation_Default
	}
	return ctx.GetCollation()
}

// OfBoth returns the two sides of a comparison of texts, each with its collation.
func OfBoth(ctx *sql.Context, left, right sql.Expression) (l, r sql.Expression, changed bool) {
	if !types.IsTextOnly(left.Type(ctx)) || !types.IsTextOnly(right.Type(ctx)) {
		return left, right, false
	}
	for _, side := range []*sql.Expression{&left, &right} {
		if c, ok := needed(ctx, *side); ok {
			*side, changed = NewCollated(*side, c), true
		}
	}
	return left, right, changed
}

// needed returns the collation that a side of a comparison has to be given; false if go-mysql-server knows it, and how strong it is.
func needed(ctx *sql.Context, e sql.Expression) (sql.CollationID, bool) {
	if c, ok := Of(ctx, e); ok {
		return c, true
	}
	if ValuesOf(e) == nil || !e.Resolved() {
		return 0, false
	}
	plain, plainStrength := sql.GetCoercibility(ctx, e)
	c, strength := CoercibilityOf(ctx, e)
	return c, c != sql.Collation_binary && (c != plain || strength != plainStrength)
}

// InCommon returns texts that are all compared with one another such that they have the collation of all of them; false if they have. It
// changes nothing where they are not resolved, and without a context: then they are copies that go-mysql-server prints, with texts in the place of
// subqueries.
//
// go-mysql-server: compares the first with each other by the collation of the two. MySQL: by that of all.
func InCommon(ctx *sql.Context, all []sql.Expression) ([]sql.Expression, bool) {
	if ctx == nil || slices.ContainsFunc(all, func(e sql.Expression) bool { return !e.Resolved() }) {
		return all, false
	}
	common, strength, several := sql.Collation_Unspecified, byte(0), false
	for i, e := range all {
		if !types.IsText(e.Type(ctx)) && !types.IsEnum(e.Type(ctx)) && !types.IsSet(e.Type(ctx)) {
			return all, false
		}
		c, made := Of(ctx, e)
		own, s := CoercibilityOf(ctx, e)
		if !made {
			c = own
		}
		if i == 0 {
			common, strength = c, s
			continue
		}
		several = several || c != common
		common, strength, _ = Resolve(common, strength, c, s)
	}
	if !several || common == sql.Collation_Unspecified {
		return all, false
	}
	one := make([]sql.Expression, len(all))
	for i, e := range all {
		switch {
		case common == sql.Collation_binary: // a conversion is as strong as a column
			bytes := NewCollated(expression.NewConvert(e, expression.ConvertToBinary), common)
			bytes.weaker = max(strength, ColumnStrength) - ColumnStrength
			one[i] = bytes
		case types.IsTextOnly(e.Type(ctx)):
			one[i] = NewCollated(e, common)
		default:
			one[i] = NewCollated(expression.NewConvert(e, expression.ConvertToChar), common)
		}
	}
	return one, true
}
