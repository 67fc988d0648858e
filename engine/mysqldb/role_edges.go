package mysqldb

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
)

// roleEdges is a row for each role (FROM) that is granted to an account or a role (TO).
var roleEdges = definition{
	name: "role_edges", key: []string{"FROM_HOST", "FROM_USER", "TO_HOST", "TO_USER"}, comment: "Role hierarchy and role grants",
	columns: []column{
		{"FROM_HOST", hostType, "''", false},
		{"FROM_USER", userType, "''", false},
		{"TO_HOST", hostType, "''", false},
		{"TO_USER", userType, "''", false},
		{"WITH_ADMIN_OPTION", yesNo, "N", false},
	},
	rows: func(all []*accounts.Account) (rows []sql.Row) {
		for _, a := range all {
			for _, g := range a.Roles {
				rows = append(rows, sql.Row{g.Role.Host, g.Role.User, a.Host, a.User, yn(g.Admin)})
			}
		}
		return rows
	},
}

// takeRole grants the role of a row, unless it would then have itself as a role.
func takeRole(r *reading, row sql.Row) {
	a := r.account(roleEdges.of(row, "TO_USER"), roleEdges.of(row, "TO_HOST"))
	role := r.account(roleEdges.of(row, "FROM_USER"), roleEdges.of(row, "FROM_HOST"))
	if a == nil || role == nil {
		return
	}
	if accounts.Reaches(r.accounts, role.ID, a.ID) {
		r.leave("role %s of %s, which is a role of it", role.Quoted(), a.Quoted())
		return
	}
	a.Roles = append(a.Roles, accounts.RoleGrant{Role: role.ID, Admin: yes(roleEdges.of(row, "WITH_ADMIN_OPTION"))})
}
