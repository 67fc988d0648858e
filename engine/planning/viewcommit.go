package planning

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/mends"
)

// CommitByDefinitions keeps a statement that reads a view from committing the transaction. It is
// the first rule of the analyzer.
//
// go-mysql-server: parses the CREATE VIEW of a view that a statement names, takes it for a part of
// the statement, and commits the transaction after the statement. MySQL: only statements that
// define something themselves commit, before and after they run.
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
