package routine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/accounts"
	"pfsd/engine/sqlvalue"
)

// StoredFunctions is a database that has stored functions, each with the text of its CREATE FUNCTION. Safe for concurrent use.
type StoredFunctions interface {
	// GetStoredFunction returns the function with a name, in any case; found is false if there is none.
	GetStoredFunction(ctx *sql.Context, name string) (f sql.StoredProcedureDetails, found bool, err error)
	// GetStoredFunctions returns all functions, ordered by name.
	GetStoredFunctions(ctx *sql.Context) ([]sql.StoredProcedureDetails, error)
	// SaveStoredFunction adds a function: MySQL's error 1304 if there is one of this name.
	SaveStoredFunction(ctx *sql.Context, f sql.StoredProcedureDetails) error
	// DropStoredFunction removes a function: MySQL's error 1305 if there is none of this name.
	DropStoredFunction(ctx *sql.Context, name string) error
}

// FunctionCaller calls stored functions. The ProcessList of a statement's context implements it.
type FunctionCaller interface {
	// CallFunction returns the value of a call whose arguments have these values.
	CallFunction(ctx *sql.Context, c *FunctionCall, args []any) (any, error)
}

// FunctionCall is a call of a stored function in an expression. Safe for concurrent use.
type FunctionCall struct {
	Schema  string
	Details sql.StoredProcedureDetails
	Params  []FunctionParam
	Result  sql.Type
	Invoker *accounts.ID // whose rights a function with SQL SECURITY INVOKER has: the definer of the view that calls it; nil for the session's
	varies  bool         // NOT DETERMINISTIC
	args    []sql.Expression
}

// FunctionParam is a parameter of a function.
type FunctionParam struct {
	Name string
	Type sql.Type
}

var (
	_ sql.FunctionExpression         = (*FunctionCall)(nil)
	_ sql.NonDeterministicExpression = (*FunctionCall)(nil)
	_ sql.CollationCoercible         = (*FunctionCall)(nil)
)

// Callable returns the function f of a database as go-mysql-server calls it; details are those that are stored. invoker is the definer of
// the view that calls it, nil if there is none.
func (f *Function) Callable(schema string, details sql.StoredProcedureDetails, invoker *accounts.ID) (sql.Function, error) {
	c := FunctionCall{Schema: schema, Details: details, Invoker: invoker, varies: !f.deterministic()}
	var err error
	if c.Result, err = types.ColumnTypeToType(&f.Result); err != nil {
		return nil, err
	}
	c.Result = sqlvalue.ReadsSafely(c.Result)
	for _, p := range f.ProcedureSpec.Params {
		t, err := types.ColumnTypeToType(&p.Type)
		if err != nil {
			return nil, err
		}
		c.Params = append(c.Params, FunctionParam{p.Name, sqlvalue.ReadsSafely(t)})
	}
	return sql.FunctionN{Name: details.Name, Fn: func(_ *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if len(args) != len(c.Params) {
			return nil, mysql.NewSQLError(1318, "42000", "Incorrect number of arguments for FUNCTION %s.%s; expected %d, got %d", schema, details.Name, len(c.Params), len(args))
		}
		called := c
		called.args = args
		return &called, nil
	}}, nil
}

// FunctionName implements sql.FunctionExpression.
func (c *FunctionCall) FunctionName() string { return c.Schema + "." + c.Details.Name }

// Description implements sql.FunctionExpression.
func (c *FunctionCall) Description() string { return "stored function" }

// IsNonDeterministic implements sql.NonDeterministicExpression.
func (c *FunctionCall) IsNonDeterministic() bool { return c.varies }

// CollationCoercibility implements sql.CollationCoercible.
func (c *FunctionCall) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	if s, ok := c.Result.(sql.StringType); ok {
		return s.Collation(), 4
	}
	return sql.Collation_binary, 5
}

// Resolved implements sql.Expression.
func (c *FunctionCall) Resolved() bool { return expression.ExpressionsResolved(c.args...) }

// String implements sql.Expression.
func (c *FunctionCall) String() string {
	texts := make([]string, len(c.args))
	for i, a := range c.args {
		texts[i] = a.String()
	}
	return c.Details.Name + "(" + strings.Join(texts, ",") + ")"
}

// Type implements sql.Expression.
func (c *FunctionCall) Type(*sql.Context) sql.Type { return c.Result }

// IsNullable implements sql.Expression.
func (c *FunctionCall) IsNullable(*sql.Context) bool { return true }

// Children implements sql.Expression.
func (c *FunctionCall) Children() []sql.Expression { return c.args }

// WithChildren implements sql.Expression.
func (c *FunctionCall) WithChildren(_ *sql.Context, args ...sql.Expression) (sql.Expression, error) {
	if len(args) != len(c.args) {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(args), len(c.args))
	}
	other := *c
	other.args = args
	return &other, nil
}

// Eval implements sql.Expression.
func (c *FunctionCall) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	args := make([]any, len(c.args))
	for i, a := range c.args {
		v, err := a.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	caller, ok := ctx.ProcessList.(FunctionCaller)
	if !ok {
		return nil, mysql.NewSQLError(1305, "42000", "FUNCTION %s does not exist", c.FunctionName())
	}
	return caller.CallFunction(ctx, c, args)
}
