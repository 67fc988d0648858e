package sqlexpr

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/collations"
	"pfsd/engine/hexliterals"
	"pfsd/engine/sqlvalue"
)

// PlainDoubles is an analyzer rule. Inside expressions, it gives a column of type [sqlvalue.Double]
// go-mysql-server's type DOUBLE, because go-mysql-server finds out by comparing types how to
// calculate. It also replaces comparisons of a text with a DECIMAL. A plan of one table can bypass
// the analyzer; [MendExpressions] does the same for it.
func PlainDoubles(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		node, unchanged, err := decimalTargets(n)
		if err != nil {
			return nil, transform.SameTree, err
		}
		node, same, err := withExpressions(ctx, node, func(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			if err := collations.Illegal(ctx, e); err != nil {
				return nil, transform.SameTree, err
			}
			if to, changed, err := hexliterals.Compared(ctx, e); changed || err != nil {
				return to, transform.NewTree, err
			}
			if b, ok := e.(*expression.Between); ok {
				if _, several := collations.InCommon(ctx, b.Children()); several {
					return replace(ctx, e) // which go-mysql-server would make two comparisons of
				}
			}
			if to, ok, err := comparedMembers(ctx, e); ok || err != nil {
				return to, transform.NewTree, err
			}
			if isConstantComparison(ctx, e) {
				if in, ok := e.(*expression.InTuple); ok {
					return inOnce(in)
				}
				return replace(ctx, e) // which go-mysql-server calculates before MendExpressions comes
			}
			switch e := e.(type) {
			case *expression.GetField:
				return plainDouble(ctx, e)
			case *expression.SetField:
				return storedTexts(ctx, e)
			case *sql.ColumnDefaultValue:
				if changed := decimalDefault(e); changed != nil {
					return changed, transform.NewTree, nil
				}
			case *expression.Equals, *expression.NullSafeEquals, *expression.GreaterThan, *expression.GreaterThanOrEqual, *expression.LessThan, *expression.LessThanOrEqual:
				if c := e.(expression.Comparer); sqlvalue.IsTextBesideDecimal(c.Left().Type(ctx), c.Right().Type(ctx)) {
					return compareNumbers(ctx, c) // an index lookup would convert any text to DECIMAL
				}
				return withoutKeys(ctx, e)
			case *expression.Not:
				return withoutKeys(ctx, e)
			case sql.ExpressionWithNodes:
				return plainSubqueries(ctx, e)
			case *expression.Between:
				if t := e.Val.Type(ctx); sqlvalue.IsTextBesideDecimal(t, e.Lower.Type(ctx)) || sqlvalue.IsTextBesideDecimal(t, e.Upper.Type(ctx)) {
					return newBetween(e), transform.NewTree, nil
				}
				return withoutKeys(ctx, e)
			case *expression.InTuple:
				if list, ok := e.Right().(expression.Tuple); ok && slices.ContainsFunc(list, func(o sql.Expression) bool { return sqlvalue.IsTextBesideDecimal(e.Left().Type(ctx), o.Type(ctx)) }) {
					return inOnce(e)
				}
				return withoutKeys(ctx, e)
			}
			return e, transform.SameTree, nil
		})
		return node, unchanged && same, err
	})
}

// isConstantComparison tells whether e compares what is known without a row.
func isConstantComparison(ctx *sql.Context, e sql.Expression) bool {
	switch e.(type) {
	case expression.Comparer, *expression.Between, *expression.Like:
	default:
		return false
	}
	return isConstant(ctx, e)
}

// withExpressions returns n with f applied to its expressions and their children, but not to
// expressions that are columns.
func withExpressions(ctx *sql.Context, n sql.Node, f transform.ExprFunc) (sql.Node, transform.TreeIdentity, error) {
	node, ok := n.(sql.Expressioner)
	if !ok {
		return n, transform.SameTree, nil
	}
	expressions := node.Expressions()
	var changed []sql.Expression
	for i, e := range expressions {
		column := e
		if a, ok := e.(*expression.Alias); ok {
			column = a.Child
		}
		switch column.(type) {
		case *expression.GetField, *expression.Literal:
			continue
		}
		other, same, err := transform.Expr(ctx, e, f)
		if err != nil {
			return nil, transform.SameTree, err
		}
		if !same {
			if changed == nil {
				changed = slices.Clone(expressions)
			}
			changed[i] = other
		}
	}
	if changed == nil {
		return n, transform.SameTree, nil
	}
	n, err := node.WithExpressions(ctx, changed...)
	return n, transform.NewTree, err
}

func plainDouble(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	f, ok := e.(*expression.GetField)
	if !ok {
		return e, transform.SameTree, nil
	}
	if _, ok := f.Type(ctx).(*sqlvalue.Double); !ok {
		return e, transform.SameTree, nil
	}
	plain := expression.NewGetFieldWithTable(f.Index(), int(f.TableId()), types.Float64, f.Database(), f.Table(), f.Name(), f.IsNullable(ctx))
	return plain.WithId(f.Id()).(sql.Expression), transform.NewTree, nil
}
