package engine

import (
	"strconv"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/compat"
	"pfsd/instr"
	"pfsd/tables"
)

// shown calls yield with each visible variable and its value, the global one or that of the
// session of ctx; what is of the other scope alone is not among the global ones. database is the collation of the session's database.
func (s *variables) shown(ctx *sql.Context, global bool, database sql.CollationID, yield func(v *variable, value any) error) error {
	values := s.values.Load()
	for _, v := range s.visible {
		if global && !v.isGlobal() {
			continue
		}
		value := values.of[v.name].Val
		if !global && v.isSession() {
			var err error
			if value, err = v.GetSessionScope().GetValue(ctx, v.name, database); err != nil {
				return err
			}
		}
		if err := yield(v, value); err != nil {
			return err
		}
	}
	return nil
}

// variableWork is how much work a variable of SHOW VARIABLES is, in the rows of a join.
const variableWork = 16

// show returns the rows of SHOW VARIABLES; database is the collation of the session's database.
func (s *variables) show(ctx *sql.Context, n *plan.ShowVariables, database sql.CollationID) (sql.RowIter, error) {
	var rows []sql.Row
	err := s.shown(ctx, n.Global, database, func(v *variable, value any) error {
		if err := compat.Pace(ctx, variableWork); err != nil {
			return err
		}
		row := sql.NewRow(v.name, v.text(value))
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

// variablesKey is what a registry knows the variables of its server by.
type variablesKey struct{}

// lastVariables are those of the server that was made last, for goroutines that are nobody's.
var lastVariables atomic.Pointer[variables]

// serve has the SQL engine use the variables for the goroutines of their server.
func (s *variables) serve() {
	s.reg.Provide(variablesKey{}, s)
	lastVariables.Store(s)
	compat.ServeVariables(func() compat.Variables { return currentVariables() })
}

// currentVariables are those of the server that the calling goroutine works for.
func currentVariables() *variables {
	if t := instr.Current(); t != nil {
		if v, ok := t.Registry().Provided(variablesKey{}).(*variables); ok {
			return v
		}
	}
	return lastVariables.Load()
}

// provide has the tables of variables show these.
func (s *variables) provide() {
	tables.Provide(s.reg, s.globalRows)
	tables.Provide(s.reg, s.infoRows)
	tables.Provide(s.reg, s.persistedRows)
	tables.Provide(s.reg, s.metadataRows)
}

// withhold takes serve and provide back. It reports false where another server has taken their place.
func (s *variables) withhold() bool {
	if s.reg.Provided(variablesKey{}) != any(s) {
		return false
	}
	s.reg.Provide(variablesKey{}, nil)
	tables.Provide[tables.GlobalVariableRow](s.reg, nil)
	tables.Provide[tables.VariableInfoRow](s.reg, nil)
	tables.Provide[tables.PersistedVariableRow](s.reg, nil)
	tables.Provide[tables.VariableMetadataRow](s.reg, nil)
	return true
}

// globalRows are the rows of global_variables.
func (s *variables) globalRows(key tables.Key) (rows []tables.GlobalVariableRow) {
	values := s.values.Load()
	for _, v := range s.wanted(key) {
		if v.isGlobal() {
			rows = append(rows, tables.GlobalVariableRow{Name: v.name, Value: v.text(values.of[v.name].Val)})
		}
	}
	return rows
}

// wanted are the visible variables that can match key.
func (s *variables) wanted(key tables.Key) []*variable {
	if name, ok := key.Text("VARIABLE_NAME"); ok {
		v := s.find(name)
		if v == nil {
			return nil
		}
		return []*variable{v}
	}
	return s.visible
}

// infoRows are the rows of variables_info.
func (s *variables) infoRows(key tables.Key) (rows []tables.VariableInfoRow) {
	values := s.values.Load()
	for _, v := range s.wanted(key) {
		from, set := values.settings[v.name]
		if !set {
			from.Source = sourceCompiled
		}
		row := tables.VariableInfoRow{
			Name: v.name, Source: from.Source, Path: from.Path, Min: "0", Max: "0", Time: from.Time, User: from.User, Host: from.Host,
		}
		if v.numeric() {
			row.Min, row.Max = strconv.FormatInt(v.min, 10), strconv.FormatUint(v.max, 10)
		}
		rows = append(rows, row)
	}
	return rows
}

// metadataRows are the rows of variables_metadata.
func (s *variables) metadataRows(key tables.Key) (rows []tables.VariableMetadataRow) {
	for _, v := range s.wanted(key) {
		row := tables.VariableMetadataRow{Name: v.name, Scope: variableScopes[v.scope], Type: variableTypes[v.kind], Doc: v.doc}
		if v.numeric() {
			row.Min, row.Max = strconv.FormatInt(v.min, 10), strconv.FormatUint(v.max, 10)
		}
		if row.Doc == "" {
			row.Doc = variableDocs[v.name]
		}
		if row.Doc == "" {
			row.Doc = "As in MySQL; nothing here depends on it."
		}
		rows = append(rows, row)
	}
	return rows
}

// What variables_metadata calls scopes and kinds.
var (
	variableScopes = [...]string{globalOnly: "GLOBAL", globalAndSession: "SESSION", sessionOnly: "SESSION_ONLY"}
	variableTypes  = [...]string{
		booleanVariable: "Boolean", signedVariable: "Integer", unsignedVariable: "Integer", doubleVariable: "Numeric",
		textVariable: "String", enumVariable: "Enumeration", setVariable: "Set", switchVariable: "Set",
	}
)

// sessionRows are the rows of session_variables for the session of ctx, the global values if ctx is nil; database is the collation of the
// session's database.
func (s *variables) sessionRows(ctx *sql.Context, database sql.CollationID, key tables.Key) (rows []tables.SessionVariableRow) {
	if ctx == nil {
		for _, r := range s.globalRows(key) {
			rows = append(rows, tables.SessionVariableRow(r))
		}
		return rows
	}
	values := s.values.Load()
	for _, v := range s.wanted(key) {
		value := values.of[v.name].Val
		if v.isSession() {
			var err error
			if value, err = v.GetSessionScope().GetValue(ctx, v.name, database); err != nil {
				continue
			}
		}
		rows = append(rows, tables.SessionVariableRow{Name: v.name, Value: v.text(value)})
	}
	return rows
}

// threadRows are the rows of variables_by_thread for a session, which has a thread and a connection.
func (s *variables) threadRows(of *sessionVariables, thread uint64, connection uint32, key tables.Key) (rows []tables.ThreadVariableRow) {
	value := of.all()
	for _, v := range s.wanted(key) {
		if !v.isSession() {
			continue
		}
		row := tables.ThreadVariableRow{Thread: thread, Name: v.name, Value: v.text(value(v.name))}
		if v.name == "pseudo_thread_id" {
			row.Value = strconv.FormatUint(uint64(connection), 10)
		}
		rows = append(rows, row)
	}
	return rows
}
