package instr

// SetupActor is a row of setup_actors. "%" stands for any host, user or role.
type SetupActor struct {
	Host, User, Role string
	Enabled, History bool
}

// setupActors are the rows of setup_actors. A change costs the same however many rows and accounts there are. Guarded by threads.mu.
type setupActors struct {
	rows    []*SetupActor // in the order in which they were added; nil where one has been removed
	byKey   map[setupActorKey]placedActor
	version uint64 // counts the changes
}

// placedActor is a row, and its place in rows.
type placedActor struct {
	*SetupActor
	at int
}

// mostSetupActors is how many rows there may be without a limit, as in MySQL.
const mostSetupActors = 128 << 10

// setupActorKey is what tells a row from all others, the host in lower case.
type setupActorKey struct{ host, user, role string }

func (a *SetupActor) key() setupActorKey {
	return setupActorKey{lowerASCII(a.Host), a.User, a.Role}
}

func (s *setupActors) init() {
	s.byKey = map[setupActorKey]placedActor{}
	s.add(SetupActor{"%", "%", "%", true, true})
}

func (s *setupActors) add(a SetupActor) {
	s.byKey[a.key()] = placedActor{&a, len(s.rows)}
	s.rows = append(s.rows, &a)
	s.version++
}

// remove removes a row. When half of the places are free, the rows move together.
func (s *setupActors) remove(key setupActorKey) {
	row, there := s.byKey[key]
	if !there {
		return
	}
	delete(s.byKey, key)
	s.rows[row.at] = nil
	s.version++
	if len(s.rows) >= 2*len(s.byKey) {
		rows := make([]*SetupActor, 0, len(s.byKey))
		for _, a := range s.rows {
			if a != nil {
				s.byKey[a.key()] = placedActor{a, len(rows)}
				rows = append(rows, a)
			}
		}
		s.rows = rows
	}
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
		if row, there := s.byKey[a.key()]; there {
			return threadFlags(row.Enabled, row.History)
		}
	}
	return 0
}

// accountFlags are flags of an account, which are looked up again after a change of the rows. Threads keep theirs. The caller holds
// threads.mu.
func (s *setupActors) accountFlags(a *actor) uint32 {
	if a.flagsOf != s.version {
		a.flags, a.flagsOf = s.flags(a.name), s.version
	}
	return a.flags
}

// Actors returns the rows of setup_actors, in the order in which they were added. Safe for
// concurrent use.
func (h Setup) Actors() []SetupActor {
	h.r.threads.mu.Lock()
	defer h.r.threads.mu.Unlock()
	setup := &h.r.threads.actors.setup
	rows := make([]SetupActor, 0, len(setup.byKey))
	for _, a := range setup.rows {
		if a != nil {
			rows = append(rows, *a)
		}
	}
	return rows
}

// Actor returns the row with this host, user and role, if there is one. Safe for
// concurrent use.
func (h Setup) Actor(host, user, role string) (row SetupActor, ok bool) {
	h.r.threads.mu.Lock()
	defer h.r.threads.mu.Unlock()
	a, ok := h.r.threads.actors.setup.byKey[(&SetupActor{Host: host, User: user, Role: role}).key()]
	if !ok {
		return row, false
	}
	return *a.SetupActor, true
}

// AddActor adds a row, for the logins from now on. It returns ErrEmptyName if the host,
// the user or the role is empty, ErrFull beyond LimitSetupActors, or beyond 131,072 rows if that
// is no limit, and ErrDuplicate if there is a row with the same three. Safe for concurrent use.
func (h Setup) AddActor(a SetupActor) error {
	if a.Host == "" || a.User == "" || a.Role == "" {
		return ErrEmptyName
	}
	h.r.threads.mu.Lock()
	defer h.r.threads.mu.Unlock()
	as := &h.r.threads.actors
	if len(as.setup.byKey) >= h.rowsOf(LimitSetupActors, mostSetupActors) {
		return ErrFull
	}
	if _, there := as.setup.byKey[a.key()]; there {
		return ErrDuplicate
	}
	as.setup.add(a)
	return nil
}

// UpdateActor lets set change the switches of the row with the same host, user and
// role as a, if there is one, for the logins from now on. set must not use the registry.
// Safe for concurrent use.
func (h Setup) UpdateActor(a SetupActor, set func(row *SetupActor)) {
	h.r.threads.mu.Lock()
	defer h.r.threads.mu.Unlock()
	as := &h.r.threads.actors
	if row, there := as.setup.byKey[a.key()]; there {
		changed := *row.SetupActor
		set(&changed)
		row.Enabled, row.History = changed.Enabled, changed.History
		as.setup.version++
	}
}

// RemoveActor removes the row with this host, user and role, if there is one. Safe for
// concurrent use.
func (h Setup) RemoveActor(host, user, role string) {
	h.r.threads.mu.Lock()
	defer h.r.threads.mu.Unlock()
	h.r.threads.actors.setup.remove((&SetupActor{Host: host, User: user, Role: role}).key())
}

// ClearActors removes all rows: TRUNCATE. A thread that logs in and has no row is not instrumented.
// Safe for concurrent use.
func (h Setup) ClearActors() {
	h.r.threads.mu.Lock()
	defer h.r.threads.mu.Unlock()
	as := &h.r.threads.actors
	as.setup.rows = nil
	clear(as.setup.byKey)
	as.setup.version++
}

// rowsOf is how many rows a limit allows; most is how many are allowed without a limit.
func (h Setup) rowsOf(l Limit, most int) int {
	if limit := h.Limit(l); limit >= 0 {
		return limit
	}
	return most
}
