SELECT schema_name, digest, digest_text, count_star, sum_timer_wait, query_sample_text FROM performance_schema.events_statements_summary_by_digest WHERE last_seen >= NOW() - INTERVAL 60 SECOND AND digest_text NOT LIKE '%otel-collector-ignore%' ORDER BY sum_timer_wait DESC LIMIT 1000;
/* otel-collector-ignore */ SELECT thread.thread_id, thread.processlist_user, thread.processlist_host, thread.processlist_db, IFNULL(wait.event_name, '') AS wait_event, COALESCE(statement.sql_text, thread.PROCESSLIST_info) AS sql_text, statement.digest, wait.end_event_id
  FROM performance_schema.threads AS thread
  LEFT JOIN performance_schema.events_statements_current AS statement ON statement.thread_id = thread.thread_id
  LEFT JOIN performance_schema.events_waits_current AS wait ON wait.thread_id = thread.thread_id
   AND wait.event_id IN (SELECT MAX(w.event_id) FROM performance_schema.events_waits_current w WHERE w.thread_id = thread.thread_id)
 WHERE thread.processlist_id != CONNECTION_ID() AND thread.processlist_command != 'Sleep' LIMIT 100;
EXPLAIN FORMAT=json SELECT 1;
SELECT OBJECT_SCHEMA, OBJECT_NAME, COUNT_READ_NORMAL, SUM_TIMER_READ_NORMAL FROM performance_schema.table_lock_waits_summary_by_table WHERE OBJECT_SCHEMA NOT IN ('mysql', 'performance_schema');
