package sqltree

import (
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mends"
)

// writtenJoins changes the joins of tables that an UPDATE or a DELETE changes: right joins become left joins, and USING between two tables
// becomes ON.
//
// go-mysql-server: in an UPDATE, takes the columns of one table of a right join for those of the other where it looks for generated columns;
// behind USING, it does not find the tables of a DELETE. MySQL: it makes no difference how the join is written.
func writtenJoins(tables ast.TableExprs) {
	if !mends.WrittenRows.On() {
		return
	}
	for _, t := range tables {
		writtenJoin(t)
	}
}

// writtenJoin changes the joins in t.
func writtenJoin(t ast.TableExpr) {
	switch t := t.(type) {
	case *ast.ParenTableExpr:
		writtenJoins(t.Exprs)
	case *ast.JoinTableExpr:
		writtenJoin(t.LeftExpr)
		writtenJoin(t.RightExpr)
		usingAsOn(t)
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

// usingAsOn replaces USING between two tables.
func usingAsOn(t *ast.JoinTableExpr) {
	left, right := tableName(t.LeftExpr), tableName(t.RightExpr)
	if len(t.Condition.Using) == 0 || left.IsEmpty() || right.IsEmpty() {
		return
	}
	var on ast.Expr
	for _, c := range t.Condition.Using {
		equal := &ast.ComparisonExpr{Operator: ast.EqualStr, Left: &ast.ColName{Name: c, Qualifier: left}, Right: &ast.ColName{Name: c, Qualifier: right}}
		if on == nil {
			on = equal
		} else {
			on = &ast.AndExpr{Left: on, Right: equal}
		}
	}
	t.Condition = ast.JoinCondition{On: on}
}

// tableName returns the name by which columns of t are called, which is empty unless t is one table.
func tableName(t ast.TableExpr) ast.TableName {
	a, ok := t.(*ast.AliasedTableExpr)
	if !ok {
		return ast.TableName{}
	}
	if !a.As.IsEmpty() {
		return ast.TableName{Name: a.As}
	}
	name, _ := a.Expr.(ast.TableName)
	return name
}
