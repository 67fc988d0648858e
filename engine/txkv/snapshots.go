package txkv

import (
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// snapshots are the states of the store that transactions read. To take and to give back one of Pebble's costs more than to read a row, so
// transactions that begin to read while nothing is committed share one. It is kept when nobody reads it any more, until the next
// commit, which closes it before Pebble would have to keep for it what the commit replaces. Safe for concurrent use.
//
// A flush or compaction that begins after Pebble has a commit's keys, and before it shows them, keeps no older versions of those keys for a snapshot
// or a read of the newest state that begins a moment later, which would then find neither (cockroachdb/pebble issue 6085, open). So who
// begins to read waits for such a commit's end.
type snapshots struct {
	db     *pebble.DB
	faults *faults
	from   atomic.Uint64 // counts the commits that have begun to be applied
	to     atomic.Uint64 // counts those of them that are applied
	idle   atomic.Bool   // last has no users
	jobs   atomic.Uint64 // openCommits, aJobBegan and jobsBegun
	// reshaped counts the flushes and compactions after which spares were closed.
	reshaped atomic.Uint64

	mu      sync.Mutex
	last    *snapshot              // the one to share; nil if there is none; guarded by mu
	open    map[*snapshot]struct{} // that are not closed; guarded by mu
	settled chan struct{}          // closed when aJobBegan ends; nil if nobody waits; guarded by mu
}

// The parts of snapshots.jobs.
const (
	openCommits = 1<<32 - 1 // how many commits are being applied
	aJobBegan   = 1 << 32   // a flush or a compaction has begun while one of them was
	jobsBegun   = 1 << 33   // counts those that did
)

// snapshot is a state that transactions share.
type snapshot struct {
	*pebble.Snapshot
	of     *snapshots
	at     uint64 // commits it has; no other had begun
	users  int    // guarded by snapshots.mu
	spares spares
}

// take returns a snapshot of the newest state.
func (s *snapshots) take() *snapshot {
	for {
		since := s.steady()
		if taken := s.tryTake(since); taken != nil {
			return taken
		}
	}
}

// tryTake returns nil if a flush or compaction came between.
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
	alone := to == s.from.Load() // else it may lack what is visible a moment later
	taken := &snapshot{Snapshot: s.db.NewSnapshot(), of: s, at: to, users: 1}
	if s.disturbed(since) {
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

// jobBegins notes that a flush or a compaction begins. It has not asked Pebble for its snapshots yet.
func (s *snapshots) jobBegins() {
	for {
		old := s.jobs.Load()
		if old&openCommits == 0 || s.jobs.CompareAndSwap(old, (old|aJobBegan)+jobsBegun) {
			return
		}
	}
}

// steady returns what disturbed wants, when there is no commit during which a job has begun. It does not wait for a device that fails:
// then no commit of files comes as far as to have keys that it does not show.
func (s *snapshots) steady() uint64 {
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
		if s.settled == nil {
			s.settled = make(chan struct{})
		}
		settled := s.settled
		s.mu.Unlock()
		select {
		case <-settled:
		case <-noted:
		}
	}
}

// disturbed tells whether a job has begun, during a commit, since steady returned since: what was begun to be read may lack keys.
func (s *snapshots) disturbed(since uint64) bool { return s.jobs.Load()/jobsBegun != since/jobsBegun }

// give gives back a snapshot that take has returned.
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
	if s.from.Load() != taken.at { // a commit that has begun just now may have seen it in use
		s.drop()
	}
}

// begin notes that a commit is about to be applied, and end that it is, or has failed.
func (s *snapshots) begin() {
	s.jobs.Add(1)
	s.from.Add(1)
	if s.idle.Load() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.drop()
	}
}

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
			if s.settled != nil {
				close(s.settled)
				s.settled = nil
			}
		}
		return
	}
}

// drop has the last snapshot not be shared any more. The caller holds mu.
func (s *snapshots) drop() {
	if s.last != nil && s.last.users == 0 {
		s.discard(s.last)
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

// state is what can be read: a snapshot of Pebble's, or newest.
type state interface {
	// value returns a copy of the value of a key, nil if there is none.
	value(key []byte) ([]byte, error)
	// iterate returns an iterator of a range, which end takes back.
	iterate(lo, hi []byte) (*spare, error)
	end(it *spare) error
}

// newest is the newest committed state at each call.
type newest struct{ *snapshots }

// value implements state.
func (n newest) value(key []byte) ([]byte, error) {
	for {
		since := n.steady()
		value, err := valueOf(n.db.Get(key))
		if !n.disturbed(since) {
			return value, err
		}
	}
}

// iterate implements state.
func (n newest) iterate(lo, hi []byte) (*spare, error) {
	for {
		since := n.steady()
		it, err := newSpare(n.db, lo, hi)
		if err != nil || !n.disturbed(since) {
			return it, err
		}
		_ = it.Close()
	}
}

// end implements state.
func (n newest) end(it *spare) error { return ioError(it.Close()) }
