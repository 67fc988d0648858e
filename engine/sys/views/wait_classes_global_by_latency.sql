-- What is waited for, idling aside, by the first three parts of its name: a row for each class, the one that
-- took most time first.
SELECT SUBSTRING_INDEX(EVENT_NAME, '/', 3) AS event_class, -- varchar(128)
       SUM(COUNT_STAR) AS total, -- decimal(42,0)
       {time: SUM(SUM_TIMER_WAIT)} AS total_latency, -- decimal(42,0)
       {time: MIN(MIN_TIMER_WAIT)} AS min_latency, -- bigint unsigned
       {time: IFNULL(SUM(SUM_TIMER_WAIT) / NULLIF(SUM(COUNT_STAR), 0), 0)} AS avg_latency, -- decimal(46,4) NOT NULL
       {time: MAX(MAX_TIMER_WAIT)} AS max_latency -- bigint unsigned
  FROM performance_schema.events_waits_summary_global_by_event_name
 WHERE EVENT_NAME <> 'idle' AND SUM_TIMER_WAIT > 0
 GROUP BY SUBSTRING_INDEX(EVENT_NAME, '/', 3)
 ORDER BY SUM(SUM_TIMER_WAIT) DESC
