package planning

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/mends"
)

// TableAliases is an analyzer rule that makes one alias of an alias of an alias.
//
// go-mysql-server: gives a table in EXISTS another alias if the query outside has one of the same
// name. If the alias of the table is also its name, the table gets two aliases, one around the
// other. The choice of join orders looks for the table below one alias only, and never ends. KILL
// does not end it. MySQL: an inner name hides an outer one.
func TableAliases(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	if !mends.NestedAliases.On() || !flags.SubqueryIsSet() { // only subqueries get other aliases
		return n, transform.SameTree, nil
	}
	return transform.Node(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		outer, ok := n.(*plan.TableAlias)
		if !ok {
			return n, transform.SameTree, nil
		}
		inner, ok := outer.Child.(*plan.TableAlias)
		if !ok {
			return n, transform.SameTree, nil
		}
		merged, err := outer.WithChildren(ctx, inner.Child)
		return merged, transform.NewTree, err
	})
}
