package instr

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
)

// asThread runs do on a goroutine that is a connection's thread.
func asThread(r *Registry, id uint64, do func(*Thread)) {
	var wg sync.WaitGroup
	wg.Go(func() {
		t := r.AttachConnection("sql/one_connection", id)
		defer t.Detach()
		do(t)
	})
	wg.Wait()
}

func wantStatus(t *testing.T, what string, s Status, v *StatusVariable, want uint64) {
	t.Helper()
	if got := s.Value(v); got != want {
		t.Errorf("%s: %s is %d, want %d", what, v.Name(), got, want)
	}
}

func actorStatus(t *testing.T, r *Registry, l ActorLevel, user, host string) Status {
	t.Helper()
	rows := r.Reader().ActorStatus(l, ActorFilter{User: &user, Host: &host})
	switch len(rows) {
	case 0:
		return Status{}
	case 1:
		return rows[0]
	}
	t.Fatalf("%d rows of %q, %q", len(rows), user, host)
	return Status{}
}

func TestStatusNames(t *testing.T) {
	r := NewRegistry()
	a := r.NewStatusVariable("Bytes_sent")
	if b := r.NewStatusVariable("bytes_SENT"); b != a || b.Name() != "Bytes_sent" {
		t.Errorf("a second %q", b.Name())
	}
	for _, bad := range []string{"", "a b", string(make([]byte, 65))} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is a name", bad)
				}
			}()
			r.NewStatusVariable(bad)
		}()
	}
	if all := r.Reader().StatusVariables(); len(all) != 1 || all[0] != a {
		t.Errorf("%d variables", len(all))
	}
}

// The counters of threads go to their account when they end, and from there up; globally everything
// is counted exactly once.
func TestStatusFolds(t *testing.T) {
	r := NewRegistry()
	v, kept := r.NewStatusVariable("Questions"), r.NewStatusVariable("Queries").Keep()
	asThread(r, 1, func(th *Thread) {
		v.AddTo(th, 3) // before it is known who it is
		th.SetAccount("ann", "here")
		v.AddTo(th, 4)
		kept.AddTo(th, 7)
		wantStatus(t, "thread", th.Status(), v, 7)
		wantStatus(t, "account", actorStatus(t, r, LevelAccount, "ann", "here"), v, 7)
		th.SetAccount("bob", "here") // leaves what it has behind
		wantStatus(t, "thread", th.Status(), v, 0)
		v.AddTo(th, 10)
		wantStatus(t, "host", actorStatus(t, r, LevelHost, "", "here"), v, 17)
	})
	check := func(what string, ann, bob, annUser, host, all, keeps uint64) {
		t.Helper()
		wantStatus(t, what+" account", actorStatus(t, r, LevelAccount, "ann", "here"), v, ann)
		wantStatus(t, what+" account", actorStatus(t, r, LevelAccount, "bob", "here"), v, bob)
		wantStatus(t, what+" user", actorStatus(t, r, LevelUser, "ann", ""), v, annUser)
		wantStatus(t, what+" host", actorStatus(t, r, LevelHost, "", "here"), v, host)
		wantStatus(t, what+" all", r.Reader().GlobalStatus(), v, all)
		wantStatus(t, what+" all", r.Reader().GlobalStatus(), kept, keeps)
	}
	check("ended", 7, 10, 7, 17, 17, 7)
	r.Reader().ResetThreadStatus()
	check("TRUNCATE by thread", 7, 10, 7, 17, 17, 7)
	r.Reader().ResetActorStatus(LevelAccount)
	check("TRUNCATE by account", 0, 0, 7, 17, 17, 7)
	r.Reader().ResetActorStatus(LevelUser)
	check("TRUNCATE by user", 0, 0, 0, 17, 17, 7)
	r.Reader().ResetActorStatus(LevelHost)
	check("TRUNCATE by host", 0, 0, 0, 0, 17, 7)
	asThread(r, 2, func(th *Thread) {
		th.SetAccount("ann", "here")
		v.AddTo(th, 5)
		r.Reader().ResetThreadStatus()
		wantStatus(t, "thread", th.Status(), v, 0)
		v.AddTo(th, 6)
		wantStatus(t, "thread", th.Status(), v, 6)
		check("in between", 11, 0, 11, 11, 28, 7)
		r.Reader().TruncateActors(LevelAccount)
		check("TRUNCATE accounts", 0, 0, 11, 11, 28, 7)
		v.AddTo(th, 1)
		r.Reader().TruncateActors(LevelHost)
		check("TRUNCATE hosts", 0, 0, 12, 0, 29, 7)
		v.AddTo(th, 2)
		r.Reader().TruncateActors(LevelUser)
		check("TRUNCATE users", 0, 0, 0, 2, 31, 7)
		v.AddTo(th, 3)
		r.Reader().ResetStatus()
		check("FLUSH STATUS", 0, 0, 0, 0, 0, 7)
		wantStatus(t, "thread", th.Status(), v, 0)
		v.AddTo(th, 1)
		th.ResetStatus()
		wantStatus(t, "thread", th.Status(), v, 0)
		check("reset", 1, 0, 1, 1, 1, 7)
	})
	check("end", 1, 0, 1, 1, 1, 7)
}

func TestStatusWithoutThread(t *testing.T) {
	r := NewRegistry()
	v := r.NewStatusVariable("Retries")
	v.add(2)
	v.AddTo(nil, 100)
	(*StatusVariable)(nil).add(100)
	asThread(r, 0, func(th *Thread) { // in the background
		v.add(3)
		if s := (Status{}); th.ReadStatus(&s) {
			t.Errorf("a thread in the background has a row: %+v", s)
		}
		wantStatus(t, "account", actorStatus(t, r, LevelAccount, "", ""), v, 3)
	})
	wantStatus(t, "all", r.Reader().GlobalStatus(), v, 5)
	// A connection beyond the limit has no row, but counts.
	r.Setup().SetLimit(LimitThreadInstances, 0)
	asThread(r, 3, func(th *Thread) {
		v.AddTo(th, 4)
		wantStatus(t, "lost", th.Status(), v, 4)
		wantStatus(t, "all", r.Reader().GlobalStatus(), v, 9)
		th.ResetStatus()
		wantStatus(t, "lost", th.Status(), v, 0)
		v.AddTo(th, 1)
	})
	asThread(r, 0, func(th *Thread) { v.AddTo(th, 10) })
	wantStatus(t, "all", r.Reader().GlobalStatus(), v, 20)
	if n := len(r.status.unlisted); n != 0 {
		t.Errorf("%d connections are not forgotten", n)
	}
}

// TestStatusRace: threads begin, count, log in and end while others read and truncate; at the end
// nothing is missing that was not dropped.
func TestStatusRace(t *testing.T) {
	const threads, rounds, variables = 8, 60, 40
	r := NewRegistry()
	var vs []*StatusVariable
	for i := range variables {
		vs = append(vs, r.NewStatusVariable(fmt.Sprint("V", i)))
	}
	var counted [threads][variables]uint64
	var working, reading sync.WaitGroup
	done := make(chan struct{})
	for i := range threads {
		working.Go(func() {
			rnd := rand.New(rand.NewPCG(1, uint64(i)))
			for round := range rounds {
				th := r.AttachConnection("sql/one_connection", uint64(i*rounds+round+1))
				for n := range 50 {
					v := rnd.IntN(variables)
					vs[v].AddTo(th, uint64(n))
					counted[i][v] += uint64(n)
					if n == 5 {
						th.SetAccount(fmt.Sprint("u", rnd.IntN(3)), "h")
					}
				}
				th.Detach()
			}
		})
	}
	for i := range 2 {
		reading.Go(func() {
			rnd := rand.New(rand.NewPCG(2, uint64(i)))
			last := uint64(0)
			for {
				select {
				case <-done:
					return
				default:
				}
				s := r.Reader().GlobalStatus()
				if now := s.Value(vs[0]); now < last {
					t.Errorf("V0 of everybody falls from %d to %d", last, now)
				} else {
					last = now
				}
				switch rnd.IntN(5) {
				case 0:
					r.Reader().ResetThreadStatus()
				case 1:
					r.Reader().ResetActorStatus(ActorLevel(rnd.IntN(int(levelCount))))
				case 2:
					r.Reader().ActorStatus(ActorLevel(rnd.IntN(int(levelCount))), ActorFilter{})
				case 3:
					var s Status
					for _, th := range r.Reader().Threads() {
						th.ReadStatus(&s)
					}
				case 4:
					r.Reader().TruncateActors(LevelAccount)
				}
			}
		})
	}
	working.Wait()
	close(done)
	reading.Wait()
	all := r.Reader().GlobalStatus()
	for v := range vs {
		want := uint64(0)
		for i := range threads {
			want += counted[i][v]
		}
		wantStatus(t, "all", all, vs[v], want)
	}
}

func TestStatusAllocates(t *testing.T) {
	r := NewRegistry()
	v := r.NewStatusVariable("V")
	asThread(r, 1, func(th *Thread) {
		v.AddTo(th, 1)
		if n := testing.AllocsPerRun(100, func() { v.AddTo(th, 1) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

func BenchmarkStatusVariable(b *testing.B) {
	r := NewRegistry()
	v := r.NewStatusVariable("V")
	th := r.AttachConnection("sql/one_connection", 1)
	defer th.Detach()
	for b.Loop() {
		v.AddTo(th, 1)
	}
}
