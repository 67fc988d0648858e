package mysqldb

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
)

// defaultRoles is a row for each role that an account has after it logs in.
var defaultRoles = definition{
	name: "default_roles", key: []string{"HOST", "USER", "DEFAULT_ROLE_HOST", "DEFAULT_ROLE_USER"}, comment: "Default roles",
	columns: []column{
		{"HOST", hostType, "''", false},
		{"USER", userType, "''", false},
		{"DEFAULT_ROLE_HOST", hostType, "%", false},
		{"DEFAULT_ROLE_USER", userType, "''", false},
	},
	rows: func(all []*accounts.Account, _ func(time.Time) time.Time) (rows []sql.Row) {
		for _, a := range all {
			for _, r := range a.Defaults {
				rows = append(rows, sql.Row{a.Host, a.User, r.Host, r.User})
			}
		}
		return rows
	},
}
