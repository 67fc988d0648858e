package mysqldb

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
)

// globalGrants is a row for each dynamic privilege of an account.
var globalGrants = definition{
	name: "global_grants", key: []string{"USER", "HOST", "PRIV"}, comment: "Extended global grants",
	columns: []column{
		{"USER", userType, "''", false},
		{"HOST", hostType, "''", false},
		{"PRIV", "char(32) character set utf8mb3 collate utf8mb3_general_ci", "''", false},
		{"WITH_GRANT_OPTION", yesNo, "N", false},
	},
	rows: func(all []*accounts.Account, _ func(time.Time) time.Time) (rows []sql.Row) {
		for _, a := range all {
			for _, p := range a.Global.All() {
				if p.Dynamic() {
					rows = append(rows, sql.Row{a.User, a.Host, p.String(), yn(a.Grantable.Has(p))})
				}
			}
		}
		return rows
	},
}
