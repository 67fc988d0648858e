package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"pfsd/tables"
)

// endlessLoops are the loops of SQL that have no end, %s is what is in them.
var endlessLoops = []string{"l: LOOP %s END LOOP", "l: WHILE 1 DO %s END WHILE", "l: REPEAT %s UNTIL 0 END REPEAT"}

// emptyBodies are statements of which nothing is carried out, as they can be in a loop.
var emptyBodies = []string{
	"BEGIN END;", "ITERATE l;", "b: BEGIN LEAVE b; END;", "BEGIN ITERATE l; END;", "IF 0 THEN ITERATE l; END IF;", "CASE WHEN 1 THEN BEGIN END; END CASE;",
	"CASE 1 WHEN 1 THEN BEGIN END; END CASE;", "BEGIN DECLARE v INT; END;", "b: LOOP LEAVE b; END LOOP;", "m: LOOP ITERATE l; END LOOP;",
	"BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END; END;", "BEGIN DECLARE c CURSOR FOR SELECT 1; END;",
}

// loopBodies are all endless bodies of programs whose loops carry nothing out.
func loopBodies() (all []string) {
	for i, body := range emptyBodies {
		all = append(all, "BEGIN "+fmt.Sprintf(endlessLoops[i%len(endlessLoops)], body)+"; END")
	}
	for i, loop := range endlessLoops {
		all = append(all, "BEGIN "+fmt.Sprintf(loop, "BEGIN END;")+"; END")
		inner := fmt.Sprintf(endlessLoops[(i+1)%len(endlessLoops)], "BEGIN END;")
		all = append(all,
			"BEGIN "+fmt.Sprintf(strings.Replace(loop, "l:", "o:", 1), inner+";")+"; END",
			"BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION "+fmt.Sprintf(loop, "BEGIN END;")+"; SIGNAL SQLSTATE '45000'; END",
			"BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END; "+fmt.Sprintf(loop, "SIGNAL SQLSTATE '45000';")+"; END",
			"BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION, SQLWARNING, NOT FOUND, SQLSTATE '70100', 1317, 3024 BEGIN END; "+fmt.Sprintf(loop, "BEGIN END;")+"; END")
	}
	return all
}

// loopPlaces are where programs run: what makes them, %s is their body, and what has them run.
var loopPlaces = []struct{ name, makes, runs string }{
	{"procedure", "CREATE PROCEDURE test.p%[1]d() %[2]s", "CALL test.p%[1]d()"},
	{"function", "CREATE FUNCTION test.f%[1]d() RETURNS INT BEGIN %[2]s; RETURN 1; END", "SELECT test.f%[1]d()"},
	{"trigger", "CREATE TRIGGER test.g%[1]d BEFORE INSERT ON test.t%[1]d FOR EACH ROW %[2]s", "INSERT INTO test.t%[1]d VALUES (1)"},
	{"event", "CREATE EVENT test.e%[1]d ON SCHEDULE AT CURRENT_TIMESTAMP DO %[2]s", ""},
}

// TestEmptyLoopsEnd: KILL, a client that leaves and, for a SELECT, max_execution_time end the loops of programs that carry nothing out,
// wherever the program runs, and these take no more of the processors than other statements.
func TestEmptyLoopsEnd(t *testing.T) {
	r := serve(t, Options{ProcessorShare: 0.3, MaxRunningStatements: -1, ShutdownTimeout: time.Minute}, tables.All()...)
	r.db.SetMaxIdleConns(1)
	worker := func() string {
		return strings.Join(r.query(t, "SELECT PROCESSLIST_ID FROM threads WHERE NAME = 'thread/sql/event_worker' AND PROCESSLIST_COMMAND = 'Connect'"), ",")
	}
	heldBack := func(what string, id any, ended chan error) {
		t.Helper()
		eventually(t, what+" is held back", func() bool {
			return len(ended) > 0 || strings.Join(r.query(t, fmt.Sprintf("SELECT PROCESSLIST_STATE FROM threads WHERE PROCESSLIST_ID = %v", id)), "") == "Waiting for processor time"
		})
	}
	for i, body := range loopBodies() {
		for _, place := range loopPlaces {
			if place.name == "trigger" && strings.Contains(body, "EXIT HANDLER") {
				continue // go-mysql-server handles no SIGNAL in triggers
			}
			if place.name == "trigger" {
				r.exec(t, fmt.Sprintf("CREATE TABLE test.t%d (a INT)", i))
			}
			if _, err := r.db.Exec(fmt.Sprintf(place.makes, i, body)); strings.HasPrefix(code(err), "1235 ") && (place.name == "trigger" || place.name == "event") {
				continue // go-mysql-server knows no such handlers there
			} else if err != nil {
				t.Fatalf("%s: %s: %v", place.name, body, err)
			}
			what := place.name + ": " + body
			if place.runs == "" {
				eventually(t, what+" runs", func() bool { return worker() != "" })
				id := worker()
				heldBack(what, id, nil)
				r.exec(t, "KILL "+id)
				eventually(t, what+" has ended", func() bool { return worker() == "" })
				continue
			}
			// Each way to end it for some of them: all together would take long.
			how := []string{"KILL", "leaves", "time"}[i%3]
			if how == "time" && place.name != "function" {
				how = "KILL"
			}
			c, id := r.conn(t)
			if how == "time" {
				if _, err := c.ExecContext(t.Context(), "SET max_execution_time = 50"); err != nil {
					t.Fatal(err)
				}
			}
			ctx, leave := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				_, err := c.ExecContext(ctx, fmt.Sprintf(place.runs, i))
				ended <- err
			}()
			if how != "time" {
				heldBack(what, id, ended)
			}
			want := "1317 "
			switch how {
			case "KILL":
				r.exec(t, fmt.Sprintf("KILL QUERY %d", id))
			case "leaves":
				leave()
				want = ""
			case "time":
				want = "3024 "
			}
			select {
			case err := <-ended:
				if got := code(err); !strings.HasPrefix(got, want) {
					t.Errorf("%s of %s: %s", how, what, got)
				}
			case <-time.After(2 * time.Minute):
				t.Fatalf("%s does not end %s", how, what)
			}
			leave()
			_ = c.Close()
			eventually(t, how+" has ended "+what, func() bool { return how != "leaves" || r.command(id) == "" })
		}
	}
}
