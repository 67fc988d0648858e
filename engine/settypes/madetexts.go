package settypes

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends"
	"pfsd/engine/sqlexpr"
)

// madeTable is what is made of the rows of a query.
type madeTable uint8

const (
	nothing madeTable = iota // they are an answer, or the values of an expression
	read                     // a derived table, a common table expression or a view
	stored                   // a table
)

// collated returns e, or to if it replaces e, such that a text that n, a part of a query, makes for a column of a table has its collation; to
// if it has it.
//
// go-mysql-server: the column has the collation utf8mb4_0900_bin, and outside the query nobody knows of what it was made. MySQL: it has that of
// the expression.
func (s *setTypes) collated(n sql.Node, e, to sql.Expression) sql.Expression {
	if s.made == nothing || s.err != nil || !mends.MadeTexts.On() {
		return to
	}
	switch n.(type) {
	case *plan.Project, *plan.GroupBy, *plan.Window:
	default:
		return to
	}
	if to != nil {
		e = to
	}
	of := e
	a, named := e.(*expression.Alias)
	if named {
		of = a.Child
	}
	if _, column := of.(*expression.GetField); column || !types.IsTextOnly(of.Type(s.ctx)) {
		return to
	}
	c, ok := sqlexpr.CollationOf(s.ctx, of)
	if !ok || s.made == read && c == sqlexpr.ConnectionCollation(s.ctx) { // which a column of a derived table has without more
		return to
	}
	if !named { // an aggregate or a window function, which a projection above takes as a column
		if id, ok := of.(sql.IdExpression); ok && id.Id() != 0 {
			s.types[id.Id()] = sqlexpr.WithCollation(of.Type(s.ctx), c)
		}
		return to
	}
	made, err := a.WithChildren(s.ctx, sqlexpr.NewCollated(of, c))
	if err != nil {
		s.fail(err)
		return to
	}
	return made
}
