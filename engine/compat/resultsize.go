package compat

import (
	"math"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/shopspring/decimal"
)

// ResultSize is how large the value of a function can be. resultSizes has it for every function.
type ResultSize uint8

const (
	// Unstated: resultSizes does not have the function.
	Unstated ResultSize = iota
	// Small: at most SmallResult bytes for any arguments, such as a number, a time, a name or a hash.
	Small
	// LikeArgument: at most as large as the largest argument.
	LikeArgument
	// Manyfold: at most about ten times as large as the largest argument. If it is too large it becomes NULL after it has been made.
	Manyfold
	// Checked: the function calculates the size before it makes the result, and makes none that is too large.
	Checked
	// Document is a JSON document, Geometry a geometry, that may contain all arguments. They are not made if they are too large.
	Document
	Geometry
)

// SmallResult is the largest size of a Small result, in bytes.
const SmallResult = 64 << 10

// ResultSizeOf returns the ResultSize of a function. Safe for concurrent use.
func ResultSizeOf(name string) ResultSize { return resultSizes[plainName(name)] }

// plainName returns the name of a function in lower case, without the schema sys.
func plainName(name string) string { return strings.TrimPrefix(strings.ToLower(name), "sys.") }

// LeastPacket is the smallest possible max_allowed_packet, in bytes.
const LeastPacket = 1024

// FitsPacket reports whether a value of this many bytes is at most as large as max_allowed_packet.
func FitsPacket(ctx *sql.Context, size int64) bool {
	return size <= LeastPacket || size <= MaxAllowedPacket(ctx)
}

// MaxAllowedPacket returns max_allowed_packet, in bytes.
func MaxAllowedPacket(ctx *sql.Context) int64 {
	if ctx != nil && ctx.Session != nil {
		if v, err := ctx.GetSessionVariable(ctx, "max_allowed_packet"); err == nil {
			if n, ok := integerLiteral(v); ok && n.Size > 0 && n.fits(false) {
				return int64(n.Size)
			}
		}
	}
	return 1 << 20
}

// TooLongText returns NULL, and adds the warning that the value of a function is too long.
func TooLongText(ctx *sql.Context, name string) (any, error) {
	most := strconv.FormatInt(MaxAllowedPacket(ctx), 10)
	return nil, Complain(ctx, 1301, "HY000", "Result of "+name+"() was larger than max_allowed_packet ("+most+") - truncated")
}

// Bounded returns f with its result limited to max_allowed_packet: a larger one is NULL, with warning 1301. Safe for concurrent use.
//
// go-mysql-server: makes values of any size. MySQL: makes none larger than max_allowed_packet.
func Bounded(f sql.Function) sql.Function {
	name := plainName(f.FunctionName())
	size, documents := resultSizes[name], documentArguments[name]
	switch {
	case documents > 0 || size == Document || size == Geometry:
		return documentFunction{f, name, size, documents}
	case size == Manyfold, size == Unstated:
		return limitedFunction{f, name}
	}
	return f
}

// limitedFunction is a function whose result is checked after it has been made.
type limitedFunction struct {
	sql.Function
	name string
}

// NewInstance implements sql.Function.
func (f limitedFunction) NewInstance(ctx *sql.Context, args []sql.Expression) (sql.Expression, error) {
	if err := Ended(ctx); err != nil {
		return nil, err
	}
	e, err := f.Function.NewInstance(ctx, args)
	if err != nil {
		return nil, err
	}
	if _, isAggregate := e.(sql.Aggregation); isAggregate {
		return e, nil
	}
	return &limited{e, f.name}, nil
}

// limited is an expression whose value is NULL if it is larger than max_allowed_packet. Safe for concurrent use.
type limited struct {
	sql.Expression
	name string
}

// Unlimited returns the expression inside a limited one; e itself if it is not limited.
func Unlimited(e sql.Expression) sql.Expression {
	if l, ok := e.(*limited); ok {
		return l.Expression
	}
	return e
}

var (
	_ sql.FunctionExpression = (*limited)(nil)
	_ sql.CollationCoercible = (*limited)(nil)
)

// FunctionName implements sql.FunctionExpression.
func (l *limited) FunctionName() string { return l.name }

// Description implements sql.FunctionExpression.
func (l *limited) Description() string { return l.name + " no longer than max_allowed_packet." }

// DebugString implements sql.DebugStringer.
func (l *limited) DebugString(ctx *sql.Context) string { return sql.DebugString(ctx, l.Expression) }

// CollationCoercibility implements sql.CollationCoercible.
func (l *limited) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return coercibilityOf(ctx, l.Expression)
}

// String implements sql.Expression: it can be parsed.
func (l *limited) String() string { return l.Expression.String() }

// WithChildren implements sql.Expression.
func (l *limited) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if err := Ended(ctx); err != nil { // a rule of the analyzer may go through many
		return nil, err
	}
	e, err := l.Expression.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return &limited{e, l.name}, nil
}

// Eval implements sql.Expression.
func (l *limited) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := l.Expression.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	return LimitedValue(ctx, l.name, v)
}

// LimitedValue returns v, the value of a function, or NULL and a warning if it is too large. A document that is too deep is an error.
func LimitedValue(ctx *sql.Context, name string, v any) (any, error) {
	switch s := v.(type) {
	case string:
		if !FitsPacket(ctx, int64(len(s))) {
			return TooLongText(ctx, name)
		}
		return v, nil
	case []byte:
		if !FitsPacket(ctx, int64(len(s))) {
			return TooLongText(ctx, name)
		}
		return v, nil
	case sql.JSONWrapper:
		m, err := measured(ctx, s)
		switch {
		case err != nil:
			return nil, err
		case m.Deepest > MaxDocumentDepth:
			return nil, ErrTooDeep()
		case m.TooLarge(ctx):
			return TooLongText(ctx, name)
		}
	case types.GeometryValue:
		if !FitsPacket(ctx, geometrySize(s)) {
			return TooLongText(ctx, name)
		}
	}
	return v, nil
}

// documentFunction is a function that reads JSON documents, or puts its arguments into one.
type documentFunction struct {
	sql.Function
	name      string
	size      ResultSize
	documents int
}

// NewInstance implements sql.Function.
func (f documentFunction) NewInstance(ctx *sql.Context, args []sql.Expression) (sql.Expression, error) {
	if err := Ended(ctx); err != nil {
		return nil, err
	}
	given := make([]sql.Expression, len(args))
	for i, a := range args {
		given[i] = valueOf(a, i)
	}
	e, err := f.Function.NewInstance(ctx, given)
	if err != nil {
		return nil, err
	}
	if _, isAggregate := e.(sql.Aggregation); isAggregate {
		return f.Function.NewInstance(ctx, args)
	}
	return &documentCall{limited{e, f.name}, f, args}, nil
}

// documentCall is a call of a documentFunction. It checks its arguments before go-mysql-server's function gets them. Safe for concurrent
// use.
type documentCall struct {
	limited  // of go-mysql-server's function of what stands in a row: the arguments
	function documentFunction
	args     []sql.Expression
}

// Children implements sql.Expression.
func (c *documentCall) Children() []sql.Expression { return c.args }

// WithChildren implements sql.Expression.
func (c *documentCall) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	return c.function.NewInstance(ctx, children)
}

// Eval implements sql.Expression.
func (c *documentCall) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	values := make(sql.Row, len(c.args))
	sum, most, mostDocument := int64(0), int64(-1), int64(0)
	for i, a := range c.args {
		v, err := a.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		if v, err = sql.UnwrapAny(ctx, v); err != nil {
			return nil, err
		}
		values[i] = v
		size := int64(0)
		switch v := v.(type) {
		case nil:
		case string:
			if size = int64(len(v)); i < c.function.documents && textDepth(v) > MaxDocumentDepth {
				return nil, ErrTooDeep()
			}
		case []byte:
			size = int64(len(v))
		case sql.JSONWrapper:
			m, err := measured(ctx, v)
			if err != nil {
				return nil, err
			}
			size = m.size()
		case types.GeometryValue:
			size = geometrySize(v)
		}
		if sum += size; sum <= LeastPacket {
			continue
		}
		if most < 0 {
			most, mostDocument = c.most(ctx), MaxDocument(ctx)
		}
		if i < c.function.documents && size > mostDocument || sum > most {
			return TooLongText(ctx, c.name)
		}
	}
	v, err := c.Expression.Eval(ctx, values)
	if v == nil || err != nil || c.function.size == Small {
		return v, err
	}
	return LimitedValue(ctx, c.name, v)
}

// most returns how large all arguments together may be, in bytes.
func (c *documentCall) most(ctx *sql.Context) int64 {
	switch c.function.size {
	case Document:
		return MaxDocument(ctx)
	case Geometry:
		return MaxAllowedPacket(ctx)
	}
	return math.MaxInt64
}

// MaxDocumentDepth is the largest depth of a JSON document.
const MaxDocumentDepth = 100

// MaxDocumentSize is the largest size of a JSON document, in bytes, unless max_allowed_packet is smaller. In memory a document takes
// about fifty times as much.
const MaxDocumentSize = 1 << 20

// MaxDocument returns the largest size of a JSON document in a session, in bytes.
func MaxDocument(ctx *sql.Context) int64 { return min(MaxDocumentSize, MaxAllowedPacket(ctx)) }

func ErrTooDeep() error {
	return mysql.NewSQLError(3157, "22032", "The JSON document exceeds the maximum depth.")
}

// textDepth returns the depth of the JSON document in a text.
func textDepth(s string) (deepest int) {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[', c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']', c == '}':
			depth--
		}
	}
	return deepest + 1 // a value alone is one deep
}

// DocumentMeasure measures the size of a JSON document as text, and its depth. It stops when the document is too large or too deep.
type DocumentMeasure struct {
	Left     int64 // of MaxDocumentSize
	Deepest  int
	Indented bool // with each value on a line, and two spaces for each level
}

// size returns the number of bytes, more than MaxDocumentSize if the document is too large.
func (m DocumentMeasure) size() int64 { return MaxDocumentSize - m.Left }

// TooLarge reports whether the document is too large.
func (m DocumentMeasure) TooLarge(ctx *sql.Context) bool {
	return m.size() > LeastPacket && m.size() > MaxDocument(ctx)
}

// measured returns the measure of a document.
func measured(ctx *sql.Context, w sql.JSONWrapper) (DocumentMeasure, error) {
	m := DocumentMeasure{Left: MaxDocumentSize}
	if lazy, ok := w.(*types.LazyJSONDocument); ok {
		if m.Left -= int64(len(lazy.Bytes)); m.Left < 0 {
			return m, nil
		}
		m.Deepest = textDepth(string(lazy.Bytes))
		return m, nil
	}
	v, err := w.ToInterface(ctx)
	if err != nil {
		return m, err
	}
	m.Value(v, 1)
	return m, nil
}

// Value adds v, at this depth of the document.
func (m *DocumentMeasure) Value(v any, depth int) {
	m.Deepest = max(m.Deepest, depth)
	if depth > MaxDocumentDepth || m.Left < 0 {
		return
	}
	if m.Left -= 2; m.Indented {
		m.Left -= 2 * int64(depth)
	}
	switch v := v.(type) {
	case nil, bool:
		m.Left -= 3
	case string:
		m.Text(v)
	case []byte:
		m.Left -= int64(len(v))
	case float64:
		m.Left -= doubleSize(v)
	case float32:
		m.Left -= doubleSize(float64(v))
	case decimal.Decimal:
		m.Left -= int64(v.Coefficient().BitLen()/3) + int64(max(v.Exponent(), -v.Exponent())) + 2
	case []any:
		for _, e := range v {
			m.Value(e, depth+1)
		}
	case map[string]any:
		for key, e := range v {
			m.Text(key)
			m.Value(e, depth+1)
		}
	case types.JSONDocument:
		m.Value(v.Val, depth)
	case *types.JSONDocument:
		m.Value(v.Val, depth)
	case *types.LazyJSONDocument:
		m.Left -= int64(len(v.Bytes))
		m.Deepest = max(m.Deepest, depth+textDepth(string(v.Bytes))-1)
	default:
		m.Left -= 20
	}
}

// Text adds a text in quotes.
func (m *DocumentMeasure) Text(s string) {
	m.Left -= int64(len(s)) + 2
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ':
			m.Left -= 5
		case c == '"' || c == '\\':
			m.Left--
		}
	}
}

// doubleSize returns the number of bytes of a DOUBLE without an exponent.
func doubleSize(f float64) int64 {
	if f == 0 || math.IsInf(f, 0) || math.IsNaN(f) {
		return 1
	}
	exponent := math.Log10(math.Abs(f))
	if exponent < 0 {
		return int64(-exponent) + 20
	}
	return int64(max(exponent, 18)) + 2
}

// geometrySize returns the number of bytes of a geometry as a value.
func geometrySize(g types.GeometryValue) int64 {
	const header, point = 9, 21
	size := int64(header)
	switch g := g.(type) {
	case types.Point:
		return point
	case types.LineString:
		return header + point*int64(len(g.Points))
	case types.MultiPoint:
		return header + point*int64(len(g.Points))
	case types.Polygon:
		for _, l := range g.Lines {
			size += geometrySize(l)
		}
	case types.MultiLineString:
		for _, l := range g.Lines {
			size += geometrySize(l)
		}
	case types.MultiPolygon:
		for _, p := range g.Polygons {
			size += geometrySize(p)
		}
	case types.GeomColl:
		for _, e := range g.Geoms {
			size += geometrySize(e)
		}
	}
	return size
}
