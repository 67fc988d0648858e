package mysqldb

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
)

// roleEdges has a row for each role (FROM) that is granted to an account or a role (TO).
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
				rows = append(rows, sql.Row{g.Role.Host, g.Role.User, a.Host, a.User, yesOrNo(g.Admin)})
			}
		}
		return rows
	},
}

// loadRoleEdge grants the role of a row, unless that makes a cycle of roles.
func loadRoleEdge(r *loader, row sql.Row) {
	a := r.account(roleEdges.value(row, "TO_USER"), roleEdges.value(row, "TO_HOST"))
	role := r.account(roleEdges.value(row, "FROM_USER"), roleEdges.value(row, "FROM_HOST"))
	if a == nil || role == nil {
		return
	}
	if accounts.Reaches(r.accounts, role.ID, a.ID) {
		r.warnUnsupported("role %s of %s, which is a role of it", role.Quoted(), a.Quoted())
		return
	}
	a.Roles = append(a.Roles, accounts.RoleGrant{Role: role.ID, Admin: isYes(roleEdges.value(row, "WITH_ADMIN_OPTION"))})
}
