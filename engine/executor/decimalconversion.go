package executor

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// typedRow returns a row with DECIMALs in its DECIMAL columns.
//
// go-mysql-server: a UNION of a text column and a DECIMAL column has texts in the DECIMAL column.
// MySQL: converts them.
func typedRow(ctx context.Context, columns sql.Schema, row sql.Row) (sql.Row, error) {
	copied := false
	for i, c := range columns {
		if _, ok := c.Type.(types.DecimalType_); !ok || i >= len(row) {
			continue
		}
		text, ok := row[i].(string)
		if !ok {
			continue
		}
		v, _, err := sqlvalue.Target(c.Type).Convert(ctx, text)
		if err != nil && !sql.ErrTruncatedIncorrect.Is(err) {
			return nil, err
		}
		if !copied {
			row, copied = row.Copy(), true
		}
		row[i] = v
	}
	return row, nil
}

// DecimalColumns returns n, which reads a table, with generated DECIMAL columns that convert their
// values as sqlvalue.Target does.
func DecimalColumns(ctx *sql.Context, n sql.Node, table sql.Table) (sql.Node, error) {
	changed, err := decimalTable(ctx, table)
	if changed == nil || err != nil {
		return n, err
	}
	switch n := n.(type) {
	case *plan.ResolvedTable:
		return n.ReplaceTable(ctx, changed)
	case *plan.IndexedTableAccess:
		if indexed, ok := changed.(sql.IndexedTable); ok {
			return n.WithTable(indexed)
		}
	}
	return n, nil
}

// decimalTable returns the table for DecimalColumns, nil if it needs no change.
func decimalTable(ctx *sql.Context, table sql.Table) (sql.Table, error) {
	switch t := table.(type) {
	case *plan.ProcessTable:
		changed, err := decimalTable(ctx, t.Table)
		if changed == nil || err != nil {
			return nil, err
		}
		return plan.NewProcessTable(changed, t.OnPartitionDone, t.OnPartitionStart, t.OnRowNext), nil
	case *plan.ProcessIndexableTable:
		changed, err := decimalTable(ctx, t.DriverIndexableTable)
		if changed == nil || err != nil {
			return nil, err
		}
		if indexed, ok := changed.(sql.DriverIndexableTable); ok {
			return plan.NewProcessIndexableTable(indexed, t.OnPartitionDone, t.OnPartitionStart, t.OnRowNext), nil
		}
	case *plan.VirtualColumnTable:
		projections, same, err := transform.Exprs(ctx, t.Projections, asReadValue)
		if err != nil || same {
			return nil, err
		}
		return plan.NewVirtualColumnTable(t.Table, projections), nil
	}
	return nil, nil
}

// asReadValue returns e. If it is a generated column that is calculated when it is read, its value does what it can to fit.
//
// go-mysql-server: a value that does not fit is an error. MySQL: is the one that the column would have without strict mode.
func asReadValue(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	d, ok := e.(*sql.ColumnDefaultValue)
	if !ok || d.OutType == nil {
		return sqlexpr.AsDecimalDefault(ctx, e)
	}
	changed := *d
	changed.Expr, changed.OutType = &readValue{expression.UnaryExpressionStub{Child: d.Expr}, d.OutType}, nil
	return &changed, transform.NewTree, nil
}

// readValue is the value of a column that is calculated when it is read.
type readValue struct {
	expression.UnaryExpressionStub
	typ sql.Type
}

// String implements sql.Expression.
func (r *readValue) String() string { return r.Child.String() }

// Type implements sql.Expression.
func (r *readValue) Type(*sql.Context) sql.Type { return r.typ }

// WithChildren implements sql.Expression.
func (r *readValue) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(r, len(children), 1)
	}
	return &readValue{expression.UnaryExpressionStub{Child: children[0]}, r.typ}, nil
}

// Eval implements sql.Expression.
func (r *readValue) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := r.Child.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	return (&storage{ctx: ctx, reads: true}).stored(r.typ, v)
}

// decimalSource returns the source of an INSERT with defaults of DECIMAL columns that convert their
// values as sqlvalue.Target does.
func decimalSource(ctx *sql.Context, source sql.Node) (sql.Node, error) {
	project, ok := source.(*plan.Project)
	if !ok {
		return source, nil
	}
	changed, _, err := transform.NodeExprs(ctx, project, sqlexpr.AsDecimalDefault)
	return changed, err
}

// JSONTable returns n with columns that convert their values as sqlvalue.Target does.
func JSONTable(n *plan.JSONTable) *plan.JSONTable {
	changed := *n
	changed.Cols = jsonColumns(n.Cols)
	return &changed
}

func jsonColumns(columns []plan.JSONTableCol) []plan.JSONTableCol {
	all := make([]plan.JSONTableCol, len(columns))
	for i, c := range columns {
		if c.Opts != nil {
			opts := *c.Opts
			opts.Type = sqlvalue.Target(opts.Type)
			c.Opts = &opts
		}
		c.NestedCols = jsonColumns(c.NestedCols)
		all[i] = c
	}
	return all
}

// ModifyColumn converts the rows of a table as sqlvalue.Target does while the iterator of build
// changes a column.
func ModifyColumn(n *plan.ModifyColumn, build func() (sql.RowIter, error)) (sql.RowIter, error) {
	column := n.NewColumn()
	old := n.TargetSchema().IndexOfColName(n.Column())
	if old >= 0 && types.IsNumber(n.TargetSchema()[old].Type) {
		return build()
	}
	column.Type = sqlvalue.Target(column.Type)
	rows, err := build()
	if err != nil {
		column.Type = sqlvalue.PlainDecimal(column.Type)
		return nil, err
	}
	return &modifying{rows, column}, nil
}

// modifying is an iterator that changes a column of a table. It restores the type of the column.
// Owned by one goroutine.
type modifying struct {
	sql.RowIter
	column *sql.Column
}

// Next implements sql.RowIter.
func (m *modifying) Next(ctx *sql.Context) (sql.Row, error) {
	defer func() { m.column.Type = sqlvalue.PlainDecimal(m.column.Type) }()
	return m.RowIter.Next(ctx)
}

// Close implements sql.RowIter.
func (m *modifying) Close(ctx *sql.Context) error {
	m.column.Type = sqlvalue.PlainDecimal(m.column.Type)
	return m.RowIter.Close(ctx)
}
