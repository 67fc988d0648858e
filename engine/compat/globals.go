package compat

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// globalVariable is a system variable that no session has a value of its own of.
//
// go-mysql-server: a session copies all variables when it begins, those too that are global
// alone, and @@name and SHOW VARIABLES read the copies. MySQL: a global variable has one value,
// and who asks for it gets that.
type globalVariable struct{ sql.SystemVariable }

// GetSessionScope implements sql.SystemVariable.
func (globalVariable) GetSessionScope() sql.SystemVariableScope {
	return globalInSession{sql.GetMysqlScope(sql.SystemVariableScope_Session)}
}

// globalInSession is the session's scope, of which global values are read. To set one there is
// an error as before.
type globalInSession struct{ *sql.MysqlScope }

// GetValue implements sql.SystemVariableScope.
func (globalInSession) GetValue(ctx *sql.Context, name string, collation sql.CollationID) (any, error) {
	return sql.GetMysqlScope(sql.SystemVariableScope_Global).GetValue(ctx, name, collation)
}

// GetGlobal implements sql.SystemVariableRegistry.
func (s *systemVariables) GetGlobal(name string) (sql.SystemVariable, any, bool) {
	v, value, ok := s.SystemVariableRegistry.GetGlobal(name)
	if v != nil && v.IsGlobalOnly() {
		v = globalVariable{v}
	}
	return v, value, ok
}

// ShowVariables returns the rows of SHOW VARIABLES; build has go-mysql-server make some.
func ShowVariables(ctx *sql.Context, n *plan.ShowVariables, build func(sql.Node) (sql.RowIter, error)) (sql.RowIter, error) {
	rows, err := build(n)
	if err != nil || n.Global {
		return rows, err
	}
	ofAll := *n
	ofAll.Global = true
	global, err := build(&ofAll)
	if err != nil {
		return nil, err
	}
	all, err := sql.RowIterToRows(ctx, global)
	if err != nil {
		return nil, err
	}
	values := map[any]any{}
	for _, r := range all {
		if v, _, ok := sql.SystemVariables.GetGlobal(r[0].(string)); ok && v != nil && v.IsGlobalOnly() {
			values[r[0]] = r[1]
		}
	}
	return &editedRows{RowIter: rows, edit: func(r sql.Row) []sql.Row {
		if value, ok := values[r[0]]; ok {
			r[1] = value
		}
		return []sql.Row{r}
	}}, nil
}
