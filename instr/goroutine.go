package instr

import (
	"bytes"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
)

// stackGoid is the current goroutine's id, the slow way.
func stackGoid() uint64 {
	var buf [64]byte
	b := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	id, _, _ := bytes.Cut(b, []byte(" "))
	n, _ := strconv.ParseUint(string(id), 10, 64)
	return n
}

// descriptorOffsets are where a goroutine's descriptor keeps its status, a 32-bit word; the id of
// the goroutine that started it; its start function's entry; and the place of the go statement.
// 0 is unknown.
type descriptorOffsets struct{ status, parent, start, created uintptr }

// HasGoroutineThreads reports whether goroutines can become threads at their first wait: whether
// this platform and this release of Go show where a goroutine started and that it has ended.
func HasGoroutineThreads() bool { return goroutineOffsets.status != 0 && goroutineOffsets.start != 0 }

// threadMap finds threads by a 64-bit key: all threads of the process by the address of their
// goroutine's descriptor, and a registry's by their id. It is an open-addressing table: callers of
// put and remove exclude each other; get never waits. A removed key keeps its place, without a
// thread, until the table is rebuilt.
type threadMap struct {
	table atomic.Pointer[[]threadEntry]
	used  int // places with a key
}

type threadEntry struct {
	key    atomic.Uint64 // stored last
	goid   atomic.Uint64
	thread atomic.Pointer[Thread]
}

// needed reports whether a rebuilt table must contain the entry: it has a thread, or says that a
// goroutine, which has not ended, is no thread.
func (e *threadEntry) needed() bool {
	t := e.thread.Load()
	return t != nil && (t.registry != nil || !goroutineEnded(uintptr(e.key.Load()), e.goid.Load()))
}

func (m *threadMap) find(key uint64) *threadEntry {
	table := m.table.Load()
	if table == nil {
		return nil
	}
	for i := hashKey(key); ; i++ {
		e := &(*table)[i&uint64(len(*table)-1)]
		switch e.key.Load() {
		case key:
			return e
		case 0:
			return nil
		}
	}
}

func hashKey(key uint64) uint64 { return key * 0x9E3779B97F4A7C15 >> 20 }

// get returns the thread of key, nil if there is none.
func (m *threadMap) get(key uint64) *Thread {
	if e := m.find(key); e != nil {
		return e.thread.Load()
	}
	return nil
}

// live returns the thread of key if it has not ended, else nil.
func (m *threadMap) live(key uint64) *Thread {
	if key == 0 {
		return nil
	}
	if t := m.get(key); t != nil && t.ID() != 0 {
		return t
	}
	return nil
}

// put sets the thread of key, which is not 0.
func (m *threadMap) put(key, goid uint64, t *Thread) {
	table := m.table.Load()
	if table == nil || 2*(m.used+1) > len(*table) {
		table = m.rebuild(table)
	}
	m.place(table, key, goid, t)
}

func (m *threadMap) place(table *[]threadEntry, key, goid uint64, t *Thread) {
	for i := hashKey(key); ; i++ {
		e := &(*table)[i&uint64(len(*table)-1)]
		k := e.key.Load()
		if k != 0 && k != key {
			continue
		}
		if e.goid.Load() != goid {
			e.goid.Store(goid)
		}
		e.thread.Store(t)
		if k == 0 {
			m.used++
			e.key.Store(key)
		}
		return
	}
}

// rebuild makes a table without the removed keys, four times as large as the rest needs.
func (m *threadMap) rebuild(old *[]threadEntry) *[]threadEntry {
	live := 0
	if old != nil {
		for i := range *old {
			if (*old)[i].needed() {
				live++
			}
		}
	}
	size := 64
	for size < 4*(live+1) {
		size *= 2
	}
	table := make([]threadEntry, size)
	m.used = 0
	if old != nil {
		for i := range *old {
			if e := &(*old)[i]; e.needed() {
				m.place(&table, e.key.Load(), e.goid.Load(), e.thread.Load())
			}
		}
	}
	m.table.Store(&table)
	return &table
}

// remove forgets the thread of key if it is t.
func (m *threadMap) remove(key uint64, t *Thread) { m.replace(key, t, nil) }

// replace sets the thread of key to another one, or none, if it is t.
func (m *threadMap) replace(key uint64, t, other *Thread) {
	if e := m.find(key); e != nil && e.thread.Load() == t {
		e.thread.Store(other)
	}
}

// goroutines has the threads of all registries by their goroutine. A thread without a registry says
// that the goroutine is no thread and does not become one by itself.
var goroutines struct {
	threadMap
	mu sync.Mutex // held by callers of put and remove
}

// Current returns the calling goroutine's thread, nil if it is none. Safe for concurrent use.
func Current() *Thread {
	g, goid := goroutine(goidOffset)
	if e := goroutines.find(g); e != nil && e.goid.Load() == goid {
		if t := e.thread.Load(); t != nil && t.registry != nil {
			return t
		}
	}
	return nil
}
