package mysqlfuncs

import (
	"math"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/builtins"
	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// numberFunctions returns the functions of numbers.
//
// go-mysql-server: EXP of a large number is infinite, COT(0) is an error without a number, PI() has
// 16 digits, CONV wraps around beyond 2^64, and RAND(N) returns other numbers. MySQL: results out
// of range are error 1690, and the types and values are as here.
func numberFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	sqlexpr.DefineAll(all,
		builtins.RealFunction("exp", 1, func(n ...float64) float64 { return math.Exp(n[0]) }),
		builtins.RealFunction("cot", 1, func(n ...float64) float64 {
			if n[0] == 0 {
				return math.Inf(1)
			}
			return 1 / math.Tan(n[0])
		}),
		&sqlexpr.Definition{Name: "pi", Most: 0, TypeOf: sqlexpr.AlwaysType(types.Float64), Value: func(*sql.Context, *sqlexpr.Call, []any) (any, error) { return math.Pi, nil }},
		&sqlexpr.Definition{Name: "conv", Least: 3, Most: 3, TypeOf: sqlexpr.AlwaysType(sqlexpr.VarChar(65)), Value: conv},
	)
	all["rand"] = sql.FunctionN{Name: "rand", Fn: newRand(function.NewRand)}
	return all
}

// conv calculates CONV: a number in another base.
func conv(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	text, err := c.Text(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	from, err := c.Integer(ctx, 1, args[1])
	if err != nil {
		return nil, err
	}
	to, err := c.Integer(ctx, 2, args[2])
	if err != nil || sqlvalue.Abs(from) < 2 || sqlvalue.Abs(from) > 36 || sqlvalue.Abs(to) < 2 || sqlvalue.Abs(to) > 36 || text == "" {
		return nil, err
	}
	text = strings.TrimLeft(text, sqlvalue.Blanks)
	n := sqlvalue.Number{}
	if text != "" && (text[0] == '-' || text[0] == '+') {
		n.Negative, text = text[0] == '-', text[1:]
	}
	base := uint64(sqlvalue.Abs(from))
	for i := range len(text) {
		digit := uint64(strings.IndexByte(digitLetters, text[i]|0x20))
		if sqlvalue.IsDigit(text[i]) {
			digit = uint64(text[i] - '0')
		}
		if digit >= base {
			break
		}
		if n.Size > (math.MaxUint64-digit)/base {
			n.Size = math.MaxUint64
			break
		}
		n.Size = n.Size*base + digit
	}
	bits := n.Size
	if n.Negative {
		bits = -bits
		if from < 0 && n.Size > 1<<63 {
			bits = 1 << 63
		}
	}
	sign := ""
	if to < 0 && int64(bits) < 0 {
		sign, bits = "-", -bits
	}
	var digits [65]byte
	at := len(digits)
	for first := true; bits > 0 || first; first = false {
		at--
		digits[at] = strings.ToUpper(digitLetters)[bits%uint64(sqlvalue.Abs(to))]
		bits /= uint64(sqlvalue.Abs(to))
	}
	return sign + string(digits[at:]), nil
}

const digitLetters = "0123456789abcdefghijklmnopqrstuvwxyz"

// seeded is RAND(N), with MySQL's sequence for N. A literal N seeds it once. Owned by the statement.
type seeded struct {
	expression.UnaryExpressionStub
	first, second uint64
	started       bool
}

const randModulus = 0x3FFFFFFF

// newRand returns RAND() of go-mysql-server, or RAND(N).
func newRand(plain sql.CreateFuncNArgs) sql.CreateFuncNArgs {
	return func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if len(args) != 1 {
			return plain(ctx, args...)
		}
		return &seeded{UnaryExpressionStub: expression.UnaryExpressionStub{Child: args[0]}}, nil
	}
}

// FunctionName implements sql.FunctionExpression.
func (*seeded) FunctionName() string { return "rand" }

// Description implements sql.FunctionExpression.
func (*seeded) Description() string { return "numbers that follow from a seed." }

// IsNonDeterministic implements sql.NonDeterministicExpression.
func (*seeded) IsNonDeterministic() bool { return true }

// String implements sql.Expression.
func (s *seeded) String() string { return "rand(" + s.Child.String() + ")" }

// Type implements sql.Expression.
func (*seeded) Type(*sql.Context) sql.Type { return types.Float64 }

// WithChildren implements sql.Expression.
func (s *seeded) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(s, len(children), 1)
	}
	return &seeded{UnaryExpressionStub: expression.UnaryExpressionStub{Child: children[0]}}, nil
}

// Eval implements sql.Expression.
func (s *seeded) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if _, literal := s.Child.(*expression.Literal); !s.started || !literal {
		v, err := s.Child.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		seed := uint64(0)
		if v != nil {
			n, err := sqlvalue.NumberOf(ctx, s.Child.Type(ctx), v)
			if err != nil {
				return nil, err
			}
			seed = n.Bits()
		}
		s.first = uint64(uint32(seed*0x10001+55555555)) % randModulus
		s.second = uint64(uint32(seed*0x10000001)) % randModulus
		s.started = true
	}
	s.first = (s.first*3 + s.second) % randModulus
	s.second = (s.first + s.second + 33) % randModulus
	return float64(s.first) / randModulus, nil
}
