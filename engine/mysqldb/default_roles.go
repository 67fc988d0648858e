package mysqldb

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
)

// defaultRoles has a row for each role that is active after a login.
var defaultRoles = definition{
	name: "default_roles", key: []string{"HOST", "USER", "DEFAULT_ROLE_HOST", "DEFAULT_ROLE_USER"}, comment: "Default roles",
	columns: []column{
		{"HOST", hostType, "''", false},
		{"USER", userType, "''", false},
		{"DEFAULT_ROLE_HOST", hostType, "%", false},
		{"DEFAULT_ROLE_USER", userType, "''", false},
	},
	rows: func(all []*accounts.Account) (rows []sql.Row) {
		for _, a := range all {
			for _, r := range a.Defaults {
				rows = append(rows, sql.Row{a.Host, a.User, r.Host, r.User})
			}
		}
		return rows
	},
}

// loadDefaultRole makes a granted role a default role of an account.
func loadDefaultRole(r *loader, row sql.Row) {
	a := r.account(defaultRoles.value(row, "USER"), defaultRoles.value(row, "HOST"))
	role := r.account(defaultRoles.value(row, "DEFAULT_ROLE_USER"), defaultRoles.value(row, "DEFAULT_ROLE_HOST"))
	if a == nil || role == nil || !slices.ContainsFunc(a.Roles, func(g accounts.RoleGrant) bool { return g.Role == role.ID }) {
		return
	}
	a.Defaults = append(a.Defaults, role.ID)
}
