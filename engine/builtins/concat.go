package builtins

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/collations"
	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// ConcatFunctions returns CONCAT, CONCAT_WS and REPLACE.
//
// go-mysql-server: makes texts of any length. MySQL: a text longer than max_allowed_packet is NULL,
// with warning 1301. These functions calculate the length before they make the text.
func ConcatFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	sqlexpr.DefineAll(all,
		&sqlexpr.Definition{Name: "concat", Least: 1, Most: sqlexpr.AnyNumber, TypeOf: sqlexpr.AlwaysType(types.LongText), Collated: collations.From(0), Value: concat},
		&sqlexpr.Definition{Name: "concat_ws", Least: 2, Most: sqlexpr.AnyNumber, Nulls: true, TypeOf: sqlexpr.AlwaysType(types.LongText), Collated: collations.From(0), Value: concatWithSeparator},
		&sqlexpr.Definition{Name: "replace", Least: 3, Most: 3, TypeOf: sqlexpr.AlwaysType(types.LongText), Collated: collations.From(0), Value: replaceTexts},
	)
	return all
}

// ConvertedName is the name of the function that wraps CONVERT ... USING. A statement can call it
// only with quotes.
var ConvertedName = ast.NewColIdent("converted text")

// ConvertedFunctions returns the function called ConvertedName. It limits the size of the result,
// because a text can have four times as many bytes in another character set.
func ConvertedFunctions() map[string]sql.Function {
	name := ConvertedName.Lowered()
	return map[string]sql.Function{name: sql.Function1{Name: name, Fn: func(_ *sql.Context, e sql.Expression) sql.Expression {
		if c, ok := e.(*expression.ConvertUsing); ok {
			e = &inCharset{expression.UnaryExpressionStub{Child: c.Child}, c.TargetCharSet}
		}
		return NewLimited(e, "convert")
	}}}
}

// JoinTexts returns the texts with a separator between them. If the result is longer than
// max_allowed_packet, it returns NULL and adds a warning about the function name.
func JoinTexts(ctx *sql.Context, name string, texts []string, separator string) (any, error) {
	size := int64(len(separator)) * int64(max(len(texts)-1, 0))
	for _, s := range texts {
		size += int64(len(s))
	}
	if !sqlvalue.FitsPacket(ctx, size) {
		return sqlvalue.TooLongText(ctx, name)
	}
	return strings.Join(texts, separator), nil
}

func concat(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	var few [4]string
	texts := few[:0]
	for i, v := range args {
		text, err := c.Text(ctx, i, v)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return JoinTexts(ctx, c.Name, texts, "")
}

func concatWithSeparator(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	if args[0] == nil {
		return nil, nil
	}
	var few [4]string
	texts := few[:0]
	for i, v := range args {
		if v == nil {
			continue
		}
		text, err := c.Text(ctx, i, v)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return JoinTexts(ctx, c.Name, texts[1:], texts[0])
}

func replaceTexts(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	texts, err := c.Texts(ctx, args, 3)
	if err != nil {
		return nil, err
	}
	text, from, to := texts[0], texts[1], texts[2]
	if from == "" {
		return text, nil
	}
	if more := len(to) - len(from); more > 0 {
		if !sqlvalue.FitsPacket(ctx, int64(len(text))+int64(strings.Count(text, from))*int64(more)) {
			return sqlvalue.TooLongText(ctx, c.Name)
		}
	}
	return strings.ReplaceAll(text, from, to), nil
}
