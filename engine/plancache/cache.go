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
	"pfsd/engine/rights"
	"pfsd/engine/secrets"
	"pfsd/engine/session"
	"pfsd/engine/status"
	"pfsd/instr"
	"pfsd/tables"
)

// Key has everything that a plan depends on.
type Key struct {
	Kind           Kind
	Text, Database string
	Values         uint64 // a number for the session's variables
	Globals        uint64 // a number for the global variables
	Definitions    uint64 // the version of users' tables and what belongs to them; 0 if the plan has no users' tables
	Multi          bool   // the text may have several statements
}

// Kind says what the text of a key is.
type Kind uint8

// Kinds of texts.
const (
	TextKey     Kind = iota // the text of a statement
	ShapeKey                // the text of a statement with marks in place of values
	PreparedKey             // the text of a prepared statement, and the classes of its values
)

// Plan is the plan of a statement. Owned by the statement that uses it.
type Plan struct {
	Key    Key
	Parsed ast.Statement
	One    string // the text without the delimiter at its end
	Steps  []Step
	Uses   []rights.ColumnUse // the columns that an account needs which may use only some
	Node   sql.Node
	Flags  *sql.QueryFlags
	Schema sql.Schema
	// Columns are the packets that describe the columns to the client.
	Columns []byte
	Weight  int // number of nodes and expressions
	// Simple tells that only the rows have to be closed after the statement. Query tells that the
	// statement is a query.
	Simple, Query bool
	Slots         *kept.Slots
	Clauses       []session.ReadClause // the FOR UPDATE and FOR SHARE of the statement
	entry         *entry               // the entry that counts the plan
	keepsNothing  bool                 // no part of the plan keeps rows during execution; false also if that is not known yet
}

// Step is something that happens while a plan is made: a check of a privilege, or the beginning of
// a stage. It has to happen again when the kept plan is used.
type Step struct {
	Info  ast.AuthInformation
	Stage *instr.StageClass // nil for a check of a privilege
}

// Limits of the plans that are kept.
const (
	TextMax   = 4 << 10 // bytes of a text
	WeightMax = 4_000   // weight of one plan
	// TotalMax limits the weight of all plans, and so their memory: about 300 bytes for each unit.
	TotalMax = 20_000
	// copiesMax is the largest number of plans with the same key, which as many statements can use
	// at the same time.
	copiesMax = 32
	// TextUnit is the number of bytes of a text that weigh as much as one node.
	TextUnit = 256
	// seenSets times seenWays texts without a plan are remembered: a plan is kept when its text
	// comes for the second time.
	seenSets, seenWays = 256, 4
)

// Cache has the plans that a server keeps. Safe for concurrent use.
type Cache struct {
	seed   maphash.Seed
	mu     sync.Mutex
	plans  map[Key]*entry             // guarded by mu
	total  int                        // guarded by mu; weight
	clock  uint64                     // guarded by mu; counts uses
	seen   [seenSets][seenWays]uint64 // guarded by mu; hashes of texts, in each set the latest first
	uses   uint64                     // guarded by mu
	misses uint64                     // guarded by mu
	off    atomic.Bool                // no plans are kept
}

// entry has the plans of a key, or the reason why it has none.
type entry struct {
	refused string // why no plan can be kept, "" if one can
	idle    []*Plan
	copies  int // number of plans, idle or in use
	uses    uint64
	weight  int
	used    uint64 // the clock at the last use
}

// New returns an empty cache that is switched on.
func New() *Cache {
	return &Cache{seed: maphash.MakeSeed(), plans: map[Key]*entry{}}
}

// Take returns a plan for a key, nil if there is none. If there is none, again tells whether a plan
// should be kept, because the text has come before.
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

// Lend adds a new plan that its statement is using.
func (k *Cache) Lend(p *Plan) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keep(p)
}

// keep adds a new plan. It returns false if the key has enough plans. The caller holds mu.
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

// Put makes a plan available to other statements after its use. fresh says that the plan is new.
func (k *Cache) Put(p *Plan, fresh bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if fresh && !k.keep(p) {
		return
	}
	if e := k.plans[p.Key]; e != nil && e == p.entry { // shrink has not removed the entry meanwhile
		k.clock++
		e.used = k.clock
		e.idle = append(e.idle, p)
	}
}

// Refuse records that no plan can be kept for a key, and why.
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

// Drop removes a plan whose statement has failed.
func (k *Cache) Drop(p *Plan) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e := k.plans[p.Key]; e != nil && e == p.entry {
		e.copies--
		e.weight -= p.Weight
		k.total -= p.Weight
		if e.copies == 0 {
			k.total -= e.weight // the weight of a key that was refused while its plan was in use
			delete(k.plans, p.Key)
		}
	}
}

// Rows returns the rows of the table plan_cache.
func (k *Cache) Rows(tables.Key) (all []tables.PlanCacheRow) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for key, e := range k.plans {
		text, _, _ := strings.Cut(key.Text, "\x00") // the classes of values follow
		all = append(all, tables.PlanCacheRow{
			Kind: [...]string{"TEXT", "SHAPE", "PREPARED"}[key.Kind], Schema: key.Database, Statement: secrets.Hide(text),
			Plans: uint64(e.copies), Hits: e.uses, Refused: e.refused,
		})
	}
	return all
}

// Forget removes all plans.
func (k *Cache) Forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.plans)
	clear(k.seen[:])
	k.total = 0
}

// SwitchOn says whether plans are kept from now on. It does not remove plans.
func (k *Cache) SwitchOn(on bool) { k.off.Store(!on) }

// IsOn tells whether plans are kept.
func (k *Cache) IsOn() bool { return !k.off.Load() }

// Counts has the numbers of a cache for status variables.
type Counts struct {
	Hits, Misses   uint64 // statements with a kept plan, and statements whose key was not known
	Plans, Refused uint64 // kept plans, and keys for which no plan can be kept
	Weight         int    // of all entries, at most TotalMax
}

// Counts returns the numbers of the cache.
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

// Idle returns the plans that no statement uses, of the keys for which of returns true.
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

// shrink removes the entries that have not been used for the longest time, if all entries together
// weigh too much. It removes a quarter of the weight at once, so that it need not sort the entries
// at each call. The caller holds mu.
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
