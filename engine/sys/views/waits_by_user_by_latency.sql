-- What users wait for, idling aside: a row for each user and each event that took time, those of a user
-- together, the one that took most first.
SELECT IFNULL(USER, 'background') AS user, -- varchar(32)
       EVENT_NAME AS event, -- varchar(128) NOT NULL
       COUNT_STAR AS total, -- bigint unsigned NOT NULL
       {time: SUM_TIMER_WAIT} AS total_latency, -- bigint unsigned NOT NULL
       {time: AVG_TIMER_WAIT} AS avg_latency, -- bigint unsigned NOT NULL
       {time: MAX_TIMER_WAIT} AS max_latency -- bigint unsigned NOT NULL
  FROM performance_schema.events_waits_summary_by_user_by_event_name
 WHERE EVENT_NAME <> 'idle' AND SUM_TIMER_WAIT > 0
 ORDER BY user, SUM_TIMER_WAIT DESC
