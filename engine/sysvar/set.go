package sysvar

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/globals"
	"pfsd/engine/mysqlerr"
)

// CheckStatement returns MySQL's error for a wrong use of system variables in a statement; go-mysql-server would accept
// it, or report another error. It rewrites a SET so that check gets its values unchanged.
func (s *Server) CheckStatement(query string, statement ast.Statement) (err error) {
	if set, ok := statement.(*ast.Set); ok {
		for i, e := range set.Exprs {
			// A scope keyword also applies to the following variables.
			if i > 0 && e.Scope == ast.SetScope_None && !strings.Contains(query, "@") {
				e.Scope = set.Exprs[i-1].Scope
			}
			if err := s.checkSet(e); err != nil {
				return err
			}
		}
	}
	if !strings.Contains(query, "@@") {
		return nil
	}
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		if c, ok := n.(*ast.ColName); ok {
			err = s.checkRead(c)
		}
		return err == nil, nil
	}, statement)
	return err
}

// checkRead returns the error for reading c, if that is a system variable.
func (s *Server) checkRead(c *ast.ColName) error {
	text := c.Name.String()
	if !c.Qualifier.IsEmpty() {
		text = c.Qualifier.Name.String() + "." + text
	}
	if !strings.HasPrefix(text, "@@") {
		return nil
	}
	name, _, scope, err := ast.VarScope(text)
	if err != nil {
		return nil // go-mysql-server reports it, too
	}
	v := s.find(name)
	switch {
	case v == nil:
		return mysqlerr.UnknownVariable(name)
	case strings.EqualFold(scope, "global") && !v.IsGlobal():
		return mysqlerr.VariableIs(v.Name, "SESSION")
	case (strings.EqualFold(scope, "session") || strings.EqualFold(scope, "local")) && !v.isSession():
		return mysqlerr.VariableIs(v.Name, "GLOBAL")
	}
	return nil
}

// notVariables are names in SET that the parser takes for variables.
var notVariables = map[string]bool{"names": true, "charset": true, "transaction": true, "password": true}

// checkSet returns the error if e cannot be set to any value. It rewrites the value so that go-mysql-server does
// not convert it.
func (s *Server) checkSet(e *ast.SetVarExpr) error {
	name := e.Name.Name.String()
	if !e.Name.Qualifier.IsEmpty() {
		name = e.Name.Qualifier.Name.String() + "." + name
	}
	if e.Scope == ast.SetScope_User || notVariables[strings.ToLower(name)] || strings.HasPrefix(name, "@") && !strings.HasPrefix(name, "@@") {
		return nil
	}
	v := s.find(name)
	switch {
	case v == nil:
		return mysqlerr.UnknownVariable(name)
	case v.Fixed && e.Scope != ast.SetScope_PersistOnly:
		return mysqlerr.VariableIs(v.Name, "read only")
	case notPersistable[v.Name]:
		return mysqlerr.VariableIs(v.Name, "non persistent read only")
	}
	switch e.Scope {
	case ast.SetScope_Global, ast.SetScope_Persist, ast.SetScope_PersistOnly:
		if !v.IsGlobal() {
			return mysqlerr.SetSession(v.Name)
		}
	default:
		if !v.isSession() {
			return mysqlerr.SetGlobal(v.Name)
		}
		if fixedInSession[v.Name] {
			return mysqlerr.FixedInSession(v.Name)
		}
	}
	switch value := e.Expr.(type) {
	case *ast.Default:
		e.Expr = v.defaultFor(e.Scope)
	case *ast.SQLVal:
		if value.Type == ast.StrVal || value.Type == ast.IntVal {
			e.Expr = &ast.ParenExpr{Expr: value}
		}
	case *ast.ColName:
		// A bare word is a text.
		if word := value.Name.String(); value.Qualifier.IsEmpty() && !strings.HasPrefix(word, "@") {
			e.Expr = textValue(word)
		}
	}
	return nil
}

// fixedInSession are session variables that cannot be set: they keep the global value.
var fixedInSession = map[string]bool{"max_allowed_packet": true, "net_buffer_length": true, "max_user_connections": true}

// defaultFor returns the value of DEFAULT: for a session, the global value.
func (v *Variable) defaultFor(scope ast.SetScope) ast.Expr {
	global := scope == ast.SetScope_Global || scope == ast.SetScope_Persist || scope == ast.SetScope_PersistOnly
	if !global && v.IsGlobal() {
		return ast.NewColName("@@global." + v.Name)
	}
	switch {
	case v.Null:
		return &ast.NullVal{}
	case v.Kind == Signed || v.Kind == Unsigned:
		return &ast.ParenExpr{Expr: ast.NewIntVal([]byte(v.Default))}
	case v.Kind == Double:
		return &ast.ParenExpr{Expr: ast.NewFloatVal([]byte(v.Default))}
	}
	return textValue(v.Default)
}

func textValue(text string) ast.Expr {
	return &ast.ParenExpr{Expr: ast.NewStrVal([]byte(text))}
}

// An Assignment is an assignment of a SET.
type Assignment struct {
	Variable *Variable
	scope    sql.MysqlSVScopeType
	value    any
	before   any
}

// NewAssignment begins the assignment of a SET in ctx to a variable. It returns an error if the variable cannot be set in this scope, which CheckStatement
// has not checked for the SET of a stored program.
func (s *Server) NewAssignment(ctx *sql.Context, name string, scope sql.MysqlSVScopeType) (*Assignment, error) {
	v := s.find(name)
	if v == nil {
		return nil, mysqlerr.UnknownVariable(name)
	}
	a := &Assignment{Variable: v, scope: scope, before: s.Global(v.Name)}
	var err error
	switch {
	case v.Fixed && scope != sql.SystemVariableScope_PersistOnly:
		err = mysqlerr.VariableIs(v.Name, "read only")
	case notPersistable[v.Name]:
		err = mysqlerr.VariableIs(v.Name, "non persistent read only")
	case scope != sql.SystemVariableScope_Session:
		if !v.IsGlobal() {
			err = mysqlerr.SetSession(v.Name)
		}
	case !v.isSession():
		err = mysqlerr.SetGlobal(v.Name)
	default:
		a.before, err = ctx.GetSessionVariable(ctx, v.Name)
	}
	return a, err
}

// Check checks the value, and keeps it for Persist and Assign.
func (a *Assignment) Check(ctx *sql.Context, value any) (err error) {
	a.value, err = a.Variable.check(ctx, value, a.before)
	return err
}

// Persist writes the values of SET PERSIST and PERSIST_ONLY to the file.
func (s *Server) Persist(ctx *sql.Context, all []*Assignment) error {
	values := map[string]any{}
	for _, a := range all {
		if a.scope == sql.SystemVariableScope_Persist || a.scope == sql.SystemVariableScope_PersistOnly {
			values[a.Variable.Name] = a.value
			addDependents(a.Variable.Name, a.value, values)
		}
	}
	if len(values) == 0 {
		return nil
	}
	c, at := ctx.Session.Client(), time.Now()
	return s.persisted.change(s.find, func(of map[string]PersistedValue) {
		for name, value := range values {
			of[name] = PersistedValue{name, s.declared[name].Text(value), at, c.User, c.Address}
		}
	})
}

// Assign sets a variable, and those that depend on it.
func (s *Server) Assign(ctx *sql.Context, a *Assignment) error {
	name := a.Variable.Name
	values := map[string]any{name: a.value}
	addDependents(name, a.value, values)
	switch a.scope {
	case sql.SystemVariableScope_Global, sql.SystemVariableScope_Persist:
		if err := s.set(values, settingOf(ctx)); err != nil {
			return err
		}
	case sql.SystemVariableScope_Session:
		for name, value := range values {
			if err := SetSession(ctx, name, value); err != nil {
				return err
			}
		}
	}
	if name == "profiling" || name == "profiling_history_size" {
		ctx.Warn(1287, "'@@%s' is deprecated and will be removed in a future release.", name)
	}
	return nil
}

// SetSession sets a variable of the session of ctx to a checked value. Sessions with the same values share one map.
func SetSession(ctx *sql.Context, name string, value any) error {
	if err := charge(ctx, name, value); err != nil {
		return err
	}
	s, values := sessionOf(ctx), globals.SessionValues(ctx.Session)
	if s == nil || values == nil {
		err := ctx.SetSessionVariable(ctx, name, value)
		if err == nil && s != nil {
			s.set(name, value)
		}
		return err
	}
	// go-mysql-server writes to this map, which is not shared.
	own := map[string]sql.SystemVarValue{name: values[name], "sql_mode": values["sql_mode"]}
	globals.SetSessionValues(ctx.Session, own)
	s.setting = true
	err := ctx.SetSessionVariable(ctx, name, value)
	s.setting = false
	if err == nil {
		values = s.set(name, own[name].Val)
	}
	globals.SetSessionValues(ctx.Session, values)
	return err
}

// addDependents adds the variables that depend on one, with their values.
func addDependents(name string, value any, values map[string]any) {
	text, _ := value.(string)
	for _, of := range []string{"connection", "server", "database"} {
		switch name {
		case "character_set_" + of:
			values["collation_"+of] = defaultCollation(text)
		case "collation_" + of:
			if c, err := sql.ParseCollation("", text, false); err == nil {
				values["character_set_"+of] = c.CharacterSet().Name()
			}
		}
	}
	for _, pair := range synonyms {
		switch name {
		case pair[0]:
			values[pair[1]] = value
		case pair[1]:
			values[pair[0]] = value
		}
	}
}

// serverCollation is the default of collation_server.
const serverCollation = sql.Collation_utf8mb4_0900_ai_ci

// defaultCollation returns the default collation of a character set.
func defaultCollation(charset string) string {
	if charset == serverCollation.CharacterSet().Name() {
		return serverCollation.Name()
	}
	set, err := sql.ParseCharacterSet(charset)
	if err != nil {
		return serverCollation.Name()
	}
	return set.DefaultCollation().Name()
}

// synonyms are pairs of names for the same variable.
var synonyms = [][2]string{
	{"identity", "last_insert_id"},
	{"init_replica", "init_slave"},
	{"log_slow_replica_statements", "log_slow_slave_statements"},
	{"pseudo_replica_mode", "pseudo_slave_mode"},
	{"sql_replica_skip_counter", "sql_slave_skip_counter"},
}
