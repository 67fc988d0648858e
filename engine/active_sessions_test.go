package engine

import (
	"fmt"
	"testing"

	"pfsd/tables"
)

// TestActiveSessionHistory: a connection that waits for a row is in the samples, with its statement and who is in its way, and that
// one, which has a transaction open and does nothing. The views of sys add them up.
func TestActiveSessionHistory(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	w := newRowWaiter(t, r)
	r.exec(t, "UPDATE setup_consumers SET ENABLED = 'YES' WHERE NAME LIKE 'events_waits%'")
	r.must(t, w.holder, "BEGIN", "UPDATE test.t SET a = 11 WHERE id = 1")
	r.exec(t, "UPDATE setup_consumers SET ENABLED = 'NO' WHERE NAME = 'active_session_history'")
	r.exec(t, "TRUNCATE TABLE active_session_history")
	r.waitForRow(t, w, "UPDATE test.t SET a = 12 WHERE id = 1")
	r.exec(t, "SET GLOBAL active_session_history_interval = 100")
	r.exec(t, "UPDATE setup_consumers SET ENABLED = 'YES' WHERE NAME = 'active_session_history'")
	samples := func() bool {
		return r.query(t, "SELECT COUNT(DISTINCT SAMPLE_ID) >= 3 FROM active_session_history WHERE EVENT_NAME = 'wait/lock/row/sql/handler'")[0] == "1"
	}
	eventually(t, "three samples have the wait", samples)
	r.exec(t, "UPDATE setup_consumers SET ENABLED = 'NO' WHERE NAME = 'active_session_history'")
	of := func(id uint32) string {
		return fmt.Sprintf("FROM active_session_history h JOIN threads t USING (THREAD_ID) WHERE t.PROCESSLIST_ID = %d", id)
	}
	r.want(t, `SELECT DISTINCT h.STATE, h.WAIT_CLASS, h.OBJECT_NAME, h.PROCESSLIST_USER, h.STATEMENT_EVENT_ID > 0, h.TRANSACTION_EVENT_ID > 0, h.WAITED_SO_FAR > 0,
		(SELECT DIGEST_TEXT FROM events_statements_summary_by_digest d WHERE d.DIGEST = h.DIGEST), h.SOURCE <> '',
		(SELECT PROCESSLIST_ID FROM threads b WHERE b.THREAD_ID = h.BLOCKING_THREAD_ID), h.BLOCKING_EVENT_NAME, h.WEIGHT `+of(w.waiterID),
		fmt.Sprintf("WAIT|wait/lock/row|test.t|root|1|1|1|UPDATE `test` . `t` SET `a` = ? WHERE `id` = ?|1|%d|idle|0.1", w.holderID))
	r.want(t, "SELECT DISTINCT h.STATE, h.WAIT_CLASS, h.EVENT_NAME, h.STATEMENT_EVENT_ID, h.TRANSACTION_EVENT_ID > 0, h.BLOCKING_THREAD_ID "+of(w.holderID), "WAIT|idle|idle|NULL|1|NULL")
	r.want(t, "SELECT event, object, active_time > 0, last_seen >= first_seen FROM sys.x$top_waits WHERE wait_class = 'wait/lock/row'", "wait/lock/row/sql/handler|test.t|1|1")
	r.want(t, "SELECT query, db, waiting_time > 0, cpu_time, most_waited_for FROM sys.x$top_statements WHERE query LIKE 'UPDATE `test`%'", "UPDATE `test` . `t` SET `a` = ? WHERE `id` = ?|performance_schema|1|0|wait/lock/row")
	r.want(t, fmt.Sprintf("SELECT event, blocking_waits_for, blocked_sessions, blocked_time > 0 FROM sys.x$blockers WHERE blocking_thread_id = (SELECT THREAD_ID FROM threads WHERE PROCESSLIST_ID = %d)", w.holderID),
		"wait/lock/row/sql/handler|idle|1|1")
	r.want(t, "SELECT DISTINCT EVENT_NAME, COUNT_STAR, COUNT_SAMPLES > 0, SUM_TIMER_WAIT > 0, MAX_TIMER_WAIT > 0, BUCKET_START <= NOW() FROM events_waits_summary_by_thread_by_time h JOIN threads t USING (THREAD_ID) WHERE EVENT_NAME LIKE 'wait/lock/row/%' AND BUCKET_START >= NOW() - INTERVAL 1 HOUR AND "+fmt.Sprintf("t.PROCESSLIST_ID = %d", w.waiterID),
		"wait/lock/row/sql/handler|1|1|1|1|1")
	r.want(t, "SELECT wait_class, active_sessions > 0 FROM sys.active_sessions WHERE wait_class = 'wait/lock/row'", "wait/lock/row|1")
	r.must(t, w.holder, "ROLLBACK")
	if err := <-w.waits; err != nil {
		t.Error(err)
	}
	r.exec(t, "TRUNCATE TABLE active_session_history")
	r.want(t, "SELECT COUNT(*) FROM active_session_history", "0")
}
