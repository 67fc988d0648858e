package mysqldb

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
)

// procsPriv has a row for each grant on a procedure or a function. Grantor is empty, as it is not
// recorded; Timestamp is as in tables_priv.
var procsPriv = definition{
	name: "procs_priv", key: []string{"Host", "User", "Db", "Routine_name", "Routine_type"}, comment: "Procedure privileges",
	columns: []column{
		{"Host", hostType, "''", false},
		{"Db", nameType, "''", false},
		{"User", userType, "''", false},
		{"Routine_name", text64, "''", false},
		{"Routine_type", "enum('FUNCTION','PROCEDURE')", "", false},
		{"Grantor", longID, "''", false},
		{"Proc_priv", "set('Execute','Alter Routine','Grant')", "''", false},
		{"Timestamp", "timestamp", "", false},
	},
	rows: func(all []*accounts.Account) (rows []sql.Row) {
		for _, a := range all {
			for _, g := range a.Routines {
				kind := "PROCEDURE"
				if g.Function {
					kind = "FUNCTION"
				}
				rows = append(rows, sql.Row{a.Host, g.Schema, a.User, g.Name, kind, "", RoutineSetMembers(g.Privs), a.PasswordChanged})
			}
		}
		return rows
	},
}

// RoutineSetMembers is SetMembers in the order of the SET of this table.
func RoutineSetMembers(privs accounts.Set) (list string) {
	for _, p := range []accounts.Privilege{accounts.Execute, accounts.AlterRoutine, accounts.GrantOption} {
		if !privs.Has(p) {
			continue
		}
		if list != "" {
			list += ","
		}
		list += SetMembers(accounts.SetOf(p))
	}
	return list
}

// loadRoutineGrant adds the grant of a row to an account.
func loadRoutineGrant(r *loader, row sql.Row) {
	a := r.account(procsPriv.value(row, "User"), procsPriv.value(row, "Host"))
	if a == nil {
		return
	}
	a.Routines = append(a.Routines, accounts.RoutineGrant{
		Schema: text(procsPriv.value(row, "Db")), Name: text(procsPriv.value(row, "Routine_name")), Function: text(procsPriv.value(row, "Routine_type")) == "FUNCTION",
		Privs: privilegesOf(procsPriv.value(row, "Proc_priv")).And(accounts.RoutineLevel),
	})
}
