package instr

import "slices"

// SetupActor is a row of setup_actors. "%" stands for any host, user or role.
type SetupActor struct {
	Host, User, Role string
	Enabled, History bool
}

// setupActors are the rows of setup_actors. Guarded by threads.mu.
type setupActors struct {
	rows  []*SetupActor // in the order in which they were added
	byKey map[setupActorKey]*SetupActor
}

// setupActorKey is what tells a row from all others, the host in lower case.
type setupActorKey struct{ host, user, role string }

func (a *SetupActor) key() setupActorKey {
	return setupActorKey{lowerASCII(a.Host), a.User, a.Role}
}

func (s *setupActors) init() {
	s.byKey = map[setupActorKey]*SetupActor{}
	s.add(SetupActor{"%", "%", "%", true, true})
}

func (s *setupActors) add(a SetupActor) {
	s.rows = append(s.rows, &a)
	s.byKey[a.key()] = &a
}

// flags are the flags that a thread of an account gets at login.
func (s *setupActors) flags(name Account) uint32 {
	if name.User == "" || name.Host == "" {
		return threadInstrumented | threadHistory
	}
	for _, a := range [...]SetupActor{
		{Host: name.Host, User: name.User, Role: "%"},
		{Host: "%", User: name.User, Role: "%"},
		{Host: name.Host, User: "%", Role: "%"},
		{Host: "%", User: "%", Role: "%"},
	} {
		if row := s.byKey[a.key()]; row != nil {
			return threadFlags(row.Enabled, row.History)
		}
	}
	return 0
}

// setupActorsChanged updates the flags of accounts after a change of the rows. Threads keep theirs.
// The caller holds threads.mu.
func (as *actors) setupActorsChanged() {
	for _, a := range as.levels[LevelAccount].all {
		a.flags = as.setup.flags(a.name)
	}
}

// Actors returns the rows of setup_actors, in the order in which they were added. Safe for
// concurrent use.
func (h Setup) Actors() []SetupActor {
	h.r.threads.mu.Lock()
	defer h.r.threads.mu.Unlock()
	setup := &h.r.threads.actors.setup
	rows := make([]SetupActor, len(setup.rows))
	for i, a := range setup.rows {
		rows[i] = *a
	}
	return rows
}

// Actor returns the row with this host, user and role, if there is one. Safe for
// concurrent use.
func (h Setup) Actor(host, user, role string) (row SetupActor, ok bool) {
	h.r.threads.mu.Lock()
	defer h.r.threads.mu.Unlock()
	a := h.r.threads.actors.setup.byKey[(&SetupActor{Host: host, User: user, Role: role}).key()]
	if a == nil {
		return row, false
	}
	return *a, true
}

// AddActor adds a row, for the logins from now on. It returns ErrEmptyName if the host,
// the user or the role is empty, ErrFull beyond LimitSetupActors, and ErrDuplicate if there
// is a row with the same three. Safe for concurrent use.
func (h Setup) AddActor(a SetupActor) error {
	if a.Host == "" || a.User == "" || a.Role == "" {
		return ErrEmptyName
	}
	h.r.threads.mu.Lock()
	defer h.r.threads.mu.Unlock()
	as := &h.r.threads.actors
	if limit := h.Limit(LimitSetupActors); limit >= 0 && len(as.setup.rows) >= limit {
		return ErrFull
	}
	if as.setup.byKey[a.key()] != nil {
		return ErrDuplicate
	}
	as.setup.add(a)
	as.setupActorsChanged()
	return nil
}

// UpdateActor lets set change the switches of the row with the same host, user and
// role as a, if there is one, for the logins from now on. set must not use the registry.
// Safe for concurrent use.
func (h Setup) UpdateActor(a SetupActor, set func(row *SetupActor)) {
	h.r.threads.mu.Lock()
	defer h.r.threads.mu.Unlock()
	as := &h.r.threads.actors
	if row := as.setup.byKey[a.key()]; row != nil {
		changed := *row
		set(&changed)
		row.Enabled, row.History = changed.Enabled, changed.History
		as.setupActorsChanged()
	}
}

// RemoveActor removes the row with this host, user and role, if there is one. Safe for
// concurrent use.
func (h Setup) RemoveActor(host, user, role string) {
	h.r.threads.mu.Lock()
	defer h.r.threads.mu.Unlock()
	as := &h.r.threads.actors
	key := (&SetupActor{Host: host, User: user, Role: role}).key()
	if row := as.setup.byKey[key]; row != nil {
		delete(as.setup.byKey, key)
		as.setup.rows = slices.DeleteFunc(as.setup.rows, func(a *SetupActor) bool { return a == row })
		as.setupActorsChanged()
	}
}

// ClearActors removes all rows: TRUNCATE. A thread that logs in and has no row is not instrumented.
// Safe for concurrent use.
func (h Setup) ClearActors() {
	h.r.threads.mu.Lock()
	defer h.r.threads.mu.Unlock()
	as := &h.r.threads.actors
	as.setup.rows = nil
	clear(as.setup.byKey)
	as.setupActorsChanged()
}
