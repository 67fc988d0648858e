package planning

import (
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/globals"
	"pfsd/engine/mends"
)

// FireTriggers makes triggers run whatever the current database is. It applies to all servers of
// this module in the process, and to no other user of go-mysql-server in it.
//
// go-mysql-server: looks for the trigger's table in the current database. If the table is not
// there, the trigger does not run. MySQL: looks in the trigger's database.
func FireTriggers() error { return fireTriggers() }

var fireTriggers = sync.OnceValue(func() error {
	const name = "applyTriggers"
	for i, r := range analyzer.OnceAfterAll {
		if r.Id.String() == name {
			analyzer.OnceAfterAll[i].Apply = rowTriggers(inWrittenDatabase(r.Apply))
			return nil
		}
	}
	return errNoRule(name)
})

// inWrittenDatabase returns a rule that does what rule does, while the database that the statement
// writes is the current one.
func inWrittenDatabase(rule analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if !flags.DmlIsSet() || globals.Served() == nil || !mends.FiredTriggers.On() {
			return rule(ctx, a, n, scope, sel, flags)
		}
		if db := WrittenDatabase(ctx, n); db != "" {
			current := ctx.GetCurrentDatabase()
			ctx.SetCurrentDatabase(db)
			defer ctx.SetCurrentDatabase(current)
		}
		return rule(ctx, a, n, scope, sel, flags)
	}
}

// WrittenDatabase returns the database of the first table that n writes, "" if it writes none.
func WrittenDatabase(ctx *sql.Context, n sql.Node) (db string) {
	if r, ok := n.(*Row); ok {
		return r.Database
	}
	var written sql.Node
	transform.InspectWithOpaque(ctx, n, func(_ *sql.Context, n sql.Node) bool {
		switch n := n.(type) {
		case *plan.InsertInto:
			written = n.Destination
		case *plan.Update:
			written = n.Child
		case *plan.DeleteFrom:
			written = n.Child
		}
		return written == nil
	})
	if written == nil {
		return ""
	}
	transform.InspectWithOpaque(ctx, written, func(_ *sql.Context, n sql.Node) bool {
		if t, ok := n.(sql.TableNode); ok && db == "" && t.Database() != nil {
			db = t.Database().Name()
		}
		return db == ""
	})
	return db
}
