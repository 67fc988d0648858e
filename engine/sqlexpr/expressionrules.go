package sqlexpr

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/collations"
	"pfsd/engine/mends"
	"pfsd/engine/sqlvalue"
)

// MendExpressions returns n with expressions that calculate as MySQL does in the place of others:
// IN, BETWEEN, LIKE, <=>, comparisons of numbers, texts and times, Double columns,
// @@collation_database, NOW with digits, and the digits of ROUND, TRUNCATE and PI.
func MendExpressions(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	n, same, err := withExpressions(ctx, n, replace)
	if err != nil {
		return nil, same, err
	}
	n, placed, err := withPlaces(ctx, n)
	return n, same && placed, err
}

// MendExpression is [MendExpressions] for one expression.
func MendExpression(ctx *sql.Context, e sql.Expression) (sql.Expression, error) {
	e, _, err := transform.Expr(ctx, e, replace)
	return e, err
}

// replace returns the expression that replaces e, or e if nothing replaces it. It has one case for each kind of expression.
func replace(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	if err := collations.Illegal(ctx, e); err != nil {
		return nil, transform.SameTree, err
	}
	if c, ok := e.(expression.Comparer); ok && mends.SubqueryValues.On() {
		if r, ok, err := newRowSubquery(ctx, c); ok || err != nil {
			return r, transform.NewTree, err
		}
	}
	switch e := e.(type) {
	case *expression.GetField:
		return plainDouble(ctx, e)
	case *expression.HashInTuple:
		return in(ctx, e)
	case *expression.InTuple:
		return in(ctx, e)
	case *plan.InSubquery:
		if mends.SubqueryValues.On() {
			if s, ok, err := newInSubquery(ctx, e); ok || err != nil {
				return s, transform.NewTree, err
			}
		}
	case *expression.Between:
		if mends.Betweens.On() {
			if all, changed := collations.InCommon(ctx, e.Children()); changed {
				e = expression.NewBetween(all[0], all[1], all[2])
			}
			return newBetween(e), transform.NewTree, nil
		}
	case *expression.SystemVar:
		if ctx.GetCurrentDatabase() == "" && e.Collation == sql.Collation_Default && mends.NoDatabaseCollation.On() {
			changed := *e
			changed.Collation = ServerCollation(ctx)
			return &changed, transform.NewTree, nil
		}
	case *expression.Like:
		if c, ok := collations.Of(ctx, e.LeftChild); ok && mends.LikesOfMadeTexts.On() && types.IsTextOnly(e.LeftChild.Type(ctx)) {
			e = expression.NewLike(collations.NewCollated(e.LeftChild, c), e.RightChild, e.Escape).(*expression.Like)
		}
		return newLike(e), transform.NewTree, nil
	case *like:
		if c, ok := collations.Of(ctx, e.LeftChild); ok && mends.LikesOfMadeTexts.On() && types.IsTextOnly(e.LeftChild.Type(ctx)) {
			return newLike(expression.NewLike(collations.NewCollated(e.LeftChild, c), e.RightChild, e.Escape).(*expression.Like)), transform.NewTree, nil
		}
	case *aggregation.Max, *aggregation.Min:
		if of := e.Children()[0]; types.IsTextOnly(of.Type(ctx)) && mends.MadeTexts.On() {
			if c, ok := collations.Of(ctx, of); ok {
				replaced, err := e.WithChildren(ctx, collations.NewCollated(of, c))
				return replaced, transform.NewTree, err
			}
		}
	case *function.Collation, *function.Coercibility:
		if to, ok := collations.Told(ctx, e); ok && mends.MadeTexts.On() {
			return to, transform.NewTree, nil
		}
	case *function.Char: // which go-mysql-server makes itself, and not as a call of a function
		if args := e.Children(); len(args) >= manyArguments && slices.ContainsFunc(args, needsStop) {
			replaced, err := e.WithChildren(ctx, withStops(args)...)
			return replaced, transform.NewTree, err
		}
	case *function.Now:
		if args := e.Children(); len(args) == 1 && mends.NowDigits.On() {
			replaced, err := nowWithDigits.Of(args)
			return replaced, transform.NewTree, err
		}
	case *expression.NullSafeEquals:
		if to, ok, err := comparedMembers(ctx, e); err != nil || ok {
			return replaced(ctx, to, err)
		}
		if to, changed, err := plainTimes(ctx, e); changed || err != nil {
			return to, transform.NewTree, err
		}
		if types.IsTextOnly(e.Left().Type(ctx)) && types.IsTextOnly(e.Right().Type(ctx)) {
			if !mends.NullSafeTexts.On() {
				return e, transform.SameTree, nil
			}
			left, right, _ := collations.OfBoth(ctx, e.Left(), e.Right())
			return &nullSafe{e, expression.NewEquals(left, right)}, transform.NewTree, nil
		}
		return compareNumbers(ctx, e)
	case *expression.Equals, *expression.GreaterThan, *expression.GreaterThanOrEqual, *expression.LessThan, *expression.LessThanOrEqual:
		if to, ok, err := comparedMembers(ctx, e); err != nil || ok {
			return replaced(ctx, to, err)
		}
		if to, changed, err := plainTimes(ctx, e); changed || err != nil {
			return to, transform.NewTree, err
		}
		sides := e.Children()
		if left, right, changed := collations.OfBoth(ctx, sides[0], sides[1]); changed && mends.MadeTexts.On() {
			replaced, err := e.WithChildren(ctx, left, right)
			return replaced, transform.NewTree, err
		}
		return compareNumbers(ctx, e.(expression.Comparer))
	}
	return e, transform.SameTree, nil
}

// plainTimes returns the comparison e of a time such that go-mysql-server compares it as one; false if it needs no change.
func plainTimes(ctx *sql.Context, e sql.Expression) (sql.Expression, bool, error) {
	sides := e.Children()
	left, plainLeft := sqlvalue.AsPlainTime(ctx, sides[0])
	right, plainRight := sqlvalue.AsPlainTime(ctx, sides[1])
	if !plainLeft && !plainRight || timeAndNumber(sides[0].Type(ctx), sides[1].Type(ctx)) {
		short := false
		if left, right, short = shortTimes(ctx, sides[0], sides[1]); !short {
			return e, false, nil
		}
	}
	to, err := e.WithChildren(ctx, left, right)
	return to, true, err
}

// replaced returns the expression that replaces e, which has replaced another one.
func replaced(ctx *sql.Context, e sql.Expression, err error) (sql.Expression, transform.TreeIdentity, error) {
	if err != nil {
		return nil, transform.SameTree, err
	}
	e, _, err = replace(ctx, e)
	return e, transform.NewTree, err
}

// in returns the expression that replaces "value IN (values)", or e if nothing replaces it.
func in(ctx *sql.Context, e expression.Comparer) (sql.Expression, transform.TreeIdentity, error) {
	if list, ok := e.Right().(expression.Tuple); ok && len(list) > 1 && mends.TextLists.On() {
		if all, changed := collations.InCommon(ctx, append([]sql.Expression{e.Left()}, list...)); changed {
			return inOnce(expression.NewInTuple(all[0], expression.Tuple(all[1:])))
		}
	}
	if types.IsTextOnly(e.Left().Type(ctx)) {
		if !mends.TextLists.On() {
			return e, transform.SameTree, nil
		}
		return textIn(ctx, e)
	}
	return inNumbers(ctx, e)
}

// nullSafe is "text <=> text".
//
// go-mysql-server: compares by bytes. MySQL: compares by the collation, as = does.
type nullSafe struct {
	expression.Comparer
	equals *expression.Equals
}

// Eval implements sql.Expression.
func (n *nullSafe) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	equal, err := n.equals.Eval(ctx, row)
	if err != nil || equal != nil {
		return equal, err
	}
	return n.Comparer.Eval(ctx, row)
}

// WithChildren implements sql.Expression.
func (n *nullSafe) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 2 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 2)
	}
	return &nullSafe{expression.NewNullSafeEquals(children[0], children[1]), expression.NewEquals(children[0], children[1])}, nil
}

// ServerCollation returns collation_server in the session of ctx.
func ServerCollation(ctx *sql.Context) sql.CollationID {
	if v, err := ctx.GetSessionVariable(ctx, "collation_server"); err == nil {
		if name, ok := v.(string); ok {
			if c, err := sql.ParseCollation("", name, false); err == nil {
				return c
			}
		}
	}
	return sql.Collation_utf8mb4_0900_ai_ci
}
