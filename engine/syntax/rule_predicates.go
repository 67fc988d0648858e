package syntax

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// MemberOf is the name of the function that reports whether its first argument is an element of its
// second argument, a JSON array.
const MemberOf = "member of"

// soundsLike is the name of a function that marks the second operand of SOUNDS LIKE in the
// rewritten text.
const soundsLike = "sounds like"

// predicates replaces comparisons with SOUNDS LIKE and MEMBER OF by function calls.
//
//	SELECT a SOUNDS LIKE 'b'    becomes  SELECT a = `sounds like`('b')
//	SELECT 1 MEMBER OF ('[1]')  becomes  SELECT 1 = `member of`('[1]')
//
// The function compare then changes the syntax trees to those of SOUNDEX(a) = SOUNDEX('b') and
// `member of`(1, '[1]') = 1.
//
// go-mysql-server: syntax errors. MySQL: they are operators with the precedence of =.
func predicates(r *rewriting) {
	for i := range r.tokens {
		switch {
		case i == 0 || r.is(i-1, "."):
		case r.is(i, "SOUNDS") && r.is(i+1, "LIKE"):
			last := r.operand(i+2) - 1
			r.replace(i, i+1, "= `"+soundsLike+"`(")
			r.insert(last, ")")
			r.hasComparisons = true
		case r.is(i, "MEMBER") && r.is(i+1, "OF") && r.is(i+2, "("):
			r.replace(i, i+1, "= `"+MemberOf+"`")
			r.hasComparisons = true
		case r.is(i, "MEMBER") && r.is(i+1, "(") && r.mayEndOperand(i-1):
			r.replace(i, i, "= `"+MemberOf+"`")
			r.hasComparisons = true
		}
	}
}

// mayEndOperand reports whether token i can end an operand.
func (r *rewriting) mayEndOperand(i int) bool {
	switch r.tokens[i].kind {
	case kindString, kindNumber, kindVariable, kindName:
		return true
	case kindWord:
		return !reserved[strings.ToUpper(r.word(i))]
	}
	return r.is(i, ")") || r.is(i, "?")
}

// operand returns the first token behind the operand of a comparison that begins at token i. This
// is token i+1 at the least, and the last token, of kindEnd, at the most.
func (r *rewriting) operand(i int) int {
	end := r.expression(i)
	for j := i; j < end; j++ {
		switch {
		case r.is(j, "("):
			j = r.closing(j)
		case j == i, r.is(j-1, "."):
		case r.is(j, "="), r.is(j, "<"), r.is(j, ">"), r.is(j, "!"), r.is(j, "&") && r.is(j+1, "&"), r.is(j, "|") && r.is(j+1, "|"),
			r.is(j, "AND"), r.is(j, "OR"), r.is(j, "XOR"), r.is(j, "IS"), r.is(j, "IN"), r.is(j, "NOT"), r.is(j, "BETWEEN"),
			r.is(j, "LIKE"), r.is(j, "RLIKE"), r.is(j, "REGEXP"), r.is(j, "SOUNDS"), r.is(j, "MEMBER"):
			return j
		}
	}
	return end
}

// predicate completes, in the syntax tree, a comparison that predicates rewrote. It reports whether
// c is one.
func predicate(c *ast.ComparisonExpr) bool {
	f, ok := c.Right.(*ast.FuncExpr)
	if !ok || len(f.Exprs) != 1 {
		return false
	}
	switch f.Name.String() {
	case soundsLike:
		f.Name = ast.NewColIdent("soundex")
		c.Left = &ast.FuncExpr{Name: f.Name, Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: c.Left}}}
	case MemberOf:
		f.Exprs = append(ast.SelectExprs{&ast.AliasedExpr{Expr: c.Left}}, f.Exprs...)
		c.Left, c.Right = f, ast.NewIntVal([]byte("1"))
	default:
		return false
	}
	return true
}
