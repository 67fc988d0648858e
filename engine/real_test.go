package engine

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"pfsd/instr"
	"pfsd/tables"
)

// serveAll starts a server with the real tables and every wait instrument on.
func serveAll(t *testing.T, o Options) *running {
	t.Helper()
	o.Instruments = []string{"wait/%=ON"}
	o.Consumers = map[string]bool{"events_waits_current": true, "events_waits_history": true, "events_waits_history_long": true}
	return serve(t, o, tables.All()...)
}

// TestConnectionIsAThread follows one connection through the tables.
func TestConnectionIsAThread(t *testing.T) {
	r := serveAll(t, Options{})
	c, id := r.conn(t)
	thread := fmt.Sprintf("FROM threads WHERE PROCESSLIST_ID = %d", id)
	r.want(t, "SELECT NAME, TYPE, PROCESSLIST_USER, PROCESSLIST_HOST, PROCESSLIST_DB, PROCESSLIST_COMMAND, PROCESSLIST_STATE, PROCESSLIST_INFO, CONNECTION_TYPE "+thread,
		"thread/sql/one_connection|FOREGROUND|root|localhost|performance_schema|Sleep|NULL|NULL|TCP/IP")
	if _, err := c.ExecContext(t.Context(), "USE test"); err != nil {
		t.Fatal(err)
	}
	r.want(t, "SELECT PROCESSLIST_DB "+thread, "test")
	tid := r.query(t, "SELECT THREAD_ID "+thread)[0]

	current := "SELECT EVENT_NAME, OPERATION, END_EVENT_ID IS NULL FROM events_waits_current WHERE THREAD_ID = " + tid
	eventually(t, "the connection waits for its client: it is idle, and in no other wait", func() bool {
		return slices.Equal(r.query(t, current), []string{"idle|idle|1"})
	})
	r.want(t, "SELECT STATE FROM socket_instances WHERE THREAD_ID = "+tid, "IDLE")

	ended := make(chan error, 1)
	go func() {
		_, err := c.ExecContext(t.Context(), "SELECT SLEEP(600)")
		ended <- err
	}()
	eventually(t, "the statement shows", func() bool {
		return slices.Equal(r.query(t, "SELECT PROCESSLIST_COMMAND, PROCESSLIST_STATE, PROCESSLIST_INFO "+thread), []string{"Query|User sleep|SELECT SLEEP(600)"})
	})
	r.want(t, "SELECT STATE FROM socket_instances WHERE THREAD_ID = "+tid, "ACTIVE")
	r.exec(t, fmt.Sprintf("KILL %d", id))
	<-ended
	eventually(t, "the thread ends", func() bool { return len(r.query(t, "SELECT 1 "+thread)) == 0 })
	r.want(t, "SELECT COUNT(*) FROM socket_instances WHERE THREAD_ID = "+tid, "0")
}

// TestServerWatchesItself: the server's own locks, files, sockets and workers are there.
func TestServerWatchesItself(t *testing.T) {
	dir := t.TempDir()
	r := serveAll(t, Options{Socket: dir + "/s.sock", PidFile: dir + "/pid", DataDir: dir + "/data"})
	for q, want := range map[string][]string{
		"SELECT NAME FROM threads WHERE TYPE = 'BACKGROUND' ORDER BY NAME":          {"thread/sql/acceptor", "thread/sql/acceptor", "thread/sql/active_session_sampler", "thread/sql/connection_watcher", "thread/sql/event_scheduler", "thread/sql/history_collector", "thread/sql/main"},
		"SELECT NAME FROM mutex_instances WHERE NAME LIKE '%/SQL/%' ORDER BY NAME":  {"wait/synch/mutex/sql/hash_filo::lock", "wait/synch/mutex/sql/LOCK_connection_count", "wait/synch/mutex/sql/LOCK_connection_watcher", "wait/synch/mutex/sql/LOCK_error_log", "wait/synch/mutex/sql/LOCK_event_queue", "wait/synch/mutex/sql/LOCK_global_system_variables", "wait/synch/mutex/sql/LOCK_logger", "wait/synch/mutex/sql/LOCK_thd_list"},
		"SELECT NAME FROM cond_instances ORDER BY NAME":                             {"wait/synch/cond/sql/COND_connection_count", "wait/synch/cond/sql/COND_connection_watcher", "wait/synch/cond/sql/COND_queue_state"},
		"SELECT EVENT_NAME FROM socket_instances ORDER BY EVENT_NAME":               {"wait/io/socket/sql/client_connection", "wait/io/socket/sql/server_tcpip_socket", "wait/io/socket/sql/server_unix_socket"},
		"SELECT EVENT_NAME FROM file_instances WHERE FILE_NAME = '" + dir + "/pid'": {"wait/io/file/sql/pid"},
		"SELECT OPEN_COUNT FROM file_instances WHERE EVENT_NAME LIKE '%error_log'":  {"1"},
	} {
		r.want(t, q, want...)
	}
	if _, err := os.Stat(dir + "/data"); err != nil {
		t.Error(err)
	}
}

// TestSwitches changes the switches as a user does.
func TestSwitches(t *testing.T) {
	r := serveAll(t, Options{})
	r.exec(t, "CREATE TABLE test.SAVED_SETTINGS AS SELECT * FROM performance_schema.setup_instruments")
	r.exec(t, "UPDATE performance_schema.SETUP_INSTRUMENTS SET enabled='no' WHERE name LIKE '%/MUTEX/%'")
	r.want(t, "SELECT ENABLED, TIMED FROM setup_instruments WHERE NAME='wait/synch/mutex/sql/LOCK_thd_list'", "NO|YES")
	r.exec(t, `UPDATE performance_schema.setup_instruments SET
		ENABLED = (SELECT ENABLED FROM test.SAVED_SETTINGS s WHERE s.NAME = setup_instruments.NAME),
		TIMED = (SELECT TIMED FROM test.SAVED_SETTINGS s WHERE s.NAME = setup_instruments.NAME)`)
	r.want(t, "SELECT ENABLED, TIMED FROM setup_instruments WHERE NAME='wait/synch/mutex/sql/LOCK_thd_list'", "YES|YES")
	r.exec(t, "UPDATE SETUP_CONSUMERS SET ENABLED='No' WHERE NAME<>'GLOBAL_instrumentation'")
	r.want(t, "SELECT NAME FROM setup_consumers WHERE ENABLED = 'yes'", "global_instrumentation")
	r.exec(t, "UPDATE setup_timers SET TIMER_NAME='MICROSECOND'")
	r.want(t, "SELECT DISTINCT TIMER_NAME FROM setup_timers", "MICROSECOND")
	eventually(t, "nothing more is recorded, but for the waits that had begun", func() bool {
		r.exec(t, "TRUNCATE TABLE events_waits_history_long")
		return len(r.query(t, "SELECT * FROM events_waits_history_long")) == 0
	})
}

// TestKeyedReadsAgree: a condition that a table works on itself finds what it finds when
// it does not.
func TestKeyedReadsAgree(t *testing.T) {
	reg := instr.NewRegistry()
	r := serveAll(t, Options{Registry: reg})
	done := make(chan struct{})
	for i := range 3 {
		reg.Go("test/worker", func() {
			defer func() { done <- struct{}{} }()
			m := reg.NewMutex(fmt.Sprintf("test/LOCK_%d", i))
			for range 50 {
				m.Lock()
				m.Unlock()
			}
		})
	}
	for range 3 {
		<-done
	}
	r.exec(t, "UPDATE setup_consumers SET ENABLED='NO' WHERE NAME LIKE 'events%'")
	const table = "FROM events_waits_history_long WHERE EVENT_NAME"
	r.want(t, "SELECT COUNT(*) "+table+" = 'Wait/Synch/Mutex/Test/LOCK_1'", "50")
	r.want(t, "SELECT COUNT(*) "+table+" LIKE '%/test/lock_1'", "50")
	for _, tid := range r.query(t, "SELECT DISTINCT THREAD_ID FROM events_waits_history_long") {
		eventually(t, "the rows of thread "+tid+" by key are those without", func() bool { // a wait that had begun may end in between
			a := r.query(t, "SELECT * FROM events_waits_history_long WHERE THREAD_ID = "+tid)
			b := r.query(t, "SELECT * FROM events_waits_history_long WHERE THREAD_ID + 0 = "+tid)
			return slices.Equal(a, b) && len(a) > 0
		})
	}
}

// TestLostCounters: what instr counts as lost is in SHOW STATUS.
func TestLostCounters(t *testing.T) {
	r := serveAll(t, Options{})
	lost := "SHOW STATUS LIKE 'Performance_schema_locker_lost'"
	r.want(t, lost, "Performance_schema_locker_lost|0")
	th := r.reg.Attach("test/deep")
	var waits []instr.Wait
	for range 7 { // a thread can be in five waits
		waits = append(waits, th.StartIdle())
	}
	for _, w := range slices.Backward(waits) {
		w.End()
	}
	th.Detach()
	r.want(t, lost, "Performance_schema_locker_lost|2")
}

// TestOff: the variable performance_schema says what the option did.
func TestOff(t *testing.T) {
	serve(t, Options{PerformanceSchema: Off}).want(t, "SELECT @@performance_schema", "0")
	serve(t, Options{}).want(t, "SELECT @@performance_schema", "1")
}
