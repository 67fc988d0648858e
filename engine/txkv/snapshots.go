package txkv

import (
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// snapshots are the states of the store that transactions read. To take and to give back one of Pebble's costs more than to read a row, so
// transactions that begin to read while nothing is committed share one. It is kept when nobody reads it any more, until the next
// commit, which closes it before Pebble would have to keep for it what the commit replaces. Safe for concurrent use.
type snapshots struct {
	db   *pebble.DB
	from atomic.Uint64 // counts the commits that have begun to be applied
	to   atomic.Uint64 // counts those of them that are applied
	idle atomic.Bool   // last has no users

	mu   sync.Mutex
	last *snapshot // the one to share; nil if there is none; guarded by mu
}

// snapshot is a state that transactions share.
type snapshot struct {
	*pebble.Snapshot
	at    uint64 // commits it has; no other had begun
	users int    // guarded by snapshots.mu
}

// take returns a snapshot of the newest state.
func (s *snapshots) take() *snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last != nil && s.last.at == s.from.Load() {
		s.last.users++
		s.idle.Store(false)
		return s.last
	}
	s.drop()
	to := s.to.Load()
	alone := to == s.from.Load() // else it may lack what is visible a moment later
	taken := &snapshot{Snapshot: s.db.NewSnapshot(), at: to, users: 1}
	if alone {
		s.last = taken
	}
	return taken
}

// give gives back a snapshot that take has returned.
func (s *snapshots) give(taken *snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if taken.users--; taken.users > 0 {
		return
	}
	if taken != s.last {
		_ = taken.Close()
		return
	}
	s.idle.Store(true)
	if s.from.Load() != taken.at { // a commit that has begun just now may have seen it in use
		s.drop()
	}
}

// begin notes that a commit is about to be applied, and end that it is, or has failed.
func (s *snapshots) begin() {
	s.from.Add(1)
	if s.idle.Load() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.drop()
	}
}

func (s *snapshots) end() { s.to.Add(1) }

// drop has the last snapshot not be shared any more. The caller holds mu.
func (s *snapshots) drop() {
	if s.last != nil && s.last.users == 0 {
		_ = s.last.Close()
	}
	s.last = nil
	s.idle.Store(false)
}

// close gives back what is kept. Nobody has a snapshot any more.
func (s *snapshots) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
}
