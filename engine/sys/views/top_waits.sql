-- What active threads have spent their time on, what took most first: waits by instrument and object, and CPU* for what was no wait.
SELECT h.WAIT_CLASS AS wait_class, -- varchar(64) NOT NULL
       h.EVENT_NAME AS event, -- varchar(128)
       h.OBJECT_NAME AS object, -- varchar(512)
       h.SOURCE AS source, -- varchar(64)
       {time: CAST(SUM(h.WEIGHT) * 1000000000000 AS UNSIGNED)} AS active_time, -- bigint unsigned
       COUNT(DISTINCT h.THREAD_ID) AS threads, -- bigint NOT NULL
       MIN(h.SAMPLE_TIME) AS first_seen, -- timestamp(6)
       MAX(h.SAMPLE_TIME) AS last_seen -- timestamp(6)
  FROM performance_schema.active_session_history h
 GROUP BY wait_class, event, object, source
 ORDER BY SUM(h.WEIGHT) DESC
