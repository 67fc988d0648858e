package accounts

import (
	"fmt"
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
