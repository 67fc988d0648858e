package instr

// Limit is a size that something has: how many classes, objects, threads, accounts or rows
// of a setup table there can be. What there is when a limit is set stays; what comes beyond
// it works uninstrumented and is counted as lost.
type Limit uint8

// The limits.
const (
	LimitMutexClasses Limit = iota
	LimitRWMutexClasses
	LimitCondClasses
	LimitFileClasses
	LimitSocketClasses
	LimitThreadClasses
	LimitMutexInstances
	LimitRWMutexInstances
	LimitCondInstances
	LimitFileInstances
	LimitFileHandles
	LimitSocketInstances
	LimitThreadInstances
	LimitAccounts
	LimitUsers
	LimitHosts
	LimitSetupActors
	LimitSetupObjects
	LimitStageClasses
	LimitStatementClasses
	LimitPrograms
	LimitPreparedStatements
	LimitMemoryClasses
	LimitMeters
	LimitMetrics
	LimitTableInstances
	LimitTableHandles
	LimitTableLockStat
	LimitIndexStat
	LimitMetadataLocks
	LimitCount
)

var limits = [LimitCount]struct {
	name     string
	lost     string
	def, max int
	things   string
}{
	LimitMutexClasses:       {"max_mutex_classes", "mutex_classes_lost", 350, 1024, "mutex instruments"},
	LimitRWMutexClasses:     {"max_rwlock_classes", "rwlock_classes_lost", 100, 1024, "rwlock instruments"},
	LimitCondClasses:        {"max_cond_classes", "cond_classes_lost", 150, 1024, "condition instruments"},
	LimitFileClasses:        {"max_file_classes", "file_classes_lost", 80, 1024, "file instruments"},
	LimitSocketClasses:      {"max_socket_classes", "socket_classes_lost", 10, 1024, "socket instruments"},
	LimitThreadClasses:      {"max_thread_classes", "thread_classes_lost", 100, 1024, "thread instruments"},
	LimitMutexInstances:     {"max_mutex_instances", "mutex_instances_lost", -1, 104857600, "rows of mutex_instances"},
	LimitRWMutexInstances:   {"max_rwlock_instances", "rwlock_instances_lost", -1, 104857600, "rows of rwlock_instances"},
	LimitCondInstances:      {"max_cond_instances", "cond_instances_lost", -1, 1048576, "rows of cond_instances"},
	LimitFileInstances:      {"max_file_instances", "file_instances_lost", -1, 1048576, "rows of file_instances"},
	LimitFileHandles:        {"max_file_handles", "file_handles_lost", 32768, 1048576, "instrumented files that are open at a time"},
	LimitSocketInstances:    {"max_socket_instances", "socket_instances_lost", -1, 1048576, "rows of socket_instances"},
	LimitThreadInstances:    {"max_thread_instances", "thread_instances_lost", -1, 1048576, "rows of threads"},
	LimitAccounts:           {"accounts_size", "accounts_lost", -1, 1048576, "rows of accounts"},
	LimitUsers:              {"users_size", "users_lost", -1, 1048576, "rows of users"},
	LimitHosts:              {"hosts_size", "hosts_lost", -1, 1048576, "rows of hosts"},
	LimitSetupActors:        {"setup_actors_size", "", -1, 1048576, "rows of setup_actors"},
	LimitSetupObjects:       {"setup_objects_size", "", -1, 1048576, "rows of setup_objects"},
	LimitStageClasses:       {"max_stage_classes", "stage_classes_lost", 175, 1024, "stage instruments"},
	LimitStatementClasses:   {"max_statement_classes", "statement_classes_lost", 220, 256, "statement instruments"},
	LimitPrograms:           {"max_program_instances", "program_lost", -1, 1048576, "rows of events_statements_summary_by_program"},
	LimitPreparedStatements: {"max_prepared_statements_instances", "prepared_statements_lost", -1, 4194304, "rows of prepared_statements_instances"},
	LimitMemoryClasses:      {"max_memory_classes", "memory_classes_lost", 470, 1024, "memory instruments"},
	LimitMeters:             {"max_meter_classes", "meter_lost", 30, 64, "rows of setup_meters"},
	LimitMetrics:            {"max_metric_classes", "metric_lost", 600, 11000, "rows of setup_metrics"},
	LimitTableInstances:     {"max_table_instances", "table_instances_lost", -1, 1048576, "tables"},
	LimitTableHandles:       {"max_table_handles", "table_handles_lost", -1, 1048576, "rows of table_handles"},
	LimitTableLockStat:      {"max_table_lock_stat", "table_lock_stat_lost", -1, 1048576, "tables whose locks are counted"},
	LimitIndexStat:          {"max_index_stat", "index_stat_lost", -1, 1048576, "indexes, and tables without one, whose rows are counted"},
	LimitMetadataLocks:      {"max_metadata_locks", "metadata_lock_lost", -1, 104857600, "rows of metadata_locks"},
}

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
