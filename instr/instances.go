package instr

import (
	"runtime"
	"slices"
	"sort"
	"sync"
	"weak"
)

// Instance is one instrumented object: a mutex, a file.
type Instance interface {
	// ID is unique in the process and never used again, OBJECT_INSTANCE_BEGIN.
	ID() uint64
	Class() *Class
	// Waits is the statistics of all waits for the object.
	Waits() Stat
	// resetWaits empties the statistics.
	resetWaits()
	// bytes is how many bytes the object's record takes in addition to the row of its buffer.
	bytes() int
}

// identity is what every instance has.
type identity struct {
	class *Class
	id    uint64
}

// ID is the instance's number, OBJECT_INSTANCE_BEGIN.
func (i *identity) ID() uint64 { return i.id }

// Class is the instance's instrument.
func (i *identity) Class() *Class { return i.class }

// Instances returns the objects of this class that exist now, by id.
func (c *Class) Instances() []Instance {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Instance(nil), c.instances...)
}

// The id of an instance is its class's id, and its number within the class: it looks like
// an address, and leads back to the class.
const (
	instanceIDStep = 64
	classIDShift   = 40
)

// register adds an object to the class: record makes it, given its id. It returns false, and makes
// no record, if the class or the object is lost. The place that the object takes becomes free when
// forget or hide takes it out of the list.
func (c *Class) register(record func(id uint64) Instance) bool {
	if c.lost() || !c.registry.acquire(kinds[c.kind].instances) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nextID++
	c.instances = append(c.instances, record(uint64(c.id)<<classIDShift|c.nextID*instanceIDStep))
	b := kinds[c.kind].buffers.instances
	c.registry.buffers[b].grow(1, buffers[b].row)
	return true
}

// zeroMu is held while a zero lock or condition variable gets its instance. So one of two first
// users makes it: it takes one place, or is lost once.
var zeroMu sync.Mutex

// find returns the place of the instance with this id. The caller holds mu.
func (c *Class) find(id uint64) (int, bool) {
	i := sort.Search(len(c.instances), func(i int) bool { return c.instances[i].ID() >= id })
	return i, i < len(c.instances) && c.instances[i].ID() == id
}

// forget removes an object that has been collected, and keeps what it has counted.
func (c *Class) forget(id uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	in := c.hidden[id]
	if i, ok := c.find(id); ok {
		in = c.instances[i]
		c.unlist(i)
	} else if in == nil {
		return
	}
	delete(c.hidden, id)
	b := kinds[c.kind].buffers.instances
	c.registry.buffers[b].shrink(1, buffers[b].row)
	c.gone.Add(in.Waits())
	if c.holds != nil {
		c.holds.gone.Add(in.(heldInstance).Holds())
	}
	if io, ok := in.(interface{ IO() IOStat }); ok {
		c.goneIO.Add(io.IO())
	}
}

// unlist takes the instance at place i out of the list, and frees what it has taken of the
// limit. The caller holds mu.
func (c *Class) unlist(i int) {
	c.instances = slices.Delete(c.instances, i, i+1)
	c.registry.release(kinds[c.kind].instances)
}

// Instance returns the object with this id, nil if there is none.
func (h Reader) Instance(id uint64) Instance {
	c := h.r.classByID(uint16(id >> classIDShift))
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if i, ok := c.find(id); ok {
		return c.instances[i]
	}
	return nil
}

// hide takes an object out of the list of those that exist. The class's totals still
// contain what it counts.
func (c *Class) hide(in Instance) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i, ok := c.find(in.ID())
	if !ok {
		return
	}
	c.unlist(i)
	if c.hidden == nil {
		c.hidden = map[uint64]Instance{}
	}
	c.hidden[in.ID()] = in
}

// show undoes hide. The object takes a place even if that exceeds the limit, because it has existed
// all the time.
func (c *Class) show(in Instance) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i, ok := c.find(in.ID())
	if ok || c.hidden[in.ID()] == nil {
		return
	}
	delete(c.hidden, in.ID())
	c.registry.reacquire(kinds[c.kind].instances)
	c.instances = slices.Insert(c.instances, i, in)
}

// gone names an instance whose handle has been collected. It does not keep the registry: what the registry can reach may contain
// the handle, and a cleanup that holds what leads to its own object never runs.
type gone struct {
	registry weak.Pointer[Registry]
	id       uint64
}

// watch makes the class take over the record of an instance when handle, by which the instance is
// reached, has become unreachable.
func watch[H any](handle *H, in Instance) {
	runtime.AddCleanup(handle, gone.forget, gone{in.Class().registry.self, in.ID()})
}

func (g gone) forget() {
	if r := g.registry.Value(); r != nil {
		r.classByID(uint16(g.id >> classIDShift)).forget(g.id)
	}
}
