package accounts

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// showGrants executes SHOW GRANTS. Only accounts that may read the database mysql see the grants of
// another account.
func (s *Store) showGrants(st *Statement, by *Session) (*Rows, error) {
	u := userSpec{current: true}
	if len(st.users) > 0 {
		u = st.users[0]
	}
	id := by.id(u)
	if !by.isOwn(id) && !by.Access.IsActive(id) && !by.Access.Schema("mysql").Has(Select) {
		return nil, sqlError(1044, "42000", "Access denied for user '%s'@'%s' to database 'mysql'", by.User, by.Host)
	}
	a := s.Account(id)
	if a == nil {
		return nil, errNoGrant(id)
	}
	var roles []ID
	if len(st.users) == 0 || u.current {
		roles = by.Access.Roles
	}
	for _, r := range st.roles {
		if a.granted(r.ID) == nil {
			return nil, sqlError(3530, "HY000", "%s is not granted to %s", r.Quoted(), a.Quoted())
		}
		roles = append(roles, r.ID)
	}
	out := &Rows{}
	for _, line := range s.Access(id, roles).Lines() {
		out.Rows = append(out.Rows, []string{line})
	}
	return out, nil
}

// Header returns the name of the result's column; self is the session's account.
func (st *Statement) Header(self ID) string {
	if len(st.users) > 0 && !st.users[0].current {
		self = st.users[0].ID
	}
	if st.Kind == "show_create_user" {
		return "CREATE USER for " + self.String()
	}
	return "Grants for " + self.String()
}

// Lines returns the grants of an account and its active roles as SHOW GRANTS shows them, one
// statement each.
func (a *Access) Lines() (lines []string) {
	to := " TO " + a.Account.Quoted()
	line := func(privs, on string, grantable bool) {
		s := "GRANT " + privs + " ON " + on + to
		if grantable {
			s += " WITH GRANT OPTION"
		}
		lines = append(lines, s)
	}
	static := a.global.Without(dynamicPrivileges())
	line(privilegeNamesText(static, nil), "*.*", static.Has(GrantOption))
	for _, grantable := range []bool{false, true} {
		dynamic := a.global.And(dynamicPrivileges())
		if grantable {
			dynamic = dynamic.And(a.grantable)
		} else {
			dynamic = dynamic.Without(a.grantable)
		}
		if !dynamic.Empty() {
			line(strings.Join(dynamic.Names(), ","), "*.*", grantable)
		}
	}
	for _, g := range a.mergedSchemas() {
		line(allOr(g.Privs, schemaLevel, nil), quoteName(g.Name)+".*", g.Privs.Has(GrantOption))
	}
	for _, g := range a.mergedTables() {
		line(allOr(g.Privs, TableLevel, g.Columns), quoteName(g.Schema)+"."+quoteName(g.Name), g.Privs.Has(GrantOption))
	}
	for _, g := range a.mergedRoutines() {
		kind := "PROCEDURE "
		if g.Function {
			kind = "FUNCTION "
		}
		line(privilegeNamesText(g.Privs, nil), kind+quoteName(g.Schema)+"."+quoteName(g.Name), g.Privs.Has(GrantOption))
	}
	if a.global.HasAll(GlobalLevel) {
		lines = append(lines, "GRANT PROXY ON ``@``"+to+" WITH GRANT OPTION")
	}
	for _, admin := range []bool{false, true} {
		var roles []string
		for _, g := range slices.SortedFunc(slices.Values(a.Account.Roles), func(x, y RoleGrant) int { return compareIDs(x.Role, y.Role) }) {
			if g.Admin == admin {
				roles = append(roles, g.Role.Quoted())
			}
		}
		if len(roles) == 0 {
			continue
		}
		s := "GRANT " + strings.Join(roles, ",") + to
		if admin {
			s += " WITH ADMIN OPTION"
		}
		lines = append(lines, s)
	}
	return lines
}

// allOr returns ALL PRIVILEGES if privs are all of a level, else their names.
func allOr(privs, level Set, columns []ColumnGrant) string {
	if privs.With(SetOf(GrantOption)).HasAll(level) {
		return "ALL PRIVILEGES"
	}
	return privilegeNamesText(privs, columns)
}

// privilegeNamesText lists the names of privileges, with the columns of column privileges.
func privilegeNamesText(privs Set, columns []ColumnGrant) string {
	var names []string
	for p := range firstDynamic {
		if p == GrantOption {
			continue
		}
		var of []string
		for _, c := range columns {
			if c.Privs.Has(p) {
				of = append(of, quoteName(c.Name))
			}
		}
		if privs.Has(p) {
			names = append(names, p.String())
		}
		if len(of) > 0 {
			names = append(names, p.String()+" ("+strings.Join(of, ", ")+")")
		}
	}
	if len(names) == 0 {
		return "USAGE"
	}
	return strings.Join(names, ", ")
}

func (a *Access) mergedSchemas() (out []SchemaGrant) {
	for _, from := range a.sources {
		for _, g := range from.Schemas {
			if i := slices.IndexFunc(out, func(o SchemaGrant) bool { return o.Name == g.Name }); i >= 0 {
				out[i].Privs = out[i].Privs.With(g.Privs)
			} else {
				out = append(out, g)
			}
		}
	}
	slices.SortFunc(out, func(x, y SchemaGrant) int { return cmp.Compare(x.Name, y.Name) })
	return out
}

func (a *Access) mergedTables() (out []TableGrant) {
	for _, from := range a.sources {
		for _, g := range from.Tables {
			g.Columns = slices.Clone(g.Columns)
			i := slices.IndexFunc(out, func(o TableGrant) bool { return objectOf(o.Schema, o.Name) == objectOf(g.Schema, g.Name) })
			if i < 0 {
				out = append(out, g)
				continue
			}
			out[i].Privs = out[i].Privs.With(g.Privs)
			for _, c := range g.Columns {
				out[i].Columns = withColumn(out[i].Columns, c.Name, c.Privs)
			}
		}
	}
	slices.SortFunc(out, func(x, y TableGrant) int {
		return cmp.Or(cmp.Compare(x.Schema, y.Schema), cmp.Compare(x.Name, y.Name))
	})
	for _, g := range out {
		slices.SortFunc(g.Columns, func(x, y ColumnGrant) int { return cmp.Compare(x.Name, y.Name) })
	}
	return out
}

func (a *Access) mergedRoutines() (out []RoutineGrant) {
	for _, from := range a.sources {
		for _, g := range from.Routines {
			same := func(o RoutineGrant) bool {
				return objectOf(o.Schema, o.Name) == objectOf(g.Schema, g.Name) && o.Function == g.Function
			}
			if i := slices.IndexFunc(out, same); i >= 0 {
				out[i].Privs = out[i].Privs.With(g.Privs)
			} else {
				out = append(out, g)
			}
		}
	}
	slices.SortFunc(out, func(x, y RoutineGrant) int {
		return cmp.Or(cmp.Compare(x.Schema, y.Schema), cmp.Compare(x.Name, y.Name))
	})
	return out
}

// showCreateUser executes SHOW CREATE USER.
func (s *Store) showCreateUser(st *Statement, by *Session) (*Rows, error) {
	id := by.id(st.users[0])
	if !by.isOwn(id) && !by.Access.Schema("mysql").Has(Select) {
		return nil, sqlError(1044, "42000", "Access denied for user '%s'@'%s' to database 'mysql'", by.User, by.Host)
	}
	a := s.Account(id)
	if a == nil {
		return nil, errFailed("SHOW CREATE USER", id.quotedText())
	}
	var b strings.Builder
	b.WriteString("CREATE USER " + a.Quoted() + " IDENTIFIED WITH '" + a.Plugin + "'")
	if a.Auth != "" {
		b.WriteString(" AS '" + strings.ReplaceAll(strings.ReplaceAll(a.Auth, `\`, `\\`), "'", `\'`) + "'")
	}
	for i, r := range a.Defaults {
		b.WriteString([]string{" DEFAULT ROLE ", ","}[min(i, 1)] + r.Quoted())
	}
	b.WriteString(" REQUIRE " + either(a.RequireTLS, "SSL", "NONE"))
	with := " WITH"
	for _, o := range limitOptions {
		if n := *o.of(&a.Limits); n > 0 {
			b.WriteString(with + " " + strings.ToUpper(o.name) + " " + strconv.Itoa(n))
			with = ""
		}
	}
	b.WriteString(" PASSWORD EXPIRE" + either(a.Expired, "", " DEFAULT"))
	b.WriteString(" ACCOUNT " + either(a.Locked, "LOCK", "UNLOCK"))
	b.WriteString(" PASSWORD HISTORY DEFAULT PASSWORD REUSE INTERVAL DEFAULT PASSWORD REQUIRE CURRENT DEFAULT")
	if a.FailedLoginAttempts != 0 || a.PasswordLockDays != 0 {
		days := "UNBOUNDED"
		if a.PasswordLockDays != unbounded {
			days = strconv.Itoa(a.PasswordLockDays)
		}
		b.WriteString(" FAILED_LOGIN_ATTEMPTS " + strconv.Itoa(a.FailedLoginAttempts) + " PASSWORD_LOCK_TIME " + days)
	}
	return &Rows{Rows: [][]string{{b.String()}}}, nil
}

func either(b bool, yes, no string) string {
	if b {
		return yes
	}
	return no
}
