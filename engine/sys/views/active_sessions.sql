-- How many threads were active on average, by minute and by what they waited for, CPU* being on a processor: active_session_history
-- added up.
SELECT CAST(DATE_FORMAT(h.SAMPLE_TIME, '%Y-%m-%d %H:%i:00') AS DATETIME) AS minute, -- datetime NOT NULL
       h.WAIT_CLASS AS wait_class, -- varchar(64) NOT NULL
       CAST(SUM(h.WEIGHT) / 60 AS DECIMAL(12,3)) AS active_sessions, -- decimal(12,3)
       COUNT(DISTINCT h.THREAD_ID) AS threads, -- bigint NOT NULL
       MAX(h.SAMPLE_TIME) AS last_seen -- timestamp(6)
  FROM performance_schema.active_session_history h
 GROUP BY minute, wait_class
 ORDER BY minute DESC, active_sessions DESC
