package mysqldb

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
)

// setNames are the names that privileges have in the SETs of this database, where they are not those of GRANT in
// another case.
var setNames = map[accounts.Privilege]string{
	accounts.GrantOption: "Grant", accounts.CreateView: "Create View", accounts.ShowView: "Show view", accounts.AlterRoutine: "Alter Routine",
}

// Members is the value of a SET of privileges.
func Members(privs accounts.Set) string {
	var names []string
	for _, p := range privs.All() {
		name, ok := setNames[p]
		if !ok {
			name = p.String()[:1] + strings.ToLower(p.String()[1:])
		}
		names = append(names, name)
	}
	return strings.Join(names, ",")
}

const (
	tableSet  = "set('Select','Insert','Update','Delete','Create','Drop','Grant','References','Index','Alter','Create View','Show view','Trigger')"
	columnSet = "set('Select','Insert','Update','References')"
)

// tablesPriv is a row for each grant on a table, and for each table with grants on columns. Timestamp is when the account's
// password was set: when it was granted what is not kept.
var tablesPriv = definition{
	name: "tables_priv", key: []string{"Host", "User", "Db", "Table_name"}, comment: "Table privileges",
	columns: []column{
		{"Host", hostType, "''", false},
		{"Db", nameType, "''", false},
		{"User", userType, "''", false},
		{"Table_name", nameType, "''", false},
		{"Grantor", longID, "''", false},
		{"Timestamp", "timestamp", "", false},
		{"Table_priv", tableSet, "''", false},
		{"Column_priv", columnSet, "''", false},
	},
	rows: func(all []*accounts.Account) (rows []sql.Row) {
		for _, a := range all {
			for _, g := range a.Tables {
				var columns accounts.Set
				for _, c := range g.Columns {
					columns = columns.With(c.Privs)
				}
				rows = append(rows, sql.Row{
					a.Host, g.Schema, a.User, g.Name, g.Grantor, a.PasswordChanged, Members(g.Privs), Members(columns),
				})
			}
		}
		return rows
	},
}

// takeTable grants what a row says.
func takeTable(r *reading, row sql.Row) {
	a := r.account(tablesPriv.of(row, "User"), tablesPriv.of(row, "Host"))
	if a == nil {
		return
	}
	a.Tables = append(a.Tables, accounts.TableGrant{
		Schema: text(tablesPriv.of(row, "Db")), Name: text(tablesPriv.of(row, "Table_name")), Grantor: text(tablesPriv.of(row, "Grantor")),
		Privs: setOf(tablesPriv.of(row, "Table_priv")).And(accounts.TableLevel),
	})
}
