package mysqlfuncs

import (
	"maps"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/builtins"
)

func init() { builtins.Add(All(), temporalCall) }

// All returns the functions of this package, by name.
func All() map[string]sql.Function {
	all := timeFunctions()
	maps.Copy(all, formatFunctions())
	maps.Copy(all, arithmeticFunctions())
	maps.Copy(all, numberFunctions())
	maps.Copy(all, characterFunctions())
	maps.Copy(all, regexpFunctions())
	maps.Copy(all, setFunctions())
	maps.Copy(all, jsonFunctions())
	maps.Copy(all, otherFunctions())
	return all
}
