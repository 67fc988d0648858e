-- The statements that take longest: a row for each digest whose average is not below that of
-- x$ps_digest_95th_percentile_by_avg_us, the one with the longest first.
SELECT {statement: DIGEST_TEXT} AS query, -- longtext
       SCHEMA_NAME AS db, -- varchar(64)
       IF(SUM_NO_GOOD_INDEX_USED > 0 OR SUM_NO_INDEX_USED > 0, '*', '') AS full_scan, -- varchar(1) NOT NULL
       COUNT_STAR AS exec_count, -- bigint unsigned NOT NULL
       SUM_ERRORS AS err_count, -- bigint unsigned NOT NULL
       SUM_WARNINGS AS warn_count, -- bigint unsigned NOT NULL
       {time: SUM_TIMER_WAIT} AS total_latency, -- bigint unsigned NOT NULL
       {time: MAX_TIMER_WAIT} AS max_latency, -- bigint unsigned NOT NULL
       {time: AVG_TIMER_WAIT} AS avg_latency, -- bigint unsigned NOT NULL
       SUM_ROWS_SENT AS rows_sent, -- bigint unsigned NOT NULL
       ROUND(IFNULL(SUM_ROWS_SENT / NULLIF(COUNT_STAR, 0), 0)) AS rows_sent_avg, -- decimal(21,0) NOT NULL
       SUM_ROWS_EXAMINED AS rows_examined, -- bigint unsigned NOT NULL
       ROUND(IFNULL(SUM_ROWS_EXAMINED / NULLIF(COUNT_STAR, 0), 0)) AS rows_examined_avg, -- decimal(21,0) NOT NULL
       FIRST_SEEN AS first_seen, -- timestamp(6) NOT NULL
       LAST_SEEN AS last_seen, -- timestamp(6) NOT NULL
       DIGEST AS digest -- varchar(64)
  FROM performance_schema.events_statements_summary_by_digest
 WHERE ROUND(AVG_TIMER_WAIT / 1000000) >= (SELECT avg_us FROM sys.`x$ps_digest_95th_percentile_by_avg_us`)
 ORDER BY AVG_TIMER_WAIT DESC
