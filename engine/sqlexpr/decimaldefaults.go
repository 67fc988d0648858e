package sqlexpr

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/sqlvalue"
)

// decimalTargets returns n with defaults of DECIMAL columns that convert their values as
// sqlvalue.Target does. Other nodes have their defaults among their expressions.
func decimalTargets(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	if n, ok := n.(*plan.AlterDefaultSet); ok {
		if changed := decimalDefault(n.Default); changed != nil {
			node, err := n.WithDefault(changed)
			return node, transform.NewTree, err
		}
	}
	return n, transform.SameTree, nil
}

// AsDecimalDefault returns e; the default of a DECIMAL column gets a DecimalTarget.
func AsDecimalDefault(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	if d, ok := e.(*sql.ColumnDefaultValue); ok {
		if changed := decimalDefault(d); changed != nil {
			return changed, transform.NewTree, nil
		}
	}
	return e, transform.SameTree, nil
}

// decimalDefault returns d with a DecimalTarget, nil if d needs none.
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
