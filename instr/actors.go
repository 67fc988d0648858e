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
}

// actor is an account, a user or a host. What can change is guarded by threads.mu.
type actor struct {
	level ActorLevel
	name  Account   // of a user without host, of a host without user
	above [2]*actor // of an account: its user and its host; nil where there was no room

	live, ended int64 // threads; of a user or a host those without account
	accounts    int   // of a user or a host: how many it is above
	waits       waitTable
	work        workStats
	slack       slackTable // of memory
	status      statusValues
	flags       uint32 // of an account: what setup_actors says
	place       int    // in the list that somebody makes now
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
	all    []*actor // as they came
	byName map[Account]*actor
}

func (as *actors) init() {
	for l := range as.levels {
		as.levels[l].byName = map[Account]*actor{}
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
	if limit := r.Limit(most); limit >= 0 && len(list.all) >= limit {
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
		a.flags = r.threads.actors.setup.flags(name)
		if name == (Account{}) {
			r.threads.actors.unnamed = a
		}
	}
	list.all = append(list.all, a)
	list.byName[key] = a
	r.buffers[levelBuffers[l].actors].grow(1, size[actor]())
	return a
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
		account.live++
		return account.flags
	}
	t.above = [2]*actor{}
	if name.User != "" {
		t.above[0] = r.actor(LevelUser, Account{User: name.User})
	}
	if name.Host != "" {
		t.above[1] = r.actor(LevelHost, Account{Host: name.Host})
	}
	for _, a := range t.above {
		if a != nil {
			a.live++
		}
	}
	return as.setup.flags(name)
}

// fold moves the thread's statistics to who it belongs to; if it has not ended the memory that
// it uses stays with it. The caller holds threads.mu.
func (t *Thread) fold(ended bool) {
	t.foldWaits()
	t.foldWork(allWork, ended)
	t.foldStatus()
}

// leave undoes join; ended is whether the actors go on counting the thread, as one that has
// ended. The caller holds threads.mu.
func (t *Thread) leave(ended bool) {
	for _, a := range t.above {
		if a == nil {
			continue
		}
		a.live--
		if ended {
			a.ended++
		}
	}
	t.above = [2]*actor{}
}

// actorRows returns a row for each actor of a level that only says true of, nil meaning all;
// add adds to it what the actor has, and what each account below the actor has. The actors'
// places are then those of their rows, -1 of those without. The caller holds threads.mu.
func actorRows[R any](as *actors, l ActorLevel, only func(user, host string) bool, row func(Account) R, add func(*R, *actor)) []R {
	all := as.levels[l].all
	rows := make([]R, 0, len(all))
	for _, a := range all {
		a.place = -1
		if only == nil || only(a.name.User, a.name.Host) {
			a.place = len(rows)
			rows = append(rows, row(a.name))
			add(&rows[a.place], a)
		}
	}
	if l == LevelAccount {
		return rows
	}
	for _, account := range as.levels[LevelAccount].all {
		if a := account.at(l); a != nil && a.place >= 0 {
			add(&rows[a.place], account)
		}
	}
	return rows
}

// Actors returns the rows of accounts, users or hosts. Safe for concurrent use.
func (r *Registry) Actors(l ActorLevel) []Actor {
	r.threads.mu.Lock()
	defer r.threads.mu.Unlock()
	return actorRows(&r.threads.actors, l, nil,
		func(name Account) Actor { return Actor{User: name.User, Host: name.Host} },
		func(row *Actor, a *actor) {
			row.Current += a.live
			row.Total += a.live + a.ended
		})
}

// truncatedWork is the statistics that TRUNCATE of accounts, users and hosts moves and drops:
// errors stay with the threads and actors that stay.
const truncatedWork = allWork &^ (1 << WorkErrors)

// TruncateActors is TRUNCATE of accounts, users or hosts. It moves the statistics of threads
// and accounts, and how many threads of an account have ended, to users and hosts; those of
// the level itself, if it is not accounts, it drops. Errors are not among these. Actors of the
// level without threads vanish, and accounts without threads in any case: their errors go
// where the other statistics go. Safe for concurrent use.
func (r *Registry) TruncateActors(l ActorLevel) {
	r.ResetThreadWaits()
	r.foldThreadWork(truncatedWork)
	r.threads.mu.Lock()
	defer r.threads.mu.Unlock()
	as := &r.threads.actors
	as.foldAccounts()
	r.foldAccountWork(truncatedWork)
	r.foldThreadStatus()
	as.foldAccountStatus()
	for _, a := range as.levels[LevelAccount].all {
		for _, up := range a.above {
			if up != nil {
				up.ended += a.ended
			}
		}
		a.ended = 0
	}
	r.removeUnused(LevelAccount)
	if l == LevelAccount {
		return
	}
	for _, a := range as.levels[l].all {
		clear(a.waits)
		clear(a.status)
		r.dropWork(a, truncatedWork, false)
		a.ended = 0
	}
	r.removeUnused(l)
}

// removeUnused removes the actors of a level that no thread and no account belongs to. The
// caller holds threads.mu.
func (r *Registry) removeUnused(l ActorLevel) {
	as := &r.threads.actors
	list := &as.levels[l]
	list.all = slices.DeleteFunc(list.all, func(a *actor) bool {
		if a.live > 0 || a.accounts > 0 {
			return false
		}
		delete(list.byName, a.name.key())
		r.buffers[levelBuffers[l].actors].shrink(1, size[actor]())
		if a == as.unnamed {
			as.unnamed = nil
		}
		if l == LevelAccount {
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
