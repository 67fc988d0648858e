package resultsize

import (
	"math"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/builtins"
	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// Size says how large the value of a function can be. resultSizes has it for every function.
type Size uint8

const (
	// Unstated means that resultSizes does not have the function.
	Unstated Size = iota
	// Small means at most SmallResult bytes for any arguments: a number, a time, a name, a hash.
	Small
	// LikeArgument means at most as large as the largest argument.
	LikeArgument
	// Manyfold means at most about ten times as large as the largest argument. If the value is too
	// large, it becomes NULL after the function has made it.
	Manyfold
	// Checked means that the function calculates the size before it makes the result, and makes no
	// result that is too large.
	Checked
	// Document means a JSON document, and Geometry a geometry, that can contain all arguments. The
	// function makes none that is too large.
	Document
	Geometry
)

// SmallResult is the largest size of a Small result, in bytes.
const SmallResult = 64 << 10

// Of returns the Size of a function. Safe for concurrent use.
func Of(name string) Size { return resultSizes[plainName(name)] }

// plainName returns the name of a function in lower case, without the schema sys.
func plainName(name string) string { return strings.TrimPrefix(strings.ToLower(name), "sys.") }

// Bounded returns f with its result limited to max_allowed_packet: a larger result becomes NULL,
// with warning 1301. A call with many arguments can be stopped between them. Safe for concurrent use.
//
// go-mysql-server: makes values of any size. MySQL: makes none larger than max_allowed_packet.
func Bounded(f sql.Function) sql.Function {
	name := plainName(f.FunctionName())
	size, documents, format := resultSizes[name], documentArguments[name], geometryFormatOf(name)
	switch {
	case documents > 0 || format != noGeometry || size == Document || size == Geometry || comparesPoints[name]:
		return documentFunction{f, name, size, documents, format}
	case size == Manyfold, size == Unstated:
		return limitedFunction{sqlexpr.Stoppable{Function: f}, name}
	}
	return sqlexpr.Stoppable{Function: f}
}

// limitedFunction is a function that checks the size of its result after it has made the result.
type limitedFunction struct {
	sql.Function
	name string
}

// NewInstance implements sql.Function.
func (f limitedFunction) NewInstance(ctx *sql.Context, args []sql.Expression) (sql.Expression, error) {
	if err := sqlvalue.Ended(ctx); err != nil {
		return nil, err
	}
	e, err := f.Function.NewInstance(ctx, args)
	if err != nil {
		return nil, err
	}
	if _, isAggregate := e.(sql.Aggregation); isAggregate {
		return e, nil
	}
	return builtins.NewLimited(e, f.name), nil
}

// geometryFormat is the format in which a function reads a geometry from its first argument.
type geometryFormat uint8

const (
	noGeometry geometryFormat = iota
	inWKB
	inWKT
)

// geometryFormatOf returns the format that a function reads.
func geometryFormatOf(name string) geometryFormat {
	switch {
	case !strings.HasPrefix(name, "st_"):
	case strings.HasSuffix(name, "fromwkb"):
		return inWKB
	case strings.HasSuffix(name, "fromtext"), strings.HasSuffix(name, "fromtxt"):
		return inWKT
	}
	return noGeometry
}

// documentFunction is a function that reads JSON documents or geometries, or puts its arguments into
// one.
type documentFunction struct {
	sql.Function
	name      string
	size      Size
	documents int
	format    geometryFormat
}

// NewInstance implements sql.Function.
func (f documentFunction) NewInstance(ctx *sql.Context, args []sql.Expression) (sql.Expression, error) {
	if err := sqlvalue.Ended(ctx); err != nil {
		return nil, err
	}
	given := make([]sql.Expression, len(args))
	for i, a := range args {
		given[i] = sqlexpr.ValueOf(a, i)
		if i == 0 && f.format == inWKT { // its value is another one
			given[i] = sqlexpr.ArgumentValue(a, i)
		}
		if l, ok := a.(*expression.Literal); ok && i < f.documents {
			if text, ok := l.Value().(string); ok {
				if d, ok := sqlvalue.ExactDocument(text).(types.JSONDocument); ok {
					given[i] = expression.NewLiteral(d, types.JSON)
				}
			}
		}
	}
	e, err := f.Function.NewInstance(ctx, given)
	if err != nil {
		return nil, err
	}
	if _, isAggregate := e.(sql.Aggregation); isAggregate {
		return f.Function.NewInstance(ctx, args)
	}
	return &documentCall{builtins.NewLimited(e, f.name), f, args}, nil
}

// documentCall is a call of a documentFunction. It checks its arguments before go-mysql-server's
// function gets them. Safe for concurrent use.
type documentCall struct {
	*builtins.Limited // go-mysql-server's function; its arguments are values of a row
	function          documentFunction
	args              []sql.Expression
}

// Children implements sql.Expression.
func (c *documentCall) Children() []sql.Expression { return c.args }

// WithChildren implements sql.Expression.
func (c *documentCall) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	return c.function.NewInstance(ctx, children)
}

// Eval implements sql.Expression.
func (c *documentCall) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if err := sqlvalue.Ended(ctx); err != nil {
		return nil, err
	}
	values := make(sql.Row, len(c.args))
	sum, most, mostDocument := int64(0), int64(-1), int64(0)
	compares, pairs := comparesPoints[c.function.name], int64(1)
	for i, a := range c.args {
		v, err := a.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		if v, err = sql.UnwrapAny(ctx, v); err != nil {
			return nil, err
		}
		values[i] = v
		size, depth, geometry := int64(0), 0, true
		document, wkb := i < c.function.documents, i == 0 && c.function.format == inWKB
		switch v := v.(type) {
		case nil:
		case string:
			size, geometry = int64(len(v)), !wkb || sqlvalue.WellFormedWKB([]byte(v))
			if document {
				depth = sqlvalue.TextDepth(v)
				values[i] = sqlvalue.ExactDocument(v)
			}
		case []byte:
			size, geometry = int64(len(v)), !wkb || sqlvalue.WellFormedWKB(v)
			if document {
				depth = sqlvalue.TextDepth(v)
				values[i] = sqlvalue.ExactDocument(v)
			}
		case sql.JSONWrapper:
			m, err := sqlvalue.MeasureJSON(ctx, v)
			if err != nil {
				return nil, err
			}
			size, depth = m.Size(), m.Deepest
		case types.GeometryValue:
			size = sqlvalue.GeometrySize(v)
		}
		if !geometry {
			return nil, sqlvalue.ErrGISData(c.function.name)
		}
		if document && depth > sqlvalue.MaxDocumentDepth {
			return nil, sqlvalue.ErrTooDeep()
		}
		if compares {
			points := size/bytesOfPoint + 1
			if len(c.args) == 1 {
				pairs = points
			}
			if points > maxPairs/pairs {
				return nil, mysql.NewSQLError(3134, "HY000", "Parameter g%d exceeds the maximum number of points in a geometry (%d) in function %s.", i+1, maxPairs/pairs, c.function.name)
			}
			pairs *= points
		}
		if sum += size; sum <= sqlvalue.LeastPacket {
			continue
		}
		if most < 0 {
			most, mostDocument = c.most(ctx), sqlvalue.MaxDocument(ctx)
		}
		if document && size > mostDocument || sum > most {
			return sqlvalue.TooLongText(ctx, c.function.name)
		}
	}
	var v any
	var err error
	if n := 1 + documentGroups[c.function.name]*groupsAtOnce; n > 1 && len(values) > n {
		v, err = c.inParts(ctx, values, n)
	} else {
		v, err = c.value(ctx, values)
	}
	if v == nil || err != nil || c.function.size == Small {
		return v, err
	}
	return sqlvalue.LimitedValue(ctx, c.function.name, v)
}

// value returns the value of go-mysql-server's function for these arguments. If it reads WKT,
// sqlvalue.ReadWKT reads the text, and go-mysql-server's function reads a short one of the same type:
// it checks the type and the other arguments, and its answer shows the SRID and the order of the
// coordinates.
func (c *documentCall) value(ctx *sql.Context, values sql.Row) (any, error) {
	if c.function.format != inWKT {
		return c.Expression.Eval(ctx, values)
	}
	text, ok := values[0].(string)
	if !ok {
		return c.Expression.Eval(ctx, values)
	}
	read, ok := sqlvalue.ReadWKT(text)
	if !ok {
		return nil, sqlvalue.ErrGISData(c.function.name)
	}
	values[0] = sqlvalue.SmallWKT(read)
	v, err := c.Expression.Eval(ctx, values)
	small, ok := v.(types.GeometryValue)
	if err != nil || !ok {
		return v, err
	}
	if read = read.SetSRID(small.GetSRID()); sqlvalue.FirstPoint(small).X == 1 {
		read = read.Swap()
	}
	return read, nil
}

// documentGroups has the functions that change the document of their first argument once for each group of the others, one group after the
// other. The values are how many arguments a group has.
var documentGroups = map[string]int{"json_array_append": 2, "json_array_insert": 2, "json_insert": 2, "json_remove": 1, "json_replace": 2, "json_set": 2}

// groupsAtOnce is for how many groups go-mysql-server's function is called at a time. Each may copy the document.
const groupsAtOnce = 32

// inParts evaluates a call with many groups by calls with n arguments each, so that it can be stopped between them.
func (c *documentCall) inParts(ctx *sql.Context, values sql.Row, n int) (any, error) {
	document := values[0]
	for from := 1; from < len(values); from += n - 1 {
		to := min(from+n-1, len(values))
		if err := sqlvalue.Pace(ctx, partRows); err != nil {
			return nil, err
		}
		args := []sql.Expression{expression.NewLiteral(document, types.JSON)}
		if from == 1 {
			args[0] = sqlexpr.ValueOf(c.args[0], 0)
		}
		for i := from; i < to; i++ {
			args = append(args, sqlexpr.ValueOf(c.args[i], i-from+1))
		}
		part, err := c.function.Function.NewInstance(ctx, args)
		if err != nil {
			return nil, err
		}
		if document, err = part.Eval(ctx, append(sql.Row{document}, values[from:to]...)); err != nil || document == nil {
			return nil, err
		}
	}
	return document, nil
}

// partRows is the work of a part of a call, in rows.
const partRows = 64

// comparesPoints has the functions of go-mysql-server that compare each point or line of one geometry with each one of the other, or of the same one
// if there is no other. Nothing can stop them: they get no geometries that have more than maxPairs such pairs.
var comparesPoints = map[string]bool{
	"st_contains": true, "st_disjoint": true, "st_distance": true, "st_equal": true, "st_intersects": true, "st_issimple": true, "st_within": true,
}

const (
	maxPairs     = 1 << 26 // which take less than a second
	bytesOfPoint = 16
)

// most returns how many bytes all arguments together can have.
func (c *documentCall) most(ctx *sql.Context) int64 {
	switch c.function.size {
	case Document:
		return sqlvalue.MaxDocument(ctx)
	case Geometry:
		return sqlvalue.MaxAllowedPacket(ctx)
	}
	return math.MaxInt64
}
