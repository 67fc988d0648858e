package engine

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"pfsd/instr"
	"pfsd/tables"
)

// TestConnectionsWithoutThreads: a connection works, is in the process list and can be killed
// where there is no place for its thread.
func TestConnectionsWithoutThreads(t *testing.T) {
	for name, limits := range map[string]map[instr.Limit]int{
		"instances":    {instr.LimitThreadInstances: 0},
		"classes":      {instr.LimitThreadClasses: 0},
		"accounts":     {instr.LimitAccounts: 0},
		"all of them":  {instr.LimitThreadInstances: 0, instr.LimitThreadClasses: 0, instr.LimitAccounts: 0, instr.LimitUsers: 0, instr.LimitHosts: 0},
		"every actor":  {instr.LimitAccounts: 0, instr.LimitUsers: 0, instr.LimitHosts: 0},
		"setup_actors": {instr.LimitSetupActors: 0},
	} {
		t.Run(name, func(t *testing.T) {
			reg := instr.NewRegistry()
			for l, n := range limits {
				reg.Setup().SetLimit(l, n)
			}
			r := serve(t, Options{Registry: reg, Instruments: []string{"%=ON"}}, tables.All()...)
			var busy sync.WaitGroup
			for range 4 {
				busy.Go(func() {
					for range 20 {
						db := r.open(t, "")
						if err := db.PingContext(t.Context()); err != nil {
							t.Error(err)
						}
						_ = db.Close()
					}
				})
			}
			busy.Wait()
			c, id := r.conn(t)
			row := func() (found []string) {
				for _, p := range r.query(t, "SHOW PROCESSLIST") {
					if strings.HasPrefix(p, fmt.Sprint(id, "|root|localhost:")) {
						found = append(found, p)
					}
				}
				return found
			}
			if got := row(); len(got) != 1 {
				t.Errorf("the process list has %q", got)
			}
			threads := 1
			for _, l := range []instr.Limit{instr.LimitThreadInstances, instr.LimitThreadClasses} {
				if _, limited := limits[l]; limited {
					threads = 0
				}
			}
			r.want(t, fmt.Sprint("SELECT COUNT(*) FROM threads WHERE PROCESSLIST_ID = ", id), fmt.Sprint(threads))
			r.exec(t, "FLUSH STATUS") // forgets what was lost
			r.want(t, "SELECT @@version_comment, @@GLOBAL.performance_schema", "pfsd|1")
			ended := make(chan error, 1)
			go func() {
				_, err := count(context.Background(), c, "SELECT SLEEP(600) FROM performance_schema.setup_timers")
				ended <- err
			}()
			eventually(t, "the statement runs", func() bool { return r.command(id) == "Query" })
			r.exec(t, fmt.Sprint("KILL QUERY ", id))
			if got := code(<-ended); got != "1317 70100 Query execution was interrupted" {
				t.Error(got)
			}
			if err := c.PingContext(t.Context()); err != nil {
				t.Error(err)
			}
			r.exec(t, fmt.Sprint("KILL ", id))
			eventually(t, "the connection ends", func() bool { return len(row()) == 0 })
		})
	}
}

// TestThreadOfAConnection: processlist has the port of the client's end, setup_threads what
// the server's own threads are.
func TestThreadOfAConnection(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	port := func(query string, column int) string {
		t.Helper()
		got := r.query(t, query)
		if len(got) != 1 {
			t.Fatalf("%s: %q", query, got)
		}
		return strings.Split(got[0], "|")[column]
	}
	if a, b := port("SELECT HOST FROM processlist", 0), port("SHOW PROCESSLIST", 2); a != b || !strings.HasPrefix(a, "localhost:") {
		t.Errorf("processlist has the client at %s, SHOW PROCESSLIST at %s", a, b)
	}
	r.want(t, "SELECT NAME, PROPERTIES FROM setup_threads WHERE NAME LIKE 'thread/sql/%' ORDER BY NAME",
		"thread/sql/acceptor|", "thread/sql/active_session_sampler|singleton", "thread/sql/admin_interface|user", "thread/sql/bootstrap|singleton", "thread/sql/capture|", "thread/sql/connection_watcher|singleton", "thread/sql/event_scheduler|singleton", "thread/sql/event_worker|", "thread/sql/history_collector|singleton", "thread/sql/main|singleton", "thread/sql/one_connection|user")
}
