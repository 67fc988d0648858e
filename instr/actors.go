package instr

// ActorLevel is one of the tables accounts, users and hosts.
type ActorLevel uint8

// The levels.
const (
	LevelAccount ActorLevel = iota
	LevelUser
	LevelHost
)

// Actor is a copy of a row of accounts, users or hosts. User and Host are "" where the table
// shows NULL, and where it has no such column.
type Actor struct {
	User, Host string
	// Current is how many threads there are now, Total those that have ended, too.
	Current, Total int64
}

// ActorWaits is the waits of an account, a user or a host.
type ActorWaits struct {
	User, Host string
}

// Waits is the statistics of a class.
func (a *ActorWaits) Waits(c *Class) Stat { return NoStat }

// Actors returns the rows of accounts, users or hosts. Safe for concurrent use.
func (r *Registry) Actors(l ActorLevel) []Actor { return nil }

// ActorWaits returns the waits of all accounts, users or hosts that only says true of; nil
// means all. Each wait that ended before the call counts exactly once. Safe for concurrent use.
func (r *Registry) ActorWaits(l ActorLevel, only func(user, host string) bool) []ActorWaits {
	return nil
}

// ResetThreadWaits moves the statistics of all threads to their accounts, or else to their
// users and hosts. Safe for concurrent use.
func (r *Registry) ResetThreadWaits() {}

// ResetActorWaits empties the statistics of a level: TRUNCATE of
// events_waits_summary_by_account_by_event_name and its sisters. Safe for concurrent use.
func (r *Registry) ResetActorWaits(l ActorLevel) {}

// TruncateActors is TRUNCATE of accounts, users or hosts. Safe for concurrent use.
func (r *Registry) TruncateActors(l ActorLevel) {}
