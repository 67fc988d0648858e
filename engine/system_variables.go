package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/compat"
	"pfsd/engine/processlist"
	"pfsd/instr"
	"pfsd/tables"
)

// provideVariables has the tables of variables show those of the server.
func (s *Server) provideVariables(h *handler) {
	s.variables.Provide()
	tables.Provide(tables.Of(s.reg), s.log.Loggers)
	tables.Provide(tables.Of(s.reg), h.sessionVariableRows)
	tables.Provide(tables.Of(s.reg), h.threadVariableRows)
}

// withholdVariables takes the tables' rows away, unless another server provides them now.
func (s *Server) withholdVariables() {
	if s.variables == nil || !s.variables.Unserve() {
		return
	}
	tables.Provide[tables.SetupLoggerRow](tables.Of(s.reg), nil)
	tables.Provide[tables.SessionVariableRow](tables.Of(s.reg), nil)
	tables.Provide[tables.ThreadVariableRow](tables.Of(s.reg), nil)
}

// databaseCollation is the collation of the session's current database, the server's if there is none.
func databaseCollation(ctx *sql.Context, databases sql.DatabaseProvider) sql.CollationID {
	if db, err := databases.Database(ctx, ctx.GetCurrentDatabase()); err == nil {
		return plan.GetDatabaseCollation(ctx, db)
	}
	return compat.ServerCollation(ctx)
}

// sessionVariableRows are the rows of session_variables for the connection that reads.
func (h *handler) sessionVariableRows(key tables.Key) []tables.SessionVariableRow {
	reader := h.reader()
	if reader == nil {
		return h.variables.SessionRows(nil, 0, key)
	}
	ctx := h.newContext(context.Background(), reader, "")
	return h.variables.SessionRows(ctx, databaseCollation(ctx, h.provider), key)
}

// reader is the connection whose goroutine this is, nil if it is none.
func (h *handler) reader() (reader *client) {
	t := instr.Current()
	if t == nil {
		return nil
	}
	h.clients.Each(func(c *processlist.Client, thread uint64) {
		if w, ok := c.Work.(*work); ok && thread == t.ID() && c.Thread == t {
			reader = w.client
		}
	})
	return reader
}

// threadVariableRows are the rows of variables_by_thread.
func (h *handler) threadVariableRows(key tables.Key) (rows []tables.ThreadVariableRow) {
	one, only := key.Uint("THREAD_ID")
	h.clients.Each(func(c *processlist.Client, thread uint64) {
		if !only || thread == one {
			rows = append(rows, h.variables.ThreadRows(c.Variables.Load(), thread, c.ID, key)...)
		}
	})
	slices.SortStableFunc(rows, func(a, b tables.ThreadVariableRow) int { return cmp.Compare(a.Thread, b.Thread) })
	return rows
}
