-- What is waited for, idling aside: a row for each event that took time, the one that took most first.
SELECT EVENT_NAME AS events, -- varchar(128) NOT NULL
       COUNT_STAR AS total, -- bigint unsigned NOT NULL
       {time: SUM_TIMER_WAIT} AS total_latency, -- bigint unsigned NOT NULL
       {time: AVG_TIMER_WAIT} AS avg_latency, -- bigint unsigned NOT NULL
       {time: MAX_TIMER_WAIT} AS max_latency -- bigint unsigned NOT NULL
  FROM performance_schema.events_waits_summary_global_by_event_name
 WHERE EVENT_NAME <> 'idle' AND SUM_TIMER_WAIT > 0
 ORDER BY SUM_TIMER_WAIT DESC
