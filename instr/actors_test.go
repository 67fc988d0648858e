package instr

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// actorWorld is a registry whose waits are of one class.
type actorWorld struct {
	*Registry
	mutex *Mutex
	class *Class
}

func newActorWorld() *actorWorld {
	w := &actorWorld{Registry: NewRegistry()}
	w.mutex = w.NewMutex("test/lock")
	w.class = w.Reader().ClassByName("wait/synch/mutex/test/lock")
	w.class.SetEnabled(true)
	w.class.SetTimed(true)
	return w
}

// actorThread is a thread that runs the functions that a test sends to it.
type actorThread struct {
	*Thread
	world *actorWorld
	do    chan func()
	done  chan struct{}
}

func (w *actorWorld) start() *actorThread {
	t := &actorThread{world: w, do: make(chan func()), done: make(chan struct{})}
	go func() {
		t.Thread = w.Attach("test/actor")
		for do := range t.do {
			do()
			t.done <- struct{}{}
		}
		t.Detach()
		close(t.done)
	}()
	t.run(func() {})
	return t
}

func (t *actorThread) run(do func()) {
	t.do <- do
	<-t.done
}

func (t *actorThread) end() {
	close(t.do)
	<-t.done
}

func (t *actorThread) login(user, host string) { t.run(func() { t.SetAccount(user, host) }) }

func (t *actorThread) wait(n int) {
	t.run(func() {
		for range n {
			t.world.mutex.LockAs(t.Thread)
			t.world.mutex.Unlock()
		}
	})
}

// show prints the three levels: each actor with its current and total threads, and how often they
// have waited.
func (w *actorWorld) show() string {
	var b strings.Builder
	for l, name := range [levelCount]string{"accounts", "users", "hosts"} {
		fmt.Fprintf(&b, "%s:", name)
		waits := w.Reader().ActorWaits(ActorLevel(l), ActorFilter{})
		for i, a := range w.Reader().Actors(ActorLevel(l), ActorFilter{}) {
			if waits[i].User != a.User || waits[i].Host != a.Host {
				return fmt.Sprintf("the waits of %+v are those of %+v", a, waits[i])
			}
			name := a.User + "@" + a.Host
			switch ActorLevel(l) {
			case LevelUser:
				name = a.User
			case LevelHost:
				name = a.Host
			}
			if name == "@" || name == "" {
				name = "null"
			}
			fmt.Fprintf(&b, " %s=%d/%d/%d", name, a.Current, a.Total, waits[i].Waits(w.class).Count)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// want compares what show says.
func (w *actorWorld) want(t *testing.T, when, accounts, users, hosts string) {
	t.Helper()
	line := func(name, s string) string { return strings.TrimRight(name+": "+s, " ") + "\n" }
	want := line("accounts", accounts) + line("users", users) + line("hosts", hosts)
	if got := w.show(); got != want {
		t.Errorf("%s:\n%swant\n%s", when, got, want)
	}
}

func (w *actorWorld) wantLost(t *testing.T, when string, accounts, users, hosts uint64) {
	t.Helper()
	got := [levelCount]uint64{w.Reader().Lost(LimitAccounts), w.Reader().Lost(LimitUsers), w.Reader().Lost(LimitHosts)}
	if want := [levelCount]uint64{accounts, users, hosts}; got != want {
		t.Errorf("%s: %v accounts, users and hosts are lost, want %v", when, got, want)
	}
}

func TestThreadsMoveBetweenAccounts(t *testing.T) {
	w := newActorWorld()
	w.want(t, "at first", "", "", "")
	a := w.start()
	a.wait(1)
	w.want(t, "a thread", "null=1/1/1", "null=1/1/1", "null=1/1/1")
	a.login("ann", "here")
	w.want(t, "a login takes the statistics along, and leaves no total",
		"null=0/0/0 ann@here=1/1/1", "null=0/0/0 ann=1/1/1", "null=0/0/0 here=1/1/1")
	if n := a.classWaits(w.class).Count; n != 1 {
		t.Errorf("the thread has %d waits after login, want 1", n)
	}
	a.wait(2)
	b := w.start()
	b.login("ann", "there")
	b.wait(4)
	w.want(t, "two threads", "null=0/0/0 ann@here=1/1/3 ann@there=1/1/4",
		"null=0/0/0 ann=2/2/7", "null=0/0/0 here=1/1/3 there=1/1/4")
	a.login("bob", "there")
	w.want(t, "a change of user leaves statistics and total behind",
		"null=0/0/0 ann@here=0/1/3 ann@there=1/1/4 bob@there=1/1/0",
		"null=0/0/0 ann=1/2/7 bob=1/1/0", "null=0/0/0 here=0/1/3 there=2/2/4")
	if s := a.classWaits(w.class); s != NoStat {
		t.Errorf("the thread has %+v after the change of user", s)
	}
	a.wait(8)
	a.login("bob", "there")
	w.want(t, "the same user again is a change, too",
		"null=0/0/0 ann@here=0/1/3 ann@there=1/1/4 bob@there=1/2/8",
		"null=0/0/0 ann=1/2/7 bob=1/2/8", "null=0/0/0 here=0/1/3 there=2/3/12")
	a.wait(16)
	a.end()
	b.end()
	w.want(t, "ended", "null=0/0/0 ann@here=0/1/3 ann@there=0/1/4 bob@there=0/2/24",
		"null=0/0/0 ann=0/2/7 bob=0/2/24", "null=0/0/0 here=0/1/3 there=0/3/28")
	c := w.start()
	c.wait(32)
	c.end()
	w.want(t, "ended without login", "null=0/1/32 ann@here=0/1/3 ann@there=0/1/4 bob@there=0/2/24",
		"null=0/1/32 ann=0/2/7 bob=0/2/24", "null=0/1/32 here=0/1/3 there=0/3/28")
	d := w.start()
	d.login("ann", "here")
	d.login("", "")
	w.want(t, "a change to no user", "null=1/2/32 ann@here=0/2/3 ann@there=0/1/4 bob@there=0/2/24",
		"null=1/2/32 ann=0/3/7 bob=0/2/24", "null=1/2/32 here=0/2/3 there=0/3/28")
	d.end()
	w.wantLost(t, "without limits", 0, 0, 0)

	sum, folded := w.class.Waits(), NoStat
	for _, a := range w.Reader().ActorWaits(LevelUser, ActorFilter{}) {
		folded.Add(a.Waits(w.class))
	}
	if folded != sum {
		t.Errorf("the users' waits are %+v, those of the class %+v", folded, sum)
	}
}

func TestHostsCompareWithoutLetterCase(t *testing.T) {
	w := newActorWorld()
	for _, name := range []Account{{"ann", "Here"}, {"ann", "hERE"}, {"Ann", "here"}} {
		a := w.start()
		a.login(name.User, name.Host)
		if s, _ := a.Snapshot(); s.Account != name {
			t.Errorf("%v logs in as %v", name, s.Account)
		}
		a.end()
	}
	w.want(t, "three logins", "null=0/0/0 ann@Here=0/2/0 Ann@here=0/1/0",
		"null=0/0/0 ann=0/2/0 Ann=0/1/0", "null=0/0/0 Here=0/3/0")
}

func TestTruncateOfActors(t *testing.T) {
	for _, step := range []struct {
		name                   string
		do                     func(w *actorWorld)
		accounts, users, hosts string
		thread                 uint64 // waits
	}{
		{"nothing", func(*actorWorld) {},
			"null=1/2/5 ann@here=1/2/30 bob@here=0/1/40",
			"null=1/2/5 ann=1/2/30 bob=0/1/40", "null=1/2/5 here=1/3/70", 20},
		{"by_thread", func(w *actorWorld) { w.Reader().ResetThreadWaits() },
			"null=1/2/5 ann@here=1/2/30 bob@here=0/1/40",
			"null=1/2/5 ann=1/2/30 bob=0/1/40", "null=1/2/5 here=1/3/70", 0},
		{"by_account", func(w *actorWorld) { w.Reader().ResetActorWaits(LevelAccount) },
			"null=1/2/0 ann@here=1/2/0 bob@here=0/1/0",
			"null=1/2/5 ann=1/2/30 bob=0/1/40", "null=1/2/5 here=1/3/70", 0},
		{"by_user", func(w *actorWorld) { w.Reader().ResetActorWaits(LevelUser) },
			"null=1/2/0 ann@here=1/2/0 bob@here=0/1/0",
			"null=1/2/0 ann=1/2/0 bob=0/1/0", "null=1/2/5 here=1/3/70", 0},
		{"by_host", func(w *actorWorld) { w.Reader().ResetActorWaits(LevelHost) },
			"null=1/2/0 ann@here=1/2/0 bob@here=0/1/0",
			"null=1/2/5 ann=1/2/30 bob=0/1/40", "null=1/2/0 here=1/3/0", 0},
		{"accounts", func(w *actorWorld) { w.Reader().TruncateActors(LevelAccount) },
			"null=1/1/0 ann@here=1/1/0",
			"null=1/2/5 ann=1/2/30 bob=0/1/40", "null=1/2/5 here=1/3/70", 0},
		{"users", func(w *actorWorld) { w.Reader().TruncateActors(LevelUser) },
			"null=1/1/0 ann@here=1/1/0",
			"null=1/1/0 ann=1/1/0", "null=1/2/5 here=1/3/70", 0},
		{"hosts", func(w *actorWorld) { w.Reader().TruncateActors(LevelHost) },
			"null=1/1/0 ann@here=1/1/0",
			"null=1/2/5 ann=1/2/30 bob=0/1/40", "null=1/1/0 here=1/1/0", 0},
		{"users, hosts", func(w *actorWorld) { w.Reader().TruncateActors(LevelUser); w.Reader().TruncateActors(LevelHost) },
			"null=1/1/0 ann@here=1/1/0", "null=1/1/0 ann=1/1/0", "null=1/1/0 here=1/1/0", 0},
	} {
		t.Run(step.name, func(t *testing.T) {
			w := newActorWorld()
			background, a, b, c := w.start(), w.start(), w.start(), w.start()
			d := w.start()
			background.wait(2)
			d.wait(3)
			a.login("ann", "here")
			a.wait(20)
			b.login("ann", "here")
			b.wait(10)
			c.login("bob", "here")
			c.wait(40)
			b.end()
			c.end()
			d.end()
			step.do(w)
			w.want(t, step.name, step.accounts, step.users, step.hosts)
			if n := a.classWaits(w.class).Count; n != step.thread {
				t.Errorf("the thread has %d waits, want %d", n, step.thread)
			}
			a.wait(100)
			if n := a.classWaits(w.class).Count; n != step.thread+100 {
				t.Errorf("after 100 more waits the thread has %d", n)
			}
			a.end()
			background.end()

			// Without threads all actors can be removed.
			for l := range levelCount {
				w.Reader().TruncateActors(levelCount - 1 - l)
			}
			w.Reader().TruncateActors(LevelUser)
			w.Reader().TruncateActors(LevelHost)
			w.want(t, "emptied", "", "", "")
			e := w.start()
			e.login("ann", "here")
			w.want(t, "a new account", "null=0/0/0 ann@here=1/1/0", "null=0/0/0 ann=1/1/0", "null=0/0/0 here=1/1/0")
			e.end()
		})
	}
}

func TestUsersAndHostsWithoutAccounts(t *testing.T) {
	w := newActorWorld()
	w.Setup().SetLimit(LimitAccounts, 0)
	a := w.start()
	a.wait(1)
	w.want(t, "a thread that is nobody's", "", "", "")
	w.wantLost(t, "a thread", 1, 0, 0)
	a.login("ann", "here")
	w.want(t, "a login without account", "", "ann=1/1/1", "here=1/1/1")
	w.wantLost(t, "a login", 2, 0, 0)
	if s, _ := a.Snapshot(); s.Account != (Account{"ann", "here"}) {
		t.Errorf("the thread works for %v", s.Account)
	}
	a.wait(2)
	a.login("bob", "")
	w.want(t, "a change of user", "", "ann=0/1/3 bob=1/1/0", "here=0/1/3")
	a.wait(4)
	a.login("", "there")
	w.want(t, "a user alone", "", "ann=0/1/3 bob=0/1/4", "here=0/1/3 there=1/1/0")
	a.wait(8)
	a.login("", "")
	w.want(t, "nobody's again: with a host alone it was not logged in",
		"", "ann=0/1/3 bob=0/1/4", "here=0/1/3 there=0/0/0")
	a.end()
	w.want(t, "nobody's waits are dropped", "", "ann=0/1/3 bob=0/1/4", "here=0/1/3 there=0/0/0")
	w.wantLost(t, "five times without account", 5, 0, 0)

	w.Setup().SetLimit(LimitAccounts, -1)
	b := w.start()
	b.login("ann", "here")
	b.wait(16)
	w.want(t, "with an account, too", "null=0/0/0 ann@here=1/1/16",
		"ann=1/2/19 bob=0/1/4 null=0/0/0", "here=1/2/19 there=0/0/0 null=0/0/0")
	w.Reader().TruncateActors(LevelUser)
	w.want(t, "TRUNCATE of users", "ann@here=1/1/0", "ann=1/1/0", "here=1/2/19 there=0/0/0 null=0/0/0")
	b.end()
}

// Threads keep users and hosts that they belong to without an account.
func TestTruncateKeepsUsersOfThreadsWithoutAccount(t *testing.T) {
	w := newActorWorld()
	w.Setup().SetLimit(LimitAccounts, 0)
	a := w.start()
	a.login("ann", "here")
	a.wait(1)
	b := w.start()
	b.login("bob", "there")
	b.end()
	w.Reader().TruncateActors(LevelUser)
	w.want(t, "TRUNCATE of users", "", "ann=1/1/0", "here=1/1/1 there=0/1/0")
	w.Reader().TruncateActors(LevelHost)
	w.want(t, "TRUNCATE of hosts", "", "ann=1/1/0", "here=1/1/0")
	a.end()
	w.want(t, "the end", "", "ann=0/1/0", "here=0/1/0")
}

func TestLimitsOfActors(t *testing.T) {
	w := newActorWorld()
	w.Setup().SetLimit(LimitAccounts, 3)
	w.Setup().SetLimit(LimitUsers, 2)
	w.Setup().SetLimit(LimitHosts, 3)
	login := func(user, host string) *actorThread {
		a := w.start()
		a.login(user, host)
		a.wait(1)
		return a
	}
	a := login("ann", "here")
	w.wantLost(t, "within the limits", 0, 0, 0)
	b := login("bob", "there")
	w.want(t, "an account without a user", "null=0/0/0 ann@here=1/1/1 bob@there=1/1/1",
		"null=0/0/0 ann=1/1/1", "null=0/0/0 here=1/1/1 there=1/1/1")
	w.wantLost(t, "no room for a user", 0, 1, 0)
	c := login("ann", "there")
	w.want(t, "no room for an account", "null=0/0/0 ann@here=1/1/1 bob@there=1/1/1",
		"null=0/0/0 ann=2/2/2", "null=0/0/0 here=1/1/1 there=2/2/2")
	w.wantLost(t, "no room for an account", 1, 1, 0)
	d := login("cid", "elsewhere")
	w.wantLost(t, "no room at all", 2, 2, 1)
	w.Setup().SetLimit(LimitAccounts, 0)
	w.Setup().SetLimit(LimitUsers, 0)
	w.Setup().SetLimit(LimitHosts, 0)
	b.login("bob", "there")
	w.wantLost(t, "what there is stays", 2, 2, 1)
	for _, th := range []*actorThread{a, b, c, d} {
		th.end()
	}
	const users, hosts = "null=0/0/0 ann=0/2/2", "null=0/0/0 here=0/1/1 there=0/3/2"
	w.want(t, "ended", "null=0/0/0 ann@here=0/1/1 bob@there=0/2/1", users, hosts)
	w.Reader().TruncateActors(LevelAccount)
	w.want(t, "TRUNCATE of accounts drops what has no user", "", users, hosts)
	w.Setup().SetLimit(LimitAccounts, -1)
	e := login("bob", "there")
	w.wantLost(t, "each attempt counts", 2, 3, 1)
	e.end()
}

// What a thread does while its statistics are read must be counted exactly once.
func TestReadersSeeEachWaitOnce(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(w *actorWorld, a *actorThread)
		want [levelCount]uint64
	}{
		{"nothing", func(*actorWorld, *actorThread) {}, [levelCount]uint64{3, 3, 3}},
		{"login", func(w *actorWorld, a *actorThread) { a.login("ann", "here") }, [levelCount]uint64{3, 3, 3}},
		{"change of user", func(w *actorWorld, a *actorThread) { a.login("ann", "here"); a.login("bob", "here") }, [levelCount]uint64{3, 3, 3}},
		{"end", func(w *actorWorld, a *actorThread) { a.end() }, [levelCount]uint64{3, 3, 3}},
		{"end and another thread", func(w *actorWorld, a *actorThread) {
			a.end()
			w.start().wait(5)
		}, [levelCount]uint64{3, 3, 3}},
		{"by_thread", func(w *actorWorld, a *actorThread) { w.Reader().ResetThreadWaits() }, [levelCount]uint64{3, 3, 3}},
		{"by_thread and a wait", func(w *actorWorld, a *actorThread) { w.Reader().ResetThreadWaits(); a.wait(1) }, [levelCount]uint64{3, 3, 3}},
		{"by_account", func(w *actorWorld, a *actorThread) { w.Reader().ResetActorWaits(LevelAccount) }, [levelCount]uint64{0, 3, 3}},
		{"accounts", func(w *actorWorld, a *actorThread) { a.end(); w.Reader().TruncateActors(LevelAccount) }, [levelCount]uint64{0, 3, 3}},
		{"by_user", func(w *actorWorld, a *actorThread) { w.Reader().ResetActorWaits(LevelUser) }, [levelCount]uint64{0, 0, 3}},
	} {
		for l := range levelCount {
			w := newActorWorld()
			a := w.start()
			a.wait(3)
			threads, waits := readThreads(w.threads.all(), nil, nil)
			c.do(w, a)
			rows := w.foldedWaits(l, ActorFilter{}, threads)
			addThreads(rows, threads, waits)
			total := uint64(0)
			for i := range rows {
				total += rows[i].Waits(w.class).Count
			}
			if total != c.want[l] {
				t.Errorf("%s: a reader of level %d sees %d waits, want %d", c.name, l, total, c.want[l])
			}
		}
	}
}

func TestActorWaitsOfSome(t *testing.T) {
	w := newActorWorld()
	for i, name := range []Account{{"ann", "here"}, {"ann", "there"}, {"bob", "here"}} {
		a := w.start()
		a.login(name.User, name.Host)
		a.wait(i + 1)
		if i > 0 {
			a.end()
		}
	}
	for _, c := range []struct {
		level ActorLevel
		only  ActorFilter
		want  string
	}{
		{LevelAccount, ActorFilter{new("ann"), new("There")}, "ann@there=2"},
		{LevelAccount, ActorFilter{User: new("bob")}, "bob@here=3"},
		{LevelAccount, ActorFilter{User: new("ann")}, "ann@here=1 ann@there=2"},
		{LevelAccount, ActorFilter{Host: new("HERE")}, "ann@here=1 bob@here=3"},
		{LevelAccount, ActorFilter{User: new(""), Host: new("")}, "@=0"},
		{LevelUser, ActorFilter{User: new("ann")}, "ann@=3"},
		{LevelHost, ActorFilter{Host: new("here")}, "@here=4"},
		{LevelHost, ActorFilter{Host: new("nowhere")}, ""},
	} {
		var got []string
		for _, a := range w.Reader().ActorWaits(c.level, c.only) {
			got = append(got, fmt.Sprintf("%s@%s=%d", a.User, a.Host, a.Waits(w.class).Count))
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("level %d: %s, want %s", c.level, got, c.want)
		}
	}
}

// Statistics of many classes are moved up, each to its own place.
func TestActorWaitsOfManyClasses(t *testing.T) {
	r := NewRegistry()
	r.Setup().AddPattern("%", PatternOn)
	const classes = 3 * statSlots * statBlockSize
	th := r.Attach("test/actor")
	defer th.Detach()
	for i := range classes {
		m := r.NewMutex(fmt.Sprintf("test/lock%d", i))
		for range i {
			m.LockAs(th)
			m.Unlock()
		}
	}
	for _, fold := range []func(){func() {}, r.Reader().ResetThreadWaits, func() { r.Reader().ResetActorWaits(LevelAccount) }} {
		fold()
		all := r.Reader().ActorWaits(LevelHost, ActorFilter{})
		for i := range classes {
			c := r.Reader().ClassByName(fmt.Sprintf("wait/synch/mutex/test/lock%d", i))
			want := c.Waits()
			if got := all[0].Waits(c); got != want || got.Count != uint64(i) {
				t.Fatalf("class %d has %+v, want %+v", i, got, want)
			}
		}
	}
}

// What take returns and what is left are together exact, whatever the owner does meanwhile, and
// each take is a copy of one moment.
func TestTakeLosesNothing(t *testing.T) {
	const events, cycles = 1_000_000, 7
	for _, untimed := range []uint64{0, 3} { // of 4
		var s stat
		var wg sync.WaitGroup
		var ended atomic.Bool
		wg.Go(func() {
			defer ended.Store(true)
			for i := range uint64(events) {
				s.record(i%4 >= untimed, cycles)
			}
		})
		taken, takes := NoStat, 0
		for last := false; ; takes++ {
			got := s.take()
			if got.Count == 0 && got != NoStat || got.Max > cycles || untimed == 0 && got.Sum != got.Count*cycles {
				t.Fatalf("taken: %+v", got)
			}
			taken.Add(got)
			if last {
				break
			}
			last = ended.Load()
		}
		wg.Wait()
		if want := (4 - untimed) * events / 4 * cycles; taken.Count != events || taken.Sum != want {
			t.Errorf("%d takes have %+v, want %d events and %d cycles", takes, taken, events, want)
		}
		if got := s.take(); got != NoStat || !s.empty() {
			t.Errorf("%+v is left", got)
		}
	}
}

// What threads do counts exactly once in every level, while they log in, change their user
// and end, while others read and truncate.
func TestActorsCountExactly(t *testing.T) {
	const workers, sessions, maxWaits = 4, 150, 20
	for _, c := range []struct {
		name     string
		truncate []func(w *actorWorld)
		exact    []ActorLevel
	}{
		{"by_thread", []func(w *actorWorld){(*actorWorld).resetThreads},
			[]ActorLevel{LevelAccount, LevelUser, LevelHost}},
		{"by_account", []func(w *actorWorld){(*actorWorld).resetThreads, (*actorWorld).resetAccounts},
			[]ActorLevel{LevelUser, LevelHost}},
		{"accounts", []func(w *actorWorld){(*actorWorld).resetThreads, (*actorWorld).resetAccounts, (*actorWorld).truncateAccounts},
			[]ActorLevel{LevelUser, LevelHost}},
		{"by_user", []func(w *actorWorld){(*actorWorld).resetThreads, func(w *actorWorld) { w.Reader().ResetActorWaits(LevelUser) }},
			[]ActorLevel{LevelHost}},
	} {
		t.Run("truncate="+c.name, func(t *testing.T) {
			w := newActorWorld()
			var locks [workers]*Mutex
			for i := range locks {
				locks[i] = w.NewMutex(fmt.Sprintf("test/own%d", i))
			}
			w.Setup().AddPattern("%", PatternOn)
			var begun, ended, threads, changes atomic.Uint64
			total := func(l ActorLevel) (sum Stat) {
				sum = NoStat
				for _, a := range w.Reader().ActorWaits(l, ActorFilter{}) {
					for _, c := range w.Reader().Classes() {
						sum.Add(a.Waits(c))
					}
				}
				return sum
			}

			var working, others sync.WaitGroup
			var stop atomic.Bool
			for i := range workers {
				working.Go(func() {
					random := rand.New(rand.NewPCG(1, uint64(i)))
					wait := func(th *Thread) {
						for range random.IntN(maxWaits) {
							m := locks[i]
							if random.IntN(2) == 0 {
								m = w.mutex
							}
							begun.Add(1)
							m.LockAs(th)
							m.Unlock()
							ended.Add(1)
						}
					}
					for range sessions {
						th := w.Attach("test/actor")
						threads.Add(1)
						wait(th)
						for n := range random.IntN(4) {
							if n > 0 {
								changes.Add(1)
							}
							th.SetAccount(fmt.Sprint("user", random.IntN(4)), fmt.Sprint("host", random.IntN(3)))
							wait(th)
						}
						th.Detach()
					}
				})
			}
			others.Go(func() {
				for i := 0; !stop.Load(); i++ {
					c.truncate[i%len(c.truncate)](w)
					runtime.Gosched()
				}
			})
			for _, l := range c.exact {
				others.Go(func() {
					for reads := 0; !stop.Load() || reads == 0; reads++ {
						low := ended.Load()
						got := total(l)
						if high := begun.Load(); got.Count < low || got.Count > high {
							t.Errorf("a reader of level %d sees %d waits, when %d had ended and %d have begun", l, got.Count, low, high)
							return
						}
					}
				})
			}
			others.Go(func() {
				for !stop.Load() {
					for _, a := range w.Reader().Actors(LevelUser, ActorFilter{}) {
						if a.Current < 0 || a.Current > workers || a.Total < a.Current {
							t.Errorf("%+v", a)
							return
						}
					}
					runtime.Gosched()
				}
			})
			working.Wait()
			stop.Store(true)
			others.Wait()

			want := NoStat
			for _, c := range w.Reader().FamilyClasses(FamilyWaits) {
				want.Add(c.Waits())
			}
			if want.Count != ended.Load() {
				t.Fatalf("the classes have counted %d waits of %d", want.Count, ended.Load())
			}
			for _, l := range c.exact {
				if got := total(l); got.Count != want.Count || got.Sum != want.Sum {
					t.Errorf("level %d has %+v, want count and sum of %+v", l, got, want)
				}
				counted := int64(0)
				for _, a := range w.Reader().Actors(l, ActorFilter{}) {
					counted += a.Total
					if a.Current != 0 {
						t.Errorf("%+v without a thread", a)
					}
				}
				if want := int64(threads.Load() + changes.Load()); counted != want {
					t.Errorf("level %d has counted %d threads, want %d", l, counted, want)
				}
			}
		})
	}
}

func (w *actorWorld) resetThreads()     { w.Reader().ResetThreadWaits() }
func (w *actorWorld) resetAccounts()    { w.Reader().ResetActorWaits(LevelAccount) }
func (w *actorWorld) truncateAccounts() { w.Reader().TruncateActors(LevelAccount) }

// If limits are exceeded, everything that has a place is counted there exactly, and the rest is
// counted as lost exactly.
func TestActorsLoseExactly(t *testing.T) {
	const workers, sessions, kept, names = 4, 100, 2, 4
	w := newActorWorld()
	var keep []*actorThread
	for i := range kept {
		keep = append(keep, w.start())
		keep[i].login(fmt.Sprint("user", i), fmt.Sprint("host", i))
	}
	nobody := w.start() // keeps the account without a name
	w.Setup().SetLimit(LimitAccounts, kept+1)
	w.Setup().SetLimit(LimitUsers, kept+1)
	w.Setup().SetLimit(LimitHosts, kept+1)

	var lost [levelCount]atomic.Uint64
	var users, hosts [names]atomic.Uint64 // waits
	var working, others sync.WaitGroup
	var stop atomic.Bool
	for i := range workers {
		working.Go(func() {
			random := rand.New(rand.NewPCG(2, uint64(i)))
			for range sessions {
				th := w.Attach("test/actor")
				for range 1 + random.IntN(3) {
					user, host := random.IntN(names), random.IntN(names)
					th.SetAccount(fmt.Sprint("user", user), fmt.Sprint("host", host))
					if user >= kept || host != user {
						lost[LevelAccount].Add(1)
						if user >= kept {
							lost[LevelUser].Add(1)
						}
						if host >= kept {
							lost[LevelHost].Add(1)
						}
					}
					n := random.IntN(10)
					for range n {
						w.mutex.LockAs(th)
						w.mutex.Unlock()
					}
					users[user].Add(uint64(n))
					hosts[host].Add(uint64(n))
				}
				th.Detach()
			}
		})
	}
	others.Go(func() {
		for i := 0; !stop.Load(); i++ {
			[]func(w *actorWorld){(*actorWorld).resetThreads, (*actorWorld).resetAccounts, (*actorWorld).truncateAccounts}[i%3](w)
			runtime.Gosched()
		}
	})
	working.Wait()
	stop.Store(true)
	others.Wait()
	w.wantLost(t, "at the end", lost[0].Load(), lost[1].Load(), lost[2].Load())
	for l, waits := range map[ActorLevel]*[names]atomic.Uint64{LevelUser: &users, LevelHost: &hosts} {
		rows := w.Reader().ActorWaits(l, ActorFilter{})
		if len(rows) != kept+1 {
			t.Errorf("level %d has %d rows, want %d", l, len(rows), kept+1)
		}
		for _, a := range rows {
			want := uint64(0)
			for i := range kept {
				if a.User == fmt.Sprint("user", i) || a.Host == fmt.Sprint("host", i) {
					want = waits[i].Load()
				}
			}
			if got := a.Waits(w.class).Count; got != want {
				t.Errorf("%s%s has %d waits, want %d", a.User, a.Host, got, want)
			}
		}
	}
	for _, th := range append(keep, nobody) {
		th.end()
	}
}

func TestThreadsComeAndGoWithoutAllocation(t *testing.T) {
	w := newActorWorld()
	live := func() {
		th := w.Attach("test/actor")
		th.SetAccount("ann", "here")
		w.mutex.LockAs(th)
		w.mutex.Unlock()
		th.Detach()
	}
	live()
	// The map of thread ids is rebuilt now and then.
	if n := testing.AllocsPerRun(1000, live); n > 0 {
		t.Errorf("%v allocations for each thread", n)
	}
}
