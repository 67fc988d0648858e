package executor

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// argumentNames are the aggregates whose arguments are converted, and the functions that convert
// them.
//
// go-mysql-server: the standard deviation and the variance of integers are integers, those of a
// DECIMAL have its digits; for a negative number with digits after the point, BIT_AND and the like
// do not use the bits of the nearest integer. MySQL: standard deviation and variance are DOUBLE;
// the bits are those of the nearest integer.
var argumentNames = map[string]ast.ColIdent{
	"std": sqlexpr.DoubleName, "stddev": sqlexpr.DoubleName, "stddev_pop": sqlexpr.DoubleName, "stddev_samp": sqlexpr.DoubleName,
	"variance": sqlexpr.DoubleName, "var_pop": sqlexpr.DoubleName, "var_samp": sqlexpr.DoubleName,
	"bit_and": sqlexpr.BitsName, "bit_or": sqlexpr.BitsName, "bit_xor": sqlexpr.BitsName,
}

// VarianceCall converts the argument of the aggregate f.
func VarianceCall(f *ast.FuncExpr) {
	name, ok := argumentNames[f.Name.Lowered()]
	if !ok || len(f.Exprs) != 1 {
		return
	}
	if a, ok := f.Exprs[0].(*ast.AliasedExpr); ok {
		a.Expr = &ast.FuncExpr{Name: name, Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: a.Expr}}}
	}
}

func VarianceFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	for _, name := range []string{sqlexpr.DoubleName.Lowered(), sqlexpr.BitsName.Lowered()} {
		all[name] = sql.Function1{Name: name, Fn: func(_ *sql.Context, e sql.Expression) sql.Expression {
			return &numberArgument{expression.UnaryExpressionStub{Child: e}, name == sqlexpr.BitsName.Lowered()}
		}}
	}
	return all
}

// numberArgument converts a number to DOUBLE or to 64 bits. Safe for concurrent use.
type numberArgument struct {
	expression.UnaryExpressionStub
	bits bool
}

// Type implements sql.Expression.
func (a *numberArgument) Type(*sql.Context) sql.Type {
	if a.bits {
		return types.Uint64
	}
	return types.Float64
}

// CollationCoercibility implements sql.CollationCoercible.
func (*numberArgument) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// Eval implements sql.Expression.
func (a *numberArgument) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := a.Child.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	n, err := sqlvalue.NumberOf(ctx, a.Child.Type(ctx), v)
	if a.bits {
		return n.Bits(), err
	}
	return n.Float(), err
}

// String implements sql.Expression.
func (a *numberArgument) String() string { return a.Child.String() }

// WithChildren implements sql.Expression.
func (a *numberArgument) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(a, len(children), 1)
	}
	return &numberArgument{expression.UnaryExpressionStub{Child: children[0]}, a.bits}, nil
}
