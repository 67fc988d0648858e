-- The statements that active threads have spent most time in, by digest: how much of it they waited, and for what most of all.
SELECT {statement: s.digest_text} AS query, -- longtext
       s.db AS db, -- varchar(64)
       {time: CAST(s.active * 1000000000000 AS UNSIGNED)} AS active_time, -- bigint unsigned
       {time: CAST(s.waiting * 1000000000000 AS UNSIGNED)} AS waiting_time, -- bigint unsigned
       {time: CAST((s.active - s.waiting) * 1000000000000 AS UNSIGNED)} AS cpu_time, -- bigint unsigned
       s.threads AS threads, -- bigint NOT NULL
       (SELECT h.WAIT_CLASS FROM performance_schema.active_session_history h
         WHERE h.DIGEST = s.digest GROUP BY h.WAIT_CLASS ORDER BY SUM(h.WEIGHT) DESC, h.WAIT_CLASS LIMIT 1) AS most_waited_for, -- varchar(64)
       s.first_seen AS first_seen, -- timestamp(6)
       s.last_seen AS last_seen, -- timestamp(6)
       s.digest AS digest -- varchar(64)
  FROM (SELECT DIGEST AS digest, MAX(DIGEST_TEXT) AS digest_text, CURRENT_SCHEMA AS db, SUM(WEIGHT) AS active, SUM(IF(STATE = 'WAIT', WEIGHT, 0)) AS waiting,
               COUNT(DISTINCT THREAD_ID) AS threads, MIN(SAMPLE_TIME) AS first_seen, MAX(SAMPLE_TIME) AS last_seen
          FROM performance_schema.active_session_history
         WHERE DIGEST IS NOT NULL
         GROUP BY DIGEST, CURRENT_SCHEMA) s
 ORDER BY s.active DESC
