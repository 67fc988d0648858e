package sysvar

import (
	"math"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/budget"
	"pfsd/engine/globals"
)

// A sqlVariable is a system variable for go-mysql-server. It is immutable. Safe for concurrent use.
type sqlVariable struct {
	*Variable
	sqlType sql.Type
}

func newSQLVariable(v *Variable) *sqlVariable { return &sqlVariable{v, v.newType()} }

// GetName implements sql.SystemVariable.
func (v *sqlVariable) GetName() string { return v.Name }

// GetType implements sql.SystemVariable.
func (v *sqlVariable) GetType() sql.Type { return v.sqlType }

// newType makes the type of the values of v.
func (v *Variable) newType() sql.Type {
	switch v.Kind {
	case Boolean:
		return types.NewSystemBoolType(v.Name)
	case Signed:
		return types.NewSystemIntType(v.Name, math.MinInt64, math.MaxInt64, false)
	case Unsigned:
		return types.NewSystemUintType(v.Name, 0, math.MaxUint64)
	case Double:
		return types.NewSystemDoubleType(v.Name, -math.MaxFloat64, math.MaxFloat64)
	}
	return globals.TextVariable(v.Name)
}

// GetSessionScope implements sql.SystemVariable.
func (v *sqlVariable) GetSessionScope() sql.SystemVariableScope {
	return sessionScope{sql.GetMysqlScope(sql.SystemVariableScope_Session), v.Variable}
}

// SetDefault implements sql.SystemVariable.
func (v *sqlVariable) SetDefault(any) {}

// GetDefault implements sql.SystemVariable.
func (v *sqlVariable) GetDefault() any { return v.initial() }

// InitValue implements sql.SystemVariable.
func (v *sqlVariable) InitValue(ctx *sql.Context, value any, global bool) (sql.SystemVarValue, error) {
	ownValues(ctx, global)
	return sql.SystemVarValue{Var: v, Val: value}, nil
}

// SetValue implements sql.SystemVariable.
func (v *sqlVariable) SetValue(ctx *sql.Context, value any, global bool) (sql.SystemVarValue, error) {
	ownValues(ctx, global)
	checked, err := v.check(ctx, value, v.initial())
	return sql.SystemVarValue{Var: v, Val: checked}, err
}

// ownValues gives the session of ctx a map of its own before go-mysql-server writes to it: the map may be shared.
func ownValues(ctx *sql.Context, global bool) {
	if s := sessionOf(ctx); !global && (s == nil || !s.setting) {
		globals.OwnSessionValues(ctx.Session)
	}
}

// currentStatement is the running statement, as variables need it. The ProcessList of its context implements it.
type currentStatement interface {
	// Variables returns the session's variables, nil if it is not a client's session.
	Variables() *Session
	// VariablesHold is what the values of the session's variables are charged to.
	VariablesHold() *budget.Hold
	// Raised returns the number of errors, and of all conditions, of the previous statement.
	Raised() (errors, all uint64)
}

// sessionOf returns the variables of the session of ctx, nil if it is not a client's session.
func sessionOf(ctx *sql.Context) *Session {
	if s, ok := ctx.ProcessList.(currentStatement); ok {
		return s.Variables()
	}
	return nil
}

// raised is Raised of the running statement.
func raised(ctx *sql.Context) (errors, all uint64) {
	if s, ok := ctx.ProcessList.(currentStatement); ok {
		return s.Raised()
	}
	return 0, 0
}

// IsReadOnly implements sql.SystemVariable.
func (v *sqlVariable) IsReadOnly() bool { return v.Fixed }

// IsGlobalOnly implements sql.SystemVariable.
func (v *sqlVariable) IsGlobalOnly() bool { return v.Scope == GlobalOnly }

// DisplayString implements sql.SystemVariable.
func (v *sqlVariable) DisplayString(scope string) string {
	if scope == "" {
		return "@@" + v.Name
	}
	return "@@" + scope + "." + v.Name
}

// sessionScope is the session scope, in which global variables can be read, too.
type sessionScope struct {
	*sql.MysqlScope
	v *Variable
}

// GetValue implements sql.SystemVariableScope.
func (s sessionScope) GetValue(ctx *sql.Context, name string, collation sql.CollationID) (any, error) {
	if s.v.Scope == GlobalOnly {
		return sql.GetMysqlScope(sql.SystemVariableScope_Global).GetValue(ctx, name, collation)
	}
	value, err := s.MysqlScope.GetValue(ctx, name, collation)
	if live := liveVariables[s.v.Name]; live != nil && err == nil && value == s.v.initial() {
		return live(ctx), nil
	}
	return value, err
}

// sessionValue returns the value of v in the session of ctx; database is the collation of the session's database.
func sessionValue(ctx *sql.Context, v *Variable, database sql.CollationID) (any, error) {
	return sessionScope{sql.GetMysqlScope(sql.SystemVariableScope_Session), v}.GetValue(ctx, v.Name, database)
}

// liveVariables compute values that are not set, such as error_count.
var liveVariables = map[string]func(*sql.Context) any{
	"timestamp":        func(*sql.Context) any { return float64(time.Now().UnixMicro()) / 1e6 },
	"pseudo_thread_id": func(ctx *sql.Context) any { return uint64(ctx.Session.ID()) },
	"last_insert_id":   func(ctx *sql.Context) any { return ctx.GetLastQueryInfo().LastInsertId.Load() },
	"identity":         func(ctx *sql.Context) any { return ctx.GetLastQueryInfo().LastInsertId.Load() },
	"warning_count":    func(ctx *sql.Context) any { _, all := raised(ctx); return all },
	"error_count":      func(ctx *sql.Context) any { errors, _ := raised(ctx); return errors },
}

var _ sql.SystemVariable = (*sqlVariable)(nil)
