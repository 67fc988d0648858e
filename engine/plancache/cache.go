package plancache

import (
	"cmp"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/kept"
	"pfsd/engine/secrets"
	"pfsd/engine/session"
	"pfsd/engine/status"
	"pfsd/instr"
	"pfsd/tables"
)

// Key is what a plan depends on.
type Key struct {
	Kind           Kind
	Text, Database string
	Values         uint64 // of the session's variables
	Globals        uint64 // of the global ones
	Definitions    uint64 // of users' tables and what belongs to them; 0 where a plan has none
	Multi          bool   // the text may have several statements
}

// Kind is what the text of a key is.
type Kind uint8

// The kinds of texts.
const (
	TextKey     Kind = iota // a statement's
	ShapeKey                // the same with marks for values
	PreparedKey             // a prepared statement's, and the classes of its values
)

// Plan is the plan of a statement. Owned by the statement that uses it.
type Plan struct {
	Key    Key
	Parsed ast.Statement
	One    string // the text without what ends it
	Steps  []Step
	Node   sql.Node
	Flags  *sql.QueryFlags
	Schema sql.Schema
	// Columns are what the client is told of them, as packets.
	Columns []byte
	Weight  int // how many nodes and expressions it has
	// Simple tells that it has nothing to be closed but its rows, and Query that it is one.
	Simple, Query bool
	Slots         *kept.Slots
	Clauses       []session.ReadClause // its FOR UPDATE and FOR SHARE
	entry         *entry               // that counts it
	keepsNothing  bool                 // no part of it keeps rows while it is carried out; false as long as that is not known
}

// Step is what the making of a plan does besides: it asks for something, or begins a stage.
type Step struct {
	Info  ast.AuthInformation
	Stage *instr.StageClass // nil if it asks
}

// Bounds of plans that are kept.
const (
	TextMax   = 4 << 10 // bytes of a text
	WeightMax = 4_000   // of one plan
	// TotalMax bounds the weight of all plans, and with it what they take: some 300 bytes each.
	TotalMax = 20_000
	// copiesMax is how many statements with one key can have a plan at once.
	copiesMax = 32
	// TextUnit is how many bytes of a text weigh as much as a node.
	TextUnit = 256
	// seenSets and seenWays say how many texts are remembered that had no plan: a plan is kept when its text comes again.
	seenSets, seenWays = 256, 4
)

// Cache are the plans that a server keeps. Safe for concurrent use.
type Cache struct {
	seed   maphash.Seed
	mu     sync.Mutex
	plans  map[Key]*entry             // guarded by mu
	total  int                        // guarded by mu; weight
	clock  uint64                     // guarded by mu; counts uses
	seen   [seenSets][seenWays]uint64 // guarded by mu; hashes of texts, those of a set the latest first
	uses   uint64                     // guarded by mu
	misses uint64                     // guarded by mu
	off    atomic.Bool                // none is kept
}

// entry is what is known of a key.
type entry struct {
	refused string // why no plan can be kept, "" if one can
	idle    []*Plan
	copies  int // idle or in use
	uses    uint64
	weight  int
	used    uint64 // when it was used last, by the clock
}

// New returns an empty cache, which keeps plans.
func New() *Cache {
	return &Cache{seed: maphash.MakeSeed(), plans: map[Key]*entry{}}
}

// Take returns a plan for a key, nil if there is none. Without one, again tells whether the text has come before.
func (k *Cache) Take(key Key) (p *Plan, again bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e := k.plans[key]; e != nil {
		k.clock++
		e.used = k.clock
		if n := len(e.idle); n > 0 {
			k.uses++
			e.uses++
			p = e.idle[n-1]
			e.idle = e.idle[:n-1]
			return p, true
		}
		return nil, e.copies < copiesMax && e.refused == ""
	}
	k.misses++
	h := maphash.String(k.seed, key.Text) + uint64(key.Kind)
	set := &k.seen[h%seenSets]
	at := slices.Index(set[:], h)
	again = at >= 0
	if !again {
		at = seenWays - 1
	}
	copy(set[1:at+1], set[:at])
	set[0] = h
	return nil, again
}

// Lend keeps a new plan that is in use.
func (k *Cache) Lend(p *Plan) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keep(p)
}

// keep keeps a new plan; mu is held. It reports false if there are enough.
func (k *Cache) keep(p *Plan) bool {
	e := k.plans[p.Key]
	if e == nil {
		e = &entry{}
		k.plans[p.Key] = e
	}
	if e.copies == copiesMax {
		return false
	}
	p.entry = e
	e.copies++
	e.weight += p.Weight
	k.total += p.Weight
	k.clock++
	e.used = k.clock
	k.shrink()
	return true
}

// Put gives a plan back, or a new one to be kept.
func (k *Cache) Put(p *Plan, fresh bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if fresh && !k.keep(p) {
		return
	}
	if e := k.plans[p.Key]; e != nil && e == p.entry { // it was not too much in the meantime
		k.clock++
		e.used = k.clock
		e.idle = append(e.idle, p)
	}
}

// Refuse notes that no plan can be kept for a key, and why.
func (k *Cache) Refuse(key Key, why string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.plans[key] == nil {
		k.clock++
		weight := 2 + len(key.Text)/TextUnit
		k.plans[key] = &entry{refused: why, weight: weight, used: k.clock}
		k.total += weight
	}
	k.shrink()
}

// Drop forgets a plan whose statement has failed.
func (k *Cache) Drop(p *Plan) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e := k.plans[p.Key]; e != nil && e == p.entry {
		e.copies--
		e.weight -= p.Weight
		k.total -= p.Weight
		if e.copies == 0 {
			k.total -= e.weight // of a key that was refused when its plan was in use
			delete(k.plans, p.Key)
		}
	}
}

// Rows are what the table plan_cache shows.
func (k *Cache) Rows(tables.Key) (all []tables.PlanCacheRow) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for key, e := range k.plans {
		text, _, _ := strings.Cut(key.Text, "\x00") // what follows are the classes of values
		all = append(all, tables.PlanCacheRow{
			Kind: [...]string{"TEXT", "SHAPE", "PREPARED"}[key.Kind], Schema: key.Database, Statement: secrets.Hide(text),
			Plans: uint64(e.copies), Hits: e.uses, Refused: e.refused,
		})
	}
	return all
}

// Forget forgets all plans.
func (k *Cache) Forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.plans)
	clear(k.seen[:])
	k.total = 0
}

// SwitchOn has plans be kept, or no more; those that are kept stay.
func (k *Cache) SwitchOn(on bool) { k.off.Store(!on) }

// IsOn tells whether plans are kept.
func (k *Cache) IsOn() bool { return !k.off.Load() }

// Counts are figures of a cache.
type Counts struct {
	Hits, Misses   uint64 // statements that a plan was kept for, and whose key was not known
	Plans, Refused uint64 // plans that are kept, and keys that none can be kept for
	Weight         int    // of all of that, at most TotalMax
}

// Counts returns the figures of the cache.
func (k *Cache) Counts() Counts {
	k.mu.Lock()
	defer k.mu.Unlock()
	c := Counts{Hits: k.uses, Misses: k.misses, Weight: k.total}
	for _, e := range k.plans {
		c.Plans += uint64(e.copies)
		if e.refused != "" {
			c.Refused++
		}
	}
	return c
}

// Status adds the status variables.
func (k *Cache) Status(l *status.List) {
	c := k.Counts()
	l.Number("Plan_cache_hits", c.Hits)
	l.Number("Plan_cache_misses", c.Misses)
	l.Number("Plan_cache_plans", c.Plans)
	l.Number("Plan_cache_refused_statements", c.Refused)
}

// Idle returns the plans that no statement uses, of the keys that of is true for.
func (k *Cache) Idle(of func(Key) bool) (all []*Plan) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for key, e := range k.plans {
		if of(key) {
			all = append(all, e.idle...)
		}
	}
	return all
}

// shrink forgets what has not been used for the longest time if there is too much: a quarter, so that it is not looked for each time; mu is held.
func (k *Cache) shrink() {
	if k.total <= TotalMax {
		return
	}
	keys := slices.SortedFunc(maps.Keys(k.plans), func(a, b Key) int { return cmp.Compare(k.plans[a].used, k.plans[b].used) })
	for _, key := range keys {
		if k.total <= TotalMax*3/4 {
			break
		}
		k.total -= k.plans[key].weight
		delete(k.plans, key)
	}
}
