package connection

import (
	"cmp"
	"context"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/processlist"
	"pfsd/engine/sqlexpr"
	"pfsd/instr"
	"pfsd/tables"
)

// databaseCollation is the collation of the session's current database, the server's if there is none.
func databaseCollation(ctx *sql.Context, databases sql.DatabaseProvider) sql.CollationID {
	if db, err := databases.Database(ctx, ctx.GetCurrentDatabase()); err == nil {
		return plan.GetDatabaseCollation(ctx, db)
	}
	return sqlexpr.ServerCollation(ctx)
}

// ProvideVariables gives the tables of session variables their rows.
func (h *Handler) ProvideVariables() {
	tables.Provide(tables.Of(h.reg), h.sessionVariableRows)
	tables.Provide(tables.Of(h.reg), h.threadVariableRows)
}

// sessionVariableRows are the rows of session_variables for the connection that reads.
func (h *Handler) sessionVariableRows(key tables.Key) []tables.SessionVariableRow {
	reader := h.readingClient()
	if reader == nil {
		return h.Variables.SessionRows(nil, 0, key)
	}
	ctx := h.newContext(context.Background(), reader, "")
	return h.Variables.SessionRows(ctx, databaseCollation(ctx, h.Provider), key)
}

// readingClient is the connection whose goroutine this is, nil if it is none.
func (h *Handler) readingClient() (reader *Client) {
	t := instr.Current()
	if t == nil {
		return nil
	}
	h.Clients.Each(func(c *processlist.Client, thread uint64) {
		if w, ok := c.Work.(*Work); ok && thread == t.ID() && c.Thread == t {
			reader = w.Client
		}
	})
	return reader
}

// threadVariableRows are the rows of variables_by_thread.
func (h *Handler) threadVariableRows(key tables.Key) (rows []tables.ThreadVariableRow) {
	one, only := key.Uint("THREAD_ID")
	h.Clients.Each(func(c *processlist.Client, thread uint64) {
		if !only || thread == one {
			rows = append(rows, h.Variables.ThreadRows(c.Variables.Load(), thread, c.ID, key)...)
		}
	})
	slices.SortStableFunc(rows, func(a, b tables.ThreadVariableRow) int { return cmp.Compare(a.Thread, b.Thread) })
	return rows
}
