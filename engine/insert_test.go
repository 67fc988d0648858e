package engine

import (
	"fmt"
	"sync"
	"testing"

	"pfsd/instr"
	"pfsd/tables"
)

// TestInsertIntoFullTable: a table takes as many rows as its limit says, and again as many as
// go.
func TestInsertIntoFullTable(t *testing.T) {
	reg := instr.NewRegistry()
	reg.Setup().SetLimit(instr.LimitSetupActors, 3)
	reg.Setup().SetLimit(instr.LimitSetupObjects, 21)
	r := serve(t, Options{Registry: reg}, tables.All()...)
	fails := func(q, want string) {
		t.Helper()
		if _, err := r.db.Exec(q); code(err) != want {
			t.Errorf("%s\n got %s\nwant %s", q, code(err), want)
		}
	}
	fails("INSERT INTO setup_actors (USER) VALUES ('a'), ('b'), ('c'), ('d')", "1114 HY000 The table 'setup_actors' is full")
	r.want(t, "SELECT USER FROM setup_actors", "%", "a", "b")
	fails("INSERT IGNORE INTO setup_actors (USER) VALUES ('c')", "1114 HY000 The table 'setup_actors' is full")
	r.exec(t, "DELETE FROM setup_actors WHERE USER = 'a'")
	r.exec(t, "INSERT INTO setup_actors (USER) VALUES ('c')")
	fails("INSERT INTO setup_actors (USER) VALUES ('d')", "1114 HY000 The table 'setup_actors' is full")
	r.want(t, "SELECT USER FROM setup_actors", "%", "b", "c")
	fails("INSERT INTO setup_objects (OBJECT_NAME) VALUES ('a'), ('b')", "1114 HY000 The table 'setup_objects' is full")
	r.want(t, "SELECT COUNT(*) FROM setup_objects", "21")
}

// TestAffectedRows: the number of rows that a client is told, with statements as text and
// prepared.
func TestAffectedRows(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	for _, c := range []struct {
		statement string
		args      []any
		want      int64
	}{
		{"INSERT INTO setup_actors (USER) VALUES ('a'), ('b')", nil, 2},
		{"INSERT INTO setup_actors (HOST, USER, ENABLED) VALUES (?, ?, ?), (?, 'd', DEFAULT)", []any{"h", "c", "no", "h"}, 2},
		{"INSERT IGNORE INTO setup_actors (USER) VALUES ('a'), ('e')", nil, 1},
		{"INSERT INTO setup_actors SELECT 'copy', USER, ROLE, ENABLED, HISTORY FROM setup_actors WHERE HOST = ?", []any{"h"}, 2},
		{"REPLACE INTO setup_actors (USER, HISTORY) VALUES (?, 'NO'), ('f', 'NO')", []any{"a"}, 3},
		{"INSERT INTO setup_actors (USER) VALUES ('a'), ('g') ON DUPLICATE KEY UPDATE HISTORY = 'YES'", nil, 3},
		{"UPDATE setup_actors SET ENABLED = ? WHERE HOST = 'H'", []any{"no"}, 1},
		{"UPDATE setup_actors SET HISTORY = 'NO' WHERE USER = ? AND HOST = ? AND ROLE = ?", []any{"d", "h", "%"}, 1},
		{"DELETE FROM setup_actors WHERE USER = ? AND HOST = ? AND ROLE = ?", []any{"d", "copy", "%"}, 1},
		{"DELETE FROM setup_actors WHERE USER = ? AND HOST = ? AND ROLE = ?", []any{"D", "h", "%"}, 0},
		{"DELETE FROM setup_actors WHERE HOST IN ('h', 'copy') LIMIT 2", nil, 2},
		{"DELETE FROM setup_actors", nil, 7},
		{"DELETE FROM setup_actors", nil, 0},
	} {
		res, err := r.db.Exec(c.statement, c.args...)
		if err != nil {
			t.Fatalf("%s: %v", c.statement, err)
		}
		if n, _ := res.RowsAffected(); n != c.want {
			t.Errorf("%s: %d rows, want %d\nthere are %q", c.statement, n, c.want, r.query(t, "SELECT HOST, USER FROM setup_actors"))
		}
	}
}

// TestWritersOfOneTable: of many clients that insert the same rows each row takes one; and
// two that update two columns of a row both win.
func TestWritersOfOneTable(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	const clients, rows = 6, 30
	var all sync.WaitGroup
	won := make([]int, clients)
	for c := range clients {
		all.Go(func() {
			for i := range rows {
				switch _, err := r.db.Exec("INSERT INTO setup_actors (USER) VALUES (?)", fmt.Sprint("u", i)); {
				case err == nil:
					won[c]++
				case code(err) != "1022 23000 Can't write; duplicate key in table 'setup_actors'":
					t.Error(err)
				}
				column := []string{"ENABLED", "HISTORY"}[c%2]
				if _, err := r.db.Exec("UPDATE setup_actors SET "+column+" = 'NO' WHERE USER = ?", fmt.Sprint("u", i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	n := 0
	for _, w := range won {
		n += w
	}
	if n != rows {
		t.Errorf("%d INSERTs of %d rows succeeded", n, rows)
	}
	r.want(t, "SELECT COUNT(*), MAX(ENABLED), MAX(HISTORY) FROM setup_actors WHERE USER <> '%'", fmt.Sprint(rows, "|NO|NO"))

	// Deletes of the same rows do not get into each other's way.
	for c := range clients {
		all.Go(func() {
			for i := range rows {
				if _, err := r.db.Exec("DELETE FROM setup_actors WHERE USER = ?", fmt.Sprint("u", (i+c*5)%rows)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	r.want(t, "SELECT USER FROM setup_actors", "%")
}
