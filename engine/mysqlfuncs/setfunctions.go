package mysqlfuncs

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/builtins"
	"pfsd/engine/collations"
	"pfsd/engine/sqlexpr"
)

// setFunctions returns EXPORT_SET and MAKE_SET.
//
// go-mysql-server: makes texts of any length. MySQL: a text longer than max_allowed_packet is NULL,
// with warning 1301.
func setFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	sqlexpr.DefineAll(all,
		&sqlexpr.Definition{Name: "export_set", Least: 3, Most: 5, TypeOf: sqlexpr.AlwaysType(types.LongText), Collated: collations.From(1), Value: exportSet},
		&sqlexpr.Definition{Name: "make_set", Least: 2, Most: sqlexpr.AnyNumber, Nulls: true, TypeOf: sqlexpr.AlwaysType(types.LongText), Collated: collations.From(1), Value: makeSet},
	)
	return all
}

func exportSet(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	const most = 64 // bits
	bits, err := c.Number(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	on, err := c.Text(ctx, 1, args[1])
	if err != nil {
		return nil, err
	}
	off, err := c.Text(ctx, 2, args[2])
	if err != nil {
		return nil, err
	}
	separator := ","
	if len(args) > 3 {
		if separator, err = c.Text(ctx, 3, args[3]); err != nil {
			return nil, err
		}
	}
	n, err := optional(ctx, c, args, 4, most)
	if err != nil {
		return nil, err
	}
	if n < 0 || n > most {
		n = most
	}
	texts := make([]string, n)
	for i := range texts {
		texts[i] = off
		if bits.Bits()>>i&1 != 0 {
			texts[i] = on
		}
	}
	return builtins.JoinTexts(ctx, c.Name, texts, separator)
}

func makeSet(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	if args[0] == nil {
		return nil, nil
	}
	bits, err := c.Number(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	var texts []string
	for i, v := range args[1:] {
		if v == nil || i >= 64 || bits.Bits()>>i&1 == 0 {
			continue
		}
		text, err := c.Text(ctx, i+1, v)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return builtins.JoinTexts(ctx, c.Name, texts, ",")
}
