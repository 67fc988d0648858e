package builtins

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/collations"
	"pfsd/engine/sqlexpr"
)

// trimNames has the names of the functions that replace TRIM in the syntax tree. The keys are the
// sides.
var trimNames = map[string]ast.ColIdent{
	ast.Leading: ast.NewColIdent("trim leading"), ast.Trailing: ast.NewColIdent("trim trailing"), ast.Both: ast.NewColIdent("trim both"),
}

// TrimCall returns the call that replaces a TRIM.
//
// go-mysql-server: TRIM of bytes that are not UTF-8 panics. TRIM also calls Resolved and String of
// its pattern twice, so that twenty patterns, one inside the other, make a million calls. MySQL:
// accepts any bytes.
func TrimCall(e *ast.TrimExpr) ast.Expr {
	return &ast.FuncExpr{Name: trimNames[e.Dir], Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: e.Str}, &ast.AliasedExpr{Expr: e.Pattern}}}
}

func TrimFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	for dir, name := range trimNames {
		sqlexpr.DefineAll(all, &sqlexpr.Definition{
			Name: name.Lowered(), Least: 2, Most: 2, Collated: collations.From(0),
			TypeOf: func(ctx *sql.Context, args []sql.Expression) sql.Type {
				if types.IsBinaryType(args[0].Type(ctx)) {
					return types.LongBlob
				}
				return types.LongText
			},
			Value: func(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
				texts, err := c.Texts(ctx, args, 2)
				if err != nil {
					return nil, err
				}
				text, what := texts[0], texts[1]
				for what != "" && dir != ast.Trailing && strings.HasPrefix(text, what) {
					text = text[len(what):]
				}
				for what != "" && dir != ast.Leading && strings.HasSuffix(text, what) {
					text = text[:len(text)-len(what)]
				}
				if c.IsBytes(ctx, 0) {
					return []byte(text), nil
				}
				return text, nil
			},
			Written: func(c *sqlexpr.Call) string {
				return "trim(" + dir + " " + c.Args[1].String() + " from " + c.Args[0].String() + ")"
			},
		})
	}
	return all
}
