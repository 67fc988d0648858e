package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/connection"
	"pfsd/instr"
)

// The memory of a connection is what it has allocated, to the byte, and all of it is free again
// when it has ended.
func TestConnectionMemory(t *testing.T) {
	r := serveAll(t, Options{})
	db := r.login(t, "joe")
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	do := func(q string, args ...any) {
		t.Helper()
		if _, err := conn.ExecContext(context.Background(), q, args...); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	inUse := "SELECT EVENT_NAME, CURRENT_COUNT_USED, CURRENT_NUMBER_OF_BYTES_USED FROM memory_summary_by_%s WHERE EVENT_NAME LIKE 'memory/sql/%%' AND %s AND CURRENT_COUNT_USED <> 0 ORDER BY EVENT_NAME"
	ofThread := fmt.Sprintf(inUse, "thread_by_event_name", "THREAD_ID = (SELECT THREAD_ID FROM threads WHERE PROCESSLIST_USER = 'joe')")
	ofUser := fmt.Sprintf(inUse, "user_by_event_name", "USER = 'joe'")
	// What a session, a prepared statement and the rows of a result take, bytes, is theirs to say; what it adds up to is not.
	session := r.count(t, "SELECT CURRENT_NUMBER_OF_BYTES_USED FROM memory_summary_by_user_by_event_name WHERE USER = 'joe' AND EVENT_NAME = 'memory/sql/THD::main_mem_root'")
	if session <= 0 {
		t.Fatalf("a session has %d bytes", session)
	}
	want := func(more ...string) {
		t.Helper()
		all := append([]string{fmt.Sprintf("memory/sql/NET::buff|1|%d", connection.ReadBufferSize)}, more...)
		all = append(all, fmt.Sprintf("memory/sql/THD::main_mem_root|2|%d", session))
		if len(more) > 1 { // the names' order
			all = []string{all[0], all[1], all[len(all)-1], all[2], all[3]}
		}
		r.want(t, ofThread, all...)
		r.want(t, ofUser, all...)
	}
	do("SET @@sql_mode = ''")
	want()
	do("SET @a = 'xyz', @Long = REPEAT('x', 100)")
	do("SET @a = 'xy'")
	do("PREPARE p FROM 'SELECT ?'")
	prepared := r.count(t, "SELECT CURRENT_NUMBER_OF_BYTES_USED FROM memory_summary_by_user_by_event_name WHERE USER = 'joe' AND EVENT_NAME = 'memory/sql/Prepared_statement::infrastructure'") - len("p") - len("SELECT ?")
	if prepared <= 0 {
		t.Fatalf("a prepared statement has %d bytes besides its text", prepared)
	}
	want(
		fmt.Sprintf("memory/sql/Prepared_statement::infrastructure|1|%d", prepared+len("p")+len("SELECT ?")),
		fmt.Sprintf("memory/sql/user_var_entry|2|%d", 2*int(unsafe.Sizeof(sql.TypedValue{})+unsafe.Sizeof(""))+len("a")+len("long")),
		fmt.Sprintf("memory/sql/user_var_entry::value|2|%d", len("xy")+100),
	)
	stmt, err := conn.PrepareContext(context.Background(), "SELECT 1 + ?")
	if err != nil {
		t.Fatal(err)
	}
	if rows := r.query(t, ofThread); len(rows) != 5 || rows[1] != fmt.Sprintf("memory/sql/Prepared_statement::infrastructure|2|%d", 2*prepared+len("p")+len("SELECT ?")+len("SELECT 1 + ?")) {
		t.Errorf("%q", rows)
	}
	if err := stmt.Close(); err != nil {
		t.Fatal(err)
	}
	do("DEALLOCATE PREPARE p")
	rows, err := conn.QueryContext(context.Background(), "SELECT * FROM setup_instruments")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	results := r.query(t, "SELECT COUNT_ALLOC = COUNT_FREE AND COUNT_ALLOC > 0, HIGH_NUMBER_OF_BYTES_USED FROM memory_summary_by_user_by_event_name WHERE USER = 'joe' AND EVENT_NAME = 'memory/sql/String::value'")
	const rowsBytes = 16 << 10 // of rows at a time
	if len(results) != 1 || results[0] != fmt.Sprintf("1|%d", rowsBytes+packetsBytes) && results[0] != fmt.Sprintf("1|%d", rowsBytes) {
		t.Errorf("%q", results)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of joe's connection", func() bool { return r.count(t, "SELECT CURRENT_CONNECTIONS FROM users WHERE USER = 'joe'") == 0 })
	r.want(t, ofUser)
	for _, row := range r.query(t, "SELECT EVENT_NAME, HIGH_NUMBER_OF_BYTES_USED FROM memory_summary_by_user_by_event_name WHERE USER = 'joe' AND HIGH_NUMBER_OF_BYTES_USED > 0") {
		if !strings.HasPrefix(row, "memory/sql/") {
			t.Errorf("%q", row)
		}
	}
}

// However many sessions there were, one after the other: the most is that of one.
func TestSessionsDoNotAddUp(t *testing.T) {
	r := serveAll(t, Options{})
	for range 5 {
		db := r.login(t, "joe")
		if _, err := db.Exec("SET @a = 'abc'"); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the end of joe's connection", func() bool { return r.count(t, "SELECT CURRENT_CONNECTIONS FROM users WHERE USER = 'joe'") == 0 })
	}
	r.want(t, "SELECT COUNT_ALLOC, COUNT_FREE, HIGH_NUMBER_OF_BYTES_USED FROM memory_summary_by_user_by_event_name WHERE USER = 'joe' AND EVENT_NAME IN ('memory/sql/user_var_entry::value', 'memory/sql/NET::buff') ORDER BY EVENT_NAME",
		fmt.Sprintf("5|5|%d", connection.ReadBufferSize), "5|5|3")
	if c := r.reg.Reader().ClassByName("memory/sql/THD::main_mem_root"); !c.Controlled() || c.Properties() != instr.ControlledByDefault {
		t.Error("the memory of sessions is not controlled")
	}
}
