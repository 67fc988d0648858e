package txkv

import (
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// snapshots are the states of the store that transactions read. To take and release a snapshot of
// Pebble costs more than to read a row, so transactions that begin to read while nothing is
// committed share one. An unused snapshot stays open until the next commit. The commit closes it
// before Pebble would have to keep, for the snapshot, the values that the commit replaces. Safe for
// concurrent use.
//
// A commit's keys are in Pebble a moment before Pebble shows them. A flush or compaction that
// begins in this moment keeps no older versions of these keys for a snapshot, or a read of the
// newest state, that begins a moment later. The read would then find neither version
// (cockroachdb/pebble issue 6085, open). So reads wait for the end of such a commit before they
// begin.
type snapshots struct {
	db     *pebble.DB
	faults *faults
	from   atomic.Uint64 // number of commits whose application has begun
	to     atomic.Uint64 // number of commits whose application has ended
	idle   atomic.Bool   // last has no users
	jobs   atomic.Uint64 // has openCommits, aJobBegan and jobsBegun
	// reshaped counts the flushes and compactions after which spares were closed.
	reshaped atomic.Uint64

	mu      sync.Mutex
	last    *snapshot              // the snapshot to share; nil if there is none; guarded by mu
	open    map[*snapshot]struct{} // snapshots that are not closed; guarded by mu
	cleared chan struct{}          // closed when aJobBegan is cleared; nil if nobody waits; guarded by mu
}

// The parts of snapshots.jobs.
const (
	openCommits = 1<<32 - 1 // number of commits that are being applied
	aJobBegan   = 1 << 32   // a flush or a compaction has begun while a commit was being applied
	jobsBegun   = 1 << 33   // number of flushes and compactions that have begun in this way
)

// snapshot is a state that transactions share.
type snapshot struct {
	*pebble.Snapshot
	of     *snapshots
	at     uint64 // number of commits that it has; no other commit had begun
	users  int    // guarded by snapshots.mu
	spares spares
}

// take returns a snapshot of the newest state.
func (s *snapshots) take() *snapshot {
	for {
		since := s.waitForCommits()
		if taken := s.tryTake(since); taken != nil {
			return taken
		}
	}
}

// tryTake returns nil if a flush or a compaction has begun during a commit since waitForCommits
// returned since.
func (s *snapshots) tryTake(since uint64) *snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last != nil && s.last.at == s.from.Load() {
		s.last.users++
		s.idle.Store(false)
		return s.last
	}
	s.drop()
	to := s.to.Load()
	alone := to == s.from.Load() // else the snapshot may lack commits that are visible a moment later
	taken := &snapshot{Snapshot: s.db.NewSnapshot(), of: s, at: to, users: 1}
	if s.jobBeganSince(since) {
		_ = taken.Close()
		return nil
	}
	if s.open == nil {
		s.open = map[*snapshot]struct{}{}
	}
	s.open[taken] = struct{}{}
	if alone {
		s.last = taken
	}
	return taken
}

// jobBegins notes that a flush or a compaction begins. The job has not read Pebble's snapshots yet.
func (s *snapshots) jobBegins() {
	for {
		old := s.jobs.Load()
		if old&openCommits == 0 || s.jobs.CompareAndSwap(old, (old|aJobBegan)+jobsBegun) {
			return
		}
	}
}

// waitForCommits waits until no commit is being applied during which a job has begun. It returns
// the argument for jobBeganSince. It does not wait while the device fails: then no ingest gets so
// far that Pebble has keys that it does not show.
func (s *snapshots) waitForCommits() uint64 {
	for {
		jobs := s.jobs.Load()
		if jobs&aJobBegan == 0 {
			return jobs
		}
		cause, noted := s.faults.state()
		if cause != nil {
			return jobs
		}
		s.mu.Lock()
		if s.jobs.Load()&aJobBegan == 0 {
			s.mu.Unlock()
			continue
		}
		if s.cleared == nil {
			s.cleared = make(chan struct{})
		}
		cleared := s.cleared
		s.mu.Unlock()
		select {
		case <-cleared:
		case <-noted:
		}
	}
}

// jobBeganSince reports whether a job has begun during a commit since waitForCommits returned
// since. A read that began between the two may lack keys.
func (s *snapshots) jobBeganSince(since uint64) bool {
	return s.jobs.Load()/jobsBegun != since/jobsBegun
}

// give releases a snapshot that take has returned.
func (s *snapshots) give(taken *snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if taken.users--; taken.users > 0 {
		return
	}
	if taken != s.last {
		s.discard(taken)
		return
	}
	s.idle.Store(true)
	if s.from.Load() != taken.at { // a commit that has just begun may have seen it in use, and not closed it
		s.drop()
	}
}

// begin notes that a commit is about to be applied.
func (s *snapshots) begin() {
	s.jobs.Add(1)
	s.from.Add(1)
	if s.idle.Load() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.drop()
	}
}

// end notes that a commit is applied, or has failed.
func (s *snapshots) end() {
	s.to.Add(1)
	for {
		old := s.jobs.Load()
		left := old - 1
		if left&openCommits == 0 {
			left &^= aJobBegan
		}
		if !s.jobs.CompareAndSwap(old, left) {
			continue
		}
		if (old^left)&aJobBegan != 0 {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.cleared != nil {
				close(s.cleared)
				s.cleared = nil
			}
		}
		return
	}
}

// drop ends the sharing of the last snapshot. The caller holds mu.
func (s *snapshots) drop() {
	if s.last != nil && s.last.users == 0 {
		s.discard(s.last)
	}
	s.last = nil
	s.idle.Store(false)
}

// close closes the snapshot that nobody uses. The transactions must have ended.
func (s *snapshots) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
}

// discard closes a snapshot. The caller holds mu.
func (s *snapshots) discard(taken *snapshot) {
	taken.closeSpares()
	_ = taken.Close()
	delete(s.open, taken)
}

// reshape closes the iterators that nobody uses, after a flush or a compaction.
func (s *snapshots) reshape() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reshaped.Add(1)
	for taken := range s.open {
		taken.closeSpares()
	}
}

// state is a state of the store that can be read: a snapshot of Pebble, or newest.
type state interface {
	// value returns a copy of the value of a key, nil if there is none.
	value(key []byte) ([]byte, error)
	// iterate returns an iterator of a range. end takes it back.
	iterate(lo, hi []byte) (*spare, error)
	end(it *spare) error
}

// newest is the newest committed state at each call.
type newest struct{ *snapshots }

// value implements state.
func (n newest) value(key []byte) ([]byte, error) {
	for {
		since := n.waitForCommits()
		value, err := valueOf(n.db.Get(key))
		if !n.jobBeganSince(since) {
			return value, err
		}
	}
}

// iterate implements state.
func (n newest) iterate(lo, hi []byte) (*spare, error) {
	for {
		since := n.waitForCommits()
		it, err := newSpare(n.db, lo, hi)
		if err != nil || !n.jobBeganSince(since) {
			return it, err
		}
		_ = it.Close()
	}
}

// end implements state.
func (n newest) end(it *spare) error { return ioError(it.Close()) }
