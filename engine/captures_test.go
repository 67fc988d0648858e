package engine

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"pfsd/instr"
	"pfsd/tables"
)

// captured waits until the last capture has ended, and returns its row.
func captured(t *testing.T, r *running) []string {
	t.Helper()
	const last = "SELECT STATE, COALESCE(REASON, ''), COALESCE(FILE_NAME, ''), COALESCE(BYTES, 0), COALESCE(ERROR, '') FROM captures ORDER BY CAPTURE_ID DESC LIMIT 1"
	var row []string
	eventually(t, "the capture has ended", func() bool {
		row = strings.Split(r.query(t, last)[0], "|")
		return row[0] != "ARMED" && row[0] != "TAKING"
	})
	return row
}

// A trace is taken when a lock has been held for too long, and says which and by whom.
func TestTraceOfLongLock(t *testing.T) {
	dir := t.TempDir()
	reg := instr.NewRegistry()
	r := serve(t, Options{Registry: reg, DataDir: dir, Instruments: []string{"wait/%=ON"}, Consumers: map[string]bool{"events_waits_current": true}}, tables.All()...)
	lock := reg.NewMutex("test/ledger")
	r.query(t, "CALL sys.capture('TRACE', 'LOCK_HELD', 0.05, 5)")
	r.want(t, "SELECT STATE FROM captures", "ARMED")
	locked, release, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	reg.Go("test/keeper", func() {
		defer close(done)
		lock.Lock()
		close(locked)
		<-release
		lock.Unlock()
	})
	<-locked
	row := captured(t, r)
	close(release)
	<-done
	if row[0] != "DONE" || !strings.Contains(row[1], "wait/synch/mutex/test/ledger was held for ") || !strings.Contains(row[1], "thread/test/keeper, locked at captures_test.go:") {
		t.Fatalf("%q", row)
	}
	text, err := os.ReadFile(row[2])
	if err != nil || !strings.HasPrefix(row[2], dir) || !strings.HasPrefix(string(text), "go 1.") || row[3] == "0" {
		t.Errorf("%q: %d bytes, %v", row, len(text), err)
	}
	r.exec(t, "DELETE FROM captures WHERE CAPTURE_ID = 1")
	if _, err := os.Stat(row[2]); !os.IsNotExist(err) {
		t.Errorf("the file of a deleted capture: %v", err)
	}
}

// A CPU profile tells the time of statements apart by their digests.
func TestProfileByDigest(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			if _, err := r.db.Exec("DO BENCHMARK(2000, SHA2('x', 512))"); err != nil {
				stopped <- err
				return
			}
		}
	}()
	r.query(t, "CALL sys.capture('CPU', NULL, NULL, 1)")
	row := captured(t, r)
	close(stop)
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	if row[0] != "DONE" {
		t.Fatalf("%q", row)
	}
	r.want(t, `SELECT DISTINCT p.THREAD_NAME, p.SOURCE REGEXP '^[a-z0-9_]+[.](go|s):[0-9]+$', p.STACK LIKE CONCAT(p.CURRENT_FUNCTION, ' ', p.SOURCE, '%')
		FROM cpu_profile p JOIN events_statements_summary_by_digest d USING (DIGEST) WHERE d.DIGEST_TEXT LIKE 'DO%BENCHMARK%'`, "thread/sql/one_connection|1|1")
	r.want(t, "SELECT SUM(SAMPLES) > 0 AND SUM(CPU_TIME) = SUM(SAMPLES) * 1e10 FROM cpu_profile", "1")
	f, err := os.Open(row[2])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if p, err := profile.Parse(f); err != nil || len(p.Sample) == 0 {
		t.Errorf("%v %v", p, err)
	}
	if !strings.HasPrefix(row[2], os.TempDir()) {
		t.Errorf("%s is not temporary", row[2])
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(row[2]); !os.IsNotExist(err) {
		t.Errorf("the temporary file after the end of the server: %v", err)
	}
}

// Statements and sessions are conditions, too; requests that cannot be are refused, and what waits ends with the server.
func TestConditionsOfCaptures(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	for _, values := range []string{
		"('CPU', 'NOW', 0, 0, 10)", "('CPU', 'NOW', 0, 61, 10)", "('CPU', 'NOW', -1, 1, 10)", "('CPU', 'NOW', 0, 1, 0)", "('CPU', 'NOW', 0, 1, 90000)", "('HEAP', 'NOW', 0, 1, 10)", "('CPU', 'LATER', 0, 1, 10)",
	} {
		_, err := r.db.Exec("INSERT INTO captures (KIND, CONDITION_TYPE, THRESHOLD, SECONDS, WAIT_SECONDS) VALUES " + values)
		if c := code(err); !strings.HasPrefix(c, "1264 22003 Out of range value for column '") && !strings.HasPrefix(c, "1265 01000 Data truncated for column '") {
			t.Errorf("%s: %v", values, err)
		}
	}
	r.want(t, "SELECT COUNT(*) FROM captures", "0")
	r.exec(t, "INSERT INTO captures (KIND, CONDITION_TYPE, THRESHOLD) VALUES ('TRACE', 'STATEMENT', 0.2)")
	ctx, wake := context.WithCancel(t.Context())
	slept := make(chan struct{})
	defer func() {
		wake()
		<-slept
	}()
	go func() {
		defer close(slept)
		_, _ = r.db.ExecContext(ctx, "DO SLEEP(1000)") // ends when the connection is closed
	}()
	if row := captured(t, r); row[0] != "DONE" || !strings.Contains(row[1], "thread/sql/one_connection, ran for ") || !strings.HasSuffix(row[1], ": DO `SLEEP` (?)") {
		t.Errorf("%q", row)
	}
	r.exec(t, "INSERT INTO captures (KIND, CONDITION_TYPE, THRESHOLD) VALUES ('TRACE', 'ACTIVE_SESSIONS', 0.5)")
	if row := captured(t, r); row[0] != "DONE" || !strings.HasSuffix(row[1], " sessions were active") {
		t.Errorf("%q", row)
	}
	// At most 20: those that have ended make room, those that wait do not.
	for range 20 {
		r.exec(t, "INSERT INTO captures (KIND, CONDITION_TYPE, THRESHOLD) VALUES ('CPU', 'ACTIVE_SESSIONS', 1000)")
	}
	r.want(t, "SELECT STATE, COUNT(*), MIN(CAPTURE_ID) FROM captures GROUP BY STATE", "ARMED|20|3")
	r.fails(t, "INSERT INTO captures (KIND) VALUES ('CPU')", "1114 HY000 The table 'captures' is full")
	r.exec(t, "DELETE FROM captures WHERE CAPTURE_ID = 3")
	r.exec(t, "INSERT INTO captures (KIND, CONDITION_TYPE, THRESHOLD) VALUES ('TRACE', 'ACTIVE_SESSIONS', 1000)")
	r.exec(t, "TRUNCATE TABLE captures")
	r.want(t, "SELECT COUNT(*) FROM captures", "0")
	r.exec(t, "INSERT INTO captures (KIND, CONDITION_TYPE, THRESHOLD, SECONDS) VALUES ('TRACE', 'ACTIVE_SESSIONS', 1000, 60), ('CPU', 'NOW', 0, 60)")
	eventually(t, "the profile is being taken", func() bool { return r.query(t, "SELECT COUNT(*) FROM captures WHERE STATE = 'TAKING'")[0] == "1" })
}
