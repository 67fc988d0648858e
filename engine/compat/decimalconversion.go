package compat

import (
	"context"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/shopspring/decimal"
)

// decimalTarget is a DECIMAL as the target of conversions. Safe for concurrent use.
//
// go-mysql-server: calculates with all digits of a text such as '1e999999999', for minutes. MySQL: such a number is out of range; one
// with a large negative exponent is 0.
type decimalTarget struct{ types.DecimalType_ }

// Convert implements sql.Type.
func (t decimalTarget) Convert(ctx context.Context, v any) (any, sql.ConvertInRange, error) {
	return t.DecimalType_.Convert(ctx, boundedNumber(v))
}

// ConvertNoBoundsCheck implements sql.DecimalType.
func (t decimalTarget) ConvertNoBoundsCheck(v any) (decimal.Decimal, error) {
	return t.DecimalType_.ConvertNoBoundsCheck(boundedNumber(v))
}

// ConvertToNullDecimal implements sql.DecimalType.
func (t decimalTarget) ConvertToNullDecimal(v any) (decimal.NullDecimal, error) {
	return t.DecimalType_.ConvertToNullDecimal(boundedNumber(v))
}

// Compare implements sql.Type.
func (t decimalTarget) Compare(ctx context.Context, a, b any) (int, error) {
	return t.DecimalType_.Compare(ctx, boundedNumber(a), boundedNumber(b))
}

// SQL implements sql.Type.
func (t decimalTarget) SQL(ctx *sql.Context, to []byte, v any) (sqltypes.Value, error) {
	return t.DecimalType_.SQL(ctx, to, boundedNumber(v))
}

// Equals implements sql.Type.
func (t decimalTarget) Equals(o sql.Type) bool { return t.DecimalType_.Equals(plainDecimal(o)) }

// boundedNumber returns v. A text becomes its leading number, within the range of DECIMAL or a short number out of that range.
func boundedNumber(v any) any {
	switch v := v.(type) {
	case string:
		d, whole := leadingDecimal(v)
		if whole {
			return d
		}
		text := strings.TrimLeft(v, Blanks)
		rest := text[numberLength(text):]
		return d.String() + " " + rest // so that no other notation is seen in it
	case []byte:
		return boundedNumber(string(v))
	case types.JSONDocument:
		return boundedNumber(v.Val)
	}
	return v
}

// typedRow returns a row with DECIMALs in its DECIMAL columns.
//
// go-mysql-server: a UNION of a text column and a DECIMAL column has texts in the DECIMAL column. MySQL: converts them.
func typedRow(ctx context.Context, columns sql.Schema, row sql.Row) (sql.Row, error) {
	copied := false
	for i, c := range columns {
		d, ok := c.Type.(types.DecimalType_)
		if !ok || i >= len(row) {
			continue
		}
		text, ok := row[i].(string)
		if !ok {
			continue
		}
		v, _, err := decimalTarget{d}.Convert(ctx, text)
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

// Target returns the type to convert values to when they become a t.
func Target(t sql.Type) sql.Type {
	if d, ok := t.(types.DecimalType_); ok {
		return decimalTarget{d}
	}
	return t
}

// plainDecimal returns the type of which Target made t.
func plainDecimal(t sql.Type) sql.Type {
	if target, ok := t.(decimalTarget); ok {
		return target.DecimalType_
	}
	return t
}

// decimalTargets returns n with defaults of DECIMAL columns that convert their values as decimalTarget does. Other nodes have their
// defaults among their expressions.
func decimalTargets(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	if n, ok := n.(*plan.AlterDefaultSet); ok {
		if changed := decimalDefault(n.Default); changed != nil {
			node, err := n.WithDefault(changed)
			return node, transform.NewTree, err
		}
	}
	return n, transform.SameTree, nil
}

// DecimalColumns returns n, which reads a table, with generated DECIMAL columns that convert their values as decimalTarget does.
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
		projections, same, err := transform.Exprs(ctx, t.Projections, asDecimalDefault)
		if err != nil || same {
			return nil, err
		}
		return plan.NewVirtualColumnTable(t.Table, projections), nil
	}
	return nil, nil
}

// decimalSource returns the source of an INSERT with defaults of DECIMAL columns that convert their values as decimalTarget does.
func decimalSource(ctx *sql.Context, source sql.Node) (sql.Node, error) {
	project, ok := source.(*plan.Project)
	if !ok {
		return source, nil
	}
	changed, _, err := transform.NodeExprs(ctx, project, asDecimalDefault)
	return changed, err
}

// asDecimalDefault returns e; the default of a DECIMAL column gets a decimalTarget.
func asDecimalDefault(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	if d, ok := e.(*sql.ColumnDefaultValue); ok {
		if changed := decimalDefault(d); changed != nil {
			return changed, transform.NewTree, nil
		}
	}
	return e, transform.SameTree, nil
}

// decimalDefault returns d with a decimalTarget, nil if d needs none.
func decimalDefault(d *sql.ColumnDefaultValue) *sql.ColumnDefaultValue {
	if d == nil {
		return nil
	}
	if _, ok := d.OutType.(types.DecimalType_); !ok {
		return nil
	}
	changed := *d
	changed.OutType = Target(d.OutType)
	return &changed
}

// JSONTable returns n with columns that convert their values as decimalTarget does.
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
			opts.Type = Target(opts.Type)
			c.Opts = &opts
		}
		c.NestedCols = jsonColumns(c.NestedCols)
		all[i] = c
	}
	return all
}

// ModifyColumn converts the rows of a table as decimalTarget does while the iterator of build changes a column.
func ModifyColumn(n *plan.ModifyColumn, build func() (sql.RowIter, error)) (sql.RowIter, error) {
	column := n.NewColumn()
	old := n.TargetSchema().IndexOfColName(n.Column())
	if old >= 0 && types.IsNumber(n.TargetSchema()[old].Type) {
		return build()
	}
	column.Type = Target(column.Type)
	rows, err := build()
	if err != nil {
		column.Type = plainDecimal(column.Type)
		return nil, err
	}
	return &modifying{rows, column}, nil
}

// modifying is an iterator that changes a column of a table. It restores the type of the column. Owned by one goroutine.
type modifying struct {
	sql.RowIter
	column *sql.Column
}

// Next implements sql.RowIter.
func (m *modifying) Next(ctx *sql.Context) (sql.Row, error) {
	defer func() { m.column.Type = plainDecimal(m.column.Type) }()
	return m.RowIter.Next(ctx)
}

// Close implements sql.RowIter.
func (m *modifying) Close(ctx *sql.Context) error {
	m.column.Type = plainDecimal(m.column.Type)
	return m.RowIter.Close(ctx)
}

// decimalSort is a DECIMAL sort key.
type decimalSort struct {
	expression.UnaryExpressionStub
	kind decimalTarget
}

// Eval implements sql.Expression.
func (d *decimalSort) Eval(ctx *sql.Context, row sql.Row) (any, error) { return d.Child.Eval(ctx, row) }

// Type implements sql.Expression.
func (d *decimalSort) Type(*sql.Context) sql.Type { return d.kind }

// String implements sql.Expression.
func (d *decimalSort) String() string { return d.Child.String() }

// WithChildren implements sql.Expression.
func (d *decimalSort) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(d, len(children), 1)
	}
	return &decimalSort{expression.UnaryExpressionStub{Child: children[0]}, d.kind}, nil
}
