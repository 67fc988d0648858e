package main

import (
	"database/sql"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"pfsd/tables"
	"pfsd/tables/recorded"
)

// Each table of an attached server says whom its rows are about: no table shows the reader's own rows for those of the program.
func TestTablesOfARecording(t *testing.T) {
	program, dir := woven(t), t.TempDir()
	startProgram(t, program, dir)
	tested := self(t)
	p := start(t, exec.Command(tested, "attach", dir, "--port=0", "--active-session-history-interval=100"))
	db, err := sql.Open("mysql", "root@tcp(127.0.0.1:"+p.says(t, readyForConnections)+")/performance_schema")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	names := read(t, db, `SELECT LOWER(TABLE_SCHEMA), LOWER(TABLE_NAME) FROM information_schema.tables
		WHERE TABLE_SCHEMA IN ('performance_schema', 'sys', 'information_schema') ORDER BY 1, 2`)
	if len(names) < 300 {
		t.Fatalf("%d tables", len(names))
	}
	for _, row := range names {
		checkOrigin(t, db, row[0], row[1])
	}

	waiting := "waiting sync.Mutex.Lock main.%s 1 main.main main.go:%s"
	for _, function := range []string{"pay", "ship"} {
		want := fmt.Sprintf(waiting, function, place("go "+function+"()"))
		got := read(t, db, `SELECT STATE, WAIT_REASON, START_FUNCTION, PARENT_GOROUTINE_ID, CREATED_BY, CREATED_AT FROM goroutines
			WHERE START_FUNCTION = 'main.`+function+`' AND WAITING_SINCE <= NOW() AND THREAD_ID = GOROUTINE_ID AND LOCKED_TO_OS_THREAD IS NULL`)
		if len(got) != 1 || strings.Join(got[0], " ") != want {
			t.Errorf("goroutines have %q, want %s", got, want)
		}
	}
	for q, want := range map[string]string{
		// Functions of the reader: they begin lines. Names of files have the cache of overlays, too.
		`SELECT COUNT(*) FROM goroutines WHERE CONCAT_WS('\n', '', STACK, CREATED_BY) LIKE '%\npfsd/%'`:                      "0",
		"SELECT COUNT(*) FROM goroutines g LEFT JOIN threads t USING (THREAD_ID) WHERE t.THREAD_ID IS NULL":                  "0",
		"SELECT COUNT(*) FROM goroutine_threads WHERE CREATED_AT = 'main.go:" + place("go pay()") + "'":                      "1",
		"SELECT PS_CURRENT_THREAD_ID() IS NULL AND PS_THREAD_ID(CONNECTION_ID()) IS NULL AND sys.ps_thread_id(NULL) IS NULL": "1",
		"SELECT sys.ps_is_thread_instrumented(CONNECTION_ID())":                                                              "UNKNOWN",
		"SELECT sys.ps_thread_account(1)": "BACKGROUND",
	} {
		answers(t, db, q, want)
	}
}

// checkOrigin reads a table, and the warnings after that.
func checkOrigin(t *testing.T, db *sql.DB, schema, name string) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	found, err := readOn(conn.QueryContext(t.Context(), "SELECT * FROM `"+schema+"`.`"+name+"` LIMIT 1"))
	warned, warnErr := readOn(conn.QueryContext(t.Context(), "SHOW WARNINGS"))
	if warnErr != nil {
		t.Fatal(warnErr)
	}
	if schema == "sys" { // a view is about what its tables are about
		if err != nil {
			t.Errorf("%s.%s: %v", schema, name, err)
		}
		return
	}
	origin := (*recorded.Model)(nil).Origin(schema, name)
	switch origin {
	case tables.Unclassified:
		t.Errorf("%s.%s is not among the tables of which it is known whom they are about", schema, name)
	case tables.Refused:
		if err == nil || !strings.Contains(err.Error(), "Error 1644 (45000): "+schema+"."+name) {
			t.Errorf("%s.%s: %v", schema, name, err)
		}
		return
	case tables.NotKept:
		if len(found) > 0 {
			t.Errorf("%s.%s has the row %q", schema, name, found[0])
		}
	}
	if err != nil {
		t.Errorf("%s.%s: %v", schema, name, err)
	}
	want, got := origin.Note(schema, name), ""
	for _, w := range warned {
		if w[1] == "1105" {
			got += w[2]
		}
	}
	if got != want {
		t.Errorf("%s.%s warns %q, not %q", schema, name, got, want)
	}
}

// read returns the rows of a query.
func read(t *testing.T, db *sql.DB, q string) [][]string {
	t.Helper()
	list, err := readOn(db.QueryContext(t.Context(), q))
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	return list
}

func readOn(rows *sql.Rows, err error) (list [][]string, _ error) {
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		row, to := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range row {
			to[i] = &row[i]
		}
		if err := rows.Scan(to...); err != nil {
			return nil, err
		}
		texts := make([]string, len(row))
		for i, v := range row {
			if texts[i] = v.String; !v.Valid {
				texts[i] = "NULL"
			}
		}
		list = append(list, texts)
	}
	return list, rows.Err()
}
