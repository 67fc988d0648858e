package main

import (
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pfsd/instr"
	"pfsd/instr/record"
	"pfsd/tables"
	"pfsd/tables/recorded"
)

// A program that does not use pfsd serves and sends requests, asks a database, and hangs in a query. While it lives, and after it was
// killed, the tables show its requests and queries, and what they wait for.
func TestRecordedStatements(t *testing.T) {
	program, dir := wovenOf(t, "server"), t.TempDir()
	cmd, _, _ := startProgram(t, program, dir)
	rec, model := recordingIn(t, dir)
	check := func(t *testing.T, m tables.Model) {
		checkStatements(t, m)
		checkHanging(t, m)
		checkWorkSummaries(t, m)
		checkStatementTimes(t, m)
	}
	t.Run("alive", func(t *testing.T) { check(t, model) })
	t.Run("truncate", func(t *testing.T) { checkWorkTruncate(t, recorded.New(rec, tables.Of(instr.NewRegistry()))) })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	t.Run("killed", func(t *testing.T) {
		check(t, model)
		again, err := record.Find(rec.Info().Path)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		check(t, recorded.New(again, tables.Of(instr.NewRegistry())))
	})
	// Texts that only differ in literals, blanks and comments are one.
	for text, want := range map[string]int{"SELECT name FROM users": 1, "SELECT a FROM t1": 1, "SELECT a FROM t2": 2} {
		n := 0
		for _, c := range rec.WorkClasses() {
			if strings.HasPrefix(c.Text, text) {
				n++
			}
		}
		if n != want {
			t.Errorf("%d texts %s, not %d", n, text, want)
		}
	}
	if lost := rec.LostWork(); lost != (record.LostWork{}) {
		t.Errorf("lost %+v", lost)
	}
}

// contains says which of some rows a table does not have. A row of the table may go on after what is wanted.
func contains(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !slices.ContainsFunc(got, func(row string) bool { return row == w || strings.HasPrefix(row, w+" ") }) {
			t.Errorf("%s has no row %q in\n%s", what, w, strings.Join(got, "\n"))
		}
	}
}

// checkStatements compares the ended statements with what the program has done.
func checkStatements(t *testing.T, m tables.Model) {
	t.Helper()
	long := rows(t, m, "events_statements_history_long", "MYSQL_ERRNO", "RETURNED_SQLSTATE", "ERRORS", "WARNINGS", "ROWS_AFFECTED", "ROWS_SENT", "ROWS_EXAMINED",
		"NESTING_EVENT_TYPE", "NESTING_EVENT_LEVEL", "CURRENT_SCHEMA", "EVENT_NAME", "SQL_TEXT", "DIGEST_TEXT", "MESSAGE_TEXT")
	contains(t, "events_statements_history_long", long,
		"0 00000 0 0 0 5 0 NULL 0 NULL statement/http/GET /users/{id} GET /users/3 GET /users/{id} NULL",
		"0 00000 0 0 0 3 0 STATEMENT 1 fake statement/db.client/select SELECT name FROM users WHERE id = 3 SELECT NAME FROM `users` WHERE `id` = ? NULL",
		"503 HY000 1 0 0 0 9 NULL 0 NULL statement/http/POST /orders POST /orders POST /orders 503 Service Unavailable",
		"0 00000 0 0 0 0 0 STATEMENT 1 fake statement/db.client/begin NULL NULL NULL",
		"0 00000 0 0 2 0 0 TRANSACTION 1 fake statement/db.client/insert INSERT INTO orders VALUES (?, ?) INSERT INTO `orders` VALUES (...) NULL",
		"0 00000 0 0 0 0 0 TRANSACTION 1 fake statement/db.client/commit NULL NULL NULL",
		"1146 HY000 1 0 0 0 0 STATEMENT 1 fake statement/db.client/select SELECT * FROM missing SELECT * FROM `missing` no such table",
		"0 00000 0 0 0 0 0 STATEMENT 1 fake statement/db.client/prepare SELECT prepared FROM users WHERE id IN (?, ?)",
		"0 00000 0 0 0 3 0 STATEMENT 1 fake statement/db.client/select SELECT prepared FROM users WHERE id IN (?, ?)",
		"0 00000 0 1 0 19 0 NULL 0 NULL statement/http/GET GET /nowhere GET 404 Not Found",
		"0 00000 0 1 0 8 0 NULL 0 NULL statement/http/GET /teapot GET /teapot GET /teapot 418 I'm a teapot", // of HTTP/2
		"2013 HY000 1 0 0 0 0 NULL 0 NULL statement/http.client/GET GET http://127.0.0.1:1/ GET http://127.0.0.1:1 dial tcp 127.0.0.1:1: connect:",
	)
	for _, row := range long {
		if strings.Contains(row, "secret") {
			t.Errorf("the query of a URL is shown: %s", row)
		}
	}
	if got, want := rows(t, m, "events_transactions_history_long", "STATE", "ACCESS_MODE", "ISOLATION_LEVEL", "AUTOCOMMIT", "NESTING_EVENT_TYPE"), []string{
		"COMMITTED READ WRITE SERIALIZABLE NO STATEMENT", "ROLLED BACK READ ONLY NULL NO STATEMENT",
	}; !slices.Equal(got, want) {
		t.Errorf("transactions %q, want %q", got, want)
	}
	stages := rows(t, m, "events_stages_history_long", "EVENT_NAME", "NESTING_EVENT_TYPE")
	contains(t, "events_stages_history_long", stages,
		"stage/http/reading headers STATEMENT", "stage/http/running handler STATEMENT", "stage/http/reading body STATEMENT", "stage/http/writing response STATEMENT",
		"stage/http.client/waiting for a connection STATEMENT", "stage/http.client/connecting STATEMENT", "stage/http.client/sending the request STATEMENT",
		"stage/http.client/waiting for the response STATEMENT", "stage/http.client/reading body NULL",
	)

	// A wait of a request is part of the request's stage, and that of the request.
	nested := false
	for _, wait := range rows(t, m, "events_waits_history_long", "THREAD_ID", "NESTING_EVENT_ID", "NESTING_EVENT_TYPE", "EVENT_NAME") {
		f := strings.Fields(wait)
		if f[3] != "wait/synch/cond/sleep/main.handler.func1" {
			continue
		}
		for _, stage := range rows(t, m, "events_stages_history_long", "THREAD_ID", "EVENT_ID", "NESTING_EVENT_ID", "EVENT_NAME") {
			if s := strings.Fields(stage); s[0] == f[0] && s[1] == f[1] && f[2] == "STAGE" && strings.HasSuffix(stage, "stage/http/running handler") {
				for _, statement := range rows(t, m, "events_statements_history_long", "THREAD_ID", "EVENT_ID", "EVENT_NAME") {
					nested = nested || statement == s[0]+" "+s[2]+" statement/http/GET /users/{id}"
				}
			}
		}
	}
	if !nested {
		t.Error("no wait is part of a request")
	}
}

// checkHanging: a request makes a query that waits for a mutex that main holds, in a transaction that keeps another request from a connection.
func checkHanging(t *testing.T, m tables.Model) {
	t.Helper()
	current := rows(t, m, "events_statements_current", "THREAD_ID", "EVENT_ID", "NESTING_EVENT_ID", "NESTING_EVENT_TYPE", "END_EVENT_ID", "EVENT_NAME", "SQL_TEXT")
	waits := rows(t, m, "events_waits_current", "THREAD_ID", "NESTING_EVENT_ID", "NESTING_EVENT_TYPE", "END_EVENT_ID", "EVENT_NAME", "SOURCE")
	stages := rows(t, m, "events_stages_current", "THREAD_ID", "NESTING_EVENT_ID", "EVENT_NAME")
	transactions := rows(t, m, "events_transactions_current", "THREAD_ID", "EVENT_ID", "NESTING_EVENT_ID", "STATE")
	server := func(text string) (thread, id, in string) {
		t.Helper()
		for _, row := range current {
			if f := strings.SplitN(row, " ", 7); f[4] == "NULL" && f[5]+" "+f[6] == text {
				return f[0], f[1], f[2]
			}
		}
		t.Errorf("nothing does %s in\n%s", text, strings.Join(current, "\n"))
		return "", "", ""
	}
	thread, request, _ := server("statement/http/GET /hang GET /hang")
	other, query, in := server("statement/db.client/select SELECT hang FROM users WHERE id = 7")
	if thread != other {
		t.Errorf("thread %s serves the request, and %s makes its query", thread, other)
	}
	contains(t, "events_transactions_current", transactions, thread+" "+in+" "+request+" ACTIVE")
	contains(t, "events_stages_current", stages, thread+" "+request+" stage/http/running handler")
	contains(t, "events_waits_current", waits, thread+" "+query+" STATEMENT NULL wait/synch/mutex/main/fake.QueryContext main.go:"+placeOf("server", "table.Lock()\n\t}"))
	owners := rows(t, m, "held_locks", "OWNER_THREAD_ID")
	contains(t, "held_locks", owners, "1")

	thread, request, _ = server("statement/http/GET /pool GET /pool")
	contains(t, "events_stages_current", stages, thread+" "+request+" stage/http/running handler")
	pool := thread + " STAGE NULL wait/synch/cond/db.client/pool main.go:" + placeOf("server", "read(single.Query(")
	contains(t, "events_waits_current", rows(t, m, "events_waits_current", "THREAD_ID", "NESTING_EVENT_TYPE", "END_EVENT_ID", "EVENT_NAME", "SOURCE"), pool)
	client := false
	for _, row := range current {
		f := strings.SplitN(row, " ", 7)
		if strings.HasSuffix(row, "/hang") && f[5] == "statement/http.client/GET" {
			contains(t, "events_stages_current", stages, f[0]+" "+f[1]+" stage/http.client/waiting for the response")
			client = true
		}
	}
	if !client {
		t.Error("the client of the request that hangs is missing")
	}
	contains(t, "events_statements_current", rows(t, m, "events_statements_current", "END_EVENT_ID", "DIGEST_TEXT"), "NULL GET /hang", "NULL GET /pool")
	contains(t, "threads", rows(t, m, "threads", "PROCESSLIST_INFO"), "SELECT hang FROM users WHERE id = 7")
}

// checkWorkSummaries compares the statistics with what the program has done.
func checkWorkSummaries(t *testing.T, m tables.Model) {
	t.Helper()
	contains(t, "events_statements_summary_by_digest",
		rows(t, m, "events_statements_summary_by_digest", "SCHEMA_NAME", "COUNT_STAR", "SUM_ERRORS", "SUM_ROWS_AFFECTED", "SUM_ROWS_SENT", "SUM_ROWS_EXAMINED", "DIGEST_TEXT"),
		"NULL 5 0 0 25 0 GET /users/{id}",
		"NULL 1 1 0 0 9 POST /orders",
		"fake 5 0 0 15 0 SELECT NAME FROM `users` WHERE `id` = ?",
		"fake 1 1 0 0 0 SELECT * FROM `missing`",
		"fake 3 0 0 9 0 SELECT `a` FROM `t1` WHERE `b` IN (...)",
		"fake 1 0 0 3 0 SELECT `prepared` FROM `users` WHERE `id` IN (...)",
		"fake 1 0 0 0 0 PREPARE SELECT `prepared` FROM `users` WHERE `id` IN (...)",
		"NULL 1 1 0 0 0 GET http://127.0.0.1:1",
	)
	contains(t, "events_statements_summary_global_by_event_name",
		rows(t, m, "events_statements_summary_global_by_event_name", "EVENT_NAME", "COUNT_STAR", "SUM_ERRORS"),
		"statement/http/GET /users/{id} 5 0", "statement/http/POST /orders 1 1", "statement/http/GET 1 0", "statement/http/request 0 0",
		"statement/db.client/select 12 1", "statement/db.client/prepare 2 0", "statement/db.client/begin 3 0", "statement/http.client/GET 10 3", "statement/http/GET /teapot 1 0",
	)
	stages := []string{"stage/http/reading body 1", "stage/http.client/TLS handshake 1"}
	if _, err := net.LookupHost("localhost"); err == nil {
		stages = append(stages, "stage/http.client/looking up the host 1")
	}
	contains(t, "events_stages_summary_global_by_event_name", rows(t, m, "events_stages_summary_global_by_event_name", "EVENT_NAME", "COUNT_STAR"), stages...)
	contains(t, "events_transactions_summary_global_by_event_name",
		rows(t, m, "events_transactions_summary_global_by_event_name", "COUNT_STAR", "COUNT_READ_WRITE", "COUNT_READ_ONLY"), "2 1 1")
	for _, row := range rows(t, m, "events_statements_summary_global_by_event_name", "MIN_TIMER_WAIT", "AVG_TIMER_WAIT", "MAX_TIMER_WAIT", "COUNT_STAR", "EVENT_NAME") {
		if f := strings.Fields(row); f[3] != "0" && f[0] == "0" {
			t.Errorf("no times: %s", row)
		}
	}
	threads := map[string]int{} // with statistics, by instrument
	for _, row := range rows(t, m, "events_statements_summary_by_thread_by_event_name", "COUNT_STAR", "EVENT_NAME") {
		if n, name, _ := strings.Cut(row, " "); n != "0" {
			threads[name]++
		}
	}
	for _, name := range []string{"statement/http/GET /users/{id}", "statement/db.client/select", "statement/http.client/GET"} {
		if threads[name] != 1 {
			t.Errorf("%d threads have statistics of %s", threads[name], name)
		}
	}
}

// checkStatementTimes: the histograms have each timed statement that has ended, in a bucket that its time fits.
func checkStatementTimes(t *testing.T, m tables.Model) {
	t.Helper()
	number := func(s string) (n uint64) {
		n, _ = strconv.ParseUint(s, 10, 64)
		return n
	}
	counted, all, each := map[string]uint64{}, uint64(0), uint64(0)
	for _, row := range rows(t, m, "events_statements_histogram_by_digest", "COUNT_BUCKET", "DIGEST") {
		n, digest, _ := strings.Cut(row, " ")
		counted[digest] += number(n)
	}
	for _, row := range rows(t, m, "events_statements_summary_by_digest", "COUNT_STAR", "MAX_TIMER_WAIT", "QUANTILE_95", "QUANTILE_999", "DIGEST") {
		f := strings.Fields(row)
		if n := counted[f[4]]; n == 0 || n != number(f[0]) {
			t.Errorf("%d statements are in histograms: %s", n, row)
		}
		// The buckets of the recording are an eighth wide, those of the table a twentieth.
		longest, last := number(f[1]), number(f[3])
		if last < max(longest-longest/8, 10_000_000) && last < longest || last > max(longest+longest/5, 10_000_000) || number(f[2]) > last {
			t.Errorf("quantiles are not those of the longest time: %s", row)
		}
	}
	numbers := map[uint64]uint64{}
	grown := instr.DigestFilter{Times: true, Grown: func(number, count uint64) bool { return count != numbers[number] }}
	for _, row := range m.Digests(grown) {
		timed := uint64(0)
		for _, n := range row.Times.Buckets() {
			timed += n
		}
		if row.Number == 0 || numbers[row.Number] != 0 || timed != row.Stat.Count {
			t.Errorf("row %d of %d statements has %d times", row.Number, row.Stat.Count, timed)
		}
		numbers[row.Number] = row.Stat.Count
	}
	if len(numbers) != len(rows(t, m, "events_statements_summary_by_digest", "DIGEST")) {
		t.Errorf("numbers of digests %v", numbers)
	}
	for _, row := range rows(t, m, "events_statements_histogram_global", "COUNT_BUCKET") {
		all += number(row)
	}
	for _, row := range rows(t, m, "events_statements_summary_global_by_event_name", "COUNT_STAR") {
		each += number(row)
	}
	if all != each || all == 0 {
		t.Errorf("the histogram has %d statements, not %d", all, each)
	}
}

// checkWorkTruncate: TRUNCATE empties the tables of one reader.
func checkWorkTruncate(t *testing.T, m tables.Model) {
	t.Helper()
	for _, def := range tables.All() {
		switch name := def.Name(); {
		case !strings.HasPrefix(name, "events_statements_") && !strings.HasPrefix(name, "events_stages_") && !strings.HasPrefix(name, "events_transactions_"):
		case strings.HasSuffix(name, "_current"), strings.HasSuffix(name, "_history"), strings.HasSuffix(name, "_history_long"), name == "events_statements_summary_by_digest":
			if len(rows(t, m, name)) == 0 {
				t.Errorf("%s was empty before", name)
			}
			def.Truncate(m)
			if left := rows(t, m, name, "EVENT_NAME"); len(left) > 0 {
				t.Errorf("%s has %q", name, left)
			}
		case strings.HasPrefix(name, "events_statements_histogram_"):
			def.Truncate(m)
			for _, row := range rows(t, m, name, "COUNT_BUCKET") {
				if row != "0" {
					t.Errorf("%s has a bucket of %s", name, row)
				}
			}
		case strings.Contains(name, "_summary_global_by_event_name"), strings.Contains(name, "_summary_by_thread_by_event_name"):
			def.Truncate(m)
			for _, row := range rows(t, m, name, "COUNT_STAR", "SUM_TIMER_WAIT", "MAX_TIMER_WAIT", "EVENT_NAME") {
				if !strings.HasPrefix(row, "0 0 0 ") {
					t.Errorf("%s: %s", name, row)
				}
			}
		}
	}
}

// Switches of statements take effect in the program at once.
func TestSwitchesOfRecordedStatements(t *testing.T) {
	program, dir := wovenOf(t, "server"), t.TempDir()
	_, in, out := startProgram(t, program, dir)
	rec, model := recordingIn(t, dir)
	again := func() {
		t.Helper()
		if _, err := io.WriteString(in, "again\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := out.ReadString('\n'); line != "again\n" {
			t.Fatalf("%q %v", line, err)
		}
	}
	const users, selects = "statement/http/GET /users/{id}", "statement/db.client/select"
	count := func(name string) (counted, timed uint64) {
		w := model.GlobalWork(instr.WorkStatements)
		s := w.Statement(model.ClassByName(name))
		return s.Count, s.Count - s.Untimed
	}
	set := func(column, value, like string) {
		t.Helper()
		for _, def := range tables.All() {
			if def.Name() != "setup_instruments" {
				continue
			}
			for _, name := range rows(t, model, "setup_instruments", "NAME") {
				if strings.HasPrefix(name, like) {
					if err := def.Update(model, tables.Key{{Column: "NAME", Value: tables.Text(name)}}, column, tables.Text(value)); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	expect := func(name string, counted, timed uint64) {
		t.Helper()
		if n, ofThem := count(name); n != counted || ofThem != timed {
			t.Errorf("%s: %d, of them %d timed, not %d and %d", name, n, ofThem, counted, timed)
		}
	}
	expect(users, 5, 5)
	expect(selects, 12, 12)
	set("ENABLED", "NO", selects)
	again()
	expect(users, 10, 10)
	expect(selects, 12, 12)
	set("ENABLED", "YES", selects)
	set("TIMED", "NO", selects)
	again()
	expect(users, 15, 15)
	expect(selects, 24, 12)
	set("ENABLED", "NO", "statement/")
	if rec.KindSwitches(record.StatementWork)&record.Off == 0 || rec.KindSwitches(record.StageWork)&record.Off != 0 {
		t.Error("the switch of all statements is wrong")
	}
	again()
	expect(users, 15, 15)
	set("ENABLED", "YES", "statement/")
	model.Setup().SetConsumer(instr.ConsumerEventsStatementsHistory, false)
	model.Setup().SetConsumer(instr.ConsumerEventsStatementsHistoryLong, false)
	before := len(rec.StatementsLong())
	again()
	expect(users, 20, 20)
	if now := len(rec.StatementsLong()); now != before {
		t.Errorf("%d statements in the long history, not %d", now, before)
	}
	if got := rows(t, model, "events_statements_history_long", "EVENT_NAME"); len(got) != 0 {
		t.Errorf("long history %q", got)
	}
}
