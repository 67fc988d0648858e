package instr

import "pfsd/ringbuf"

// MemoryStat is a copy of statistics of memory: how often it was allocated and freed, and how
// many bytes that were. What is in use now can be negative: memory that one thread frees may
// be another's.
type MemoryStat struct {
	Allocs, Frees         uint64
	AllocBytes, FreeBytes uint64

	// How far the highest use was above the present one, and the lowest use below it. When
	// statistics are added up, these are added too: as in MySQL, the sums are bounds of what all of
	// them together have had in use, and need not have been reached.
	countAbove, countBelow uint64
	bytesAbove, bytesBelow uint64
}

// Count is how many pieces are in use, CURRENT_COUNT_USED.
func (s MemoryStat) Count() int64 { return int64(s.Allocs - s.Frees) }

// LowCount and HighCount are the least and the most that there were, LOW_COUNT_USED and
// HIGH_COUNT_USED.
func (s MemoryStat) LowCount() int64 { return s.Count() - int64(s.countBelow) }

// HighCount is the most pieces that were in use.
func (s MemoryStat) HighCount() int64 { return s.Count() + int64(s.countAbove) }

// Bytes is how many bytes are in use, CURRENT_NUMBER_OF_BYTES_USED.
func (s MemoryStat) Bytes() int64 { return int64(s.AllocBytes - s.FreeBytes) }

// LowBytes and HighBytes are the least and the most bytes, LOW_NUMBER_OF_BYTES_USED and
// HIGH_NUMBER_OF_BYTES_USED.
func (s MemoryStat) LowBytes() int64 { return s.Bytes() - int64(s.bytesBelow) }

// HighBytes is the most bytes that were in use.
func (s MemoryStat) HighBytes() int64 { return s.Bytes() + int64(s.bytesAbove) }

// Add adds the memory of o to that of s.
func (s *MemoryStat) Add(o MemoryStat) {
	s.Allocs += o.Allocs
	s.Frees += o.Frees
	s.AllocBytes += o.AllocBytes
	s.FreeBytes += o.FreeBytes
	s.countAbove += o.countAbove
	s.countBelow += o.countBelow
	s.bytesAbove += o.bytesAbove
	s.bytesBelow += o.bytesBelow
}

// alloc counts pieces that are allocated, and returns by how much the count and the bytes exceed
// the highest ones so far.
func (s *MemoryStat) alloc(pieces, bytes uint64) (moreCount, moreBytes uint64) {
	s.Allocs += pieces
	s.AllocBytes += bytes
	return move(&s.countAbove, &s.countBelow, pieces), move(&s.bytesAbove, &s.bytesBelow, bytes)
}

// free counts pieces that are freed, and returns by how much the count and the bytes are below the
// lowest ones so far.
func (s *MemoryStat) free(pieces, bytes uint64) (lessCount, lessBytes uint64) {
	s.Frees += pieces
	s.FreeBytes += bytes
	return move(&s.countBelow, &s.countAbove, pieces), move(&s.bytesBelow, &s.bytesAbove, bytes)
}

// move changes what is in use by n: its distance to one extreme shrinks, and that to the other
// grows. It returns how far the new value is beyond the former extreme.
func move(towards, from *uint64, n uint64) (beyond uint64) {
	within := min(*towards, n)
	*towards -= within
	*from += n
	return n - within
}

// rebase takes away what has been allocated and freed again: what is in use stays, and is the
// lowest and the highest value from now on. It returns what it takes away.
func (s *MemoryStat) rebase() (dropped MemoryStat) {
	count, bytes := min(s.Allocs, s.Frees), min(s.AllocBytes, s.FreeBytes)
	dropped = MemoryStat{count, count, bytes, bytes, s.countAbove, s.countBelow, s.bytesAbove, s.bytesBelow}
	*s = MemoryStat{Allocs: s.Allocs - count, Frees: s.Frees - count, AllocBytes: s.AllocBytes - bytes, FreeBytes: s.FreeBytes - bytes}
	return dropped
}

// sharedMemory is a MemoryStat that anybody may write, and where anybody may measure instead of
// counting. The zero sharedMemory is empty. Safe for concurrent use.
type sharedMemory struct {
	mu       ringbuf.Latch
	stat     MemoryStat // guarded by mu, as the next two
	rows     int
	measured amount
}

// amount is how many rows a buffer has, and how many bytes they take.
type amount struct{ rows, bytes int }

func (a *amount) add(rows, bytes int) {
	a.rows += rows
	a.bytes += bytes
}

// alloc counts one allocation.
func (m *sharedMemory) alloc(bytes uint64) {
	m.mu.Lock()
	m.stat.alloc(1, bytes)
	m.mu.Unlock()
}

// free counts memory that is freed.
func (m *sharedMemory) free(bytes uint64) {
	m.mu.Lock()
	m.stat.free(1, bytes)
	m.mu.Unlock()
}

// grow counts an allocation that contains so many rows.
func (m *sharedMemory) grow(rows, bytes int) {
	m.mu.Lock()
	m.stat.alloc(1, uint64(bytes))
	m.rows += rows
	m.mu.Unlock()
}

// shrink undoes grow.
func (m *sharedMemory) shrink(rows, bytes int) {
	m.mu.Lock()
	m.stat.free(1, uint64(bytes))
	m.rows -= rows
	m.mu.Unlock()
}

// measure says how much memory there is in addition to what is counted. If it is more than the last
// time, the difference counts as allocated, else as freed.
func (m *sharedMemory) measure(a amount) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change := func(now, last int) (more, less uint64) { return uint64(max(0, now-last)), uint64(max(0, last-now)) }
	rows, noRows := change(a.rows, m.measured.rows)
	bytes, noBytes := change(a.bytes, m.measured.bytes)
	m.stat.alloc(rows, bytes)
	m.stat.free(noRows, noBytes)
	m.measured = a
}

// read copies the statistics, and returns how many rows there are.
func (m *sharedMemory) read() (stat MemoryStat, rows int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stat, m.rows + m.measured.rows
}

// reset rebases the statistics.
func (m *sharedMemory) reset() {
	m.mu.Lock()
	m.stat.rebase()
	m.mu.Unlock()
}
