-- How long statements take: for each average, in microseconds, how many digests have it.
SELECT COUNT(*) AS cnt, -- bigint NOT NULL
       ROUND(AVG_TIMER_WAIT / 1000000) AS avg_us -- decimal(21,0)
  FROM performance_schema.events_statements_summary_by_digest
 GROUP BY ROUND(AVG_TIMER_WAIT / 1000000)
