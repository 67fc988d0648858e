package mysqldb

import (
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
	rows: func(all []*accounts.Account) (rows []sql.Row) {
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

// takeGlobal grants what a row says.
func takeGlobal(r *reading, row sql.Row) {
	a := r.account(globalGrants.of(row, "USER"), globalGrants.of(row, "HOST"))
	if a == nil {
		return
	}
	p, ok := accounts.PrivilegeNamed(text(globalGrants.of(row, "PRIV")))
	if !ok || !p.Dynamic() {
		r.leave("privilege %s of %s", text(globalGrants.of(row, "PRIV")), a.Quoted())
		return
	}
	a.Global = a.Global.With(accounts.SetOf(p))
	if yes(globalGrants.of(row, "WITH_GRANT_OPTION")) {
		a.Grantable = a.Grantable.With(accounts.SetOf(p))
	}
}
