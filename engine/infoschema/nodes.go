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

// Build registers how to build the SHOW statements that show rows of information_schema, or how
// something was made. executor builds the SHOW statements about users' tables; visible removes from
// their rows those that the session may not see.
func (s *Server) Build(b *nodes.Builders, executor nodes.Executor, info *Database, visible func(ctx *sql.Context, n sql.Node, rows sql.RowIter) sql.RowIter) {
	buildDescribe[*plan.ShowColumns](b, executor, info, visible)
	buildDescribe[*plan.ShowTableStatus](b, executor, info, visible)
	buildDescribe[*plan.ShowIndexes](b, executor, info, visible)
	buildShowCreate[*plan.ShowCreateTable](b, s)
	buildShowCreate[*plan.ShowCreateProcedure](b, s)
	buildShowCreate[*plan.ShowCreateTrigger](b, s)
	nodes.On(b, func(ctx *sql.Context, n *plan.ShowTriggers, _ sql.Row) (sql.RowIter, error) {
		if !mends.ShownTriggers.On() {
			return nil, nil
		}
		return s.ShowTriggers(ctx, n.Database().Name())
	})
}

// buildDescribe registers how to build a node that describes tables.
func buildDescribe[N sql.Node](b *nodes.Builders, executor nodes.Executor, info *Database, visible func(*sql.Context, sql.Node, sql.RowIter) sql.RowIter) {
	nodes.On(b, func(ctx *sql.Context, n N, row sql.Row) (sql.RowIter, error) {
		if rows, ok, err := describeRows(ctx, n, info); ok || err != nil {
			return rows, err
		}
		rows, err := executor.Build(ctx, n, row)
		if err != nil {
			return nil, err
		}
		return correctRows(ctx, n, visible(ctx, n, rows), shownPrivileges(ctx)), nil
	})
}

// shownPrivileges returns ColumnPrivileges for a column that SHOW COLUMNS shows. If schema is "",
// the statement names the schema, or it is the current database.
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

// buildShowCreate registers how to build a node that shows how something was made.
func buildShowCreate[N sql.Node](b *nodes.Builders, s *Server) {
	nodes.On(b, func(ctx *sql.Context, n N, _ sql.Row) (sql.RowIter, error) {
		rows, _, err := s.ShowCreate(ctx, n)
		return rows, err
	})
}
