-- Files that users use: a row for each user and each event of files that has happened, those of a user
-- together, the one that took most time first.
SELECT IFNULL(USER, 'background') AS user, -- varchar(32)
       EVENT_NAME AS event_name, -- varchar(128) NOT NULL
       COUNT_STAR AS total, -- bigint unsigned NOT NULL
       {time: SUM_TIMER_WAIT} AS latency, -- bigint unsigned NOT NULL
       {time: MAX_TIMER_WAIT} AS max_latency -- bigint unsigned NOT NULL
  FROM performance_schema.events_waits_summary_by_user_by_event_name
 WHERE EVENT_NAME LIKE 'wait/io/file/%' AND COUNT_STAR > 0
 ORDER BY user, SUM_TIMER_WAIT DESC
