package accounts

import (
	"sync"
	"time"
)

// Limits are what the WITH clause of CREATE USER limits; 0 means no limit.
type Limits struct {
	// MaxConnections is how many clients may be logged in at a time.
	MaxConnections int `json:",omitempty"`
	// MaxQueriesPerHour and MaxUpdatesPerHour are how many statements, and statements that change
	// data, an account may execute in an hour. MaxConnectionsPerHour is how many times it may log in.
	MaxQueriesPerHour     int `json:",omitempty"`
	MaxUpdatesPerHour     int `json:",omitempty"`
	MaxConnectionsPerHour int `json:",omitempty"`
}

// limitOptions are the options of WITH in the order of SHOW CREATE USER, and what each of them sets.
var limitOptions = [...]struct {
	name string
	of   func(*Limits) *int
}{
	{"max_queries_per_hour", func(l *Limits) *int { return &l.MaxQueriesPerHour }},
	{"max_updates_per_hour", func(l *Limits) *int { return &l.MaxUpdatesPerHour }},
	{"max_connections_per_hour", func(l *Limits) *int { return &l.MaxConnectionsPerHour }},
	{"max_user_connections", func(l *Limits) *int { return &l.MaxConnections }},
}

// CountsStatements reports whether somebody has to count the statements of the account.
func (l *Limits) CountsStatements() bool { return l.MaxQueriesPerHour != 0 || l.MaxUpdatesPerHour != 0 }

// resources count what accounts use of their Limits. As in MySQL, they are not saved. Safe for
// concurrent use.
type resources struct {
	mu  sync.Mutex
	all map[ID]*used     // guarded by mu; no more than there are accounts that use something
	now func() time.Time // nil is time.Now
}

// used is what an account uses. Guarded by resources.mu.
type used struct {
	connections                int
	queries, updates, sessions int       // in the hour
	hour                       time.Time // when it began
}

// of returns what an account uses, in an hour that is not over. The caller holds mu.
func (r *resources) of(id ID) *used {
	now := time.Now()
	if r.now != nil {
		now = r.now()
	}
	if r.all == nil {
		r.all = map[ID]*used{}
	}
	u := r.all[id]
	if u == nil {
		u = &used{hour: now}
		r.all[id] = u
	}
	if now.Sub(u.hour) >= time.Hour {
		u.queries, u.updates, u.sessions, u.hour = 0, 0, 0, now
	}
	return u
}

// Enter counts a client that logs in to an account. most is the largest number of clients of an
// account that has no limit itself, 0 for any. If the client is one too many, Enter returns error
// 1203 or 1226, and does not count the client.
func (s *Store) Enter(id ID, most int) error {
	a := s.Account(id)
	if a == nil {
		return nil
	}
	s.used.mu.Lock()
	defer s.used.mu.Unlock()
	u := s.used.of(id)
	switch {
	case a.MaxConnections == 0 && most != 0 && u.connections >= most:
		return sqlError(1203, "42000", "User %s already has more than 'max_user_connections' active connections", a.User)
	case a.MaxConnections != 0 && u.connections >= a.MaxConnections:
		return errUserLimit(a, "max_user_connections", a.MaxConnections)
	case a.MaxConnectionsPerHour != 0 && u.sessions >= a.MaxConnectionsPerHour:
		return errUserLimit(a, "max_connections_per_hour", a.MaxConnectionsPerHour)
	}
	u.connections++
	u.sessions++
	return nil
}

// Leave ends what Enter has counted.
func (s *Store) Leave(id ID) {
	s.used.mu.Lock()
	defer s.used.mu.Unlock()
	u := s.used.all[id]
	if u == nil {
		return
	}
	if u.connections--; u.connections <= 0 && s.Account(id) == nil {
		delete(s.used.all, id)
	}
}

// CountStatement counts a statement of an account; changes is true if the statement changes data. It
// returns error 1226 if the account has executed too many in this hour.
func (s *Store) CountStatement(a *Account, changes bool) error {
	s.used.mu.Lock()
	defer s.used.mu.Unlock()
	u := s.used.of(a.ID)
	if a.MaxQueriesPerHour != 0 && u.queries >= a.MaxQueriesPerHour {
		return errUserLimit(a, "max_questions", a.MaxQueriesPerHour)
	}
	if changes && a.MaxUpdatesPerHour != 0 && u.updates >= a.MaxUpdatesPerHour {
		return errUserLimit(a, "max_updates", a.MaxUpdatesPerHour)
	}
	u.queries++
	if changes {
		u.updates++
	}
	return nil
}

// BeginHour begins a new hour for all accounts, as FLUSH USER_RESOURCES does.
func (s *Store) BeginHour() {
	s.used.mu.Lock()
	defer s.used.mu.Unlock()
	for id, u := range s.used.all {
		u.queries, u.updates, u.sessions = 0, 0, 0
		if u.connections <= 0 {
			delete(s.used.all, id)
		}
	}
}

func errUserLimit(a *Account, what string, limit int) error {
	return sqlError(1226, "42000", "User '%s' has exceeded the '%s' resource (current value: %d)", a.User, what, limit)
}
