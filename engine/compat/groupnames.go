package compat

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/syntax"
)

// GroupNames names the columns of a SELECT that are what it groups by, in s, the statement that query begins with.
//
// go-mysql-server: where rows are grouped by an expression, selected without a name and sorted, says
// that the expression's columns are not grouped by (error 1055 with ONLY_FULL_GROUP_BY). MySQL: they need
// not be, as the expression is. A name, the one that the column has anyway, makes it see that.
func GroupNames(query string, s ast.Statement) {
	if s == nil || !syntax.Mentions(query, "group") {
		return
	}
	if ddl, ok := s.(*ast.DDL); ok && ddl.ViewSpec != nil {
		s = ddl.ViewSpec.ViewExpr
	}
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		if q, ok := n.(*ast.Select); ok && len(q.GroupBy) > 0 && len(q.OrderBy) > 0 {
			nameGroups(q)
		}
		return true, nil
	}, s)
}

func nameGroups(q *ast.Select) {
	groups := map[string]bool{}
	for _, g := range q.GroupBy {
		if _, column := g.(*ast.ColName); !column {
			groups[strings.ToLower(ast.String(g))] = true
		}
	}
	if len(groups) == 0 {
		return
	}
	for _, e := range q.SelectExprs {
		a, ok := e.(*ast.AliasedExpr)
		if ok && a.As.IsEmpty() && a.InputExpression != "" && groups[strings.ToLower(ast.String(a.Expr))] {
			a.As = ast.NewColIdent(a.InputExpression)
		}
	}
}
