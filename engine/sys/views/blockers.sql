-- The threads that were in the way of others, those that cost most time first: which lock it was, where they got it, and what they waited
-- for themselves. The names of threads from before the last start of the server are not known.
SELECT h.BLOCKING_THREAD_ID AS blocking_thread_id, -- bigint unsigned
       IF(h.SAMPLE_TIME >= NOW(6) - INTERVAL (SELECT s.VARIABLE_VALUE FROM performance_schema.global_status s WHERE s.VARIABLE_NAME = 'Uptime') SECOND, t.NAME, NULL) AS blocking_thread, -- varchar(128)
       h.BLOCKING_SOURCE AS blocking_locked_at, -- varchar(64)
       h.BLOCKING_EVENT_NAME AS blocking_waits_for, -- varchar(128)
       h.EVENT_NAME AS event, -- varchar(128)
       h.OBJECT_NAME AS object, -- varchar(512)
       COUNT(DISTINCT h.THREAD_ID) AS blocked_sessions, -- bigint NOT NULL
       {time: CAST(SUM(h.WEIGHT) * 1000000000000 AS UNSIGNED)} AS blocked_time, -- bigint unsigned
       MIN(h.SAMPLE_TIME) AS first_seen, -- timestamp(6)
       MAX(h.SAMPLE_TIME) AS last_seen -- timestamp(6)
  FROM performance_schema.active_session_history h
  LEFT JOIN performance_schema.threads t ON t.THREAD_ID = h.BLOCKING_THREAD_ID
 WHERE h.BLOCKING_THREAD_ID IS NOT NULL
 GROUP BY blocking_thread_id, blocking_thread, blocking_locked_at, blocking_waits_for, event, object
 ORDER BY SUM(h.WEIGHT) DESC
