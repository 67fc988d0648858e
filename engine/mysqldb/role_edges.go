package mysqldb

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
)

// roleEdges is a row for each role (FROM) that is granted to an account or a role (TO).
var roleEdges = definition{
	name: "role_edges", key: []string{"FROM_HOST", "FROM_USER", "TO_HOST", "TO_USER"}, comment: "Role hierarchy and role grants",
	columns: []column{
		{"FROM_HOST", hostType, "''", false},
		{"FROM_USER", userType, "''", false},
		{"TO_HOST", hostType, "''", false},
		{"TO_USER", userType, "''", false},
		{"WITH_ADMIN_OPTION", yesNo, "N", false},
	},
	rows: func(all []*accounts.Account, _ func(time.Time) time.Time) (rows []sql.Row) {
		for _, a := range all {
			for _, g := range a.Roles {
				rows = append(rows, sql.Row{g.Role.Host, g.Role.User, a.Host, a.User, yn(g.Admin)})
			}
		}
		return rows
	},
}
