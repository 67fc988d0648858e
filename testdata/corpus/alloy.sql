SELECT unix_timestamp() AS now, global_status.variable_value AS uptime FROM performance_schema.global_status WHERE global_status.variable_name = 'UPTIME';
SELECT statements.CURRENT_SCHEMA, statements.THREAD_ID, statements.EVENT_ID, statements.END_EVENT_ID, statements.DIGEST, statements.TIMER_END, statements.TIMER_WAIT, statements.CPU_TIME, statements.ROWS_EXAMINED, statements.ROWS_SENT, statements.MAX_CONTROLLED_MEMORY, statements.MAX_TOTAL_MEMORY, waits.event_id AS WAIT_EVENT_ID, waits.event_name AS WAIT_EVENT_NAME, waits.object_name, waits.timer_wait AS WAIT_TIME, threads.PROCESSLIST_USER
  FROM performance_schema.events_statements_history AS statements
  LEFT JOIN performance_schema.events_waits_history waits ON statements.thread_id = waits.thread_id AND statements.EVENT_ID = waits.NESTING_EVENT_ID
  LEFT JOIN performance_schema.threads ON statements.THREAD_ID = threads.THREAD_ID
 WHERE statements.DIGEST IS NOT NULL AND statements.CURRENT_SCHEMA NOT IN ('mysql', 'sys') AND statements.TIMER_END > 0 AND statements.TIMER_END <= 1e19;
UPDATE performance_schema.setup_consumers SET enabled = 'yes' WHERE name IN ('events_statements_cpu', 'events_waits_current', 'events_waits_history');
SELECT * FROM performance_schema.setup_actors WHERE user = 'alloy';
INSERT INTO performance_schema.setup_actors (host, user, role, enabled, history) VALUES ('%', 'alloy', '%', 'NO', 'NO');
UPDATE performance_schema.setup_actors SET enabled = 'NO', history = 'NO' WHERE user = 'alloy';
SHOW GRANTS;
SELECT COUNT(*) FROM performance_schema.events_statements_summary_by_digest;
SELECT r.REQUESTING_ENGINE_TRANSACTION_ID, ws.SQL_TEXT AS waiting, bs.SQL_TEXT AS blocking, ws.TIMER_WAIT
  FROM performance_schema.data_lock_waits r
  JOIN performance_schema.data_locks w ON w.ENGINE_LOCK_ID = r.REQUESTING_ENGINE_LOCK_ID
  JOIN performance_schema.data_locks b ON b.ENGINE_LOCK_ID = r.BLOCKING_ENGINE_LOCK_ID
  JOIN performance_schema.events_statements_current ws ON ws.THREAD_ID = w.THREAD_ID AND ws.EVENT_ID >= w.EVENT_ID
  LEFT JOIN performance_schema.events_statements_current bs ON bs.THREAD_ID = b.THREAD_ID;
SELECT OBJECT_SCHEMA, OBJECT_NAME, INDEX_NAME, COUNT_STAR FROM performance_schema.table_io_waits_summary_by_index_usage WHERE OBJECT_TYPE = 'TABLE';
SELECT SCHEMA_NAME FROM information_schema.schemata WHERE SCHEMA_NAME NOT IN ('mysql', 'performance_schema', 'sys', 'information_schema');
SHOW CREATE TABLE performance_schema.threads;
