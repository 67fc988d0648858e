-- Requests that are served, of those that the histories have or that are served now the 100 that took longest, longest first: how many statements are
-- inside of each, queries and requests that are sent, and how long these took; how long it waited, and where most of all.
SELECT r.SQL_TEXT AS request, -- longtext
       r.DIGEST_TEXT AS route, -- longtext
       IF(r.END_EVENT_ID IS NULL, 'runs', 'ended') AS state, -- varchar(5) NOT NULL
       {time: r.TIMER_WAIT} AS took, -- bigint unsigned
       IFNULL(q.statements, 0) AS statements, -- bigint NOT NULL
       {time: q.took} AS statements_took, -- decimal(42,0)
       {time: w.total} AS waited, -- decimal(42,0)
       w.event AS most_waited_for, -- varchar(128)
       w.source AS waited_at, -- varchar(64)
       {time: w.waited} AS waited_there, -- decimal(42,0)
       r.MYSQL_ERRNO AS error, -- int
       r.THREAD_ID AS thread_id, -- bigint unsigned NOT NULL
       r.EVENT_ID AS event_id -- bigint unsigned NOT NULL
  FROM (SELECT THREAD_ID, EVENT_ID, END_EVENT_ID, TIMER_WAIT, SQL_TEXT, DIGEST_TEXT, SOURCE, MYSQL_ERRNO, EVENT_NAME FROM performance_schema.events_statements_current WHERE NESTING_EVENT_LEVEL = 0 AND (EVENT_NAME LIKE 'statement/http/%' OR EVENT_NAME LIKE 'statement/grpc/%')
         UNION
        SELECT THREAD_ID, EVENT_ID, END_EVENT_ID, TIMER_WAIT, SQL_TEXT, DIGEST_TEXT, SOURCE, MYSQL_ERRNO, EVENT_NAME FROM performance_schema.events_statements_history WHERE NESTING_EVENT_LEVEL = 0 AND (EVENT_NAME LIKE 'statement/http/%' OR EVENT_NAME LIKE 'statement/grpc/%')
         UNION
        SELECT THREAD_ID, EVENT_ID, END_EVENT_ID, TIMER_WAIT, SQL_TEXT, DIGEST_TEXT, SOURCE, MYSQL_ERRNO, EVENT_NAME FROM performance_schema.events_statements_history_long WHERE NESTING_EVENT_LEVEL = 0 AND (EVENT_NAME LIKE 'statement/http/%' OR EVENT_NAME LIKE 'statement/grpc/%')
         ORDER BY TIMER_WAIT DESC LIMIT 100) r
  LEFT JOIN (SELECT s.THREAD_ID AS thread_id, o.EVENT_ID AS event_id, COUNT(*) AS statements, SUM(s.TIMER_WAIT) AS took
               FROM (SELECT THREAD_ID, EVENT_ID, END_EVENT_ID, TIMER_WAIT FROM performance_schema.events_statements_current WHERE NESTING_EVENT_LEVEL = 0 AND (EVENT_NAME LIKE 'statement/http/%' OR EVENT_NAME LIKE 'statement/grpc/%')
                      UNION
                     SELECT THREAD_ID, EVENT_ID, END_EVENT_ID, TIMER_WAIT FROM performance_schema.events_statements_history WHERE NESTING_EVENT_LEVEL = 0 AND (EVENT_NAME LIKE 'statement/http/%' OR EVENT_NAME LIKE 'statement/grpc/%')
                      UNION
                     SELECT THREAD_ID, EVENT_ID, END_EVENT_ID, TIMER_WAIT FROM performance_schema.events_statements_history_long WHERE NESTING_EVENT_LEVEL = 0 AND (EVENT_NAME LIKE 'statement/http/%' OR EVENT_NAME LIKE 'statement/grpc/%')
                      ORDER BY TIMER_WAIT DESC LIMIT 100) o
               JOIN (SELECT THREAD_ID, EVENT_ID, TIMER_WAIT FROM performance_schema.events_statements_current WHERE NESTING_EVENT_LEVEL = 1
                      UNION
                     SELECT THREAD_ID, EVENT_ID, TIMER_WAIT FROM performance_schema.events_statements_history WHERE NESTING_EVENT_LEVEL = 1
                      UNION
                     SELECT THREAD_ID, EVENT_ID, TIMER_WAIT FROM performance_schema.events_statements_history_long WHERE NESTING_EVENT_LEVEL = 1) s
                 ON s.THREAD_ID = o.THREAD_ID AND s.EVENT_ID BETWEEN o.EVENT_ID AND IFNULL(o.END_EVENT_ID, 18446744073709551615)
              GROUP BY s.THREAD_ID, o.EVENT_ID) q ON q.thread_id = r.THREAD_ID AND q.event_id = r.EVENT_ID
  LEFT JOIN (SELECT g.thread_id, g.event_id, g.event, g.source, g.waited, SUM(g.waited) OVER (PARTITION BY g.thread_id, g.event_id) AS total,
                    ROW_NUMBER() OVER (PARTITION BY g.thread_id, g.event_id ORDER BY g.waited DESC, g.event) AS place
               FROM (SELECT e.THREAD_ID AS thread_id, o.EVENT_ID AS event_id, e.EVENT_NAME AS event, e.SOURCE AS source, SUM(e.TIMER_WAIT) AS waited
                       FROM (SELECT THREAD_ID, EVENT_ID, END_EVENT_ID, TIMER_WAIT FROM performance_schema.events_statements_current WHERE NESTING_EVENT_LEVEL = 0 AND (EVENT_NAME LIKE 'statement/http/%' OR EVENT_NAME LIKE 'statement/grpc/%')
                              UNION
                             SELECT THREAD_ID, EVENT_ID, END_EVENT_ID, TIMER_WAIT FROM performance_schema.events_statements_history WHERE NESTING_EVENT_LEVEL = 0 AND (EVENT_NAME LIKE 'statement/http/%' OR EVENT_NAME LIKE 'statement/grpc/%')
                              UNION
                             SELECT THREAD_ID, EVENT_ID, END_EVENT_ID, TIMER_WAIT FROM performance_schema.events_statements_history_long WHERE NESTING_EVENT_LEVEL = 0 AND (EVENT_NAME LIKE 'statement/http/%' OR EVENT_NAME LIKE 'statement/grpc/%')
                              ORDER BY TIMER_WAIT DESC LIMIT 100) o
                       JOIN (SELECT THREAD_ID, EVENT_ID, EVENT_NAME, SOURCE, TIMER_WAIT FROM performance_schema.events_waits_current WHERE IFNULL(NESTING_EVENT_TYPE, '') <> 'WAIT'
                              UNION
                             SELECT THREAD_ID, EVENT_ID, EVENT_NAME, SOURCE, TIMER_WAIT FROM performance_schema.events_waits_history WHERE IFNULL(NESTING_EVENT_TYPE, '') <> 'WAIT'
                              UNION
                             SELECT THREAD_ID, EVENT_ID, EVENT_NAME, SOURCE, TIMER_WAIT FROM performance_schema.events_waits_history_long WHERE IFNULL(NESTING_EVENT_TYPE, '') <> 'WAIT') e
                         ON e.THREAD_ID = o.THREAD_ID AND e.EVENT_ID BETWEEN o.EVENT_ID AND IFNULL(o.END_EVENT_ID, 18446744073709551615)
                      GROUP BY e.THREAD_ID, o.EVENT_ID, e.EVENT_NAME, e.SOURCE) g) w ON w.thread_id = r.THREAD_ID AND w.event_id = r.EVENT_ID AND w.place = 1
 ORDER BY r.TIMER_WAIT DESC
