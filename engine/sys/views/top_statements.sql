-- The statements that active threads have spent most time in, by digest: how much of it they waited, and for what most of all. A request, and any other
-- outermost statement, also has the time of the statements inside of it. A statement without a digest is shown by its instrument.
SELECT {statement: s.text} AS query, -- longtext
       s.db AS db, -- varchar(64)
       {time: CAST(s.active * 1000000000000 AS UNSIGNED)} AS active_time, -- bigint unsigned
       {time: CAST(s.waiting * 1000000000000 AS UNSIGNED)} AS waiting_time, -- bigint unsigned
       {time: CAST((s.active - s.waiting) * 1000000000000 AS UNSIGNED)} AS cpu_time, -- bigint unsigned
       s.threads AS threads, -- bigint NOT NULL
       w.wait_class AS most_waited_for, -- varchar(64)
       s.first_seen AS first_seen, -- timestamp(6)
       s.last_seen AS last_seen, -- timestamp(6)
       s.digest AS digest -- varchar(64)
  FROM (SELECT t.identity, MAX(t.digest) AS digest, MAX(t.text) AS text, t.db, SUM(t.active) AS active, SUM(IF(t.state = 'WAIT', t.active, 0)) AS waiting,
               COUNT(DISTINCT t.thread) AS threads, MIN(t.first_seen) AS first_seen, MAX(t.last_seen) AS last_seen
          FROM (SELECT IFNULL(i.digest, i.name) AS identity, i.digest AS digest, IFNULL(i.text, i.name) AS text, i.db AS db, i.state AS state, i.thread AS thread, i.active AS active, i.first_seen AS first_seen, i.last_seen AS last_seen
                  FROM (SELECT DIGEST AS digest, DIGEST_TEXT AS text, STATEMENT_EVENT_NAME AS name, CURRENT_SCHEMA AS db, STATE AS state, THREAD_ID AS thread,
                               SUM(WEIGHT) AS active, MIN(SAMPLE_TIME) AS first_seen, MAX(SAMPLE_TIME) AS last_seen
                          FROM performance_schema.active_session_history
                         WHERE STATEMENT_EVENT_ID IS NOT NULL
                         GROUP BY DIGEST, DIGEST_TEXT, STATEMENT_EVENT_NAME, CURRENT_SCHEMA, STATE, THREAD_ID) i
                 UNION ALL
                SELECT IFNULL(o.digest, o.name), o.digest, IFNULL(o.text, o.name), o.db, o.state, o.thread, o.active, o.first_seen, o.last_seen
                  FROM (SELECT REQUEST_DIGEST AS digest, REQUEST_DIGEST_TEXT AS text, REQUEST_EVENT_NAME AS name, REQUEST_SCHEMA AS db, STATE AS state, THREAD_ID AS thread,
                               SUM(WEIGHT) AS active, MIN(SAMPLE_TIME) AS first_seen, MAX(SAMPLE_TIME) AS last_seen
                          FROM performance_schema.active_session_history
                         WHERE NESTED = 'YES'
                         GROUP BY REQUEST_DIGEST, REQUEST_DIGEST_TEXT, REQUEST_EVENT_NAME, REQUEST_SCHEMA, STATE, THREAD_ID) o) t
         WHERE t.identity IS NOT NULL
         GROUP BY t.identity, t.db) s
  LEFT JOIN (SELECT c.identity, c.wait_class, ROW_NUMBER() OVER (PARTITION BY c.identity ORDER BY c.active DESC, c.wait_class) AS place
               FROM (SELECT b.identity, b.wait_class, SUM(b.active) AS active
                       FROM (SELECT IFNULL(DIGEST, STATEMENT_EVENT_NAME) AS identity, WAIT_CLASS AS wait_class, SUM(WEIGHT) AS active
                               FROM performance_schema.active_session_history
                              WHERE STATEMENT_EVENT_ID IS NOT NULL
                              GROUP BY DIGEST, STATEMENT_EVENT_NAME, WAIT_CLASS
                              UNION ALL
                             SELECT IFNULL(REQUEST_DIGEST, REQUEST_EVENT_NAME), WAIT_CLASS, SUM(WEIGHT)
                               FROM performance_schema.active_session_history
                              WHERE NESTED = 'YES'
                              GROUP BY REQUEST_DIGEST, REQUEST_EVENT_NAME, WAIT_CLASS) b
                      GROUP BY b.identity, b.wait_class) c) w ON w.identity = s.identity AND w.place = 1
 ORDER BY s.active DESC
