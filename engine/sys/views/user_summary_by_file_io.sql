-- Files that users use: a row for each user, the one that took most time with them first.
SELECT IFNULL(USER, 'background') AS user, -- varchar(32)
       SUM(COUNT_STAR) AS ios, -- decimal(42,0)
       {time: SUM(SUM_TIMER_WAIT)} AS io_latency -- decimal(42,0)
  FROM performance_schema.events_waits_summary_by_user_by_event_name
 WHERE EVENT_NAME LIKE 'wait/io/file/%'
 GROUP BY IFNULL(USER, 'background')
 ORDER BY SUM(SUM_TIMER_WAIT) DESC
