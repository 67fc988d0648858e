package instr

// SetupActor is a row of setup_actors. "%" stands for any host, user or role.
type SetupActor struct {
	Host, User, Role string
	Enabled, History bool
}

// SetupActors returns the rows of setup_actors. Safe for concurrent use.
func (r *Registry) SetupActors() []SetupActor { return nil }

// AddSetupActor adds a row. It returns ErrDuplicate, ErrFull or ErrEmptyName. Safe for
// concurrent use.
func (r *Registry) AddSetupActor(a SetupActor) error { return nil }

// UpdateSetupActor sets the switches of the row with the same host, user and role, if there
// is one. Safe for concurrent use.
func (r *Registry) UpdateSetupActor(a SetupActor) {}

// RemoveSetupActor removes the row with this host, user and role, if there is one. Safe for
// concurrent use.
func (r *Registry) RemoveSetupActor(host, user, role string) {}

// ClearSetupActors removes all rows: TRUNCATE. Safe for concurrent use.
func (r *Registry) ClearSetupActors() {}
