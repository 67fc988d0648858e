package tables

import (
	"fmt"
	"slices"
	"strings"

	"pfsd/instr"
)

// modelMemory is the memory of a thread, of an actor without its threads, of no thread, or the
// global memory without hosts, accounts and threads, by instrument.
type modelMemory map[*modelClass]*modelUse

// modelUse is what was allocated and freed, and how far the highest and the lowest value are from
// what is in use: for pieces and for bytes.
type modelUse struct{ pieces, bytes modelQuantity }

type modelQuantity struct{ in, out, above, below uint64 }

func (q *modelQuantity) add(o modelQuantity) {
	q.in += o.in
	q.out += o.out
	q.above += o.above
	q.below += o.below
}

// takeFreed takes away what was allocated and freed again.
func (q *modelQuantity) takeFreed() modelQuantity {
	n := min(q.in, q.out)
	freed := modelQuantity{n, n, q.above, q.below}
	*q = modelQuantity{in: q.in - n, out: q.out - n}
	return freed
}

func (q modelQuantity) used() int64 { return int64(q.in) - int64(q.out) }

// cells are the ten figures.
func (u modelUse) cells() []string {
	p, b := u.pieces, u.bytes
	var cells []string
	for _, n := range []int64{
		int64(p.in), int64(p.out), int64(b.in), int64(b.out),
		p.used() - int64(p.below), p.used(), p.used() + int64(p.above),
		b.used() - int64(b.below), b.used(), b.used() + int64(b.above),
	} {
		cells = append(cells, fmt.Sprint(n))
	}
	return cells
}

func (m modelMemory) of(c *modelClass) *modelUse {
	if m[c] == nil {
		m[c] = new(modelUse)
	}
	return m[c]
}

func (m modelMemory) addAll(o modelMemory) {
	for c, u := range o {
		to := m.of(c)
		to.pieces.add(u.pieces)
		to.bytes.add(u.bytes)
	}
}

// take takes away all of it, or only what was allocated and freed again.
func (m modelMemory) take(all bool) modelMemory {
	taken := modelMemory{}
	for c, u := range m {
		if all {
			*taken.of(c) = *u
			delete(m, c)
			continue
		}
		*taken.of(c) = modelUse{u.pieces.takeFreed(), u.bytes.takeFreed()}
	}
	return taken
}

// memoryUp moves memory to the actors above, and to the global memory if neither an account nor a
// host is among these.
func (m *model) memoryUp(from modelMemory, above []*modelActor, all bool) {
	moved, counted := from.take(all), false
	for _, a := range above {
		a.memory.addAll(moved)
		counted = counted || a.level != instr.LimitUsers
	}
	if !counted {
		m.memory.addAll(moved)
	}
}

// dropMemory drops the memory of a user, and moves that of a host up.
func (m *model) dropMemory(a *modelActor, all bool) {
	if a.level == instr.LimitHosts {
		m.memoryUp(a.memory, nil, all)
	}
	a.memory.take(all)
}

func (m *model) foldThreadMemory() {
	for _, t := range m.threads {
		m.memoryUp(t.memory, t.above(), false)
	}
}

func (m *model) foldAccountMemory() {
	m.foldThreadMemory()
	for _, a := range m.accounts {
		m.memoryUp(a.memory, modelActors(a.ofUser, a.ofHost), false)
	}
}

// truncateMemory is TRUNCATE of a summary of memory; false if the table is none.
func (m *model) truncateMemory(table string) bool {
	switch table {
	case "memory_summary_by_thread_by_event_name":
		m.foldThreadMemory()
	case "memory_summary_by_account_by_event_name":
		m.foldAccountMemory()
	case "memory_summary_by_user_by_event_name":
		m.foldAccountMemory()
		for _, a := range m.users {
			m.dropMemory(a, false)
		}
	case "memory_summary_by_host_by_event_name":
		m.foldAccountMemory()
		for _, a := range m.hosts {
			m.dropMemory(a, false)
		}
	case "memory_summary_global_by_event_name":
		for _, t := range m.threads {
			t.memory.take(false)
		}
		for _, a := range slices.Concat(m.accounts, m.users, m.hosts) {
			a.memory.take(false)
		}
		m.memory.take(false)
		m.shared.take(false)
	default:
		return false
	}
	return true
}

var modelMemoryTruncates = func() (all []string) {
	for _, level := range []string{"by_thread", "by_account", "by_user", "by_host", "global"} {
		all = append(all, "memory_summary_"+level+"_by_event_name")
	}
	return all
}()

// use changes a quantity by n, in or out, and returns how far that is beyond the former extreme.
func (q *modelQuantity) use(n uint64, out bool) (beyond uint64) {
	total, ahead, behind := &q.in, &q.above, &q.below
	if out {
		total, ahead, behind = &q.out, &q.below, &q.above
	}
	*total += n
	*behind += n
	beyond = n - min(n, *ahead)
	*ahead -= min(n, *ahead)
	return beyond
}

// give takes up to n from what an actor once had in use beyond what it has.
func (q *modelQuantity) give(n uint64, out bool) (rest uint64) {
	from := &q.above
	if out {
		from = &q.below
	}
	given := min(*from, n)
	*from -= given
	return n - given
}

// use counts memory that is allocated, or freed if out is true, by a thread or by none. If a thread
// has more in use than ever, the difference comes from what its account, or the actors above that,
// once had in use.
func (m *model) use(t *modelThread, c *modelClass, bytes uint64, out bool) {
	if c == nil || !c.enabled || !m.consumers[instr.ConsumerGlobalInstrumentation] {
		return
	}
	if t == nil || c.global || !m.consumers[instr.ConsumerThreadInstrumentation] {
		u := m.shared.of(c)
		u.pieces.use(1, out)
		u.bytes.use(bytes, out)
		return
	}
	if !t.instrumented {
		return
	}
	if t.inUse += int64(bytes); out {
		t.inUse -= 2 * int64(bytes)
	}
	t.most = max(t.most, uint64(max(0, t.inUse)))
	u := t.memory.of(c)
	pieces, rest := u.pieces.use(1, out), u.bytes.use(bytes, out)
	give := func(from modelMemory) {
		pieces, rest = from.of(c).pieces.give(pieces, out), from.of(c).bytes.give(rest, out)
	}
	ofUser, ofHost := t.ofUser, t.ofHost
	if t.account != nil {
		give(t.account.memory)
		ofUser, ofHost = t.account.ofUser, t.account.ofHost
	}
	if ofUser != nil {
		before, bytes := pieces, rest
		give(ofUser.memory)
		pieces, rest = before, bytes
	}
	if ofHost != nil {
		give(ofHost.memory)
	}
	give(m.memory)
}

// memoryJoins is called when a thread has come to its actors: as much as the thread had in use is
// taken from what they once had in use beyond what they have, and added globally.
func (m *model) memoryJoins(t *modelThread) {
	ofUser, ofHost := t.ofUser, t.ofHost
	if t.account != nil {
		ofUser, ofHost = t.account.ofUser, t.account.ofHost
	}
	for c, u := range t.memory {
		for _, q := range []struct {
			of  modelQuantity
			out bool
			in  func(u *modelUse) *modelQuantity
		}{
			{u.pieces, false, func(u *modelUse) *modelQuantity { return &u.pieces }}, {u.pieces, true, func(u *modelUse) *modelQuantity { return &u.pieces }},
			{u.bytes, false, func(u *modelUse) *modelQuantity { return &u.bytes }}, {u.bytes, true, func(u *modelUse) *modelQuantity { return &u.bytes }},
		} {
			most := q.of.used() + int64(q.of.above)
			if q.out {
				most = int64(q.of.below) - q.of.used()
			}
			rest := uint64(max(0, most))
			gets := &q.in(m.memory.of(c)).above
			if q.out {
				gets = &q.in(m.memory.of(c)).below
			}
			if t.account != nil {
				before := rest
				rest = q.in(t.account.memory.of(c)).give(rest, q.out)
				*gets += before - rest
			}
			if ofUser != nil {
				q.in(ofUser.memory.of(c)).give(rest, q.out)
			}
			if ofHost != nil {
				*gets += rest - q.in(ofHost.memory.of(c)).give(rest, q.out)
			}
		}
	}
}

// memoryOf is the memory of an actor.
func (m *model) memoryOf(a *modelActor) modelMemory {
	sum := modelMemory{}
	sum.addAll(a.memory)
	for _, of := range m.accounts {
		if of.ofUser == a || of.ofHost == a {
			sum.addAll(of.memory)
		}
	}
	for _, t := range m.threads {
		if t.belongs(a) {
			sum.addAll(t.memory)
		}
	}
	return sum
}

var memoryNames = strings.Fields(`COUNT_ALLOC COUNT_FREE SUM_NUMBER_OF_BYTES_ALLOC SUM_NUMBER_OF_BYTES_FREE
	LOW_COUNT_USED CURRENT_COUNT_USED HIGH_COUNT_USED LOW_NUMBER_OF_BYTES_USED CURRENT_NUMBER_OF_BYTES_USED HIGH_NUMBER_OF_BYTES_USED`)

// expectMemory is the summaries of memory, without the registry's own.
func (m *model) expectMemory(x *expectation) {
	add := func(table string, keys []string, who []string, memory modelMemory, e *expected) *expected {
		if e == nil {
			e = x.table(table, len(keys)+1, slices.Concat(keys, []string{"EVENT_NAME"}, memoryNames)...)
		}
		for _, c := range m.of(instr.KindMemory) {
			if who != nil && !c.global {
				e.row(slices.Concat(who, []string{c.name}, memory.of(c).cells())...)
			}
		}
		return e
	}
	e := add("memory_summary_by_thread_by_event_name", []string{"THREAD_ID"}, nil, nil, nil)
	for _, t := range m.threads {
		add("", nil, []string{num(t.id)}, t.memory, e)
	}
	for _, level := range []struct {
		name string
		keys []string
		all  []*modelActor
		who  func(a *modelActor) []string
	}{
		{"account", []string{"USER", "HOST"}, m.accounts, func(a *modelActor) []string { return []string{orNull(a.user), orNull(a.host)} }},
		{"user", []string{"USER"}, m.users, func(a *modelActor) []string { return []string{orNull(a.user)} }},
		{"host", []string{"HOST"}, m.hosts, func(a *modelActor) []string { return []string{orNull(a.host)} }},
	} {
		e := add("memory_summary_by_"+level.name+"_by_event_name", level.keys, nil, nil, nil)
		for _, a := range level.all {
			add("", nil, level.who(a), m.memoryOf(a), e)
		}
	}
	sum := modelMemory{}
	sum.addAll(m.memory)
	sum.addAll(m.shared)
	for _, a := range slices.Concat(m.hosts, m.accounts) {
		sum.addAll(a.memory)
	}
	for _, t := range m.threads {
		sum.addAll(t.memory)
	}
	for _, c := range m.of(instr.KindMemory) {
		e := x.table("memory_summary_global_by_event_name", 1, slices.Concat([]string{"EVENT_NAME"}, memoryNames)...)
		e.where = Key{is("EVENT_NAME", c.name)}
		e.row(slices.Concat([]string{c.name}, sum.of(c).cells())...)
	}
}

var modelMemoryOps = []modelOp{
	{"memory", 14, func(w *modelWorld, a, b, c uint32) string {
		r, name := pick(w.routines, a), pick([]string{"test/rows", "test/sort", "test/cache"}, b)
		size, out := int(c%1000), c/1000%5 < 2
		class := w.class(instr.KindMemory, name)
		memory := w.reg.NewMemoryClass(name)
		if name == "test/cache" {
			memory = w.reg.NewMemoryClass(name, instr.GlobalStatistics)
			if class != nil {
				class.global = true
			}
		}
		known := r.thread
		w.in(r, func() {
			switch {
			case b/4%2 == 0 && out:
				memory.Free(size)
			case b/4%2 == 0:
				memory.Alloc(size)
			case out:
				r.current().Free(memory, size)
			default:
				r.current().Alloc(memory, size)
			}
		})
		w.use(known, class, uint64(size), out)
		return fmt.Sprintf("%s: %s %d, freed: %v", r, name, size, out)
	}},
}

// current is the routine's thread, nil if it is none.
func (r *modelRoutine) current() *instr.Thread {
	if !r.attached() {
		return nil
	}
	return r.handle
}
