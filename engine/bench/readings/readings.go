package readings

// A Statement is a statement to measure. Its Name has no spaces.
type Statement struct{ Name, Text string }

// All returns the statements, for sessions whose current database is performance_schema. Those that
// search the long history search for the rows of a thread, by its number, and of an event, by its
// name.
func All(thread, event string) []Statement {
	const from = " FROM events_waits_history_long"
	return []Statement{
		{"select_1", "SELECT 1"},
		{"history_long", "SELECT *" + from},
		{"history_long_count", "SELECT COUNT(*)" + from},
		{"history_long_by_thread", "SELECT *" + from + " WHERE THREAD_ID = " + thread},
		{"history_long_by_event", "SELECT *" + from + " WHERE EVENT_NAME = '" + event + "'"},
		{"history_long_top", "SELECT *" + from + " ORDER BY TIMER_WAIT DESC LIMIT 10"},
		{"history_long_grouped", "SELECT EVENT_NAME, COUNT(*), SUM(TIMER_WAIT)" + from + " GROUP BY EVENT_NAME"},
		{"threads", "SELECT * FROM threads"},
		{"current_waits_and_threads", "SELECT t.NAME, w.EVENT_NAME, w.TIMER_WAIT FROM events_waits_current w JOIN threads t USING (THREAD_ID)"},
		{"statements_history", "SELECT * FROM events_statements_history"},
		{"digests_top", "SELECT * FROM events_statements_summary_by_digest ORDER BY SUM_TIMER_WAIT DESC LIMIT 10"},
		{"waits_summary", "SELECT * FROM events_waits_summary_global_by_event_name WHERE COUNT_STAR > 0"},
		{"waits_summary_top", "SELECT EVENT_NAME, COUNT_STAR, SUM_TIMER_WAIT FROM events_waits_summary_global_by_event_name ORDER BY SUM_TIMER_WAIT DESC LIMIT 10"},
		{"file_summary", "SELECT * FROM file_summary_by_event_name"},
		{"setup_instruments", "SELECT * FROM setup_instruments"},
		{"global_status", "SHOW GLOBAL STATUS"},
		{"global_variables", "SHOW GLOBAL VARIABLES"},
		{"processlist", "SHOW PROCESSLIST"},
		{"sys_statement_analysis", "SELECT * FROM sys.statement_analysis"},
		{"sys_session", "SELECT * FROM sys.session"},
	}
}
