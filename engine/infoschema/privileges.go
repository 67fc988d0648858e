package infoschema

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/mysqldb"
)

// grantRows makes the tables of information_schema about privileges. Accounts that may read the database
// mysql see the privileges of all accounts, others see their own. Safe for concurrent use.
type grantRows struct{ store *accounts.Store }

// visibleAccounts returns the accounts whose privileges the session sees.
func (g grantRows) visibleAccounts(ctx *sql.Context) []*accounts.Account {
	may := access.Of(ctx)
	if may == nil || may.Schema("mysql").Has(accounts.Select) {
		return g.store.All()
	}
	return []*accounts.Account{may.Account}
}

// grantee returns an account as the column GRANTEE shows it.
func grantee(a *accounts.Account) string { return "'" + a.User + "'@'" + a.Host + "'" }

// eachPrivilege calls fn with the name of each privilege, or with USAGE if there are none, and with
// YES if the account can grant it, else NO.
func eachPrivilege(privs accounts.Set, grantable func(accounts.Privilege) bool, fn func(name, grantable string)) {
	option := accounts.SetOf(accounts.GrantOption)
	if privs.Without(option).Empty() {
		fn("USAGE", yesNo(grantable(accounts.Select)))
		return
	}
	for _, p := range privs.Without(option).All() {
		fn(p.String(), yesNo(grantable(p)))
	}
}

// grantableByOption returns a function that reports whether privs have the GRANT OPTION, which
// holds for all of them.
func grantableByOption(privs accounts.Set) func(accounts.Privilege) bool {
	return func(accounts.Privilege) bool { return privs.Has(accounts.GrantOption) }
}

// attributes are the rows of USER_ATTRIBUTES.
func (g grantRows) attributes(ctx *sql.Context, _, _ string) (rows []sql.Row, err error) {
	for _, a := range g.visibleAccounts(ctx) {
		var attribute any
		if a.Comment != "" {
			attribute = types.JSONDocument{Val: map[string]any{"comment": a.Comment}}
			if attribute, err = types.JsonToMySqlString(ctx, attribute.(types.JSONDocument)); err != nil {
				return nil, err
			}
		}
		rows = append(rows, sql.Row{a.User, a.Host, attribute})
	}
	return rows, nil
}

// users are the rows of USER_PRIVILEGES.
func (g grantRows) users(ctx *sql.Context, _, _ string) (rows []sql.Row, err error) {
	for _, a := range g.visibleAccounts(ctx) {
		grantable := func(p accounts.Privilege) bool {
			if p.Dynamic() {
				return a.Grantable.Has(p)
			}
			return a.Global.Has(accounts.GrantOption)
		}
		eachPrivilege(a.Global, grantable, func(name, grantable string) {
			rows = append(rows, sql.Row{grantee(a), catalogName, name, grantable})
		})
	}
	return rows, nil
}

// schemas are the rows of SCHEMA_PRIVILEGES.
func (g grantRows) schemas(ctx *sql.Context, schema, _ string) (rows []sql.Row, err error) {
	for _, a := range g.visibleAccounts(ctx) {
		for _, s := range a.Schemas {
			if !inScope(s.Name, "", schema, "") {
				continue
			}
			eachPrivilege(s.Privs, grantableByOption(s.Privs), func(name, grantable string) {
				rows = append(rows, sql.Row{grantee(a), catalogName, s.Name, name, grantable})
			})
		}
	}
	return rows, nil
}

// tables are the rows of TABLE_PRIVILEGES.
func (g grantRows) tables(ctx *sql.Context, schema, table string) (rows []sql.Row, err error) {
	for _, a := range g.visibleAccounts(ctx) {
		for _, t := range a.Tables {
			if !inScope(t.Schema, t.Name, schema, table) || t.Privs.Empty() {
				continue
			}
			eachPrivilege(t.Privs, grantableByOption(t.Privs), func(name, grantable string) {
				rows = append(rows, sql.Row{grantee(a), catalogName, t.Schema, t.Name, name, grantable})
			})
		}
	}
	return rows, nil
}

// columns are the rows of COLUMN_PRIVILEGES.
func (g grantRows) columns(ctx *sql.Context, schema, table string) (rows []sql.Row, err error) {
	for _, a := range g.visibleAccounts(ctx) {
		for _, t := range a.Tables {
			if !inScope(t.Schema, t.Name, schema, table) {
				continue
			}
			for _, c := range t.Columns {
				eachPrivilege(c.Privs, grantableByOption(t.Privs), func(name, grantable string) {
					rows = append(rows, sql.Row{grantee(a), catalogName, t.Schema, t.Name, c.Name, name, grantable})
				})
			}
		}
	}
	return rows, nil
}

// enabledRoles are the rows of ENABLED_ROLES: the active roles of the session.
func (g grantRows) enabledRoles(ctx *sql.Context, _, _ string) (rows []sql.Row, err error) {
	may := access.Of(ctx)
	if may == nil {
		return nil, nil
	}
	for _, r := range may.Roles {
		rows = append(rows, sql.Row{r.User, r.Host, yesNo(slices.Contains(may.Account.Defaults, r)), "NO"})
	}
	return rows, nil
}

// activeRoles returns the active roles of the session, with the roles granted to them.
func (g grantRows) activeRoles(ctx *sql.Context) (all []*accounts.Account) {
	may := access.Of(ctx)
	if may == nil {
		return nil
	}
	for _, a := range g.store.All() {
		if a.ID != may.Account.ID && may.IsActive(a.ID) {
			all = append(all, a)
		}
	}
	return all
}

// roleTables are the rows of ROLE_TABLE_GRANTS: what the session's roles may do with tables.
func (g grantRows) roleTables(ctx *sql.Context, schema, table string) (rows []sql.Row, err error) {
	for _, a := range g.activeRoles(ctx) {
		for _, t := range a.Tables {
			if inScope(t.Schema, t.Name, schema, table) && !t.Privs.Empty() {
				by := accounts.ParseID(t.Grantor)
				rows = append(rows, sql.Row{by.User, by.Host, a.User, a.Host, catalogName, t.Schema, t.Name, mysqldb.SetMembers(t.Privs), yesNo(t.Privs.Has(accounts.GrantOption))})
			}
		}
	}
	return rows, nil
}

// roleColumns are the rows of ROLE_COLUMN_GRANTS: what the session's roles may do with columns.
func (g grantRows) roleColumns(ctx *sql.Context, schema, table string) (rows []sql.Row, err error) {
	for _, a := range g.activeRoles(ctx) {
		for _, t := range a.Tables {
			for _, c := range t.Columns {
				if inScope(t.Schema, t.Name, schema, table) {
					by := accounts.ParseID(t.Grantor)
					rows = append(rows, sql.Row{by.User, by.Host, a.User, a.Host, catalogName, t.Schema, t.Name, c.Name, mysqldb.SetMembers(c.Privs), yesNo(t.Privs.Has(accounts.GrantOption))})
				}
			}
		}
	}
	return rows, nil
}

// roleRoutines are the rows of ROLE_ROUTINE_GRANTS: what the session's roles may do with procedures
// and functions. The server does not record the grantor.
func (g grantRows) roleRoutines(ctx *sql.Context, schema, name string) (rows []sql.Row, err error) {
	for _, a := range g.activeRoles(ctx) {
		for _, r := range a.Routines {
			if inScope(r.Schema, r.Name, schema, name) {
				rows = append(rows, sql.Row{
					"", "", a.User, a.Host, catalogName, r.Schema, r.Name, catalogName, r.Schema, r.Name, mysqldb.RoutineSetMembers(r.Privs), yesNo(r.Privs.Has(accounts.GrantOption)),
				})
			}
		}
	}
	return rows, nil
}

// applicableRoles are the rows of APPLICABLE_ROLES: the roles that the session may activate, and
// the roles granted to these.
func (g grantRows) applicableRoles(ctx *sql.Context, _, _ string) (rows []sql.Row, err error) {
	may := access.Of(ctx)
	if may == nil {
		return nil, nil
	}
	self := may.Account
	seen := map[accounts.ID]bool{}
	for queue := []*accounts.Account{self}; len(queue) > 0; queue = queue[1:] {
		to := queue[0]
		if seen[to.ID] {
			continue
		}
		seen[to.ID] = true
		for _, r := range to.Roles {
			rows = append(rows, sql.Row{
				self.User, self.Host, to.User, to.Host, r.Role.User, r.Role.Host, yesNo(r.Admin), yesNo(slices.Contains(self.Defaults, r.Role)), "NO",
			})
			if role := g.store.Account(r.Role); role != nil {
				queue = append(queue, role)
			}
		}
	}
	return rows, nil
}

// administrableRoles are the rows of ADMINISTRABLE_ROLE_AUTHORIZATIONS: the applicable roles that
// the session may grant.
func (g grantRows) administrableRoles(ctx *sql.Context, _, _ string) (rows []sql.Row, err error) {
	const grantable = 6
	rows, err = g.applicableRoles(ctx, "", "")
	return slices.DeleteFunc(rows, func(r sql.Row) bool { return r[grantable] != "YES" }), err
}
