package compat

import (
	"slices"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Delete mends a DELETE.
//
// go-mysql-server: without a WHERE it becomes a TRUNCATE if it can, and to find out the current
// database is asked: a connection that has none gets error 1049. MySQL: deletes. A WHERE that is
// always true keeps it a DELETE.
//
// go-mysql-server: one from several tables takes the privilege to delete from each. MySQL: to
// delete from those that rows are deleted from, and to read the others.
func Delete(s ast.Statement) {
	if !deletes.On() {
		return
	}
	if e, ok := s.(*ast.Explain); ok {
		s = e.Statement
	}
	d, ok := s.(*ast.Delete)
	if !ok {
		return
	}
	if d.Where == nil {
		d.Where = ast.NewWhere(ast.WhereStr, ast.BoolVal(true))
	}
	if len(d.Targets) == 0 {
		return
	}
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		t, ok := n.(*ast.AliasedTableExpr)
		if !ok {
			return true, nil
		}
		name, isTable := t.Expr.(ast.TableName)
		if isTable && t.Auth.AuthType == ast.AuthType_DELETE && !slices.ContainsFunc(d.Targets, func(target ast.TableName) bool { return names(target, t.As.String(), name) }) {
			t.Auth.AuthType = ast.AuthType_SELECT
		}
		return isTable, nil
	}, d.TableExprs)
}

// names tells whether target is the table name, whose alias is as, "" for none.
func names(target ast.TableName, as string, name ast.TableName) bool {
	if as != "" {
		return strings.EqualFold(target.Name.String(), as)
	}
	return strings.EqualFold(target.Name.String(), name.Name.String()) &&
		(target.DbQualifier.IsEmpty() || name.DbQualifier.IsEmpty() || strings.EqualFold(target.DbQualifier.String(), name.DbQualifier.String()))
}
