package sqlexpr

import (
	"math"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/sqlvalue"
	"pfsd/engine/syntax"
)

// Arithmetic is an operator on two numbers, with MySQL's types and results.
//
// go-mysql-server: integers wrap around, BIGINT UNSIGNED with BIGINT is BIGINT, the number of
// digits of a quotient does not follow from its operands, a division by 0 gives no warning, and
// there is no operator ~. MySQL: a result out of range is error 1690, BIGINT UNSIGNED with any
// integer is BIGINT UNSIGNED, the digits of a DECIMAL follow from those of the operands, and a
// division by 0 is warning 1365, or an error when a statement writes in strict mode.
type Arithmetic struct {
	expression.BinaryExpressionStub

	op    string
	class atomic.Pointer[sqlvalue.NumberClass] // the class of the result; nil until it is needed
}

// Unary is an operator on one number: - and ~. See Arithmetic.
type Unary struct {
	expression.UnaryExpressionStub

	op    string
	class atomic.Pointer[sqlvalue.NumberClass]
}

var (
	_ expression.ArithmeticOp = (*Arithmetic)(nil)
	_ sql.CollationCoercible  = (*Arithmetic)(nil)
	_ sql.CollationCoercible  = (*Unary)(nil)
)

// Names of the operators, in the syntax tree and in texts. A statement can call functions by these
// names only with quotes.
const (
	opPlus, opMinus, opTimes = "+", "-", "*"
	opDivide, opDiv, opMod   = "/", " div ", "%"
	opNegate, opInvert       = "-x", "~"
	opAnd, opOr, opXor       = "&", "|", "^"
	opLeft, opRight          = "<<", ">>"
)

var operatorNames = map[string]ast.ColIdent{}

// IsOperator reports whether name is that of a function which replaces an operator on numbers.
func IsOperator(name string) bool { return !operatorNames[name].IsEmpty() }

func init() {
	for _, op := range []string{opPlus, opMinus, opTimes, opDivide, opDiv, opMod, opNegate, opInvert, opAnd, opOr, opXor, opLeft, opRight} {
		operatorNames[op] = ast.NewColIdent(op)
	}
}

// OperatorFunctions returns the operators by the names that they have in a syntax tree, and ABS and
// MOD.
func OperatorFunctions() map[string]sql.Function {
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

// OperatorCall returns the call of a function of this package that replaces the operator e in the
// syntax tree. It returns nil if nothing replaces e.
func OperatorCall(e ast.Expr) ast.Expr {
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

// String implements sql.Expression. The parser accepts the text.
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

// String implements sql.Expression. The parser accepts the text.
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

// ErrorText returns the text of an expression as MySQL's error messages have it.
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
				parts = append(parts, syntax.QuoteName(part))
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

// IsQuotient reports whether a is a division, whose result has more digits than it shows.
func (a *Arithmetic) IsQuotient() bool { return a.op == opDivide }

// IsProduct reports whether a is a multiplication.
func (a *Arithmetic) IsProduct() bool { return a.op == opTimes }

// Type implements sql.Expression.
func (a *Arithmetic) Type(ctx *sql.Context) sql.Type { return a.Result(ctx).Typ() }

// Result returns the class of the result.
func (a *Arithmetic) Result(ctx *sql.Context) sqlvalue.NumberClass {
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
func (u *Unary) Type(ctx *sql.Context) sql.Type { return u.Result(ctx).Typ() }

// Result returns the class of the result.
func (u *Unary) Result(ctx *sql.Context) sqlvalue.NumberClass {
	if c := u.class.Load(); c != nil {
		return *c
	}
	c := sqlvalue.NumberClass{Unsigned: true, Digits: 20}
	if u.op == opNegate {
		c = classOf(ctx, u.Child)
		c.Unsigned = false
		if l, ok := u.Child.(*expression.Literal); ok && c.Kind == sqlvalue.Integer {
			n, err := sqlvalue.NumberOf(ctx, l.Typ, l.Value())
			if err == nil && (n.Negative || n.Size > 1<<63) {
				c.Kind = sqlvalue.Exact // the negated number may be out of the range of BIGINT
			}
		}
	}
	u.class.Store(&c)
	return c
}

func (a *Arithmetic) classOf(ctx *sql.Context, left, right sqlvalue.NumberClass) sqlvalue.NumberClass {
	c := sqlvalue.NumberClass{Kind: max(left.Kind, right.Kind), Unsigned: left.Unsigned || right.Unsigned}
	wholes := max(left.Digits-left.Fraction, right.Digits-right.Fraction)
	switch a.op {
	case opPlus, opMinus:
		c.Fraction = max(left.Fraction, right.Fraction)
		c.Digits = wholes + 1 + c.Fraction
		if a.op == opMinus && c.Unsigned && ctx != nil && sql.LoadSqlMode(ctx).ModeEnabled(noUnsignedSubtraction) {
			c.Unsigned = false
		}
	case opTimes:
		c.Fraction = left.Fraction + right.Fraction
		c.Digits = left.Digits + right.Digits
	case opDivide:
		increment := sqlvalue.DivIncrement(ctx)
		c.Kind = max(c.Kind, sqlvalue.Exact)
		c.Fraction = left.Fraction + increment
		c.Digits = left.Digits + right.Fraction + increment
	case opDiv:
		return sqlvalue.NumberClass{Unsigned: c.Unsigned, Digits: max(1, left.Digits-left.Fraction)}
	case opMod:
		c.Unsigned = left.Unsigned
		c.Fraction = max(left.Fraction, right.Fraction)
		c.Digits = max(left.Digits, right.Digits)
	default:
		return sqlvalue.NumberClass{Unsigned: true, Digits: 20}
	}
	c.Fraction = min(c.Fraction, sqlvalue.MaxFraction)
	c.Digits = min(c.Digits, sqlvalue.MaxDigits)
	return c
}

const noUnsignedSubtraction = "NO_UNSIGNED_SUBTRACTION"

// Eval implements sql.Expression.
func (a *Arithmetic) Eval(ctx *sql.Context, row sql.Row) (any, error) { return Rounded(ctx, a, row) }

// Eval implements sql.Expression.
func (u *Unary) Eval(ctx *sql.Context, row sql.Row) (any, error) { return Rounded(ctx, u, row) }

// Rounded returns the result of e, rounded to the digits of its type.
func Rounded(ctx *sql.Context, e Calculation, row sql.Row) (any, error) {
	n, null, err := e.Calculate(ctx, row)
	if null || err != nil {
		return nil, err
	}
	c := e.Result(ctx)
	v, ok := c.Value(n)
	if !ok {
		return nil, outOfRange(c, e)
	}
	return v, nil
}

func outOfRange(c sqlvalue.NumberClass, e Calculation) error {
	return sqlvalue.ErrOutOfRange(c, ErrorText(e.(sql.Expression)))
}

// Calculate returns the result with all digits, before it is rounded to the digits of its type.
func (u *Unary) Calculate(ctx *sql.Context, row sql.Row) (n sqlvalue.Number, null bool, err error) {
	n, null, err = operand(ctx, u.Child, row)
	if null || err != nil {
		return n, true, err
	}
	if u.op == opInvert {
		return sqlvalue.UnsignedNumber(^n.Bits()), false, nil
	}
	n = n.Negated()
	if c := u.Result(ctx); c.Kind == sqlvalue.Integer && n.Kind == sqlvalue.Integer && !n.Fits(false) {
		return n, true, outOfRange(c, u)
	}
	return n, false, nil
}

// operand returns the value of an operand. If the operand is a calculation itself, the value has
// all digits that were calculated, as in MySQL, and not only the digits of its type.
func operand(ctx *sql.Context, e sql.Expression, row sql.Row) (n sqlvalue.Number, null bool, err error) {
	if c, ok := e.(Calculation); ok {
		return c.Calculate(ctx, row)
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
	n, err = sqlvalue.NumberOf(ctx, e.Type(ctx), v)
	return n, false, err
}

// Calculate returns the result with all digits, before it is rounded to the digits of its type.
func (a *Arithmetic) Calculate(ctx *sql.Context, row sql.Row) (n sqlvalue.Number, null bool, err error) {
	left, null, err := operand(ctx, a.LeftChild, row)
	if null || err != nil {
		return n, true, err
	}
	c := a.Result(ctx)
	right, null, err := operand(ctx, a.RightChild, row)
	if null || err != nil {
		return n, true, err
	}
	if a.op == opMinus {
		right = right.Negated()
	}
	var ok bool
	switch kind := max(c.Kind, left.Kind, right.Kind); a.op {
	case opAnd:
		return sqlvalue.UnsignedNumber(left.Bits() & right.Bits()), false, nil
	case opOr:
		return sqlvalue.UnsignedNumber(left.Bits() | right.Bits()), false, nil
	case opXor:
		return sqlvalue.UnsignedNumber(left.Bits() ^ right.Bits()), false, nil
	case opLeft:
		return sqlvalue.UnsignedNumber(left.Bits() << right.Bits()), false, nil
	case opRight:
		return sqlvalue.UnsignedNumber(left.Bits() >> right.Bits()), false, nil
	case opPlus, opMinus, opTimes:
		n, ok = a.combine(kind, left, right)
	default:
		if right.IsZero() {
			return n, true, sqlvalue.DividedByZero(ctx)
		}
		n, ok = a.divide(ctx, kind, left, right)
	}
	if n.Kind == sqlvalue.Integer && ok {
		ok = n.Fits(c.Unsigned)
	}
	if !ok {
		return n, true, outOfRange(c, a)
	}
	return n, false, nil
}

// combine adds, subtracts or multiplies. It reports false if the result is out of range.
func (a *Arithmetic) combine(kind sqlvalue.NumberKind, left, right sqlvalue.Number) (sqlvalue.Number, bool) {
	product := a.op == opTimes
	switch {
	case kind == sqlvalue.Approximate && product:
		f := left.Float() * right.Float()
		return sqlvalue.DoubleNumber(f), !math.IsInf(f, 0)
	case kind == sqlvalue.Approximate:
		f := left.Float() + right.Float()
		return sqlvalue.DoubleNumber(f), !math.IsInf(f, 0)
	case kind == sqlvalue.Exact && product:
		d, ok := sqlvalue.FitDecimal(left.Exactly().Mul(right.Exactly()))
		return sqlvalue.DecimalNumber(d), ok
	case kind == sqlvalue.Exact:
		d, ok := sqlvalue.FitDecimal(left.Exactly().Add(right.Exactly()))
		return sqlvalue.DecimalNumber(d), ok
	case product:
		return left.Times(right)
	}
	return left.Plus(right)
}

// divide divides by a number other than 0. It reports false if the result is out of range.
func (a *Arithmetic) divide(ctx *sql.Context, kind sqlvalue.NumberKind, left, right sqlvalue.Number) (sqlvalue.Number, bool) {
	switch {
	case a.op == opDiv && left.Kind == sqlvalue.Integer && right.Kind == sqlvalue.Integer:
		return sqlvalue.Number{Negative: left.Negative != right.Negative, Size: left.Size / right.Size}, true
	case a.op == opDiv:
		q, _ := left.Exactly().QuoRem(right.Exactly(), 0)
		return sqlvalue.DecimalNumber(q).Rounded()
	case a.op == opMod && kind == sqlvalue.Integer:
		return sqlvalue.Number{Negative: left.Negative, Size: left.Size % right.Size}, true
	case a.op == opMod && kind == sqlvalue.Exact:
		return sqlvalue.DecimalNumber(left.Exactly().Mod(right.Exactly())), true
	case a.op == opMod:
		return sqlvalue.DoubleNumber(math.Mod(left.Float(), right.Float())), true
	case kind == sqlvalue.Approximate:
		f := left.Float() / right.Float()
		return sqlvalue.DoubleNumber(f), !math.IsInf(f, 0)
	}
	d, ok := sqlvalue.FitDecimal(sqlvalue.Quotient(left.Exactly(), right.Exactly(), sqlvalue.DivIncrement(ctx)))
	return sqlvalue.DecimalNumber(d), ok
}

// absolute is ABS.
//
// go-mysql-server: ABS(-2^63) is -2^63. MySQL: it is error 1690.
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
func (a *absolute) Type(ctx *sql.Context) sql.Type { return classOf(ctx, a.Child).Typ() }

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
func (a *absolute) Eval(ctx *sql.Context, row sql.Row) (any, error) { return Rounded(ctx, a, row) }

func (a *absolute) Result(ctx *sql.Context) sqlvalue.NumberClass { return classOf(ctx, a.Child) }

// Calculate returns the result with all digits, before it is rounded to the digits of its type.
func (a *absolute) Calculate(ctx *sql.Context, row sql.Row) (n sqlvalue.Number, null bool, err error) {
	n, null, err = operand(ctx, a.Child, row)
	if null || err != nil {
		return n, true, err
	}
	if n.Negative = false; n.Kind == sqlvalue.Exact {
		n.Decimal = n.Decimal.Abs()
	}
	n.Double = math.Abs(n.Double)
	return n, false, nil
}
