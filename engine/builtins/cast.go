package builtins

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/shopspring/decimal"

	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// castName is the name of the function that replaces CAST and CONVERT. Its arguments are the value,
// the type, the type's two lengths and its character set. A statement can call it only with quotes.
var castName = ast.NewColIdent("cast as")

// CastCall returns the call that replaces a CAST to a type for which go-mysql-server differs from
// MySQL. It returns e for any other CAST.
//
// go-mysql-server: an integer out of the range of BIGINT becomes the nearest BIGINT. A TIME cast to
// YEAR is its year. A number is no date. DECIMAL has as many digits as the value, and TIME always
// has six. CHAR(2) and BINARY(4) count bytes and spaces. MySQL: calculates as this file does.
func CastCall(e *ast.ConvertExpr) ast.Expr {
	switch strings.ToLower(e.Type.Type) {
	case "signed", "unsigned", "decimal", "char", "nchar", "binary", "date", "datetime", "time", "year", "double", "real", "float", "json":
	default:
		return e
	}
	length := func(v *ast.SQLVal) ast.SelectExpr {
		if v == nil {
			v = ast.NewIntVal([]byte("-1"))
		}
		return &ast.AliasedExpr{Expr: v}
	}
	text := func(s string) ast.SelectExpr { return &ast.AliasedExpr{Expr: ast.NewStrVal([]byte(s))} }
	return &ast.FuncExpr{Name: castName, Exprs: ast.SelectExprs{
		&ast.AliasedExpr{Expr: e.Expr}, text(strings.ToLower(e.Type.Type)), length(e.Type.Length), length(e.Type.Scale), text(e.Type.Charset),
	}}
}

func CastFunctions() map[string]sql.Function {
	return map[string]sql.Function{castName.Lowered(): sql.FunctionN{Name: castName.Lowered(), Fn: newCast}}
}

// cast is the target of a CAST.
type cast struct {
	kind          string
	length, scale int // the two numbers behind the type; negative if there is none
	charset       string
	collation     sql.CollationID
	definition    sqlexpr.Definition
}

func newCast(_ *sql.Context, args ...sql.Expression) (sql.Expression, error) {
	if len(args) != 5 {
		return nil, sql.ErrInvalidArgumentNumber.New("cast", 5, len(args))
	}
	literal := func(i int) any { return args[i].(*expression.Literal).Value() }
	number := func(i int) int {
		n, _ := sqlvalue.IntegerLiteral(literal(i))
		if n.Negative {
			return -1
		}
		return int(min(n.Size, 1<<31))
	}
	c := &cast{length: number(2), scale: number(3), collation: sql.Collation_Default}
	c.kind, _ = literal(1).(string)
	c.charset, _ = literal(4).(string)
	if c.charset != "" {
		collation, err := sql.ParseCollation(c.charset, "", false)
		if err != nil {
			return nil, err
		}
		c.collation = collation
	}
	switch most := map[string]int{"time": sqlvalue.MaxMicro, "datetime": sqlvalue.MaxMicro, "decimal": sqlvalue.MaxDigits}[c.kind]; {
	case most > 0 && c.length > most && c.kind == "decimal":
		return nil, mysql.NewSQLError(1426, "42000", "Too-big precision %d specified for '%s'. Maximum is 65.", c.length, args[0])
	case most > 0 && c.length > most:
		return nil, mysql.NewSQLError(1426, "42000", "Too-big precision %d specified for 'CAST'. Maximum is 6.", c.length)
	}
	c.definition = sqlexpr.Definition{Name: "cast", Least: 1, Most: 1, TypeOf: c.typ, Value: c.eval, Written: c.written, Implicit: true}
	return c.definition.Of(args[:1])
}

// written returns the text of the cast. The parser accepts it.
func (c *cast) written(f *sqlexpr.Call) string {
	text := c.kind
	if c.length >= 0 {
		text += "(" + strconv.Itoa(c.length)
		if c.scale >= 0 {
			text += ", " + strconv.Itoa(c.scale)
		}
		text += ")"
	}
	if c.charset != "" {
		text += " character set " + c.charset
	}
	return "cast(" + f.Args[0].String() + " as " + text + ")"
}

func (c *cast) typ(ctx *sql.Context, args []sql.Expression) sql.Type {
	switch c.kind {
	case "signed":
		return types.Int64
	case "unsigned":
		return types.Uint64
	case "decimal":
		if c.length <= 0 {
			return sqlvalue.DecimalType(10, max(c.scale, 0))
		}
		return sqlvalue.DecimalType(c.length, max(c.scale, 0))
	case "double", "real":
		return types.Float64
	case "float":
		if c.length > 24 {
			return types.Float64
		}
		return types.Float32
	case "date":
		return types.Date
	case "datetime":
		return sqlvalue.DatetimeType(c.length)
	case "time":
		return sqlvalue.NewTime(c.length)
	case "year":
		return types.Year
	case "json":
		return types.JSON
	case "binary":
		if c.length >= 0 {
			return types.MustCreateBinary(sqltypes.VarBinary, int64(max(c.length, 1)))
		}
		return types.LongBlob
	}
	if c.length >= 0 {
		return types.MustCreateString(sqltypes.VarChar, int64(min(max(c.length, 1), 16383)), c.collation)
	}
	if n := shownLength(args[0].Type(ctx)); n > 0 {
		return types.MustCreateString(sqltypes.VarChar, int64(n), c.collation)
	}
	return types.CreateLongText(c.collation)
}

// shownLength returns the largest number of characters that the text of a value of type t has, or 0
// if that is not known.
func shownLength(t sql.Type) int {
	switch t.Type() {
	case querypb.Type_DATE:
		return 10
	case querypb.Type_TIME, querypb.Type_DATETIME, querypb.Type_TIMESTAMP, querypb.Type_FLOAT32, querypb.Type_FLOAT64:
		return 26
	case querypb.Type_DECIMAL:
		if d, ok := t.(sql.DecimalType); ok {
			return int(d.Precision()) + 2
		}
	case querypb.Type_VARCHAR, querypb.Type_CHAR:
		if s, ok := t.(sql.StringType); ok {
			return int(min(s.MaxCharacterLength(), 16383))
		}
	}
	if types.IsInteger(t) || types.IsYear(t) {
		return 21
	}
	return 0
}

func (c *cast) eval(ctx *sql.Context, f *sqlexpr.Call, args []any) (any, error) {
	v, t := args[0], f.Argument(ctx, 0)
	switch c.kind {
	case "signed", "unsigned":
		return c.integer(ctx, f, v)
	case "decimal":
		return c.decimal(ctx, f, v)
	case "double", "real":
		n, err := f.Number(ctx, 0, v)
		return n.Float(), err
	case "float":
		n, err := f.Number(ctx, 0, v)
		if c.length > 24 {
			return n.Float(), err
		}
		return float32(n.Float()), err
	case "date":
		m, ok, err := sqlvalue.MomentIn(ctx, t, v, false)
		if !ok || err != nil {
			return nil, err
		}
		m = m.Dated(ctx)
		m.Micros = 0
		return sqlvalue.DatetimeValue(m, 0), nil
	case "datetime":
		m, ok, err := sqlvalue.MomentIn(ctx, t, v, false)
		if !ok || err != nil {
			return nil, err
		}
		return sqlvalue.DatetimeValue(m.Dated(ctx), c.length), nil
	case "time":
		m, ok, err := sqlvalue.ClockMoment(ctx, t, v)
		if !ok || err != nil {
			return nil, err
		}
		return sqlvalue.TimeValue(m.TimeOfDay(), c.length), nil
	case "year":
		return c.year(ctx, f, v)
	case "json":
		return c.json(ctx, f, v)
	}
	text, err := f.Text(ctx, 0, v)
	if err != nil {
		return nil, err
	}
	if c.kind == "binary" {
		return c.binary(ctx, text)
	}
	return c.text(ctx, text)
}

func (c *cast) integer(ctx *sql.Context, f *sqlexpr.Call, v any) (any, error) {
	var n sqlvalue.Number
	var err error
	if bytes, ok := v.([]byte); ok {
		if _, literal := f.Args[0].(*expression.Literal); literal {
			for _, b := range bytes[max(0, len(bytes)-8):] {
				n.Size = n.Size<<8 | uint64(b)
			}
			return c.bits(n), nil
		}
		v = string(bytes)
	}
	if types.IsJSON(f.Argument(ctx, 0)) {
		text, err := f.Text(ctx, 0, v)
		if err != nil {
			return nil, err
		}
		if text == "true" {
			text = "1"
		}
		f, _ := sqlvalue.LeadingDouble(strings.Trim(text, `"`))
		if n = sqlexpr.LeadingInteger(strings.Trim(text, `"`)); strings.ContainsAny(text, ".eE") {
			n, _ = sqlvalue.DoubleNumber(f).Rounded()
		}
		return c.bits(n), nil
	}
	if s, ok := v.(string); ok {
		if _, isChoice := f.Argument(ctx, 0).(*sqlvalue.Choice); !isChoice {
			n = sqlexpr.LeadingInteger(s)
			rest := strings.TrimLeft(s, sqlvalue.Blanks)
			rest = strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(rest, "-"), "+"), "0123456789")
			if strings.Trim(rest, sqlvalue.Blanks) != "" || strings.Trim(s, sqlvalue.Blanks) == "" {
				err = sqlvalue.Complain(ctx, mysql.ERTruncatedWrongValue, sqlvalue.WrongValueState, "Truncated incorrect INTEGER value: '"+s+"'")
			}
			return c.bits(n), err
		}
	}
	if n, err = f.Number(ctx, 0, v); err != nil {
		return nil, err
	}
	if n.Kind == sqlvalue.Approximate {
		switch {
		case n.Double >= 1<<63:
			n = sqlvalue.Number{Size: 1<<63 - 1}
		case n.Double <= -1<<63:
			n = sqlvalue.Number{Negative: true, Size: 1 << 63}
		default:
			n.Double = math.RoundToEven(n.Double) // a DECIMAL is rounded away from zero
		}
	}
	rounded, ok := n.Rounded()
	if n.Kind == sqlvalue.Exact {
		signed := c.kind == "signed" || n.IsNegative()
		if !ok || !rounded.Fits(!signed) {
			rounded = sqlvalue.Number{Size: 1<<64 - 1}
			if signed {
				rounded.Size = 1<<63 - 1
			}
			if n.IsNegative() {
				rounded = sqlvalue.Number{Negative: true, Size: 1 << 63}
			}
			err = sqlvalue.Complain(ctx, mysql.ERTruncatedWrongValue, sqlvalue.WrongValueState, "Truncated incorrect DECIMAL value: '"+n.Decimal.String()+"'")
		}
	}
	return c.bits(rounded), err
}

// bits returns the 64 bits of an integer as a BIGINT or BIGINT UNSIGNED.
func (c *cast) bits(n sqlvalue.Number) any {
	size := n.Size
	if n.Negative {
		size = -min(size, 1<<63)
	}
	if c.kind == "signed" {
		return int64(size)
	}
	return size
}

func (c *cast) decimal(ctx *sql.Context, f *sqlexpr.Call, v any) (any, error) {
	var d decimal.Decimal
	var err error
	if s, ok := v.(string); ok && types.IsText(f.Argument(ctx, 0)) {
		var whole bool
		if d, whole = sqlvalue.LeadingDecimal(s); !whole {
			err = sqlvalue.Complain(ctx, mysql.ERTruncatedWrongValue, sqlvalue.WrongValueState, "Truncated incorrect DECIMAL value: '"+s+"'")
		}
	} else {
		var n sqlvalue.Number
		n, err = f.Number(ctx, 0, v)
		d = n.Exactly()
	}
	if err != nil {
		return nil, err
	}
	t := c.typ(ctx, f.Args).(sql.DecimalType)
	d = sqlvalue.Rescale(d, int(t.Scale()))
	most := decimal.New(1, int32(t.Precision())).Sub(decimal.New(1, 0)).Shift(-int32(t.Scale()))
	if d.Abs().GreaterThan(most) {
		if d.IsNegative() {
			most = most.Neg()
		}
		d = sqlvalue.Rescale(most, int(t.Scale()))
		err = sqlvalue.Complain(ctx, 1264, "22003", "Out of range value for column '"+c.written(f)+"' at row 1")
	}
	return d, err
}

func (c *cast) year(ctx *sql.Context, f *sqlexpr.Call, v any) (any, error) {
	var year int64
	switch t := f.Argument(ctx, 0); {
	case types.IsTime(t), sqlvalue.IsTimespan(t):
		m, ok, err := sqlvalue.MomentIn(ctx, t, v, false)
		if !ok || err != nil {
			return nil, err
		}
		year = int64(m.Dated(ctx).Year)
	default:
		s, isText := v.(string)
		n, err := f.Integer(ctx, 0, v)
		if err != nil {
			return nil, err
		}
		switch year = n; {
		case n == 0 && isText:
			year = 2000
		case n > 0 && n < 100:
			year = int64(sqlvalue.Century(int(n)))
		}
		if isText && len(strings.Trim(s, sqlvalue.Blanks)) > 4 {
			if m, ok, _ := sqlvalue.ParseDate(s); ok {
				year = int64(m.Year)
			}
		}
	}
	if year != 0 && (year < 1901 || year > 2155) {
		return nil, sqlvalue.Complain(ctx, mysql.ERTruncatedWrongValue, sqlvalue.WrongValueState, "Truncated incorrect YEAR value: '"+strconv.FormatInt(year, 10)+"'")
	}
	kept, _, err := types.Year.Convert(ctx, year)
	return kept, err
}

func (c *cast) binary(ctx *sql.Context, text string) (any, error) {
	switch n := len(text); {
	case c.length < 0 || n == c.length:
	case n > c.length:
		if err := c.truncated(ctx, "BINARY", text); err != nil {
			return nil, err
		}
		text = text[:c.length]
	case !sqlvalue.FitsPacket(ctx, int64(c.length)):
		return sqlvalue.TooLongText(ctx, "cast_as_binary")
	default:
		padded := make([]byte, c.length)
		copy(padded, text)
		return padded, nil
	}
	return []byte(text), nil
}

// json returns a value as a JSON document.
func (c *cast) json(ctx *sql.Context, f *sqlexpr.Call, v any) (any, error) {
	if text, ok := v.([]byte); ok {
		v = string(text)
	}
	if text, ok := v.(string); ok {
		switch {
		case sqlvalue.TextDepth(text) > sqlvalue.MaxDocumentDepth:
			return nil, sqlvalue.ErrTooDeep()
		case len(text) > sqlvalue.LeastPacket && int64(len(text)) > sqlvalue.MaxDocument(ctx):
			return sqlvalue.TooLongText(ctx, "cast_as_json")
		}
	}
	document, err := sqlvalue.ConvertJSON(ctx, v)
	if err != nil {
		return nil, mysql.NewSQLError(3141, "22032", "Invalid JSON text in argument 1 to function cast_as_json: \"Invalid value.\" at position 0.")
	}
	return document, nil
}

func (c *cast) text(ctx *sql.Context, text string) (any, error) {
	if c.length >= 0 && utf8.RuneCountInString(text) > c.length {
		if err := c.truncated(ctx, "CHAR", text); err != nil {
			return nil, err
		}
		n := 0
		for i := range text {
			if n == c.length {
				text = text[:i]
				break
			}
			n++
		}
	}
	return text, nil
}

func (c *cast) truncated(ctx *sql.Context, kind, text string) error {
	return sqlvalue.Complain(ctx, mysql.ERTruncatedWrongValue, sqlvalue.WrongValueState, "Truncated incorrect "+kind+"("+strconv.Itoa(c.length)+") value: '"+text+"'")
}
