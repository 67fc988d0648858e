package compat

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// maxTextIn is the longest list that TextIn touches, in elements.
const maxTextIn = 256

// TextIn mends "text IN (list)" in a condition.
//
// go-mysql-server: compares by the collation of the list's literals, which tells case
// apart. MySQL: compares by the collation of the column. The condition becomes
// text = element OR text = element ..., which compares as MySQL does.
func TextIn(ctx *sql.Context, condition sql.Expression) (sql.Expression, error) {
	e, _, err := transform.Expr(ctx, condition, func(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		var in expression.Comparer
		switch e := e.(type) {
		case *expression.HashInTuple:
			in = e
		case *expression.InTuple:
			in = e
		}
		if in == nil || !sql.IsStringType(in.Left().Type(ctx)) {
			return e, transform.SameTree, nil
		}
		list, ok := in.Right().(expression.Tuple)
		if !ok || len(list) == 0 || len(list) > maxTextIn {
			return e, transform.SameTree, nil
		}
		any := make([]sql.Expression, len(list))
		for i, element := range list {
			any[i] = expression.NewEquals(in.Left(), element)
		}
		return expression.JoinOr(any...), transform.NewTree, nil
	})
	return e, err
}
