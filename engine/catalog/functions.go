package catalog

import (
	"maps"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"

	"pfsd/engine/functions"
	"pfsd/engine/serverfiles"
	"pfsd/engine/sqlexpr"
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
		all[name] = sqlexpr.Bounded(f)
	}
	return all
}()

// Function implements sql.FunctionProvider.
func (p *Provider) Function(ctx *sql.Context, name string) (sql.Function, bool) {
	name = strings.ToLower(name)
	if f, ok := Functions[name]; ok {
		return f, true
	}
	if name == syntax.Assign {
		return sqlexpr.Bounded(uservars.Assignment(ctx)), true
	}
	f, ok := p.Sys.Function(ctx, name)
	if !ok {
		return nil, false
	}
	return sqlexpr.Bounded(f), true
}
