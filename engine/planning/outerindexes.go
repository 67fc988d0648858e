package planning

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/mends"
)

// OuterIndexes returns the rule that reads tables of a correlated subquery by an index, with values of the statement around it. find is
// go-mysql-server's rule.
//
// go-mysql-server: reads by the index every table with the name that the condition has, also those under another alias and in other
// parts of the subquery. MySQL: reads the table of the condition. A subquery that has a name twice keeps its tables as they are.
func OuterIndexes(find analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if mends.OuterJoinFilters.On() && !scope.IsEmpty() && hasNameTwice(ctx, n) {
			return n, transform.SameTree, nil
		}
		return find(ctx, a, n, scope, sel, flags)
	}
}

// hasNameTwice reports whether two tables of n have the same name or alias.
func hasNameTwice(ctx *sql.Context, n sql.Node) bool {
	names := map[string]bool{}
	twice := false
	transform.InspectWithOpaque(ctx, n, func(_ *sql.Context, n sql.Node) bool {
		name := ""
		switch n := n.(type) {
		case *plan.TableAlias:
			name = strings.ToLower(n.Name())
			if t, ok := n.Child.(sql.Nameable); ok && strings.EqualFold(t.Name(), name) {
				return true // one table with one name
			}
		case sql.TableNode:
			name = strings.ToLower(n.Name())
		default:
			return true
		}
		twice = twice || names[name]
		names[name] = true
		return !twice
	})
	return twice
}
