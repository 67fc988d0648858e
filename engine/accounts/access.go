package accounts

import (
	"slices"
	"strings"
)

// Access is what an account may do, together with the roles that it has taken on. It does not
// change; Store.Access makes it. A nil Access is that of the server itself, which may do
// everything.
type Access struct {
	// Account is the account, and Roles are the roles that are active, in their order.
	Account *Account
	Roles   []ID
	// Version is that of the store when it was made.
	Version uint64

	global       Set
	unrestricted bool // it has all privileges everywhere
	grantable    Set
	sources      []*Account // the account, and all roles that come with it
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
	any     Set            // of one column or another
}

// newAccess works out what account may do with roles, and with mandatory being what all have.
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

// Unrestricted tells whether it has all privileges everywhere, so that nothing else need be asked about it.
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

// Has tells whether it has a privilege for the whole server.
func (a *Access) Has(p Privilege) bool { return a == nil || a.global.Has(p) }

// HasAny tells whether it has one of these privileges for the whole server.
func (a *Access) HasAny(all ...Privilege) bool {
	return a == nil || slices.ContainsFunc(all, a.global.Has)
}

// Global is what it may do everywhere.
func (a *Access) Global() Set {
	if a == nil {
		return GlobalLevel
	}
	return a.global
}

// CanGrant tells whether it can pass on a dynamic privilege.
func (a *Access) CanGrant(p Privilege) bool { return a == nil || a.grantable.Has(p) }

// Schema is what it may do in a database.
func (a *Access) Schema(name string) Set {
	if a == nil {
		return GlobalLevel
	}
	return a.global.With(a.schemaOnly(name))
}

// schemaOnly is what it has been granted for a database: of each source the grant whose
// pattern is for the fewest databases counts.
func (a *Access) schemaOnly(name string) (s Set) {
	for _, from := range a.sources {
		best := -1
		var privs Set
		for _, g := range from.Schemas {
			rank := literalPrefix(g.Name)
			switch {
			case strings.EqualFold(unescaped(g.Name), name) && !wild(g.Name):
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

// unescaped is a pattern without the backslashes before its wildcards.
func unescaped(pattern string) string {
	return strings.NewReplacer(`\_`, "_", `\%`, "%").Replace(pattern)
}

// Table is what it may do with a table, all of its columns included.
func (a *Access) Table(schema, name string) Set {
	s := a.Schema(schema)
	if a != nil && len(a.tables) > 0 {
		if t := a.tables[objectOf(schema, name)]; t != nil {
			s = s.With(t.privs)
		}
	}
	return s
}

// AnyColumn is what it may do with one column or another of a table, by grants for columns.
func (a *Access) AnyColumn(schema, name string) (s Set) {
	if a == nil || len(a.tables) == 0 {
		return s
	}
	if t := a.tables[objectOf(schema, name)]; t != nil {
		s = t.any
	}
	return s
}

// Column is what it may do with a column of a table, be it by a grant for the column or by one
// for more.
func (a *Access) Column(schema, table, column string) Set {
	s := a.Table(schema, table)
	if a != nil && len(a.tables) > 0 {
		if t := a.tables[objectOf(schema, table)]; t != nil {
			s = s.With(t.columns[strings.ToLower(column)])
		}
	}
	return s
}

// Routine is what it may do with a procedure, or with a function.
func (a *Access) Routine(schema, name string, function bool) Set {
	s := a.Schema(schema)
	if a != nil && len(a.routines) > 0 {
		s = s.With(a.routines[routine{objectOf(schema, name), function}])
	}
	return s
}

// SeesSchema tells whether it may know that there is a database: it has some privilege on it,
// or on something in it.
func (a *Access) SeesSchema(name string) bool {
	if a == nil || a.global.HasAny(SchemaLevel.With(SetOf(ShowDatabases))) || !a.schemaOnly(name).Empty() {
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

// SeesTable tells whether it may know that there is a table: it has some privilege on it.
func (a *Access) SeesTable(schema, name string) bool {
	return a.Table(schema, name).HasAny(TableLevel) || !a.AnyColumn(schema, name).Empty()
}

// adminOf tells whether the account, or a role that has been taken on, may pass on a role.
func (a *Access) adminOf(role ID) bool {
	return slices.ContainsFunc(a.sources, func(from *Account) bool {
		g := from.granted(role)
		return g != nil && g.Admin
	})
}

// IsActive tells whether a role is one of those that have been taken on, or comes with one.
func (a *Access) IsActive(role ID) bool {
	return a == nil || slices.ContainsFunc(a.sources[1:], func(r *Account) bool { return r.ID == role })
}
