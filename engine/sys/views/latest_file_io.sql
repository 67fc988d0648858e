-- What has been done with files lately: a row for each event of them in events_waits_history_long, the latest
-- first.
SELECT IF(t.PROCESSLIST_ID IS NULL, CONCAT(IFNULL(SUBSTRING_INDEX(t.NAME, '/', -1), 'ended'), ':', w.THREAD_ID),
          CONCAT(t.PROCESSLIST_USER, '@', t.PROCESSLIST_HOST, ':', t.PROCESSLIST_ID)) AS thread, -- varchar(317)
       {path: w.OBJECT_NAME} AS file, -- varchar(512)
       {time: w.TIMER_WAIT} AS latency, -- bigint unsigned
       w.OPERATION AS operation, -- varchar(32) NOT NULL
       {bytes: w.NUMBER_OF_BYTES} AS requested -- bigint
  FROM performance_schema.events_waits_history_long w
  LEFT JOIN performance_schema.threads t ON t.THREAD_ID = w.THREAD_ID
 WHERE w.OBJECT_NAME IS NOT NULL AND w.EVENT_NAME LIKE 'wait/io/file/%'
 ORDER BY w.TIMER_START DESC
