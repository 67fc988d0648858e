package mysqldb

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
)

// procsPriv is a row for each grant on a procedure or a function. Grantor is empty, as nobody keeps it; Timestamp is as in
// tables_priv.
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
				rows = append(rows, sql.Row{a.Host, g.Schema, a.User, g.Name, kind, "", RoutineMembers(g.Privs), a.PasswordChanged})
			}
		}
		return rows
	},
}

// RoutineMembers is Members in the order of the SET of this table.
func RoutineMembers(privs accounts.Set) (list string) {
	for _, p := range []accounts.Privilege{accounts.Execute, accounts.AlterRoutine, accounts.GrantOption} {
		if !privs.Has(p) {
			continue
		}
		if list != "" {
			list += ","
		}
		list += Members(accounts.SetOf(p))
	}
	return list
}

// takeRoutine grants what a row says.
func takeRoutine(r *reading, row sql.Row) {
	a := r.account(procsPriv.of(row, "User"), procsPriv.of(row, "Host"))
	if a == nil {
		return
	}
	a.Routines = append(a.Routines, accounts.RoutineGrant{
		Schema: text(procsPriv.of(row, "Db")), Name: text(procsPriv.of(row, "Routine_name")), Function: text(procsPriv.of(row, "Routine_type")) == "FUNCTION",
		Privs: setOf(procsPriv.of(row, "Proc_priv")).And(accounts.RoutineLevel),
	})
}
