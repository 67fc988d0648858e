-- Statements of hosts: a row for each host and each kind of statement that took time, those of a host
-- together, the one that took most first.
SELECT IFNULL(HOST, 'background') AS host, -- varchar(255)
       SUBSTRING_INDEX(EVENT_NAME, '/', -1) AS statement, -- varchar(128)
       COUNT_STAR AS total, -- bigint unsigned NOT NULL
       {time: SUM_TIMER_WAIT} AS total_latency, -- bigint unsigned NOT NULL
       {time: MAX_TIMER_WAIT} AS max_latency, -- bigint unsigned NOT NULL
       {time: SUM_LOCK_TIME} AS lock_latency, -- bigint unsigned NOT NULL
       {time: SUM_CPU_TIME} AS cpu_latency, -- bigint unsigned NOT NULL
       SUM_ROWS_SENT AS rows_sent, -- bigint unsigned NOT NULL
       SUM_ROWS_EXAMINED AS rows_examined, -- bigint unsigned NOT NULL
       SUM_ROWS_AFFECTED AS rows_affected, -- bigint unsigned NOT NULL
       SUM_NO_INDEX_USED + SUM_NO_GOOD_INDEX_USED AS full_scans -- bigint unsigned NOT NULL
  FROM performance_schema.events_statements_summary_by_host_by_event_name
 WHERE SUM_TIMER_WAIT <> 0
 ORDER BY host, SUM_TIMER_WAIT DESC
