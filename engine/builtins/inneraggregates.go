package builtins

import (
	"maps"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/collations"
	"pfsd/engine/mends"
	"pfsd/engine/sqlexpr"
	"pfsd/engine/syntax"
)

// InnerAggregates wraps the arguments of aggregates in the subqueries of s in calls of innerName.
// query begins with the text of s.
//
// go-mysql-server: identifies an aggregate by its text. It takes SUM(n) of a subquery for the
// SUM(n) of the outer query if both read a table of the same name. So SELECT SUM(n) / (SELECT
// SUM(n) FROM t) FROM t is error 1242. MySQL: each query has its own aggregates.
func InnerAggregates(query string, s ast.Statement) {
	if !mends.OwnAggregates.On() {
		return
	}
	if syntax.MayHaveSubquery(query) {
		innerSelects(s, nil)
	}
}

// innerSelects walks the queries in n. around has the names of the tables that the outer queries
// read.
func innerSelects(n ast.SQLNode, around map[string]bool) {
	_ = ast.Walk(func(node ast.SQLNode) (bool, error) {
		q, ok := node.(*ast.Select)
		if !ok {
			return true, nil
		}
		own, shared := maps.Clone(around), false
		if own == nil {
			own = map[string]bool{}
		}
		for name := range tablesOf(q) {
			shared = shared || around[name]
			own[name] = true
		}
		if shared {
			innerArguments(q)
		}
		for _, part := range []ast.SQLNode{q.SelectExprs, q.From, q.Where, q.GroupBy, q.Having, q.OrderBy} {
			innerSelects(part, own)
		}
		return false, nil
	}, n)
}

// tablesOf returns the names of the tables that a query reads, in lower case.
func tablesOf(q *ast.Select) map[string]bool {
	names := map[string]bool{}
	_ = ast.Walk(func(node ast.SQLNode) (bool, error) {
		a, ok := node.(*ast.AliasedTableExpr)
		if !ok {
			return true, nil
		}
		name := a.As.String()
		if t, ok := a.Expr.(ast.TableName); ok && name == "" {
			name = t.Name.String()
		}
		names[strings.ToLower(name)] = true
		return false, nil
	}, q.From)
	return names
}

// innerArguments wraps the arguments of the aggregates of q, but not those in its subqueries.
func innerArguments(q *ast.Select) {
	_ = ast.Walk(func(node ast.SQLNode) (bool, error) {
		switch f := node.(type) {
		case *ast.Select:
			return f == q, nil
		case *ast.FuncExpr:
			if !f.IsAggregate() && !aggregateNames[f.Name.Lowered()] || len(f.Exprs) == 0 {
				return true, nil
			}
			first := 0
			if f.Name.Equal(sqlexpr.GroupConcatName) {
				first = sqlexpr.GroupConcatSettings
			}
			if a, ok := f.Exprs[first].(*ast.AliasedExpr); ok {
				a.Expr = &ast.FuncExpr{Name: ast.NewColIdent(innerName), Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: a.Expr}}}
			}
			return false, nil
		}
		return true, nil
	}, q)
}

// aggregateNames has the functions that replace SUM, AVG and GROUP_CONCAT.
var aggregateNames = map[string]bool{sqlexpr.SumName.Lowered(): true, sqlexpr.AvgName.Lowered(): true, sqlexpr.GroupConcatName.Lowered(): true}

// innerName is the name of the function that returns its argument. A statement can call it only
// with quotes.
const innerName = "inner argument"

func InnerFunctions() map[string]sql.Function {
	return map[string]sql.Function{innerName: sql.Function1{Name: innerName, Fn: func(_ *sql.Context, e sql.Expression) sql.Expression {
		return &innerArgument{expression.UnaryExpressionStub{Child: e}}
	}}}
}

// innerArgument returns its argument, but has another text, so that go-mysql-server does not take
// the aggregate for another one. Safe for concurrent use.
type innerArgument struct{ expression.UnaryExpressionStub }

var (
	_ sql.FunctionExpression = (*innerArgument)(nil)
	_ sql.CollationCoercible = (*innerArgument)(nil)
)

// FunctionName implements sql.FunctionExpression.
func (*innerArgument) FunctionName() string { return innerName }

// Description implements sql.FunctionExpression.
func (*innerArgument) Description() string { return "is its argument." }

// Eval implements sql.Expression.
func (a *innerArgument) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	return a.Child.Eval(ctx, row)
}

// Type implements sql.Expression.
func (a *innerArgument) Type(ctx *sql.Context) sql.Type { return a.Child.Type(ctx) }

// CollationCoercibility implements sql.CollationCoercible.
func (a *innerArgument) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return collations.CoercibilityOf(ctx, a.Child)
}

// String implements sql.Expression.
func (a *innerArgument) String() string { return "(" + a.Child.String() + ")" }

// WithChildren implements sql.Expression.
func (*innerArgument) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(innerName, len(children), 1)
	}
	return &innerArgument{expression.UnaryExpressionStub{Child: children[0]}}, nil
}
