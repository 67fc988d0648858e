package sqlexpr

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/collations"
	"pfsd/engine/mends"
)

// likeName is the function that replaces LIKE in the syntax tree.
var likeName = ast.NewColIdent(" like ")

// LikeCall returns the call that replaces a LIKE. It returns nil for any other expression.
//
// go-mysql-server: makes column LIKE 'text%' a range that ends with 'textÿ'. In most collations,
// some texts that begin with the text are greater than that. So LIKE 's%' is false for 'sys' in a
// column. The backslash of \% and \_ has no effect. MySQL: all texts that begin with the text
// match. The range that this function makes ends with the last character of the collation.
func LikeCall(e ast.Expr) ast.Expr {
	c, ok := e.(*ast.ComparisonExpr)
	if !ok || c.Operator != ast.LikeStr && c.Operator != ast.NotLikeStr {
		return nil
	}
	call := &ast.FuncExpr{Name: likeName, Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: c.Left}, &ast.AliasedExpr{Expr: c.Right}}}
	if c.Escape != nil {
		call.Exprs = append(call.Exprs, &ast.AliasedExpr{Expr: c.Escape})
	}
	if c.Operator == ast.NotLikeStr {
		return &ast.NotExpr{Expr: call}
	}
	return call
}

func LikeFunctions() map[string]sql.Function {
	name := likeName.Lowered()
	return map[string]sql.Function{name: sql.FunctionN{Name: name, Fn: func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		var escape sql.Expression
		switch {
		case len(args) == 3:
			escape = args[2]
		case len(args) != 2:
			return nil, sql.ErrInvalidArgumentNumber.New("like", "2 or 3", len(args))
		}
		like := expression.NewLike(asBytes(ctx, args[0], args[1]), args[1], escape)
		if escape == nil {
			like, _, _ = likeRange(ctx, like)
		}
		if plain, ok := like.(*expression.Like); ok && !isShortPattern(plain.RightChild) { // the analyzer evaluates constants
			return newLike(plain), nil
		}
		return like, nil
	}}}
}

// isShortPattern reports whether a pattern is so short that go-mysql-server's LIKE does not take long.
func isShortPattern(e sql.Expression) bool {
	const most = 64 // bytes
	pattern, ok := e.(*expression.Literal)
	if !ok {
		return false
	}
	text, ok := pattern.Value().(string)
	return ok && len(text) <= most
}

// asBytes returns the left side of a LIKE. It is binary if that side or the pattern is BINARY.
//
// go-mysql-server: compares column LIKE BINARY 'text' by the collation of the column. MySQL: if two
// values have the same coercibility and one is binary, the comparison is binary.
func asBytes(ctx *sql.Context, of, pattern sql.Expression) sql.Expression {
	ofBinary, patternBinary := types.IsBinaryType(of.Type(ctx)), types.IsBinaryType(pattern.Type(ctx))
	if !ofBinary && !patternBinary {
		return of
	}
	left, leftCoercibility := collations.CoercibilityOf(ctx, of)
	right, rightCoercibility := collations.CoercibilityOf(ctx, pattern)
	binary := ofBinary && left == sql.Collation_binary || patternBinary && right == sql.Collation_binary
	if binary && left != right && leftCoercibility == rightCoercibility {
		return collations.NewCollated(of, sql.Collation_binary)
	}
	return of
}

// LikeRanges is an analyzer rule. It does what [LikeCall] does for a LIKE that is not in the syntax
// tree, such as that of SHOW.
func LikeRanges(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	if !mends.Likes.On() {
		return n, transform.SameTree, nil
	}
	f, ok := n.(*plan.Filter)
	if !ok {
		return n, transform.SameTree, nil
	}
	return withExpressions(ctx, f, likeRange)
}

// likeRange returns a range for the LIKE e, or a LIKE that go-mysql-server does not make a range.
// It returns e if nothing needs to change.
func likeRange(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	like, ok := e.(*expression.Like)
	if !ok || like.Escape != nil {
		return e, transform.SameTree, nil
	}
	pattern, ok := like.RightChild.(*expression.Literal)
	if !ok {
		return e, transform.SameTree, nil
	}
	text, ok := pattern.Value().(string)
	prefix, open := strings.CutSuffix(text, "%")
	simple := open && prefix != "" && !strings.ContainsAny(prefix, `%_\`)
	if !ok || !simple && !strings.Contains(text, `\`) {
		return e, transform.SameTree, nil
	}
	column := like.LeftChild
	if f, ok := column.(*expression.GetField); ok && simple && f.Database() != "" && inUTF8(f.Type(ctx)) {
		return expression.NewAnd(
			expression.NewGreaterThanOrEqual(column, expression.NewLiteral(prefix, pattern.Type(ctx))),
			expression.NewLessThanOrEqual(column, expression.NewLiteral(prefix+string(lastCharacter(f.Type(ctx).(sql.StringType).Collation())), pattern.Type(ctx))),
		), transform.NewTree, nil
	}
	return expression.NewLike(column, pattern, expression.NewLiteral(`\`, types.LongText)), transform.NewTree, nil
}

// inUTF8 reports whether t is a text type in utf8mb4.
func inUTF8(t sql.Type) bool {
	s, ok := t.(sql.StringType)
	return ok && types.IsTextOnly(t) && s.Collation().CharacterSet() == sql.CharacterSet_utf8mb4
}

// lastCharacters has the last character of every collation of utf8mb4.
var lastCharacters = []rune{0xfffd, 0xffff, 0x10ffff}

func lastCharacter(c sql.CollationID) rune {
	last, sorter := lastCharacters[0], c.Sorter()
	for _, r := range lastCharacters {
		if sorter(r) > sorter(last) {
			last = r
		}
	}
	return last
}

// LikeText returns the column and the text if e is the range for a column LIKE 'text%'. ok is false
// for any other condition.
func LikeText(e *expression.And) (column sql.Expression, text string, ok bool) {
	from, isFrom := e.LeftChild.(*expression.GreaterThanOrEqual)
	to, isTo := e.RightChild.(*expression.LessThanOrEqual)
	if !isFrom || !isTo {
		return nil, "", false
	}
	low, isLow := from.Right().(*expression.Literal)
	high, isHigh := to.Right().(*expression.Literal)
	if !isLow || !isHigh {
		return nil, "", false
	}
	text, isLow = low.Value().(string)
	end, isHigh := high.Value().(string)
	for _, r := range lastCharacters {
		if isLow && isHigh && text != "" && end == text+string(r) {
			return from.Left(), text, true
		}
	}
	return nil, "", false
}
