package functions

import (
	"fmt"
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"pfsd/tables"
)

// currentThreadID is PS_CURRENT_THREAD_ID(): the id of the connection's thread.
type currentThreadID struct{}

var _ sql.FunctionExpression = currentThreadID{}

// FunctionName implements sql.FunctionExpression.
func (currentThreadID) FunctionName() string { return "ps_current_thread_id" }

// Description implements sql.FunctionExpression.
func (currentThreadID) Description() string { return "returns the id of the connection's thread" }

// Resolved implements sql.Expression.
func (currentThreadID) Resolved() bool { return true }

// String implements sql.Expression.
func (currentThreadID) String() string { return "PS_CURRENT_THREAD_ID()" }

// Type implements sql.Expression.
func (currentThreadID) Type(*sql.Context) sql.Type { return types.Uint64 }

// IsNullable implements sql.Expression.
func (currentThreadID) IsNullable(*sql.Context) bool { return true }

// Children implements sql.Expression.
func (currentThreadID) Children() []sql.Expression { return nil }

// WithChildren implements sql.Expression.
func (c currentThreadID) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 0)
	}
	return c, nil
}

// CollationCoercibility implements sql.CollationCoercible.
func (currentThreadID) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// Eval implements sql.Expression.
func (currentThreadID) Eval(ctx *sql.Context, _ sql.Row) (any, error) {
	return ThreadID(ctx), nil
}

// ThreadID returns the id of the connection's thread, nil if ctx has no session.
func ThreadID(ctx *sql.Context) any {
	if s := sessionOf(ctx); s != nil && tables.Shown(s.Registry()).Current() != nil {
		return s.Thread().ID()
	}
	return nil
}

// nativeFunction is a function of one argument that returns NULL for NULL.
type nativeFunction struct {
	*function.UnaryFunc
	takes sql.Type
	of    func(ctx *sql.Context, arg any) any
}

// native makes such a function; the argument is converted to the type takes.
func native(name string, returns, takes sql.Type, of func(*sql.Context, any) any) sql.Function {
	return sql.Function1{Name: name, Fn: func(_ *sql.Context, arg sql.Expression) sql.Expression {
		return &nativeFunction{function.NewUnaryFunc(arg, name, returns), takes, of}
	}}
}

// CollationCoercibility implements sql.CollationCoercible.
func (f *nativeFunction) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return ctx.GetCollation(), 4
}

// WithChildren implements sql.Expression.
func (f *nativeFunction) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(f, len(children), 1)
	}
	return &nativeFunction{function.NewUnaryFunc(children[0], f.Name, f.RetType), f.takes, f.of}, nil
}

// IsNullable implements sql.Expression.
func (*nativeFunction) IsNullable(*sql.Context) bool { return true }

// Eval implements sql.Expression. As in MySQL, a text that is not a number counts as 0.
func (f *nativeFunction) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	arg, err := f.EvalChild(ctx, row)
	if arg == nil || err != nil {
		return nil, err
	}
	number, _, err := f.takes.Convert(ctx, arg)
	if err != nil || number == nil {
		number = f.takes.Zero()
	}
	return f.of(ctx, number), nil
}

// ThreadOf is PS_THREAD_ID: the id of the thread of a connection, nil if there is none.
func ThreadOf(ctx *sql.Context, connection any) any {
	s := sessionOf(ctx)
	id, ok := connection.(uint64)
	if s == nil || !ok || id == 0 {
		return nil
	}
	if t := tables.Shown(s.Registry()).ThreadByProcess(id); t != nil {
		return t.ID()
	}
	return nil
}

// unit is a unit, and its size in the smallest unit.
type unit struct {
	name string
	size float64
}

// Units, the largest first.
var (
	byteUnits = []unit{{"EiB", 1 << 60}, {"PiB", 1 << 50}, {"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}
	timeUnits = []unit{{"d", 86_400e12}, {"h", 3_600e12}, {"min", 60e12}, {"s", 1e12}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}}
)

// tooLong is the number from which on values are shown with an exponent.
const tooLong = 100_000

// inUnits formats a number in the largest unit that fits, as MySQL does; ok is false if none fits.
func inUnits(v float64, units []unit) (text string, ok bool) {
	for _, u := range units {
		if math.Abs(v) < u.size {
			continue
		}
		if v /= u.size; math.Abs(v) >= tooLong {
			return fmt.Sprintf("%4.2e %s", v, u.name), true
		}
		return fmt.Sprintf("%4.2f %s", v, u.name), true
	}
	return "", false
}

// FormatBytes is FORMAT_BYTES.
func FormatBytes(v float64) string {
	if s, ok := inUnits(v, byteUnits); ok {
		return s
	}
	return fmt.Sprintf("%4d bytes", int(v))
}

// FormatPicoTime is FORMAT_PICO_TIME.
func FormatPicoTime(v float64) string {
	if s, ok := inUnits(v, timeUnits); ok {
		return s
	}
	return fmt.Sprintf("%3d ps", int(v))
}

// formattedType is the type of a formatted number.
var formattedType = types.MustCreateString(sqltypes.VarChar, 30, collation)
