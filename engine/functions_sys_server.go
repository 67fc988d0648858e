package engine

import (
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/sys"
)

// sysAboutServer are the functions of sys about the server and the settings of sys.
var sysAboutServer = []sysFunction{
	{
		name: "sys_get_config", params: []sysParameter{{"in_variable_name", sysVarchar128}, {"in_default_value", sysVarchar128}}, returns: sysVarchar128, data: readsData,
		doc:   "The value of a setting in sys_config; the default if there is none.",
		reads: []string{sys.Schema + "." + sysConfigName},
		do: func(_ *sql.Context, s *sysServer, args []any) (any, error) {
			if name, ok := args[0].(string); ok {
				if value := s.config.get(name); value != nil {
					return value, nil
				}
			}
			return args[1], nil
		},
	},
	{name: "version_major", returns: sysTinyInt, data: noSQL, varies: true, doc: "The first number of the server's version.", do: versionPart(0)},
	{name: "version_minor", returns: sysTinyInt, data: noSQL, varies: true, doc: "The second number of the server's version.", do: versionPart(1)},
	{name: "version_patch", returns: sysTinyInt, data: noSQL, varies: true, doc: "The third number of the server's version.", do: versionPart(2)},
}

// versionPart is a number of the server's version.
func versionPart(i int) sysDo {
	return func(_ *sql.Context, s *sysServer, _ []any) (any, error) {
		numbers, _, _ := strings.Cut(s.version, "-")
		n, err := strconv.ParseUint(strings.Split(numbers, ".")[i], 10, 8)
		return uint8(n), err
	}
}
