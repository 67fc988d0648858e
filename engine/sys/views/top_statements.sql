-- The statements that active threads have spent most time in, by digest: how much of it they waited, and for what most of all.
SELECT {statement: s.digest_text} AS query, -- longtext
       s.db AS db, -- varchar(64)
       {time: CAST(s.active * 1000000000000 AS UNSIGNED)} AS active_time, -- bigint unsigned
       {time: CAST(s.waiting * 1000000000000 AS UNSIGNED)} AS waiting_time, -- bigint unsigned
       {time: CAST((s.active - s.waiting) * 1000000000000 AS UNSIGNED)} AS cpu_time, -- bigint unsigned
       s.threads AS threads, -- bigint NOT NULL
       w.wait_class AS most_waited_for, -- varchar(64)
       s.first_seen AS first_seen, -- timestamp(6)
       s.last_seen AS last_seen, -- timestamp(6)
       s.digest AS digest -- varchar(64)
  FROM (SELECT t.digest, MAX(t.digest_text) AS digest_text, t.db, SUM(t.active) AS active, SUM(IF(t.state = 'WAIT', t.active, 0)) AS waiting,
               COUNT(DISTINCT t.thread) AS threads, MIN(t.first_seen) AS first_seen, MAX(t.last_seen) AS last_seen
          FROM (SELECT DIGEST AS digest, DIGEST_TEXT AS digest_text, CURRENT_SCHEMA AS db, STATE AS state, THREAD_ID AS thread,
                       SUM(WEIGHT) AS active, MIN(SAMPLE_TIME) AS first_seen, MAX(SAMPLE_TIME) AS last_seen
                  FROM performance_schema.active_session_history
                 WHERE DIGEST IS NOT NULL
                 GROUP BY DIGEST, DIGEST_TEXT, CURRENT_SCHEMA, STATE, THREAD_ID) t
         GROUP BY t.digest, t.db) s
  LEFT JOIN (SELECT c.digest, c.wait_class, ROW_NUMBER() OVER (PARTITION BY c.digest ORDER BY c.active DESC, c.wait_class) AS place
               FROM (SELECT DIGEST AS digest, WAIT_CLASS AS wait_class, SUM(WEIGHT) AS active
                       FROM performance_schema.active_session_history
                      WHERE DIGEST IS NOT NULL
                      GROUP BY DIGEST, WAIT_CLASS) c) w ON w.digest = s.digest AND w.place = 1
 ORDER BY s.active DESC
