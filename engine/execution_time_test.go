package engine

import "testing"

// A SELECT ends when max_execution_time is over, and nothing else does.
func TestMaxExecutionTime(t *testing.T) {
	r := serve(t, Options{})
	r.db.SetMaxOpenConns(1)
	const want = "3024 HY000 Query execution was interrupted, maximum statement execution time exceeded"
	r.exec(t, "CREATE TABLE test.one (a INT)")
	r.exec(t, "INSERT INTO test.one VALUES (1)")
	r.exec(t, "SET max_execution_time = 30")
	for _, q := range []string{"SELECT SLEEP(20) FROM test.one", "SELECT SLEEP(20) UNION SELECT 1"} {
		r.fails(t, q, want)
	}
	r.exec(t, "SET @slept = SLEEP(0.1)")
	r.want(t, "SHOW STATUS LIKE 'Max\\_execution\\_time%'", "Max_execution_time_exceeded|2", "Max_execution_time_set|2", "Max_execution_time_set_failed|0")
	r.want(t, "SELECT SLEEP(20)", "1") // which is how it tells
	r.exec(t, "SET max_execution_time = 0")
	r.want(t, "SELECT SLEEP(0.1)", "0")
	r.exec(t, "SET GLOBAL max_execution_time = 30")
	r.want(t, "SELECT SLEEP(0.1)", "0")
	other := &running{Server: r.Server, db: r.open(t, "")}
	other.fails(t, "SELECT SLEEP(20) FROM test.one", want)
}
