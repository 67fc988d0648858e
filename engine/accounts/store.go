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
	state           atomic.Pointer[state]
	mu              sync.Mutex // held while accounts change
	persist         func([]byte) error
	saved           []byte // guarded by mu
	passwordDigests passwordDigests
	locks           passwordLocks
	used            resources
	decoys          map[string]*Account // by plugin
	// hashes and scrambles are the counts of SignInWork.
	hashes, scrambles atomic.Uint64
	// AllowNative allows the plugin mysql_native_password. Set it before the store is used.
	AllowNative bool
}

// state is a version of all accounts. It is immutable.
type state struct {
	version uint64
	all     map[ID]*Account
	sorted  []*Account // by specificity of host and user
	// nativeShare is the share of the accounts with mysql_native_password.
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

// Open makes a store with the accounts of data, which an earlier store gave to persist. Without
// data the only account is 'root'@'localhost', with all privileges and no password. The store calls
// persist with its accounts when they change; with nil, it keeps them only in memory.
func Open(data []byte, persist func([]byte) error) (*Store, error) {
	s := &Store{persist: persist, decoys: map[string]*Account{CachingSHA2: newDecoy(CachingSHA2), Native: newDecoy(Native)}}
	all := map[ID]*Account{}
	if data == nil {
		root := superUser(ID{"root", "localhost"})
		all[root.ID] = root
		s.saved, _ = encode(all) // the default accounts need not be saved
	} else {
		var list []*Account
		if err := json.Unmarshal(data, &list); err != nil {
			return nil, fmt.Errorf("accounts: %w", err)
		}
		for _, a := range list {
			all[a.ID] = a
		}
		s.saved = bytes.TrimSuffix(data, []byte("\n"))
	}
	s.state.Store(newState(1, all))
	return s, nil
}

// CloseRoot gives 'root'@'localhost', the only account of a new store, a random password that nobody
// knows. Call it before the store is used.
func (s *Store) CloseRoot() error {
	password, err := RandomPassword()
	if err != nil {
		return err
	}
	root := superUser(ID{"root", "localhost"})
	if root.Auth, err = hashPassword(CachingSHA2, password); err != nil {
		return err
	}
	all := map[ID]*Account{root.ID: root}
	s.saved, _ = encode(all)
	s.state.Store(newState(1, all))
	return nil
}

// superUser returns an account with all privileges and no password.
func superUser(id ID) *Account {
	return &Account{ID: id, Plugin: CachingSHA2, PasswordChanged: time.Now(), Global: GlobalLevel, Grantable: dynamicPrivileges()}
}

// Version returns the version of the accounts, which each change increases.
func (s *Store) Version() uint64 { return s.state.Load().version }

// Match returns the account that a client logs in with, nil if there is none.
func (s *Store) Match(c Client) *Account {
	for _, a := range s.state.Load().sorted {
		if a.matches(c) {
			return a
		}
	}
	return nil
}

// Definer returns the account that is the definer of a program or a view: a program may have recorded
// the client's host, which no account has, in place of the account's host pattern.
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

// All returns the accounts and roles, sorted by user and host.
func (s *Store) All() []*Account {
	return slices.SortedFunc(maps.Values(s.state.Load().all), func(a, b *Account) int { return compareIDs(a.ID, b.ID) })
}

// Access returns what an account may do with roles active; nil if there is no such account.
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

// Protected reports whether an account has SYSTEM_USER, directly or by a role: only accounts that
// have it too may change it, end its sessions, or make it a definer.
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

// NoAccess returns the access of a session whose account was dropped: it may do nothing.
func (s *Store) NoAccess(id ID) *Access {
	return newAccess(nil, &Account{ID: id}, nil, s.Version())
}

// granted returns the grant of a role to the account, nil if there is none.
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
		if err := s.save(all); err != nil {
			return err
		}
	}
	s.state.Store(next)
	return nil
}

// save gives the accounts to persist if they changed. The caller holds mu.
func (s *Store) save(all map[ID]*Account) error {
	data, err := encode(all)
	if err != nil || bytes.Equal(data, s.saved) {
		return err
	}
	if err := s.persist(append(data, '\n')); err != nil {
		s.saved = nil // it is not known what was written
		return sqlError(1030, "HY000", "Got error %d - '%s' from storage engine", -1, err)
	}
	s.saved = data
	return nil
}

// encode returns the accounts that are not temporary as persist gets them.
func encode(all map[ID]*Account) ([]byte, error) {
	list := slices.SortedFunc(maps.Values(all), func(a, b *Account) int { return compareIDs(a.ID, b.ID) })
	list = slices.DeleteFunc(list, func(a *Account) bool { return a.temporary })
	return json.MarshalIndent(list, "", "\t")
}

// Replace replaces the accounts that are not temporary by those that with returns. It is an error
// if there are none.
func (s *Store) Replace(with func(all []*Account) []*Account) error {
	return s.change(func(all map[ID]*Account) error {
		list := with(slices.SortedFunc(maps.Values(all), func(a, b *Account) int { return compareIDs(a.ID, b.ID) }))
		maps.DeleteFunc(all, func(_ ID, a *Account) bool { return !a.temporary })
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

// AddTemporary adds an account that is never saved, for a client inside the process. Its privileges
// are granted by statements.
func (s *Store) AddTemporary(user, password string) error {
	auth, err := hashPassword(CachingSHA2, password)
	if err != nil {
		return err
	}
	return s.change(func(all map[ID]*Account) error {
		a := &Account{ID: ID{user, "%"}, Plugin: CachingSHA2, Auth: auth, PasswordChanged: time.Now(), temporary: true}
		all[a.ID] = a
		return nil
	})
}

// MarshalText implements encoding.TextMarshaler: it writes the names of the privileges.
func (s Set) MarshalText() ([]byte, error) { return []byte(strings.Join(s.Names(), ",")), nil }

// UnmarshalText implements encoding.TextUnmarshaler. An unknown privilege is an error.
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
