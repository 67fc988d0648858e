package mysqldb

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
)

// columnsPriv has a row for each grant on a column. Timestamp is as in tables_priv.
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
	rows: func(all []*accounts.Account) (rows []sql.Row) {
		for _, a := range all {
			for _, g := range a.Tables {
				for _, c := range g.Columns {
					rows = append(rows, sql.Row{a.Host, g.Schema, a.User, g.Name, c.Name, a.PasswordChanged, SetMembers(c.Privs)})
				}
			}
		}
		return rows
	},
}

// loadColumnGrant adds the grant of a row to an account; tables_priv must have a row for the table.
func loadColumnGrant(r *loader, row sql.Row) {
	a := r.account(columnsPriv.value(row, "User"), columnsPriv.value(row, "Host"))
	if a == nil {
		return
	}
	for i := range a.Tables {
		if t := &a.Tables[i]; t.Schema == text(columnsPriv.value(row, "Db")) && t.Name == text(columnsPriv.value(row, "Table_name")) {
			t.Columns = append(t.Columns, accounts.ColumnGrant{Name: text(columnsPriv.value(row, "Column_name")), Privs: privilegesOf(columnsPriv.value(row, "Column_priv")).And(accounts.ColumnLevel)})
		}
	}
}
