package mdl

import (
	"hash/maphash"
	"slices"
	"sync"

	"pfsd/instr"
)

// Manager has the granted locks and the waiting requests. Safe for concurrent use.
//
// The lists of an object are guarded by the mutex of its partition. The queues change only while
// waiting is held as well, which is locked before the mutex of a partition.
type Manager struct {
	class *instr.MetadataLockClass
	seed  maphash.Seed
	parts [partCount]part

	waiting sync.Mutex
	waiters map[*Owner]struct{} // guarded by waiting
}

// partCount is a power of 2.
const partCount = 64

// part is a partition of the objects.
type part struct {
	mu      sync.Mutex
	objects map[uint64]*object // by the key's hash, in chains; guarded by mu
	unused  int                // objects that nobody holds or waits for; guarded by mu
	_       [64]byte
}

// maxUnused is how many unused objects a partition keeps for reuse.
const maxUnused = 64

// object is a locked object.
type object struct {
	key    Key
	hash   uint64
	part   *part
	rules  *rules
	record *instr.MetadataObject
	next   *object // with the same hash; guarded by part.mu

	// Guarded by part.mu.
	granted *Lock // the first of the granted locks
	count   [typeCount]uint32
	held    types // types whose count is not 0

	// Changed under Manager.waiting and part.mu.
	queue []*Lock // requests, the oldest first
}

// Lock is a granted lock or a request. It belongs to an Owner.
type Lock struct {
	owner    *Owner
	object   *object
	kind     Type
	duration Duration
	record   *instr.MetadataLock

	prev, next *Lock // list of object.granted; guarded by object.part.mu
	granted    bool  // it is granted; guarded by object.part.mu
}

// NewManager returns a manager; class is the instrument of its locks.
func NewManager(class *instr.MetadataLockClass) *Manager {
	m := &Manager{class: class, seed: maphash.MakeSeed(), waiters: map[*Owner]struct{}{}}
	for i := range m.parts {
		m.parts[i].objects = map[uint64]*object{}
	}
	return m
}

func (m *Manager) hash(k *Key) uint64 {
	return (maphash.String(m.seed, k.Name)*31+maphash.String(m.seed, k.Schema))*31 + uint64(k.Namespace)
}

func (m *Manager) partOf(hash uint64) *part { return &m.parts[hash%partCount] }

// find returns the object, nil if it is not known. The caller holds the partition's mutex.
func (p *part) find(k *Key, hash uint64) *object {
	for o := p.objects[hash]; o != nil; o = o.next {
		if o.key == *k {
			return o
		}
	}
	return nil
}

// get returns the object, and makes it if there is none. The caller holds the partition's mutex,
// and adds a lock or a request.
func (p *part) get(k *Key, hash uint64) *object {
	o := p.find(k, hash)
	if o == nil {
		o = &object{
			key: *k, hash: hash, part: p, rules: rulesOf(k.Namespace), next: p.objects[hash],
			record: &instr.MetadataObject{Type: k.Namespace.String(), Schema: k.Schema, Name: k.Name},
		}
		p.objects[hash] = o
	} else if o.idle() {
		p.unused--
	}
	return o
}

// idle reports whether the object has no locks and no requests. The caller holds the partition's
// mutex.
func (o *object) idle() bool { return o.granted == nil && len(o.queue) == 0 }

// removed updates the object after a lock or a request was removed. The caller holds the
// partition's mutex.
func (o *object) removed() {
	if !o.idle() {
		return
	}
	p := o.part
	if p.unused++; p.unused <= maxUnused {
		return
	}
	for hash, first := range p.objects {
		var rest *object
		for o := first; o != nil; {
			next := o.next
			if !o.idle() {
				o.next, rest = rest, o
			}
			o = next
		}
		if rest == nil {
			delete(p.objects, hash)
		} else {
			p.objects[hash] = rest
		}
	}
	p.unused = 0
}

// canGrant reports whether a request of by can be granted now. The caller holds the partition's
// mutex.
func (o *object) canGrant(by *Owner, kind Type) bool {
	if o.held&o.rules.granted[kind] != 0 {
		for l := o.granted; l != nil; l = l.next {
			if l.owner != by && o.rules.granted[kind]&(1<<l.kind) != 0 {
				return false
			}
		}
	}
	for _, l := range o.queue {
		if l.owner != by && o.rules.waiting[kind]&(1<<l.kind) != 0 {
			return false
		}
	}
	return true
}

// grant adds a lock to the granted ones. The caller holds the partition's mutex.
func (o *object) grant(l *Lock) {
	l.granted = true
	l.prev, l.next = nil, o.granted
	if o.granted != nil {
		o.granted.prev = l
	}
	o.granted = l
	o.add(l.kind, 1)
}

// add counts n more locks of a type.
func (o *object) add(kind Type, n int) {
	o.count[kind] = uint32(int(o.count[kind]) + n)
	if o.count[kind] == 0 {
		o.held &^= 1 << kind
	} else {
		o.held |= 1 << kind
	}
}

// remove removes a lock from the granted ones. The caller holds the partition's mutex.
func (o *object) remove(l *Lock) {
	if l.prev != nil {
		l.prev.next = l.next
	} else {
		o.granted = l.next
	}
	if l.next != nil {
		l.next.prev = l.prev
	}
	l.prev, l.next, l.granted = nil, nil, false
	o.add(l.kind, -1)
}

// release releases a lock, and wakes those who waited for it.
func (m *Manager) release(l *Lock) {
	o := l.object
	o.part.mu.Lock()
	if len(o.queue) == 0 {
		o.remove(l)
		o.removed()
		o.part.mu.Unlock()
		return
	}
	o.part.mu.Unlock()
	m.waiting.Lock()
	defer m.waiting.Unlock()
	o.part.mu.Lock()
	defer o.part.mu.Unlock()
	o.remove(l)
	o.wake()
	o.removed()
}

// wake grants what can be granted now. The caller holds Manager.waiting and the partition's mutex.
func (o *object) wake() {
	for again := true; again; {
		again = false
		for i, l := range o.queue {
			if o.canGrant(l.owner, l.kind) {
				o.queue = slices.Delete(o.queue, i, i+1)
				l.owner.waitFor(nil)
				o.grant(l)
				l.owner.signal()
				again = true
				break
			}
		}
	}
}

// giveUp cancels a request, unless it was granted. The caller holds Manager.waiting.
func (m *Manager) giveUp(l *Lock) (granted bool) {
	o := l.object
	o.part.mu.Lock()
	defer o.part.mu.Unlock()
	if l.granted {
		return true
	}
	if i := slices.Index(o.queue, l); i >= 0 {
		o.queue = slices.Delete(o.queue, i, i+1)
		l.owner.waitFor(nil)
		o.wake()
		o.removed()
	}
	return false
}

// Holder returns the id of the owner of an exclusive lock; false if there is none.
func (m *Manager) Holder(k Key) (id uint64, held bool) {
	hash := m.hash(&k)
	p := m.partOf(hash)
	p.mu.Lock()
	defer p.mu.Unlock()
	if o := p.find(&k, hash); o != nil {
		for l := o.granted; l != nil; l = l.next {
			if l.kind == Exclusive {
				return l.owner.id, true
			}
		}
	}
	return 0, false
}
