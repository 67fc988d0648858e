package planning

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/mends"
)

// UpdatedTables returns the rule that finds the tables of an UPDATE of a join, which then only sees the columns of tables that the statement
// names in SET.
//
// go-mysql-server: updates every table of the join that has a generated column or one with ON UPDATE. MySQL: those that SET names.
func UpdatedTables(apply analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		u, ok := n.(*plan.Update)
		if !ok || !mends.WrittenRows.On() {
			return apply(ctx, a, n, scope, sel, flags)
		}
		source, ok := u.Child.(*plan.UpdateSource)
		if !ok || !source.UpdateExprs.HasDerivedUpdates() {
			return apply(ctx, a, n, scope, sel, flags)
		}
		set := plan.NewUpdateExprs(ownUpdates(source.UpdateExprs), len(source.UpdateExprs.ExplicitUpdateExprs()))
		own, err := u.WithChildren(ctx, plan.NewUpdateSource(source.Child, source.Ignore, set))
		if err != nil {
			return nil, transform.SameTree, err
		}
		changed, _, err := apply(ctx, a, own, scope, sel, flags)
		return changed, transform.NewTree, err
	}
}

// ownUpdates returns the set expressions of an UPDATE without those of tables that SET does not name.
func ownUpdates(set *plan.UpdateExprs) []sql.Expression {
	explicit := set.ExplicitUpdateExprs()
	table := func(e sql.Expression) string {
		if f, ok := e.(*expression.SetField); ok {
			if column, ok := f.LeftChild.(*expression.GetField); ok {
				return column.Table()
			}
		}
		return ""
	}
	own := slices.Clone(explicit)
	for _, e := range set.DerivedUpdateExprs() {
		if slices.ContainsFunc(explicit, func(x sql.Expression) bool { return strings.EqualFold(table(x), table(e)) }) {
			own = append(own, e)
		}
	}
	return own
}
