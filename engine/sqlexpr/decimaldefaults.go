package sqlexpr

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/sqlvalue"
)

// decimalTargets returns n. If n is an ALTER TABLE that sets the default of a DECIMAL column, the
// default converts its values with [sqlvalue.Target]. Other nodes have defaults among their
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

// AsDecimalDefault returns e. If e is the default of a DECIMAL column, it converts its values with
// [sqlvalue.Target].
func AsDecimalDefault(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	if d, ok := e.(*sql.ColumnDefaultValue); ok {
		if changed := decimalDefault(d); changed != nil {
			return changed, transform.NewTree, nil
		}
	}
	return e, transform.SameTree, nil
}

// decimalDefault returns d such that it converts its values with [sqlvalue.Target]. It returns nil
// if d is no default of a DECIMAL column.
func decimalDefault(d *sql.ColumnDefaultValue) *sql.ColumnDefaultValue {
	if d == nil {
		return nil
	}
	if _, ok := d.OutType.(types.DecimalType_); !ok {
		return nil
	}
	changed := *d
	changed.OutType = sqlvalue.Target(d.OutType)
	return &changed
}
