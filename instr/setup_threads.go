package instr

import (
	"slices"
	"sync"
	"sync/atomic"
)

// ThreadClass is a kind of threads, a row of setup_threads. Safe for concurrent use.
type ThreadClass struct {
	name       string
	lost       bool          // beyond LimitThreadClasses
	flags      atomic.Uint32 // of a new thread
	properties atomic.Uint32
}

// threadClasses are the classes of threads of a registry.
type threadClasses struct {
	byShortName sync.Map // the name that is passed to Attach, to *ThreadClass
	// Guarded by threads.mu.
	byName map[string]*ThreadClass // lost ones included
	all    []*ThreadClass          // those that are not lost, in the order in which they were made
}

const threadPrefix = "thread/"

// NewThreadClass returns the class of threads thread/NAME, made if need be. A class beyond
// LimitThreadClasses is not among ThreadClasses, and its goroutines become no threads. Safe for
// concurrent use.
func (r *Registry) NewThreadClass(name string) *ThreadClass {
	cs := &r.threads.classes
	if c, ok := cs.byShortName.Load(name); ok {
		return c.(*ThreadClass)
	}
	full := fullName(threadPrefix, name, "")
	r.threads.mu.Lock()
	defer r.threads.mu.Unlock()
	c := cs.byName[full]
	if c == nil {
		c = r.newThreadClass(full)
	}
	cs.byShortName.Store(name, c)
	return c
}

// NewThreadClass is Registry.NewThreadClass of the default registry.
func NewThreadClass(name string) *ThreadClass { return Default.NewThreadClass(name) }

// newThreadClass makes a class. The caller holds threads.mu.
func (r *Registry) newThreadClass(name string) *ThreadClass {
	cs := &r.threads.classes
	if limit := r.Setup().Limit(LimitThreadClasses); limit < 0 || len(cs.all) < limit {
		return cs.add(name)
	}
	r.lost[LimitThreadClasses].Add(1)
	c := newThreadClass(name)
	c.lost = true
	cs.put(c)
	return c
}

func newThreadClass(name string) *ThreadClass {
	c := &ThreadClass{name: name}
	c.flags.Store(threadInstrumented | threadHistory)
	return c
}

// add makes a class that is not lost. The caller holds threads.mu.
func (cs *threadClasses) add(name string) *ThreadClass {
	c := newThreadClass(name)
	cs.all = append(cs.all, c)
	cs.put(c)
	return c
}

// put enters a class under its name. The caller holds threads.mu.
func (cs *threadClasses) put(c *ThreadClass) {
	if cs.byName == nil {
		cs.byName = map[string]*ThreadClass{}
	}
	cs.byName[c.name] = c
}

// ThreadClasses returns the classes of threads, in the order of their first use. Safe for
// concurrent use.
func (h Setup) ThreadClasses() []*ThreadClass {
	h.r.threads.mu.Lock()
	defer h.r.threads.mu.Unlock()
	return slices.Clone(h.r.threads.classes.all)
}

// Name is the class's full name, such as thread/sql/main.
func (c *ThreadClass) Name() string { return c.name }

// Enabled is INSTRUMENTED of the threads of the class that start from now on. Safe for
// concurrent use.
func (c *ThreadClass) Enabled() bool { return c.flags.Load()&threadInstrumented != 0 }

// History is HISTORY of the threads of the class that start from now on. Safe for concurrent use.
func (c *ThreadClass) History() bool { return c.flags.Load()&threadHistory != 0 }

// SetEnabled sets Enabled. Safe for concurrent use.
func (c *ThreadClass) SetEnabled(on bool) { setFlag(&c.flags, threadInstrumented, on) }

// SetHistory sets History. Safe for concurrent use.
func (c *ThreadClass) SetHistory(on bool) { setFlag(&c.flags, threadHistory, on) }

// Properties is the set PROPERTIES: Singleton, User or none. Safe for concurrent use.
func (c *ThreadClass) Properties() Property { return Property(c.properties.Load()) }

// SetProperties adds to the set PROPERTIES. Safe for concurrent use.
func (c *ThreadClass) SetProperties(p Property) { c.properties.Or(uint32(p)) }
