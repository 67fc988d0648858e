package mysqldb

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
)

// globalGrants has a row for each dynamic privilege of an account.
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
					rows = append(rows, sql.Row{a.User, a.Host, p.String(), yesOrNo(a.Grantable.Has(p))})
				}
			}
		}
		return rows
	},
}

// loadDynamicPrivilege adds the grant of a row to an account.
func loadDynamicPrivilege(r *loader, row sql.Row) {
	a := r.account(globalGrants.value(row, "USER"), globalGrants.value(row, "HOST"))
	if a == nil {
		return
	}
	p, ok := accounts.PrivilegeNamed(text(globalGrants.value(row, "PRIV")))
	if !ok || !p.Dynamic() {
		r.warnUnsupported("privilege %s of %s", text(globalGrants.value(row, "PRIV")), a.Quoted())
		return
	}
	a.Global = a.Global.With(accounts.SetOf(p))
	if isYes(globalGrants.value(row, "WITH_GRANT_OPTION")) {
		a.Grantable = a.Grantable.With(accounts.SetOf(p))
	}
}
