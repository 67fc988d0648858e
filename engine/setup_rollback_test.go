package engine

import (
	"testing"

	"pfsd/tables"
)

// TestSettingsHaveNoTransactions: what is set in the setup tables stays, whatever becomes of the
// transaction, and can be set when the server is read only.
func TestSettingsHaveNoTransactions(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "CREATE TABLE test.t (a INT)")
	c, err := r.enter(t, "root")
	if err != nil {
		t.Fatal(err)
	}
	run := func(statements ...string) {
		t.Helper()
		for _, s := range statements {
			if got := answerTo(t.Context(), c, s); got != "ok" {
				t.Fatalf("%s: %s", s, got)
			}
		}
	}
	set := map[string][2]string{
		"UPDATE performance_schema.setup_consumers SET ENABLED = 'YES' WHERE NAME = 'events_waits_current'":                {"SELECT ENABLED FROM setup_consumers WHERE NAME = 'events_waits_current'", "YES"},
		"UPDATE performance_schema.setup_instruments SET ENABLED = 'NO', TIMED = 'NO' WHERE NAME = 'statement/sql/select'": {"SELECT ENABLED, TIMED FROM setup_instruments WHERE NAME = 'statement/sql/select'", "NO|NO"},
		"UPDATE performance_schema.setup_actors SET HISTORY = 'NO'":                                                        {"SELECT DISTINCT HISTORY FROM setup_actors", "NO"},
		"INSERT INTO performance_schema.setup_actors (HOST, USER) VALUES ('h', 'u')":                                       {"SELECT COUNT(*) FROM setup_actors WHERE USER = 'u'", "1"},
		"DELETE FROM performance_schema.setup_objects WHERE OBJECT_SCHEMA = 'mysql' AND OBJECT_TYPE = 'EVENT'":             {"SELECT COUNT(*) FROM setup_objects WHERE OBJECT_SCHEMA = 'mysql' AND OBJECT_TYPE = 'EVENT'", "0"},
		"UPDATE performance_schema.setup_threads SET HISTORY = 'NO' WHERE NAME = 'thread/sql/one_connection'":              {"SELECT HISTORY FROM setup_threads WHERE NAME = 'thread/sql/one_connection'", "NO"},
		"UPDATE performance_schema.threads SET HISTORY = 'NO' WHERE PROCESSLIST_ID = CONNECTION_ID()":                      {"SELECT COUNT(*) FROM threads WHERE HISTORY = 'NO'", "1"},
	}
	for statement, want := range set {
		run("START TRANSACTION", "INSERT INTO test.t VALUES (1)", "SAVEPOINT s", statement, "ROLLBACK TO SAVEPOINT s")
		r.want(t, want[0], want[1])
		run("ROLLBACK")
		r.want(t, want[0], want[1])
		r.want(t, "SELECT COUNT(*) FROM test.t", "0")
	}
	run("SET autocommit = 0", "UPDATE performance_schema.setup_consumers SET ENABLED = 'YES' WHERE NAME = 'events_waits_history'", "ROLLBACK", "SET autocommit = 1")
	r.want(t, "SELECT ENABLED FROM setup_consumers WHERE NAME = 'events_waits_history'", "YES")

	run("START TRANSACTION READ ONLY")
	for _, s := range []string{"UPDATE performance_schema.setup_consumers SET ENABLED = 'NO'", "UPDATE test.t SET a = 1", "INSERT INTO test.t VALUES (1)", "DELETE FROM test.t"} {
		if got := answerTo(t.Context(), c, s); got != "1792 25006 Cannot execute statement in a READ ONLY transaction." {
			t.Errorf("%s: %s", s, got)
		}
	}
	run("COMMIT", "SET GLOBAL read_only = 1", "SET GLOBAL super_read_only = 1",
		"UPDATE performance_schema.setup_consumers SET ENABLED = 'NO' WHERE NAME = 'events_waits_history'",
		"UPDATE performance_schema.setup_consumers SET ENABLED = 'NO' WHERE NAME = 'events_waits_current'",
		"SET GLOBAL super_read_only = 0", "SET GLOBAL read_only = 0")
	r.want(t, "SELECT COUNT(*) FROM setup_consumers WHERE NAME IN ('events_waits_history', 'events_waits_current') AND ENABLED = 'NO'", "2")
}
