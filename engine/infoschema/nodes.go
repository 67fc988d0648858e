package infoschema

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mends"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/nodes"
)

// Build has SHOW statements built that say what information_schema says, or how something was made. The executor builds those of
// users' tables; visible are the rows of these that the session may see.
func (s *Server) Build(b *nodes.Builders, executor nodes.Executor, info *Database, visible func(ctx *sql.Context, n sql.Node, rows sql.RowIter) sql.RowIter) {
	describes[*plan.ShowColumns](b, executor, info, visible)
	describes[*plan.ShowTableStatus](b, executor, info, visible)
	describes[*plan.ShowIndexes](b, executor, info, visible)
	showsCreate[*plan.ShowCreateTable](b, s)
	showsCreate[*plan.ShowCreateProcedure](b, s)
	showsCreate[*plan.ShowCreateTrigger](b, s)
	nodes.On(b, func(ctx *sql.Context, n *plan.ShowTriggers, _ sql.Row) (sql.RowIter, error) {
		if !mends.ShownTriggers.On() {
			return nil, nil
		}
		return s.ShowTriggers(ctx, n.Database().Name())
	})
}

// describes has a node built that describes tables.
func describes[N sql.Node](b *nodes.Builders, executor nodes.Executor, info *Database, visible func(*sql.Context, sql.Node, sql.RowIter) sql.RowIter) {
	nodes.On(b, func(ctx *sql.Context, n N, row sql.Row) (sql.RowIter, error) {
		if rows, ok, err := describeRows(ctx, n, info); ok || err != nil {
			return rows, err
		}
		rows, err := executor.Build(ctx, n, row)
		if err != nil {
			return nil, err
		}
		return mendRows(ctx, n, visible(ctx, n, rows), shownPrivileges(ctx)), nil
	})
}

// shownPrivileges are ColumnPrivileges of a column that SHOW COLUMNS shows; schema is "" if only the statement says whose it is.
func shownPrivileges(ctx *sql.Context) func(schema, table, column string) string {
	return func(schema, table, column string) string {
		if show, ok := mysqlerr.TreeOf(ctx).(*ast.Show); ok && schema == "" {
			if schema = strings.ToLower(show.Table.DbQualifier.String()); schema == "" {
				schema = strings.ToLower(ctx.GetCurrentDatabase())
			}
		}
		return ColumnPrivileges(ctx, schema, table, column)
	}
}

// showsCreate has a node built that shows how something was made.
func showsCreate[N sql.Node](b *nodes.Builders, s *Server) {
	nodes.On(b, func(ctx *sql.Context, n N, _ sql.Row) (sql.RowIter, error) {
		rows, _, err := s.ShowCreate(ctx, n)
		return rows, err
	})
}
