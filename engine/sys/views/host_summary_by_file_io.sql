-- Files that hosts use: a row for each host, the one that took most time with them first.
SELECT IFNULL(HOST, 'background') AS host, -- varchar(255)
       SUM(COUNT_STAR) AS ios, -- decimal(42,0)
       {time: SUM(SUM_TIMER_WAIT)} AS io_latency -- decimal(42,0)
  FROM performance_schema.events_waits_summary_by_host_by_event_name
 WHERE EVENT_NAME LIKE 'wait/io/file/%'
 GROUP BY IFNULL(HOST, 'background')
 ORDER BY SUM(SUM_TIMER_WAIT) DESC
