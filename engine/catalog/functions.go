package catalog

import (
	"maps"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/functions"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/resultsize"
	"pfsd/engine/routine"
	"pfsd/engine/serverfiles"
	"pfsd/engine/sqltree"
	"pfsd/engine/syntax"
	"pfsd/engine/sysschema"
	"pfsd/engine/userlocks"
	"pfsd/engine/uservars"
)

// serverFunctions are the functions that go-mysql-server does not have, or not as they should be, by name.
var serverFunctions = func() map[string]sql.Function {
	all := map[string]sql.Function{
		"load_file": sql.Function1{Name: "load_file", Fn: serverfiles.NewLoadFile},
	}
	maps.Copy(all, userlocks.Functions)
	maps.Copy(all, functions.All)
	return all
}()

// compatFunctions are those that mend what go-mysql-server has.
var compatFunctions = sqltree.Functions()

// Functions are all functions that are the same in all sessions, held to max_allowed_packet: go-mysql-server's, those
// that mend these, and serverFunctions.
var Functions = func() map[string]sql.Function {
	all := map[string]sql.Function{}
	for _, f := range function.BuiltIns {
		all[f.FunctionName()] = f
	}
	maps.Copy(all, compatFunctions)
	maps.Copy(all, serverFunctions)
	all[syntax.Quantified] = sql.FunctionN{Name: syntax.Quantified, Fn: functions.NewQuantified}
	all[sysschema.DeclaredName] = sysschema.DeclaredFunction
	for name, f := range all {
		all[name] = resultsize.Bounded(f)
	}
	return all
}()

// Function implements sql.FunctionProvider.
func (p *Provider) Function(ctx *sql.Context, name string) (sql.Function, bool) {
	name = strings.ToLower(name)
	if name == functions.CurrentUser {
		if definer := access.Definer(ctx); definer != nil {
			return functions.DefinerOf(*definer), true
		}
	}
	if f, ok := Functions[name]; ok {
		return f, true
	}
	if name == syntax.Assign {
		return resultsize.Bounded(uservars.Assignment(ctx)), true
	}
	f, ok := p.Sys.Function(ctx, name)
	if !ok {
		f, ok = p.storedFunction(ctx, name)
	}
	if !ok && createsTrigger(ctx) {
		f, ok = anyFunction(name), true
	}
	if !ok {
		return nil, false
	}
	return resultsize.Bounded(f), true
}

// StoredFunctions is a database that has stored functions.
type StoredFunctions interface {
	sql.Database
	routine.StoredFunctions
}

// FunctionsOf returns the database of a name; nil if it has no stored functions, or is not there.
func (p *Provider) FunctionsOf(ctx *sql.Context, name string) StoredFunctions {
	db, err := p.Database(ctx, name)
	if err != nil {
		return nil
	}
	stored, _ := db.(StoredFunctions)
	return stored
}

// anyFunction stands for a function that is not there: a trigger may be created before the functions that it calls, as a dump does.
func anyFunction(name string) sql.Function {
	return sql.FunctionN{Name: name, Fn: func(*sql.Context, ...sql.Expression) (sql.Expression, error) {
		return expression.NewLiteral(nil, types.Null), nil
	}}
}

// storedFunction returns the stored function of a name, db.f, or f for one of the current database. If the session may not call it, or its
// text cannot be read any more, each call is an error.
func (p *Provider) storedFunction(ctx *sql.Context, name string) (sql.Function, bool) {
	schema, base, qualified := strings.Cut(name, ".")
	if !qualified {
		schema, base = access.CurrentDatabase(ctx), name
	}
	db := p.FunctionsOf(ctx, schema)
	if db == nil {
		return nil, false
	}
	details, found, err := db.GetStoredFunction(ctx, base)
	if err != nil || !found {
		return nil, false
	}
	refused := func(err error) (sql.Function, bool) {
		return sql.FunctionN{Name: name, Fn: func(*sql.Context, ...sql.Expression) (sql.Expression, error) { return nil, err }}, true
	}
	if !access.In(ctx, ast.AuthInformation{AuthType: ast.AuthType_SELECT}).Routine(db.Name(), details.Name, true).Has(accounts.Execute) {
		return refused(access.ErrRoutineDenied(ctx, "execute", db.Name(), details.Name))
	}
	f, err := routine.ParseFunction(ctx, syntax.Default, details.CreateStatement, sql.NewSqlModeFromString(details.SqlMode).ParserOptions())
	if err != nil || f == nil {
		return refused(mysql.NewSQLError(1457, "HY000", "Failed to load routine %s.%s (internal code -6)", db.Name(), details.Name))
	}
	callable, err := f.Callable(db.Name(), details, access.Definer(ctx))
	if err != nil {
		return refused(err)
	}
	return callable, true
}

// createsTrigger reports whether the statement is CREATE TRIGGER.
func createsTrigger(ctx *sql.Context) bool {
	d, ok := mysqlerr.TreeOf(ctx).(*ast.DDL)
	return ok && d.TriggerSpec != nil
}
