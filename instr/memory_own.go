package instr

import (
	"runtime/metrics"
	"strings"
	"sync"
)

// permanent is the volatility of what lives as long as the program.
const permanent = 1

// addOwnMemory makes the instruments of the memory that the registry itself takes, and of the Go
// runtime's.
func (r *Registry) addOwnMemory() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for b := range bufferCount {
		r.ownMemory("performance_schema/"+buffers[b].name, &buffers[b].doc, &r.buffers[b])
	}
	for i := range goMemory {
		r.ownMemory(goMemory[i].name, &goMemory[i].doc, &r.goMemory.stats[i])
	}
}

// ownMemory makes an instrument that is never off. The caller holds mu.
func (r *Registry) ownMemory(name string, doc *string, stat *sharedMemory) {
	c := r.classLocked(KindMemory, KindMemory.fullName(name), true, stat)
	c.properties.Store(uint32(GlobalStatistics))
	c.volatility = permanent
	c.doc.Store(doc)
	r.recompute(c)
}

// goMemory are the parts of the memory of the Go runtime: its metrics /memory/classes, the sum of
// which is all that the runtime has mapped. The first one's pieces are counted by the runtime.
var goMemory = func() (parts []struct{ name, doc, metric string }) {
	for _, p := range []struct{ metric, doc string }{
		{heapObjects, "Objects that are in use, or not yet found not to be: the registry's own memory, and that of all other instruments that is Go's, among them."},
		{"heap/free", "Free memory of the heap that the system could have back."},
		{"heap/released", "Free memory of the heap that the system has back."},
		{"heap/stacks", "Memory of the heap for the stacks of goroutines."},
		{"heap/unused", "Memory of the heap for objects, without an object in it."},
		{"metadata/mcache/free", "Memory for mcache structures that is not in use."},
		{"metadata/mcache/inuse", "mcache structures that are in use."},
		{"metadata/mspan/free", "Memory for mspan structures that is not in use."},
		{"metadata/mspan/inuse", "mspan structures that are in use."},
		{"metadata/other", "Other metadata of the runtime."},
		{"os-stacks", "Stacks that the operating system has made."},
		{"other", "What the runtime needs besides."},
		{"profiling/buckets", "The hash table of the profiler."},
	} {
		parts = append(parts, struct{ name, doc, metric string }{"go/" + p.metric, p.doc, "/memory/classes/" + p.metric + ":bytes"})
	}
	return parts
}()

const heapObjects = "heap/objects"

// heapCounters are how often and how much the runtime has allocated and freed.
var heapCounters = []string{"/gc/heap/allocs:objects", "/gc/heap/frees:objects", "/gc/heap/allocs:bytes", "/gc/heap/frees:bytes"}

// runtimeMemory is the Go runtime's memory: the lowest and highest values are those of the moments
// at which it was read.
type runtimeMemory struct {
	mu      sync.Mutex
	samples []metrics.Sample // guarded by mu
	last    [4]uint64        // of heapCounters; guarded by mu
	stats   []sharedMemory
}

// init makes the statistics.
func (m *runtimeMemory) init() { m.stats = make([]sharedMemory, len(goMemory)) }

// read reads the runtime's figures.
func (m *runtimeMemory) read() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.samples == nil {
		for _, p := range goMemory {
			m.samples = append(m.samples, metrics.Sample{Name: p.metric})
		}
		for _, name := range heapCounters {
			m.samples = append(m.samples, metrics.Sample{Name: name})
		}
	}
	metrics.Read(m.samples)
	value := func(i int) uint64 {
		if v := m.samples[i].Value; v.Kind() == metrics.KindUint64 {
			return v.Uint64()
		}
		return 0
	}
	var now, more [4]uint64
	for i := range now {
		now[i] = value(len(goMemory) + i)
		more[i] = now[i] - m.last[i]
	}
	m.last = now
	for i, p := range goMemory {
		if strings.HasSuffix(p.name, heapObjects) {
			m.stats[i].count(more)
		} else {
			m.stats[i].measure(amount{bytes: int(value(i))})
		}
	}
}

// count counts pieces that were allocated and freed, and how many bytes were.
func (m *sharedMemory) count(more [4]uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	// The order of allocations and frees since the last reading is not known: assume that frees
	// came first.
	both := func(allocs, frees uint64) uint64 { return min(allocs, frees) }
	count, bytes := both(more[0], more[1]), both(more[2], more[3])
	m.stat.Allocs += count
	m.stat.Frees += count
	m.stat.AllocBytes += bytes
	m.stat.FreeBytes += bytes
	m.stat.alloc(more[0]-count, more[2]-bytes)
	m.stat.free(more[1]-count, more[3]-bytes)
}

// Measured reports whether the class is memory of the registry itself, of the Go runtime or from
// Registry.MeasureMemory. Reader.MeasureMemory brings the statistics of these up to date.
func (c *Class) Measured() bool { return c.own || c.measured.Load() }

// SharedMemory is the statistics of a class of memory that never belonged to a thread: for the
// registry's own memory, the Go runtime's memory and classes that are GlobalStatistics these are
// all statistics. Call MeasureMemory before to have the present ones. Safe for concurrent use.
func (c *Class) SharedMemory() MemoryStat {
	if c.memory == nil {
		return MemoryStat{}
	}
	s, _ := c.memory.read()
	return s
}

// MeasureMemory measures what memory the registry and the Go runtime have now. It costs about as
// much as to read the histories. Safe for concurrent use.
func (h Reader) MeasureMemory() {
	h.r.measureBuffers()
	h.r.goMemory.read()
	h.r.measureOthers()
}

// resetSharedMemory rebases the statistics that belong to no thread.
func (r *Registry) resetSharedMemory() {
	r.Reader().MeasureMemory()
	for _, c := range r.Reader().FamilyClasses(FamilyMemory) {
		c.memory.reset()
	}
}
