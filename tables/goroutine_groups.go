package tables

import (
	"sync"
	"time"
)

// The goroutines that wait, by the line that started them and the place where they wait: how many there are now, how long the one has waited that has
// waited longest, and how their number has changed between the times that the table was read. The first SELECT begins to compare, and none tells what
// was between two of them: goroutines that are left behind make a group that only grows. The number of a program that has ended changes no more. Who has no
// privilege PROCESS sees none.
//
// MySQL: none.
var _ = register(Def[*goroutineGroup]{
	Name:     "goroutine_groups",
	Doc:      "Goroutines that wait, by the line that started them and where they wait: how many, since when, and how their number changes.",
	Recorded: OfProgram,
	Columns: []Column[*goroutineGroup]{
		{Name: "CREATED_BY", Kind: varchar(256).nullable(), Get: func(r *goroutineGroup) Value { return textOrNull(cut(r.Creator, 256)) }, Doc: "The function with the go statement; NULL if unknown."},
		{Name: "CREATED_AT", Kind: varchar(64).nullable(), Get: func(r *goroutineGroup) Value { return textOrNull(cut(r.Created, 64)) }, Doc: "The file and line of the go statement; NULL if unknown."},
		{Name: "WAIT_REASON", Kind: varchar(64).nullable(), Get: func(r *goroutineGroup) Value { return textOrNull(cut(r.WaitReason, 64)) }, Doc: "What they wait for, as in the table goroutines."},
		{Name: "CURRENT_FUNCTION", Kind: varchar(256).nullable(), Get: func(r *goroutineGroup) Value { return textOrNull(cut(r.Function, 256)) }, Doc: "The function in which they wait, the innermost outside of package runtime."},
		{Name: "SOURCE", Kind: varchar(64).nullable(), Get: func(r *goroutineGroup) Value { return textOrNull(cut(r.Source, 64)) }, Doc: "The file and line in it."},
		{Name: "MAIN_SOURCE", Kind: varchar(64).nullable(), Get: func(r *goroutineGroup) Value { return textOrNull(cut(r.Own, 64)) }, Doc: "The file and line of the innermost function in the program's main module; NULL if it is none."},
		{Name: "GOROUTINES", Kind: bigintUnsigned, Get: func(r *goroutineGroup) Value { return Uint(r.now) }, Doc: "How many there are now."},
		{Name: "TIMER_OLDEST", Kind: bigintUnsigned.nullable(), Get: func(r *goroutineGroup) Value { return r.oldest() }, Doc: "How long the one has waited that has waited longest, picoseconds; NULL if no wait is timed."},
		{Name: "FIRST_SEEN", Kind: timestamp(0), Get: func(r *goroutineGroup) Value { return Time(r.seen) }, Doc: "When the table was read for the first time; of a program that had ended by then, its end."},
		{Name: "GROWN", Kind: bigintUnsigned.nullable(), Get: func(r *goroutineGroup) Value { return r.change(Uint(r.now - min(r.now, r.first))) }, Doc: "How many more there are than then; NULL if the table was not read before, or the program had ended by then."},
		{Name: "SHRUNK", Kind: yesNo.nullable(), Get: func(r *goroutineGroup) Value { return r.change(yes(r.shrunk)) }, Doc: "YES if there were fewer one time than the time before; NULL as GROWN."},
	},
	Estimate: fixedEstimate,
	Rows: func(model Model, _ Key) Source[*goroutineGroup] {
		var all []goroutineGroup
		if visibleThreads(model)(0) { // no account's own
			all = groupsOf(model)
		}
		return mapped(list(all), func(r *goroutineGroup, g goroutineGroup) bool { *r = g; return true })
	},
})

// groupKey is what the goroutines of a group have in common.
type groupKey struct{ Creator, Created, WaitReason, Function, Source, Own string }

// goroutineGroup is a group, as it is now and was before.
type goroutineGroup struct {
	groupKey
	now, first uint64
	since      time.Time // the oldest wait, zero if none is timed
	at, seen   time.Time
	compared   bool
	shrunk     bool
}

func (g *goroutineGroup) oldest() Value {
	if g.since.IsZero() {
		return Null
	}
	return Uint(uint64(max(g.at.Sub(g.since), 0)) * 1000)
}

// change is a value that is known if the group was seen twice.
func (g *goroutineGroup) change(v Value) Value {
	if !g.compared {
		return Null
	}
	return v
}

// groupLooks is what the readers of a model have seen of its groups.
type groupLooks struct {
	mu     sync.Mutex
	looks  int
	ended  bool // the last look was at a program that had ended
	first  time.Time
	groups map[groupKey]*groupLook
}

// groupLook is how many a group had at the first look and at the last, and whether they became fewer between two.
type groupLook struct {
	first, last uint64
	shrunk      bool
}

// mostGroups is how many groups are remembered; how others change is not known.
const mostGroups = 10_000

// groupsLock guards the making of the groupLooks of models.
var groupsLock sync.Mutex

// looksOf is what the readers of a model have seen.
func looksOf(model Model) *groupLooks {
	groupsLock.Lock()
	defer groupsLock.Unlock()
	l, ok := model.Provided(groupLooksKey{}).(*groupLooks)
	if !ok {
		l = &groupLooks{groups: map[groupKey]*groupLook{}}
		model.Provide(groupLooksKey{}, l)
	}
	return l
}

type groupLooksKey struct{}

// groupsOf looks at the groups of a model.
func groupsOf(model Model) []goroutineGroup {
	l := looksOf(model)
	l.mu.Lock()
	defer l.mu.Unlock()
	at, ended := time.Now(), false
	if m, ok := model.(interface{ Moment() (time.Time, bool) }); ok {
		at, ended = m.Moment()
	}
	places := map[groupKey]int{}
	var all []goroutineGroup
	goroutines := model.Goroutines()
	for i := range goroutines {
		g := &goroutines[i]
		if g.WaitReason == "" {
			continue
		}
		k := groupKey{g.Creator, g.Created, g.WaitReason, g.Function, g.Source, g.Own}
		place, ok := places[k]
		if !ok {
			place = len(all)
			places[k] = place
			all = append(all, goroutineGroup{groupKey: k, at: at})
		}
		group := &all[place]
		if group.now++; !g.Since.IsZero() && (group.since.IsZero() || g.Since.Before(group.since)) {
			group.since = g.Since
		}
	}
	if !ended || !l.ended { // nothing changes any more
		l.look(all, at)
	}
	l.ended = ended
	for i := range all {
		g := &all[i]
		g.seen = l.first
		if look := l.groups[g.groupKey]; look != nil {
			g.first, g.shrunk, g.compared = look.first, look.shrunk, l.looks > 1
		}
	}
	return all
}

// look compares groups with what they were when they were last looked at.
func (l *groupLooks) look(all []goroutineGroup, at time.Time) {
	if l.looks++; l.looks == 1 {
		l.first = at
	}
	there := make(map[groupKey]bool, len(all))
	for i := range all {
		g := &all[i]
		there[g.groupKey] = true
		look := l.groups[g.groupKey]
		if look == nil {
			if len(l.groups) >= mostGroups {
				continue
			}
			look = new(groupLook)
			if l.groups[g.groupKey] = look; l.looks == 1 {
				look.first = g.now
			}
		}
		look.shrunk = look.shrunk || g.now < look.last
		look.last = g.now
	}
	for k, look := range l.groups {
		if !there[k] {
			look.shrunk = look.shrunk || look.last > 0
			look.last = 0
		}
	}
}
