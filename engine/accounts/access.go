package accounts

import (
	"slices"
	"strings"
)

// Access holds what an account may do with its active roles. It is immutable; Store.Access makes
// it. A nil Access is that of the server itself, which may do everything.
type Access struct {
	// Account is the account, Roles are its active roles in the order in which SET ROLE named them.
	Account *Account
	Roles   []ID
	// Version is the store's version when the Access was made.
	Version uint64

	global       Set
	unrestricted bool // all privileges, everywhere
	grantable    Set
	sources      []*Account // the account, its active roles, and the roles granted to these
	tables       map[object]*tableAccess
	routines     map[routine]Set
}

// object is a table, in lower case.
type object struct{ schema, name string }

func objectOf(schema, name string) object {
	return object{strings.ToLower(schema), strings.ToLower(name)}
}

// routine is a procedure or a function, in lower case.
type routine struct {
	object
	function bool
}

type tableAccess struct {
	privs   Set
	columns map[string]Set // by name in lower case
	any     Set            // privileges on at least one column
}

// newAccess computes what account may do with roles; all are the accounts and roles of the store.
func newAccess(all map[ID]*Account, account *Account, roles []ID, version uint64) *Access {
	a := &Access{Account: account, Roles: roles, Version: version, tables: map[object]*tableAccess{}, routines: map[routine]Set{}}
	a.add(account)
	seen := map[ID]bool{account.ID: true}
	for queue := slices.Clone(roles); len(queue) > 0; queue = queue[1:] {
		r := all[queue[0]]
		if r == nil || seen[r.ID] {
			continue
		}
		seen[r.ID] = true
		a.add(r)
		for _, g := range r.Roles {
			queue = append(queue, g.Role)
		}
	}
	a.unrestricted = a.global.HasAll(GlobalLevel)
	return a
}

// Unrestricted reports whether the account has all privileges everywhere, so that no other check is
// needed.
func (a *Access) Unrestricted() bool { return a == nil || a.unrestricted }

func (a *Access) add(from *Account) {
	a.sources = append(a.sources, from)
	a.global, a.grantable = a.global.With(from.Global), a.grantable.With(from.Grantable)
	for _, g := range from.Tables {
		key := objectOf(g.Schema, g.Name)
		t := a.tables[key]
		if t == nil {
			t = &tableAccess{columns: map[string]Set{}}
			a.tables[key] = t
		}
		t.privs = t.privs.With(g.Privs)
		for _, c := range g.Columns {
			name := strings.ToLower(c.Name)
			t.columns[name] = t.columns[name].With(c.Privs)
			t.any = t.any.With(c.Privs)
		}
	}
	for _, g := range from.Routines {
		key := routine{objectOf(g.Schema, g.Name), g.Function}
		a.routines[key] = a.routines[key].With(g.Privs)
	}
}

// Has reports whether the account has a global privilege.
func (a *Access) Has(p Privilege) bool { return a == nil || a.global.Has(p) }

// HasAny reports whether the account has one of these global privileges.
func (a *Access) HasAny(all ...Privilege) bool {
	return a == nil || slices.ContainsFunc(all, a.global.Has)
}

// Global returns the global privileges.
func (a *Access) Global() Set {
	if a == nil {
		return GlobalLevel
	}
	return a.global
}

// CanGrant reports whether the account has a dynamic privilege WITH GRANT OPTION.
func (a *Access) CanGrant(p Privilege) bool { return a == nil || a.grantable.Has(p) }

// Schema returns the privileges on a database, global ones included.
func (a *Access) Schema(name string) Set {
	if a == nil {
		return GlobalLevel
	}
	return a.global.With(a.schemaOnly(name))
}

// schemaOnly returns the privileges granted on a database: of each source, only the grant with the
// most specific pattern counts.
func (a *Access) schemaOnly(name string) (s Set) {
	for _, from := range a.sources {
		best := -1
		var privs Set
		for _, g := range from.Schemas {
			rank := literalPrefix(g.Name)
			switch {
			case strings.EqualFold(unescape(g.Name), name) && !hasWildcard(g.Name):
				rank = 1 << 16
			case !like(strings.ToLower(g.Name), strings.ToLower(name)):
				continue
			}
			if rank > best {
				best, privs = rank, g.Privs
			}
		}
		s = s.With(privs)
	}
	return s
}

// unescape removes the backslashes before the wildcards of a pattern.
func unescape(pattern string) string {
	return strings.NewReplacer(`\_`, "_", `\%`, "%").Replace(pattern)
}

// Table returns the privileges on a whole table, those on its database included.
func (a *Access) Table(schema, name string) Set {
	s := a.Schema(schema)
	if a != nil && len(a.tables) > 0 {
		if t := a.tables[objectOf(schema, name)]; t != nil {
			s = s.With(t.privs)
		}
	}
	return s
}

// AnyColumn returns the privileges that column grants give on at least one column of a table.
func (a *Access) AnyColumn(schema, name string) (s Set) {
	if a == nil || len(a.tables) == 0 {
		return s
	}
	if t := a.tables[objectOf(schema, name)]; t != nil {
		s = t.any
	}
	return s
}

// Column returns the privileges on a column of a table, those on the table included.
func (a *Access) Column(schema, table, column string) Set {
	s := a.Table(schema, table)
	if a != nil && len(a.tables) > 0 {
		if t := a.tables[objectOf(schema, table)]; t != nil {
			s = s.With(t.columns[strings.ToLower(column)])
		}
	}
	return s
}

// Routine returns the privileges on a procedure or a function, those on its database included.
func (a *Access) Routine(schema, name string, function bool) Set {
	s := a.Schema(schema)
	if a != nil && len(a.routines) > 0 {
		s = s.With(a.routines[routine{objectOf(schema, name), function}])
	}
	return s
}

// SeesSchema reports whether the account may know that a database exists: it has some privilege on
// it, or on something in it.
func (a *Access) SeesSchema(name string) bool {
	if a == nil || a.global.HasAny(schemaLevel.With(SetOf(ShowDatabases))) || !a.schemaOnly(name).Empty() {
		return true
	}
	for t := range a.tables {
		if strings.EqualFold(t.schema, name) {
			return true
		}
	}
	for r := range a.routines {
		if strings.EqualFold(r.schema, name) {
			return true
		}
	}
	return false
}

// SeesTable reports whether the account may know that a table exists: it has some privilege on it.
func (a *Access) SeesTable(schema, name string) bool {
	return a.Table(schema, name).HasAny(TableLevel) || !a.AnyColumn(schema, name).Empty()
}

// adminOf reports whether the account, or one of its active roles, has a role WITH ADMIN OPTION.
func (a *Access) adminOf(role ID) bool {
	return slices.ContainsFunc(a.sources, func(from *Account) bool {
		g := from.granted(role)
		return g != nil && g.Admin
	})
}

// IsActive reports whether a role is active, or is granted to an active one.
func (a *Access) IsActive(role ID) bool {
	return a == nil || slices.ContainsFunc(a.sources[1:], func(r *Account) bool { return r.ID == role })
}
