package engine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/compat"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/privilege"
)

// refused is why statement s may not use system variables as it does; the SQL engine would
// let it, or refuse it in other words. It leaves a SET whose values check can judge.
func (s *variables) refused(query string, statement ast.Statement) (err error) {
	if set, ok := statement.(*ast.Set); ok {
		for i, e := range set.Exprs {
			// The last keyword holds for what follows without one.
			if i > 0 && e.Scope == ast.SetScope_None && !strings.Contains(query, "@") {
				e.Scope = set.Exprs[i-1].Scope
			}
			if err := s.refusedSet(e); err != nil {
				return err
			}
		}
	}
	if !strings.Contains(query, "@@") {
		return nil
	}
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		if c, ok := n.(*ast.ColName); ok {
			err = s.refusedRead(c)
		}
		return err == nil, nil
	}, statement)
	return err
}

// refusedRead is why a statement may not ask for what c says, if that is a system variable.
func (s *variables) refusedRead(c *ast.ColName) error {
	text := c.Name.String()
	if !c.Qualifier.IsEmpty() {
		text = c.Qualifier.Name.String() + "." + text
	}
	if !strings.HasPrefix(text, "@@") {
		return nil
	}
	name, _, scope, err := ast.VarScope(text)
	if err != nil {
		return nil // the SQL engine finds it, too
	}
	v := s.find(name)
	switch {
	case v == nil:
		return mysqlerr.UnknownVariable(name)
	case strings.EqualFold(scope, "global") && !v.isGlobal():
		return mysqlerr.VariableIs(v.name, "SESSION")
	case (strings.EqualFold(scope, "session") || strings.EqualFold(scope, "local")) && !v.isSession():
		return mysqlerr.VariableIs(v.name, "GLOBAL")
	}
	return nil
}

// noVariables are what SET sets that looks like a variable to the parser.
var noVariables = map[string]bool{"names": true, "charset": true, "transaction": true, "password": true}

// refusedSet is why e cannot be set, whatever the value. It writes the value so that the SQL
// engine does not read it by rules of its own.
func (s *variables) refusedSet(e *ast.SetVarExpr) error {
	name := e.Name.Name.String()
	if !e.Name.Qualifier.IsEmpty() {
		name = e.Name.Qualifier.Name.String() + "." + name
	}
	if e.Scope == ast.SetScope_User || noVariables[strings.ToLower(name)] || strings.HasPrefix(name, "@") && !strings.HasPrefix(name, "@@") {
		return nil
	}
	v := s.find(name)
	switch {
	case v == nil:
		return mysqlerr.UnknownVariable(name)
	case v.fixed && e.Scope != ast.SetScope_PersistOnly:
		return mysqlerr.VariableIs(v.name, "read only")
	case notPersistable[v.name]:
		return mysqlerr.VariableIs(v.name, "non persistent read only")
	}
	switch e.Scope {
	case ast.SetScope_Global, ast.SetScope_Persist, ast.SetScope_PersistOnly:
		if !v.isGlobal() {
			return mysqlerr.SetSession(v.name)
		}
	default:
		if !v.isSession() {
			return mysqlerr.SetGlobal(v.name)
		}
		if fixedInSession[v.name] {
			return mysqlerr.FixedInSession(v.name)
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
		// A name stands for itself.
		if word := value.Name.String(); value.Qualifier.IsEmpty() && !strings.HasPrefix(word, "@") {
			e.Expr = textValue(word)
		}
	}
	return nil
}

// fixedInSession are variables that a session takes from the global ones for good.
var fixedInSession = map[string]bool{"max_allowed_packet": true, "net_buffer_length": true}

// defaultFor is what DEFAULT stands for: the global value, where a session sets the variable.
func (v *variable) defaultFor(scope ast.SetScope) ast.Expr {
	global := scope == ast.SetScope_Global || scope == ast.SetScope_Persist || scope == ast.SetScope_PersistOnly
	if !global && v.isGlobal() {
		return ast.NewColName("@@global." + v.name)
	}
	switch {
	case v.null:
		return &ast.NullVal{}
	case v.kind == signedVariable || v.kind == unsignedVariable:
		return &ast.ParenExpr{Expr: ast.NewIntVal([]byte(v.def))}
	case v.kind == doubleVariable:
		return &ast.ParenExpr{Expr: ast.NewFloatVal([]byte(v.def))}
	}
	return textValue(v.def)
}

func textValue(text string) ast.Expr {
	return &ast.ParenExpr{Expr: ast.NewStrVal([]byte(text))}
}

// An assigned is a value of a SET that has been checked; v is nil for what is no system variable.
type assigned struct {
	v     *variable
	scope sql.MysqlSVScopeType
	value any
	node  sql.Expression
}

// set carries out a SET of system variables: it checks all values first.
func (b *builder) set(ctx *sql.Context, n *plan.Set, row sql.Row) (sql.RowIter, error) {
	all, system := make([]assigned, len(n.Exprs)), false
	for i, e := range n.Exprs {
		all[i].node = e
		field, ok := e.(*expression.SetField)
		if !ok {
			continue
		}
		left, ok := field.LeftChild.(*expression.SystemVar)
		if !ok {
			continue
		}
		a, err := b.assigned(ctx, left, field.RightChild, row)
		if err != nil {
			return nil, err
		}
		a.node, all[i], system = e, a, true
	}
	if !system {
		return b.plain.Build(ctx, compat.StoreSet(ctx, n), row)
	}
	persist := map[string]any{}
	for _, a := range all {
		if a.v != nil && (a.scope == sql.SystemVariableScope_Persist || a.scope == sql.SystemVariableScope_PersistOnly) {
			persist[a.v.name] = a.value
			alongside(a.v.name, a.value, persist)
		}
	}
	if len(persist) > 0 {
		if err := b.variables.persist(ctx, persist); err != nil {
			return nil, err
		}
	}
	for _, a := range all {
		var err error
		if a.v == nil {
			_, err = b.plain.Build(ctx, plan.NewSet([]sql.Expression{a.node}), row)
		} else {
			err = b.assign(ctx, a)
		}
		if err != nil {
			return nil, err
		}
		if a.v != nil && (a.v.name == "profiling" || a.v.name == "profiling_history_size") {
			ctx.Warn(1287, "'@@%s' is deprecated and will be removed in a future release.", a.v.name)
		}
	}
	return sql.RowsToRowIter(sql.NewRow(types.NewOkResult(0))), nil
}

// assigned checks what a SET assigns to the variable left.
func (b *builder) assigned(ctx *sql.Context, left *expression.SystemVar, right sql.Expression, row sql.Row) (a assigned, err error) {
	v := b.variables.find(left.Name)
	if v == nil {
		return a, mysqlerr.UnknownVariable(left.Name)
	}
	a = assigned{v: v, scope: sql.SystemVariableScope_Session}
	if scope, ok := left.Scope.(*sql.MysqlScope); ok {
		a.scope = scope.Type
	}
	// A program's SET has not been looked at before.
	old := b.variables.global(v.name)
	switch {
	case v.fixed && a.scope != sql.SystemVariableScope_PersistOnly:
		return a, mysqlerr.VariableIs(v.name, "read only")
	case notPersistable[v.name]:
		return a, mysqlerr.VariableIs(v.name, "non persistent read only")
	case a.scope != sql.SystemVariableScope_Session:
		if !v.isGlobal() {
			return a, mysqlerr.SetSession(v.name)
		}
	case !v.isSession():
		return a, mysqlerr.SetGlobal(v.name)
	default:
		if old, err = ctx.GetSessionVariable(ctx, v.name); err != nil {
			return a, err
		}
	}
	if err := mayAssign(ctx, a); err != nil {
		return a, err
	}
	value, err := right.Eval(ctx, row)
	if err != nil {
		return a, err
	}
	a.value, err = v.check(ctx, value, old)
	return a, err
}

// mayAssign tells why the user may not set a variable: its global value, one that is persisted,
// and the session's of those that are restricted. A trigger's SET comes here alone.
func mayAssign(ctx *sql.Context, a assigned) error {
	w := workOf(ctx)
	if w == nil || w.rights.access().Unrestricted() {
		return nil
	}
	u := use{clause: "global", Object: privilege.Object{Name: a.v.name}}
	switch a.scope {
	case sql.SystemVariableScope_Session:
		if u.clause = "session"; !privilege.Restricted(a.v.name) {
			return nil
		}
	case sql.SystemVariableScope_PersistOnly:
		u.clause = "persist_only"
	}
	return w.authorizeUse(ctx, w.rights.access(), "set_option", u)
}

// assign gives a variable its value, and those that go with it theirs.
func (b *builder) assign(ctx *sql.Context, a assigned) error {
	values := map[string]any{a.v.name: a.value}
	alongside(a.v.name, a.value, values)
	switch a.scope {
	case sql.SystemVariableScope_Global, sql.SystemVariableScope_Persist:
		b.variables.set(values, settingOf(ctx))
		return nil
	case sql.SystemVariableScope_PersistOnly:
		return nil
	case sql.SystemVariableScope_Session:
		for name, value := range values {
			if err := setSession(ctx, name, value); err != nil {
				return err
			}
		}
		return nil
	}
	return nil
}

// setSession gives a variable of the session of ctx a value that has been checked. Sessions that have set the same have their values in
// common.
func setSession(ctx *sql.Context, name string, value any) error {
	w, values := workOf(ctx), compat.SessionValues(ctx.Session)
	if w == nil || w.variables == nil || values == nil {
		err := ctx.SetSessionVariable(ctx, name, value)
		if err == nil && w != nil && w.variables != nil {
			w.variables.set(name, value)
		}
		return err
	}
	// The SQL engine writes to a map that nobody else has.
	own := map[string]sql.SystemVarValue{name: values[name], "sql_mode": values["sql_mode"]}
	compat.SetSessionValues(ctx.Session, own)
	w.setting = true
	err := ctx.SetSessionVariable(ctx, name, value)
	w.setting = false
	if err == nil {
		values = w.variables.set(name, own[name].Val)
	}
	compat.SetSessionValues(ctx.Session, values)
	return err
}

// alongside adds the variables that go with one, and their values.
func alongside(name string, value any, values map[string]any) {
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
	for _, pair := range sameVariables {
		switch name {
		case pair[0]:
			values[pair[1]] = value
		case pair[1]:
			values[pair[0]] = value
		}
	}
}

// defaultCollation is the collation that a character set has by default.
func defaultCollation(charset string) string {
	if charset == collation.CharacterSet().Name() {
		return collation.Name()
	}
	set, err := sql.ParseCharacterSet(charset)
	if err != nil {
		return collation.Name()
	}
	return set.DefaultCollation().Name()
}

// sameVariables are names for the same.
var sameVariables = [][2]string{
	{"identity", "last_insert_id"},
	{"init_replica", "init_slave"},
	{"log_slow_replica_statements", "log_slow_slave_statements"},
	{"pseudo_replica_mode", "pseudo_slave_mode"},
	{"sql_replica_skip_counter", "sql_slave_skip_counter"},
}
