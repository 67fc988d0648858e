package engine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/accounts"
)

// may tells whether the session of ctx has one of these privileges for the whole server. Every
// user has all of them.
func may(ctx *sql.Context, anyOf ...accounts.Privilege) bool { return true }

// visible tells whether the session of ctx has any privilege on table, or may at least see
// that it is there; with table "" that is asked of the database.
func visible(ctx *sql.Context, db, table string) bool { return true }

// errNeeds is for what needs one of these privileges.
func errNeeds(anyOf ...accounts.Privilege) error {
	names := make([]string, len(anyOf))
	for i, p := range anyOf {
		names[i] = p.String()
	}
	return mysql.NewSQLError(1227, "42000", "Access denied; you need (at least one of) the %s privilege(s) for this operation", strings.Join(names, " or "))
}
