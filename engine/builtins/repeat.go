package builtins

import (
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/collations"
	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// RepeatFunctions returns REPEAT, SPACE and RPAD.
//
// go-mysql-server: makes texts of any length. A negative number in REPEAT is an error. RPAD counts
// bytes, and can cut a character in two. MySQL: a text longer than max_allowed_packet is NULL. A
// text that is repeated less than once is empty. RPAD counts characters.
func RepeatFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	sqlexpr.DefineAll(all,
		&sqlexpr.Definition{Name: "repeat", Least: 2, Most: 2, TypeOf: sqlexpr.AlwaysType(types.LongText), Collated: collations.From(0), Value: repeat},
		&sqlexpr.Definition{Name: "space", Least: 1, Most: 1, TypeOf: sqlexpr.AlwaysType(types.LongText), Value: func(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
			n, err := c.Integer(ctx, 0, args[0])
			if err != nil {
				return nil, err
			}
			return repeated(ctx, "space", " ", n)
		}},
		&sqlexpr.Definition{Name: "rpad", Least: 3, Most: 3, TypeOf: sqlexpr.AlwaysType(types.LongText), Collated: collations.From(0), Value: Pad(false)},
	)
	return all
}

func repeated(ctx *sql.Context, name, text string, n int64) (any, error) {
	switch {
	case n <= 0 || text == "":
		return "", nil
	case n > sqlvalue.LeastPacket/int64(len(text)) && n > sqlvalue.MaxAllowedPacket(ctx)/int64(len(text)):
		return sqlvalue.TooLongText(ctx, name)
	}
	return strings.Repeat(text, int(n)), nil
}

func repeat(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	text, err := c.Text(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	n, err := c.Integer(ctx, 1, args[1])
	if err != nil {
		return nil, err
	}
	return repeated(ctx, "repeat", text, n)
}

// Pad returns the Value of LPAD if left is set, else that of RPAD.
func Pad(left bool) func(*sql.Context, *sqlexpr.Call, []any) (any, error) {
	return func(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
		text, err := c.Text(ctx, 0, args[0])
		if err != nil {
			return nil, err
		}
		with, err := c.Text(ctx, 2, args[2])
		if err != nil {
			return nil, err
		}
		n, err := c.Integer(ctx, 1, args[1])
		if err != nil || n < 0 {
			return nil, err
		}
		bytes := c.IsBytes(ctx, 0) || c.IsBytes(ctx, 2)
		count := func(s string) int64 {
			if bytes {
				return int64(len(s))
			}
			return int64(utf8.RuneCountInString(s))
		}
		missing := n - count(text)
		switch {
		case missing <= 0:
			return text[:sqlexpr.Offset(text, n, bytes)], nil
		case with == "":
			return "", nil
		}
		widest := int64(utf8.UTFMax)
		if bytes {
			widest = 1
		}
		if n > sqlvalue.LeastPacket/widest && n > sqlvalue.MaxAllowedPacket(ctx)/widest {
			return sqlvalue.TooLongText(ctx, c.Name)
		}
		times, rest := int(missing/count(with)), with[:sqlexpr.Offset(with, missing%count(with), bytes)]
		var padded strings.Builder
		padded.Grow(len(text) + times*len(with) + len(rest))
		if !left {
			padded.WriteString(text)
		}
		for range times {
			padded.WriteString(with)
		}
		padded.WriteString(rest)
		if left {
			padded.WriteString(text)
		}
		return padded.String(), nil
	}
}
