package sqlexpr

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/collations"
	"pfsd/engine/sqlvalue"
)

// textArguments has functions of texts that fail for other values. The values are how many of the
// first arguments are texts.
//
// go-mysql-server: LEFT and RIGHT of a time or a number fail. SUBSTRING and REVERSE of a time or a
// number make a text and then fail to convert it back. Most functions fail for a TIME. MySQL: the
// functions get the text that the client sees.
var textArguments = map[string]int{
	"bit_length": 1, "char_length": 1, "character_length": 1, "elt": AnyNumber,
	"field": AnyNumber, "find_in_set": 2, "lcase": 1, "left": 1, "length": 1, "lower": 1,
	"ltrim": 1, "md5": 1, "mid": 1, "octet_length": 1, "ord": 1,
	"reverse": 1, "right": 1, "rtrim": 1, "sha": 1, "sha1": 1, "sha2": 1,
	"soundex": 1, "strcmp": 2, "substr": 1, "substring": 1, "to_base64": 1, "ucase": 1, "upper": 1,
}

// ShownName is the name of the function that returns the text of a DECIMAL or DOUBLE for CAST. A
// statement can call it only with quotes.
var ShownName = ast.NewColIdent("shown text of")

// AnyNumber is larger than any number of arguments.
const AnyNumber = 1 << 30

// TextFunctions returns the functions of textArguments, which convert their arguments to text, and
// the function called ShownName.
func TextFunctions() map[string]sql.Function {
	shown := ShownName.Lowered()
	all := map[string]sql.Function{shown: sql.Function1{Name: shown, Fn: func(ctx *sql.Context, e sql.Expression) sql.Expression {
		if t := e.Type(ctx); types.IsDecimal(t) || types.IsFloat(t) {
			return asText{e}
		}
		return e
	}}}
	for _, f := range function.BuiltIns {
		n, ok := textArguments[f.FunctionName()]
		if !ok {
			continue
		}
		all[f.FunctionName()] = textFunction{f, n}
	}
	return all
}

// textFunction is a function whose first n arguments are texts.
type textFunction struct {
	sql.Function
	n int
}

// NewInstance implements sql.Function.
func (f textFunction) NewInstance(ctx *sql.Context, args []sql.Expression) (sql.Expression, error) {
	given := make([]sql.Expression, len(args))
	for i, a := range args {
		given[i] = a
		if i == 0 && f.FunctionName() == "elt" {
			given[i] = &wholeNumber{expression.UnaryExpressionStub{Child: a}}
			continue
		}
		if i < f.n && collations.NeedsText(a.Type(ctx)) {
			given[i] = asText{a}
		}
	}
	return f.Function.NewInstance(ctx, given)
}

// AsText returns an expression for the text that the client sees of the value of e.
func AsText(e sql.Expression) sql.Expression { return asText{e} }

// asText is the text that the client sees of a value.
type asText struct{ sql.Expression }

// Type implements sql.Expression.
func (asText) Type(*sql.Context) sql.Type { return types.LongText }

// CollationCoercibility implements sql.CollationCoercible.
func (asText) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return collations.OfConnection(ctx), 4
}

// Children implements sql.Expression.
func (t asText) Children() []sql.Expression { return []sql.Expression{t.Expression} }

// WithChildren implements sql.Expression.
func (t asText) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(t, len(children), 1)
	}
	return asText{children[0]}, nil
}

// Eval implements sql.Expression.
func (t asText) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := t.Expression.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	return TextOf(ctx, t.Expression, v)
}

// TextOf returns the text that the client sees of v, a value of e that is not NULL.
func TextOf(ctx *sql.Context, e sql.Expression, v any) (string, error) {
	if f, ok := v.(float64); ok {
		return string(appendPlaces(ctx, nil, e, f)), nil
	}
	return sqlvalue.ValueText(ctx, e.Type(ctx), v)
}
