package instr

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// count counts an event of a family: the one with this id, that took ps picoseconds. Of a
// transaction an even id is a read-only one; an error is raised at ps nanoseconds, and
// handled if it is not timed.
func (w *workStats) count(k WorkKind, id int, timed bool, ps uint64) {
	switch k {
	case WorkStages:
		w.addStage(uint16(id), timed, ps)
	case WorkStatements:
		s := StatementStat{WorkStat: NoWorkStat}
		s.record(timed, ps)
		s.Counters[RowsSent] = ps
		s.Counters[MaxTotalMemory] = ps
		w.addStatement(uint16(id), &s)
	case WorkTransactions:
		w.addTransaction(id%2 == 0, timed, ps)
	case WorkErrors:
		w.addError(id, !timed, time.Unix(0, int64(ps)))
	}
}

func (t *Thread) countWork(k WorkKind, id int, timed bool, ps uint64) {
	a := t.ensureActivity()
	a.mu.Lock()
	a.stats.count(k, id, timed, ps)
	a.mu.Unlock()
}

func (r *Registry) countWork(k WorkKind, id int, timed bool, ps uint64) {
	r.global.mu.Lock()
	r.global.stats.count(k, id, timed, ps)
	r.global.mu.Unlock()
}

// modelIDs is how many ids each family has in the model.
const modelIDs = 3

// modelCell is the statistics of one id; of an error those raised and handled, and the first
// and the last time.
type modelCell struct{ count, sum, min, max uint64 }

// modelWork is workStats in the simplest form.
type modelWork [WorkMemory][modelIDs]modelCell

func (m *modelWork) count(k WorkKind, id int, timed bool, ps uint64) {
	if k == WorkTransactions {
		id %= 2
	}
	c := &m[k][id]
	if c.count+c.sum == 0 {
		c.min = math.MaxUint64
	}
	if k == WorkErrors && !timed {
		c.sum++
	} else {
		c.count++
	}
	if k == WorkErrors || timed {
		c.min, c.max = min(c.min, ps), max(c.max, ps)
		if k != WorkErrors {
			c.sum += ps
		}
	}
}

func (m *modelWork) add(o *modelWork, k WorkKind) {
	for id, from := range o[k] {
		to := &m[k][id]
		switch {
		case from.count+from.sum == 0:
		case to.count+to.sum == 0:
			*to = from
		default:
			*to = modelCell{to.count + from.count, to.sum + from.sum, min(to.min, from.min), max(to.max, from.max)}
		}
	}
}

func (m *modelWork) addAll(o *modelWork) {
	for k := range WorkMemory {
		m.add(o, k)
	}
}

func (m *modelWork) String() string {
	var b strings.Builder
	for k := range m {
		for id, c := range m[k] {
			if c.count+c.sum > 0 {
				fmt.Fprintf(&b, " %d/%d:%v", k, id, c)
			}
		}
	}
	return b.String()
}

// modelled converts a copy to the form of the model.
func modelled(t *testing.T, w Work) (m modelWork) {
	cell := func(s WorkStat) modelCell {
		if s.Count == 0 {
			return modelCell{}
		}
		return modelCell{s.Count, s.Sum, s.Min, s.Max}
	}
	for id := range modelIDs {
		c := &Class{id: uint16(id)}
		m[WorkStages][id] = cell(w.Stage(c))
		s := w.Statement(c)
		m[WorkStatements][id] = cell(s.WorkStat)
		if s.Counters[RowsSent] < s.Sum || s.Counters[MaxTotalMemory] < s.Max {
			t.Errorf("statement %d has %+v", id, s)
		}
		if e := w.Error(id); e != (ErrorStat{}) {
			m[WorkErrors][id] = modelCell{e.Raised, e.Handled, uint64(e.First.UnixNano()), uint64(e.Last.UnixNano())}
		}
	}
	m[WorkTransactions] = [modelIDs]modelCell{cell(w.Transaction().ReadOnly), cell(w.Transaction().ReadWrite)}
	return m
}

// workModel does what a registry must do, as its documentation says.
type workModel struct {
	limits  [levelCount]int // -1 for none
	threads map[*actorThread]*modelThread
	actors  [levelCount]map[Account]*modelActor
	global  modelWork
}

type modelActor struct {
	work       modelWork
	live       int         // threads, without those of accounts
	accounts   int         // of a user or a host
	user, host *modelActor // of an account
}

type modelThread struct {
	work                modelWork
	user                string
	account, byUser, by *modelActor
}

func newWorkModel(limits [levelCount]int) *workModel {
	m := &workModel{limits: limits, threads: map[*actorThread]*modelThread{}}
	for l := range m.actors {
		m.actors[l] = map[Account]*modelActor{}
	}
	return m
}

func (m *workModel) actor(l ActorLevel, name Account) *modelActor {
	a := m.actors[l][name]
	if a == nil {
		if limit := m.limits[l]; limit >= 0 && len(m.actors[l]) >= limit {
			return nil
		}
		a = &modelActor{}
		m.actors[l][name] = a
		if l == LevelAccount {
			if a.user = m.actor(LevelUser, Account{User: name.User}); a.user != nil {
				a.user.accounts++
			}
			if a.host = m.actor(LevelHost, Account{Host: name.Host}); a.host != nil {
				a.host.accounts++
			}
		}
	}
	return a
}

func (m *workModel) join(t *modelThread, name Account) {
	t.user, t.byUser, t.by = name.User, nil, nil
	if t.account = m.actor(LevelAccount, name); t.account != nil {
		t.account.live++
		return
	}
	if name.User != "" {
		if t.byUser = m.actor(LevelUser, Account{User: name.User}); t.byUser != nil {
			t.byUser.live++
		}
	}
	if name.Host != "" {
		if t.by = m.actor(LevelHost, Account{Host: name.Host}); t.by != nil {
			t.by.live++
		}
	}
}

func (t *modelThread) leave() {
	for _, a := range []*modelActor{t.account, t.byUser, t.by} {
		if a != nil {
			a.live--
		}
	}
}

// up moves a family to a user and a host, and to the global statistics without a host.
func (m *workModel) up(from *modelWork, k WorkKind, user, host *modelActor) {
	if user != nil {
		user.work.add(from, k)
	}
	if host != nil {
		host.work.add(from, k)
	} else {
		m.global.add(from, k)
	}
	from[k] = [modelIDs]modelCell{}
}

func (m *workModel) foldThread(t *modelThread, k WorkKind) {
	if t.account == nil {
		m.up(&t.work, k, t.byUser, t.by)
		return
	}
	t.account.work.add(&t.work, k)
	t.work[k] = [modelIDs]modelCell{}
}

func (m *workModel) login(t *modelThread, name Account) {
	if t.user != "" {
		for k := range WorkMemory {
			m.foldThread(t, k)
		}
	}
	t.leave()
	m.join(t, name)
}

func (m *workModel) end(t *actorThread) {
	for k := range WorkMemory {
		m.foldThread(m.threads[t], k)
	}
	m.threads[t].leave()
	delete(m.threads, t)
}

func (m *workModel) resetThreads(k WorkKind) {
	for _, t := range m.threads {
		m.foldThread(t, k)
	}
}

func (m *workModel) resetActors(k WorkKind, l ActorLevel) {
	m.resetThreads(k)
	for _, a := range m.actors[LevelAccount] {
		m.up(&a.work, k, a.user, a.host)
	}
	if l == LevelAccount {
		return
	}
	for _, a := range m.actors[l] {
		if l == LevelHost {
			m.global.add(&a.work, k)
		}
		a.work[k] = [modelIDs]modelCell{}
	}
}

func (m *workModel) resetAll(k WorkKind) {
	for _, t := range m.threads {
		t.work[k] = [modelIDs]modelCell{}
	}
	for _, level := range m.actors {
		for _, a := range level {
			a.work[k] = [modelIDs]modelCell{}
		}
	}
	m.global[k] = [modelIDs]modelCell{}
}

func (m *workModel) truncate(l ActorLevel) {
	for _, k := range []WorkKind{WorkStages, WorkStatements, WorkTransactions} {
		m.resetActors(k, l)
	}
	for name, a := range m.actors[LevelAccount] {
		if a.live == 0 {
			m.up(&a.work, WorkErrors, a.user, a.host)
			for _, up := range []*modelActor{a.user, a.host} {
				if up != nil {
					up.accounts--
				}
			}
			delete(m.actors[LevelAccount], name)
		}
	}
	if l == LevelAccount {
		return
	}
	for name, a := range m.actors[l] {
		if a.live+a.accounts == 0 {
			if l == LevelHost {
				m.global.add(&a.work, WorkErrors)
			}
			delete(m.actors[l], name)
		}
	}
}

// compare compares everything that a registry shows with the model.
func (m *workModel) compare(t *testing.T, w *actorWorld, when string) {
	t.Helper()
	same := func(what string, got Work, want modelWork) {
		t.Helper()
		if got := modelled(t, got); got != want {
			t.Fatalf("%s: %s has\n%s, want\n%s", when, what, &got, &want)
		}
	}
	threads := map[uint64]modelWork{}
	total := m.global
	for th, model := range m.threads {
		threads[th.ID()] = model.work
		total.addAll(&model.work)
		same("the thread alone", th.Work(), model.work)
	}
	rows := w.Reader().ThreadWork()
	if len(rows) != len(threads) {
		t.Fatalf("%s: %d threads, want %d", when, len(rows), len(threads))
	}
	for _, row := range rows {
		want, ok := threads[row.ThreadID]
		if !ok {
			t.Fatalf("%s: thread %d", when, row.ThreadID)
		}
		same("a thread", row, want)
	}
	for l := range levelCount {
		sums := map[Account]modelWork{}
		for name, a := range m.actors[l] {
			sum := a.work
			for _, th := range m.threads {
				if th.account == a || th.byUser == a || th.by == a || th.account != nil && (th.account.user == a || th.account.host == a) {
					sum.addAll(&th.work)
				}
			}
			for _, account := range m.actors[LevelAccount] {
				if account.user == a || account.host == a {
					sum.addAll(&account.work)
				}
			}
			sums[name] = sum
			if l != LevelUser {
				total.addAll(&a.work)
			}
		}
		rows := w.Reader().ActorWork(l, ActorFilter{})
		if len(rows) != len(sums) {
			t.Fatalf("%s: level %d has %d rows, want %d", when, l, len(rows), len(sums))
		}
		for _, row := range rows {
			want, ok := sums[Account{row.User, row.Host}]
			if !ok {
				t.Fatalf("%s: level %d has a row %q@%q", when, l, row.User, row.Host)
			}
			same(fmt.Sprintf("%q@%q", row.User, row.Host), row, want)
			only := w.Reader().ActorWork(l, ActorFilter{User: &row.User, Host: &row.Host})
			if len(only) != 1 {
				t.Fatalf("%s: %d rows are %q@%q", when, len(only), row.User, row.Host)
			}
			same("the same alone", only[0], want)
		}
	}
	same("everything", w.Reader().GlobalWork(), total)
	for k := range WorkMemory {
		var one modelWork
		one.add(&total, k)
		same("a family of everything", w.Reader().GlobalWork(k), one)
	}
}

// Threads do random work, tables are truncated and limits are exceeded: the statistics of all
// levels are those of a model.
func TestWorkIsAsTheModel(t *testing.T) {
	users, hosts := []string{"", "ann", "bob"}, []string{"", "here", "there"}
	steps := 1000
	if raceEnabled { // the threads work one after the other
		steps = 100
	}
	for i, limits := range [][levelCount]int{
		{-1, -1, -1}, {-1, -1, 0}, {-1, 0, -1}, {-1, 0, 0}, {0, -1, -1}, {0, -1, 0}, {0, 0, -1}, {0, 0, 0},
		{2, 2, 2}, {3, 1, 2}, {-1, 2, 1}, {4, 1, -1},
	} {
		t.Run(fmt.Sprintf("limits=%v", limits), func(t *testing.T) {
			w, m := newActorWorld(), newWorkModel(limits)
			for l, limit := range limits {
				w.Setup().SetLimit(LimitAccounts+Limit(l), limit)
			}
			random := rand.New(rand.NewPCG(4, uint64(i)))
			var threads []*actorThread
			for step := range steps {
				k, l := WorkKind(random.IntN(int(WorkMemory))), ActorLevel(random.IntN(int(levelCount)))
				var th *actorThread
				if len(threads) > 0 {
					th = threads[random.IntN(len(threads))]
				}
				did := ""
				switch op := random.IntN(100); {
				case th == nil || op < 8 && len(threads) < 5:
					did = "start"
					th = w.start()
					threads = append(threads, th)
					m.threads[th] = &modelThread{}
					m.join(m.threads[th], Account{})
				case op < 16:
					did = "login"
					name := Account{users[random.IntN(len(users))], hosts[random.IntN(len(hosts))]}
					th.login(name.User, name.Host)
					m.login(m.threads[th], name)
				case op < 22:
					did = "end"
					m.end(th)
					th.end()
					threads = slices.DeleteFunc(threads, func(t *actorThread) bool { return t == th })
				case op < 80:
					did = "event"
					id, timed, ps := random.IntN(modelIDs), random.IntN(3) > 0, 1+random.Uint64N(1000)
					if op < 25 {
						w.countWork(k, id, timed, ps)
						m.global.count(k, id, timed, ps)
					} else {
						th.run(func() { th.countWork(k, id, timed, ps) })
						m.threads[th].work.count(k, id, timed, ps)
					}
				case op < 86:
					did = fmt.Sprintf("reset %d by thread", k)
					w.Reader().ResetThreadWork(k)
					m.resetThreads(k)
				case op < 94:
					did = fmt.Sprintf("reset %d by level %d", k, l)
					w.Reader().ResetActorWork(k, l)
					m.resetActors(k, l)
				case op < 96:
					did = fmt.Sprintf("reset %d of everything", k)
					w.Reader().ResetGlobalWork(k)
					m.resetAll(k)
				case op < 98:
					did = "waits by thread and user"
					w.Reader().ResetThreadWaits()
					w.Reader().ResetActorWaits(LevelUser)
				default:
					did = fmt.Sprintf("TRUNCATE of level %d", l)
					w.Reader().TruncateActors(l)
					m.truncate(l)
				}
				m.compare(t, w, fmt.Sprintf("step %d, %s", step, did))
			}
			for _, th := range threads {
				m.end(th)
				th.end()
			}
			m.compare(t, w, "at the end")
		})
	}
}

// What threads do counts exactly once in every level, while they log in, change their user
// and end, while others read and truncate.
func TestWorkCountsExactly(t *testing.T) {
	const workers, sessions, maxEvents = 4, 500, 20
	everything := levelCount
	for _, c := range []struct {
		name     string
		none     []Limit
		truncate func(w *actorWorld, k WorkKind, i int)
		exact    []ActorLevel
	}{
		{"by_thread", nil, func(w *actorWorld, k WorkKind, _ int) { w.Reader().ResetThreadWork(k) },
			[]ActorLevel{LevelAccount, LevelUser, LevelHost, everything}},
		{"by_account", nil, func(w *actorWorld, k WorkKind, i int) { w.resetWork(k, i, LevelAccount) },
			[]ActorLevel{LevelUser, LevelHost, everything}},
		{"accounts", nil, func(w *actorWorld, k WorkKind, i int) {
			w.resetWork(k, i, LevelAccount)
			w.Reader().TruncateActors(LevelAccount)
		}, []ActorLevel{LevelUser, LevelHost, everything}},
		{"by_user", nil, func(w *actorWorld, k WorkKind, i int) { w.resetWork(k, i, LevelUser) },
			[]ActorLevel{LevelHost, everything}},
		{"hosts", nil, func(w *actorWorld, k WorkKind, i int) {
			w.resetWork(k, i, LevelHost)
			w.Reader().TruncateActors(LevelHost)
		}, []ActorLevel{LevelUser, everything}},
		{"users,accounts=0", []Limit{LimitAccounts}, func(w *actorWorld, k WorkKind, i int) {
			w.resetWork(k, i, LevelUser)
			w.Reader().TruncateActors(LevelUser)
		}, []ActorLevel{everything}},
		{"hosts,accounts=0,hosts=0", []Limit{LimitAccounts, LimitHosts}, func(w *actorWorld, k WorkKind, i int) {
			w.resetWork(k, i, LevelHost)
			w.Reader().TruncateActors(LevelHost)
		}, []ActorLevel{everything}},
	} {
		t.Run("truncate="+c.name, func(t *testing.T) {
			w := newActorWorld()
			for _, l := range c.none {
				w.Setup().SetLimit(l, 0)
			}
			var begun, ended [WorkMemory]atomic.Uint64
			var times atomic.Uint64
			// total returns how many events of a family a level has, and how long they took.
			total := func(k WorkKind, l ActorLevel) (count, sum uint64) {
				rows := []Work{}
				if l == everything {
					rows = append(rows, w.Reader().GlobalWork(k))
				} else {
					rows = w.Reader().ActorWork(l, ActorFilter{}, k)
				}
				for _, row := range rows {
					for _, c := range modelled(t, row)[k] {
						count += c.count
						sum += c.sum
					}
				}
				return count, sum
			}

			var working, others sync.WaitGroup
			var stop atomic.Bool
			for i := range workers {
				working.Go(func() {
					random := rand.New(rand.NewPCG(5, uint64(i)))
					work := func(th *Thread) {
						for range random.IntN(maxEvents) {
							k, ps := WorkKind(random.IntN(int(WorkMemory))), 1+random.Uint64N(100)
							begun[k].Add(1)
							th.countWork(k, random.IntN(modelIDs), true, ps)
							if k != WorkErrors {
								times.Add(ps)
							}
							ended[k].Add(1)
						}
					}
					for range sessions {
						th := w.Attach("test/actor")
						work(th)
						for range random.IntN(4) {
							th.SetAccount(fmt.Sprint("user", random.IntN(4)), fmt.Sprint("host", random.IntN(3)))
							work(th)
						}
						th.Detach()
					}
				})
			}
			others.Go(func() {
				for i := 0; !stop.Load(); i++ {
					c.truncate(w, WorkKind(i%int(WorkMemory)), i)
					runtime.Gosched()
				}
			})
			for _, l := range c.exact {
				others.Go(func() {
					for reads := 0; !stop.Load() || reads < int(WorkMemory); reads++ {
						k := WorkKind(reads % int(WorkMemory))
						low := ended[k].Load()
						got, _ := total(k, l)
						if high := begun[k].Load(); got < low || got > high {
							t.Errorf("a reader of level %d sees %d events of family %d, when %d had ended and %d have begun", l, got, k, low, high)
							return
						}
					}
				})
			}
			others.Go(func() {
				for !stop.Load() {
					if rows := w.Reader().ThreadWork(); len(rows) > workers {
						t.Errorf("%d threads", len(rows))
						return
					}
					runtime.Gosched()
				}
			})
			working.Wait()
			stop.Store(true)
			others.Wait()

			for _, l := range c.exact {
				all := uint64(0)
				for k := range WorkMemory {
					count, sum := total(k, l)
					all += sum
					if want := ended[k].Load(); count != want {
						t.Errorf("level %d has %d events of family %d, want %d", l, count, k, want)
					}
				}
				if want := times.Load(); all != want {
					t.Errorf("level %d has %d picoseconds, want %d", l, all, want)
				}
			}
		})
	}
}

// resetWork is TRUNCATE of threads or of a level, by turns.
func (w *actorWorld) resetWork(k WorkKind, i int, l ActorLevel) {
	if i/int(WorkMemory)%2 == 0 {
		w.Reader().ResetThreadWork(k)
	} else {
		w.Reader().ResetActorWork(k, l)
	}
}

// What a thread does while its statistics are read must be counted exactly once.
func TestReadersSeeEachStatementOnce(t *testing.T) {
	everything := levelCount
	event := func(a *actorThread, n int) {
		a.run(func() {
			for range n {
				a.countWork(WorkStatements, 1, true, 1)
				a.countWork(WorkErrors, 1, true, 1)
			}
		})
	}
	for _, c := range []struct {
		name string
		do   func(w *actorWorld, a *actorThread)
		want [levelCount + 1]uint64 // statements
		// errors is how many errors a row should have, where they are not as many as statements.
		errors map[ActorLevel]uint64
	}{
		{"nothing", func(*actorWorld, *actorThread) {}, [...]uint64{3, 3, 3, 3}, nil},
		{"login", func(_ *actorWorld, a *actorThread) { a.login("ann", "here") }, [...]uint64{3, 3, 3, 3}, nil},
		{"change of user", func(_ *actorWorld, a *actorThread) { a.login("ann", "here"); a.login("bob", "here") }, [...]uint64{3, 3, 3, 3}, nil},
		{"end", func(_ *actorWorld, a *actorThread) { a.end() }, [...]uint64{3, 3, 3, 3}, nil},
		{"end and another thread", func(w *actorWorld, a *actorThread) {
			a.end()
			event(w.start(), 5)
		}, [...]uint64{3, 3, 3, 3}, nil},
		{"by_thread", func(w *actorWorld, _ *actorThread) { w.Reader().ResetThreadWork(WorkStatements) }, [...]uint64{3, 3, 3, 3}, nil},
		{"by_thread and an event", func(w *actorWorld, a *actorThread) { w.Reader().ResetThreadWork(WorkStatements); event(a, 1) }, [...]uint64{3, 3, 3, 3}, nil},
		{"by_thread of another family", func(w *actorWorld, _ *actorThread) { w.Reader().ResetThreadWork(WorkErrors) }, [...]uint64{3, 3, 3, 3}, nil},
		{"waits by_thread", func(w *actorWorld, _ *actorThread) { w.Reader().ResetThreadWaits() }, [...]uint64{3, 3, 3, 3}, nil},
		{"by_account", func(w *actorWorld, _ *actorThread) { w.Reader().ResetActorWork(WorkStatements, LevelAccount) },
			[...]uint64{0, 3, 3, 3}, map[ActorLevel]uint64{LevelAccount: 3}},
		{"by_user", func(w *actorWorld, _ *actorThread) { w.Reader().ResetActorWork(WorkStatements, LevelUser) },
			[...]uint64{0, 0, 3, 3}, map[ActorLevel]uint64{LevelAccount: 3, LevelUser: 3}},
		{"by_host", func(w *actorWorld, _ *actorThread) { w.Reader().ResetActorWork(WorkStatements, LevelHost) },
			[...]uint64{0, 3, 0, 3}, map[ActorLevel]uint64{LevelAccount: 3, LevelHost: 3}},
		{"global", func(w *actorWorld, _ *actorThread) { w.Reader().ResetGlobalWork(WorkStatements) },
			[levelCount + 1]uint64{}, map[ActorLevel]uint64{LevelAccount: 3, LevelUser: 3, LevelHost: 3, everything: 3}},
		{"end and accounts", func(w *actorWorld, a *actorThread) { a.end(); w.Reader().TruncateActors(LevelAccount) },
			[...]uint64{0, 3, 3, 3}, nil},
		{"end and hosts", func(w *actorWorld, a *actorThread) { a.end(); w.Reader().TruncateActors(LevelHost) },
			[...]uint64{0, 3, 0, 3}, nil},
		{"accounts", func(w *actorWorld, _ *actorThread) { w.Reader().TruncateActors(LevelAccount) },
			[...]uint64{0, 3, 3, 3}, map[ActorLevel]uint64{LevelAccount: 3}},
	} {
		for l := range levelCount + 1 {
			w := newActorWorld()
			a := w.start()
			event(a, 3)
			s := readThreadWork(w.threads.all(), allWork)
			c.do(w, a)
			var rows []Work
			if l == everything {
				rows = []Work{w.foldedGlobalWork(allWork, s)}
			} else {
				rows = w.foldedWork(l, ActorFilter{}, allWork, s)
			}
			s.addTo(rows, allWork)
			statements, errors := uint64(0), uint64(0)
			for _, row := range rows {
				statements += row.Statement(&Class{id: 1}).Count
				errors += row.Error(1).Raised
			}
			if statements != c.want[l] {
				t.Errorf("%s: a reader of level %d sees %d statements, want %d", c.name, l, statements, c.want[l])
			}
			want := c.want[l]
			if n, ok := c.errors[l]; ok {
				want = n
			}
			if errors != want {
				t.Errorf("%s: a reader of level %d sees %d errors, want %d", c.name, l, errors, want)
			}
		}
	}
}

// A copy must not change when its source changes, nor when the next reader uses the memory again.
func TestWorkIsACopy(t *testing.T) {
	w := newActorWorld()
	a := w.start()
	defer a.end()
	do := func() {
		a.run(func() {
			for k := range WorkMemory {
				a.countWork(k, 1, true, 1)
			}
		})
	}
	do()
	copies := map[string]Work{
		"thread": a.Work(), "threads": w.Reader().ThreadWork()[0], "account": w.Reader().ActorWork(LevelAccount, ActorFilter{})[0], "global": w.Reader().GlobalWork(),
	}
	before := map[string]modelWork{}
	for name, c := range copies {
		before[name] = modelled(t, c)
	}
	do()
	w.Reader().ResetThreadWork(WorkStages)
	do()
	_, _, _ = a.Work(), w.Reader().ThreadWork(), w.Reader().GlobalWork()
	for _, name := range slices.Sorted(maps.Keys(copies)) {
		if got, want := modelled(t, copies[name]), before[name]; got != want {
			t.Errorf("%s: %s, was %s", name, &got, &want)
		}
	}
}

// The statements of a thread that has ended are gone from the threads, and the next thread
// with the same record begins with none.
func TestThreadWorkEndsWithTheThread(t *testing.T) {
	w := newActorWorld()
	a := w.start()
	a.run(func() { a.countWork(WorkStages, 1, true, 1) })
	th := a.Thread
	a.end()
	if rows := w.Reader().ThreadWork(); len(rows) != 0 {
		t.Errorf("threads without any: %+v", rows)
	}
	if s := th.Work(); s.ThreadID != 0 || !s.stats.empty(allWork) {
		t.Errorf("a thread that has ended: %+v", s)
	}
	b := w.start()
	defer b.end()
	if b.Thread != th {
		t.Fatal("another record")
	}
	if rows := w.Reader().ThreadWork(); len(rows) != 1 || rows[0].ThreadID != b.ID() || !rows[0].stats.empty(allWork) {
		t.Errorf("a new thread: %+v", rows)
	}
}

// A reader never mixes up two threads that had the same record.
func TestThreadWorkIsTheThreads(t *testing.T) {
	const workers, sessions = 2, 10_000
	w := newActorWorld()
	var working, others sync.WaitGroup
	var stop atomic.Bool
	for range workers {
		working.Go(func() {
			for range sessions {
				th := w.Attach("test/actor")
				th.countWork(WorkStages, 1, true, th.ID())
				th.Detach()
			}
		})
	}
	others.Go(func() {
		for !stop.Load() {
			for _, row := range w.Reader().ThreadWork(WorkStages) {
				if s := row.Stage(&Class{id: 1}); s != NoWorkStat && s != (WorkStat{1, row.ThreadID, row.ThreadID, row.ThreadID, 0}) {
					t.Errorf("thread %d has %+v", row.ThreadID, s)
					return
				}
			}
			runtime.Gosched()
		}
	})
	working.Wait()
	stop.Store(true)
	others.Wait()
}

func TestWorkCountsWithoutAllocation(t *testing.T) {
	w := newActorWorld()
	live := func() {
		th := w.Attach("test/actor")
		th.SetAccount("ann", "here")
		for k := range WorkMemory {
			for id := range modelIDs {
				th.countWork(k, id, true, 1)
			}
		}
		th.Detach()
	}
	live()
	// The map of thread ids is rebuilt now and then.
	if n := testing.AllocsPerRun(1000, live); n > 0 {
		t.Errorf("%v allocations for each thread", n)
	}
}
