package builtins

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/collations"
	"pfsd/engine/sqlexpr"
)

// QuoteFunctions returns QUOTE.
//
// go-mysql-server: QUOTE(NULL) is NULL. QUOTE of binary data is an error. MySQL: QUOTE(NULL) is the
// text NULL. QUOTE of binary data is the quoted data.
func QuoteFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	sqlexpr.DefineAll(all, &sqlexpr.Definition{Name: "quote", Least: 1, Most: 1, Nulls: true, TypeOf: sqlexpr.AlwaysType(types.LongText), Collated: collations.From(0), Value: quote})
	return all
}

func quote(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	if args[0] == nil {
		return "NULL", nil
	}
	text, err := c.Text(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\x00", `\0`, "\x1a", `\Z`).Replace(text) + "'", nil
}
