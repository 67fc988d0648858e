package sqltree

import (
	"slices"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mends"
)

// Writes changes an INSERT, an UPDATE or a DELETE so that go-mysql-server executes it as MySQL does.
func Writes(s ast.Statement) {
	if e, ok := s.(*ast.Explain); ok {
		s = e.Statement
	}
	switch s := s.(type) {
	case *ast.Insert:
		updatedNames(s)
		insertedValues(s)
	case *ast.Update:
		writtenJoins(s.TableExprs)
	case *ast.Delete:
		deletes(s)
		if len(s.Targets) > 0 {
			writtenJoins(s.TableExprs)
		}
	}
}

// deletes changes a DELETE so that go-mysql-server executes it as MySQL does.
//
// go-mysql-server: makes a TRUNCATE of a DELETE without WHERE. The TRUNCATE needs a current
// database, so a connection without one gets error 1049. MySQL: deletes the rows. deletes adds a
// WHERE that is always true, so that the statement stays a DELETE.
//
// go-mysql-server: a DELETE from several tables needs the privilege DELETE on all of them. MySQL:
// it needs DELETE on the tables from which it deletes rows, and SELECT on the others.
func deletes(d *ast.Delete) {
	if !mends.Deletes.On() {
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
		if isTable && t.Auth.AuthType == ast.AuthType_DELETE && !slices.ContainsFunc(d.Targets, func(target ast.TableName) bool { return isNamed(target, t.As.String(), name) }) {
			t.Auth.AuthType = ast.AuthType_SELECT
		}
		return isTable, nil
	}, d.TableExprs)
}

// isNamed reports whether target, from which a DELETE deletes rows, is the table name with the
// alias as. as is "" if the table has no alias.
func isNamed(target ast.TableName, as string, name ast.TableName) bool {
	if as != "" {
		return strings.EqualFold(target.Name.String(), as)
	}
	return strings.EqualFold(target.Name.String(), name.Name.String()) &&
		(target.DbQualifier.IsEmpty() || name.DbQualifier.IsEmpty() || strings.EqualFold(target.DbQualifier.String(), name.DbQualifier.String()))
}
