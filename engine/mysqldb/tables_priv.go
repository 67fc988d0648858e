package mysqldb

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
)

// setNames has the names of privileges in the SETs of this database, if they differ from the names
// in GRANT by more than letter case.
var setNames = map[accounts.Privilege]string{
	accounts.GrantOption: "Grant", accounts.CreateView: "Create View", accounts.ShowView: "Show view", accounts.AlterRoutine: "Alter Routine",
}

// SetMembers returns privileges as a value of a SET.
func SetMembers(privs accounts.Set) string {
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

// tablesPriv has a row for each grant on a table, and for each table with grants on columns.
// Timestamp is when the account's password was set: the time of a grant is not recorded.
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
					a.Host, g.Schema, a.User, g.Name, g.Grantor, a.PasswordChanged, SetMembers(g.Privs), SetMembers(columns),
				})
			}
		}
		return rows
	},
}

// loadTableGrant adds the grant of a row to an account.
func loadTableGrant(r *loader, row sql.Row) {
	a := r.account(tablesPriv.value(row, "User"), tablesPriv.value(row, "Host"))
	if a == nil {
		return
	}
	a.Tables = append(a.Tables, accounts.TableGrant{
		Schema: text(tablesPriv.value(row, "Db")), Name: text(tablesPriv.value(row, "Table_name")), Grantor: text(tablesPriv.value(row, "Grantor")),
		Privs: privilegesOf(tablesPriv.value(row, "Table_priv")).And(accounts.TableLevel),
	})
}
