package main

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// Goroutines wait for connections of pools: in a query within a query of a pool of one, behind it, in one of two where the other one is with a
// goroutine that waits for something else, and for a host whose connections are kept by bodies that nobody closes. One statement says who has the
// connections and from which line, while the program lives and after it was killed.
func TestRecordedPools(t *testing.T) {
	const name = "pools"
	at := func(text string) string { return line(t, name, text) }
	outer, inner, behind, taking := at(`one.Query("SELECT id`), at(`check(one.QueryRow(`), at(`one.Query("SELECT 1")`), at(`two.Query("SELECT 2")`)
	first, second, get := at(`two.Query("SELECT 3")`), at(`two.Query("SELECT 4")`), at("client.Get(url + ")
	tested := self(t)
	program, dir := wovenOf(t, name), t.TempDir()
	cmd := exec.Command(program)
	startReady(t, cmd, dir)
	p := start(t, exec.Command(tested, "attach", dir, "--port=0"))
	db, err := sql.Open("mysql", "root@tcp(127.0.0.1:"+p.says(t, readyForConnections)+")/sys")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const pool, host = "for a connection of a pool of database/sql", "for a connection to a host, of which there are MaxConnsPerHost"
	const given, open = "another goroutine may give it back", "the body of its response is neither read to its end nor closed; another goroutine may do that; any of 2 connections would do"
	of := func(waits, object, line, blocker, locked, statement, doubt string) string {
		return strings.Join([]string{waits, object, line, blocker, locked, statement, "NO", doubt}, "|")
	}
	wants := []string{
		of(pool, "fake", inner, "nested", outer, "SELECT id FROM orders WHERE day = 7", given),
		of(pool, "fake", behind, "nested", outer, "SELECT id FROM orders WHERE day = 7", given),
		of(pool, "fake", second, "both", first, "SELECT 3", given+"; any of 2 connections would do"),
		of(pool, "fake", second, "taking", taking, "SELECT 2", given+"; any of 2 connections would do"),
		of(host, "URL", get, "bodies", get, "GET URL/items/0", open),
		of(host, "URL", get, "bodies", get, "GET URL/items/1", open),
	}
	slices.Sort(wants)
	join := func(query string) (list []string) {
		t.Helper()
		for _, row := range read(t, db, query) {
			list = append(list, strings.Join(row, "|"))
		}
		slices.Sort(list)
		return list
	}
	url := ""
	waits := func() []string {
		t.Helper()
		list := join(`SELECT waits_for, object, waits_at, SUBSTRING_INDEX(blocking_thread, '.', -1), blocking_locked_at, blocking_statement, certain, doubt
			FROM sys.what_waits WHERE event LIKE '%/pool' AND blocking_held IS NOT NULL`)
		for i, row := range list {
			if f := strings.Split(row, "|"); f[0] == host {
				url = f[1]
				list[i] = strings.ReplaceAll(row, url, "URL")
			}
		}
		return list
	}
	same := func(what string, got, want []string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	check := func() {
		t.Helper()
		same("what waits", waits(), wants)
		taken := []string{
			"fake|1|YES|" + outer + "|nested|SELECT id FROM orders WHERE day = 7|NO|1", "fake|1|YES|" + taking + "|taking|SELECT 2|NO|1", "fake|2|YES|" + first + "|both|SELECT 3|NO|1",
			url + "|2|YES|" + get + "|bodies|GET " + url + "/items/0|YES|1", url + "|3|YES|" + get + "|bodies|GET " + url + "/items/1|YES|1",
		}
		slices.Sort(taken)
		same("connections", join(`SELECT db, connection_id, taken, taken_at, SUBSTRING_INDEX(thread, '.', -1), statement, body_open, taken_for > 0 FROM sys.db_connections`), taken)
		// Who waits for his own connections is a suspicion, but not where somebody else has another one and may give it back.
		same("deadlocks", join(`SELECT SUBSTRING_INDEX(thread, '.', -1), waits_at, blocking_locked_at, blocking_lock_mode, certain, doubt IS NOT NULL FROM sys.deadlocks`), []string{
			"bodies|" + get + "|" + get + "|BODY|NO|1", "bodies|" + get + "|" + get + "|BODY|NO|1", "nested|" + inner + "|" + outer + "|CONNECTION|NO|1",
		})
	}
	until(t, "all wait", func() bool { return len(waits()) == len(wants) })
	check()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	check()
	before := join("SELECT db, connection_id, taken_for FROM sys.db_connections")
	same("for how long they were taken, asked again", join("SELECT db, connection_id, taken_for FROM sys.db_connections"), before)
}
