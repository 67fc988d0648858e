package sysschema

import (
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/sys"
)

// serverFunctions are the functions of sys about the server and the settings of sys.
var serverFunctions = []Function{
	{
		Name: "sys_get_config", Params: []Parameter{{"in_variable_name", varchar128}, {"in_default_value", varchar128}}, Returns: varchar128, Data: readsData,
		Doc:   "The value of a setting in sys_config; the default if there is none.",
		reads: []string{sys.Schema + "." + ConfigName},
		do: func(_ *sql.Context, s *Server, args []any) (any, error) {
			if name, ok := args[0].(string); ok {
				if value := s.Config.get(name); value != nil {
					return value, nil
				}
			}
			return args[1], nil
		},
	},
	{Name: "version_major", Returns: tinyInt, Data: noSQL, Varies: true, Doc: "The first number of the server's version.", do: versionPart(0)},
	{Name: "version_minor", Returns: tinyInt, Data: noSQL, Varies: true, Doc: "The second number of the server's version.", do: versionPart(1)},
	{Name: "version_patch", Returns: tinyInt, Data: noSQL, Varies: true, Doc: "The third number of the server's version.", do: versionPart(2)},
}

// versionPart returns the function that returns the number at position i of the server's version.
func versionPart(i int) action {
	return func(_ *sql.Context, s *Server, _ []any) (any, error) {
		numbers, _, _ := strings.Cut(s.Version, "-")
		n, err := strconv.ParseUint(strings.Split(numbers, ".")[i], 10, 8)
		return uint8(n), err
	}
}
