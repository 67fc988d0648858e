package sysvar

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/globals"
	"pfsd/engine/sqlvalue"
	"pfsd/instr"
	"pfsd/tables"
)

// eachVisible calls yield with each visible variable and its value, global or of the session of ctx. For global
// values it skips variables that only sessions have. database is the collation of the session's database.
func (s *Server) eachVisible(ctx *sql.Context, global bool, database sql.CollationID, yield func(v *Variable, value any) error) error {
	values := s.values.Load()
	for _, v := range s.visible {
		if global && !v.IsGlobal() {
			continue
		}
		value := values.values[v.Name].Val
		if !global && v.isSession() {
			var err error
			if value, err = sessionValue(ctx, v, database); err != nil {
				return err
			}
		}
		if err := yield(v, value); err != nil {
			return err
		}
	}
	return nil
}

// variableWork is the work for a variable of SHOW VARIABLES, in units of a joined row.
const variableWork = 16

// Show returns the rows of SHOW VARIABLES; database is the collation of the session's database.
func (s *Server) Show(ctx *sql.Context, n *plan.ShowVariables, database sql.CollationID) (sql.RowIter, error) {
	var rows []sql.Row
	err := s.eachVisible(ctx, n.Global, database, func(v *Variable, value any) error {
		if err := sqlvalue.Pace(ctx, variableWork); err != nil {
			return err
		}
		row := sql.NewRow(v.Name, v.Text(value))
		if n.Filter != nil {
			keep, err := n.Filter.Eval(ctx, row)
			if err != nil {
				return err
			}
			if keep, _, err = types.Boolean.Convert(ctx, keep); err != nil {
				ctx.Warn(1292, "%s", err.Error())
				return nil
			}
			if keep == nil || keep == int8(0) {
				return nil
			}
		}
		rows = append(rows, row)
		return nil
	})
	return sql.RowsToRowIter(rows...), err
}

// serverKey is the key under which a registry provides the variables of its server.
type serverKey struct{}

// threadless has the servers that may have goroutines that are not threads. The server that was
// made last is at the end.
var threadless struct {
	mu   sync.Mutex // held during changes
	all  []*Server
	last atomic.Pointer[Server]
}

// setThreadless says whether s may have goroutines that are not threads.
func (s *Server) setThreadless(may bool) {
	threadless.mu.Lock()
	defer threadless.mu.Unlock()
	threadless.all = slices.DeleteFunc(threadless.all, func(other *Server) bool { return other == s })
	if may {
		threadless.all = append(threadless.all, s)
	}
	var last *Server
	if n := len(threadless.all); n > 0 {
		last = threadless.all[n-1]
	}
	threadless.last.Store(last)
}

// Serve makes go-mysql-server use these variables on the goroutines of their server. Until made is
// called, it also uses them on all goroutines that are not threads, because one of them is making
// the server.
func (s *Server) Serve() (made func()) {
	s.reg.Reader().Provide(serverKey{}, s)
	s.setThreadless(true)
	globals.ServeVariables(func() globals.Variables {
		if s := Current(); s != nil {
			return s
		}
		return nil // not a *Server that is nil
	})
	return func() {
		// The classes of the server's own threads exist by now. So classes that are missing because
		// of a limit stay missing.
		setup := s.reg.Setup()
		limit := setup.Limit(instr.LimitThreadClasses)
		s.setThreadless(limit >= 0 && len(setup.ThreadClasses()) >= limit || setup.Limit(instr.LimitThreadInstances) >= 0)
	}
}

// ownThreads is the prefix of the names of a server's threads.
const ownThreads = "thread/sql/"

// Current returns the variables of the server that the calling goroutine works for. It returns nil
// if there is none, because another part of the program may use go-mysql-server, too. If limits may
// have left out the server's own threads, any goroutine without a thread may work for the server.
func Current() *Server {
	if t := instr.Current(); t != nil {
		if s, ok := t.Registry().Reader().Provided(serverKey{}).(*Server); ok && t.Class() != nil && strings.HasPrefix(t.Class().Name(), ownThreads) {
			return s
		}
	}
	return threadless.last.Load()
}

// Provide makes the tables of variables show those of s.
func (s *Server) Provide() {
	tables.Provide(tables.Of(s.reg), s.globalRows)
	tables.Provide(tables.Of(s.reg), s.infoRows)
	tables.Provide(tables.Of(s.reg), s.persistedRows)
	tables.Provide(tables.Of(s.reg), s.metadataRows)
}

// Unserve undoes Serve and Provide. It reports false if another server has replaced s.
func (s *Server) Unserve() bool {
	s.setThreadless(false)
	if s.reg.Reader().Provided(serverKey{}) != any(s) {
		return false
	}
	s.reg.Reader().Provide(serverKey{}, nil)
	tables.Provide[tables.GlobalVariableRow](tables.Of(s.reg), nil)
	tables.Provide[tables.VariableInfoRow](tables.Of(s.reg), nil)
	tables.Provide[tables.PersistedVariableRow](tables.Of(s.reg), nil)
	tables.Provide[tables.VariableMetadataRow](tables.Of(s.reg), nil)
	return true
}

// globalRows are the rows of global_variables.
func (s *Server) globalRows(key tables.Key) (rows []tables.GlobalVariableRow) {
	values := s.values.Load()
	for _, v := range s.matching(key) {
		if v.IsGlobal() {
			rows = append(rows, tables.GlobalVariableRow{Name: v.Name, Value: v.Text(values.values[v.Name].Val)})
		}
	}
	return rows
}

// matching returns the visible variables that can match key.
func (s *Server) matching(key tables.Key) []*Variable {
	if name, ok := key.Text("VARIABLE_NAME"); ok {
		v := s.find(name)
		if v == nil {
			return nil
		}
		return []*Variable{v}
	}
	return s.visible
}

// infoRows are the rows of variables_info.
func (s *Server) infoRows(key tables.Key) (rows []tables.VariableInfoRow) {
	values := s.values.Load()
	for _, v := range s.matching(key) {
		from, set := values.settings[v.Name]
		if !set {
			from.Source = sourceCompiled
		}
		row := tables.VariableInfoRow{
			Name: v.Name, Source: from.Source, Path: from.Path, Min: "0", Max: "0", Time: from.Time, User: from.User, Host: from.Host,
		}
		if v.numeric() {
			row.Min, row.Max = strconv.FormatInt(v.Min, 10), strconv.FormatUint(v.Max, 10)
		}
		rows = append(rows, row)
	}
	return rows
}

// metadataRows are the rows of variables_metadata.
func (s *Server) metadataRows(key tables.Key) (rows []tables.VariableMetadataRow) {
	for _, v := range s.matching(key) {
		row := tables.VariableMetadataRow{Name: v.Name, Scope: scopeNames[v.Scope], Type: kindNames[v.Kind], Doc: v.Doc}
		if v.numeric() {
			row.Min, row.Max = strconv.FormatInt(v.Min, 10), strconv.FormatUint(v.Max, 10)
		}
		if row.Doc == "" {
			row.Doc = "As in MySQL; nothing here depends on it."
		}
		rows = append(rows, row)
	}
	return rows
}

// Names of scopes and kinds in variables_metadata.
var (
	scopeNames = [...]string{GlobalOnly: "GLOBAL", GlobalAndSession: "SESSION", SessionOnly: "SESSION_ONLY"}
	kindNames  = [...]string{
		Boolean: "Boolean", Signed: "Integer", Unsigned: "Integer", Double: "Numeric",
		Text: "String", Enum: "Enumeration", Flags: "Set", Switches: "Set",
	}
)

// SessionRows are the rows of session_variables for the session of ctx, the global values if ctx is nil; database is the collation of the
// session's database.
func (s *Server) SessionRows(ctx *sql.Context, database sql.CollationID, key tables.Key) (rows []tables.SessionVariableRow) {
	if ctx == nil {
		for _, r := range s.globalRows(key) {
			rows = append(rows, tables.SessionVariableRow(r))
		}
		return rows
	}
	values := s.values.Load()
	for _, v := range s.matching(key) {
		value := values.values[v.Name].Val
		if v.isSession() {
			var err error
			if value, err = sessionValue(ctx, v, database); err != nil {
				continue
			}
		}
		rows = append(rows, tables.SessionVariableRow{Name: v.Name, Value: v.Text(value)})
	}
	return rows
}

// ThreadRows are the rows of variables_by_thread for a session, which has a thread and a connection.
func (s *Server) ThreadRows(of *Session, thread uint64, connection uint32, key tables.Key) (rows []tables.ThreadVariableRow) {
	value := of.all()
	for _, v := range s.matching(key) {
		if !v.isSession() {
			continue
		}
		row := tables.ThreadVariableRow{Thread: thread, Name: v.Name, Value: v.Text(value(v.Name))}
		if v.Name == "pseudo_thread_id" {
			row.Value = strconv.FormatUint(uint64(connection), 10)
		}
		rows = append(rows, row)
	}
	return rows
}
