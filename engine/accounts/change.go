package accounts

import (
	"crypto/rand"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"
)

// Session is the session that runs a statement.
type Session struct {
	// Access is what the session may do.
	Access *Access
	// User and Host are the client's, for messages. Password is true if the client sent a password.
	User, Host string
	Password   bool
	// Database is the current database.
	Database string
	// Forbidden returns the privileges that cannot be granted on a database, and on a table of it.
	Forbidden func(schema, table string) (onSchema, onTable Set)
	// Columns returns the columns of a table, nil if they are not known, and whether the table
	// exists.
	Columns func(schema, table string) (names []string, exists bool)
	// SetRoles replaces the session's active roles.
	SetRoles func(roles []ID)
	// Defines returns a description of something whose definer an account is, such as "a view", or
	// "" if there is none. Defines is nil if the definers are not known.
	Defines func(ID) string
	// Reload makes FLUSH PRIVILEGES read the grant tables; nil if there are none.
	Reload func() error
	// Note adds a warning of level Note to the statement, which left something out because of IF
	// [NOT] EXISTS.
	Note func(number int, message string)
}

// Rows is the result set of a statement.
type Rows struct {
	Columns []string
	Rows    [][]string
}

// Run executes a statement. Its errors are of type *mysql.SQLError.
func (s *Store) Run(st *Statement, by *Session) (*Rows, error) {
	switch st.Kind {
	case "create_user":
		return s.createUsers(st, by)
	case "alter_user", "set_password":
		return s.alterUsers(st, by)
	case "drop_user", "drop_role":
		return nil, s.drop(st, by)
	case "rename_user":
		return nil, s.rename(st, by)
	case "create_role":
		return nil, s.createRoles(st, by)
	case "grant":
		return nil, s.grant(st, by)
	case "revoke":
		return nil, s.revoke(st, by)
	case "revoke_all":
		return nil, s.revokeAll(st, by)
	case "grant_roles", "revoke_roles":
		return nil, s.grantOrRevokeRoles(st, by)
	case "set_role":
		return nil, s.setRole(st, by)
	case "alter_user_default_role":
		return nil, s.setDefaults(st, by)
	case "show_grants":
		return s.showGrants(st, by)
	case "show_create_user":
		return s.showCreateUser(st, by)
	case "flush":
		if !by.Access.HasAny(Reload, FlushPrivileges) {
			return nil, ErrNeeds("RELOAD or FLUSH_PRIVILEGES")
		}
		if by.Reload != nil {
			if err := by.Reload(); err != nil {
				return nil, err
			}
		}
		s.forgetPasswords()
		s.locks.unblockAll()
		s.BeginHour()
		return nil, nil
	}
	return nil, errUnsupported(st.Kind)
}

// forgetPasswords clears the cache of caching_sha2_password: every client has to send its password
// again.
func (s *Store) forgetPasswords() {
	s.passwordDigests.mu.Lock()
	defer s.passwordDigests.mu.Unlock()
	s.passwordDigests.all = nil
}

// id returns the account that u names.
func (by *Session) id(u userSpec) ID {
	if u.current && by.Access != nil {
		return by.Access.Account.ID
	}
	return u.ID
}

// isOwn reports whether id is the session's account.
func (by *Session) isOwn(id ID) bool { return by.Access != nil && by.Access.Account.ID == id }

// hasGlobalOrOnMySQL reports whether the session has the global privilege p, or onMySQL on the
// database mysql.
func (by *Session) hasGlobalOrOnMySQL(p, onMySQL Privilege) bool {
	return by.Access.Has(p) || by.Access.Schema("mysql").Has(onMySQL)
}

// lacksSystemUserFor reports whether id has SYSTEM_USER, directly or by a role, and the session
// does not: then the session may not change it.
func (by *Session) lacksSystemUserFor(all map[ID]*Account, id ID) bool {
	return !by.Access.Has(SystemUser) && protected(all, id)
}

// mayGrantRole reports whether the session may grant a role: it may grant all roles, or it has this
// one WITH ADMIN OPTION and the role is active.
func (by *Session) mayGrantRole(role ID) bool {
	if by.Access.HasAny(RoleAdmin, Super) {
		return true
	}
	own := by.Access.adminOf(role)
	return own && by.Access.IsActive(role)
}

// errNoRoleAdmin is the error for a session that may not grant a role.
func errNoRoleAdmin() error { return ErrNeeds("WITH ADMIN, ROLE_ADMIN, SUPER") }

// checkNotDefiner returns an error if id is the definer of something. If such an account was
// created, dropped or renamed, the next account with the name would get the rights of those
// programs.
func (by *Session) checkNotDefiner(operation string, id ID) error {
	if by.Defines == nil || by.Access.HasAny(AllowNonexistentDefiner, Super) {
		return nil
	}
	if what := by.Defines(id); what != "" {
		return sqlError(4006, "HY000", "Operation %s failed for %s as it is referenced as a definer account in %s.", operation, id.quotedText(), what)
	}
	return nil
}

func quotedList(ids []ID) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = id.quotedText()
	}
	return strings.Join(names, ",")
}

// authenticate sets the password of an account as a statement says. It returns the password if it
// was generated.
func (s *Store) authenticate(a *Account, u userSpec) (random string, err error) {
	if !u.setsAuth {
		return "", nil
	}
	switch u.plugin {
	case "":
		if a.Plugin == "" {
			a.Plugin = CachingSHA2
		}
	case CachingSHA2:
		a.Plugin = u.plugin
	case Native:
		if !s.AllowNative {
			return "", sqlError(1524, "HY000", "Plugin '%s' is not loaded", u.plugin)
		}
		a.Plugin = u.plugin
	default:
		return "", sqlError(1524, "HY000", "Plugin '%s' is not loaded", u.plugin)
	}
	if u.hash != "" {
		if !validHash(a.Plugin, u.hash) {
			return "", sqlError(1827, "HY000", "The password hash doesn't have the expected format.")
		}
		a.Auth = u.hash
	} else {
		if u.random {
			if random, err = RandomPassword(); err != nil {
				return "", err
			}
			u.password = random
		}
		if a.Auth, err = hashPassword(a.Plugin, u.password); err != nil {
			return "", err
		}
	}
	a.PasswordChanged, a.Expired = time.Now(), false
	return random, nil
}

// RandomPassword generates a password of 20 characters, the default of
// generated_random_password_length.
func RandomPassword() (string, error) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789,.-+*;:_!#%&/()=?><"
	out := make([]byte, 20)
	for i := range out {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(alphabet))))
		if err != nil {
			return "", err
		}
		out[i] = alphabet[n.Int64()]
	}
	return string(out), nil
}

// generatedPasswordRows is the result set of a statement that generated passwords, nil if it
// generated none.
func generatedPasswordRows(rows [][]string) *Rows {
	if len(rows) == 0 {
		return nil
	}
	return &Rows{[]string{"user", "host", "generated password", "auth_factor"}, rows}
}

// apply sets the options of a statement on one of its accounts.
func (o *accountOptions) apply(a *Account) {
	if o.locked != nil {
		a.Locked = *o.locked
	}
	if o.expired != nil {
		a.Expired = *o.expired
	}
	if o.tls != nil {
		a.RequireTLS = *o.tls
	}
	for i, n := range o.limits {
		if n != nil {
			*limitOptions[i].of(&a.Limits) = *n
		}
	}
	if o.failedAttempts != nil {
		a.FailedLoginAttempts = *o.failedAttempts
	}
	if o.lockDays != nil {
		a.PasswordLockDays = *o.lockDays
	}
	if o.comment != nil {
		a.Comment = *o.comment
	}
}

func (s *Store) createUsers(st *Statement, by *Session) (*Rows, error) {
	if !by.hasGlobalOrOnMySQL(CreateUser, Insert) {
		return nil, ErrNeeds("CREATE USER")
	}
	for _, r := range st.roles {
		if !by.mayGrantRole(r.ID) {
			return nil, errNoRoleAdmin()
		}
	}
	var random [][]string
	err := s.change(func(all map[ID]*Account) error {
		for _, r := range st.roles {
			if by.lacksSystemUserFor(all, r.ID) {
				return ErrNeeds("SYSTEM_USER")
			}
		}
		var failed []ID
		for _, u := range st.users {
			if u.current {
				failed = append(failed, by.id(u))
				continue
			}
			if all[u.ID] != nil {
				if st.ifExists {
					by.Note(3163, "Authorization ID "+u.quotedText()+" already exists.")
				} else {
					failed = append(failed, u.ID)
				}
				continue
			}
			if err := checkName(u.ID); err != nil {
				return err
			}
			if err := by.checkNotDefiner("CREATE USER", u.ID); err != nil {
				return err
			}
			a := &Account{ID: u.ID, Plugin: CachingSHA2, PasswordChanged: time.Now()}
			generated, err := s.authenticate(a, u)
			if err != nil {
				return err
			}
			if generated != "" {
				random = append(random, []string{u.User, u.Host, generated, "1"})
			}
			st.options.apply(a)
			s.locks.unblock(u.ID) // an account of this name was dropped
			for _, r := range st.roles {
				if all[r.ID] == nil {
					return errUnknownID(r.ID)
				}
				a.Roles = append(a.Roles, RoleGrant{Role: r.ID})
				a.Defaults = append(a.Defaults, r.ID)
			}
			all[u.ID] = a
		}
		if len(failed) > 0 {
			return errFailed("CREATE USER", quotedList(failed))
		}
		return nil
	})
	return generatedPasswordRows(random), err
}

// checkName returns an error if the name of an account is too long.
func checkName(id ID) error {
	const userMax, hostMax = 32, 255
	if len([]rune(id.User)) > userMax {
		return sqlError(1470, "HY000", "String '%s' is too long for user name (should be no longer than %d)", id.User, userMax)
	}
	if len(id.Host) > hostMax {
		return sqlError(1470, "HY000", "String '%s' is too long for host name (should be no longer than %d)", id.Host, hostMax)
	}
	return nil
}

func (s *Store) createRoles(st *Statement, by *Session) error {
	if !by.Access.HasAny(CreateRole, CreateUser) {
		return ErrNeeds("CREATE USER or CREATE ROLE")
	}
	return s.change(func(all map[ID]*Account) error {
		var failed []ID
		for _, r := range st.roles {
			switch {
			case r.User == "":
				return errFailed("CREATE ROLE", r.quotedText())
			case all[r.ID] == nil:
				err := checkName(r.ID)
				if err == nil {
					err = by.checkNotDefiner("CREATE ROLE", r.ID)
				}
				if err != nil {
					return err
				}
				all[r.ID] = &Account{ID: r.ID, Plugin: CachingSHA2, Locked: true, Expired: true, PasswordChanged: time.Now()}
			case st.ifExists:
				by.Note(3163, "Authorization ID "+r.quotedText()+" already exists.")
			default:
				failed = append(failed, r.ID)
			}
		}
		if len(failed) > 0 {
			return errFailed("CREATE ROLE", quotedList(failed))
		}
		return nil
	})
}

func (s *Store) alterUsers(st *Statement, by *Session) (*Rows, error) {
	operation := "ALTER USER"
	if st.Kind == "set_password" {
		operation = "SET PASSWORD"
	}
	var random [][]string
	err := s.change(func(all map[ID]*Account) error {
		var failed []ID
		for _, u := range st.users {
			id := by.id(u)
			own := by.isOwn(id) && st.options == (accountOptions{})
			if !own && !by.hasGlobalOrOnMySQL(CreateUser, Update) {
				if operation == "SET PASSWORD" {
					return sqlError(1044, "42000", "Access denied for user '%s'@'%s' to database 'mysql'", by.User, by.Host)
				}
				return ErrNeeds("CREATE USER")
			}
			old := all[id]
			if old == nil {
				if st.ifExists {
					by.Note(3162, "Authorization ID "+id.quotedText()+" does not exist.")
				} else if operation == "SET PASSWORD" {
					return sqlError(1133, "42000", "Can't find any matching row in the user table")
				} else {
					failed = append(failed, id)
				}
				continue
			}
			if by.lacksSystemUserFor(all, id) {
				return ErrNeeds("SYSTEM_USER")
			}
			if u.replace != nil && (!own || !old.hasPassword(*u.replace)) {
				return sqlError(3891, "HY000", "Incorrect current password. Specify the correct password which has to be replaced.")
			}
			a := old.clone()
			generated, err := s.authenticate(a, u)
			if err != nil {
				return err
			}
			if generated != "" {
				random = append(random, []string{id.User, id.Host, generated, "1"})
			}
			st.options.apply(a)
			if o := &st.options; o.failedAttempts != nil || o.lockDays != nil || o.locked != nil && !*o.locked {
				s.locks.unblock(id)
			}
			all[id] = a
		}
		if len(failed) > 0 {
			return errFailed(operation, quotedList(failed))
		}
		return nil
	})
	return generatedPasswordRows(random), err
}

// drop executes DROP USER and DROP ROLE.
func (s *Store) drop(st *Statement, by *Session) error {
	users, operation := st.users, "DROP USER"
	if st.Kind == "drop_role" {
		users, operation = st.roles, "DROP ROLE"
		if !by.Access.HasAny(DropRole, CreateUser) {
			return ErrNeeds("CREATE USER or DROP ROLE")
		}
	} else if !by.hasGlobalOrOnMySQL(CreateUser, Delete) {
		return ErrNeeds("CREATE USER")
	}
	return s.change(func(all map[ID]*Account) error {
		var failed []ID
		dropped := map[ID]bool{}
		for _, u := range users {
			id := by.id(u)
			a := all[id]
			switch {
			case a == nil && st.ifExists:
				by.Note(3162, "Authorization ID "+id.quotedText()+" does not exist.")
			case a == nil:
				failed = append(failed, id)
			case by.lacksSystemUserFor(all, id):
				return ErrNeeds("SYSTEM_USER")
			default:
				if err := by.checkNotDefiner(operation, id); err != nil {
					return err
				}
				delete(all, id)
				dropped[id] = true
			}
		}
		removeRolesFromAll(all, dropped)
		if len(failed) > 0 {
			return errFailed(operation, quotedList(failed))
		}
		return nil
	})
}

// removeRolesFromAll revokes roles from all accounts.
func removeRolesFromAll(all map[ID]*Account, roles map[ID]bool) {
	for id, a := range all {
		if !slices.ContainsFunc(a.Roles, func(g RoleGrant) bool { return roles[g.Role] }) {
			continue
		}
		a = a.clone()
		a.Roles = slices.DeleteFunc(a.Roles, func(g RoleGrant) bool { return roles[g.Role] })
		a.Defaults = slices.DeleteFunc(a.Defaults, func(d ID) bool { return roles[d] })
		all[id] = a
	}
}

func (a *Account) removeRole(role ID) {
	a.Roles = slices.DeleteFunc(a.Roles, func(g RoleGrant) bool { return g.Role == role })
	a.Defaults = slices.DeleteFunc(a.Defaults, func(d ID) bool { return d == role })
}

func (s *Store) rename(st *Statement, by *Session) error {
	if !by.Access.Has(CreateUser) {
		return ErrNeeds("CREATE USER")
	}
	return s.change(func(all map[ID]*Account) error {
		var failed []ID
		for i, u := range st.users {
			from, to := by.id(u), st.renamed[i].ID
			a := all[from]
			if a == nil || all[to] != nil {
				failed = append(failed, from)
				continue
			}
			if by.lacksSystemUserFor(all, from) {
				return ErrNeeds("SYSTEM_USER")
			}
			if slices.ContainsFunc(slices.Collect(maps.Values(all)), func(o *Account) bool { return o.granted(from) != nil }) {
				return sqlError(3532, "HY000", "Renaming of a role identifier is forbidden")
			}
			if err := checkName(to); err != nil {
				return err
			}
			for _, id := range []ID{from, to} {
				if err := by.checkNotDefiner("RENAME USER", id); err != nil {
					return err
				}
			}
			a = a.clone()
			a.ID = to
			delete(all, from)
			all[to] = a
		}
		if len(failed) > 0 {
			return errFailed("RENAME USER", quotedList(failed))
		}
		return nil
	})
}

var errIllegalGrant = sqlError(1144, "42000", "Illegal GRANT/REVOKE command; please consult the manual to see which privileges can be used")

// requestedPrivileges returns the privileges that a statement grants or revokes, column privileges
// separately.
func (st *Statement) requestedPrivileges() (privs Set, columns []ColumnGrant, err error) {
	for _, g := range st.grants {
		if g.columns == nil {
			privs = privs.With(SetOf(g.privilege))
			continue
		}
		if !ColumnLevel.Has(g.privilege) || st.on.kind != onTable {
			return privs, nil, sqlError(1221, "HY000", "Incorrect usage of COLUMN GRANT and NON-COLUMN PRIVILEGES")
		}
		for _, c := range g.columns {
			columns = withColumn(columns, c, SetOf(g.privilege))
		}
	}
	level := GlobalLevel
	switch st.on.kind {
	case onSchema:
		level = schemaLevel
	case onTable:
		level = TableLevel
	case onProcedure, onFunction:
		level = RoutineLevel
	}
	if st.all {
		return level.Without(SetOf(GrantOption)), nil, nil
	}
	if d := privs.And(dynamicPrivileges()); !d.Empty() && st.on.kind != onGlobal {
		return privs, nil, sqlError(3619, "HY000", "Illegal privilege level specified for %s", d.All()[0])
	}
	if !level.HasAll(privs) {
		if st.on.kind == onSchema {
			return privs, nil, sqlError(1221, "HY000", "Incorrect usage of DB GRANT and GLOBAL PRIVILEGES")
		}
		return privs, nil, errIllegalGrant
	}
	return privs, columns, nil
}

func withColumn(columns []ColumnGrant, name string, privs Set) []ColumnGrant {
	for i := range columns {
		if strings.EqualFold(columns[i].Name, name) {
			columns[i].Privs = columns[i].Privs.With(privs)
			return columns
		}
	}
	return append(columns, ColumnGrant{name, privs})
}

// privilegeList lists the privileges of a GRANT or REVOKE as error 1142 names them.
func privilegeList(privs Set, columns []ColumnGrant) string {
	for _, c := range columns {
		privs = privs.With(c.Privs)
	}
	names := privs.Without(SetOf(GrantOption)).Names()
	return strings.Join(append(names, "GRANT"), ", ")
}

// checkMayGrant returns an error if the session may not grant or revoke these privileges.
func (by *Session) checkMayGrant(st *Statement, privs Set, columns []ColumnGrant) error {
	needed := privs
	for _, c := range columns {
		needed = needed.With(c.Privs)
	}
	needed = needed.With(SetOf(GrantOption))
	schema, table := st.on.schema, st.on.name
	var forbiddenOnSchema, forbiddenOnTable Set
	if st.on.kind != onGlobal && by.Forbidden != nil {
		forbiddenOnSchema, forbiddenOnTable = by.Forbidden(schema, table)
	}
	deniedSchema := sqlError(1044, "42000", "Access denied for user '%s'@'%s' to database '%s'", by.User, by.Host, schema)
	switch st.on.kind {
	case onGlobal:
		static := needed.And(staticPrivileges())
		dynamic := needed.And(dynamicPrivileges())
		if by.Access != nil && !dynamic.Empty() && !by.Access.grantable.HasAll(dynamic) && (!st.all || !by.Access.Has(GrantOption)) {
			return ErrNeeds("GRANT OPTION")
		}
		if !st.all && privs.Without(dynamicPrivileges()).Empty() && !dynamic.Empty() {
			return nil
		}
		if !by.Access.Global().HasAll(static) {
			return sqlError(1045, "28000", "Access denied for user '%s'@'%s' (using password: %s)", by.User, by.Host, yesNo(by.Password))
		}
	case onSchema:
		if forbiddenOnSchema.HasAny(needed) || !by.Access.Schema(schema).HasAll(needed) {
			return deniedSchema
		}
	case onTable:
		if forbiddenOnSchema.HasAny(needed) {
			return deniedSchema
		}
		have := by.Access.Table(schema, table)
		if forbiddenOnTable.HasAny(needed) || !have.HasAll(needed) && !by.hasColumns(st, have, privs, columns) {
			return sqlError(1142, "42000", "%s command denied to user '%s'@'%s' for table '%s'", privilegeList(privs, columns), by.User, by.Host, strings.ToLower(table))
		}
	default:
		if forbiddenOnSchema.HasAny(needed) {
			return deniedSchema
		}
		if !by.Access.Routine(schema, table, st.on.kind == onFunction).HasAll(needed) {
			return sqlError(1370, "42000", "%s command denied to user '%s'@'%s' for routine '%s.%s'", "grant", by.User, by.Host, schema, table)
		}
	}
	return nil
}

// hasColumns reports whether column grants give the session all that it grants on columns of a table.
func (by *Session) hasColumns(st *Statement, have, privs Set, columns []ColumnGrant) bool {
	if !have.HasAll(privs.With(SetOf(GrantOption))) {
		return false
	}
	for _, c := range columns {
		if !by.Access.Column(st.on.schema, st.on.name, c.Name).HasAll(c.Privs) {
			return false
		}
	}
	return true
}

func yesNo(b bool) string {
	if b {
		return "YES"
	}
	return "NO"
}

// resolve puts the current database into the target of a GRANT or REVOKE that names none.
func (st *Statement) resolve(by *Session) error {
	if st.on.kind != onGlobal && st.on.schema == "" {
		if by.Database == "" {
			return sqlError(1046, "3D000", "No database selected")
		}
		st.on.schema = by.Database
	}
	if strings.EqualFold(st.on.schema, "information_schema") {
		return sqlError(1044, "42000", "Access denied for user '%s'@'%s' to database '%s'", by.User, by.Host, "information_schema")
	}
	return nil
}

// checkTable returns an error if the table or a column of a GRANT does not exist.
func (st *Statement) checkTable(by *Session, privs Set, columns []ColumnGrant) error {
	if st.on.kind != onTable || by.Columns == nil {
		return nil
	}
	names, exists := by.Columns(st.on.schema, st.on.name)
	if !exists {
		if privs.Has(Create) {
			return nil
		}
		return sqlError(1146, "42S02", "Table '%s.%s' doesn't exist", st.on.schema, st.on.name)
	}
	for _, c := range columns {
		if names != nil && !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, c.Name) }) {
			return sqlError(1054, "42S22", "Unknown column '%s' in '%s'", c.Name, st.on.name)
		}
	}
	return nil
}

func (s *Store) grant(st *Statement, by *Session) error {
	if err := st.resolve(by); err != nil {
		return err
	}
	privs, columns, err := st.requestedPrivileges()
	if err != nil {
		return err
	}
	if st.all && st.on.kind == onGlobal && by.Access != nil {
		privs = privs.Without(dynamicPrivileges().Without(by.Access.grantable))
	}
	if err := by.checkMayGrant(st, privs, columns); err != nil {
		return err
	}
	if err := st.checkTable(by, privs, columns); err != nil {
		return err
	}
	return s.change(func(all map[ID]*Account) error {
		for _, u := range st.users {
			id := by.id(u)
			old := all[id]
			if old == nil {
				return sqlError(1410, "42000", "You are not allowed to create a user with GRANT")
			}
			if by.lacksSystemUserFor(all, id) {
				return ErrNeeds("SYSTEM_USER")
			}
			a := old.clone()
			a.grant(st, privs, columns, by)
			all[id] = a
		}
		return nil
	})
}

// grant adds privileges to an account.
func (a *Account) grant(st *Statement, privs Set, columns []ColumnGrant, by *Session) {
	if st.withOption {
		static := privs.Without(dynamicPrivileges())
		if st.on.kind != onGlobal || !static.Empty() || privs.Empty() {
			privs = privs.With(SetOf(GrantOption))
		}
		a.Grantable = a.Grantable.With(privs.And(dynamicPrivileges()))
	}
	switch st.on.kind {
	case onGlobal:
		a.Global = a.Global.With(privs)
	case onSchema:
		if i := a.schema(st.on.schema); i >= 0 {
			a.Schemas[i].Privs = a.Schemas[i].Privs.With(privs)
		} else if !privs.Empty() {
			a.Schemas = append(a.Schemas, SchemaGrant{st.on.schema, privs})
		}
	case onTable:
		i := a.table(st.on)
		if i < 0 {
			grantor := ""
			if by.Access != nil {
				grantor = by.Access.Account.String()
			}
			a.Tables = append(a.Tables, TableGrant{Schema: st.on.schema, Name: st.on.name, Grantor: grantor})
			i = len(a.Tables) - 1
		}
		t := &a.Tables[i]
		t.Privs = t.Privs.With(privs)
		for _, c := range columns {
			t.Columns = withColumn(t.Columns, c.Name, c.Privs)
		}
		if t.Privs.Empty() && len(t.Columns) == 0 {
			a.Tables = slices.Delete(a.Tables, i, i+1)
		}
	default:
		if i := a.routine(st.on); i >= 0 {
			a.Routines[i].Privs = a.Routines[i].Privs.With(privs)
		} else if !privs.Empty() {
			a.Routines = append(a.Routines, RoutineGrant{st.on.schema, st.on.name, st.on.kind == onFunction, privs})
		}
	}
}

func (a *Account) schema(name string) int {
	return slices.IndexFunc(a.Schemas, func(g SchemaGrant) bool { return strings.EqualFold(g.Name, name) })
}

func (a *Account) table(on target) int {
	return slices.IndexFunc(a.Tables, func(g TableGrant) bool { return objectOf(g.Schema, g.Name) == objectOf(on.schema, on.name) })
}

func (a *Account) routine(on target) int {
	return slices.IndexFunc(a.Routines, func(g RoutineGrant) bool {
		return objectOf(g.Schema, g.Name) == objectOf(on.schema, on.name) && g.Function == (on.kind == onFunction)
	})
}

func (s *Store) revoke(st *Statement, by *Session) error {
	if err := st.resolve(by); err != nil {
		return err
	}
	privs, columns, err := st.requestedPrivileges()
	if err != nil {
		return err
	}
	if st.all && st.on.kind == onGlobal && by.Access != nil {
		privs = privs.Without(dynamicPrivileges().Without(by.Access.grantable))
	}
	if st.all && (st.on.kind == onSchema || st.on.kind == onTable) && by.Forbidden != nil {
		// REVOKE ALL does not need privileges that cannot be granted.
		onSchema, onTable := by.Forbidden(st.on.schema, st.on.name)
		privs = privs.Without(onSchema).Without(onTable)
	}
	if err := by.checkMayGrant(st, privs, columns); err != nil {
		return err
	}
	return s.change(func(all map[ID]*Account) error {
		for _, u := range st.users {
			id := by.id(u)
			old := all[id]
			if old == nil {
				if st.ignoreUnknown {
					by.Note(3162, "Authorization ID "+id.quotedText()+" does not exist.")
					continue
				}
				if st.on.kind == onTable {
					return errNoTableGrant(id, st.on.name)
				}
				return errNoGrant(id)
			}
			if by.lacksSystemUserFor(all, id) {
				return ErrNeeds("SYSTEM_USER")
			}
			a := old.clone()
			if err := a.revoke(st, privs, columns); err != nil {
				if st.ifExists {
					continue
				}
				return err
			}
			all[id] = a
		}
		return nil
	})
}

// revoke removes privileges from an account.
func (a *Account) revoke(st *Statement, privs Set, columns []ColumnGrant) error {
	switch st.on.kind {
	case onGlobal:
		a.Global, a.Grantable = a.Global.Without(privs), a.Grantable.Without(privs)
	case onSchema:
		i := a.schema(st.on.schema)
		if i < 0 {
			return errNoGrant(a.ID)
		}
		if a.Schemas[i].Privs = a.Schemas[i].Privs.Without(privs); a.Schemas[i].Privs.Empty() {
			a.Schemas = slices.Delete(a.Schemas, i, i+1)
		}
	case onTable:
		i := a.table(st.on)
		if i < 0 {
			return errNoTableGrant(a.ID, st.on.name)
		}
		t := &a.Tables[i]
		t.Privs = t.Privs.Without(privs)
		for k := range t.Columns {
			t.Columns[k].Privs = t.Columns[k].Privs.Without(privs) // a revoke on the table covers its columns
			for _, c := range columns {
				if strings.EqualFold(c.Name, t.Columns[k].Name) {
					t.Columns[k].Privs = t.Columns[k].Privs.Without(c.Privs)
				}
			}
		}
		t.Columns = slices.DeleteFunc(t.Columns, func(c ColumnGrant) bool { return c.Privs.Empty() })
		if t.Privs.Empty() && len(t.Columns) == 0 {
			a.Tables = slices.Delete(a.Tables, i, i+1)
		}
	default:
		i := a.routine(st.on)
		if i < 0 {
			return sqlError(1403, "42000", "There is no such grant defined for user '%s' on host '%s' on routine '%s'", a.User, a.Host, st.on.name)
		}
		if a.Routines[i].Privs = a.Routines[i].Privs.Without(privs); a.Routines[i].Privs.Empty() {
			a.Routines = slices.Delete(a.Routines, i, i+1)
		}
	}
	return nil
}

func (s *Store) revokeAll(st *Statement, by *Session) error {
	if !by.hasGlobalOrOnMySQL(CreateUser, Update) {
		return ErrNeeds("CREATE USER")
	}
	return s.change(func(all map[ID]*Account) error {
		var failed []ID
		for _, u := range st.users {
			id := by.id(u)
			old := all[id]
			if old == nil {
				failed = append(failed, id)
				continue
			}
			if by.lacksSystemUserFor(all, id) {
				return ErrNeeds("SYSTEM_USER")
			}
			a := old.clone()
			a.Global, a.Grantable, a.Schemas, a.Tables, a.Routines = Set{}, Set{}, nil, nil, nil
			all[id] = a
		}
		if len(failed) > 0 && !st.ignoreUnknown && !st.ifExists {
			return sqlError(1269, "HY000", "Can't revoke all privileges for one or more of the requested users")
		}
		return nil
	})
}

// grantOrRevokeRoles executes GRANT and REVOKE of roles.
func (s *Store) grantOrRevokeRoles(st *Statement, by *Session) error {
	for _, r := range st.roles {
		if !by.mayGrantRole(r.ID) {
			return errNoRoleAdmin()
		}
	}
	return s.change(func(all map[ID]*Account) error {
		for _, r := range st.roles {
			if by.lacksSystemUserFor(all, r.ID) {
				return ErrNeeds("SYSTEM_USER")
			}
		}
		for _, u := range st.users {
			id := by.id(u)
			old := all[id]
			if old == nil {
				if st.ignoreUnknown {
					continue
				}
				return errUnknownID(id)
			}
			if by.lacksSystemUserFor(all, id) {
				return ErrNeeds("SYSTEM_USER")
			}
			a := old.clone()
			for _, r := range st.roles {
				if all[r.ID] == nil {
					if st.ifExists {
						continue
					}
					return errUnknownID(r.ID)
				}
				if st.Kind == "revoke_roles" {
					a.removeRole(r.ID)
					continue
				}
				if Reaches(all, r.ID, id) {
					return sqlError(3508, "HY000", "User account %s is directly or indirectly granted to the role %s. The GRANT would create a loop", id.Quoted(), r.Quoted())
				}
				if g := a.granted(r.ID); g != nil {
					g.Admin = g.Admin || st.withOption
				} else {
					a.Roles = append(a.Roles, RoleGrant{r.ID, st.withOption})
				}
			}
			all[id] = a
		}
		return nil
	})
}

// Reaches reports whether from is to, or has it as a role, directly or indirectly.
func Reaches(all map[ID]*Account, from, to ID) bool {
	if from == to {
		return true
	}
	a := all[from]
	return a != nil && slices.ContainsFunc(a.Roles, func(g RoleGrant) bool { return Reaches(all, g.Role, to) })
}

// chosenRoles returns the roles that SET ROLE or SET DEFAULT ROLE selects for an account.
func (st *Statement) chosenRoles(a *Account) ([]ID, error) {
	var named []ID
	for _, r := range st.roles {
		if a.granted(r.ID) == nil {
			return nil, sqlError(3530, "HY000", "%s is not granted to %s", r.Quoted(), a.Quoted())
		}
		named = append(named, r.ID)
	}
	switch st.choice {
	case noRoles:
		return nil, nil
	case defaultRoles:
		return a.Defaults, nil
	case allRoles, allRolesExcept:
		var all []ID
		for _, g := range a.Roles {
			if !slices.Contains(named, g.Role) {
				all = append(all, g.Role)
			}
		}
		return all, nil
	}
	return named, nil
}

func (s *Store) setRole(st *Statement, by *Session) error {
	a := s.Account(by.Access.Account.ID)
	if a == nil {
		return errUnknownID(by.Access.Account.ID)
	}
	roles, err := st.chosenRoles(a)
	if err != nil {
		return err
	}
	by.SetRoles(roles)
	return nil
}

func (s *Store) setDefaults(st *Statement, by *Session) error {
	return s.change(func(all map[ID]*Account) error {
		for _, u := range st.users {
			id := by.id(u)
			if !by.isOwn(id) && !by.hasGlobalOrOnMySQL(CreateUser, Update) {
				return ErrNeeds("CREATE USER")
			}
			old := all[id]
			if old == nil {
				return errUnknownID(id)
			}
			if !by.isOwn(id) && by.lacksSystemUserFor(all, id) {
				return ErrNeeds("SYSTEM_USER")
			}
			roles, err := st.chosenRoles(old)
			if err != nil {
				return err
			}
			a := old.clone()
			a.Defaults = roles
			all[id] = a
		}
		return nil
	})
}
