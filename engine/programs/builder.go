package programs

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/nodes"
)

// Builder builds the nodes of plans that are about stored programs. Safe for concurrent use.
type Builder struct {
	Base  nodes.Executor // asks the builders about each node
	Plain nodes.Executor // does not
	// Catalog is what the statements of triggers are about.
	Catalog sql.Catalog
}

// Register adds the functions that build these nodes to all. The session of each statement must be a [Host].
func (b Builder) Register(all *nodes.Builders) {
	on(all, b.call)
	on(all, b.trigger)
	on(all, b.buildTriggerStatement)
	on(all, func(ctx *sql.Context, s *Session, n *plan.IfElseBlock, row sql.Row) (sql.RowIter, error) {
		if s.running != nil && s.running.body == nil {
			return b.buildIf(ctx, s, n, row)
		}
		return nil, nil
	})
	drops[*plan.DropProcedure](b, all)
	drops[*plan.DropTrigger](b, all)
	drops[*plan.DropDB](b, all)
}

// on registers build for nodes of type N. build gets the session of the statement.
func on[N sql.Node](all *nodes.Builders, build func(ctx *sql.Context, s *Session, n N, row sql.Row) (sql.RowIter, error)) {
	nodes.On(all, func(ctx *sql.Context, n N, row sql.Row) (sql.RowIter, error) {
		return build(ctx, sessionOf(ctx), n, row)
	})
}

// drops registers a node that drops something.
func drops[N sql.Node](b Builder, all *nodes.Builders) {
	nodes.On(all, func(ctx *sql.Context, n N, row sql.Row) (sql.RowIter, error) { return b.Drop(ctx, n, row) })
}
