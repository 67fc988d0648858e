package mysqldb

import (
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
	rows: func(all []*accounts.Account) (rows []sql.Row) {
		for _, a := range all {
			for _, g := range a.Tables {
				for _, c := range g.Columns {
					rows = append(rows, sql.Row{a.Host, g.Schema, a.User, g.Name, c.Name, a.PasswordChanged, Members(c.Privs)})
				}
			}
		}
		return rows
	},
}

// takeColumn grants what a row says, of a table that tables_priv has.
func takeColumn(r *reading, row sql.Row) {
	a := r.account(columnsPriv.of(row, "User"), columnsPriv.of(row, "Host"))
	if a == nil {
		return
	}
	for i := range a.Tables {
		if t := &a.Tables[i]; t.Schema == text(columnsPriv.of(row, "Db")) && t.Name == text(columnsPriv.of(row, "Table_name")) {
			t.Columns = append(t.Columns, accounts.ColumnGrant{Name: text(columnsPriv.of(row, "Column_name")), Privs: setOf(columnsPriv.of(row, "Column_priv")).And(accounts.ColumnLevel)})
		}
	}
}
