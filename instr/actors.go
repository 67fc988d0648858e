package instr

import "slices"

// ActorLevel is one of the tables accounts, users and hosts.
type ActorLevel uint8

// The levels.
const (
	LevelAccount ActorLevel = iota
	LevelUser
	LevelHost
	levelCount
)

// Actor is a copy of a row of accounts, users or hosts. User and Host are "" where the table
// shows NULL, and where it has no such column.
type Actor struct {
	User, Host string
	// Current is how many threads there are now, Total those that have ended, too.
	Current, Total int64
	// MaxTotalMemory and MaxControlledMemory are the most that one of the threads has had in use, bytes.
	MaxTotalMemory, MaxControlledMemory uint64
}

// actor is an account, a user or a host. What can change is guarded by threads.mu.
type actor struct {
	level ActorLevel
	name  Account   // of a user without host, of a host without user
	above [2]*actor // of an account: its user and its host; nil where there was no room

	threads []*Thread // those that belong to it; of a user or a host those without account
	ended   int64     // how many threads that belonged to it have ended
	// maxTotal and maxControlled are the most memory that one that has ended had in use, bytes.
	maxTotal, maxControlled uint64
	accounts                int // of a user or a host: how many accounts belong to it
	waits                   waitTable
	work                    workStats
	slack                   slackTable // of memory
	status                  statusValues
	flags                   uint32 // of an account: what setup_actors says
	flagsOf                 uint64 // the version of setup_actors that says it
	place                   int    // in the list that actorRows made last
}

// actors are the accounts, users and hosts of a registry, and what setup_actors says of
// them. Guarded by threads.mu.
type actors struct {
	levels  [levelCount]actorList
	unnamed *actor // the account of threads without user and host, if it exists
	setup   setupActors
}

// actorList is one level's actors.
type actorList struct {
	all    []*actor // in the order in which they were made
	byName map[Account]*actor
	// accounts are the accounts by their name on this level, in lower case; an actor with that name
	// need not exist.
	accounts map[Account][]*actor
}

// ActorFilter picks accounts, users or hosts by name, without regard to the case of ASCII letters;
// nil allows any name. The zero filter picks all.
type ActorFilter struct{ User, Host *string }

func (as *actors) init() {
	for l := range as.levels {
		as.levels[l].byName = map[Account]*actor{}
		as.levels[l].accounts = map[Account][]*actor{}
	}
	as.setup.init()
}

// at returns the actor of level l that an actor belongs to or is, nil if there is none.
func (a *actor) at(l ActorLevel) *actor {
	switch {
	case a == nil:
		return nil
	case a.level == l:
		return a
	case a.level == LevelAccount:
		return a.above[l-LevelUser]
	}
	return nil
}

// at returns the actor of level l that the thread belongs to, nil if there is none. The
// caller holds threads.mu.
func (t *Thread) at(l ActorLevel) *actor {
	if a := t.above[0].at(l); a != nil {
		return a
	}
	return t.above[1].at(l)
}

// key is the name as it is compared: the host in any letter case.
func (a Account) key() Account { return Account{a.User, lowerASCII(a.Host)} }

// PlainText reports whether a text consists of printable ASCII.
func PlainText(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// noteNames sets foreignNames if one of the names is not PlainText.
func (r *Registry) noteNames(names ...string) {
	for _, s := range names {
		if !PlainText(s) {
			r.foreignNames.Store(true)
		}
	}
}

// HasForeignNames reports whether an account, a file or a row of setup_objects has ever had a name
// that is not PlainText: a collation may treat two such names as equal. Safe for concurrent use.
func (h Reader) HasForeignNames() bool { return h.r.foreignNames.Load() }

// lowerASCII is s with the letters A to Z in lower case.
func lowerASCII(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// actor returns the actor with this name, made if need be; nil if there is no room, which
// is counted. The caller holds threads.mu.
func (r *Registry) actor(l ActorLevel, name Account) *actor {
	list, key := &r.threads.actors.levels[l], name.key()
	if a := list.byName[key]; a != nil {
		return a
	}
	most := LimitAccounts + Limit(l)
	if limit := r.Setup().Limit(most); limit >= 0 && len(list.all) >= limit {
		r.lost[most].Add(1)
		return nil
	}
	a := &actor{level: l, name: name}
	if l == LevelAccount {
		a.above = [2]*actor{r.actor(LevelUser, Account{User: name.User}), r.actor(LevelHost, Account{Host: name.Host})}
		for _, up := range a.above {
			if up != nil {
				up.accounts++
			}
		}
		if name == (Account{}) {
			r.threads.actors.unnamed = a
		}
	}
	list.all = append(list.all, a)
	list.byName[key] = a
	r.noteNames(name.User, name.Host)
	r.buffers[levelBuffers[l].actors].grow(1, size[actor]())
	if l == LevelAccount {
		for up := range levelCount {
			list, folded := &r.threads.actors.levels[up], name.folded(up)
			list.accounts[folded] = append(list.accounts[folded], a)
		}
	}
	return a
}

// folded is the part of an account's name that a level has, in lower case.
func (a Account) folded(l ActorLevel) Account {
	folded := Account{lowerASCII(a.User), lowerASCII(a.Host)}
	switch l {
	case LevelUser:
		folded.Host = ""
	case LevelHost:
		folded.User = ""
	}
	return folded
}

// candidates returns the actors of a level that f picks, and perhaps others. The caller holds
// threads.mu.
func (as *actors) candidates(l ActorLevel, f ActorFilter) []*actor {
	list := &as.levels[l]
	one := func(name Account) []*actor {
		if a := list.byName[name.key()]; a != nil {
			return []*actor{a}
		}
		return nil
	}
	switch {
	case l == LevelAccount && f.User != nil && f.Host != nil:
		return list.accounts[Account{*f.User, *f.Host}.folded(l)]
	case l == LevelAccount && f.User != nil:
		return as.levels[LevelUser].accounts[Account{User: *f.User}.folded(LevelUser)]
	case l == LevelAccount && f.Host != nil:
		return as.levels[LevelHost].accounts[Account{Host: *f.Host}.folded(LevelHost)]
	case l == LevelUser && f.User != nil:
		return one(Account{User: *f.User})
	case l == LevelHost && f.Host != nil:
		return one(Account{Host: *f.Host})
	}
	return list.all
}

// eachBelow calls do with each account that belongs to an actor. The caller holds threads.mu.
func (as *actors) eachBelow(a *actor, do func(account *actor)) {
	if a.level == LevelAccount || a.accounts == 0 {
		return
	}
	for _, account := range as.levels[a.level].accounts[a.name.folded(a.level)] {
		if account.at(a.level) == a {
			do(account)
		}
	}
}

// threadsOf returns the threads of the actors of a level that f picks, and perhaps others.
func (ts *threads) threadsOf(l ActorLevel, f ActorFilter) []*Thread {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if f == (ActorFilter{}) {
		return ts.records
	}
	var some []*Thread
	for _, a := range ts.actors.candidates(l, f) {
		some = append(some, a.threads...)
		ts.actors.eachBelow(a, func(account *actor) { some = append(some, account.threads...) })
	}
	return some
}

// ThreadsOf returns the threads that exist now whose account f picks, and perhaps others. Safe
// for concurrent use.
func (h Reader) ThreadsOf(f ActorFilter) []*Thread {
	h.r.sweep()
	if h.Lost(LimitAccounts) > 0 { // not every thread has one
		return h.Threads()
	}
	return liveThreads(h.r.threads.threadsOf(LevelAccount, f))
}

// join makes the thread belong to an account, or else to a user and a host, and returns
// what setup_actors says of them. The caller holds threads.mu.
func (r *Registry) join(t *Thread, name Account) (flags uint32) {
	as := &r.threads.actors
	account := as.unnamed
	if account == nil || name != (Account{}) {
		account = r.actor(LevelAccount, name)
	}
	if account != nil {
		t.above = [2]*actor{account}
		t.list()
		return as.setup.accountFlags(account)
	}
	t.above = [2]*actor{}
	if name.User != "" {
		t.above[0] = r.actor(LevelUser, Account{User: name.User})
	}
	if name.Host != "" {
		t.above[1] = r.actor(LevelHost, Account{Host: name.Host})
	}
	t.list()
	return as.setup.flags(name)
}

// list adds the thread to the lists of the actors that it belongs to, unlist takes it out of them.
// The caller holds threads.mu.
func (t *Thread) list() {
	for i := range t.above {
		if a := t.above[i]; a != nil {
			t.places[i] = uint32(len(a.threads))
			a.threads = append(a.threads, t)
		}
	}
}

func (t *Thread) unlist() {
	for i := range t.above {
		a := t.above[i]
		if a == nil {
			continue
		}
		last := len(a.threads) - 1
		moved := a.threads[last]
		a.threads[t.places[i]] = moved
		for j := range moved.above {
			if moved.above[j] == a {
				moved.places[j] = t.places[i]
			}
		}
		a.threads[last] = nil
		a.threads = a.threads[:last]
	}
}

// fold moves the thread's statistics to its account, or else to its user and its host. If ended is
// false, memory in use stays with the thread. The caller holds threads.mu.
func (t *Thread) fold(ended bool) {
	t.foldWaits()
	t.foldWork(allWork, ended)
	t.foldStatus()
}

// leave undoes join; ended says that the actors go on counting the thread, as an ended one. The
// caller holds threads.mu.
func (t *Thread) leave(ended bool) {
	t.unlist()
	for i := range t.above {
		if a := t.above[i]; a != nil && ended {
			a.ended++
			m := t.memory()
			a.maxTotal, a.maxControlled = max(a.maxTotal, m.MaxTotal), max(a.maxControlled, m.MaxControlled)
		}
	}
	t.above = [2]*actor{}
}

// actorRows returns the actors of a level that f picks, and a row for each: add adds to it what
// the actor has, and what each account below the actor has. The caller holds threads.mu.
func actorRows[R any](as *actors, l ActorLevel, f ActorFilter, row func(Account) R, add func(*R, *actor)) (of actorPlaces, rows []R) {
	of = as.candidates(l, f)
	rows = make([]R, len(of))
	for i, a := range of {
		a.place = i
		rows[i] = row(a.name)
		add(&rows[i], a)
		as.eachBelow(a, func(account *actor) { add(&rows[i], account) })
	}
	return of, rows
}

// actorPlaces is a list of actors, each of which knows its place in it.
type actorPlaces []*actor

// place is where an actor is in the list, -1 if it is not in it. The caller has held threads.mu
// since the list was made.
func (of actorPlaces) place(a *actor) int {
	if a != nil && a.place < len(of) && of[a.place] == a {
		return a.place
	}
	return -1
}

// Actors returns the rows of accounts, users or hosts that f picks. Safe for concurrent use.
func (h Reader) Actors(l ActorLevel, f ActorFilter) []Actor {
	h.r.sweep()
	h.r.threads.mu.Lock()
	defer h.r.threads.mu.Unlock()
	_, rows := actorRows(&h.r.threads.actors, l, f,
		func(name Account) Actor { return Actor{User: name.User, Host: name.Host} },
		func(row *Actor, a *actor) {
			live := int64(len(a.threads))
			row.Current += live
			row.Total += live + a.ended
			row.MaxTotalMemory, row.MaxControlledMemory = max(row.MaxTotalMemory, a.maxTotal), max(row.MaxControlledMemory, a.maxControlled)
			for _, t := range a.threads {
				m := t.memory()
				row.MaxTotalMemory, row.MaxControlledMemory = max(row.MaxTotalMemory, m.MaxTotal), max(row.MaxControlledMemory, m.MaxControlled)
			}
		})
	return rows
}

// truncatedWork is the statistics that TRUNCATE of accounts, users and hosts moves and drops: all
// but errors, which stay with the threads and actors that remain.
const truncatedWork = allWork &^ (1 << WorkErrors)

// TruncateActors is TRUNCATE of accounts, users or hosts. It moves the statistics of threads and
// accounts, and how many threads of an account have ended, to users and hosts. If the level is not
// accounts, it then drops the statistics of the level itself. Errors are neither moved nor dropped.
// Actors of the level without threads vanish, and accounts without threads vanish for any level:
// then their errors go where their other statistics go. Safe for concurrent use.
func (h Reader) TruncateActors(l ActorLevel) {
	h.ResetThreadWaits()
	h.r.foldThreadWork(truncatedWork)
	h.r.threads.mu.Lock()
	defer h.r.threads.mu.Unlock()
	as := &h.r.threads.actors
	as.foldAccounts()
	h.r.foldAccountWork(truncatedWork)
	h.r.foldThreadStatus()
	as.foldAccountStatus()
	for _, a := range as.levels[LevelAccount].all {
		for _, up := range a.above {
			if up != nil {
				up.ended += a.ended
				up.maxTotal, up.maxControlled = max(up.maxTotal, a.maxTotal), max(up.maxControlled, a.maxControlled)
			}
		}
		a.ended, a.maxTotal, a.maxControlled = 0, 0, 0
	}
	h.r.removeUnused(LevelAccount)
	if l == LevelAccount {
		return
	}
	for _, a := range as.levels[l].all {
		clear(a.waits)
		clear(a.status)
		h.r.dropWork(a, truncatedWork, false)
		a.ended, a.maxTotal, a.maxControlled = 0, 0, 0
	}
	h.r.removeUnused(l)
}

// dropAccount removes an account from the accounts with a name. The caller holds threads.mu.
func (list *actorList) dropAccount(name Account, a *actor) {
	if left := slices.DeleteFunc(list.accounts[name], func(o *actor) bool { return o == a }); len(left) > 0 {
		list.accounts[name] = left
	} else {
		delete(list.accounts, name)
	}
}

// removeUnused removes the actors of a level that no thread and no account belongs to. The
// caller holds threads.mu.
func (r *Registry) removeUnused(l ActorLevel) {
	as := &r.threads.actors
	list := &as.levels[l]
	list.all = slices.DeleteFunc(list.all, func(a *actor) bool {
		if len(a.threads) > 0 || a.accounts > 0 {
			return false
		}
		delete(list.byName, a.name.key())
		r.buffers[levelBuffers[l].actors].shrink(1, size[actor]())
		if a == as.unnamed {
			as.unnamed = nil
		}
		if l == LevelAccount {
			for up := range levelCount {
				as.levels[up].dropAccount(a.name.folded(up), a)
			}
			r.moveWork(&a.work, &a.slack, allWork, a.above, true)
		} else {
			r.dropWork(a, allWork, true)
		}
		for _, up := range a.above {
			if up != nil {
				up.accounts--
			}
		}
		return true
	})
}
