package executor

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// derivedUpdates returns the set expressions of an UPDATE of a join with rows of these columns. Those that the statement does not name,
// for generated columns and for ON UPDATE, find their columns by the name of the table. before is where the row before the update is while
// the expressions are evaluated.
//
// go-mysql-server: finds these columns by their places among the columns of all tables, which may be those of another table once the join
// is planned, and applies ON UPDATE to every table when any of them changes. MySQL: calculates the columns of each table from its own, and
// applies ON UPDATE to a table whose row changes.
func derivedUpdates(ctx *sql.Context, set *plan.UpdateExprs, columns sql.Schema, before *sql.Row) ([]sql.Expression, error) {
	all := slices.Clone(set.AllExpressions())
	named := len(set.ExplicitUpdateExprs())
	if !set.HasDerivedUpdates() || oneTable(columns) {
		return all, nil
	}
	outer := -1 // how many columns of statements around this one come first
	for i, e := range all {
		f, ok := e.(*expression.SetField)
		if !ok {
			continue
		}
		column, ok := f.LeftChild.(*expression.GetField)
		if !ok {
			continue
		}
		own := tableColumns(columns, column.Table())
		at := columns[own.start:own.end].IndexOfColName(column.Name())
		if at < 0 {
			return nil, sql.ErrTableColumnNotFound.New(column.Table(), column.Name())
		}
		if at += own.start; i < named {
			outer = column.Index() - at
			continue
		}
		if outer < 0 {
			return nil, sql.ErrTableColumnNotFound.New(column.Table(), column.Name())
		}
		value, err := own.in(ctx, f.RightChild, columns, outer)
		if err != nil {
			return nil, err
		}
		if columns[at].Generated == nil {
			value = &changedValue{expression.UnaryExpressionStub{Child: value}, columns[own.start:own.end], own.start + outer, at + outer, before}
		}
		all[i] = expression.NewSetField(column.WithIndex(at+outer), value)
	}
	return all, nil
}

// oneTable tells whether all columns are of one table.
func oneTable(columns sql.Schema) bool {
	for _, c := range columns {
		if !sameTable(c, columns[0]) {
			return false
		}
	}
	return true
}

func sameTable(a, b *sql.Column) bool {
	return strings.EqualFold(a.Source, b.Source) && strings.EqualFold(a.DatabaseSource, b.DatabaseSource)
}

// placed is where the columns of a table are in the rows of a join.
type placed struct{ start, end int }

// tableColumns returns where the columns of a table are.
func tableColumns(columns sql.Schema, table string) (p placed) {
	for i, c := range columns {
		if strings.EqualFold(c.Source, table) {
			if p.end == 0 {
				p.start = i
			}
			p.end = i + 1
		}
	}
	return p
}

// in returns an expression over columns of the table that finds them by their names, in rows with outer others before those of the join.
func (p placed) in(ctx *sql.Context, e sql.Expression, columns sql.Schema, outer int) (sql.Expression, error) {
	e, err := AtPlaces(ctx, e, columns[p.start:p.end])
	if err != nil || p.start+outer == 0 {
		return e, err
	}
	e, _, err = transform.Expr(ctx, e, func(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		if f, ok := e.(*expression.GetField); ok {
			return f.WithIndex(f.Index() + p.start + outer), transform.NewTree, nil
		}
		return e, transform.SameTree, nil
	})
	return e, err
}

// changedValue is the value of a column with ON UPDATE: that of its child where the row of the table changes, and else the one that it has.
type changedValue struct {
	expression.UnaryExpressionStub
	own    sql.Schema // the columns of the table
	start  int        // where they begin in the rows
	column int        // where the column is in the rows
	before *sql.Row
}

// String implements sql.Expression.
func (c *changedValue) String() string { return c.Child.String() }

// Type implements sql.Expression.
func (c *changedValue) Type(ctx *sql.Context) sql.Type { return c.Child.Type(ctx) }

// WithChildren implements sql.Expression.
func (c *changedValue) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 1)
	}
	n := *c
	n.Child = children[0]
	return &n, nil
}

// Eval implements sql.Expression.
func (c *changedValue) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	for i, column := range c.own {
		if same, err := sameValue(ctx, column.Type, (*c.before)[c.start+i], row[c.start+i]); err != nil {
			return nil, err
		} else if !same {
			return c.Child.Eval(ctx, row)
		}
	}
	return row[c.column], nil
}

// sameValue tells whether two values of a column are stored alike. Texts that are equal in their collation may not be.
func sameValue(ctx *sql.Context, t sql.Type, a, b any) (bool, error) {
	if text, ok := a.(string); ok {
		if other, ok := b.(string); ok {
			return text == other, nil
		}
	}
	order, err := t.Compare(ctx, a, b)
	return err == nil && order == 0, err
}
