-- Statements of users: a row for each user, the one whose took most time first.
SELECT IFNULL(USER, 'background') AS user, -- varchar(32)
       SUM(COUNT_STAR) AS total, -- decimal(42,0)
       {time: SUM(SUM_TIMER_WAIT)} AS total_latency, -- decimal(42,0)
       {time: MAX(MAX_TIMER_WAIT)} AS max_latency, -- decimal(42,0)
       {time: SUM(SUM_LOCK_TIME)} AS lock_latency, -- decimal(42,0)
       {time: SUM(SUM_CPU_TIME)} AS cpu_latency, -- decimal(42,0)
       SUM(SUM_ROWS_SENT) AS rows_sent, -- decimal(42,0)
       SUM(SUM_ROWS_EXAMINED) AS rows_examined, -- decimal(42,0)
       SUM(SUM_ROWS_AFFECTED) AS rows_affected, -- decimal(42,0)
       SUM(SUM_NO_INDEX_USED) + SUM(SUM_NO_GOOD_INDEX_USED) AS full_scans -- decimal(43,0)
  FROM performance_schema.events_statements_summary_by_user_by_event_name
 GROUP BY IFNULL(USER, 'background')
 ORDER BY SUM(SUM_TIMER_WAIT) DESC
