package executor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends"
	"pfsd/engine/sqlvalue"
)

// Assignment returns e as what assigns a value to a column, and the column; nil if it is none.
func Assignment(e sql.Expression) (*expression.SetField, *expression.GetField) {
	if f, ok := e.(*expression.SetField); ok {
		if column, ok := f.LeftChild.(*expression.GetField); ok {
			return f, column
		}
	}
	return nil, nil
}

// SetDefaults returns set expressions of an UPDATE of a join in which DEFAULT for a column of the table with this name is what columns has for
// it. What sets a generated column is left out.
//
// go-mysql-server: takes the default of the first column of that name among all tables, and finds generated columns in the same way. MySQL: looks
// at the column that is set.
func SetDefaults(ctx *sql.Context, set []sql.Expression, name string, columns sql.Schema) ([]sql.Expression, error) {
	var all []sql.Expression
	for _, e := range set {
		f, column := Assignment(e)
		if column == nil || !strings.EqualFold(column.Table(), name) {
			all = append(all, e)
			continue
		}
		at := columns.IndexOfColName(column.Name())
		if at < 0 {
			return nil, sql.ErrTableColumnNotFound.New(name, column.Name())
		}
		c, found := columns[at], false
		value, _, err := transform.Expr(ctx, f.RightChild, func(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			if !isDefault(e) {
				return e, transform.SameTree, nil
			}
			found = true
			if c.Default == nil {
				return withoutDefault(c), transform.NewTree, nil
			}
			at, err := AtPlaces(ctx, c.Default.Expr, columns, column.Index()-at)
			return at, transform.NewTree, err
		})
		switch {
		case err != nil:
			return nil, err
		case c.Generated != nil && !found:
			return nil, sql.ErrGeneratedColumnValue.New(c.Name, c.Source)
		case c.Generated == nil && found:
			e = expression.NewSetField(column, value)
		}
		if c.Generated == nil {
			all = append(all, e)
		}
	}
	return all, nil
}

// setMissingDefaults returns set expressions of an UPDATE of a table with these columns in which DEFAULT for a column that has no default is what
// the column gets then.
func setMissingDefaults(set []sql.Expression, columns sql.Schema) []sql.Expression {
	all := slices.Clone(set)
	for i, e := range set {
		f, column := Assignment(e)
		if column == nil || !isDefault(f.RightChild) {
			continue
		}
		if at := columns.IndexOfColName(column.Name()); at >= 0 && columns[at].Default == nil && columns[at].Generated == nil {
			all[i] = expression.NewSetField(column, withoutDefault(columns[at]))
		}
	}
	return all
}

// withoutDefault returns what DEFAULT is for a column that has no default.
//
// go-mysql-server: NULL. MySQL: 0 for AUTO_INCREMENT, the first value of an ENUM that is NOT NULL, and error 1364 for others that are NOT NULL, or
// the value that is the type's own, with a warning.
func withoutDefault(c *sql.Column) sql.Expression {
	switch {
	case c.AutoIncrement:
		return expression.NewLiteral(c.Type.Zero(), c.Type)
	case c.Nullable:
		return expression.NewLiteral(nil, types.Null)
	case types.IsEnum(c.Type):
		return expression.NewLiteral(uint16(1), c.Type)
	}
	return &noDefault{c}
}

// noDefault is the value of a column that is NOT NULL and has no default.
type noDefault struct{ column *sql.Column }

// Resolved implements sql.Expression.
func (*noDefault) Resolved() bool { return true }

// String implements sql.Expression.
func (*noDefault) String() string { return "DEFAULT" }

// Type implements sql.Expression.
func (n *noDefault) Type(*sql.Context) sql.Type { return n.column.Type }

// IsNullable implements sql.Expression.
func (*noDefault) IsNullable(*sql.Context) bool { return false }

// Children implements sql.Expression.
func (*noDefault) Children() []sql.Expression { return nil }

// WithChildren implements sql.Expression.
func (n *noDefault) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) > 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 0)
	}
	return n, nil
}

// Eval implements sql.Expression.
func (n *noDefault) Eval(ctx *sql.Context, _ sql.Row) (any, error) {
	if sqlvalue.Strict != nil && sqlvalue.Strict(ctx) {
		return nil, sql.ErrInsertIntoNonNullableDefaultNullColumn.New(n.column.Name)
	}
	ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: 1364, Message: fmt.Sprintf("Field '%s' doesn't have a default value", n.column.Name)})
	return n.column.Type.Zero(), nil
}

// isDefault tells whether e is DEFAULT, which the planner has replaced by what it takes for the default of a column, if there is one.
func isDefault(e sql.Expression) bool {
	switch e := e.(type) {
	case *expression.Wrapper:
		return e.Unwrap() == nil || isDefault(e.Unwrap())
	case *sql.ColumnDefaultValue:
		return true
	}
	return false
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

// settingPresent returns the set expressions of an UPDATE, of which those for a table that has no row in rows set nothing; these are those of an
// outer join, nil for others. before is where the row before the update is while the expressions are evaluated.
//
// go-mysql-server: calculates values for a table that has no row, and counts it as changed if the condition of the join is true for NULLs, as
// with <=> or without a condition. MySQL: leaves the table out.
func settingPresent(ctx *sql.Context, set []sql.Expression, rows sql.Node, before *sql.Row) ([]sql.Expression, error) {
	if !mends.WrittenRows.On() || rows == nil {
		return set, nil
	}
	columns := rows.Schema(ctx)
	for i, e := range set {
		f, column := Assignment(e)
		if f == nil {
			continue
		}
		start, end, err := ColumnsOf(columns, column.Table())
		if err != nil {
			return nil, err
		}
		own := columns[start:end]
		at, key := own.IndexOfColName(column.Name()), own.IndexOfColName(neverNull(ctx, rows, column.Table()))
		if at < 0 || key < 0 { // an UPDATE of a join is of tables with a primary key
			return nil, sql.ErrTableColumnNotFound.New(column.Table(), column.Name())
		}
		value := &presentValue{expression.UnaryExpressionStub{Child: f.RightChild}, column.Index() - at + key, before}
		set[i] = expression.NewSetField(column, value)
	}
	return set, nil
}

// neverNull returns the name of a column of a table in rows that is NOT NULL in the table, "" if there is none.
func neverNull(ctx *sql.Context, rows sql.Node, table string) string {
	own := ownColumns(ctx, rows, table)
	if at := slices.IndexFunc(own, func(c *sql.Column) bool { return !c.Nullable }); at >= 0 {
		return own[at].Name
	}
	return ""
}

// ownColumns returns the columns of a table in rows as they are below the joins.
func ownColumns(ctx *sql.Context, rows sql.Node, table string) (own sql.Schema) {
	transform.Inspect(rows, func(n sql.Node) bool {
		if schema := n.Schema(ctx); len(schema) > 0 && oneTable(schema) && strings.EqualFold(schema[0].Source, table) {
			own = schema
		}
		return true
	})
	return own
}

// nullable tells whether a column may be NULL in its table. rows are those of an outer join, nil for others.
func nullable(ctx *sql.Context, column *expression.GetField, rows sql.Node) bool {
	if rows == nil {
		return column.IsNullable(ctx)
	}
	own := ownColumns(ctx, rows, column.Table())
	at := own.IndexOfColName(column.Name())
	return at < 0 || own[at].Nullable
}

// hasOuterJoin tells whether rows are those of an outer join.
func hasOuterJoin(rows sql.Node) (found bool) {
	transform.Inspect(rows, func(n sql.Node) bool {
		j, ok := n.(*plan.JoinNode)
		found = found || ok && j.JoinType().IsLeftOuter()
		return !found
	})
	return found
}

// presentValue is a value for a column of a table, NULL where the table has no row: then a column is NULL that never is.
type presentValue struct {
	expression.UnaryExpressionStub
	key    int // where that column is in the rows
	before *sql.Row
}

// String implements sql.Expression.
func (p *presentValue) String() string { return p.Child.String() }

// Type implements sql.Expression.
func (p *presentValue) Type(ctx *sql.Context) sql.Type { return p.Child.Type(ctx) }

// WithChildren implements sql.Expression.
func (p *presentValue) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(p, len(children), 1)
	}
	return &presentValue{expression.UnaryExpressionStub{Child: children[0]}, p.key, p.before}, nil
}

// Eval implements sql.Expression.
func (p *presentValue) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if (*p.before)[p.key] == nil {
		return nil, nil
	}
	return p.Child.Eval(ctx, row)
}
