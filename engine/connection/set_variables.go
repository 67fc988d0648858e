package connection

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/access"
	"pfsd/engine/executor"
	"pfsd/engine/privilege"
	"pfsd/engine/rights"
	"pfsd/engine/sysvar"
)

// set executes SET. It checks the values of all system variables before it sets the first one.
func (b *Builder) set(ctx *sql.Context, n *plan.Set, row sql.Row) (sql.RowIter, error) {
	all, system := make([]*sysvar.Assignment, len(n.Exprs)), []*sysvar.Assignment(nil)
	for i, e := range n.Exprs {
		field, ok := e.(*expression.SetField)
		if !ok {
			continue
		}
		left, ok := field.LeftChild.(*expression.SystemVar)
		if !ok {
			continue
		}
		a, err := b.checkAssignment(ctx, left, field.RightChild, row)
		if err != nil {
			return nil, err
		}
		all[i], system = a, append(system, a)
	}
	if len(system) == 0 {
		return b.Plain.Build(ctx, executor.StoreSet(ctx, n), row)
	}
	if err := b.Variables.Persist(ctx, system); err != nil {
		return nil, err
	}
	for i, a := range all {
		var err error
		if a == nil {
			_, err = b.Plain.Build(ctx, plan.NewSet([]sql.Expression{n.Exprs[i]}), row)
		} else {
			err = b.Variables.Assign(ctx, a)
		}
		if err != nil {
			return nil, err
		}
	}
	return sql.RowsToRowIter(sql.NewRow(types.NewOkResult(0))), nil
}

// checkAssignment checks what a SET assigns to the variable left.
func (b *Builder) checkAssignment(ctx *sql.Context, left *expression.SystemVar, right sql.Expression, row sql.Row) (*sysvar.Assignment, error) {
	scope := sql.SystemVariableScope_Session
	if s, ok := left.Scope.(*sql.MysqlScope); ok {
		scope = s.Type
	}
	a, err := b.Variables.NewAssignment(ctx, left.Name, scope)
	if err != nil {
		return nil, err
	}
	if err := mayAssign(ctx, a.Variable.Name, scope); err != nil {
		return nil, err
	}
	value, err := right.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	return a, a.Check(ctx, value)
}

// mayAssign returns the error of a user who may not set a variable: its global or persisted value, or the session's value of a restricted
// variable. For SET in a trigger this is the only check.
func mayAssign(ctx *sql.Context, name string, scope sql.MysqlSVScopeType) error {
	may := access.Of(ctx)
	if may.Unrestricted() {
		return nil
	}
	u := rights.Use{Clause: "global", Object: privilege.Object{Name: name}}
	switch scope {
	case sql.SystemVariableScope_Session:
		if u.Clause = "session"; !privilege.Restricted(name) {
			return nil
		}
	case sql.SystemVariableScope_PersistOnly:
		u.Clause = "persist_only"
	}
	return rights.AuthorizeUse(ctx, may, "set_option", u)
}
