package sqlexpr

import (
	"math"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/shopspring/decimal"

	"pfsd/engine/sqlvalue"
)

// ExactLiteralName is the name of the function that converts a literal to the type of the column
// with which it is compared. A statement can call it only with quotes.
var ExactLiteralName = ast.NewColIdent("as compared")

// CompareExactly makes comparisons of literals with integer columns exact.
//
// go-mysql-server: compares BIGINT UNSIGNED with other numbers, and integers with texts, as DOUBLE.
// So 9007199254740993 equals 9007199254740992. MySQL: compares exactly. CompareExactly does not
// change an integer of at most doubleDigits digits, because it is exact as a DOUBLE.
func CompareExactly(e ast.Expr) {
	switch e := e.(type) {
	case *ast.ComparisonExpr:
		wrapLiteral(&e.Right, e.Left)
		wrapLiteral(&e.Left, e.Right)
	case *ast.RangeCond:
		wrapLiteral(&e.From, e.Left)
		wrapLiteral(&e.To, e.Left)
	}
}

// doubleDigits is the number of decimal digits that every DOUBLE keeps.
const doubleDigits = 15

// wrapLiteral wraps a literal that is compared with column in the function called ExactLiteralName.
func wrapLiteral(literal *ast.Expr, column ast.Expr) {
	if c, ok := column.(*ast.ColName); !ok || isUserVariable(c) {
		return
	}
	switch v := (*literal).(type) {
	case *ast.SQLVal:
		if v.Type == ast.IntVal && len(v.Val) > doubleDigits || v.Type == ast.StrVal || v.Type == ast.FloatVal || v.Type == ast.ValArg {
			*literal = &ast.FuncExpr{Name: ExactLiteralName, Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: v}, &ast.AliasedExpr{Expr: column}}}
		}
	case *ast.ColName:
		if isUserVariable(v) {
			*literal = &ast.FuncExpr{Name: ExactLiteralName, Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: v}, &ast.AliasedExpr{Expr: column}}}
		}
	case ast.ValTuple:
		for i := range v {
			wrapLiteral(&v[i], column)
		}
	}
}

func isUserVariable(c *ast.ColName) bool {
	name := c.Name.String()
	return c.Qualifier.IsEmpty() && strings.HasPrefix(name, "@") && !strings.HasPrefix(name, "@@")
}

func ExactLiteralFunctions() map[string]sql.Function {
	name := ExactLiteralName.Lowered()
	return map[string]sql.Function{name: sql.Function2{Name: name, Fn: newExactLiteral}}
}

// newExactLiteral returns e, which is compared with column, such that the comparison is exact and
// fast. An integer gets the type of an integer column. It returns e if nothing needs to change.
func newExactLiteral(ctx *sql.Context, e, column sql.Expression) sql.Expression {
	t := column.Type(ctx)
	l, ok := e.(*expression.Literal)
	if ok && sql.IsDecimalType(t) {
		return moreDigits(t, decimalLiteral(l))
	}
	if ok && types.IsTime(t) {
		if text, ok := l.Value().(string); ok && len(text) > mostTimeText {
			return expression.NewLiteral(shortTimeText(text), l.Typ)
		}
	}
	if types.IsNumber(t) && sql.IsStringType(e.Type(ctx)) {
		if text, isText := textLiteral(l); isText && sqlvalue.FarExponent(text) {
			return expression.NewLiteral(sqlvalue.BoundedText(text), l.Typ)
		}
		if !ok {
			return &boundedValue{expression.UnaryExpressionStub{Child: e}}
		}
	}
	if !ok || !types.IsInteger(t) {
		return e
	}
	n, ok := sqlvalue.IntegerLiteral(l.Value())
	switch {
	case !ok:
		return e
	case types.IsUnsigned(t) && !n.Negative:
		return expression.NewLiteral(n.Size, types.Uint64)
	case types.IsUnsigned(t):
		return e
	case n.Fits(false):
		v, _ := sqlvalue.NumberClass{}.Value(n)
		return expression.NewLiteral(v, types.Int64)
	case !n.Negative && n.Size > math.MaxInt64:
		return expression.NewLiteral(n.Exactly(), sqlvalue.DecimalType(20, 0))
	}
	return e
}

// moreDigits returns e, which is compared with a column of type t, such that go-mysql-server does
// not round it to the digits of the column, and has no error for one that the column has no room for.
func moreDigits(t sql.Type, e sql.Expression) sql.Expression {
	if l, ok := e.(*expression.Literal); ok {
		if d, ok := l.Value().(decimal.Decimal); ok {
			if kept, _, err := t.(sql.DecimalType).BoundsCheck(d); err != nil || !kept.Equal(d) {
				return &boundedValue{expression.UnaryExpressionStub{Child: l}}
			}
		}
	}
	return e
}

// decimalLiteral returns a DECIMAL if l is the text of a number that fits in a DECIMAL, a DOUBLE if
// it is the text of any other number, else l.
func decimalLiteral(l *expression.Literal) sql.Expression {
	text, ok := l.Value().(string)
	if !ok {
		return l
	}
	d, whole := sqlvalue.LeadingDecimal(text)
	digits, fraction := d.NumDigits(), int(-d.Exponent())
	switch {
	case !whole:
		return l
	case fraction < 0 || fraction > sqlvalue.MaxFraction || max(digits, fraction) > sqlvalue.MaxDigits:
		f, _ := sqlvalue.LeadingDouble(text)
		return expression.NewLiteral(f, types.Float64)
	}
	return expression.NewLiteral(d, sqlvalue.DecimalType(max(digits, fraction), fraction))
}

// textLiteral returns the text of a literal. It returns false if the literal is no text.
func textLiteral(l *expression.Literal) (string, bool) {
	if l == nil {
		return "", false
	}
	text, ok := l.Value().(string)
	return text, ok
}

// boundedValue is a text that is compared with numbers. If it has a number that is out of the range
// of all types, that becomes a short number that is out of range too.
//
// go-mysql-server: calculates all digits of '1e999999999'. MySQL: '1e999999999' is greater than all
// numbers.
type boundedValue struct{ expression.UnaryExpressionStub }

// String implements sql.Expression.
func (b *boundedValue) String() string { return b.Child.String() }

// Type implements sql.Expression.
func (b *boundedValue) Type(ctx *sql.Context) sql.Type { return b.Child.Type(ctx) }

// Eval implements sql.Expression.
func (b *boundedValue) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := b.Child.Eval(ctx, row)
	if text, ok := v.(string); ok && sqlvalue.FarExponent(text) {
		return sqlvalue.BoundedText(text), err
	}
	return v, err
}

// WithChildren implements sql.Expression.
func (b *boundedValue) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(b, len(children), 1)
	}
	return &boundedValue{expression.UnaryExpressionStub{Child: children[0]}}, nil
}
