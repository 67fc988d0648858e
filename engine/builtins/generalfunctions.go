package builtins

import (
	"errors"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/sqlexpr"
)

// General has what package mysqlfuncs adds with [Add].
var General struct {
	functions map[string]sql.Function
	Call      func(ast.Expr) ast.Expr
}

// Add adds the functions of package mysqlfuncs, and call. call returns the call that replaces an
// expression of a statement, or nil if nothing replaces it. Call Add before main begins.
func Add(functions map[string]sql.Function, call func(ast.Expr) ast.Expr) {
	General.functions, General.Call = functions, call
}

// GeneralFunctions returns the functions of package mysqlfuncs. If the program does not have that
// package, it returns replacements for functions of go-mysql-server that panic, or that take more
// memory or time than allowed. Most of the replacements say that the function does not exist.
func GeneralFunctions() map[string]sql.Function {
	if General.functions != nil {
		return General.functions
	}
	all := map[string]sql.Function{}
	for name := range strings.FieldsSeq(`
		conv cot exp export_set find_in_set format from_base64 from_days from_unixtime inet6_aton inet_aton inet_ntoa insert instr json_arrayagg
		json_objectagg json_pretty json_search json_value lpad make_set regexp_instr regexp_replace regexp_substr str_to_date
		time_format uncompress`) {
		all[name] = sql.FunctionN{Name: name, Fn: func(*sql.Context, ...sql.Expression) (sql.Expression, error) {
			return nil, sql.ErrFunctionNotFound.New(name)
		}}
	}
	all["unix_timestamp"] = sql.FunctionN{Name: "unix_timestamp", Fn: func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if len(args) == 1 {
			if _, literal := args[0].(*expression.Literal); !literal && !types.IsDatetimeType(args[0].Type(ctx)) {
				args = []sql.Expression{inContext{args[0]}}
			}
		}
		return function.NewUnixTimestamp(ctx, args...)
	}}
	all["timestampdiff"] = sql.Function3{Name: "timestampdiff", Fn: func(ctx *sql.Context, unit, from, to sql.Expression) sql.Expression {
		if _, literal := unit.(*expression.Literal); !literal || !types.IsText(unit.Type(ctx)) {
			unit = expression.NewLiteral("", types.Text) // "" is no unit
		}
		return function.NewTimestampDiff(ctx, unit, from, to)
	}}
	return all
}

// inContext is an expression that returns an error if it is evaluated without a context.
// go-mysql-server evaluates the argument of UNIX_TIMESTAMP without one to find out the type.
type inContext struct{ sql.Expression }

// Children implements sql.Expression.
func (e inContext) Children() []sql.Expression { return []sql.Expression{e.Expression} }

// WithChildren implements sql.Expression.
func (inContext) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	return inContext{children[0]}, nil
}

// Eval implements sql.Expression.
func (e inContext) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	return e.Expression.Eval(ctx, row)
}

var errNoContext = errors.New("engine: an expression is evaluated too early")

// PlainInterval returns the call of DATE_ADD or DATE_SUB that replaces the sum or difference of a
// time and an interval. It returns nil for any other expression.
//
// go-mysql-server: panics if the interval is NULL, except in these functions. MySQL: the sum is
// NULL.
func PlainInterval(e ast.Expr) ast.Expr {
	b, ok := e.(*ast.BinaryExpr)
	if !ok {
		return nil
	}
	call := func(name string, of, interval ast.Expr) ast.Expr {
		return &ast.FuncExpr{Name: ast.NewColIdent(name), Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: of}, &ast.AliasedExpr{Expr: interval}}}
	}
	switch {
	case b.Operator == ast.PlusStr && sqlexpr.IsInterval(b.Left):
		return call("date_add", b.Right, b.Left)
	case b.Operator == ast.PlusStr && sqlexpr.IsInterval(b.Right):
		return call("date_add", b.Left, b.Right)
	case b.Operator == ast.MinusStr && sqlexpr.IsInterval(b.Right):
		return call("date_sub", b.Left, b.Right)
	}
	return nil
}
