package mysqldb

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
)

// dbPrivileges are the columns of db about privileges, in their order.
var dbPrivileges = []struct {
	column    string
	privilege accounts.Privilege
}{
	{"Select_priv", accounts.Select}, {"Insert_priv", accounts.Insert}, {"Update_priv", accounts.Update}, {"Delete_priv", accounts.Delete},
	{"Create_priv", accounts.Create}, {"Drop_priv", accounts.Drop}, {"Grant_priv", accounts.GrantOption}, {"References_priv", accounts.References},
	{"Index_priv", accounts.Index}, {"Alter_priv", accounts.Alter}, {"Create_tmp_table_priv", accounts.CreateTemporaryTables},
	{"Lock_tables_priv", accounts.LockTables}, {"Create_view_priv", accounts.CreateView}, {"Show_view_priv", accounts.ShowView},
	{"Create_routine_priv", accounts.CreateRoutine}, {"Alter_routine_priv", accounts.AlterRoutine}, {"Execute_priv", accounts.Execute},
	{"Event_priv", accounts.Event}, {"Trigger_priv", accounts.Trigger},
}

// db has a row for each grant on a database.
var db = definition{
	name: "db", key: []string{"Host", "User", "Db"}, comment: "Database privileges",
	columns: slices.Concat(
		[]column{{"Host", hostType, "''", false}, {"Db", nameType, "''", false}, {"User", userType, "''", false}},
		func() (all []column) {
			for _, p := range dbPrivileges {
				all = append(all, flags(p.column)...)
			}
			return all
		}()),
	rows: func(all []*accounts.Account) (rows []sql.Row) {
		for _, a := range all {
			for _, g := range a.Schemas {
				r := sql.Row{a.Host, g.Name, a.User}
				for _, p := range dbPrivileges {
					r = append(r, yesOrNo(g.Privs.Has(p.privilege)))
				}
				rows = append(rows, r)
			}
		}
		return rows
	},
}

// loadDatabaseGrant adds the grant of a row to an account.
func loadDatabaseGrant(r *loader, row sql.Row) {
	a := r.account(db.value(row, "User"), db.value(row, "Host"))
	if a == nil {
		return
	}
	g := accounts.SchemaGrant{Name: text(db.value(row, "Db"))}
	for _, p := range dbPrivileges {
		if isYes(db.value(row, p.column)) {
			g.Privs = g.Privs.With(accounts.SetOf(p.privilege))
		}
	}
	a.Schemas = append(a.Schemas, g)
}
