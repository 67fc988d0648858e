package sqlexpr

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/sqlvalue"
)

// rowValueName is the name of the function that converts a DECIMAL in a row to DOUBLE for a
// comparison. A statement can call it only with quotes.
var rowValueName = ast.NewColIdent("as compared in a row")

// wrapRowValues changes a comparison of rows so that it compares a DECIMAL with a text as DOUBLE.
//
// go-mysql-server: converts the text to DECIMAL, however large its exponent is. MySQL: compares
// both as DOUBLE.
func wrapRowValues(e *ast.ComparisonExpr) {
	left, ok := e.Left.(ast.ValTuple)
	if !ok {
		return
	}
	right, ok := e.Right.(ast.ValTuple)
	if !ok {
		return
	}
	rows := []ast.ValTuple{right}
	if e.Operator == ast.InStr || e.Operator == ast.NotInStr {
		rows = rows[:0]
		for _, r := range right {
			if row, ok := r.(ast.ValTuple); ok {
				rows = append(rows, row)
			}
		}
	}
	for i := range left {
		text := slices.ContainsFunc(rows, func(row ast.ValTuple) bool { return i < len(row) && maybeText(row[i]) })
		if _, row := left[i].(ast.ValTuple); text && !row {
			left[i] = &ast.FuncExpr{Name: rowValueName, Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: left[i]}}}
		}
	}
}

// maybeText reports whether an expression can be a text.
func maybeText(e ast.Expr) bool {
	v, ok := e.(*ast.SQLVal)
	return !ok || v.Type == ast.StrVal || v.Type == ast.ValArg
}

func RowFunctions() map[string]sql.Function {
	name := rowValueName.Lowered()
	return map[string]sql.Function{name: sql.Function1{Name: name, Fn: func(ctx *sql.Context, e sql.Expression) sql.Expression {
		if sql.IsDecimalType(e.Type(ctx)) {
			return &rowDouble{expression.UnaryExpressionStub{Child: e}}
		}
		return e
	}}}
}

// rowDouble converts a number to DOUBLE.
type rowDouble struct{ expression.UnaryExpressionStub }

// String implements sql.Expression.
func (d *rowDouble) String() string { return d.Child.String() }

// Type implements sql.Expression.
func (*rowDouble) Type(*sql.Context) sql.Type { return types.Float64 }

// Eval implements sql.Expression.
func (d *rowDouble) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := d.Child.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	return sqlvalue.DoubleOf(ctx, d.Child.Type(ctx), v)
}

// WithChildren implements sql.Expression.
func (d *rowDouble) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(d, len(children), 1)
	}
	return &rowDouble{expression.UnaryExpressionStub{Child: children[0]}}, nil
}
