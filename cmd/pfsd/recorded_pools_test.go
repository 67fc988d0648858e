package main

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// line is the line of a program that has a text, as SOURCE shows it.
func line(t *testing.T, name, text string) string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("testdata", name, "main.go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := strings.Cut(string(source), text)
	if !ok {
		t.Fatalf("%s has no %q", name, text)
	}
	return fmt.Sprintf("main.go:%d", strings.Count(before, "\n")+1)
}

// poolAnswers is what is to be seen of the program pools. In it, URL is that of its server.
type poolAnswers struct{ waits, connections, deadlocks []string }

func wantedOfPools(t *testing.T) (w poolAnswers) {
	t.Helper()
	at := func(text string) string { return line(t, "pools", text) }
	outer, inner, other, taking := at(`one.Query("SELECT id`), at(`check(one.QueryRow(`), at(`one.Query("SELECT 1")`), at(`two.Query("SELECT 2")`)
	first, second, get := at(`two.Query("SELECT 3")`), at(`two.Query("SELECT 4")`), at("client.Get(url + ")
	five, six, seven, eight, nine := at(`three.Query("SELECT 5")`), at(`three.Query("SELECT 6")`), at(`three.Query("SELECT 7")`), at("slow.test/8"), at("slow.test/9")
	const pool, host, orders = "for a connection of a pool of database/sql", "for a connection to a host, of which there are MaxConnsPerHost", "SELECT id FROM orders WHERE day = 7"
	const given, any = "another goroutine may give it back", "; any of 2 connections would do"
	const body, opens = "the body of its response is neither read to its end nor closed; another goroutine may do that" + any, "it opens the connection, which another goroutine may get" + any
	wait := func(waits, object, line, blocker, locked, statement, doubt string) {
		w.waits = append(w.waits, strings.Join([]string{waits, object, line, blocker, locked, statement, "NO", doubt}, "|"))
	}
	wait(pool, "fake", inner, "nested", outer, orders, given)
	wait(pool, "fake", other, "nested", outer, orders, given)
	wait(pool, "fake", second, "both", first, "SELECT 3", given+any)
	wait(pool, "fake", second, "taking", taking, "SELECT 2", given+any)
	wait(host, "URL", get, "bodies", get, "GET URL/items/0", body)
	wait(host, "URL", get, "bodies", get, "GET URL/items/1", body)
	// A goroutine that opens a connection has it. Where net/http dials, no line of the program is known.
	wait(pool, "fake", six, "behind", five, "SELECT 5", given+any)
	wait(pool, "fake", six, "beside", seven, "NULL", opens)
	wait(host, "http://slow.test:80", nine, "queued", eight, "GET http://slow.test/8", body)
	wait(host, "http://slow.test:80", nine, "func1", "NULL", "NULL", opens)
	w.connections = []string{
		"fake|1|YES|" + outer + "|nested|" + orders + "|NO|1", "fake|1|YES|" + taking + "|taking|SELECT 2|NO|1", "fake|2|YES|" + first + "|both|SELECT 3|NO|1",
		"fake|1|YES|" + five + "|behind|SELECT 5|NO|1", "http://slow.test:80|1|YES|" + eight + "|queued|GET http://slow.test/8|YES|1",
		"URL|2|YES|" + get + "|bodies|GET URL/items/0|YES|1", "URL|3|YES|" + get + "|bodies|GET URL/items/1|YES|1",
		"fake|1|YES|" + at("kept.Conn(") + "|keeping|SELECT 11|NO|1", "fake|2|YES|" + at("kept.Begin()") + "|keeping|SELECT 12|NO|1", "fake|3|YES|" + at("_, err = kept.Conn(") + "|keeping|NULL|NO|1",
		"fake|1|NO|NULL|NULL|NULL|NULL|NULL", "URL|1|NO|NULL|NULL|NULL|NULL|NULL", // given back; those that are closed are not there
	}
	// Who waits for his own connections is a suspicion, but not where somebody else has another one, or opens it, and may give it back.
	w.deadlocks = []string{"bodies|" + get + "|" + get + "|BODY|NO|1", "bodies|" + get + "|" + get + "|BODY|NO|1", "nested|" + inner + "|" + outer + "|CONNECTION|NO|1"}
	return w
}

// Goroutines wait for connections of pools: in a query within a query of a pool of one, behind it, in one of two where the other one is with a
// goroutine that waits for something else, for a host whose connections are kept by bodies that nobody closes, and where a connection is being
// opened. One statement says who has the connections and from which line, while the program lives and after it was killed, with and without holds.
func TestRecordedPools(t *testing.T) {
	wants, tested := wantedOfPools(t), self(t)
	built := wovenOf(t, "pools")
	for _, holds := range []string{"PFSD_RECORD_HOLDS=0", "PFSD_RECORD_HOLDS=1"} {
		t.Run(holds, func(t *testing.T) { poolsAre(t, built, tested, holds, wants) })
	}
}

func poolsAre(t *testing.T, built, tested, env string, wants poolAnswers) {
	dir, cmd := t.TempDir(), exec.Command(built)
	startReady(t, cmd, dir, env)
	p := start(t, exec.Command(tested, "attach", dir, "--port=0"))
	db, err := sql.Open("mysql", "root@tcp(127.0.0.1:"+p.says(t, readyForConnections)+")/sys")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	url := regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	join := func(query string) (list []string) {
		t.Helper()
		for _, row := range read(t, db, query) {
			list = append(list, url.ReplaceAllString(strings.Join(row, "|"), "URL"))
		}
		slices.Sort(list)
		return list
	}
	waits := func() []string {
		t.Helper()
		return join(`SELECT waits_for, object, waits_at, SUBSTRING_INDEX(blocking_thread, '.', -1), blocking_locked_at, blocking_statement, certain, doubt
			FROM sys.what_waits WHERE event LIKE '%/pool' AND blocking_held IS NOT NULL`)
	}
	same := func(what string, got, want []string) {
		t.Helper()
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("%s\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	check := func() {
		t.Helper()
		same("what waits", waits(), wants.waits)
		same("connections", join(`SELECT db, connection_id, taken, taken_at, SUBSTRING_INDEX(thread, '.', -1), statement, body_open, taken_for > 0 FROM sys.db_connections`), wants.connections)
		same("deadlocks", join(`SELECT SUBSTRING_INDEX(thread, '.', -1), waits_at, blocking_locked_at, blocking_lock_mode, certain, doubt IS NOT NULL FROM sys.deadlocks`), wants.deadlocks)
	}
	until(t, "all wait", func() bool { return len(waits()) == len(wants.waits) })
	check()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	check()
	before := join("SELECT db, connection_id, taken_for FROM sys.db_connections")
	same("for how long they were taken, asked again", join("SELECT db, connection_id, taken_for FROM sys.db_connections"), before)
}
