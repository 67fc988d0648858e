package engine

import (
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pfsd/instr"
	"pfsd/tables"
)

// events are the statements that the scheduler's events have been, as told, each after what it
// was made of.
func (r *running) events() (all []string) {
	inner := map[[2]uint64]string{} // by thread and event
	for _, e := range r.reg.Reader().StatementsHistoryLong() {
		switch e.Class.Name() {
		case "statement/sp/stmt":
			inner[[2]uint64{e.ThreadID, e.NestingID}] += told(e) + "; "
		case "statement/scheduler/event":
			all = append(all, inner[[2]uint64{e.ThreadID, e.ID}]+e.Schema+": "+e.SQLText+": "+told(e))
		}
	}
	return all
}

// An event is carried out when it is time, once or again and again, by the one who made it.
func TestEvents(t *testing.T) {
	r := serve(t, Options{LogError: t.TempDir() + "/error.log", Consumers: map[string]bool{"events_statements_history_long": true}}, tables.All()...)
	scheduler := func(state string) {
		t.Helper()
		eventually(t, "the scheduler is in the state "+state, func() bool {
			return slices.Equal(r.query(t, "SELECT TYPE, PROCESSLIST_STATE FROM threads WHERE NAME = 'thread/sql/event_scheduler'"), []string{"BACKGROUND|" + state})
		})
	}
	scheduler("Waiting on empty queue")
	for _, q := range []string{
		"CREATE TABLE test.t (a INT, who TEXT)", "CREATE TABLE test.u (a INT PRIMARY KEY)",
		"CREATE EVENT test.once ON SCHEDULE AT CURRENT_TIMESTAMP DO INSERT INTO test.t VALUES (1, USER()), (2, DATABASE())",
	} {
		r.exec(t, q)
	}
	// Who reads a table while it is written may undo that: wait for the statement.
	eventually(t, "the event has been carried out", func() bool { return len(r.events()) == 1 })
	r.want(t, "SELECT * FROM test.t ORDER BY a", "1|root@localhost", "2|test")
	if got, want := r.events()[0], "sp/stmt affected=2 00000 Records: 2  Duplicates: 0  Warnings: 0; test: INSERT INTO test.t VALUES (1, USER()), (2, DATABASE()): scheduler/event"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	r.want(t, "SELECT EVENT_NAME FROM information_schema.EVENTS")
	r.exec(t, "CREATE EVENT test.kept ON SCHEDULE AT CURRENT_TIMESTAMP ON COMPLETION PRESERVE DO INSERT INTO test.u VALUES (1), (1)")
	eventually(t, "the second one has ended", func() bool { return len(r.events()) == 2 })
	if got, want := r.events()[1], "sp/stmt errors=1 errno=1062 23000 Duplicate entry '1' for key 'u.PRIMARY'; test: INSERT INTO test.u VALUES (1), (1): scheduler/event errors=1 errno=1062 23000 Duplicate entry '1' for key 'u.PRIMARY'"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	eventually(t, "it is in the log", func() bool {
		log, err := os.ReadFile(r.options.LogError)
		return err == nil && strings.Contains(string(log), "[root@localhost][test.kept] Duplicate entry '1' for key 'u.PRIMARY'")
	})
	r.want(t, "SELECT EVENT_NAME, STATUS, LAST_EXECUTED IS NOT NULL FROM information_schema.EVENTS", "kept|DISABLED|1")
	eventually(t, "the first one, which is dropped, is in no summary", func() bool {
		return slices.Equal(r.query(t, "SELECT OBJECT_TYPE, OBJECT_SCHEMA, OBJECT_NAME, COUNT_STAR FROM events_statements_summary_by_program"), []string{"EVENT|test|kept|1"})
	})
	r.exec(t, "DROP EVENT test.kept")
	r.want(t, "SELECT * FROM events_statements_summary_by_program")

	r.exec(t, "CREATE EVENT test.often ON SCHEDULE EVERY 1 SECOND DO INSERT INTO test.t VALUES (3, NULL)")
	eventually(t, "it is carried out again", func() bool { return len(r.events()) >= 4 })
	scheduler("Waiting for next activation")
	r.want(t, "SELECT EVENT_NAME, STATUS FROM information_schema.EVENTS", "often|ENABLED")
	r.exec(t, "DROP DATABASE test")
	scheduler("Waiting on empty queue")
}

// The variable says whether events are carried out.
func TestEventSchedulerVariable(t *testing.T) {
	r := serve(t, Options{EventScheduler: Off, Consumers: map[string]bool{"events_statements_history_long": true}}, tables.All()...)
	scheduler := func() int {
		return len(r.query(t, "SELECT 1 FROM threads WHERE NAME = 'thread/sql/event_scheduler'"))
	}
	defer r.exec(t, "SET GLOBAL event_scheduler = ON")
	r.want(t, "SHOW VARIABLES LIKE 'event_scheduler'", "event_scheduler|OFF")
	r.exec(t, "SET GLOBAL event_scheduler = ON")
	eventually(t, "the scheduler has begun", func() bool { return scheduler() == 1 })
	r.exec(t, "SET GLOBAL event_scheduler = OFF")
	eventually(t, "the scheduler has ended", func() bool { return scheduler() == 0 })
	r.exec(t, "CREATE TABLE test.t (a INT)")
	r.exec(t, "CREATE EVENT test.e ON SCHEDULE AT CURRENT_TIMESTAMP ON COMPLETION PRESERVE DO INSERT INTO test.t VALUES (1)")
	r.want(t, "SELECT STATUS FROM information_schema.EVENTS", "ENABLED")
	r.exec(t, "SET GLOBAL event_scheduler = ON")
	eventually(t, "the event has been carried out", func() bool { return len(r.events()) == 1 })
	r.want(t, "SELECT * FROM test.t", "1")
	if scheduler() != 1 {
		t.Error("there is no scheduler")
	}
}

// An event has all that a statement has: stages, transactions, locks of its own; it ends with
// the server.
func TestEventIsAStatement(t *testing.T) {
	reg := instr.NewRegistry()
	r := serve(t, Options{Registry: reg, Instruments: []string{"stage/%=ON"}, Consumers: map[string]bool{
		"events_stages_current": true, "events_stages_history_long": true, "events_statements_history_long": true, "events_transactions_history_long": true,
	}}, tables.All()...)
	s := r.session(t)
	s.run("CREATE TABLE test.t (a INT)")
	s.run("SELECT GET_LOCK('l', 0)")
	s.run("CREATE EVENT test.e ON SCHEDULE AT CURRENT_TIMESTAMP DO INSERT INTO test.t SELECT GET_LOCK('l', -1)")
	state := func() string {
		return strings.Join(r.query(t, "SELECT NAME, TYPE, PROCESSLIST_DB, PROCESSLIST_STATE, PROCESSLIST_INFO FROM threads WHERE NAME = 'thread/sql/event_worker'"), "")
	}
	eventually(t, "the event waits", func() bool {
		return state() == "thread/sql/event_worker|FOREGROUND|test|User lock|INSERT INTO test.t SELECT GET_LOCK('l', -1)"
	})
	r.want(t, `SELECT o.EVENT_NAME, s.EVENT_NAME, s.SQL_TEXT, g.EVENT_NAME FROM events_statements_current o
		JOIN events_statements_current s ON s.THREAD_ID = o.THREAD_ID AND s.NESTING_EVENT_ID = o.EVENT_ID
		JOIN events_stages_current g ON g.THREAD_ID = s.THREAD_ID AND g.NESTING_EVENT_ID = s.EVENT_ID WHERE o.EVENT_NAME LIKE '%event'`,
		"statement/scheduler/event|statement/sp/stmt|INSERT INTO test.t SELECT GET_LOCK('l', -1)|stage/sql/User lock")
	s.run("SELECT RELEASE_LOCK('l')")
	eventually(t, "the event ends", func() bool { return len(r.events()) == 1 })
	for _, e := range r.reg.Reader().StatementsHistoryLong() {
		if e.Class.Name() != "statement/scheduler/event" {
			continue
		}
		var stages []string
		for _, g := range r.reg.Reader().StagesHistoryLong() {
			if g.ThreadID == e.ThreadID {
				stages = append(stages, strings.TrimPrefix(g.Class.Name(), "stage/sql/"))
			}
		}
		for _, want := range []string{"starting", "User lock", "cleaning up"} {
			if !slices.Contains(stages, want) {
				t.Errorf("%s is not among %q", want, stages)
			}
		}
		r.want(t, fmt.Sprintf("SELECT STATE, AUTOCOMMIT FROM events_transactions_history_long WHERE THREAD_ID = %d", e.ThreadID), "COMMITTED|YES")
	}
	eventually(t, "its locks are free", func() bool { return r.query(t, "SELECT IS_FREE_LOCK('l')")[0] == "1" })
	s.run("CREATE EVENT test.several ON SCHEDULE AT CURRENT_TIMESTAMP DO BEGIN INSERT INTO test.t VALUES (5); DELETE FROM test.t; END")
	eventually(t, "an event of several statements ends", func() bool { return len(r.events()) == 2 })
	if got, want := r.events()[1], "sp/stmt affected=1 00000; sp/stmt affected=2 examined=2 no_index=1 00000; test: "; !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	s.run("CREATE EVENT test.sleeps ON SCHEDULE AT CURRENT_TIMESTAMP DO SELECT SLEEP(1000)")
	eventually(t, "another one sleeps", func() bool { return strings.Contains(state(), "User sleep") })
	if err := r.stop(); err != nil {
		t.Error(err)
	}
}

// An event that runs is in the process list, and KILL ends it, with or without QUERY; DROP EVENT does not.
func TestKillEvent(t *testing.T) {
	r := serve(t, Options{LogError: t.TempDir() + "/error.log"}, tables.All()...)
	for _, q := range []string{
		"CREATE USER maker IDENTIFIED BY 'm'", "GRANT EVENT ON test.* TO maker", "CREATE USER other IDENTIFIED BY 'o'",
	} {
		r.exec(t, q)
	}
	as := func(dsn string) *sql.DB {
		db, err := sql.Open("mysql", dsn)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return db
	}
	maker, other := as("maker:m@tcp("+r.addr+")/test"), as("other:o@tcp("+r.addr+")/")
	running := func() string {
		return strings.Join(r.query(t, "SELECT PROCESSLIST_ID FROM threads WHERE NAME = 'thread/sql/event_worker' AND PROCESSLIST_COMMAND = 'Connect'"), ",")
	}
	for _, body := range []string{"BEGIN l: LOOP SET @a = 1; END LOOP; END", "SELECT SLEEP(1000)", "BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END; LOOP SET @a = SLEEP(1); END LOOP; END"} {
		for _, kill := range []string{"KILL ", "KILL QUERY "} {
			if _, err := maker.ExecContext(t.Context(), "CREATE EVENT e ON SCHEDULE AT CURRENT_TIMESTAMP ON COMPLETION PRESERVE DO "+body); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the event runs", func() bool { return running() != "" })
			id := running()
			// The event that runs goes on until it is killed, as in MySQL.
			if _, err := maker.ExecContext(t.Context(), "DROP EVENT e"); err != nil {
				t.Fatal(err)
			}
			r.want(t, "SELECT TYPE, PROCESSLIST_USER, PROCESSLIST_HOST, PROCESSLIST_DB, PROCESSLIST_COMMAND FROM threads WHERE PROCESSLIST_ID = "+id, "FOREGROUND|maker|localhost|test|Connect")
			r.want(t, "SELECT USER, HOST, DB, COMMAND FROM information_schema.processlist WHERE ID = "+id, "maker|localhost|test|Connect")
			if _, err := other.ExecContext(t.Context(), kill+id); code(err) != "1095 HY000 You are not owner of thread "+id {
				t.Errorf("%s by another: %v", kill, err)
			}
			if _, err := maker.ExecContext(t.Context(), kill+id); err != nil {
				t.Errorf("%s: %v", kill, err)
			}
			eventually(t, "the event has ended", func() bool { return running() == "" })
			if _, err := maker.ExecContext(t.Context(), kill+id); code(err) != "1094 HY000 Unknown thread id: "+id {
				t.Errorf("%s once more: %v", kill, err)
			}
		}
	}
}

// TestPlacesOfEvents: events of one account that do not end leave half of the places to others, and an account of which none runs has its
// turn even when all places are taken.
func TestPlacesOfEvents(t *testing.T) {
	const places = 8
	r := serve(t, Options{LogError: t.TempDir() + "/error.log", MaxConnections: places}, tables.All()...)
	running := func(account string) string {
		return r.query(t, "SELECT COUNT(*) FROM threads WHERE NAME = 'thread/sql/event_worker' AND PROCESSLIST_COMMAND = 'Connect' AND PROCESSLIST_USER = '"+account+"'")[0]
	}
	refused := func() int {
		log, _ := os.ReadFile(r.options.LogError)
		return strings.Count(string(log), "Too many events run")
	}
	made := 0
	sleeping := func(account string, n, run int) {
		t.Helper()
		if made == 0 || running(account) == "0" {
			r.exec(t, "CREATE USER IF NOT EXISTS "+account)
			r.exec(t, "GRANT EVENT ON test.* TO "+account)
		}
		before := refused()
		for range n {
			made++
			r.exec(t, fmt.Sprintf("CREATE DEFINER = %s EVENT test.e%d ON SCHEDULE AT CURRENT_TIMESTAMP DO SELECT SLEEP(1000)", account, made))
		}
		eventually(t, fmt.Sprintf("%d events of %s run and %d are refused", run, account, n-run), func() bool {
			return running(account) == fmt.Sprint(run) && refused() == before+n-run
		})
	}
	sleeping("greedy", 2*places, places/2)
	sleeping("other", places, places/2)
	sleeping("late", 2, 1) // beyond max_connections
	sleeping("later", 1, 1)
}

// Events last: after a restart each has its times and its state, and one that comes again and again goes on.
func TestEventsLast(t *testing.T) {
	oneAtATime(t)
	o := Options{DataDir: t.TempDir()}
	r := serve(t, o, tables.All()...)
	for _, q := range []string{
		"CREATE TABLE test.samples (at TIMESTAMP(6) PRIMARY KEY, statements BIGINT UNSIGNED)",
		`CREATE EVENT test.sample ON SCHEDULE EVERY 1 SECOND DO INSERT INTO test.samples
			SELECT NOW(6), VARIABLE_VALUE FROM performance_schema.global_status WHERE VARIABLE_NAME = 'Questions'`,
		"CREATE EVENT test.later ON SCHEDULE EVERY 90 MINUTE STARTS '2030-01-02 03:04:05' ENDS '2031-02-03 04:05:06' ON COMPLETION PRESERVE COMMENT 'not yet' DO DELETE FROM test.samples",
		"CREATE EVENT test.once ON SCHEDULE AT '2032-03-04 05:06:07' DO SELECT 'Ä'",
		"CREATE EVENT test.off ON SCHEDULE EVERY 1 SECOND STARTS '2020-01-01 00:00:00' DISABLE DO INSERT INTO test.samples VALUES (NOW(), 0)",
		"CREATE EVENT test.ended ON SCHEDULE AT CURRENT_TIMESTAMP ON COMPLETION PRESERVE DO SET @ended = 1",
	} {
		r.exec(t, q)
	}
	samples := func() int { return r.count(t, "SELECT COUNT(*) FROM test.samples") }
	eventually(t, "there are samples", func() bool { return samples() >= 1 })
	eventually(t, "one has ended", func() bool {
		return r.query(t, "SELECT STATUS, LAST_EXECUTED IS NOT NULL FROM information_schema.EVENTS WHERE EVENT_NAME = 'ended'")[0] == "DISABLED|1"
	})
	version, taken := r.tables.Version(), samples()
	eventually(t, "there are more samples", func() bool { return samples() > taken })
	r.exec(t, "SET GLOBAL event_scheduler = OFF")
	eventually(t, "the scheduler has stopped", func() bool {
		return r.count(t, "SELECT COUNT(*) FROM threads WHERE NAME LIKE 'thread/sql/event%'") == 0
	})
	const all = `SELECT EVENT_NAME, DEFINER, EVENT_TYPE, EXECUTE_AT, INTERVAL_VALUE, INTERVAL_FIELD, STARTS, ENDS, STATUS, ON_COMPLETION, CREATED, LAST_ALTERED, LAST_EXECUTED, EVENT_COMMENT, SQL_MODE, TIME_ZONE, EVENT_DEFINITION
		FROM information_schema.EVENTS ORDER BY EVENT_NAME`
	before := r.query(t, all)
	if r.tables.Version() != version {
		t.Error("an event that is carried out changes definitions, and kept plans go")
	}
	taken = samples()
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}

	off := o
	off.EventScheduler = Off
	r = serve(t, off, tables.All()...)
	r.want(t, all, before...)
	if n := samples(); n != taken {
		t.Errorf("%d samples are there of %d", n, taken)
	}
	r.exec(t, "SET GLOBAL event_scheduler = ON")
	eventually(t, "it goes on", func() bool { return samples() >= taken+2 })
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}

	r = serve(t, o, tables.All()...)
	taken = samples()
	eventually(t, "it goes on by itself", func() bool { return samples() >= taken+2 })
	r.want(t, "SELECT STATUS, LAST_EXECUTED IS NOT NULL FROM information_schema.EVENTS WHERE EVENT_NAME IN ('ended', 'once', 'off') ORDER BY EVENT_NAME", "DISABLED|1", "DISABLED|0", "ENABLED|0")
}
