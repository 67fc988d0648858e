package sqlexpr

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"pfsd/engine/collations"
	"pfsd/engine/sqlvalue"
)

// Definition defines a function with MySQL's arguments, value and type.
type Definition struct {
	Name        string
	Least, Most int // the smallest and largest number of arguments
	// TypeOf returns the type of a call. Value returns its value; it gets the values of the
	// arguments. If Nulls is not set, a call with a NULL argument is NULL without a call of Value.
	TypeOf func(*sql.Context, []sql.Expression) sql.Type
	Value  func(*sql.Context, *Call, []any) (any, error)
	Nulls  bool
	// Implicit means that a binary result has the coercibility of a column.
	Implicit bool
	// Collated returns the collation of a text result and its coercibility. nil means the collation
	// of the connection.
	Collated func(*sql.Context, []sql.Expression) (sql.CollationID, byte)
	// Written returns the text of a call. nil means name(arguments).
	Written func(*Call) string
}

// Function returns d as a function of go-mysql-server.
func (d *Definition) Function() sql.Function {
	return sql.FunctionN{Name: d.Name, Fn: func(_ *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		return d.Of(args)
	}}
}

func (d *Definition) Of(args []sql.Expression) (sql.Expression, error) {
	if len(args) < d.Least || len(args) > d.Most {
		return nil, sql.ErrInvalidArgumentNumber.New(d.Name, d.Least, len(args))
	}
	return &Call{Definition: d, Args: args}, nil
}

// Call is a call of the function of a [Definition]. Safe for concurrent use.
type Call struct {
	*Definition
	Args []sql.Expression
	kept keptType
}

var (
	_ sql.FunctionExpression = (*Call)(nil)
	_ sql.CollationCoercible = (*Call)(nil)
)

// FunctionName implements sql.FunctionExpression.
func (c *Call) FunctionName() string { return c.Name }

// Description implements sql.FunctionExpression.
func (c *Call) Description() string { return c.Name + " as in MySQL." }

// Children implements sql.Expression.
func (c *Call) Children() []sql.Expression { return c.Args }

// WithChildren implements sql.Expression.
func (c *Call) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if err := sqlvalue.Ended(ctx); err != nil { // a rule of the analyzer can change many calls
		return nil, err
	}
	return c.Of(children)
}

// Resolved implements sql.Expression.
func (c *Call) Resolved() bool { return expression.ExpressionsResolved(c.Args...) }

// IsNullable implements sql.Expression.
func (*Call) IsNullable(*sql.Context) bool { return true }

// CollationCoercibility implements sql.CollationCoercible.
func (c *Call) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	if c.Collated != nil {
		return c.Collated(ctx, c.Args)
	}
	switch t := c.Type(ctx); {
	case types.IsTextOnly(t) && ctx == nil: // go-mysql-server is making the plan
		return sql.Collation_Default, 4
	case types.IsTextOnly(t):
		return collations.OfConnection(ctx), 4
	case types.IsBinaryType(t) && c.Implicit:
		return sql.Collation_binary, 2
	case types.IsBinaryType(t):
		return sql.Collation_binary, 4
	}
	return sql.Collation_binary, 5
}

// String implements sql.Expression. The parser accepts the text.
func (c *Call) String() string {
	if c.Written != nil {
		return c.Written(c)
	}
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		args[i] = a.String()
	}
	return c.Name + "(" + strings.Join(args, ", ") + ")"
}

// Type implements sql.Expression.
func (c *Call) Type(ctx *sql.Context) sql.Type {
	return c.kept.of(ctx, c, func() sql.Type { return c.TypeOf(ctx, c.Args) })
}

// Eval implements sql.Expression.
func (c *Call) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	var few [4]any
	values := few[:0]
	for _, a := range c.Args {
		var v any
		var err error
		if i, ok := a.(*expression.Interval); ok {
			v, err = i.Child.Eval(ctx, row)
		} else {
			v, err = a.Eval(ctx, row)
		}
		if err == nil && v != nil {
			v, err = sql.UnwrapAny(ctx, v)
		}
		if err != nil {
			return nil, err
		}
		if text, ok := v.(string); ok && len(text) > longText {
			if err := sqlvalue.Ended(ctx); err != nil {
				return nil, err
			}
		}
		if v == nil && !c.Nulls {
			return nil, nil
		}
		values = append(values, v)
	}
	return c.Value(ctx, c, values)
}

// Argument returns the type of argument i.
func (c *Call) Argument(ctx *sql.Context, i int) sql.Type {
	if i, ok := c.Args[i].(*expression.Interval); ok {
		return i.Child.Type(ctx)
	}
	return c.Args[i].Type(ctx)
}

// Text returns argument i, whose value is v, as text.
func (c *Call) Text(ctx *sql.Context, i int, v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case float64:
		return string(appendPlaces(ctx, nil, c.Args[i], v)), nil
	}
	return sqlvalue.ClientText(ctx, c.Argument(ctx, i), v)
}

// Number returns argument i, whose value is v, as a number.
func (c *Call) Number(ctx *sql.Context, i int, v any) (sqlvalue.Number, error) {
	return sqlvalue.NumberOf(ctx, c.Argument(ctx, i), v)
}

// Integer returns argument i, whose value is v, as a BIGINT. It rounds a fraction. A number out of
// the range of BIGINT becomes the nearest one in it.
func (c *Call) Integer(ctx *sql.Context, i int, v any) (int64, error) {
	n, err := c.Number(ctx, i, v)
	if s, ok := v.(string); ok && err == nil {
		n = LeadingInteger(s)
	}
	r, ok := n.Rounded()
	switch {
	case (!ok || !r.Fits(false)) && r.Negative:
		return -1 << 63, err
	case !ok || !r.Fits(false):
		return 1<<63 - 1, err
	case r.Negative:
		return -int64(r.Size), err
	}
	return int64(r.Size), err
}

// LeadingInteger returns the integer at the beginning of a text, 0 if there is none.
func LeadingInteger(s string) sqlvalue.Number {
	n := sqlvalue.Number{}
	s = strings.TrimLeft(s, sqlvalue.Blanks)
	if s != "" && (s[0] == '-' || s[0] == '+') {
		n.Negative, s = s[0] == '-', s[1:]
	}
	for i := 0; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		d := uint64(s[i] - '0')
		if n.Size > (1<<64-1-d)/10 {
			n.Size = 1<<64 - 1
			return n
		}
		n.Size = n.Size*10 + d
	}
	return n
}

// VarChar returns the type VARCHAR(length).
func VarChar(length int) sql.Type {
	return types.MustCreateString(sqltypes.VarChar, int64(max(length, 1)), sql.Collation_Default)
}

// AlwaysType returns a TypeOf that does not depend on the arguments.
func AlwaysType(t sql.Type) func(*sql.Context, []sql.Expression) sql.Type {
	return func(*sql.Context, []sql.Expression) sql.Type { return t }
}

// DefineAll adds definitions to functions.
func DefineAll(functions map[string]sql.Function, all ...*Definition) {
	for _, d := range all {
		functions[d.Name] = d.Function()
	}
}

// Texts returns the first n arguments as texts.
func (c *Call) Texts(ctx *sql.Context, args []any, n int) ([]string, error) {
	texts := make([]string, n)
	for i := range texts {
		var err error
		if texts[i], err = c.Text(ctx, i, args[i]); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// IsBytes reports whether argument i is binary, so that its length is in bytes.
func (c *Call) IsBytes(ctx *sql.Context, i int) bool { return types.IsBinaryType(c.Argument(ctx, i)) }

// Offset returns the byte offset of character n of text, or the length of text if it has fewer
// characters. If bytes is set, each byte is a character.
func Offset(text string, n int64, bytes bool) int {
	if n <= 0 {
		return 0
	}
	if bytes {
		return int(min(n, int64(len(text))))
	}
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}

// Collation returns the collation that compares the first two arguments.
func (c *Call) Collation(ctx *sql.Context) sql.CollationID {
	a, strong := collations.CoercibilityOf(ctx, c.Args[0])
	b, other := collations.CoercibilityOf(ctx, c.Args[1])
	collation, _, _ := collations.Resolve(a, strong, b, other)
	if collation == sql.Collation_Unspecified || collation == sql.Collation_Default || collation == sql.Collation_binary {
		return collations.OfConnection(ctx)
	}
	return collation
}
