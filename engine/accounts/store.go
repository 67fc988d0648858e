package accounts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Store holds the accounts. Safe for concurrent use.
type Store struct {
	state   atomic.Pointer[state]
	mu      sync.Mutex // of who changes them
	persist func([]byte) error
	kept    []byte // guarded by mu
	digests digests
	locks   passwordLocks
	decoys  map[string]*Account // by plugin
	// hashes and scrambles are what Work tells of.
	hashes, scrambles atomic.Uint64
	// AllowNative lets accounts have the plugin mysql_native_password. It is set before the
	// store is used.
	AllowNative bool
}

// state is a version of all accounts; it does not change.
type state struct {
	version uint64
	all     map[ID]*Account
	sorted  []*Account // by how specific they are
	// nativeShare is which part of the accounts has the plugin mysql_native_password.
	nativeShare float64
}

func newState(version uint64, all map[ID]*Account) *state {
	native := 0
	for _, a := range all {
		if a.Plugin == Native {
			native++
		}
	}
	return &state{version, all, slices.SortedFunc(maps.Values(all), bySpecificity), float64(native) / float64(max(len(all), 1))}
}

// Open makes a store with the accounts of data, which persist was called with before. Without
// data the only account is 'root'@'localhost', which has all privileges and no password. persist
// keeps the accounts where they will be found; nil keeps them in memory alone.
func Open(data []byte, persist func([]byte) error) (*Store, error) {
	s := &Store{persist: persist, decoys: map[string]*Account{CachingSHA2: newDecoy(CachingSHA2), Native: newDecoy(Native)}}
	all := map[ID]*Account{}
	if data == nil {
		root := superUser(ID{"root", "localhost"})
		all[root.ID] = root
		s.kept, _ = kept(all) // nobody need keep what is so by default
	} else {
		var list []*Account
		if err := json.Unmarshal(data, &list); err != nil {
			return nil, fmt.Errorf("accounts: %w", err)
		}
		for _, a := range list {
			all[a.ID] = a
		}
		s.kept = bytes.TrimSuffix(data, []byte("\n"))
	}
	s.state.Store(newState(1, all))
	return s, nil
}

// CloseRoot gives the only account of a new store, 'root'@'localhost', a password that nobody knows.
// It is for the time before the store is used.
func (s *Store) CloseRoot() error {
	password, err := RandomPassword()
	if err != nil {
		return err
	}
	root := superUser(ID{"root", "localhost"})
	if root.Auth, err = hashed(CachingSHA2, password); err != nil {
		return err
	}
	all := map[ID]*Account{root.ID: root}
	s.kept, _ = kept(all)
	s.state.Store(newState(1, all))
	return nil
}

// superUser has all privileges and no password.
func superUser(id ID) *Account {
	return &Account{ID: id, Plugin: CachingSHA2, PasswordChanged: time.Now(), Global: GlobalLevel, Grantable: dynamicPrivileges()}
}

// Version changes with the accounts.
func (s *Store) Version() uint64 { return s.state.Load().version }

// Match finds the account that a client is to log in with, nil if there is none.
func (s *Store) Match(c Client) *Account {
	for _, a := range s.state.Load().sorted {
		if a.matches(c) {
			return a
		}
	}
	return nil
}

// Definer is the account that the definer of a program or a view means: programs know the host
// that the client came from, where there is no account with that host.
func (s *Store) Definer(id ID) ID {
	if s.Account(id) == nil {
		if a := s.Match(Client{User: id.User, Host: id.Host}); a != nil && a.User == id.User {
			return a.ID
		}
	}
	return id
}

// Account returns an account, nil if there is none.
func (s *Store) Account(id ID) *Account { return s.state.Load().all[id] }

// All are the accounts and roles, sorted by name and host.
func (s *Store) All() []*Account {
	return slices.SortedFunc(maps.Values(s.state.Load().all), func(a, b *Account) int { return compareIDs(a.ID, b.ID) })
}

// Access is what an account may do while the roles are active; nil if there is no such account.
func (s *Store) Access(id ID, roles []ID) *Access {
	st := s.state.Load()
	account := st.all[id]
	if account == nil {
		return nil
	}
	var active []ID
	for _, r := range roles {
		if st.all[r] != nil && account.granted(r) != nil {
			active = append(active, r)
		}
	}
	return newAccess(st.all, account, active, st.version)
}

// Protected tells whether an account has SYSTEM_USER, by itself or by a role that it has when it logs in: only those who
// have it, too, may change it, or have something done on its behalf.
func (s *Store) Protected(id ID) bool { return protected(s.state.Load().all, id) }

func protected(all map[ID]*Account, id ID) bool {
	seen := map[ID]bool{}
	var has func(ID) bool
	has = func(id ID) bool {
		a := all[id]
		if a == nil || seen[id] {
			return false
		}
		seen[id] = true
		return a.Global.Has(SystemUser) || slices.ContainsFunc(a.Roles, func(g RoleGrant) bool { return has(g.Role) })
	}
	return has(id)
}

// Nobody is the access of a session whose account has been dropped: it may do nothing.
func (s *Store) Nobody(id ID) *Access {
	return newAccess(nil, &Account{ID: id}, nil, s.Version())
}

// granted is the grant of a role to the account, nil if there is none.
func (a *Account) granted(role ID) *RoleGrant {
	for i := range a.Roles {
		if a.Roles[i].Role == role {
			return &a.Roles[i]
		}
	}
	return nil
}

// change makes a new version of the accounts. do gets a copy of the map, whose accounts it may
// replace but not change.
func (s *Store) change(do func(all map[ID]*Account) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.state.Load()
	all := maps.Clone(st.all)
	if err := do(all); err != nil {
		return err
	}
	next := newState(st.version+1, all)
	if s.persist != nil {
		if err := s.keep(all); err != nil {
			return err
		}
	}
	s.state.Store(next)
	return nil
}

// keep has accounts kept, if those that last are not the same as before. The caller holds mu.
func (s *Store) keep(all map[ID]*Account) error {
	data, err := kept(all)
	if err != nil || bytes.Equal(data, s.kept) {
		return err
	}
	if err := s.persist(append(data, '\n')); err != nil {
		s.kept = nil // what is there is not known
		return sqlError(1030, "HY000", "Got error %d - '%s' from storage engine", -1, err)
	}
	s.kept = data
	return nil
}

// kept is the accounts that last as they are kept.
func kept(all map[ID]*Account) ([]byte, error) {
	list := slices.SortedFunc(maps.Values(all), func(a, b *Account) int { return compareIDs(a.ID, b.ID) })
	list = slices.DeleteFunc(list, func(a *Account) bool { return a.passing })
	return json.MarshalIndent(list, "", "\t")
}

// Replace puts the accounts that with makes of all there are in the place of those that last. It is an error if there are none.
func (s *Store) Replace(with func(all []*Account) []*Account) error {
	return s.change(func(all map[ID]*Account) error {
		list := with(slices.SortedFunc(maps.Values(all), func(a, b *Account) int { return compareIDs(a.ID, b.ID) }))
		maps.DeleteFunc(all, func(_ ID, a *Account) bool { return !a.passing })
		some := false
		for _, a := range list {
			if all[a.ID] == nil {
				all[a.ID], some = a, true
			}
		}
		if !some {
			return sqlError(1133, "42000", "Can't find any matching row in the user table")
		}
		return nil
	})
}

// Lend makes an account that ends with the process, for a client that is part of it; what it may
// do is granted by statements.
func (s *Store) Lend(user, password string) error {
	auth, err := hashed(CachingSHA2, password)
	if err != nil {
		return err
	}
	return s.change(func(all map[ID]*Account) error {
		a := &Account{ID: ID{user, "%"}, Plugin: CachingSHA2, Auth: auth, PasswordChanged: time.Now(), passing: true}
		all[a.ID] = a
		return nil
	})
}

// MarshalText implements encoding.TextMarshaler: the names of the privileges.
func (s Set) MarshalText() ([]byte, error) { return []byte(strings.Join(s.Names(), ",")), nil }

// UnmarshalText implements encoding.TextUnmarshaler. A privilege that is not known is an error.
func (s *Set) UnmarshalText(text []byte) error {
	*s = Set{}
	if len(text) == 0 {
		return nil
	}
	for name := range strings.SplitSeq(string(text), ",") {
		i := slices.Index(privilegeNames[:], name)
		if i < 0 {
			return fmt.Errorf("no privilege '%s'", name)
		}
		*s = s.With(SetOf(Privilege(i)))
	}
	return nil
}
