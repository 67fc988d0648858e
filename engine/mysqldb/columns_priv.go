package mysqldb

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
)

// columnsPriv is a row for each grant on a column. Timestamp is as in tables_priv.
var columnsPriv = definition{
	name: "columns_priv", key: []string{"Host", "User", "Db", "Table_name", "Column_name"}, comment: "Column privileges",
	columns: []column{
		{"Host", hostType, "''", false},
		{"Db", nameType, "''", false},
		{"User", userType, "''", false},
		{"Table_name", nameType, "''", false},
		{"Column_name", nameType, "''", false},
		{"Timestamp", "timestamp", "", false},
		{"Column_priv", columnSet, "''", false},
	},
	rows: func(all []*accounts.Account, local func(time.Time) time.Time) (rows []sql.Row) {
		for _, a := range all {
			for _, g := range a.Tables {
				for _, c := range g.Columns {
					rows = append(rows, sql.Row{a.Host, g.Schema, a.User, g.Name, c.Name, local(a.PasswordChanged), Members(c.Privs)})
				}
			}
		}
		return rows
	},
}
