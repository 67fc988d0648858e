package engine

import (
	"maps"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/functions"
	"pfsd/engine/serverfiles"
	"pfsd/engine/userlocks"
)

// ownFunctions are the functions that go-mysql-server does not have, or not as they should be, by name.
func ownFunctions() map[string]sql.Function {
	all := maps.Clone(functions.All)
	maps.Copy(all, userlocks.Functions)
	all["load_file"] = sql.Function1{Name: "load_file", Fn: serverfiles.NewLoadFile}
	return all
}
