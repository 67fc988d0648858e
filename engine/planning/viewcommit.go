package planning

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/mends"
)

// CommitByDefinitions is the first analyzer rule.
//
// go-mysql-server: parses the CREATE VIEW of a view that a statement names, takes it for a part of
// the statement, and commits the transaction after it. MySQL: commits before and after statements
// that define something themselves.
func CommitByDefinitions(_ *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	if !mends.ViewCommits.On() {
		return n, transform.SameTree, nil
	}
	if flags != nil && flags.IsSet(sql.QFlagDDL) {
		switch n.(type) {
		case *plan.InsertInto, *plan.Update, *plan.DeleteFrom, *plan.Call, *plan.Into:
			flags.Unset(sql.QFlagDDL)
		default:
			if n.IsReadOnly() {
				flags.Unset(sql.QFlagDDL)
			}
		}
	}
	return n, transform.SameTree, nil
}
