-- The threads that were in the way of others, those that cost most time first: which lock it was, where they got it, and what they waited
-- for themselves. Who they were is known where the samples have it.
SELECT h.BLOCKING_THREAD_ID AS blocking_thread_id, -- bigint unsigned
       h.BLOCKING_THREAD_NAME AS blocking_thread, -- varchar(128)
       IF(h.BLOCKING_USER IS NULL, NULL, CONCAT(h.BLOCKING_USER, '@', h.BLOCKING_HOST)) AS blocking_user, -- varchar(288)
       {statement: h.BLOCKING_DIGEST_TEXT} AS blocking_statement, -- longtext
       h.BLOCKING_SOURCE AS blocking_locked_at, -- varchar(64)
       {time: MAX(h.BLOCKING_TIMER_HELD)} AS blocking_held, -- bigint unsigned
       h.BLOCKING_EVENT_NAME AS blocking_waits_for, -- varchar(128)
       h.EVENT_NAME AS event, -- varchar(128)
       h.OBJECT_NAME AS object, -- varchar(512)
       COUNT(DISTINCT h.THREAD_ID) AS blocked_sessions, -- bigint NOT NULL
       {time: CAST(SUM(h.WEIGHT) * 1000000000000 AS UNSIGNED)} AS blocked_time, -- bigint unsigned
       MIN(h.SAMPLE_TIME) AS first_seen, -- timestamp(6)
       MAX(h.SAMPLE_TIME) AS last_seen -- timestamp(6)
  FROM performance_schema.active_session_history h
 WHERE h.BLOCKING_THREAD_ID IS NOT NULL
 GROUP BY blocking_thread_id, blocking_thread, h.BLOCKING_USER, h.BLOCKING_HOST, h.BLOCKING_DIGEST_TEXT, blocking_locked_at, blocking_waits_for, event, object
 ORDER BY SUM(h.WEIGHT) DESC
