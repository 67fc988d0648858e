package sqlexpr

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/collations"
	"pfsd/engine/sqlvalue"
)

// CaseName is the name of the function that wraps a CASE. A statement can call it only with quotes.
var CaseName = ast.NewColIdent("case of")

// ChoiceFunctions returns IF, IFNULL, COALESCE and CASE.
//
// go-mysql-server: numbers of different types make a DECIMAL with 30 digits behind the point, or
// are clipped. A DATE gets a time of day if another value is a text or a DATETIME. MySQL: signed
// and unsigned integers make a DECIMAL. A DECIMAL has enough digits for all values. If one value is
// a DOUBLE, the result is a DOUBLE. If one value is a text, it is a text.
func ChoiceFunctions() map[string]sql.Function {
	choose := func(name string, least, most int, plain func(ctx *sql.Context, args []sql.Expression) (sql.Expression, error)) sql.Function {
		return sql.FunctionN{Name: name, Fn: func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
			if len(args) < least || len(args) > most {
				return nil, sql.ErrInvalidArgumentNumber.New(name, least, len(args))
			}
			e, err := plain(ctx, args)
			if err != nil {
				return nil, err
			}
			return NewConditional(ctx, e), nil
		}}
	}
	return map[string]sql.Function{
		"if": choose("if", 3, 3, func(ctx *sql.Context, args []sql.Expression) (sql.Expression, error) {
			return function.NewIf(ctx, args[0], args[1], args[2]), nil
		}),
		"ifnull": choose("ifnull", 2, 2, func(ctx *sql.Context, args []sql.Expression) (sql.Expression, error) {
			return function.NewIfNull(ctx, args[0], args[1]), nil
		}),
		"coalesce": choose("coalesce", 1, AnyNumber, func(ctx *sql.Context, args []sql.Expression) (sql.Expression, error) {
			return function.NewCoalesce(ctx, args...)
		}),
		CaseName.Lowered(): sql.Function1{Name: CaseName.Lowered(), Fn: NewConditional},
	}
}

// conditional is IF, IFNULL, COALESCE or CASE. Its value is one of several. Safe for concurrent
// use.
type conditional struct {
	sql.Expression // go-mysql-server's expression
	args           []sql.Expression
	typ            sql.Type     // MySQL's type; nil if go-mysql-server has the same
	kept           keptType     // go-mysql-server's type
	branches       []comparison // the branches of a CASE with a value
}

// NewConditional returns e with MySQL's type and collation. It returns e if go-mysql-server has the same ones,
// and e is no CASE with a value.
func NewConditional(ctx *sql.Context, e sql.Expression) sql.Expression {
	if c, ok := e.(*expression.Case); ok && c.Expr != nil {
		e = caseOfOneCollation(ctx, c)
	}
	c := &conditional{Expression: e}
	c.args = e.Children()
	if e, ok := e.(*expression.Case); ok && e.Expr != nil {
		c.branches = make([]comparison, len(e.Branches))
	}
	if c.typ = commonType(ctx, e, valuesOf(e)); c.typ == nil && c.branches == nil && !losesCollation(ctx, e) {
		return e
	}
	return c
}

// caseOfOneCollation returns a CASE with a value, which is compared with those of the branches by the collation of all of them.
func caseOfOneCollation(ctx *sql.Context, c *expression.Case) *expression.Case {
	all := []sql.Expression{c.Expr}
	for _, b := range c.Branches {
		all = append(all, b.Cond)
	}
	all, changed := collations.InCommon(ctx, all)
	if !changed {
		return c
	}
	branches := slices.Clone(c.Branches)
	for i := range branches {
		branches[i].Cond = all[1+i]
	}
	return expression.NewCase(all[0], branches, c.Else)
}

// losesCollation reports whether e is a conditional of texts of which go-mysql-server does not know the collation.
func losesCollation(ctx *sql.Context, e sql.Expression) bool {
	switch e.(type) {
	case *expression.Case, *function.Coalesce:
		return e.Resolved() && types.IsTextOnly(e.Type(ctx))
	}
	return false
}

// commonType returns MySQL's type of the conditional of, which has one of these values. It returns nil if
// go-mysql-server has the same type.
func commonType(ctx *sql.Context, of sql.Expression, values []sql.Expression) sql.Type {
	var first sql.Type
	same := true
	for _, e := range values {
		if !e.Resolved() {
			return nil
		}
		t := e.Type(ctx)
		if t == nil || t == types.Null {
			continue
		}
		if _, variable := t.(sql.SystemVariableType); variable {
			return nil
		}
		if first == nil {
			first = t
		}
		same = same && t.Equals(first)
	}
	if first != nil && same && of.Type(ctx) == types.Null { // COALESCE, where the first value is NULL
		return first
	}
	if first == nil || same && !types.IsNumber(first) && !types.IsDecimal(first) && !sqlvalue.IsTimespan(first) {
		return nil
	}
	t, err := AggregatedType(ctx, values, "case")
	if err != nil || t == nil || same && t.Equals(first) && !types.IsDecimal(first) && !sqlvalue.IsTimespan(first) {
		return nil // an operator that compares the value has an error for its collations
	}
	return t
}

// Type implements sql.Expression.
func (c *conditional) Type(ctx *sql.Context) sql.Type {
	if c.typ != nil {
		return c.typ
	}
	return c.kept.of(ctx, c, func() sql.Type { return c.Expression.Type(ctx) })
}

// DebugString implements sql.DebugStringer.
func (c *conditional) DebugString(ctx *sql.Context) string { return sql.DebugString(ctx, c.Expression) }

// CollationCoercibility implements sql.CollationCoercible: it is the collation of all values, and the strength of the strongest.
func (c *conditional) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	if !types.IsText(c.Type(ctx)) {
		return collations.CoercibilityOf(ctx, c.Expression)
	}
	collation, strength := collations.Common(ctx, valuesOf(c.Expression))
	if t, ok := c.typ.(sql.TypeWithCollation); ok {
		collation = t.Collation()
	}
	return collation, strength
}

// valuesOf returns the expressions of which a conditional has the value of one.
func valuesOf(e sql.Expression) []sql.Expression {
	if values := collations.ValuesOf(e); values != nil {
		return values
	}
	return e.Children()
}

// WithChildren implements sql.Expression.
func (c *conditional) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := c.Expression.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	if ctx == nil && showsSubquery(e) {
		return &conditional{Expression: e, typ: c.typ}, nil
	}
	return NewConditional(ctx, e), nil
}

// showsSubquery reports whether e is made to be printed only: go-mysql-server puts the text of a subquery in the place of it,
// which has no value and no collation, and ends in a panic when asked for one.
func showsSubquery(e sql.Expression) bool {
	return transform.InspectExpr(nil, e, func(_ *sql.Context, e sql.Expression) bool {
		s, ok := e.(*plan.Subquery)
		if !ok {
			return false
		}
		_, text := s.Query.(*plan.StrExpr)
		return text
	})
}

// Eval implements sql.Expression.
func (c *conditional) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	switch e := c.Expression.(type) {
	case *function.If:
		yes, err := sql.EvaluateCondition(ctx, c.args[0], row)
		if err != nil {
			return nil, err
		}
		if sql.IsTrue(yes) {
			return c.value(ctx, c.args[1], row)
		}
		return c.value(ctx, c.args[2], row)
	case *expression.Case:
		var v any
		if e.Expr != nil {
			var err error
			if v, err = e.Expr.Eval(ctx, row); err != nil {
				return nil, err
			}
		}
		for i, b := range e.Branches {
			yes, err := c.isBranch(ctx, e, i, v, row)
			if err != nil {
				return nil, err
			}
			if yes {
				return c.value(ctx, b.Value, row)
			}
		}
		if e.Else == nil {
			return nil, nil
		}
		return c.value(ctx, e.Else, row)
	}
	for _, a := range c.args {
		if v, err := c.value(ctx, a, row); v != nil || err != nil {
			return v, err
		}
	}
	return nil, nil
}

// isBranch reports whether branch i of a CASE applies. v is the value behind CASE, if there is one.
func (c *conditional) isBranch(ctx *sql.Context, e *expression.Case, i int, v any, row sql.Row) (bool, error) {
	cond := e.Branches[i].Cond
	if e.Expr == nil {
		yes, err := sql.EvaluateCondition(ctx, cond, row)
		return sql.IsTrue(yes), err
	}
	other, err := cond.Eval(ctx, row)
	if err != nil {
		return false, err
	}
	equal, err := c.branches[i].holds(ctx, equals, e.Expr, cond, v, other)
	return equal == true, err
}

// value returns the value of e, one of the expressions, converted to the type of the conditional.
func (c *conditional) value(ctx *sql.Context, e sql.Expression, row sql.Row) (any, error) {
	v, err := e.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	switch {
	case c.typ == nil:
		if own, inRange, err := types.TypeAwareConversion(ctx, v, e.Type(ctx), c.Type(ctx)); inRange == sql.InRange && err == nil {
			return own, nil
		}
		return v, nil
	case types.IsDecimal(c.typ):
		return v, nil // which can have more digits than it shows
	}
	return aggregatedValue(ctx, e, v, c.typ)
}
