package engine

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"pfsd/tables"
)

// TestStatementsAreHeldBack: a statement that has used up its processor time says so in its state and in its
// stages, and KILL ends it.
func TestStatementsAreHeldBack(t *testing.T) {
	for _, q := range []string{
		"SELECT SUM(ID) FROM numbers", "SELECT ID FROM numbers WHERE LEVEL > 0", "SELECT COUNT(*) FROM numbers a JOIN numbers b ON a.LEVEL = b.ID + 1",
		"SELECT BENCHMARK(1000000000, MD5('a'))", "SELECT EVENT_NAME, COUNT(*) FROM numbers GROUP BY EVENT_NAME", "SELECT * FROM numbers ORDER BY DOC",
	} {
		r := serve(t, Options{ProcessorShare: 0.05, MaxRunningStatements: -1}, append(tables.All(), &fake{name: "numbers", rows: 1 << 40})...)
		watcher := r.open(t, "")
		c, id := r.conn(t)
		ended := make(chan error, 1)
		go func() {
			_, err := count(context.Background(), c, q)
			ended <- err
		}()
		eventually(t, q+" is held back", func() bool {
			var state *string
			err := watcher.QueryRow(fmt.Sprintf("SELECT PROCESSLIST_STATE FROM threads WHERE PROCESSLIST_ID = %d", id)).Scan(&state)
			return err == nil && state != nil && *state == "Waiting for processor time"
		})
		r.exec(t, fmt.Sprintf("KILL QUERY %d", id))
		if got := code(<-ended); !strings.HasPrefix(got, "1317 ") {
			t.Errorf("%s: %s", q, got)
		}
	}
}

// TestPlacesOfStatements: no more statements run than there are places; those that wait for something have none,
// administrators need none, and KILL and max_execution_time reach those that wait for a place.
func TestPlacesOfStatements(t *testing.T) {
	stands, release := make(chan struct{}, 1), make(chan struct{})
	table := &fake{name: "numbers", rows: 2, at: func(i int) {
		if i == 1 {
			stands <- struct{}{}
			<-release
		}
	}}
	r := serve(t, Options{ProcessorShare: -1, MaxRunningStatements: 1}, append(tables.All(), table)...)
	r.exec(t, "CREATE USER ann")
	r.exec(t, "GRANT SELECT ON performance_schema.* TO ann")
	start := func(q string) chan error {
		c, err := r.enter(t, "ann")
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() {
			_, err := count(context.Background(), c, q)
			ended <- err
		}()
		return ended
	}
	sleeping := start("SELECT SLEEP(600)")
	eventually(t, "it sleeps", func() bool {
		return r.query(t, "SELECT COUNT(*) FROM threads WHERE PROCESSLIST_STATE = 'User sleep'")[0] == "1"
	})
	running := start("SELECT ID FROM performance_schema.numbers")
	<-stands // it has a place though another statement sleeps
	r.want(t, "SELECT 1", "1")
	waiting := start("SELECT 2")
	const held = "SELECT PROCESSLIST_ID FROM threads WHERE PROCESSLIST_STATE = 'Waiting for processor time'"
	eventually(t, "it waits for a place", func() bool { return len(r.query(t, held)) == 1 })
	r.exec(t, "KILL QUERY "+r.query(t, held)[0])
	if got := code(<-waiting); !strings.HasPrefix(got, "1317 ") {
		t.Errorf("killed: %s", got)
	}
	waiting = start("SELECT 2")
	close(release)
	for _, ended := range []chan error{running, waiting} {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	r.exec(t, "KILL QUERY "+r.query(t, "SELECT PROCESSLIST_ID FROM threads WHERE PROCESSLIST_STATE = 'User sleep'")[0])
	<-sleeping
}

// TestPlacesOfEndedStatements: a statement that was killed, whose client has left or whose time is over, and that does not end, does not keep
// its place; it still counts as one of its account.
func TestPlacesOfEndedStatements(t *testing.T) {
	for _, how := range []string{"KILL QUERY", "KILL", "max_execution_time", "leaving"} {
		stands, release := make(chan struct{}, 1), make(chan struct{})
		table := &fake{name: "numbers", rows: 2, at: func(i int) {
			if i == 1 {
				stands <- struct{}{}
				<-release // whatever becomes of the statement
			}
		}}
		r := serve(t, Options{ProcessorShare: -1, MaxRunningStatements: 1}, append(tables.All(), table)...)
		for _, q := range []string{"CREATE USER ann", "CREATE USER bob", "GRANT SELECT ON performance_schema.* TO ann, bob"} {
			r.exec(t, q)
		}
		enter := func(user string) *sql.Conn {
			c, err := r.enter(t, user)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		var id int
		stuck := enter("ann")
		if err := stuck.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&id); err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		ended := make(chan error, 1)
		for most, stood := 10, false; !stood; most *= 2 { // milliseconds, which may be over before it stands
			if how == "max_execution_time" {
				if _, err := stuck.ExecContext(t.Context(), fmt.Sprint("SET max_execution_time = ", most)); err != nil {
					t.Fatal(err)
				}
			}
			go func() {
				_, err := count(ctx, stuck, "SELECT ID FROM performance_schema.numbers")
				ended <- err
			}()
			select {
			case <-stands:
				stood = true
			case err := <-ended:
				if how != "max_execution_time" || err == nil {
					t.Fatalf("%s: the statement has ended: %v", how, err)
				}
			}
		}
		switch how {
		case "KILL QUERY", "KILL":
			r.exec(t, fmt.Sprintf("%s %d", how, id))
		case "leaving":
			leave()
		}
		another := make(chan error, 1)
		go func(c *sql.Conn) {
			_, err := count(context.Background(), c, "SELECT 1")
			another <- err
		}(enter("bob"))
		eventually(t, how+": another account has the place", func() bool { return len(another) > 0 })
		if err := <-another; err != nil {
			t.Errorf("%s: another account: %v", how, err)
		}
		same := make(chan error, 1)
		go func(c *sql.Conn) {
			_, err := count(context.Background(), c, "SELECT 1")
			same <- err
		}(enter("ann"))
		eventually(t, "the same account waits", func() bool {
			return len(r.query(t, "SELECT PROCESSLIST_ID FROM threads WHERE PROCESSLIST_STATE = 'Waiting for processor time'")) == 1
		})
		close(release)
		for _, ended := range []chan error{same, ended} {
			if err := <-ended; ended == same && err != nil {
				t.Errorf("%s: the same account, afterwards: %v", how, err)
			}
		}
	}
}
