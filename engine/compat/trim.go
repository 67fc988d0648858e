package compat

import (
	"cmp"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// trimName is the function in the place of TRIM. Nobody can call a function so.
var trimName = ast.NewColIdent("trim of")

// trimCall is the call of ours in the place of e: the text, the pattern and the direction.
func trimCall(e *ast.TrimExpr) ast.Expr {
	return &ast.FuncExpr{Name: trimName, Exprs: ast.SelectExprs{
		&ast.AliasedExpr{Expr: e.Str}, &ast.AliasedExpr{Expr: e.Pattern}, &ast.AliasedExpr{Expr: ast.NewStrVal([]byte(e.Dir))},
	}}
}

func trimFunctions() map[string]sql.Function {
	name := trimName.Lowered()
	return map[string]sql.Function{name: sql.Function3{Name: name, Fn: func(_ *sql.Context, str, pattern, direction sql.Expression) sql.Expression {
		way := ast.Both
		if l, ok := direction.(*expression.Literal); ok {
			way = fmt.Sprint(l.Value())
		}
		return newTrim(str, pattern, way)
	}}}
}

// trim is TRIM. Safe for concurrent use.
//
// go-mysql-server: asks the pattern twice whether it is resolved, and twice for its text, so that what stands in twenty patterns is
// asked a million times. MySQL: once. It can be dropped when go-mysql-server asks once.
type trim struct {
	*function.Trim
	direction string
}

var _ sql.FunctionExpression = (*trim)(nil)

func newTrim(str, pattern sql.Expression, direction string) *trim {
	return &trim{function.NewTrim(str, pattern, direction).(*function.Trim), direction}
}

// Resolved implements sql.Expression.
func (t *trim) Resolved() bool { return expression.ExpressionsResolved(t.Children()...) }

// String implements sql.Expression.
func (t *trim) String() string {
	way := map[string]string{ast.Leading: "leading", ast.Trailing: "trailing"}[t.direction]
	return "trim(" + cmp.Or(way, "both") + " " + t.Children()[1].String() + " from " + t.Children()[0].String() + ")"
}

// WithChildren implements sql.Expression.
func (t *trim) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 2 {
		return nil, sql.ErrInvalidChildrenNumber.New(t, len(children), 2)
	}
	return newTrim(children[0], children[1], t.direction), nil
}
