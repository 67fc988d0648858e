package instr

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"pfsd/ringbuf"
)

// StatusVariable is a counter of what threads do, such as Bytes_sent. Each thread, account, user
// and host has a value of it, and there is a global one. Safe for concurrent use.
//
// A thread's counter is one word that only its owner writes and that never shrinks while the thread
// lives. Folding and resetting do not change it: they remember, in Thread.statusDone, how much of
// it has been folded or dropped.
type StatusVariable struct {
	registry *Registry
	name     string
	block    int // of the thread's words
	place    int // in the block
	kept     bool
	global   atomic.Uint64 // what threads have folded, and what goroutines have counted that are no threads
}

// statusBlockSize is how many counters with neighbouring numbers a thread gets at a time.
const statusBlockSize = 16

type statusBlock [statusBlockSize]uint64

// statusNames are the status variables of a registry.
type statusNames struct {
	mu     sync.Mutex
	byName map[string]*StatusVariable // in lower case; guarded by mu
	// all is the variables by number. Adding one makes a new list.
	all atomic.Pointer[[]*StatusVariable]
	// unlisted are the connections for which there was no room: see attach. Guarded by threads.mu.
	unlisted map[*Thread]struct{}
}

// NewStatusVariable returns the status variable with this name, made if need be. Names that only
// differ in letter case are the same variable, with the first spelling. It panics if the name is
// empty, has a space in it, or is longer than 64 bytes.
func (r *Registry) NewStatusVariable(name string) *StatusVariable {
	if name == "" || len(name) > 64 || strings.ContainsAny(name, " \t\r\n") {
		panic(fmt.Sprintf("instr: %q cannot be the name of a status variable", name))
	}
	r.status.mu.Lock()
	defer r.status.mu.Unlock()
	if v := r.status.byName[lowerASCII(name)]; v != nil {
		return v
	}
	old := r.Reader().StatusVariables()
	v := &StatusVariable{registry: r, name: name, block: len(old) / statusBlockSize, place: len(old) % statusBlockSize}
	all := append(old[:len(old):len(old)], v)
	if r.status.byName == nil {
		r.status.byName = map[string]*StatusVariable{}
	}
	r.status.byName[lowerASCII(name)] = v
	r.status.all.Store(&all)
	return v
}

// NewStatusVariable returns the status variable of the default registry with this name, made if
// need be.
func NewStatusVariable(name string) *StatusVariable { return Default.NewStatusVariable(name) }

// StatusVariables returns the status variables that there are, in the order in which they were
// made. Safe for concurrent use.
func (h Reader) StatusVariables() []*StatusVariable {
	if all := h.r.status.all.Load(); all != nil {
		return *all
	}
	return nil
}

// Name is the variable's name, as it was first written.
func (v *StatusVariable) Name() string { return v.name }

// Keep makes ResetStatus leave the global value as it is, and returns the variable: for what is
// counted from the start of the program. It must be called before anything is counted.
func (v *StatusVariable) Keep() *StatusVariable {
	v.kept = true
	return v
}

// Kept reports whether Keep was called.
func (v *StatusVariable) Kept() bool { return v.kept }

// add counts n more for the calling goroutine's thread, or only globally if that is no thread of
// the registry. A nil variable counts nothing.
func (v *StatusVariable) add(n uint64) {
	if v == nil {
		return
	}
	if t := Current(); t != nil && t.registry == v.registry {
		v.AddTo(t, n)
		return
	}
	v.global.Add(n)
}

// AddTo counts n more for a thread. It does nothing if the thread or the variable is nil. Owned by
// the thread's goroutine.
func (v *StatusVariable) AddTo(t *Thread, n uint64) {
	if v == nil || t == nil {
		return
	}
	if blocks := t.status.Load(); blocks != nil && v.block < len(*blocks) {
		if b := (*blocks)[v.block]; b != nil {
			ringbuf.Store(&b[v.place], b[v.place]+n)
			return
		}
	}
	v.addFirst(t, n)
}

// addFirst is AddTo where the thread has no words yet.
func (v *StatusVariable) addFirst(t *Thread, n uint64) {
	if n == 0 {
		return
	}
	if t.registry != v.registry || t == t.registry.threads.lost {
		v.global.Add(n)
		return
	}
	var blocks []*statusBlock
	if old := t.status.Load(); old != nil {
		blocks = append(blocks, *old...)
	}
	for len(blocks) <= v.block {
		blocks = append(blocks, nil)
	}
	b := new(statusBlock)
	b[v.place] = n
	blocks[v.block] = b
	t.status.Store(&blocks)
}

// Status is a copy of the status variables of a thread, an account, a user or a host, or of the
// global ones.
type Status struct {
	ThreadID   uint64 // of a thread
	User, Host string // of an actor; "" where the tables show NULL
	values     statusValues
}

// Value is the value of a variable.
func (s *Status) Value(v *StatusVariable) uint64 {
	return s.values.get(v.block*statusBlockSize + v.place)
}

// statusValues are values by number; those beyond the end are 0.
type statusValues []uint64

func (s statusValues) get(i int) uint64 {
	if i < len(s) {
		return s[i]
	}
	return 0
}

func (s *statusValues) add(i int, n uint64) {
	if n == 0 {
		return
	}
	for len(*s) <= i {
		*s = append(*s, 0)
	}
	(*s)[i] += n
}

func (s *statusValues) addAll(o statusValues) {
	for i, n := range o {
		s.add(i, n)
	}
}

// eachStatus calls do for each counter of the thread, with the part that has not been folded or
// dropped, if that is not 0. The caller holds threads.mu.
func (t *Thread) eachStatus(do func(i int, n uint64)) {
	blocks := t.status.Load()
	if blocks == nil {
		return
	}
	for b, block := range *blocks {
		if block == nil {
			continue
		}
		for p := range block {
			i := b*statusBlockSize + p
			if n := ringbuf.Load(&block[p]) - t.statusDone.get(i); n != 0 {
				do(i, n)
			}
		}
	}
}

// foldStatus moves the thread's counters to its account, or else to its user and its host, and to
// the global ones. The caller holds threads.mu.
func (t *Thread) foldStatus() {
	all := t.registry.Reader().StatusVariables()
	t.eachStatus(func(i int, n uint64) {
		t.statusDone.add(i, n)
		all[i].global.Add(n)
		for _, a := range t.above {
			if a != nil {
				a.status.add(i, n)
			}
		}
	})
}

// ResetStatus moves the thread's counters to its account and to the global ones, as the end of the
// thread does. Safe for concurrent use.
func (t *Thread) ResetStatus() {
	if t == nil {
		return
	}
	t.registry.threads.mu.Lock()
	defer t.registry.threads.mu.Unlock()
	t.foldStatus()
}

// unlist removes a connection for which there was no room, and adds its counters to the global
// ones.
func (r *Registry) unlist(t *Thread) {
	r.threads.mu.Lock()
	defer r.threads.mu.Unlock()
	if _, ok := r.status.unlisted[t]; ok {
		t.foldStatus()
		delete(r.status.unlisted, t)
	}
}

// newUnlisted returns a thread that has the id 0, but counters of its own.
func (r *Registry) newUnlisted() *Thread {
	t := &Thread{registry: r}
	r.threads.mu.Lock()
	defer r.threads.mu.Unlock()
	if r.status.unlisted == nil {
		r.status.unlisted = map[*Thread]struct{}{}
	}
	r.status.unlisted[t] = struct{}{}
	return t
}

// Status returns the thread's own counters. Safe for concurrent use.
func (t *Thread) Status() Status {
	t.registry.threads.mu.Lock()
	defer t.registry.threads.mu.Unlock()
	s := Status{ThreadID: t.ID()}
	t.eachStatus(s.values.add)
	return s
}

// ReadStatus reads what Status returns into s, whose memory it uses again. It reports whether the
// thread is a connection that has not ended. Safe for concurrent use.
func (t *Thread) ReadStatus(s *Status) bool {
	clear(s.values)
	s.ThreadID = t.ID()
	if s.ThreadID == 0 || ringbuf.Load(&t.process) == 0 {
		return false
	}
	t.registry.threads.mu.Lock()
	t.eachStatus(s.values.add)
	t.registry.threads.mu.Unlock()
	return t.ID() == s.ThreadID
}

// ActorStatus returns the counters of the accounts, users or hosts that f picks. They contain
// everything that was counted before the call, exactly once. Safe for concurrent use.
func (h Reader) ActorStatus(l ActorLevel, f ActorFilter) []Status {
	ts := &h.r.threads
	ts.mu.Lock()
	defer ts.mu.Unlock()
	_, rows := actorRows(&ts.actors, l, f,
		func(name Account) Status { return Status{User: name.User, Host: name.Host} },
		func(row *Status, a *actor) {
			row.values.addAll(a.status)
			for _, t := range a.threads {
				t.eachStatus(row.values.add)
			}
		})
	return rows
}

// GlobalStatus returns the global counters. They contain everything that was counted before the
// call, exactly once. Safe for concurrent use.
func (h Reader) GlobalStatus() (s Status) {
	ts := &h.r.threads
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, t := range ts.records {
		t.eachStatus(s.values.add)
	}
	for t := range h.r.status.unlisted {
		t.eachStatus(s.values.add)
	}
	for i, v := range h.StatusVariables() {
		s.values.add(i, v.global.Load())
	}
	return s
}

// ResetThreadStatus moves the counters of all threads to their accounts, or else to users and
// hosts, and to the global ones: TRUNCATE of status_by_thread. Safe for concurrent use.
func (h Reader) ResetThreadStatus() {
	h.r.threads.mu.Lock()
	defer h.r.threads.mu.Unlock()
	h.r.foldThreadStatus()
}

// foldThreadStatus is ResetThreadStatus; the caller holds threads.mu.
func (r *Registry) foldThreadStatus() {
	for _, t := range r.threads.records {
		t.foldStatus()
	}
	for t := range r.status.unlisted {
		t.foldStatus()
	}
}

// foldAccountStatus moves the counters of accounts to their users and hosts. The caller holds
// threads.mu.
func (as *actors) foldAccountStatus() {
	for _, a := range as.levels[LevelAccount].all {
		for _, up := range a.above {
			if up != nil {
				up.status.addAll(a.status)
			}
		}
		clear(a.status)
	}
}

// ResetActorStatus empties the counters of a level, after those of threads and accounts have been
// moved up: TRUNCATE of status_by_account, status_by_user and status_by_host. The global ones stay
// as they are. Safe for concurrent use.
func (h Reader) ResetActorStatus(l ActorLevel) {
	h.r.threads.mu.Lock()
	defer h.r.threads.mu.Unlock()
	h.r.resetActorStatus(l)
}

// resetActorStatus is ResetActorStatus; the caller holds threads.mu.
func (r *Registry) resetActorStatus(l ActorLevel) {
	r.foldThreadStatus()
	as := &r.threads.actors
	as.foldAccountStatus()
	if l == LevelAccount {
		return
	}
	for _, a := range as.levels[l].all {
		clear(a.status)
	}
}

// ResetStatus empties the counters of all threads, accounts, users and hosts, and the global ones,
// except those of variables with Keep: FLUSH STATUS, and TRUNCATE of global_status. Safe for
// concurrent use.
func (h Reader) ResetStatus() {
	h.r.threads.mu.Lock()
	defer h.r.threads.mu.Unlock()
	h.r.resetActorStatus(LevelUser)
	h.r.resetActorStatus(LevelHost)
	for _, v := range h.StatusVariables() {
		if !v.kept {
			v.global.Store(0)
		}
	}
}
