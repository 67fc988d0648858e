package sqltree

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mends"
	"pfsd/engine/syntax"
)

// RefusedQuery returns the error if MySQL refuses the statement s, and nil if s can run. query
// begins with the text of s.
//
// go-mysql-server: fails in the middle of a query that groups by an aggregate function, or has a
// window function in a condition. It accepts two columns of the same name in a derived table.
// MySQL: errors 1056, 3593 and 1060.
func RefusedQuery(query string, s ast.Statement) (err error) {
	if !mends.RefusedQueries.On() || !syntax.MayHaveSubquery(query) && !syntax.ContainsFold(query, "group") && !syntax.ContainsFold(query, "over") {
		return nil
	}
	switch s.(type) {
	case ast.SelectStatement, *ast.Insert, *ast.Update, *ast.Delete, *ast.Explain:
	default:
		return nil
	}
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.Select:
			if err = windowsInConditions(n); err == nil {
				err = groupsOnAggregates(n)
			}
		case *ast.AliasedTableExpr:
			if sub, ok := n.Expr.(*ast.Subquery); ok && len(sub.Columns) == 0 {
				err = sameNames(sub.Select)
			}
		}
		return err == nil, nil
	}, s)
	return err
}

// windowsInConditions refuses window functions where MySQL has no windows yet: in WHERE, HAVING and
// GROUP BY, and in the arguments of aggregates and of window functions.
func windowsInConditions(s *ast.Select) (err error) {
	look := func(n ast.SQLNode) {
		_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
			switch n := n.(type) {
			case *ast.Subquery:
				return false, nil
			case *ast.FuncExpr:
				if n.Over != nil && err == nil {
					err = mysql.NewSQLError(3593, "HY000", "You cannot use the window function '%s' in this context.'", windowNameOf(n))
				}
			}
			return err == nil, nil
		}, n)
	}
	if s.Where != nil {
		look(s.Where.Expr)
	}
	if s.Having != nil {
		look(s.Having.Expr)
	}
	for _, e := range s.GroupBy {
		look(e)
	}
	for _, n := range []ast.SQLNode{s.SelectExprs, s.OrderBy} {
		_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
			switch n := n.(type) {
			case *ast.Subquery:
				return false, nil
			case *ast.FuncExpr:
				if n.Over != nil || isAggregate(n) {
					look(n.Exprs)
				}
			case *ast.GroupConcatExpr:
				look(n.Exprs)
				look(n.OrderBy)
			}
			return err == nil, nil
		}, n)
	}
	return err
}

// groupsOnAggregates refuses GROUP BY n if column n of the select list has an aggregate function.
// It accepts every GROUP BY of a name: a table can have a column with the name of the alias, and
// that column goes before the alias.
func groupsOnAggregates(s *ast.Select) error {
	for _, g := range s.GroupBy {
		var column *ast.AliasedExpr
		switch g := g.(type) {
		case *ast.SQLVal:
			var place int
			if _, err := fmt.Sscan(string(g.Val), &place); g.Type != ast.IntVal || err != nil || place < 1 || place > len(s.SelectExprs) {
				continue
			}
			for _, e := range s.SelectExprs[:place] {
				if _, star := e.(*ast.StarExpr); star {
					return nil
				}
			}
			column, _ = s.SelectExprs[place-1].(*ast.AliasedExpr)
		}
		if column == nil || !aggregates(column.Expr) {
			continue
		}
		name := column.As.String()
		if name == "" {
			name = column.InputExpression
		}
		return mysql.NewSQLError(1056, "42000", "Can't group on '%s'", name)
	}
	return nil
}

// isAggregate reports whether f is an aggregate function, not a window function.
func isAggregate(f *ast.FuncExpr) bool {
	return f.Over == nil && !f.Name.EqualString("grouping") && (f.IsAggregate() || planbuilder.IsAggregateFunc(f.Name.Lowered()))
}

// aggregates reports whether e has an aggregate function that is not a window function.
func aggregates(e ast.Expr) (found bool) {
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.Subquery:
			return false, nil
		case *ast.FuncExpr:
			found = found || isAggregate(n)
		case *ast.GroupConcatExpr:
			found = true
		}
		return !found, nil
	}, e)
	return found
}

// sameNames refuses two columns of a derived table that have the same name.
func sameNames(s ast.SelectStatement) error {
	switch q := s.(type) {
	case *ast.SetOp:
		return sameNames(q.Left)
	case *ast.ParenSelect:
		return sameNames(q.Select)
	case *ast.Select:
		seen := map[string]bool{}
		for _, e := range q.SelectExprs {
			a, ok := e.(*ast.AliasedExpr)
			if !ok {
				continue
			}
			name := a.As.String()
			if c, ok := a.Expr.(*ast.ColName); ok && name == "" {
				name = c.Name.String()
			}
			if name == "" {
				continue
			}
			if seen[strings.ToLower(name)] {
				return mysql.NewSQLError(1060, "42S21", "Duplicate column name '%s'", name)
			}
			seen[strings.ToLower(name)] = true
		}
	}
	return nil
}
