package syntax

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// MemberOf is the name of the function that tells whether its first argument is an element of the JSON array that
// its second one is.
const MemberOf = "member of"

// soundsLike stands in a text for the second operand of SOUNDS LIKE.
const soundsLike = "sounds like"

// predicates makes calls of functions of comparisons with SOUNDS LIKE and MEMBER OF.
//
//	a SOUNDS LIKE 'b'    becomes  a = `sounds like`('b'), of which compare makes SOUNDEX(a) = SOUNDEX('b')
//	1 MEMBER OF ('[1]')  becomes  1 = `member of`('[1]'), of which compare makes `member of`(1, '[1]') = 1
//
// go-mysql-server: syntax errors. MySQL: operators that bind as = does.
func predicates(r *rewriting) {
	for i := range r.tokens {
		switch {
		case i == 0 || r.is(i-1, "."):
		case r.is(i, "SOUNDS") && r.is(i+1, "LIKE"):
			last := r.operand(i+2) - 1
			r.replace(i, i+1, "= `"+soundsLike+"`(")
			r.insert(last, ")")
			r.compares = true
		case r.is(i, "MEMBER") && r.is(i+1, "OF") && r.is(i+2, "("):
			r.replace(i, i+1, "= `"+MemberOf+"`")
			r.compares = true
		case r.is(i, "MEMBER") && r.is(i+1, "(") && r.ends(i-1):
			r.replace(i, i, "= `"+MemberOf+"`")
			r.compares = true
		}
	}
}

// ends reports whether token i may be the last one of an operand.
func (r *rewriting) ends(i int) bool {
	switch r.tokens[i].kind {
	case kindString, kindNumber, kindVariable, kindName:
		return true
	case kindWord:
		return !reserved[strings.ToUpper(r.word(i))]
	}
	return r.is(i, ")") || r.is(i, "?")
}

// operand returns the token behind the operand of a comparison that begins at token i: at least the one behind
// token i, and never more than the one of the end.
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

// predicate makes what it is meant for of a comparison that predicates has made; it reports whether c is one.
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
