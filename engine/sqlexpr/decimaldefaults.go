package sqlexpr

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/sqlvalue"
)

// decimalTargets returns n. If n is an ALTER TABLE that sets the default of a DECIMAL or spatial
// column, the default converts its values with [sqlvalue.Target]. Other nodes have defaults among their
// expressions.
func decimalTargets(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	if n, ok := n.(*plan.AlterDefaultSet); ok {
		if changed := decimalDefault(n.Default); changed != nil {
			node, err := n.WithDefault(changed)
			return node, transform.NewTree, err
		}
	}
	return n, transform.SameTree, nil
}

// AsDecimalDefault returns e. If e is the default of a DECIMAL or spatial column, it converts its
// values with [sqlvalue.Target].
func AsDecimalDefault(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	if d, ok := e.(*sql.ColumnDefaultValue); ok {
		if changed := decimalDefault(d); changed != nil {
			return changed, transform.NewTree, nil
		}
	}
	return e, transform.SameTree, nil
}

// decimalDefault returns d such that it converts its values with [sqlvalue.Target]. It returns nil
// if d is no default of a DECIMAL or spatial column, or does so already.
func decimalDefault(d *sql.ColumnDefaultValue) *sql.ColumnDefaultValue {
	if d == nil {
		return nil
	}
	changed := *d
	switch t := d.OutType.(type) {
	case types.DecimalType_:
		changed.OutType = sqlvalue.Target(t)
	case sqlvalue.Spatial:
		if _, ok := d.Expr.(*spatialDefault); ok {
			return nil
		}
		changed.Expr = &spatialDefault{d.Expr, t}
	default:
		return nil
	}
	return &changed
}

// spatialDefault is the expression of a default of a spatial column, with the conversion to its type:
// the error of the conversion is that of the default. Safe for concurrent use.
type spatialDefault struct {
	sql.Expression
	typ sqlvalue.Spatial
}

// Type implements sql.Expression.
func (d *spatialDefault) Type(*sql.Context) sql.Type { return d.typ }

// Children implements sql.Expression.
func (d *spatialDefault) Children() []sql.Expression { return []sql.Expression{d.Expression} }

// WithChildren implements sql.Expression.
func (d *spatialDefault) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(d, len(children), 1)
	}
	return &spatialDefault{children[0], d.typ}, nil
}

// Eval implements sql.Expression.
func (d *spatialDefault) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := d.Expression.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	v, _, err = d.typ.Convert(ctx, v)
	return v, err
}
