package executor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
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
		start, end, err := ColumnsOf(columns, column.Table())
		if err != nil {
			return nil, err
		}
		own := columns[start:end]
		at := own.IndexOfColName(column.Name())
		if at < 0 {
			return nil, sql.ErrTableColumnNotFound.New(column.Table(), column.Name())
		}
		if i < named {
			outer = column.Index() - start - at
			continue
		}
		if outer < 0 {
			return nil, sql.ErrTableColumnNotFound.New(column.Table(), column.Name())
		}
		start += outer
		value, err := AtPlaces(ctx, f.RightChild, own, start)
		if err != nil {
			return nil, err
		}
		if own[at].Generated == nil {
			value = &changedValue{expression.UnaryExpressionStub{Child: value}, own, start, start + at, before}
		}
		all[i] = expression.NewSetField(column.WithIndex(start+at), value)
	}
	return all, nil
}

// oneTable tells whether all columns are of one table.
func oneTable(columns sql.Schema) bool {
	for _, c := range columns {
		if !strings.EqualFold(c.Source, columns[0].Source) || !strings.EqualFold(c.DatabaseSource, columns[0].DatabaseSource) {
			return false
		}
	}
	return true
}

// ColumnsOf returns where the columns of a table are in a schema.
func ColumnsOf(schema sql.Schema, table string) (start, end int, err error) {
	start = -1
	for i, c := range schema {
		switch is := strings.EqualFold(c.Source, table); {
		case is && start < 0:
			start = i
		case !is && start >= 0:
			return start, i, nil
		}
	}
	if start < 0 {
		return 0, 0, fmt.Errorf("no columns of table %q", table)
	}
	return start, len(schema), nil
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
