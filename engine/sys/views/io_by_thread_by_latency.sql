-- Files that threads use: a row for each thread, the one that took most time with them first.
SELECT IF(t.PROCESSLIST_ID IS NULL, SUBSTRING_INDEX(t.NAME, '/', -1), CONCAT(t.PROCESSLIST_USER, '@', t.PROCESSLIST_HOST)) AS user, -- varchar(288)
       w.total AS total, -- decimal(42,0)
       {time: w.total_latency} AS total_latency, -- decimal(42,0)
       {time: w.min_latency} AS min_latency, -- bigint unsigned
       {time: w.total_latency / NULLIF(w.total, 0)} AS avg_latency, -- decimal(24,4)
       {time: w.max_latency} AS max_latency, -- bigint unsigned
       t.THREAD_ID AS thread_id, -- bigint unsigned NOT NULL
       t.PROCESSLIST_ID AS processlist_id -- bigint unsigned
  FROM (SELECT THREAD_ID,
               SUM(COUNT_STAR) AS total,
               SUM(SUM_TIMER_WAIT) AS total_latency,
               MIN(MIN_TIMER_WAIT) AS min_latency,
               MAX(MAX_TIMER_WAIT) AS max_latency
          FROM performance_schema.events_waits_summary_by_thread_by_event_name
         WHERE EVENT_NAME LIKE 'wait/io/file/%' AND SUM_TIMER_WAIT > 0
         GROUP BY THREAD_ID) w
  JOIN performance_schema.threads t ON t.THREAD_ID = w.THREAD_ID
 ORDER BY w.total_latency DESC
