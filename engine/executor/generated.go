package executor

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/sqlexpr"
)

// Generated are the generated columns of a table. Safe for concurrent use.
//
// go-mysql-server: calculates them from the values of a row as the statement has them. MySQL: from those that the row keeps, when they are
// converted to their columns and triggers have run.
type Generated struct {
	columns sql.Schema
	places  []int
	values  []sql.Expression
}

// NewGenerated returns the generated columns among columns of a table, nil if there is none.
func NewGenerated(ctx *sql.Context, columns sql.Schema) (*Generated, error) {
	var g *Generated
	for i, c := range columns {
		if c.Generated == nil || c.Generated.Expr == nil || !c.Generated.Resolved() {
			continue
		}
		value, err := AtPlaces(ctx, c.Generated.Expr, columns, 0)
		if err != nil {
			return nil, err
		}
		if g == nil {
			g = &Generated{columns: columns}
		}
		g.places, g.values = append(g.places, i), append(g.values, value)
	}
	return g, nil
}

// AtPlaces returns an expression that finds its columns by name in rows in which these columns begin at place first, and calculates as MySQL
// does.
func AtPlaces(ctx *sql.Context, e sql.Expression, columns sql.Schema, first int) (sql.Expression, error) {
	e, _, err := transform.Expr(ctx, e, func(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		f, ok := e.(*expression.GetField)
		if !ok {
			return e, transform.SameTree, nil
		}
		for i, c := range columns {
			if strings.EqualFold(c.Name, f.Name()) {
				return f.WithIndex(first + i), transform.NewTree, nil
			}
		}
		return nil, transform.SameTree, sql.ErrColumnNotFound.New(f.Name())
	})
	if err != nil {
		return nil, err
	}
	return sqlexpr.MendExpression(ctx, e)
}

// Fill gives the generated columns of a row, whose number in the statement is number, their values. With virtual, only those that are not
// stored.
func (g *Generated) Fill(ctx *sql.Context, row sql.Row, number int64, virtual bool) error {
	if g == nil {
		return nil
	}
	for i, place := range g.places {
		c := g.columns[place]
		if virtual && !c.Virtual {
			continue
		}
		v, err := g.values[i].Eval(ctx, row)
		if err != nil {
			return err
		}
		if v != nil {
			if v, err = store(ctx, c.Name, c.Type, v, number); err != nil {
				return err
			}
		}
		row[place] = v
	}
	return nil
}
