package accounts

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestLimitsOfAnHour checks that what an account may do in an hour begins anew after an hour, and after FLUSH USER_RESOURCES, and that
// clients that are logged in stay counted.
func TestLimitsOfAnHour(t *testing.T) {
	s, err := Open([]byte(`[{"User": "u", "Host": "%", "MaxConnections": 2, "MaxQueriesPerHour": 3, "MaxUpdatesPerHour": 1, "MaxConnectionsPerHour": 4}]`), nil)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1e9, 0)
	s.used.now = func() time.Time { return now }
	id := ID{"u", "%"}
	a := s.Account(id)
	want := func(what string, err error, want string) {
		t.Helper()
		if got := fmt.Sprint(err); got != want {
			t.Errorf("%s\n got %s\nwant %s", what, got, want)
		}
	}
	limit := func(what string, n int) string {
		return errUserLimit(a, what, n).Error()
	}
	for round := range 3 {
		for range 2 {
			want("enter", s.Enter(id, 0), "<nil>")
		}
		want("a third client", s.Enter(id, 100), limit("max_user_connections", 2))
		for range 2 {
			s.Leave(id)
		}
		want("update", s.CountStatement(a, true), "<nil>")
		want("a second update", s.CountStatement(a, true), limit("max_updates", 1))
		want("query", s.CountStatement(a, false), "<nil>")
		want("query", s.CountStatement(a, false), "<nil>")
		want("a fourth query", s.CountStatement(a, false), limit("max_questions", 3))
		for range 2 {
			want("enter", s.Enter(id, 0), "<nil>")
			s.Leave(id)
		}
		want("a fifth login", s.Enter(id, 0), limit("max_connections_per_hour", 4))
		if round == 0 {
			now = now.Add(time.Hour)
		} else {
			s.BeginHour()
		}
	}
	if len(s.used.all) != 0 {
		t.Errorf("%d accounts are counted that use nothing", len(s.used.all))
	}
}

// TestEveryLimitIsEnforced checks that SHOW CREATE USER shows each limit, and that each of them, set to 1, refuses a second client or
// statement.
func TestEveryLimitIsEnforced(t *testing.T) {
	for _, o := range limitOptions {
		s, err := Open([]byte(`[{"User": "u", "Host": "%"}]`), nil)
		if err != nil {
			t.Fatal(err)
		}
		id := ID{"u", "%"}
		a := s.Account(id)
		*o.of(&a.Limits) = 1
		refused := 0
		for range 2 {
			if s.Enter(id, 0) != nil {
				refused++
			}
			if s.CountStatement(a, true) != nil {
				refused++
			}
		}
		if refused != 1 {
			t.Errorf("%s refuses %d times", o.name, refused)
		}
	}
}

// TestDroppingManyAccounts checks that DROP USER of many accounts costs the same for each of them: four times as many take four times as
// long, and each is looked up once among the definers.
func TestDroppingManyAccounts(t *testing.T) {
	drop := func(n int) time.Duration {
		var data, names strings.Builder
		for i := range n {
			fmt.Fprintf(&data, `,{"User": "u%d", "Host": "%%", "Roles": [{"Role": {"User": "r", "Host": "%%"}}]}`, i)
			fmt.Fprintf(&names, ", u%d", i)
		}
		saves := 0
		s, err := Open([]byte(`[{"User": "r", "Host": "%"}`+data.String()+"]"), func([]byte) error { saves++; return nil })
		if err != nil {
			t.Fatal(err)
		}
		st, err := Parse("DROP USER "+names.String()[2:], false)
		if err != nil {
			t.Fatal(err)
		}
		asked := map[ID]int{}
		before := processorTime()
		_, err = s.Run(st, &Session{User: "someone", Host: "localhost", Defines: func(id ID) string { asked[id]++; return "" }})
		took := processorTime() - before
		if err != nil || len(s.All()) != 1 || saves != 1 {
			t.Fatalf("%v; %d accounts are left, %d saves", err, len(s.All()), saves)
		}
		for id, times := range asked {
			if times > 1 {
				t.Fatalf("%v is looked up %d times", id, times)
			}
		}
		return took
	}
	const few = 3000
	tooLong := func(less, more time.Duration) bool { return more > 9*less+20*time.Millisecond }
	less, more := drop(few), drop(4*few)
	for try := 0; try < 3 && tooLong(less, more) && more < 5*time.Second; try++ {
		less, more = max(less, drop(few)), min(more, drop(4*few))
	}
	if tooLong(less, more) {
		t.Errorf("%d accounts: %v, four times as many: %v", few, less, more)
	}
}

// processorTime is what the process has taken of processors' time.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
