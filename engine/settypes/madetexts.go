package settypes

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/collations"
	"pfsd/engine/mends"
)

// madeCollation returns the collation of the text that e makes for a column; false if the column has it without more. A column that is not
// stored has that of the connection.
func madeCollation(ctx *sql.Context, e sql.Expression, stored bool) (sql.CollationID, bool) {
	if a, named := e.(*expression.Alias); named {
		e = a.Child
	}
	switch e.(type) {
	case *expression.GetField, *plan.Subquery: // which have the collation of the column that was made for them
		return 0, false
	}
	if !types.IsTextOnly(e.Type(ctx)) {
		return 0, false
	}
	c, ok := collations.Of(ctx, e)
	return c, ok && (stored || c != collations.OfConnection(ctx))
}

// collated returns e, or to if it replaces e, such that a text that n, a part of a query, makes for a column has its collation; to if it has it.
//
// go-mysql-server: the column has the collation utf8mb4_0900_bin, and what uses it, in ORDER BY, HAVING or outside a derived table, does not
// know of what it was made. MySQL: it has the collation of the expression.
func (s *setTypes) collated(n sql.Node, e, to sql.Expression) sql.Expression {
	if s.err != nil || !mends.MadeTexts.On() {
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
	c, ok := madeCollation(s.ctx, e, s.store)
	if !ok {
		return to
	}
	a, named := e.(*expression.Alias)
	if !named { // an aggregate or a window function, which a projection above takes as a column
		if id, ok := e.(sql.IdExpression); ok && id.Id() != 0 {
			s.types[id.Id()] = collations.With(e.Type(s.ctx), c)
		}
		return to
	}
	made, err := a.WithChildren(s.ctx, collations.NewCollated(a.Child, c))
	if err != nil {
		s.fail(err)
		return to
	}
	return made.(*expression.Alias).WithId(a.Id()).(sql.Expression)
}
