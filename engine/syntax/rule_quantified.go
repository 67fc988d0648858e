package syntax

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Quantified is the name of the function that compares a value with the values of a subquery. Its
// arguments are the operator, ANY or ALL, the value and the subquery.
const Quantified = "any or all"

// quantified replaces a comparison with ANY, SOME or ALL by IN, NOT IN or a call of the function
// Quantified.
//
//	SELECT a = ANY (SELECT b FROM t)   becomes  SELECT a IN (SELECT b FROM t)
//	SELECT a <> ALL (SELECT b FROM t)  becomes  SELECT a NOT IN (SELECT b FROM t)
//	SELECT a > ALL (SELECT b FROM t)   becomes  SELECT a > `any or all`('ALL', (SELECT b FROM t))
//
// The function compare then changes the syntax tree of the last example to that of `any or
// all`('>', 'ALL', a, (SELECT b FROM t)) = 1.
//
// go-mysql-server: a syntax error. MySQL: compares with each row of the subquery.
func quantified(r *rewriting) {
	for i := range r.tokens {
		all := r.is(i, "ALL")
		if !all && !r.is(i, "ANY") && !r.is(i, "SOME") || !r.is(i+1, "(") || !(r.is(i+2, "SELECT") || r.is(i+2, "WITH") || r.is(i+2, "VALUES") || r.is(i+2, "TABLE") || r.is(i+2, "(")) {
			continue
		}
		from := i
		for from > 0 && r.tokens[from-1].kind == kindMark && strings.Contains("<>=!", r.word(from-1)) {
			from--
		}
		operator := ""
		for j := from; j < i; j++ {
			operator += r.word(j)
		}
		switch {
		case operator == "":
		case operator == "=" && !all:
			r.replace(from, i, "IN")
		case (operator == "<>" || operator == "!=") && all:
			r.replace(from, i, "NOT IN")
		default:
			word := "ANY"
			if all {
				word = "ALL"
			}
			r.replace(i, i, "`"+Quantified+"`('"+word+"',")
			r.insert(r.closing(i+1), ")")
			r.hasComparisons = true
		}
	}
}

// compare completes, in the syntax tree, the comparisons that quantified and predicates rewrote.
func compare(s ast.Statement) {
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		c, ok := n.(*ast.ComparisonExpr)
		if !ok {
			return true, nil
		}
		if predicate(c) {
			return true, nil
		}
		f, ok := c.Right.(*ast.FuncExpr)
		if !ok || !f.Name.EqualString(Quantified) || len(f.Exprs) != 2 {
			return true, nil
		}
		f.Exprs = append(ast.SelectExprs{
			&ast.AliasedExpr{Expr: ast.NewStrVal([]byte(c.Operator))}, f.Exprs[0], &ast.AliasedExpr{Expr: c.Left},
		}, f.Exprs[1:]...)
		c.Operator, c.Left, c.Right = ast.EqualStr, f, ast.NewIntVal([]byte("1"))
		return true, nil
	}, s)
}
