package planning

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/mends"
)

// DerivedColumns returns the rule that puts a table in the place of a derived table that has all that is read of it. replace is go-mysql-server's rule.
//
// go-mysql-server: does so without telling the conditions, which know the columns by the numbers that the derived table gave them. No join has these
// conditions for a key then, and each row of one side is tested with each row of the other. MySQL: joins by what is equal. A derived table stays one.
func DerivedColumns(replace analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if !mends.DerivedColumns.On() {
			return replace(ctx, a, n, scope, sel, flags)
		}
		return n, transform.SameTree, nil
	}
}
