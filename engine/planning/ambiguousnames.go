package planning

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/builtins"
	"pfsd/engine/mysqlerr"
)

// AmbiguousNames is an analyzer rule that refuses INSERT ... SELECT ... ON DUPLICATE KEY UPDATE with a name that is of the table that is written
// and of one that is read.
//
// go-mysql-server: takes the column of the table that is written. MySQL: says that the name is ambiguous, unless rows of groups are read.
func AmbiguousNames(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	if !flags.IsSet(sql.QFlagInsert) {
		return n, transform.SameTree, nil
	}
	return transform.Node(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		if i, ok := n.(*plan.InsertInto); ok && i.OnDupExprs.HasUpdates() {
			return unambiguous(ctx, i)
		}
		return n, transform.SameTree, nil
	})
}

// unambiguous returns n without the names that its expressions keep, which are not ambiguous.
func unambiguous(ctx *sql.Context, n *plan.InsertInto) (sql.Node, transform.TreeIdentity, error) {
	all, found := slices.Clone(n.OnDupExprs.AllExpressions()), false
	for i, e := range all {
		f, ok := e.(*expression.SetField)
		if !ok {
			continue
		}
		named, ok := f.RightChild.(*builtins.UpdatedNames)
		if !ok {
			continue
		}
		for _, name := range named.Names {
			if n.Destination.Schema(ctx).IndexOfColName(name.Column) >= 0 && reads(ctx, n.Source, name) {
				return nil, transform.SameTree, mysqlerr.Numbered(1052, fmt.Sprintf("Column '%s' in 'field list' is ambiguous", name))
			}
		}
		all[i], found = expression.NewSetField(f.LeftChild, named.Child), true
	}
	if !found {
		return n, transform.SameTree, nil
	}
	set, err := n.OnDupExprs.WithExpressions(all)
	if err != nil {
		return nil, transform.SameTree, err
	}
	changed := *n
	changed.OnDupExprs = set
	return &changed, transform.NewTree, nil
}

// reads tells whether the query n has a table with a column of this name.
func reads(ctx *sql.Context, n sql.Node, name builtins.UpdatedName) bool {
	switch n := n.(type) {
	case *plan.GroupBy, *plan.SetOp:
		return false
	case *plan.SubqueryAlias:
		if n.Name() == builtins.InsertedRow {
			return reads(ctx, n.Child, name)
		}
	case *plan.Project, *plan.Filter, *plan.Sort, *plan.Limit, *plan.Offset, *plan.TopN, *plan.Distinct, *plan.Having, *plan.Window, *plan.JoinNode:
		return slices.ContainsFunc(n.Children(), func(c sql.Node) bool { return reads(ctx, c, name) })
	}
	return slices.ContainsFunc(n.Schema(ctx), func(c *sql.Column) bool {
		return strings.EqualFold(c.Name, name.Column) && (name.Table == "" || strings.EqualFold(c.Source, name.Table)) &&
			(name.Database == "" || c.DatabaseSource == "" || strings.EqualFold(c.DatabaseSource, name.Database))
	})
}
