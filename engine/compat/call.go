package compat

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
)

// definition is a function that is MySQL's here from its arguments to its type.
type definition struct {
	name        string
	least, most int // arguments
	// typ is the type of a call, eval its value for those of the arguments. Unless nulls is set, none of them is
	// NULL: the function of NULL is NULL.
	typ   func(*sql.Context, []sql.Expression) sql.Type
	eval  func(*sql.Context, *call, []any) (any, error)
	nulls bool
	// implicit says that a result of bytes decides how it is compared as a column of bytes does.
	implicit bool
	// collated is the collation of a text that it makes and how strong that is, nil for the connection's.
	collated func(*sql.Context, []sql.Expression) (sql.CollationID, byte)
	// written is how a call is written, nil if like that of any function.
	written func(*call) string
}

// function is d as the SQL engine finds functions.
func (d *definition) function() sql.Function {
	return sql.FunctionN{Name: d.name, Fn: func(_ *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		return d.of(args)
	}}
}

func (d *definition) of(args []sql.Expression) (sql.Expression, error) {
	if len(args) < d.least || len(args) > d.most {
		return nil, sql.ErrInvalidArgumentNumber.New(d.name, d.least, len(args))
	}
	return &call{definition: d, args: args}, nil
}

// call is a call of a definition. Safe for concurrent use.
type call struct {
	*definition
	args []sql.Expression
	kept keptType
}

var (
	_ sql.FunctionExpression = (*call)(nil)
	_ sql.CollationCoercible = (*call)(nil)
)

// FunctionName implements sql.FunctionExpression.
func (c *call) FunctionName() string { return c.name }

// Description implements sql.FunctionExpression.
func (c *call) Description() string { return c.name + " as in MySQL." }

// Children implements sql.Expression.
func (c *call) Children() []sql.Expression { return c.args }

// WithChildren implements sql.Expression.
func (c *call) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if err := Ended(ctx); err != nil { // a rule of the analyzer may go through many
		return nil, err
	}
	return c.of(children)
}

// Resolved implements sql.Expression.
func (c *call) Resolved() bool { return expression.ExpressionsResolved(c.args...) }

// IsNullable implements sql.Expression.
func (*call) IsNullable(*sql.Context) bool { return true }

// CollationCoercibility implements sql.CollationCoercible.
func (c *call) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	if c.collated != nil {
		return c.collated(ctx, c.args)
	}
	switch t := c.Type(ctx); {
	case types.IsTextOnly(t) && ctx == nil: // while the plan is made
		return sql.Collation_Default, 4
	case types.IsTextOnly(t):
		return connectionCollation(ctx), 4
	case types.IsBinaryType(t) && c.implicit:
		return sql.Collation_binary, 2
	case types.IsBinaryType(t):
		return sql.Collation_binary, 4
	}
	return sql.Collation_binary, 5
}

// String implements sql.Expression: it can be parsed.
func (c *call) String() string {
	if c.written != nil {
		return c.written(c)
	}
	args := make([]string, len(c.args))
	for i, a := range c.args {
		args[i] = a.String()
	}
	return c.name + "(" + strings.Join(args, ", ") + ")"
}

// Type implements sql.Expression.
func (c *call) Type(ctx *sql.Context) sql.Type {
	return c.kept.of(ctx, c, func() sql.Type { return c.typ(ctx, c.args) })
}

// Eval implements sql.Expression.
func (c *call) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	var few [4]any
	values := few[:0]
	for _, a := range c.args {
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
		if v == nil && !c.nulls {
			return nil, nil
		}
		values = append(values, v)
	}
	return c.eval(ctx, c, values)
}

// argument is the type of an argument.
func (c *call) argument(ctx *sql.Context, i int) sql.Type {
	if i, ok := c.args[i].(*expression.Interval); ok {
		return i.Child.Type(ctx)
	}
	return c.args[i].Type(ctx)
}

// text is an argument as a text.
func (c *call) text(ctx *sql.Context, i int, v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case float64:
		return string(appendPlaces(ctx, nil, c.args[i], v)), nil
	}
	return shownText(ctx, c.argument(ctx, i), v)
}

// number is an argument as a number.
func (c *call) number(ctx *sql.Context, i int, v any) (number, error) {
	return numberOf(ctx, c.argument(ctx, i), v)
}

// integer is an argument as a BIGINT: rounded, and what is beyond it is its end.
func (c *call) integer(ctx *sql.Context, i int, v any) (int64, error) {
	n, err := c.number(ctx, i, v)
	if s, ok := v.(string); ok && err == nil {
		n = leadingInteger(s)
	}
	r, ok := n.rounded()
	switch {
	case (!ok || !r.fits(false)) && r.negative:
		return -1 << 63, err
	case !ok || !r.fits(false):
		return 1<<63 - 1, err
	case r.negative:
		return -int64(r.size), err
	}
	return int64(r.size), err
}

// leadingInteger is the integer that a text begins with, 0 if there is none.
func leadingInteger(s string) number {
	n := number{}
	s = strings.TrimLeft(s, blanks)
	if s != "" && (s[0] == '-' || s[0] == '+') {
		n.negative, s = s[0] == '-', s[1:]
	}
	for i := 0; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		d := uint64(s[i] - '0')
		if n.size > (1<<64-1-d)/10 {
			n.size = 1<<64 - 1
			return n
		}
		n.size = n.size*10 + d
	}
	return n
}

// shownText is a value as a client is shown it.
func shownText(ctx *sql.Context, t sql.Type, v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	case bool:
		if v {
			return "1", nil
		}
		return "0", nil
	}
	text, err := asText{expression.NewLiteral(v, t)}.Eval(ctx, nil)
	if s, ok := text.(string); ok {
		return s, err
	}
	return "", err
}

// varchar is the type of texts of at most so many characters.
func varchar(length int) sql.Type {
	return types.MustCreateString(sqltypes.VarChar, int64(max(length, 1)), sql.Collation_Default)
}

// always is a type that does not depend on the arguments.
func always(t sql.Type) func(*sql.Context, []sql.Expression) sql.Type {
	return func(*sql.Context, []sql.Expression) sql.Type { return t }
}

// define puts definitions among functions.
func define(functions map[string]sql.Function, all ...*definition) {
	for _, d := range all {
		functions[d.name] = d.function()
	}
}
