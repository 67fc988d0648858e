package main

import (
	"bytes"
	"context"
	"database/sql"
	"os/exec"
	"strings"
	"testing"
)

// A statement about a recording with very many goroutines looks at each a few times at most.
func TestRecordedReadingCosts(t *testing.T) {
	built, dir := wovenOf(t, "many"), t.TempDir()
	startReady(t, exec.Command(built), dir)
	tested := self(t)
	port := start(t, exec.Command(tested, "attach", dir, "--port=0")).says(t, readyForConnections)
	db, err := sql.Open("mysql", "root@tcp(127.0.0.1:"+port+")/performance_schema")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	const goroutines, others = 100_000, 1000
	for q, times := range map[string]int{
		"SELECT COUNT(*) FROM threads": 1,
		"SELECT COUNT(*) FROM events_waits_current w JOIN threads t ON t.THREAD_ID = w.THREAD_ID WHERE w.END_EVENT_ID IS NULL": 2,
		"SELECT * FROM sys.processlist LIMIT 3":                            2,
		"SELECT * FROM sys.what_waits LIMIT 6":                             1,
		"SELECT * FROM sys.what_waits WHERE blocking_thread IS NOT NULL":   0, // nobody waits for a lock
		"SELECT COUNT(waits_at) FROM sys.what_waits":                       4,
		"SELECT * FROM sys.lock_waits":                                     0,
		"SELECT waits_at, goroutines FROM sys.goroutine_leaks LIMIT 1":     0,
		"SELECT SOURCE, COUNT(*) FROM goroutines GROUP BY SOURCE":          1,
		"SELECT t.NAME FROM threads t ORDER BY t.PROCESSLIST_TIME LIMIT 1": 1,
	} {
		if _, err := conn.ExecContext(t.Context(), "FLUSH STATUS"); err != nil {
			t.Fatal(err)
		}
		if _, err := readOn(conn.QueryContext(t.Context(), q)); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		if read := requests(t, conn); read > times*goroutines+others || read < times*goroutines {
			t.Errorf("%s makes %d requests for rows, with %d goroutines", q, read, goroutines)
		}
	}
	var out, errors bytes.Buffer
	if status := run([]string{"top", "--port=" + port, "--batch"}, nil, &out, &errors); status != 0 || !strings.Contains(out.String(), "for a value from a channel") {
		t.Errorf("top: status %d, %s\n%.1000s", status, &errors, &out)
	}
}

// requests is how many rows a session has asked the tables for.
func requests(t *testing.T, conn *sql.Conn) (n int) {
	t.Helper()
	rows, err := conn.QueryContext(context.Background(), "SHOW SESSION STATUS LIKE 'Handler_read%'")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name string
		var of int
		if err := rows.Scan(&name, &of); err != nil {
			t.Fatal(err)
		}
		n += of
	}
	return n
}
