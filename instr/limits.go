package instr

// Things is what there can be so many of: "mutex instruments", "rows of accounts".
func (l Limit) Things() string { return limits[l].things }

// String is the limit's name: MySQL's system variable without performance_schema_.
func (l Limit) String() string { return limits[l].name }

// LostName is what MySQL's status variable calls what is lost beyond the limit, without
// Performance_schema_; "" where there is none.
func (l Limit) LostName() string { return limits[l].lost }

// Default is the limit until somebody sets it, and -1 for none.
func (l Limit) Default() int { return limits[l].def }

// Max is the largest number that the limit can be set to.
func (l Limit) Max() int { return limits[l].max }

// Limit is what a limit is set to, -1 for none. Safe for concurrent use.
func (h Setup) Limit(l Limit) int { return int(h.r.limits[l].Load()) }

// SetLimit sets a limit for what comes from now on; -1 is none. Safe for concurrent use.
func (h Setup) SetLimit(l Limit, n int) { h.r.limits[l].Store(int64(n)) }

// Lost is how many things were not instrumented because of a limit: of classes how many
// names, of all else how many attempts. Safe for concurrent use.
func (h Reader) Lost(l Limit) uint64 { return h.r.lost[l].Load() }

// Used is how many of the places that a limit leaves are taken. Safe for concurrent use.
func (h Reader) Used(l Limit) int { return int(h.r.used[l].Load()) }

// keptLost are the names of what ResetLost leaves as it is, see LostName.
var keptLost = map[string]bool{
	"mutex_classes_lost": true, "rwlock_classes_lost": true, "cond_classes_lost": true, "file_classes_lost": true, "socket_classes_lost": true,
	"thread_classes_lost": true, "memory_classes_lost": true, "mutex_instances_lost": true,
}

// ResetLost begins to count anew what is lost: everything that MySQL's FLUSH STATUS does, which
// leaves the classes of most kinds, and the instances of mutexes. Safe for concurrent use.
func (h Reader) ResetLost() {
	for l := range LimitCount {
		if !keptLost[limits[l].lost] {
			h.r.lost[l].Store(0)
		}
	}
	h.r.lockerLost.Store(0)
	h.r.work.nestedLost.Store(0)
	h.r.digests.lost.Store(0)
	h.r.connectAttrs.lost.Store(0)
	h.r.connectAttrs.longest.Store(0)
}

// acquire takes one of the places that a limit leaves, until release. If there is none it
// counts one more as lost and returns false. Safe for concurrent use.
func (r *Registry) acquire(l Limit) bool {
	for {
		used, limit := r.used[l].Load(), r.limits[l].Load()
		if limit >= 0 && used >= limit {
			r.lost[l].Add(1)
			return false
		}
		if r.used[l].CompareAndSwap(used, used+1) {
			return true
		}
	}
}

// reacquire takes a place for an object that has had one before, whatever the limit is.
func (r *Registry) reacquire(l Limit) { r.used[l].Add(1) }

// release gives a place back. Safe for concurrent use.
func (r *Registry) release(l Limit) { r.used[l].Add(-1) }
