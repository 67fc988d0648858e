package tables

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pfsd/instr"
)

// testStatus is a server with a few variables.
type testStatus struct{ resets int }

func (*testStatus) GlobalStatus() []StatusValue {
	return []StatusValue{{"Uptime", "5"}, {"Ssl_cipher", ""}}
}

func (*testStatus) SessionStatus(t Thread) []StatusValue {
	return []StatusValue{{"Ssl_cipher", fmt.Sprint("cipher of ", t.ID())}, {"Compression", "OFF"}}
}

func (s *testStatus) ResetStatus() { s.resets++ }

// statusOf are the rows of a table of status variables, its cells with a space between.
func statusOf(t *testing.T, reg *instr.Registry, table string) []string {
	t.Helper()
	var rows []string
	tb := tableNamed(t, table)
	cols := make([]int, len(tb.Columns()))
	for i := range cols {
		cols[i] = i
	}
	row := make([]Value, len(cols))
	for c := tb.Scan(Of(reg), cols, nil); c.Next(row); {
		var cells []string
		for _, v := range row {
			switch {
			case v.IsNull():
				cells = append(cells, "NULL")
			case v.IsText():
				cells = append(cells, v.Str())
			default:
				cells = append(cells, fmt.Sprint(v.Bits()))
			}
		}
		rows = append(rows, strings.Join(cells, " "))
	}
	return rows
}

// Two connections of one user, one of which has ended, and a background thread: each table shows
// its own counters, and SHOW STATUS those of statements too.
func TestStatusTables(t *testing.T) {
	reg := instr.NewRegistry()
	source := &testStatus{}
	ProvideStatus(Of(reg), source)
	questions, queries := reg.NewStatusVariable("Questions"), reg.NewStatusVariable("Queries").Keep()
	commit, begin := reg.NewStatusVariable("Com_commit"), reg.NewStatusVariable("Com_begin")
	reprepare := reg.NewStatusVariable("Com_stmt_reprepare")
	check := func(table string, want ...string) {
		t.Helper()
		if got := statusOf(t, reg, table); !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", table, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	count := func(th *instr.Thread, n uint64) {
		for i, v := range []*instr.StatusVariable{questions, queries, commit, begin, reprepare} {
			v.AddTo(th, n*uint64(i+1))
		}
	}
	run(func() {
		th := reg.AttachConnection("sql/one_connection", 1)
		defer th.Detach()
		th.SetAccount("ann", "here")
		count(th, 1)
	})
	run(func() {
		th := reg.Attach("test/background")
		defer th.Detach()
		count(th, 100)
	})
	run(func() {
		th := reg.AttachConnection("sql/one_connection", 2)
		defer th.Detach()
		th.SetAccount("ann", "there")
		count(th, 10)
		check("global_status", "Com_stmt_reprepare 555", "Queries 222", "Questions 111", "Ssl_cipher ", "Uptime 5")
		check("session_status", "Com_stmt_reprepare 50", "Compression OFF", "Queries 222", "Questions 10", fmt.Sprintf("Ssl_cipher cipher of %d", th.ID()), "Uptime 5")
		id := fmt.Sprint(th.ID())
		check("status_by_thread", id+" Com_stmt_reprepare 50", id+" Compression OFF", id+" Queries 20", id+" Questions 10", id+" Ssl_cipher cipher of "+id)
		check("status_by_account", "NULL NULL Com_stmt_reprepare 500", "NULL NULL Questions 100",
			"ann here Com_stmt_reprepare 5", "ann here Questions 1", "ann there Com_stmt_reprepare 50", "ann there Questions 10")
		check("status_by_user", "NULL Com_stmt_reprepare 500", "NULL Questions 100", "ann Com_stmt_reprepare 55", "ann Questions 11")
		check("status_by_host", "NULL Com_stmt_reprepare 500", "NULL Questions 100", "here Com_stmt_reprepare 5", "here Questions 1",
			"there Com_stmt_reprepare 50", "there Questions 10")
		show := func(global bool) (all []string) {
			for _, v := range ShowStatus(Of(reg), th, global) {
				all = append(all, v.Name+" "+v.Value)
			}
			return all
		}
		// The counters of statements come first, in their own order.
		if got, want := show(true), []string{"Com_commit 333", "Com_begin 444", "Com_stmt_reprepare 555", "Queries 222", "Questions 111", "Ssl_cipher ", "Uptime 5"}; !slices.Equal(got, want) {
			t.Errorf("SHOW GLOBAL STATUS: %q, want %q", got, want)
		}
		if got, want := show(false), []string{"Com_commit 30", "Com_begin 40", "Com_stmt_reprepare 50", "Compression OFF", "Queries 222", "Questions 10", "Ssl_cipher cipher of " + id, "Uptime 5"}; !slices.Equal(got, want) {
			t.Errorf("SHOW STATUS: %q, want %q", got, want)
		}

		tableNamed(t, "status_by_thread").Truncate(Of(reg))
		check("status_by_thread", id+" Com_stmt_reprepare 0", id+" Compression OFF", id+" Queries 0", id+" Questions 0", id+" Ssl_cipher cipher of "+id)
		check("global_status", "Com_stmt_reprepare 555", "Queries 222", "Questions 111", "Ssl_cipher ", "Uptime 5")
		tableNamed(t, "status_by_account").Truncate(Of(reg))
		check("status_by_account", "NULL NULL Com_stmt_reprepare 0", "NULL NULL Questions 0",
			"ann here Com_stmt_reprepare 0", "ann here Questions 0", "ann there Com_stmt_reprepare 0", "ann there Questions 0")
		check("status_by_user", "NULL Com_stmt_reprepare 500", "NULL Questions 100", "ann Com_stmt_reprepare 55", "ann Questions 11")
		tableNamed(t, "status_by_host").Truncate(Of(reg))
		check("status_by_host", "NULL Com_stmt_reprepare 0", "NULL Questions 0", "here Com_stmt_reprepare 0", "here Questions 0",
			"there Com_stmt_reprepare 0", "there Questions 0")
		count(th, 3)
		tableNamed(t, "global_status").Truncate(Of(reg))
		check("global_status", "Com_stmt_reprepare 0", "Queries 228", "Questions 0", "Ssl_cipher ", "Uptime 5")
		check("status_by_user", "NULL Com_stmt_reprepare 0", "NULL Questions 0", "ann Com_stmt_reprepare 0", "ann Questions 0")
		if source.resets != 1 {
			t.Errorf("the server was reset %d times", source.resets)
		}
	})
	if tableNamed(t, "session_status").Truncatable() {
		t.Error("session_status can be truncated")
	}
	// Without a server there are only the counters, without a connection only the global ones.
	ProvideStatus(Of(reg), nil)
	check("global_status", "Com_stmt_reprepare 0", "Queries 228", "Questions 0")
	check("session_status", "Queries 228")
}

// FLUSH STATUS resets what is lost, except what MySQL keeps.
func TestResetStatusEmptiesWhatIsLost(t *testing.T) {
	reg := instr.NewRegistry()
	reg.Setup().SetLimit(instr.LimitMutexClasses, 0)
	reg.Setup().SetLimit(instr.LimitStageClasses, 0)
	reg.NewMutex("test/lost")
	reg.NewStageClass("test/lost", false)
	ResetStatus(Of(reg))
	if kept, gone := reg.Reader().Lost(instr.LimitMutexClasses), reg.Reader().Lost(instr.LimitStageClasses); kept != 1 || gone != 0 {
		t.Errorf("mutex classes %d, stage classes %d; want 1, 0", kept, gone)
	}
}

// run runs do in a new goroutine.
func run(do func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	<-done
}
