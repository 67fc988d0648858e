package executor

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

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

// generatedLater returns the source of an INSERT without the values of generated columns: [Stored] calculates them from what is stored. A
// trigger that sees the row before that gets what the values of the statement make, if they make a value.
func generatedLater(ctx *sql.Context, source sql.Node, columns sql.Schema, seen bool) (sql.Node, error) {
	switch n := source.(type) {
	case *plan.TriggerExecutor:
		left, err := generatedLater(ctx, n.Left(), columns, true)
		if err != nil {
			return nil, err
		}
		return n.WithChildren(ctx, left, n.Right())
	case *plan.Project:
		if len(n.Projections) != len(columns) {
			return n, nil
		}
		all, child := slices.Clone(n.Projections), n.Child
		for i, c := range columns {
			if c.Generated == nil {
				continue
			}
			switch e := all[i].(type) {
			case *sql.ColumnDefaultValue:
				if e != nil {
					later := *e
					later.Expr, later.OutType, later.ReturnNil = &laterValue{expression.UnaryExpressionStub{Child: e.Expr}, c.Type, seen}, nil, true
					all[i] = &later
				}
			case *expression.GetField: // the statement has DEFAULT
				child = withoutValues(child, e.Index())
			}
		}
		return plan.NewProject(all, child), nil
	}
	return source, nil
}

// withoutValues returns the rows of VALUES with NULL at a place, any other node as it is.
func withoutValues(n sql.Node, place int) sql.Node {
	v, ok := n.(*plan.Values)
	if !ok {
		return n
	}
	rows := slices.Clone(v.ExpressionTuples)
	for i, row := range rows {
		if place < len(row) {
			rows[i] = slices.Clone(row)
			rows[i][place] = expression.NewLiteral(nil, types.Null)
		}
	}
	changed := *v
	changed.ExpressionTuples = rows
	return &changed
}

// laterValue is the value of a generated column that is calculated again, NULL if nobody sees it or if it is an error.
type laterValue struct {
	expression.UnaryExpressionStub
	typ  sql.Type
	seen bool
}

// String implements sql.Expression.
func (l *laterValue) String() string { return l.Child.String() }

// Type implements sql.Expression.
func (l *laterValue) Type(*sql.Context) sql.Type { return l.typ }

// WithChildren implements sql.Expression.
func (l *laterValue) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(l, len(children), 1)
	}
	return &laterValue{expression.UnaryExpressionStub{Child: children[0]}, l.typ, l.seen}, nil
}

// Eval implements sql.Expression.
func (l *laterValue) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if !l.seen {
		return nil, nil
	}
	v, err := l.Child.Eval(ctx, row)
	if v != nil && err == nil {
		v, _, err = l.typ.Convert(ctx, v)
	}
	if err != nil && ctx.Err() == nil {
		return nil, nil
	}
	return v, err
}
