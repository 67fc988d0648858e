package instr

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"pfsd/timers"
)

// Timeless reports whether instruments of the kind have no times: TIMED is NULL, and nothing
// changes it.
func (k Kind) Timeless() bool { return kinds[k].timeless }

// Kinds returns all kinds of instruments, in the order of setup_instruments.
func Kinds() []Kind {
	all := make([]Kind, kindCount)
	for k := range all {
		all[k] = Kind(k)
	}
	return all
}

// Family is the family of the kind's events.
func (k Kind) Family() Family { return kinds[k].family }

// HasObjects reports whether [Class.Instances] returns the objects of classes of the kind.
func (k Kind) HasObjects() bool { return kinds[k].objects }

// HasHolds reports whether classes of the kind have an instrument of how long their objects are held: see [Class.Holds].
func (k Kind) HasHolds() bool { return kinds[k].hold != 0 }

// Family is a group of kinds whose events share consumers and histories.
type Family uint8

// The families.
const (
	FamilyWaits Family = iota
	FamilyStages
	FamilyStatements
	FamilyTransactions
	familyErrors // has no events, and so neither consumers nor histories
	FamilyMemory // the same
	FamilyHolds  // the same
	familyCount
)

// families are the consumers of each family that has events.
var families = [familyErrors]struct{ current, history, historyLong, histogram Consumer }{
	FamilyWaits:        {ConsumerEventsWaitsCurrent, ConsumerEventsWaitsHistory, ConsumerEventsWaitsHistoryLong, ConsumerEventsWaitsHistogram},
	FamilyStages:       {ConsumerEventsStagesCurrent, ConsumerEventsStagesHistory, ConsumerEventsStagesHistoryLong, ConsumerEventsStagesHistogram},
	FamilyStatements:   {ConsumerEventsStatementsCurrent, ConsumerEventsStatementsHistory, ConsumerEventsStatementsHistoryLong, ConsumerEventsStatementsHistogram},
	FamilyTransactions: {ConsumerEventsTransactionsCurrent, ConsumerEventsTransactionsHistory, ConsumerEventsTransactionsHistoryLong, ConsumerEventsTransactionsHistogram},
}

// Property is a member of the set PROPERTIES of setup_instruments.
type Property uint8

// The properties; several are added up.
const (
	Singleton Property = 1 << iota
	Progress
	User
	GlobalStatistics
	Mutable
	ControlledByDefault
)

// Class is an instrument: a named kind of measured code. Safe for concurrent use.
type Class struct {
	// switches is all that the hot path reads; 0 is off. Written by Registry.recompute.
	switches   atomic.Uint64
	registry   *Registry
	name       string
	id         uint16 // 0: beyond the limit of classes
	kind       Kind
	on         bool        // enabled and timed from the start, if no pattern says otherwise
	own        bool        // the registry's own memory, or that of the program: never off
	measured   atomic.Bool // of memory: it is measured when somebody reads it
	volatility uint8
	controlled atomic.Bool // FLAGS
	properties atomic.Uint32
	doc        atomic.Pointer[string]
	memory     *sharedMemory // of a class of memory: the statistics that belong to no thread; else nil

	// Guarded by registry.mu.
	enabled, timed bool

	mu        sync.Mutex
	instances []Instance          // by id, ascending; guarded by mu
	hidden    map[uint64]Instance // deleted or closed, but not yet forgotten; guarded by mu
	nextID    uint64              // guarded by mu
	gone      Stat                // of collected instances; guarded by mu, in a class of holds by locks.mu
	goneIO    IOStat              // the same for files and sockets; guarded by mu
	direct    sharedStat          // of events without an instance
	directIO  sharedIOStat        // the same for files and sockets
	histogram histogram
	// Of a class of files or sockets, reads, writes and the rest; they are in histogram, too.
	directed [directionCount]histogram
	// The histograms of instances, by instanceTime; nil until there is one. How many there are is in registry.instanceTimes.
	instanceTimes atomic.Pointer[instanceTimes]

	holds *Class // of a class of locks: the instrument of how long they are held; else nil
	locks *Class // of such an instrument: the instrument of the locks; else nil
}

// off is the class of objects that are not instrumented: nothing switches it on.
var off = new(Class)

// lost reports whether the class is beyond the limit of classes, and thus off for good.
func (c *Class) lost() bool { return c.id == 0 }

// ID is the class's number among those of its family: 1 for the first one.
func (c *Class) ID() uint16 { return c.id }

// Name is the instrument's full name, such as wait/synch/mutex/cache/lock.
func (c *Class) Name() string { return c.name }

// Kind is the instrument's kind.
func (c *Class) Kind() Kind { return c.kind }

// Properties is the set PROPERTIES.
func (c *Class) Properties() Property { return Property(c.properties.Load()) }

// SetProperties adds to the set PROPERTIES. Memory that is GlobalStatistics counts for no thread
// from then on; memory that is ControlledByDefault is Controlled.
func (c *Class) SetProperties(p Property) {
	c.properties.Or(uint32(p))
	if c.kind != KindMemory {
		return
	}
	if p&ControlledByDefault != 0 {
		c.controlled.Store(true)
	}
	c.registry.mu.Lock()
	defer c.registry.mu.Unlock()
	c.registry.recompute(c)
}

// Documentation is what the instrument is about, "" if it does not say so.
func (c *Class) Documentation() string {
	if s := c.doc.Load(); s != nil {
		return *s
	}
	return ""
}

// SetDocumentation says what the instrument is about, DOCUMENTATION.
func (c *Class) SetDocumentation(s string) { c.doc.Store(&s) }

// Volatility says how long the instrumented objects live: 0 is unknown, 1 is as long as the program.
func (c *Class) Volatility() int { return int(c.volatility) }

// Controlled reports whether the memory of the class is marked as controlled, FLAGS.
func (c *Class) Controlled() bool { return c.controlled.Load() }

// SetControlled marks the memory of the class as controlled, or not. As in MySQL, it is ignored for
// a class whose memory does not count for threads.
func (c *Class) SetControlled(on bool) {
	if c.kind == KindMemory && c.Properties()&GlobalStatistics == 0 {
		c.controlled.Store(on)
	}
}

// Enabled reports whether the instrument is switched on, whatever the consumers are.
func (c *Class) Enabled() bool {
	c.registry.mu.Lock()
	defer c.registry.mu.Unlock()
	return c.enabled
}

// Timed reports whether the instrument's events are timed.
func (c *Class) Timed() bool {
	c.registry.mu.Lock()
	defer c.registry.mu.Unlock()
	return c.timed
}

// SetEnabled switches the instrument on or off, at once for all that starts afterwards.
func (c *Class) SetEnabled(on bool) {
	c.registry.mu.Lock()
	defer c.registry.mu.Unlock()
	c.enabled = on
	c.registry.recompute(c)
}

// SetTimed switches the timing of the instrument's events on or off, at once for all that
// starts afterwards.
func (c *Class) SetTimed(on bool) {
	c.registry.mu.Lock()
	defer c.registry.mu.Unlock()
	c.timed = on
	c.registry.recompute(c)
}

// InstrumentDefault reports whether the instrument with this full name is enabled and timed from the
// start. For an instrument that does not exist yet, it returns the default of the kind that its name
// begins with.
func (h Setup) InstrumentDefault(name string) (enabled, timed bool) {
	if c := h.r.Reader().ClassByName(name); c != nil {
		return c.on, c.on && !c.kind.Timeless()
	}
	for k := range kindCount {
		if prefix := kinds[k].prefix; len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix) {
			return kinds[k].on, kinds[k].on && !k.Timeless()
		}
	}
	return false, false
}

// Waits is the statistics of all waits of the class, for objects that do not exist any more too.
// For a class of holds it is how long the locks were held.
func (c *Class) Waits() Stat {
	if c.locks != nil {
		return c.holdTimes()
	}
	c.registry.runtimeWaits.fetch(c)
	c.mu.Lock()
	defer c.mu.Unlock()
	sum := c.gone
	sum.Add(c.direct.read())
	sum.Add(c.directIO.read().All())
	for _, in := range c.instances {
		sum.Add(in.Waits())
	}
	for _, in := range c.hidden {
		sum.Add(in.Waits())
	}
	return sum
}

// IO is the statistics of all files or sockets of the class, also of those that do not exist any
// more.
func (c *Class) IO() IOStat {
	c.mu.Lock()
	defer c.mu.Unlock()
	sum := c.goneIO
	sum.Add(c.directIO.read())
	add := func(in Instance) {
		if io, ok := in.(interface{ IO() IOStat }); ok {
			sum.Add(io.IO())
		}
	}
	for _, in := range c.instances {
		add(in)
	}
	for _, in := range c.hidden {
		add(in)
	}
	return sum
}

// ResetInstances empties the statistics of the objects that exist.
func (c *Class) ResetInstances() {
	if c.locks != nil {
		c.resetHolds()
		return
	}
	for _, in := range c.Instances() {
		in.resetWaits()
	}
}

// Reset empties the statistics of the class and of all its objects.
func (c *Class) Reset() {
	c.registry.runtimeWaits.fetch(c)
	c.ResetInstances()
	c.direct.reset()
	c.directIO.reset()
	if c.locks != nil {
		c.locks.mu.Lock()
		defer c.locks.mu.Unlock()
		c.gone = NoStat
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, in := range c.hidden {
		in.resetWaits()
	}
	c.gone, c.goneIO = NoStat, NoIOStat
}

// switches is the packed word of a class.
type switches uint64

const (
	swEnabled switches = 1 << iota
	swTimed
	swThreads // consumer thread_instrumentation
	swCurrent // consumer events_waits_current, or that of the class's family
	swHistory
	swHistoryLong
	swHistogram         // consumer events_X_histogram of the class's family, of a class that is timed
	swInstanceHistogram // consumer events_waits_histogram_by_instance, below swHistogram and swCurrent
	swHold              // of locks: how long they are held is counted, whatever the other switches say

	swTimerShift = 9  // 8 bits: the timer
	swDepthShift = 17 // of a wait in progress, 8 bits: its place in the thread's stack
)

func (s switches) timer() timers.ID { return timers.ID(s >> swTimerShift) }

// recompute packs a class's switches. The caller holds mu.
func (r *Registry) recompute(c *Class) {
	if c.lost() {
		c.enabled, c.timed = false, false
		return
	}
	if c.kind.Timeless() {
		c.timed = false
	}
	if c.own {
		c.enabled = true
	}
	var s switches
	if c.enabled && r.Setup().Consumer(ConsumerGlobalInstrumentation) {
		family := kinds[c.kind].family
		s |= swEnabled | switches(r.timers[kinds[c.kind].timer])<<swTimerShift
		if c.timed {
			s |= swTimed
			if family < familyErrors && r.Setup().Consumer(families[family].histogram) || family == FamilyHolds && r.Setup().Consumer(ConsumerEventsWaitsHistogram) {
				s |= swHistogram
			}
		}
		if family != FamilyHolds && r.Setup().Consumer(ConsumerThreadInstrumentation) && (family != FamilyMemory || c.Properties()&GlobalStatistics == 0) {
			s |= swThreads
			if family < familyErrors && r.Setup().Consumer(families[family].current) {
				s |= swCurrent
				if s&swHistogram != 0 && kinds[c.kind].objects && r.Setup().Consumer(ConsumerEventsWaitsHistogramByInstance) {
					s |= swInstanceHistogram
				}
				if r.Setup().Consumer(families[family].history) {
					s |= swHistory
				}
				if r.Setup().Consumer(families[family].historyLong) {
					s |= swHistoryLong
				}
			}
		}
	}
	if c.holds != nil && c.holds.switches.Load() != 0 {
		s |= swHold
	}
	c.switches.Store(uint64(s))
	if c.locks != nil {
		r.recompute(c.locks)
	}
}

func (r *Registry) recomputeAll() {
	r.digests.wanted.Store(r.Setup().Consumer(ConsumerGlobalInstrumentation) && r.Setup().Consumer(ConsumerStatementsDigest))
	r.recomputePrograms()
	for _, c := range r.classes.all() {
		r.recompute(c)
	}
}

// maxClasses is one more than how many instruments of waits there can be, all kinds together.
// Further ones are lost, as those beyond the limit of their kind are.
const maxClasses = 1024

// maxNameLength is how long an instrument's name can be, as the column NAME is.
const maxNameLength = 128

// fullName puts a kind's prefix before a short name, and panics if the result is no
// instrument name: that is a mistake in the program.
func (k Kind) fullName(name string) string {
	if kinds[k].single {
		return kinds[k].prefix
	}
	prefix, end := kinds[k].prefix, ""
	if kinds[k].typed {
		var objects string
		objects, name, _ = strings.Cut(name, "/")
		prefix += objects + "/"
	}
	if kinds[k].slash && strings.HasSuffix(name, "/") {
		name, end = name[:len(name)-1], "/"
	}
	return fullName(prefix, name, kinds[k].also) + end
}

// fullName puts prefix before a name that lacks it, and panics if the result is no instrument name.
// The name may contain the characters of also besides the usual ones.
func fullName(prefix, name, also string) string {
	short := strings.TrimPrefix(name, prefix)
	full := prefix + short
	if !strings.Contains(strings.Trim(short, "/"), "/") || strings.Contains(short, "//") ||
		strings.HasPrefix(short, "/") || strings.HasSuffix(short, "/") ||
		len(full) > maxNameLength || strings.ContainsFunc(short, func(c rune) bool { return notInName(c) && !strings.ContainsRune(also, c) }) {
		panic(fmt.Sprintf("instr: %q is no instrument name: it must be like genus/species, at most %d bytes, of letters, digits and / _ : . -%s", full, maxNameLength, also))
	}
	return full
}

func notInName(c rune) bool {
	return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("/_:.-", c))
}

// class returns the class with this name, made if need be. A lost class stays lost: no table shows
// it, and its objects are not instrumented.
func (r *Registry) class(k Kind, name string) *Class { return r.classOn(k, name, kinds[k].on) }

// classOn is class; on is whether the class is enabled and timed from the start.
func (r *Registry) classOn(k Kind, name string, on bool) *Class {
	full := k.fullName(name)
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.classLocked(k, full, on, nil)
}

// classLocked is classOn of a full name. If own is not nil, the class is one of memory that is
// never off, and counts in own what belongs to no thread. The caller holds mu.
func (r *Registry) classLocked(k Kind, full string, on bool, own *sharedMemory) *Class {
	if c := r.byName[full]; c != nil {
		return c
	}
	if c := r.lostNames[full]; c != nil {
		return c
	}
	c := &Class{registry: r, name: full, kind: k, on: on, gone: NoStat, goneIO: NoIOStat}
	if k == KindMemory {
		c.own, c.memory = own != nil, own
		if own == nil {
			c.memory = new(sharedMemory)
		}
	}
	family := &r.families[kinds[k].family]
	if !kinds[k].single && !c.own && !r.roomForClass(k, len(family.all())) {
		r.lostNames[full] = c
		return c
	}
	c.enabled, c.timed = r.initialSwitches(full, on)
	r.byName[full] = c
	c.id = family.add(c)
	r.classes.add(c)
	if hold := kinds[k].hold; hold != 0 {
		c.holds = r.classLocked(hold, kinds[hold].prefix+strings.TrimPrefix(full, kinds[k].prefix), false, nil)
		c.holds.locks = c
	}
	r.recompute(c)
	return c
}

// roomForClass reports whether there can be one more class of a kind, beside the other classes of its family. If not, it counts the class
// as lost. The caller holds mu.
func (r *Registry) roomForClass(k Kind, classes int) bool {
	if kinds[k].family == FamilyWaits && classes == maxClasses-1 {
		if l := kinds[k].classes; l != LimitCount {
			r.lost[l].Add(1)
		}
		return false
	}
	return kinds[k].classes == LimitCount || r.acquire(kinds[k].classes)
}

// classList is classes in the order of their first use. The caller of add holds registry.mu;
// anybody may read.
type classList struct{ list atomic.Pointer[[]*Class] }

// all returns the classes. The list must not be changed.
func (l *classList) all() []*Class {
	if list := l.list.Load(); list != nil {
		return *list
	}
	return nil
}

// add appends a class and returns how many there are.
func (l *classList) add(c *Class) uint16 {
	old := l.all()
	next := append(old[:len(old):len(old)], c)
	l.list.Store(&next)
	return uint16(len(next))
}

// Classes returns all instruments, in the order of their first use. The list must not be
// changed.
func (h Reader) Classes() []*Class { return h.r.classes.all() }

// FamilyClasses returns the instruments of a family, in the order of their first use, which
// is that of their IDs: the first one's is 1. The list must not be changed.
func (h Reader) FamilyClasses(f Family) []*Class { return h.r.families[f].all() }

// classByID returns the class of waits with this id, nil if there is none.
func (r *Registry) classByID(id uint16) *Class {
	all := r.families[FamilyWaits].all()
	if id == 0 || int(id) > len(all) {
		return nil
	}
	return all[id-1]
}

// ClassByName returns the class with this full name, in any letter case; nil if there is none.
func (h Reader) ClassByName(name string) *Class {
	h.r.mu.Lock()
	c := h.r.byName[name]
	h.r.mu.Unlock()
	if c != nil {
		return c
	}
	for _, c := range h.r.classes.all() {
		if strings.EqualFold(c.name, name) {
			return c
		}
	}
	return nil
}
