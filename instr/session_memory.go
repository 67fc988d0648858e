package instr

// sessionMemory is what all instruments of memory together count for a thread. Guarded by the activity's mu.
type sessionMemory struct{ total, controlled memoryLevel }

// memoryLevel is how much memory is in use, and the most that was, bytes.
type memoryLevel struct{ now, most int64 }

func (l *memoryLevel) add(bytes int64) {
	l.now += bytes
	l.most = max(l.most, l.now)
}

// add counts memory that is allocated, or freed if bytes is negative.
func (m *sessionMemory) add(bytes int64, controlled bool) {
	m.total.add(bytes)
	if controlled {
		m.controlled.add(bytes)
	}
}

// SessionMemory is how much of the memory that counts for a thread is in use, and the most that was in use, bytes.
type SessionMemory struct{ Total, MaxTotal, Controlled, MaxControlled uint64 }

// memory is the memory of the thread. Safe for concurrent use.
func (t *Thread) memory() SessionMemory {
	a := t.activity.Load()
	if a == nil {
		return SessionMemory{}
	}
	a.mu.Lock()
	m := a.memory
	a.mu.Unlock()
	bytes := func(n int64) uint64 { return uint64(max(0, n)) }
	return SessionMemory{bytes(m.total.now), bytes(m.total.most), bytes(m.controlled.now), bytes(m.controlled.most)}
}

// forgetMemory sets the memory of a thread that ends to 0.
func (t *Thread) forgetMemory() {
	if a := t.activity.Load(); a != nil {
		a.mu.Lock()
		a.memory = sessionMemory{}
		a.mu.Unlock()
	}
}
