package compat

import (
	"math"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Arithmetic is an operator on two numbers, with MySQL's types and results.
//
// go-mysql-server: integers wrap around, BIGINT UNSIGNED with BIGINT is BIGINT, the number of digits of a quotient does not follow from
// its operands, a division by 0 gives no warning, and there is no operator ~. MySQL: a result out of range is error 1690, BIGINT UNSIGNED
// with any integer is BIGINT UNSIGNED, the digits of a DECIMAL follow from those of the operands, and a division by 0 is warning 1365, or
// an error when a statement writes in strict mode.
type Arithmetic struct {
	expression.BinaryExpressionStub

	op    string
	class atomic.Pointer[NumberClass] // of the result, nil until it is asked for
}

// Unary is an operator on one number: - and ~. See Arithmetic.
type Unary struct {
	expression.UnaryExpressionStub

	op    string
	class atomic.Pointer[NumberClass]
}

var (
	_ expression.ArithmeticOp = (*Arithmetic)(nil)
	_ sql.CollationCoercible  = (*Arithmetic)(nil)
	_ sql.CollationCoercible  = (*Unary)(nil)
)

// Names of the operators, in the syntax tree and in texts. Without quotes no name of a function in a statement is one of these.
const (
	opPlus, opMinus, opTimes = "+", "-", "*"
	opDivide, opDiv, opMod   = "/", " div ", "%"
	opNegate, opInvert       = "-x", "~"
	opAnd, opOr, opXor       = "&", "|", "^"
	opLeft, opRight          = "<<", ">>"
)

var operatorNames = map[string]ast.ColIdent{}

func init() {
	for _, op := range []string{opPlus, opMinus, opTimes, opDivide, opDiv, opMod, opNegate, opInvert, opAnd, opOr, opXor, opLeft, opRight} {
		operatorNames[op] = ast.NewColIdent(op)
	}
}

// operatorFunctions returns the operators under the names that they have in a syntax tree, and the functions that are operators under
// another name.
func operatorFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	for op := range operatorNames {
		if op == opNegate || op == opInvert {
			all[op] = sql.Function1{Name: op, Fn: func(_ *sql.Context, e sql.Expression) sql.Expression { return newUnary(op, e) }}
			continue
		}
		all[op] = sql.Function2{Name: op, Fn: func(_ *sql.Context, a, b sql.Expression) sql.Expression { return newArithmetic(op, a, b) }}
	}
	all["abs"] = sql.Function1{Name: "abs", Fn: newAbsolute}
	all["mod"] = sql.Function2{Name: "mod", Fn: func(_ *sql.Context, a, b sql.Expression) sql.Expression { return newArithmetic(opMod, a, b) }}
	return all
}

func newArithmetic(op string, left, right sql.Expression) *Arithmetic {
	return &Arithmetic{BinaryExpressionStub: expression.BinaryExpressionStub{LeftChild: left, RightChild: right}, op: op}
}

func newUnary(op string, e sql.Expression) *Unary {
	return &Unary{UnaryExpressionStub: expression.UnaryExpressionStub{Child: e}, op: op}
}

// operatorCall returns the call of a function of this package that replaces an operator in the syntax tree, nil if the operator stays.
func operatorCall(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		op := strings.ToLower(e.Operator)
		if op == ast.IntDivStr {
			op = opDiv
		}
		name, ok := operatorNames[op]
		if !ok || IsInterval(e.Left) || IsInterval(e.Right) {
			return nil
		}
		return &ast.FuncExpr{Name: name, Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: e.Left}, &ast.AliasedExpr{Expr: e.Right}}}
	case *ast.UnaryExpr:
		op := e.Operator
		switch v, literal := e.Expr.(*ast.SQLVal); {
		case op == ast.UMinusStr && !(literal && (v.Type == ast.IntVal || v.Type == ast.FloatVal)):
			op = opNegate
		case op != ast.TildaStr:
			return nil
		}
		return &ast.FuncExpr{Name: operatorNames[op], Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: e.Expr}}}
	}
	return nil
}

func IsInterval(e ast.Expr) bool {
	_, ok := e.(*ast.IntervalExpr)
	return ok
}

// Operator implements expression.ArithmeticOp.
func (a *Arithmetic) Operator() string { return a.op }

// SetOpCount implements expression.ArithmeticOp.
func (*Arithmetic) SetOpCount(int32) {}

// IsNullable implements sql.Expression.
func (a *Arithmetic) IsNullable(ctx *sql.Context) bool {
	return a.op == opDivide || a.op == opDiv || a.op == opMod || a.BinaryExpressionStub.IsNullable(ctx)
}

// WithChildren implements sql.Expression.
func (a *Arithmetic) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 2 {
		return nil, sql.ErrInvalidChildrenNumber.New(a, len(children), 2)
	}
	return newArithmetic(a.op, children[0], children[1]), nil
}

// WithChildren implements sql.Expression.
func (u *Unary) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(u, len(children), 1)
	}
	return newUnary(u.op, children[0]), nil
}

// CollationCoercibility implements sql.CollationCoercible.
func (*Unary) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// CollationCoercibility implements sql.CollationCoercible.
func (*Arithmetic) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// String implements sql.Expression: it can be parsed.
func (a *Arithmetic) String() string {
	return a.text(func(e sql.Expression) string { return e.String() })
}

// DebugString implements sql.DebugStringer.
func (a *Arithmetic) DebugString(ctx *sql.Context) string {
	return a.text(func(e sql.Expression) string { return sql.DebugString(ctx, e) })
}

func (a *Arithmetic) text(of func(sql.Expression) string) string {
	op := a.op
	if op == opDiv {
		op = "DIV"
	}
	return "(" + of(a.LeftChild) + " " + op + " " + of(a.RightChild) + ")"
}

// String implements sql.Expression: it can be parsed.
func (u *Unary) String() string {
	return u.text(func(e sql.Expression) string { return e.String() })
}

// DebugString implements sql.DebugStringer.
func (u *Unary) DebugString(ctx *sql.Context) string {
	return u.text(func(e sql.Expression) string { return sql.DebugString(ctx, e) })
}

func (u *Unary) text(of func(sql.Expression) string) string {
	text := of(u.Child)
	if _, ok := u.Child.(*Arithmetic); !ok {
		text = "(" + text + ")"
	}
	return u.op[:1] + text
}

// ErrorText returns an expression as MySQL's error messages print it.
func ErrorText(e sql.Expression) string {
	switch e := e.(type) {
	case *Arithmetic:
		return e.text(ErrorText)
	case *Unary:
		return e.text(ErrorText)
	case *expression.Literal:
		if f, ok := e.Value().(float64); ok {
			return strings.Replace(strconv.FormatFloat(f, 'g', -1, 64), "e+", "e", 1)
		}
	case *expression.Alias:
		return ErrorText(e.Child)
	case *expression.GetField:
		var parts []string
		for _, part := range []string{e.Database(), e.Table(), e.Name()} {
			if part != "" {
				parts = append(parts, "`"+strings.ReplaceAll(part, "`", "``")+"`")
			}
		}
		return strings.Join(parts, ".")
	case *expression.UserVar:
		return "(@`" + e.Name + "`)"
	case sql.FunctionExpression:
		var args []string
		for _, child := range e.(sql.Expression).Children() {
			args = append(args, ErrorText(child))
		}
		return strings.ToLower(e.FunctionName()) + "(" + strings.Join(args, ",") + ")"
	}
	return e.String()
}

// Type implements sql.Expression.
func (a *Arithmetic) Type(ctx *sql.Context) sql.Type { return a.result(ctx).typ() }

// result is the class of the result.
func (a *Arithmetic) result(ctx *sql.Context) NumberClass {
	if c := a.class.Load(); c != nil {
		return *c
	}
	c := a.classOf(ctx, classOf(ctx, a.LeftChild), classOf(ctx, a.RightChild))
	if ctx != nil {
		a.class.Store(&c)
	}
	return c
}

// Type implements sql.Expression.
func (u *Unary) Type(ctx *sql.Context) sql.Type { return u.result(ctx).typ() }

// result is the class of the result.
func (u *Unary) result(ctx *sql.Context) NumberClass {
	if c := u.class.Load(); c != nil {
		return *c
	}
	c := NumberClass{unsigned: true, digits: 20}
	if u.op == opNegate {
		c = classOf(ctx, u.Child)
		c.unsigned = false
		if l, ok := u.Child.(*expression.Literal); ok && c.Kind == integer {
			n, err := NumberOf(ctx, l.Typ, l.Value())
			if err == nil && (n.Negative || n.Size > 1<<63) {
				c.Kind = exact // what may be beyond a BIGINT is none
			}
		}
	}
	u.class.Store(&c)
	return c
}

func (a *Arithmetic) classOf(ctx *sql.Context, left, right NumberClass) NumberClass {
	c := NumberClass{Kind: max(left.Kind, right.Kind), unsigned: left.unsigned || right.unsigned}
	wholes := max(left.digits-left.fraction, right.digits-right.fraction)
	switch a.op {
	case opPlus, opMinus:
		c.fraction = max(left.fraction, right.fraction)
		c.digits = wholes + 1 + c.fraction
		if a.op == opMinus && c.unsigned && ctx != nil && sql.LoadSqlMode(ctx).ModeEnabled(noUnsignedSubtraction) {
			c.unsigned = false
		}
	case opTimes:
		c.fraction = left.fraction + right.fraction
		c.digits = left.digits + right.digits
	case opDivide:
		increment := divIncrement(ctx)
		c.Kind = max(c.Kind, exact)
		c.fraction = left.fraction + increment
		c.digits = left.digits + right.fraction + increment
	case opDiv:
		return NumberClass{unsigned: c.unsigned, digits: max(1, left.digits-left.fraction)}
	case opMod:
		c.unsigned = left.unsigned
		c.fraction = max(left.fraction, right.fraction)
		c.digits = max(left.digits, right.digits)
	default:
		return NumberClass{unsigned: true, digits: 20}
	}
	c.fraction = min(c.fraction, maxFraction)
	c.digits = min(c.digits, maxDigits)
	return c
}

const noUnsignedSubtraction = "NO_UNSIGNED_SUBTRACTION"

// Eval implements sql.Expression.
func (a *Arithmetic) Eval(ctx *sql.Context, row sql.Row) (any, error) { return shown(ctx, a, row) }

// Eval implements sql.Expression.
func (u *Unary) Eval(ctx *sql.Context, row sql.Row) (any, error) { return shown(ctx, u, row) }

// shown returns the result of e, rounded to the digits of its type.
func shown(ctx *sql.Context, e calculation, row sql.Row) (any, error) {
	n, null, err := e.calculate(ctx, row)
	if null || err != nil {
		return nil, err
	}
	c := e.result(ctx)
	v, ok := c.value(n)
	if !ok {
		return nil, outOfRange(c, e)
	}
	return v, nil
}

func outOfRange(c NumberClass, e calculation) error {
	return ErrOutOfRange(c, ErrorText(e.(sql.Expression)))
}

// calculate is the result before it is rounded to what is shown.
func (u *Unary) calculate(ctx *sql.Context, row sql.Row) (n Number, null bool, err error) {
	n, null, err = operand(ctx, u.Child, row)
	if null || err != nil {
		return n, true, err
	}
	if u.op == opInvert {
		return unsignedNumber(^n.Bits()), false, nil
	}
	n = n.negated()
	if c := u.result(ctx); c.Kind == integer && n.Kind == integer && !n.fits(false) {
		return n, true, outOfRange(c, u)
	}
	return n, false, nil
}

// operand returns the value of an operand. For an operand that is a calculation itself, MySQL takes all digits that it has calculated,
// not only those of its type.
func operand(ctx *sql.Context, e sql.Expression, row sql.Row) (n Number, null bool, err error) {
	if c, ok := e.(calculation); ok {
		return c.calculate(ctx, row)
	}
	v, err := e.Eval(ctx, row)
	if v == nil || err != nil {
		return n, true, err
	}
	if bytes, ok := v.([]byte); ok {
		if _, ok := e.(*expression.Literal); ok {
			for _, b := range bytes[max(0, len(bytes)-8):] {
				n.Size = n.Size<<8 | uint64(b)
			}
			return n, false, nil
		}
	}
	n, err = NumberOf(ctx, e.Type(ctx), v)
	return n, false, err
}

// calculate is the result before it is rounded to what is shown.
func (a *Arithmetic) calculate(ctx *sql.Context, row sql.Row) (n Number, null bool, err error) {
	left, null, err := operand(ctx, a.LeftChild, row)
	if null || err != nil {
		return n, true, err
	}
	c := a.result(ctx)
	right, null, err := operand(ctx, a.RightChild, row)
	if null || err != nil {
		return n, true, err
	}
	if a.op == opMinus {
		right = right.negated()
	}
	var ok bool
	switch kind := max(c.Kind, left.Kind, right.Kind); a.op {
	case opAnd:
		return unsignedNumber(left.Bits() & right.Bits()), false, nil
	case opOr:
		return unsignedNumber(left.Bits() | right.Bits()), false, nil
	case opXor:
		return unsignedNumber(left.Bits() ^ right.Bits()), false, nil
	case opLeft:
		return unsignedNumber(left.Bits() << right.Bits()), false, nil
	case opRight:
		return unsignedNumber(left.Bits() >> right.Bits()), false, nil
	case opPlus, opMinus, opTimes:
		n, ok = a.combine(kind, left, right)
	default:
		if right.isZero() {
			return n, true, dividedByZero(ctx)
		}
		n, ok = a.divide(ctx, kind, left, right)
	}
	if n.Kind == integer && ok {
		ok = n.fits(c.unsigned)
	}
	if !ok {
		return n, true, outOfRange(c, a)
	}
	return n, false, nil
}

// combine adds, subtracts or multiplies. It reports false if the result is out of range.
func (a *Arithmetic) combine(kind numberKind, left, right Number) (Number, bool) {
	product := a.op == opTimes
	switch {
	case kind == Approximate && product:
		f := left.Float() * right.Float()
		return doubleNumber(f), !math.IsInf(f, 0)
	case kind == Approximate:
		f := left.Float() + right.Float()
		return doubleNumber(f), !math.IsInf(f, 0)
	case kind == exact && product:
		d, ok := fitDecimal(left.Exactly().Mul(right.Exactly()))
		return decimalNumber(d), ok
	case kind == exact:
		d, ok := fitDecimal(left.Exactly().Add(right.Exactly()))
		return decimalNumber(d), ok
	case product:
		return left.times(right)
	}
	return left.plus(right)
}

// divide divides by a number other than 0. It reports false if the result is out of range.
func (a *Arithmetic) divide(ctx *sql.Context, kind numberKind, left, right Number) (Number, bool) {
	switch {
	case a.op == opDiv && left.Kind == integer && right.Kind == integer:
		return Number{Negative: left.Negative != right.Negative, Size: left.Size / right.Size}, true
	case a.op == opDiv:
		q, _ := left.Exactly().QuoRem(right.Exactly(), 0)
		return decimalNumber(q).Rounded()
	case a.op == opMod && kind == integer:
		return Number{Negative: left.Negative, Size: left.Size % right.Size}, true
	case a.op == opMod && kind == exact:
		return decimalNumber(left.Exactly().Mod(right.Exactly())), true
	case a.op == opMod:
		return doubleNumber(math.Mod(left.Float(), right.Float())), true
	case kind == Approximate:
		f := left.Float() / right.Float()
		return doubleNumber(f), !math.IsInf(f, 0)
	}
	d, ok := fitDecimal(quotient(left.Exactly(), right.Exactly(), divIncrement(ctx)))
	return decimalNumber(d), ok
}

// absolute is ABS.
//
// go-mysql-server: of -2^63 it is -2^63. MySQL: error 1690.
type absolute struct{ expression.UnaryExpressionStub }

func newAbsolute(_ *sql.Context, e sql.Expression) sql.Expression {
	return &absolute{expression.UnaryExpressionStub{Child: e}}
}

// FunctionName implements sql.FunctionExpression.
func (*absolute) FunctionName() string { return "abs" }

// Description implements sql.FunctionExpression.
func (*absolute) Description() string { return "returns the absolute value of a number" }

// String implements sql.Expression.
func (a *absolute) String() string { return "abs(" + a.Child.String() + ")" }

// Type implements sql.Expression.
func (a *absolute) Type(ctx *sql.Context) sql.Type { return classOf(ctx, a.Child).typ() }

// CollationCoercibility implements sql.CollationCoercible.
func (*absolute) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// WithChildren implements sql.Expression.
func (a *absolute) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(a, len(children), 1)
	}
	return newAbsolute(ctx, children[0]), nil
}

// Eval implements sql.Expression.
func (a *absolute) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	n, null, err := operand(ctx, a.Child, row)
	if null || err != nil {
		return nil, err
	}
	if n.Negative = false; n.Kind == exact {
		n.decimal = n.decimal.Abs()
	}
	n.Double = math.Abs(n.Double)
	c := classOf(ctx, a.Child)
	v, ok := c.value(n)
	if !ok {
		return nil, ErrOutOfRange(c, ErrorText(a))
	}
	return v, nil
}
