package main

import (
	"database/sql"
	"os"
	"os/exec"
	"testing"
)

// A sample of a program that does not use pfsd has the request with its route beside the query that the request makes.
func TestRoutesOfARecording(t *testing.T) {
	if os.Getenv("PFSD_TOOLCHAIN") == "" {
		t.Skip("make weave runs this")
	}
	program, dir := wovenOf(t, "server"), t.TempDir()
	startProgram(t, program, dir)
	tested := self(t)
	p := start(t, exec.Command(tested, "attach", dir, "--port=0", "--active-session-history-interval=100"))
	db, err := sql.Open("mysql", "root@tcp(127.0.0.1:"+p.says(t, readyForConnections)+")/performance_schema")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	answers(t, db, `SELECT DISTINCT REQUEST_EVENT_NAME, REQUEST_DIGEST_TEXT, STATEMENT_EVENT_NAME, DIGEST_TEXT, STAGE FROM active_session_history
		WHERE REQUEST_EVENT_NAME LIKE 'statement/http/%' ORDER BY 1`,
		"statement/http/GET /hang|GET /hang|statement/db.client/select|SELECT `hang` FROM `users` WHERE `id` = ?|stage/http/running handler",
		"statement/http/GET /pool|GET /pool|statement/http/GET /pool|GET /pool|stage/http/running handler")
}
