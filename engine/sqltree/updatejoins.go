package sqltree

import (
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mends"
)

// UpdateJoins makes left joins of the right joins whose tables an UPDATE changes.
//
// go-mysql-server: takes the columns of one table for those of the other where it looks for generated columns. MySQL: does not.
func UpdateJoins(s ast.Statement) {
	if !mends.WrittenRows.On() {
		return
	}
	if e, ok := s.(*ast.Explain); ok {
		s = e.Statement
	}
	u, ok := s.(*ast.Update)
	if !ok {
		return
	}
	for _, t := range u.TableExprs {
		leftJoins(t)
	}
}

// leftJoins makes left joins of the right joins of t.
func leftJoins(t ast.TableExpr) {
	switch t := t.(type) {
	case *ast.ParenTableExpr:
		for _, e := range t.Exprs {
			leftJoins(e)
		}
	case *ast.JoinTableExpr:
		leftJoins(t.LeftExpr)
		leftJoins(t.RightExpr)
		switch t.Join {
		case ast.RightJoinStr:
			t.Join = ast.LeftJoinStr
		case ast.NaturalRightJoinStr:
			t.Join = ast.NaturalLeftJoinStr
		default:
			return
		}
		t.LeftExpr, t.RightExpr = t.RightExpr, t.LeftExpr
		if j, ok := t.RightExpr.(*ast.JoinTableExpr); ok {
			t.RightExpr = &ast.ParenTableExpr{Exprs: ast.TableExprs{j}}
		}
	}
}
