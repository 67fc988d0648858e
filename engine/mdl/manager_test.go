package mdl

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pfsd/instr"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// long is a timeout that no test reaches.
const long = time.Minute

var background = context.Background()

func newManager() (*Manager, *instr.Registry) {
	reg := instr.NewRegistry()
	return NewManager(reg.NewMetadataLockClass("sql/mdl")), reg
}

var table = Key{Table, "test", "t"}

// must acquires a lock that can be granted at once.
func must(t testing.TB, o *Owner, k Key, kind Type, d Duration) *Lock {
	t.Helper()
	l, err := o.Acquire(background, k, kind, d, 0)
	if err != nil {
		t.Fatalf("%v %v: %v", k, kind, err)
	}
	return l
}

// acquire acquires a lock in another goroutine. When o waits for the lock, it returns a channel
// with the later result.
func acquire(t *testing.T, ctx context.Context, o *Owner, k Key, kind Type, timeout time.Duration) <-chan error {
	t.Helper()
	end := make(chan error, 1)
	go func() {
		_, err := o.Acquire(ctx, k, kind, Transaction, timeout)
		end <- err
	}()
	waits(t, o)
	return end
}

// waits returns when o waits.
func waits(t *testing.T, o *Owner) {
	t.Helper()
	for deadline := time.Now().Add(long); ; runtime.Gosched() {
		o.manager.waiting.Lock()
		waiting := o.waitsFor != nil || o.victim
		o.manager.waiting.Unlock()
		if waiting {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the owner does not wait")
		}
	}
}

var scopedTypes = []Type{IntentionExclusive, Shared, Exclusive}
var objectTypes = []Type{Shared, SharedHighPrio, SharedRead, SharedWrite, SharedWriteLowPrio, SharedUpgradable, SharedReadOnly, SharedNoWrite, SharedNoReadWrite, Exclusive}

// matrices are MySQL's compatibility tables. Each line is a request; + means that the request is
// compatible with the lock type of the column, - means that it is not.
var matrices = []struct {
	what    string
	ns      Namespace
	kinds   []Type
	waiting bool // the locks of the columns are waiting requests; else they are held
	matrix  string
}{
	{"scoped, held", Schema, scopedTypes, false, `
		+--
		-+-
		---`},
	{"scoped, waited for", Schema, scopedTypes, true, `
		+--
		++-
		+++`},
	{"object, held", Table, objectTypes, false, `
		+++++++++-
		+++++++++-
		++++++++--
		++++++----
		++++++----
		+++++-+---
		+++--+++--
		+++---+---
		++--------
		----------`},
	{"object, waited for", Table, objectTypes, true, `
		+++++++++-
		++++++++++
		++++++++--
		+++++++---
		++++++----
		+++++++++-
		+++-++++--
		+++++++++-
		+++++++++-
		++++++++++`},
}

func TestCompatibility(t *testing.T) {
	for _, x := range matrices {
		lines := strings.Fields(x.matrix)
		for i, request := range x.kinds {
			for j, other := range x.kinds {
				m, _ := newManager()
				a, b := m.NewOwner(1, nil), m.NewOwner(2, nil)
				k := Key{Namespace: x.ns, Schema: "s"}
				want := lines[i][j] == '+'
				if x.waiting {
					part := m.partOf(m.hash(&k))
					part.mu.Lock()
					o := part.get(&k, m.hash(&k))
					o.queue = []*Lock{{owner: a, object: o, kind: other}}
					part.mu.Unlock()
				} else {
					must(t, a, k, other, Transaction)
				}
				if _, err := b.Acquire(background, k, request, Transaction, 0); (err == nil) != want || err != nil && !errors.Is(err, ErrTimeout) {
					t.Errorf("%s: %v beside %v: %v, want %v", x.what, request, other, err, want)
				}
			}
		}
	}
}

// A lock is not acquired again if the owner holds one that is as strong, and an owner's locks never
// block the owner itself.
func TestOwnLocks(t *testing.T) {
	m, reg := newManager()
	o := m.NewOwner(1, nil)
	defer o.Close()
	l := must(t, o, table, SharedWrite, Transaction)
	if again := must(t, o, table, SharedRead, Transaction); again != l {
		t.Error("SHARED_WRITE does not make SHARED_READ unnecessary")
	}
	if again := must(t, o, table, SharedRead, Statement); again != l {
		t.Error("a lock with a longer duration does not make one with a shorter duration unnecessary")
	}
	must(t, o, table, Exclusive, Transaction)
	if n := len(reg.Reader().MetadataLocks()); n != 2 {
		t.Errorf("%d locks", n)
	}
	o.ReleaseTransaction()
	if n := len(reg.Reader().MetadataLocks()); n != 0 {
		t.Errorf("%d locks after the transaction", n)
	}
}

func TestDurations(t *testing.T) {
	m, reg := newManager()
	o := m.NewOwner(1, nil)
	want := func(what string, n int) {
		t.Helper()
		if got := len(reg.Reader().MetadataLocks()); got != n {
			t.Errorf("%s: %d locks, want %d", what, got, n)
		}
	}
	must(t, o, Key{Namespace: Global}, IntentionExclusive, Statement)
	must(t, o, table, SharedRead, Transaction)
	must(t, o, Key{Namespace: UserLevelLock, Name: "l"}, Exclusive, Explicit)
	must(t, o, Key{Namespace: UserLevelLock, Name: "l"}, Exclusive, Explicit)
	want("all", 4)
	o.ReleaseStatement()
	want("after the statement", 3)
	mark := o.Mark()
	must(t, o, Key{Table, "test", "u"}, SharedRead, Transaction)
	o.RollbackTo(mark)
	want("back", 3)
	o.ReleaseTransaction()
	want("after the transaction", 2)
	if id, held := m.Holder(Key{Namespace: UserLevelLock, Name: "l"}); id != 1 || !held {
		t.Errorf("held by %d, %v", id, held)
	}
	if !o.ReleaseOne(Key{Namespace: UserLevelLock, Name: "l"}) || o.ReleaseOne(table) {
		t.Error("the wrong lock was released")
	}
	want("one given back", 1)
	mark = o.Mark()
	must(t, o, Key{Namespace: Global}, IntentionExclusive, Statement)
	if l := must(t, o, table, SharedReadOnly, Transaction); l.Duration() != Transaction {
		t.Errorf("held until %v", l.Duration())
	}
	o.MakeExplicit(mark)
	o.ReleaseTransaction()
	want("kept", 3)
	if l := must(t, o, table, SharedRead, Transaction); l.Duration() != Explicit {
		t.Errorf("kept until %v", l.Duration())
	}
	o.ReleaseExplicit(func(n Namespace) bool { return n == Global })
	if n := o.ReleaseExplicit(func(n Namespace) bool { return n == Table }); n != 1 {
		t.Errorf("released %d", n)
	}
	want("tables given back", 1)
	o.Close()
	want("closed", 0)
	if _, held := m.Holder(Key{Namespace: UserLevelLock, Name: "l"}); held {
		t.Error("the lock is held after its owner is closed")
	}
}

func TestWaits(t *testing.T) {
	m, reg := newManager()
	reg.Setup().AddPattern("%", instr.PatternOn)
	a, b := m.NewOwner(1, nil), m.NewOwner(2, nil)
	defer a.Close()
	defer b.Close()
	var waited, done atomic.Int32
	b.Waiting = func(n Namespace) func() {
		if n == Table {
			waited.Add(1)
		}
		return func() { done.Add(1) }
	}
	must(t, a, table, SharedRead, Transaction)
	end := acquire(t, background, b, table, Exclusive, long)
	pending := 0
	for _, l := range reg.Reader().MetadataLocks() {
		if l.Status == instr.MetadataPending && l.Type == Exclusive {
			pending++
		}
	}
	if pending != 1 {
		t.Errorf("%d locks are pending", pending)
	}
	a.ReleaseTransaction()
	if err := <-end; err != nil {
		t.Error(err)
	}
	if waited.Load() != 1 || done.Load() != 1 || reg.Reader().ClassByName("wait/lock/metadata/sql/mdl").Waits().Count != 1 {
		t.Errorf("%d waits, %d ended", waited.Load(), done.Load())
	}
	for _, l := range reg.Reader().MetadataLocks() {
		if l.Status != instr.MetadataGranted || l.Type != Exclusive {
			t.Errorf("%+v", l)
		}
	}
}

// Readers that come after a waiting writer wait, too. They go on when the writer gives up.
func TestWriterFirst(t *testing.T) {
	m, _ := newManager()
	a, b, c := m.NewOwner(1, nil), m.NewOwner(2, nil), m.NewOwner(3, nil)
	must(t, a, table, SharedRead, Transaction)
	ctx, stop := context.WithCancelCause(background)
	writer := acquire(t, ctx, b, table, Exclusive, long)
	reader := acquire(t, background, c, table, SharedRead, long)
	must(t, m.NewOwner(4, nil), table, SharedHighPrio, Statement) // does not wait for the writer
	killed := errors.New("killed")
	stop(killed)
	if err := <-writer; err != killed {
		t.Error(err)
	}
	if err := <-reader; err != nil {
		t.Error(err)
	}
}

func TestTimeout(t *testing.T) {
	m, reg := newManager()
	a, b := m.NewOwner(1, nil), m.NewOwner(2, nil)
	must(t, a, table, Exclusive, Transaction)
	for _, timeout := range []time.Duration{0, time.Millisecond} {
		if _, err := b.Acquire(background, table, SharedRead, Transaction, timeout); err != ErrTimeout {
			t.Error(err)
		}
	}
	if n := len(reg.Reader().MetadataLocks()); n != 1 {
		t.Errorf("%d locks", n)
	}
	a.ReleaseTransaction()
	must(t, b, table, Exclusive, Transaction)
}

func TestUpgrade(t *testing.T) {
	m, reg := newManager()
	a, b := m.NewOwner(1, nil), m.NewOwner(2, nil)
	must(t, b, table, SharedRead, Transaction)
	l := must(t, a, table, SharedUpgradable, Transaction)
	if err := a.Upgrade(background, l, Exclusive, 0); err != ErrTimeout {
		t.Error(err)
	}
	b.ReleaseTransaction()
	if err := a.Upgrade(background, l, Exclusive, long); err != nil {
		t.Error(err)
	}
	if err := a.Upgrade(background, l, Exclusive, long); err != nil {
		t.Error(err)
	}
	all := reg.Reader().MetadataLocks()
	if len(all) != 1 || all[0].Type != Exclusive {
		t.Errorf("%+v", all)
	}
	if _, err := b.Acquire(background, table, SharedHighPrio, Statement, 0); err != ErrTimeout {
		t.Error(err)
	}
	a.ReleaseTransaction()
	must(t, b, table, Exclusive, Transaction)
}

// In a deadlock one request is given up: the one with the least weight, or the last one.
func TestDeadlock(t *testing.T) {
	for _, x := range []struct {
		first, last Type
		lastLoses   bool
	}{{Exclusive, Exclusive, true}, {SharedRead, Exclusive, false}, {Exclusive, SharedRead, true}} {
		m, _ := newManager()
		owners := []*Owner{m.NewOwner(0, nil), m.NewOwner(1, nil), m.NewOwner(2, nil)}
		key := func(i int) Key { return Key{Table, "test", fmt.Sprint(i % len(owners))} }
		for i, o := range owners {
			must(t, o, key(i), Exclusive, Transaction)
		}
		kinds := []Type{x.first, Exclusive, x.last}
		var ends [3]<-chan error
		for i, o := range owners {
			ends[i] = acquire(t, background, o, key(i+1), kinds[i], long)
		}
		loser := 0
		if x.lastLoses {
			loser = 2
		}
		if err := <-ends[loser]; err != ErrDeadlock {
			t.Errorf("%v: %v", x, err)
		}
		for n := range 2 { // the owner that waits for the victim, and the owner that waits for that one
			owners[(loser-n+3)%3].ReleaseTransaction()
			if err := <-ends[(loser-n+2)%3]; err != nil {
				t.Errorf("%v: %v", x, err)
			}
		}
	}
}

// Many owners lock random names: locks exclude each other, nobody waits for ever, and no lock
// remains.
func TestProperties(t *testing.T) {
	m, reg := newManager()
	type state struct {
		counts [typeCount]atomic.Int32
		rules  *rules
	}
	keys := []Key{table, {Table, "test", "u"}, {Namespace: Global}, {Schema, "test", ""}, {Namespace: UserLevelLock, Name: "l"}}
	states := map[Key]*state{}
	for _, k := range keys {
		states[k] = &state{rules: rulesOf(k.Namespace)}
	}
	var all sync.WaitGroup
	var deadlocks, timeouts, killed, granted atomic.Int64
	for id := range 8 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(id), 2))
			for range 5 { // as many sessions, one after the other
				o := m.NewOwner(uint64(id), nil)
				type holding struct {
					k    Key
					kind Type
				}
				var mine []holding
				release := func() {
					for _, h := range mine {
						states[h.k].counts[h.kind].Add(-1)
					}
					mine = mine[:0]
				}
				for range 400 {
					k := keys[random.IntN(len(keys))]
					kinds := objectTypes
					if k.Namespace.scoped() {
						kinds = scopedTypes
					}
					kind, d := kinds[random.IntN(len(kinds))], Duration(random.IntN(int(durationCount)))
					ctx, cancel := context.WithCancel(background)
					if random.IntN(4) == 0 {
						time.AfterFunc(time.Duration(random.IntN(int(time.Millisecond))), cancel)
					}
					timeout := long
					switch random.IntN(4) {
					case 0:
						timeout = 0
					case 1:
						timeout = time.Duration(random.IntN(int(time.Millisecond)))
					}
					_, err := o.Acquire(ctx, k, kind, d, timeout)
					cancel()
					switch {
					case err == nil:
						granted.Add(1)
						s := states[k]
						own := [typeCount]int32{}
						for _, h := range mine {
							if h.k == k {
								own[h.kind]++
							}
						}
						for other := range typeCount {
							if s.rules.granted[kind]&(1<<other) != 0 {
								if n := s.counts[other].Load(); n > own[other] {
									t.Errorf("%v: %v was granted while there are %d locks of type %v, %d of them of the same owner", k, kind, n, other, own[other])
								}
							}
						}
						s.counts[kind].Add(1)
						mine = append(mine, holding{k, kind})
					case errors.Is(err, ErrDeadlock):
						deadlocks.Add(1)
						release()
						o.ReleaseTransaction()
						o.ReleaseExplicit(func(Namespace) bool { return true })
					case errors.Is(err, ErrTimeout):
						timeouts.Add(1)
					case errors.Is(err, context.Canceled):
						killed.Add(1)
					default:
						t.Error(err)
					}
					runtime.Gosched() // lets others run while this goroutine holds locks
					if random.IntN(6) == 0 {
						release()
						o.ReleaseTransaction()
						o.ReleaseExplicit(func(Namespace) bool { return true })
					}
				}
				release()
				o.Close()
			}
		})
	}
	all.Wait()
	t.Logf("%d granted, %d deadlocks, %d timeouts, %d killed", granted.Load(), deadlocks.Load(), timeouts.Load(), killed.Load())
	if granted.Load() == 0 || deadlocks.Load() == 0 || timeouts.Load() == 0 || killed.Load() == 0 {
		t.Error("one of these results has never occurred")
	}
	if n := len(reg.Reader().MetadataLocks()); n != 0 {
		t.Errorf("%d locks are left", n)
	}
	for i := range m.parts {
		for _, o := range m.parts[i].objects {
			if !o.idle() || o.held != 0 {
				t.Errorf("%v is left with %v", o.key, o.held)
			}
		}
	}
}

// A name is forgotten when nobody locks it.
func TestNamesAreForgotten(t *testing.T) {
	m, _ := newManager()
	o := m.NewOwner(1, nil)
	defer o.Close()
	kept := must(t, o, table, SharedRead, Explicit)
	for i := range 100_000 {
		must(t, o, Key{Table, "test", fmt.Sprint(i)}, SharedRead, Statement)
		o.ReleaseStatement()
	}
	known := 0
	for i := range m.parts {
		known += len(m.parts[i].objects)
	}
	if known > partCount*(maxUnused+1) {
		t.Errorf("%d names are known", known)
	}
	if _, err := m.NewOwner(2, nil).Acquire(background, table, Exclusive, Statement, 0); err != ErrTimeout || kept.kind != SharedRead {
		t.Error("a locked name was forgotten")
	}
}

func TestAllocatesNothing(t *testing.T) {
	m, _ := newManager()
	o := m.NewOwner(1, nil)
	defer o.Close()
	if n := testing.AllocsPerRun(100, func() {
		must(t, o, table, SharedRead, Transaction)
		must(t, o, Key{Namespace: Global}, IntentionExclusive, Statement)
		o.ReleaseTransaction()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkStatement measures the locks of a SELECT from one table, and of an UPDATE.
func BenchmarkStatement(b *testing.B) {
	for _, shown := range []bool{false, true} {
		for _, write := range []bool{false, true} {
			b.Run(fmt.Sprintf("shown=%v/write=%v", shown, write), func(b *testing.B) {
				m, reg := newManager()
				reg.Reader().ClassByName("wait/lock/metadata/sql/mdl").SetEnabled(shown)
				b.RunParallel(func(p *testing.PB) {
					o := m.NewOwner(1, nil)
					defer o.Close()
					for p.Next() {
						if write {
							must(b, o, Key{Namespace: Global}, IntentionExclusive, Statement)
							must(b, o, table, SharedWrite, Transaction)
						} else {
							must(b, o, table, SharedRead, Transaction)
						}
						o.ReleaseTransaction()
					}
				})
			})
		}
	}
}
