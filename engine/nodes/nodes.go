package nodes

import (
	"fmt"
	"reflect"

	"github.com/dolthub/go-mysql-server/sql"
)

// Builders has the functions that build nodes, by the type of the node. Once Build has been called, nothing may be added. Safe for
// concurrent use from then on.
type Builders struct {
	byType map[reflect.Type]func(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error)
}

// On has nodes of type N built by build, which returns nil where the executor is to build the node. It panics if N has a function
// already.
func On[N sql.Node](b *Builders, build func(ctx *sql.Context, n N, row sql.Row) (sql.RowIter, error)) {
	kind := reflect.TypeFor[N]()
	if b.byType[kind] != nil {
		panic(fmt.Sprintf("nodes: %v is built in two ways", kind))
	}
	if b.byType == nil {
		b.byType = map[reflect.Type]func(*sql.Context, sql.Node, sql.Row) (sql.RowIter, error){}
	}
	b.byType[kind] = func(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) { return build(ctx, n.(N), row) }
}

// Build builds n; nil means that the executor is to do it.
func (b *Builders) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	if build := b.byType[reflect.TypeOf(n)]; build != nil {
		return build(ctx, n, row)
	}
	return nil, nil
}

// Executor builds the nodes of a plan, as rowexec.BaseBuilder does.
type Executor interface {
	Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error)
}
