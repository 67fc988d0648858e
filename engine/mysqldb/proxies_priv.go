package mysqldb

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
)

// proxiesPriv has a row for each account that may grant PROXY, which are those with all privileges,
// as in SHOW GRANTS. There are no proxy users. Timestamp is as in tables_priv.
var proxiesPriv = definition{
	name: "proxies_priv", key: []string{"Host", "User", "Proxied_host", "Proxied_user"}, comment: "User proxy privileges",
	columns: []column{
		{"Host", hostType, "''", false},
		{"User", userType, "''", false},
		{"Proxied_host", hostType, "''", false},
		{"Proxied_user", userType, "''", false},
		{"With_grant", "tinyint(1)", "0", false},
		{"Grantor", longID, "''", false},
		{"Timestamp", "timestamp", "", false},
	},
	rows: func(all []*accounts.Account) (rows []sql.Row) {
		for _, a := range all {
			if a.Global.HasAll(accounts.GlobalLevel) {
				rows = append(rows, sql.Row{a.Host, a.User, "", "", int8(1), "boot@", a.PasswordChanged})
			}
		}
		return rows
	},
}
