package settypes

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
)

// rowColumn is a column of the node below, by its place: before it stand, if any, the columns of the queries around.
//
// go-mysql-server finds the column of a field by its number, and the column of a set operation can have the number of an alias of a query
// around it.
type rowColumn struct {
	*expression.GetField
	fromEnd int
}

// Eval implements sql.Expression.
func (c *rowColumn) Eval(_ *sql.Context, row sql.Row) (any, error) {
	return row[len(row)-c.fromEnd], nil
}

// WithChildren implements sql.Expression.
func (c *rowColumn) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 0)
	}
	return c, nil
}
